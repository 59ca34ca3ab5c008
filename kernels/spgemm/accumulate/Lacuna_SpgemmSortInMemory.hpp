// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMSORTINMEMORY_HPP
#define LACUNA_SPGEMMSORTINMEMORY_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief Rows of C whose products are too many for `SpgemmSortRows`, and too far apart for a bitmap: a team sorts the
/// columns of a row in memory.
///
/// Invariant: after the sort, a column that differs from the one in front of it is a nonzero, and how many of those are
/// in front of it is its position in the row. So time and memory go with products, whatever the width of B.
///
/// A row goes through these phases, with a barrier of the team between them:
///
///     gather  writes the columns of all products that the mask allows, in any order
///     sort    bitonic, of the next power of two
///     rank    counts the columns that differ, and writes them to C (`Numeric`)
///     add     searches the column of each product in C, and adds the product there (`Numeric`)
///
/// Bound: n log^2(n) / 2 columns read and written in memory or L2 for n products, by one processor.
///
/// Launch: teams of `threads`; as many as have `capacity` columns of memory take rows in turns. Scratch: `Shared`.

namespace lacuna::Impl {

/// \brief Counts the nonzeros of rows, and reads no values; or (`Numeric`) adds. Products are added atomically, in the
/// order of A where `in_order`.
template <bool Numeric, class Operands>
struct SpgemmSortInMemory {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr int threads = 512;  ///< not tuned

  Operands operands;
  const Ordinal* rows;
  std::int64_t count;
  Ordinal* columns;       ///< `capacity` for each team
  std::int64_t capacity;  ///< a power of two: products of a row, at most
  bool in_order;          ///< one row of B after the other: the same bits on every run
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  struct Shared {
    Counter gathered;
    std::uint32_t totals[64];  ///< columns that differ, of each warp
  };
  static constexpr std::size_t team_bytes = sizeof(Shared) + 32;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const shared  = team.template scratch<Shared>(1);
    Ordinal* const keys = columns + team.league_rank() * capacity;
    for (std::int64_t index = team.league_rank(); index < count; index += team.league_size())
      compute(team, rows[index], keys, shared);
  }

 private:
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();  ///< sorts behind all columns

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compute(const Team& team, Ordinal row, Ordinal* keys, Shared* shared) const {
    if (team.thread() == 0) shared->gathered = 0;
    team.barrier();
    for_each_row_of_b(team, row, false, [&](Offset, Offset begin, Offset end, int rank, int step) {
      gather(team, row, begin, end, rank, step, keys, shared);
    });
    team.barrier();
    const auto gathered = static_cast<std::int64_t>(shared->gathered);
    const auto all      = sorted_length(gathered);
    for (std::int64_t i = gathered + team.thread(); i < all; i += team.threads()) keys[i] = none;
    team.barrier();
    sort(team, keys, all);
    const Offset begin    = Numeric ? target.begin[row] : Offset(0);
    const std::int64_t nz = rank(team, keys, gathered, begin, shared);
    if constexpr (!Numeric) {
      if (team.thread() == 0) target.counts[row] = static_cast<Ordinal>(nz);
    } else {
      team.barrier();
      for_each_row_of_b(team, row, in_order, [&](Offset k, Offset first, Offset end, int rank_of_thread, int step) {
        add(row, k, first, end, rank_of_thread, step, begin, nz);
      });
    }
    team.barrier();
  }

  /// The least power of two that is not below `n`.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t sorted_length(std::int64_t n) {
    std::int64_t length = 1;
    while (length < n) length *= 2;
    return length;
  }

  /// use(k, begin, end, rank, step) for each row of B that the row of A names by its nonzero k: by a warp each, or one
  /// after the other by the whole team.
  template <class Team, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_row_of_b(const Team& team, Ordinal row, bool one_by_one,
                                                     const Use& use) const {
    const Arrays& A    = operands.A;
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    const auto step = static_cast<Offset>(one_by_one ? 1 : team.warps());
    for (Offset k = begin + static_cast<Offset>(one_by_one ? 0 : team.warp()); k < end; k += step) {
      const Ordinal inner = A.entries[k];
      use(k, operands.B.row_map[inner], operands.B.row_map[inner + 1], one_by_one ? team.thread() : team.lane(),
          one_by_one ? team.threads() : Team::lane_width);
      if (one_by_one) team.barrier();
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void gather(const Team&, [[maybe_unused]] Ordinal row, Offset begin, Offset end, int lane,
                                          int step, Ordinal* keys, Shared* shared) const {
    using lanes   = typename Team::lanes;
    Counter first = 0;
    if (lane == 0) first = Kokkos::atomic_fetch_add(&shared->gathered, static_cast<Counter>(end - begin));
    first = lanes::shuffle(first, 0, Team::lane_width);
    for (Offset b = begin + static_cast<Offset>(lane); b < end; b += static_cast<Offset>(step)) {
      Ordinal column = operands.B.entries[b];
      if constexpr (Operands::is_masked)
        if (!operands.mask.allows(row, column)) column = none;
      keys[first + static_cast<Counter>(b - begin)] = column;
    }
  }

  /// Sorts `n` keys, a power of two, in ascending order.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void sort(const Team& team, Ordinal* keys, std::int64_t n) {
    for (std::int64_t run = 2; run <= n; run *= 2)
      for (std::int64_t distance = run / 2; distance > 0; distance /= 2) {
        for (std::int64_t pair = team.thread(); pair < n / 2; pair += team.threads()) {
          const std::int64_t low = pair / distance * 2 * distance + pair % distance, high = low + distance;
          const Ordinal a = keys[low], b = keys[high];
          if ((a > b) == ((low & run) == 0)) {
            keys[low]  = b;
            keys[high] = a;
          }
        }
        team.barrier();
      }
  }

  /// Returns how many of the `n` sorted keys differ, to every thread. `Numeric`: writes them to C from `begin` on, and
  /// zeros to their values.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t rank(const Team& team, const Ordinal* keys, std::int64_t n,
                                                [[maybe_unused]] Offset begin, Shared* shared) const {
    constexpr int wide    = Team::lane_width;
    std::int64_t nonzeros = 0;
    for (std::int64_t base = 0; base < n; base += team.threads()) {
      const std::int64_t i = base + team.thread();
      const bool differs   = i < n && keys[i] != none && (i == 0 || keys[i - 1] != keys[i]);
      const auto up_to     = Team::sum_lanes_up_to(differs ? 1U : 0U, team.lane(), wide);
      if (team.lane() == wide - 1) shared->totals[team.warp()] = up_to;
      team.barrier();
      std::int64_t position = nonzeros + static_cast<std::int64_t>(up_to) - 1;
      for (int w = 0; w < team.warps(); ++w) {
        if (w < team.warp()) position += shared->totals[w];
        nonzeros += shared->totals[w];
      }
      if constexpr (Numeric)
        if (differs) {
          target.entries[begin + static_cast<Offset>(position)] = keys[i];
          target.values[begin + static_cast<Offset>(position)]  = operands.zero();
        }
      team.barrier();
    }
    return nonzeros;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add([[maybe_unused]] Ordinal row, Offset k, Offset first, Offset end, int rank,
                                       int step, Offset begin, std::int64_t nonzeros) const {
    const Scalar factor = operands.factor(operands.A.values[k]);
    for (Offset b = first + static_cast<Offset>(rank); b < end; b += static_cast<Offset>(step)) {
      const Ordinal column = operands.B.entries[b];
      if constexpr (Operands::is_masked)
        if (!operands.mask.allows(row, column)) continue;
      const auto from             = static_cast<std::int64_t>(begin);
      const std::int64_t position = lower_bound(target.entries, from, from + nonzeros, column);
      operands.add_shared(target.values + position, operands.product(factor, operands.B.values[b]));
    }
  }
};

}  // namespace lacuna::Impl

#endif
