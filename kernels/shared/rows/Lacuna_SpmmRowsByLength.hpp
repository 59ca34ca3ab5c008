// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWSBYLENGTH_HPP
#define LACUNA_SPMMROWSBYLENGTH_HPP

#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief A list of rows, longest first, with which the row kernel serves uneven rows: those that stand side by side in
/// a lane group are about as long as each other, long ones get a lane group or a team of their own and start first.

namespace lacuna::Impl {

/// Up to how many nonzeros a row is for a sub-group, and for a lane group; longer ones take a team.
struct SpmmRowLimits {
  std::int64_t sub_group = 32;
  std::int64_t group     = 256;
};

/// Kinds of rows by length: 0 takes a team each, 1 a lane group, the others a sub-group; in the last all are empty.
struct SpmmRowKinds {
  static constexpr int count = 11;

  KOKKOS_INLINE_FUNCTION static int of(std::int64_t length, const SpmmRowLimits& limits) {
    if (length > limits.group) return 0;
    if (length > limits.sub_group) return 1;
    return count - 1 - static_cast<int>((length * (count - 3) + limits.sub_group - 1) / limits.sub_group);
  }

  std::int64_t rows[count] = {};

  KOKKOS_INLINE_FUNCTION void join(const SpmmRowKinds& other) {
    for (int kind = 0; kind < count; ++kind) rows[kind] += other.rows[kind];
  }
};

/// The list as the kernel takes it. A default object stands for rows in their own order.
template <class Ordinal>
struct SpmmRowOrder {
  const Ordinal* rows   = nullptr;  ///< longest first
  std::int64_t by_team  = 0;        ///< so many of them take a team each,
  std::int64_t by_group = 0;        ///< and so many behind those a lane group
};

template <class Ordinal, class MemorySpace>
struct SpmmRowsByLength {
  Kokkos::View<Ordinal*, MemorySpace> rows;
  std::int64_t by_team  = 0;
  std::int64_t by_group = 0;

  std::size_t bytes() const { return bytes_of(rows); }
  SpmmRowOrder<Ordinal> order() const { return {rows.data(), by_team, by_group}; }
};

/// Rows of a kind stay in their order.
template <class Arrays>
struct PlaceRowsByLength {
  using value_type = SpmmRowKinds;
  static_assert(sizeof(value_type) <= largest_scanned_value);
  Arrays A;
  SpmmRowLimits limits;
  SpmmRowKinds begin;  // of each kind in the list
  typename Arrays::Ordinal* list;

  KOKKOS_FUNCTION void init(value_type& before) const { before = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& before, const bool is_final) const {
    const int kind = SpmmRowKinds::of(static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]), limits);
    if (is_final) list[begin.rows[kind] + before.rows[kind]] = static_cast<typename Arrays::Ordinal>(row);
    ++before.rows[kind];
  }
};

/// \param kinds how many rows there are of each, by `limits`. \throws OutOfMemory. Does not fence.
template <class ExecutionSpace, class Arrays>
auto make_spmm_rows_by_length(const ExecutionSpace& exec, const Arrays& A, const SpmmRowKinds& kinds,
                              const SpmmRowLimits& limits) {
  SpmmRowsByLength<typename Arrays::Ordinal, typename ExecutionSpace::memory_space> sorted;
  const auto rows = static_cast<std::int64_t>(A.rows);
  sorted.by_team  = kinds.rows[0];
  sorted.by_group = kinds.rows[1];
  sorted.rows     = allocate<decltype(sorted.rows)>("SpmmPlan", exec, "Lacuna::spmm::rows_by_length", rows);
  SpmmRowKinds begin;
  for (int kind = 1; kind < SpmmRowKinds::count; ++kind) begin.rows[kind] = begin.rows[kind - 1] + kinds.rows[kind - 1];
  Kokkos::parallel_scan("Lacuna::spmm::rows_by_length", IndexRange<ExecutionSpace>(exec, 0, rows),
                        PlaceRowsByLength<Arrays>{A, limits, begin, sorted.rows.data()});
  return sorted;
}

}  // namespace lacuna::Impl

#endif
