// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMMERGEROWS_HPP
#define LACUNA_SPGEMMMERGEROWS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// The progress of the rows of group 5: arrays over all rows of C.
template <class Ordinal, class Offset>
struct SpgemmMergeState {
  Offset* next_of_a;  ///< the nonzero of A at which the merge resumes
  Offset* next_of_b;  ///< how many nonzeros of its row of B are merged
  Ordinal* filled;    ///< nonzeros of the row so far
  Ordinal* slot;      ///< its index in the memory of its round
  int* round;         ///< the last round that merged it
};

/// The memory of a round: `capacity` nonzeros for each row.
template <class Scalar, class Ordinal>
struct SpgemmMergeMemory {
  Ordinal* entries      = nullptr;
  Scalar* values        = nullptr;
  std::int64_t capacity = 0;
};

/// 001, stage 3, group 5: a team takes a row. Segments of rows of B, a thread for each nonzero, are merged into the
/// sorted result. For each column, a thread searches the result: it adds the value if the column is there, else the
/// column is inserted. If the result would outgrow `memory.capacity`, the position in A and B is saved and the result
/// is written to memory; the next round resumes there with twice the capacity.
/// Rows of B must be sorted and have no duplicates. Values are added in the order of A: the same bits on every run.
template <class Operands>
struct SpgemmMergeRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Memory  = SpgemmMergeMemory<Scalar, Ordinal>;

  static constexpr int most_warps = 32;
  static constexpr int team       = 256;  ///< threads; not tuned

  static constexpr std::size_t bytes_per_nonzero = sizeof(Scalar) + sizeof(Ordinal);
  static constexpr std::size_t fixed_bytes       = (team + 32) * sizeof(std::int64_t) + 128;

  Operands operands;
  const Ordinal* rows;
  std::int64_t count;
  SpgemmMergeState<Ordinal, Offset> state;
  int round;
  bool grows;          ///< rows resume where the last round left them; without, they start anew
  bool in_scratch;     ///< the result is merged in scratch; without, in `memory`
  Memory memory;       ///< of this round
  Memory before;       ///< of the round before
  Ordinal* next_rows;  ///< of the next round
  Counter* next_count;
  Ordinal* counts;

  /// What the threads of a team share.
  struct Shared {
    std::int64_t* positions;  ///< where new columns go, one for each thread
    int* totals;              ///< one for each warp
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t index = team.league_rank();
    const Ordinal row        = rows[index];
    if (!grows && state.round[row] != round) return;
    const Shared shared{team.template scratch<std::int64_t>(static_cast<std::size_t>(team.threads())),
                        team.template scratch<int>(most_warps)};
    Ordinal* columns = memory.entries + index * memory.capacity;
    Scalar* values   = memory.values + index * memory.capacity;
    if (in_scratch) {
      values  = team.template scratch<Scalar>(static_cast<std::size_t>(memory.capacity));
      columns = team.template scratch<Ordinal>(static_cast<std::size_t>(memory.capacity));
    }
    Offset next         = operands.A.row_map[row];
    Offset merged       = 0;
    std::int64_t filled = 0;
    if (grows && round > 0) {
      next                   = state.next_of_a[row];
      merged                 = state.next_of_b[row];
      filled                 = static_cast<std::int64_t>(state.filled[row]);
      const std::int64_t old = static_cast<std::int64_t>(state.slot[row]) * before.capacity;
      for (std::int64_t i = team.thread(); i < filled; i += team.threads()) {
        columns[i] = before.entries[old + i];
        values[i]  = before.values[old + i];
      }
    }
    team.barrier();
    const bool done = merge_all(team, row, shared, columns, values, next, merged, filled);
    if (in_scratch)
      for (std::int64_t i = team.thread(); i < filled; i += team.threads()) {
        memory.entries[index * memory.capacity + i] = columns[i];
        memory.values[index * memory.capacity + i]  = values[i];
      }
    if (team.thread() != 0) return;
    if (grows) {
      state.slot[row]   = static_cast<Ordinal>(index);
      state.round[row]  = round;
      state.filled[row] = static_cast<Ordinal>(filled);
      counts[row]       = static_cast<Ordinal>(filled);
      if (!done) {
        state.next_of_a[row]                                        = next;
        state.next_of_b[row]                                        = merged;
        next_rows[Kokkos::atomic_fetch_add(next_count, Counter(1))] = row;
      }
    }
  }

 private:
  /// False where the memory is full: `next` and `merged` then say where to resume.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION bool merge_all(const Team& team, Ordinal row, const Shared& shared, Ordinal* columns,
                                             Scalar* values, Offset& next, Offset& merged, std::int64_t& filled) const {
    const Arrays& A  = operands.A;
    const Arrays& B  = operands.B;
    const Offset end = A.row_map[row + 1];
    for (; next < end; ++next, merged = 0) {
      const Ordinal inner = A.entries[next];
      const Scalar factor = operands.factor(A.values[next]);
      const Offset begin  = B.row_map[inner];
      const Offset length = B.row_map[inner + 1] - begin;
      if constexpr (Team::lane_width == 1) {
        if (!merge_alone(row, columns, values, B.entries + begin, B.values + begin, static_cast<std::int64_t>(length),
                         factor, filled))
          return false;
        continue;
      }
      for (; merged < length; merged += static_cast<Offset>(team.threads())) {
        const Offset own  = merged + static_cast<Offset>(team.thread());
        const bool exists = own < length && operands.mask.allows(row, B.entries[begin + own]);
        Ordinal column(0);
        Scalar value(0);
        std::int64_t position = 0;
        bool is_new           = false;
        if (exists) {
          column   = B.entries[begin + own];
          value    = operands.product(factor, B.values[begin + own]);
          position = lower_bound(columns, 0, filled, column);
          is_new   = position == filled || columns[position] != column;
        }
        int rank        = 0;
        const int added = rank_new(team, shared, is_new, rank);
        if (filled + added > memory.capacity) return false;
        if (exists && !is_new) operands.add(values[position], value);
        if (is_new) shared.positions[rank] = position;
        team.barrier();
        if (added > 0) shift_up(team, shared, columns, values, filled, added);
        if (is_new) {
          columns[position + rank] = column;
          values[position + rank]  = value;
        }
        filled += added;
        team.barrier();
      }
    }
    return true;
  }

  /// Merges a row of B by one thread, from the back. False, with nothing changed, where the memory does not suffice.
  KOKKOS_FORCEINLINE_FUNCTION bool merge_alone(Ordinal row, Ordinal* columns, Scalar* values, const Ordinal* more,
                                               const Scalar* factors, std::int64_t length, const Scalar& factor,
                                               std::int64_t& filled) const {
    std::int64_t added = 0;
    for (std::int64_t i = 0, j = 0; j < length; ++j) {
      if (!operands.mask.allows(row, more[j])) continue;
      while (i < filled && columns[i] < more[j]) ++i;
      if (i == filled || columns[i] != more[j]) ++added;
    }
    if (filled + added > memory.capacity) return false;
    std::int64_t i = filled - 1, j = length - 1;
    for (std::int64_t to = filled + added - 1; j >= 0; --to) {
      if constexpr (Operands::is_masked) {
        while (j >= 0 && !operands.mask.allows(row, more[j])) --j;
        if (j < 0) break;
      }
      if (i >= 0 && columns[i] >= more[j]) {
        const bool same = columns[i] == more[j];
        columns[to]     = columns[i];
        values[to]      = values[i];
        if (same) operands.add(values[to], operands.product(factor, factors[j]));
        --i;
        if (same) --j;
      } else {
        columns[to] = more[j];
        values[to]  = operands.product(factor, factors[j]);
        --j;
      }
    }
    filled += added;
    return true;
  }

  /// Returns how many threads have a new column; `rank`: how many of them stand in front of this one.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION int rank_new(const Team& team, const Shared& shared, bool is_new, int& rank) const {
    using lanes      = typename Team::lanes;
    using Mask       = typename lanes::Mask;
    const Mask mask  = lanes::ballot(is_new);
    const Mask lower = (Mask(1) << team.lane()) - 1;
    rank             = count_bits(mask & lower);
    if (team.lane() == 0) shared.totals[team.warp()] = count_bits(mask);
    team.barrier();
    int total = 0;
    for (int g = 0; g < team.warps(); ++g) {
      if (g == team.warp()) rank += total;
      total += shared.totals[g];
    }
    return total;
  }

  /// Moves nonzeros behind new columns up, from the back.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void shift_up(const Team& team, const Shared& shared, Ordinal* columns, Scalar* values,
                                            std::int64_t filled, int added) const {
    const std::int64_t lowest = shared.positions[0];
    for (std::int64_t top = filled; top > lowest; top -= team.threads()) {
      const std::int64_t from = top - 1 - team.thread();
      const bool moves        = from >= lowest;
      Ordinal column(0);
      Scalar value(0);
      std::int64_t to = 0;
      if (moves) {
        column = columns[from];
        value  = values[from];
        to     = from + upper_bound(shared.positions, 0, added, from);
      }
      team.barrier();
      if (moves) {
        columns[to] = column;
        values[to]  = value;
      }
      team.barrier();
    }
  }
};

}  // namespace lacuna::Impl

#endif
