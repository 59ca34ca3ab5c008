// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMLISTPRODUCTS_HPP
#define LACUNA_SPGEMMLISTPRODUCTS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductLists.hpp>

#include <cstdint>

/// \file
/// \brief Which products a nonzero of C is the sum of. They are counted, then listed in the order of A.

namespace lacuna::Impl {

/// C, whose rows are sorted, and the lists of its nonzeros.
template <class Ordinal, class Offset>
struct SpgemmListTarget {
  const Offset* row_map;
  const Ordinal* entries;
  std::uint32_t* lengths;
  Counter* offsets        = nullptr;  ///< where the next product of each nonzero goes
  SpgemmProduct* products = nullptr;
  /// longer lists have consecutive products; those of a shorter list stand a warp's width apart
  std::uint32_t longest_of_lane = 0;
};

/// Every product finds its nonzero of C by search; a product that a mask leaves out finds none. A row of A is shared by
/// `width` lanes, or (`ByTeam`) by the threads of a team. `Fill`: lists products, one nonzero of A after the other.
/// Without, counts them.
template <bool Fill, bool ByTeam, class Arrays>
struct SpgemmListProducts {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  /// nonzeros of a row of A that lanes share; teams take longer rows; not tuned
  static constexpr std::int64_t longest = 128;

  Arrays A, B;
  SpgemmListTarget<Ordinal, Offset> C;
  int width;
  const Ordinal* rows;  ///< that teams take

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (ByTeam) {
      const Ordinal row = rows[team.league_rank()];
      for (Offset a = A.row_map[row]; a < A.row_map[row + 1]; ++a) {
        visit_row_of_b<Team>(row, a, team.thread(), team.threads());
        if constexpr (Fill) team.barrier();
      }
    } else {
      const std::int64_t row = (static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread()) / width;
      const bool exists      = row < static_cast<std::int64_t>(A.rows);
      Offset a               = exists ? A.row_map[row] : Offset(0);
      const Offset end       = exists ? A.row_map[row + 1] : Offset(0);
      const bool is_own      = static_cast<std::int64_t>(end - a) <= longest;
      for (; Team::lanes::any(is_own && a < end); ++a) {
        if (is_own && a < end) visit_row_of_b<Team>(static_cast<Ordinal>(row), a, team.thread() % width, width);
        if constexpr (Fill) team.warp_barrier();
      }
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void visit_row_of_b(Ordinal row, Offset a, int rank, int threads) const {
    const auto begin    = static_cast<std::int64_t>(C.row_map[row]);
    const auto end      = static_cast<std::int64_t>(C.row_map[row + 1]);
    const Ordinal inner = A.entries[a];
    const auto last     = static_cast<std::int64_t>(B.row_map[inner + 1]);
    for (auto b = static_cast<std::int64_t>(B.row_map[inner]) + rank; b < last; b += threads) {
      const Ordinal column        = B.entries[b];
      const std::int64_t position = lower_bound(C.entries, begin, end, column);
      if (position < end && C.entries[position] == column) note<Team>(position, a, b);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void note(std::int64_t position, Offset a, std::int64_t b) const {
    if constexpr (Fill) {
      const bool is_long = C.lengths[position] > C.longest_of_lane;
      const Counter to   = Kokkos::atomic_fetch_add(&C.offsets[position], Counter(is_long ? 1 : Team::lane_width));
      C.products[to]     = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
    } else {
      Kokkos::atomic_add(&C.lengths[position], 1U);
    }
  }
};

/// Counts the rows of A with more than `longest` nonzeros; `SpgemmListLongRowsOfA` lists them.
template <class Offset>
struct SpgemmLongRowsOfA {
  const Offset* row_map;
  std::int64_t longest;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const {
    if (static_cast<std::int64_t>(row_map[row + 1] - row_map[row]) > longest) ++count;
  }
};
template <class Ordinal, class Offset>
struct SpgemmListLongRowsOfA {
  const Offset* row_map;
  std::int64_t longest;
  Ordinal* rows;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& before, bool final) const {
    if (static_cast<std::int64_t>(row_map[row + 1] - row_map[row]) <= longest) return;
    if (final) rows[before] = static_cast<Ordinal>(row);
    ++before;
  }
};

/// Counts or lists all products. Teams take the `long_rows` of A. Does not fence.
template <bool Fill, class ExecutionSpace, class Arrays>
void spgemm_list_products(const ExecutionSpace& exec, const Arrays& A, const Arrays& B,
                          const SpgemmListTarget<typename Arrays::Ordinal, typename Arrays::Offset>& C,
                          const typename Arrays::Ordinal* long_rows, std::int64_t long_count) {
  const char* const label = Fill ? "Lacuna::spgemm::list_products" : "Lacuna::spgemm::count_products";
  const int width         = lanes_for(mean_length(B), ExecutionTraits<ExecutionSpace>::lane_width);
  launch_rows(exec, label, static_cast<std::int64_t>(A.rows), width,
              SpgemmListProducts<Fill, false, Arrays>{A, B, C, width, nullptr});
  launch_teams<256>(exec, label, {long_count, 256}, 0, SpgemmListProducts<Fill, true, Arrays>{A, B, C, 0, long_rows});
}

/// Returns how many rows of A have more than `longest` nonzeros. Waits.
template <class ExecutionSpace, class Arrays>
std::int64_t count_long_rows(const ExecutionSpace& exec, const Arrays& A, std::int64_t longest) {
  std::int64_t count = 0;
  Kokkos::parallel_reduce("Lacuna::spgemm::long_rows", index_range(exec, static_cast<std::int64_t>(A.rows)),
                          SpgemmLongRowsOfA<typename Arrays::Offset>{A.row_map, longest}, count);
  return count;
}

/// Lists these `count` rows in ascending order. Does not fence.
template <class ExecutionSpace, class Arrays>
void list_long_rows(const ExecutionSpace& exec, const Arrays& A, std::int64_t longest, typename Arrays::Ordinal* rows,
                    std::int64_t count) {
  if (count == 0) return;
  Kokkos::parallel_scan(
      "Lacuna::spgemm::long_rows", index_range(exec, static_cast<std::int64_t>(A.rows)),
      SpgemmListLongRowsOfA<typename Arrays::Ordinal, typename Arrays::Offset>{A.row_map, longest, rows});
}

}  // namespace lacuna::Impl

#endif
