// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMCOUNTPRODUCTS_HPP
#define LACUNA_SPGEMMCOUNTPRODUCTS_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

/// \file
/// \brief How many products a nonzero of C is the sum of.

namespace lacuna::Impl {

/// Every product finds its nonzero of C by search; a product that a mask leaves out finds none. A row of A is shared by
/// `width` lanes, or (`ByTeam`) by the threads of a team.
template <bool ByTeam, class Arrays>
struct SpgemmCountProducts {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  /// Nonzeros of a row of A that lanes share; teams take longer rows. Not tuned.
  static constexpr std::int64_t longest = 128;

  Arrays A, B;
  const Offset* row_map;   ///< of C, whose rows are sorted
  const Ordinal* entries;  ///< of C
  std::uint32_t* products;
  int width;
  const Ordinal* rows;  ///< that teams take

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (ByTeam) {
      count_row(rows[team.league_rank()], team.thread(), team.threads());
    } else {
      const std::int64_t row = (static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread()) / width;
      if (row >= static_cast<std::int64_t>(A.rows)) return;
      if (static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]) <= longest)
        count_row(static_cast<Ordinal>(row), team.thread() % width, width);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void count_row(Ordinal row, int rank, int threads) const {
    const auto begin = static_cast<std::int64_t>(row_map[row]), end = static_cast<std::int64_t>(row_map[row + 1]);
    if (begin == end) return;
    for (Offset a = A.row_map[row]; a < A.row_map[row + 1]; ++a) {
      const Ordinal inner = A.entries[a];
      const auto last     = static_cast<std::int64_t>(B.row_map[inner + 1]);
      std::int64_t near   = begin;  // columns of a row mostly ascend
      for (auto b = static_cast<std::int64_t>(B.row_map[inner]) + rank; b < last; b += threads) {
        const Ordinal column        = B.entries[b];
        const std::int64_t position = lower_bound_near(entries, begin, end, near, column);
        if (position == end) continue;
        if (entries[position] == column) Kokkos::atomic_add(&products[position], 1U);
        near = position;
      }
    }
  }
};

/// Finds the rows of A with more than `longest` nonzeros: their number, or, where `rows` is given, in ascending order.
template <class Ordinal, class Offset>
struct SpgemmLongRowsOfA {
  const Offset* row_map;
  std::int64_t longest;
  Ordinal* rows = nullptr;

  KOKKOS_FUNCTION bool is_long(std::int64_t row) const {
    return static_cast<std::int64_t>(row_map[row + 1] - row_map[row]) > longest;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const { count += is_long(row) ? 1 : 0; }
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& before, bool final) const {
    if (!is_long(row)) return;
    if (final) rows[before] = static_cast<Ordinal>(row);
    ++before;
  }
};

/// Counts into `products` (all zero) those of each nonzero of C. `allocate_rows(n)` gives memory for so many numbers of
/// rows. Waits.
template <class ExecutionSpace, class Arrays, class AllocateRows>
void spgemm_count_products(const ExecutionSpace& exec, const Arrays& A, const Arrays& B,
                           const typename Arrays::Offset* row_map, const typename Arrays::Ordinal* entries,
                           std::uint32_t* products, const AllocateRows& allocate_rows) {
  using Rows       = SpgemmCountProducts<false, Arrays>;
  using LongRows   = SpgemmLongRowsOfA<typename Arrays::Ordinal, typename Arrays::Offset>;
  const auto label = "Lacuna::spgemm::count_products";
  const int width  = lanes_for(mean_length(B), ExecutionTraits<ExecutionSpace>::lane_width);
  const auto rows  = index_range(exec, static_cast<std::int64_t>(A.rows));
  launch_rows(exec, label, static_cast<std::int64_t>(A.rows), width,
              Rows{A, B, row_map, entries, products, width, nullptr});
  LongRows long_rows{A.row_map, Rows::longest};
  std::int64_t count = 0;
  Kokkos::parallel_reduce("Lacuna::spgemm::long_rows", rows, long_rows, count);
  if (count == 0) return;
  long_rows.rows = allocate_rows(count);
  Kokkos::parallel_scan("Lacuna::spgemm::long_rows", rows, long_rows);
  launch_teams<256>(exec, label, {count, 256}, 0,
                    SpgemmCountProducts<true, Arrays>{A, B, row_map, entries, products, 0, long_rows.rows});
}

}  // namespace lacuna::Impl

#endif
