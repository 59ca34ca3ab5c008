// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_MEMORYLIMIT_SUPPORT_HPP
#define LACUNA_TEST_MEMORYLIMIT_SUPPORT_HPP

#include <reference/Reference_Spmm.hpp>
#include <tools/Tools_MemoryMeter.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// \file
/// \brief `memory_limit` holds while a plan is made, and what a plan says it keeps is what it keeps: for every
/// algorithm and option, at the limit, one byte below it and far below.

namespace lacuna::Test {

using Exec = Kokkos::DefaultExecutionSpace;
template <class Scalar>
using MatrixOf = KokkosSparse::CrsMatrix<Scalar, int, Exec::device_type, void, int>;

/// What "small counts are left out" may come to: those of row lengths are 9240 bytes.
inline constexpr std::size_t small = 10000;

/// Large enough that counts are small beside it.
template <class Scalar>
std::vector<NamedMatrix<Scalar>> matrices() {
  return {{"banded", banded_matrix<Scalar>(900, 880, 9, 7)},
          {"long rows", dense_row_matrix<Scalar>(400, 6000, 7)},
          {"blocks", block_matrix<Scalar>(150, 160, 4, 11)},
          {"unsorted", shuffled(with_duplicates(banded_matrix<Scalar>(700, 650, 6, 8)))}};
}

struct Outcome {
  bool made        = false;
  std::size_t peak = 0;
  std::size_t live = 0;
  std::size_t said = 0;
  std::string at_peak;
};

template <class Plan, class Matrix, class Options>
Outcome make(const Exec& exec, const Matrix& A, const Options& options) {
  Outcome outcome;
  MemoryMeter meter;
  {
    std::optional<Plan> plan;
    try {
      plan.emplace(exec, A, options);
      outcome.made = true;
      outcome.said = plan->persistent_bytes() + plan->temporary_bytes();
    } catch (const OutOfMemory&) {
    }
    outcome.peak    = meter.peak();
    outcome.live    = meter.live();
    outcome.at_peak = meter.at_peak();
  }
  EXPECT_EQ(meter.live(), 0u) << "something stays behind";
  return outcome;
}

template <class Plan, class Matrix, class Options>
void check(const Exec& exec, const Matrix& A, Options options) {
  options.memory_limit = unlimited;
  Outcome free;
  try {
    free = make<Plan>(exec, A, options);
  } catch (const NotSupported&) {
    return;
  }
  ASSERT_TRUE(free.made);
  EXPECT_LE(free.live, free.said + small) << "kept, but not said";
  EXPECT_LE(free.said, free.live + small) << "said, but not kept";
  options.memory_limit = free.peak + small;
  const Outcome at     = make<Plan>(exec, A, options);
  EXPECT_TRUE(at.made) << "the peak without a limit was " << free.peak << ": " << free.at_peak;
  EXPECT_LE(at.peak, options.memory_limit);
  for (const std::size_t limit : {free.peak - 1, free.peak / 2, free.peak / 8, std::size_t{1}, std::size_t{0}}) {
    options.memory_limit = limit;
    const Outcome below  = make<Plan>(exec, A, options);
    EXPECT_LE(below.peak, limit + small) << "limit " << limit << ": " << below.at_peak;
  }
}

}  // namespace lacuna::Test

#endif
