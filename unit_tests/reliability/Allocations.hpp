// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_ALLOCATIONS_HPP
#define LACUNA_TEST_ALLOCATIONS_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Every allocation of a program, counted and made to fail where a test says so. Allocations.cpp replaces
/// `operator new`, from which standard containers and, on hosts, Views of Kokkos have their memory.

namespace lacuna::Test {

/// Smaller ones never fail and are not counted: labels and single objects. Kokkos itself makes a label where it frees a
/// View, in a destructor, and a program ends there that has no memory for it.
inline constexpr std::size_t least_failing_bytes = 128;

/// The `k`-th allocation of this thread from now on fails, once. 0: none does.
void fail_allocation(std::int64_t k);

/// Ends what `fail_allocation` began. Whether it failed.
bool has_failed_allocation();

/// Bytes that are allocated now, by all threads.
std::int64_t allocated_bytes();

}  // namespace lacuna::Test

#endif
