// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMMERGEROUNDS_HPP
#define LACUNA_SPGEMMMERGEROUNDS_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmMergeRows.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmResult.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// \file
/// \brief Rows of group 5 of paper 001, by the progressive method: a row that outgrows its memory is put aside, and the
/// next round, in which each row has twice as much, resumes the merge.

namespace lacuna::Impl {

template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
class SpgemmMergeRounds {
  using Space  = typename ExecutionSpace::memory_space;
  using Arena  = Impl::Arena<Space>;
  using Memory = SpgemmMergeMemory<Scalar, Ordinal>;
  template <class T>
  using Array = typename Arena::template Array<T>;

  /// Nonzeros for which a row has memory in the first round. Not tuned.
  static constexpr std::int64_t first_capacity = 1024;
  static constexpr const char* who             = "SpgemmPlan";

 public:
  struct Round {
    Arena arena;
    Array<Ordinal> rows;
    std::int64_t count = 0;
    Memory memory;
  };
  /// What the storage owns: the progress of rows, their nonzeros, and a counter of rows that are put aside.
  struct SharedState {
    SpgemmMergeState<Ordinal, Offset> state{};
    Array<SpgemmCounters> counters;
    Ordinal* counts = nullptr;
  };

  /// Upper bound of the bytes that `rows` rows of up to `most` nonzeros may take as they grow. Counting stops where
  /// these and `beside` no longer fit the budget.
  static std::size_t most_bytes(std::int64_t rows, std::int64_t most, std::size_t beside, const MemoryBudget& budget) {
    std::size_t bytes = Arena::template bytes_for<Ordinal>(rows);
    for (std::int64_t capacity = first_capacity;; capacity *= 2) {
      bytes += bytes_of_round(rows, capacity);
      if (capacity >= most || !budget.fits(beside + bytes)) return bytes;
    }
  }

  /// Takes the memory of the first round, of the `count` rows of `list`.
  template <class Context>
  void begin(const Context& context, const SharedState& shared, const Ordinal* list, std::int64_t count) {
    m_shared = shared;
    if (count == 0) return;
    take_list(context, count);
    add_round(context, list, count, first_capacity);
  }
  /// Merges these rows until all are complete. Waits once for each round.
  template <class Context, class Operands>
  void grow(const Context& context, const Operands& operands) {
    for (std::int64_t count = m_rounds.empty() ? 0 : m_rounds.front().count; count > 0;) {
      zero_counters(context.exec, m_shared.counters);
      run(context.exec, operands, m_rounds.size() - 1, true);
      count = static_cast<std::int64_t>(read_counters(context.exec, m_shared.counters).sum);
      if (count > 0) add_round(context, m_next_rows.data(), count, 2 * m_rounds.back().memory.capacity);
    }
  }

  /// Merges again with other values: every row has the memory that it was found to need.
  template <class Operands>
  void run(const ExecutionSpace& exec, const Operands& operands) const {
    for (std::size_t r = 0; r < m_rounds.size(); ++r) run(exec, operands, r, false);
  }

  const std::vector<Round>& all() const { return m_rounds; }
  std::size_t bytes() const {
    std::size_t bytes = m_list_arena.bytes();
    for (const Round& round : m_rounds) bytes += round.arena.bytes();
    return bytes;
  }

 private:
  static std::size_t bytes_of_round(std::int64_t rows, std::int64_t capacity) {
    const std::int64_t elements = checked_product(who, rows, capacity);
    return Arena::template bytes_for<Ordinal, Scalar, Ordinal>(elements, elements, rows);
  }

  template <class Context>
  void take_list(const Context& context, std::int64_t rows) {
    const std::size_t bytes = Arena::template bytes_for<Ordinal>(rows);
    context.budget.take("the list of long rows", bytes);
    m_list_arena = Arena(who, context.exec, "Lacuna::spgemm::next_rows", bytes);
    m_next_rows  = m_list_arena.template take<Ordinal>(rows);
  }

  template <class Context>
  void add_round(const Context& context, const Ordinal* rows, std::int64_t count, std::int64_t capacity) {
    Round round;
    const std::size_t bytes     = bytes_of_round(count, capacity);
    const std::int64_t elements = count * capacity;
    context.budget.take("the temporary matrix of long rows", bytes);
    round.arena  = Arena(who, context.exec, "Lacuna::spgemm::long_rows", bytes);
    round.memory = {round.arena.template take<Ordinal>(elements).data(),
                    round.arena.template take<Scalar>(elements).data(), capacity};
    round.rows   = round.arena.template take<Ordinal>(count);
    round.count  = count;
    Kokkos::deep_copy(
        context.exec, round.rows,
        Kokkos::View<const Ordinal*, Space, Kokkos::MemoryUnmanaged>(rows, static_cast<std::size_t>(count)));
    m_rounds.push_back(std::move(round));
  }

  /// Runs round r. `grows`: rows that outgrow it are put aside.
  template <class Operands>
  void run(const ExecutionSpace& exec, const Operands& operands, std::size_t r, bool grows) const {
    using Merge               = SpgemmMergeRows<Operands>;
    const Round& round        = m_rounds[r];
    const auto needed         = static_cast<std::size_t>(round.memory.capacity) * Merge::bytes_per_nonzero;
    const bool in_scratch     = needed + Merge::fixed_bytes <= largest_scratch(exec);
    const std::size_t scratch = Merge::fixed_bytes + (in_scratch ? needed : 0);
    const Memory before       = r > 0 ? m_rounds[r - 1].memory : Memory{};
    launch_teams<Merge::team>(
        exec, "Lacuna::spgemm::merge", {round.count, Merge::team}, scratch,
        Merge{operands, round.rows.data(), round.count, m_shared.state, static_cast<int>(r), grows, in_scratch,
              round.memory, before, m_next_rows.data(), &m_shared.counters.data()->sum, m_shared.counts});
  }

  SharedState m_shared;
  Arena m_list_arena;
  Array<Ordinal> m_next_rows;  // that a round puts aside
  std::vector<Round> m_rounds;
};

}  // namespace lacuna::Impl

#endif
