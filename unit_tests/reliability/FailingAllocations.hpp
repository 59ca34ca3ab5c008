// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_FAILINGALLOCATIONS_HPP
#define LACUNA_TEST_FAILINGALLOCATIONS_HPP

#include <Lacuna_Error.hpp>
#include <Lacuna_MemoryPool.hpp>

#include <gmock/gmock.h>
#include <support/Test_Matrices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>

#include "Allocations.hpp"

/// \file
/// \brief A call of which every allocation of `least_failing_bytes` and more fails once, one after the other.

namespace lacuna::Test {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;

/// Runs `call()` again and again, each time with its next allocation failing, until none is left. It throws OutOfMemory
/// that names a function of the library, and leaves as many bytes allocated as before; or it does without what failed.
/// `check(has_thrown)` says whether what it writes to is as it should be.
///
/// \return how many allocations there were
template <class Call, class Check>
std::int64_t fail_each_allocation(const std::string& what, const Call& call, const Check& check) {
  call();  // what is kept for the whole program is there now, and so is the pool, which failures make for themselves
  release_memory_pool();
  check(false);
  std::string wrong;
  wrong.reserve(1000);  // has its memory before bytes are counted
  for (std::int64_t k = 1;; ++k) {
    wrong.clear();
    bool has_thrown           = false;
    const std::int64_t before = allocated_bytes();
    fail_allocation(k);
    try {
      call();
    } catch (const OutOfMemory& error) {
      has_thrown = true;
      if (std::strncmp(error.what(), "lacuna::", 8) != 0) wrong.assign(error.what(), 0, 900);
    } catch (const std::exception& error) {
      has_thrown = true;
      wrong.assign("not OutOfMemory: ").append(error.what(), std::min<std::size_t>(std::strlen(error.what()), 900));
    }
    const bool has_failed   = has_failed_allocation();
    const std::int64_t kept = allocated_bytes() - before;
    if (!has_failed) return k - 1;
    EXPECT_EQ(wrong, "") << what << ", allocation " << k;
    EXPECT_EQ(kept, 0) << what << ", allocation " << k << ": bytes stay behind";
    check(has_thrown);
  }
}

template <class Call>
std::int64_t fail_each_allocation(const std::string& what, const Call& call) {
  return fail_each_allocation(what, call, [](bool) {});
}

}  // namespace lacuna::Test

#endif
