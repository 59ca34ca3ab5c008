// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMBINS_HPP
#define LACUNA_SPGEMMBINS_HPP

#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSortRows.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmBinTable.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmBitonicRows.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmCopyRows.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmHeapRows.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmMergeRounds.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmUnsortedRows.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmRequest.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmResult.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief `SpgemmAlgorithm::bins`: paper 001, stage by stage. `bins_by_subwarps`: the same with fewer lanes a row, see
/// `SpgemmBinLanes`.
///
/// The plan runs stages 1 to 3 and keeps the temporary matrix. Rows of groups 2 to 4 have memory for their upper bound;
/// rows of group 5 grow, round by round. A product runs stage 3 again, in which every row has the memory that the plan
/// found it to need, and stage 4. A call without a plan takes the values that the plan left.
/// Where `memory_limit` does not allow memory for all rows at once, rows are computed in panels: stages 3 and 4 panel
/// by panel, where rows of group 5 have memory for their upper bound.

namespace lacuna::Impl {

/// Writes where the rows of a panel begin.
template <class Ordinal>
struct SpgemmPanelOffsets {
  const Ordinal* rows;
  std::int64_t capacity;
  std::int64_t* begin;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { begin[rows[i]] = i * capacity; }
};

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask, SpgemmBinLanes lanes>
class SpgemmBinsStorage {
  using Arrays  = CrsArraysOf<Matrix>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Space   = typename ExecutionSpace::memory_space;
  using Arena   = Impl::Arena<Space>;
  using Range   = ColumnRange<Ordinal>;
  using Memory  = SpgemmMergeMemory<Scalar, Ordinal>;
  using Context = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Target  = SpgemmTarget<Scalar, Ordinal, Offset>;
  using Rounds  = SpgemmMergeRounds<Scalar, Ordinal, Offset, ExecutionSpace>;
  using Copy    = SpgemmCopyRows<Scalar, Ordinal, Offset>;
  template <class T>
  using Array = typename Arena::template Array<T>;

 public:
  static constexpr bool writes_row_map_later = false;

  /// Waits once for the bins, once for each round, once for C.
  void build(const Context& context) {
    const ExecutionSpace& exec = context.exec;
    const Arrays& A            = context.A;
    const auto rows            = static_cast<std::int64_t>(A.rows);
    const auto start           = Clock::now();
    take_arena(context);
    zero_counters(exec, m_counters);
    find_spgemm_bounds(exec, A, context.B,
                       SpgemmBounds<Ordinal>{m_rows_of_b.data(), m_products.data(), m_ranges.data(), m_counts.data(),
                                             m_counters.data()});
    const SpgemmBinClassifier bins{m_products.data()};
    sort_into_classes<ExecutionSpace, SpgemmBinClassifier, Ordinal>(exec, "Lacuna::spgemm::count_bins", bins, rows,
                                                                    m_counters.data(), nullptr);
    sort_into_classes(exec, "Lacuna::spgemm::list_bins", bins, rows, m_counters.data(), m_list.data());
    Kokkos::parallel_scan("Lacuna::spgemm::bounds", index_range(exec, rows + 1),
                          LengthScan<std::int64_t, SpgemmBoundOfRow>{rows, m_begin.data(), {m_products.data()}});
    std::int64_t bounded = 0;
    Kokkos::deep_copy(exec, Kokkos::View<std::int64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&bounded),
                      Kokkos::View<std::int64_t, Space, Kokkos::MemoryUnmanaged>(m_begin.data() + rows));
    m_classes = read_counters(exec, m_counters);
    m_total   = static_cast<std::int64_t>(m_classes.sum);
    if (m_classes.not_ascending != 0) raise_unsorted_rows(exec, context.B, context.inner);
    context.expect_products(m_total);
    if (fits_whole(context, bounded)) {
      take_temporary_matrix(context, bounded);
      take_first_round(context);
    } else {
      take_panel(context);
    }
    m_seconds[0] = seconds_since(start);

    const auto stage3 = Clock::now();
    const SpgemmOperands<Arrays, PlusTimes<Scalar>, Mask> operands{.A = A, .B = context.B, .mask = context.mask};
    if (m_panel > 0) {
      run_panels(exec, operands, nullptr);
    } else {
      run_bounded(exec, operands);
      m_rounds.grow(context, operands);
    }
    row_map_of_counts(exec, rows, m_counts.data(), context.row_map);
    zero_counters(exec, m_counters);
    sort_into_classes<ExecutionSpace, SpgemmSumOfCounts<Ordinal>, Ordinal>(
        exec, "Lacuna::spgemm::sum_counts", {m_counts.data()}, rows, m_counters.data(), nullptr);
    m_nonzeros   = static_cast<std::int64_t>(read_counters(exec, m_counters).sum);
    m_seconds[1] = seconds_since(stage3);  // the only wait for the device
  }

  /// C = alpha A B. Does not fence, does not allocate.
  template <class Operands>
  void multiply(const ExecutionSpace& exec, const Operands& operands, const Target& target, bool values_of_plan) const {
    if (m_panel > 0) {
      run_panels(exec, operands, &target);
      return;
    }
    if (!values_of_plan) {
      run_bounded(exec, operands);
      m_rounds.run(exec, operands);
    }
    if constexpr (lanes == SpgemmBinLanes::published) {
      copy_bins(exec, SpgemmBinGroup::copy, 1, 1, target);
      copy_bins(exec, SpgemmBinGroup::sort, 2, merge_bin - 1, target);
    } else {
      copy_bins(exec, SpgemmBinGroup::sort, 1, merge_bin - 1, target);
    }
    int r = 0;
    for (const auto& round : m_rounds.all())
      spgemm_copy_rows(exec, Copy{round.rows.data(), round.count, 0, nullptr, m_state.round, r++, round.memory, target},
                       copy_shape(SpgemmBinGroup::merge));
  }

  /// Bytes that are needed before anything is known about the rows.
  static std::size_t least_bytes(const Arrays& A, const Arrays& B) {
    const auto rows = static_cast<std::int64_t>(A.rows), rows_b = static_cast<std::int64_t>(B.rows);
    return Arena::template bytes_for<SpgemmCounters, SpgemmRowOfB<Ordinal>, Counter, Range, Ordinal, Ordinal,
                                     std::int64_t, Offset, Offset, Ordinal, Ordinal, int>(
        1, rows_b, rows, rows, rows, rows, rows + 1, rows, rows, rows, rows, rows);
  }
  /// What was published is not replaced by kept products unasked.
  double call_seconds(const Device&, const Context&) const { return 0; }
  std::size_t bytes() const { return m_arena.bytes(); }
  std::size_t temporary_bytes() const { return m_temporary.bytes() + m_rounds.bytes(); }
  bool shareable() const { return false; }
  std::int64_t nonzeros() const { return m_nonzeros; }
  std::int64_t products() const { return m_total; }
  /// Rounds that rows of group 5 took.
  std::int64_t rounds() const { return static_cast<std::int64_t>(m_rounds.all().size()); }

  std::string describe() const {
    std::array<std::int64_t, 5> groups{};
    for (int b = 0; b < spgemm_bin_count; ++b)
      groups[static_cast<std::size_t>(spgemm_bins[static_cast<std::size_t>(b)].group)] += m_classes.count(b);
    return "  rows        " + std::to_string(groups[0]) + " empty, " + std::to_string(groups[1]) + " of one product, " +
           std::to_string(groups[2]) + " by heap, " + std::to_string(groups[3]) + " by bitonic sort, " +
           std::to_string(groups[4]) + " by merge in " + std::to_string(rounds()) + " rounds" +
           (m_panel > 0 ? ", in panels of " + std::to_string(m_panel) + " products" : "") +
           "\n  stages      bounds and bins " + time_text(m_seconds[0]) + ", rows and row map " +
           time_text(m_seconds[1]) + "\n";
  }

 private:
  using Clock                      = std::chrono::steady_clock;
  static constexpr const char* who = "SpgemmPlan";

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  void take_arena(const Context& context) {
    const auto rows     = static_cast<std::int64_t>(context.A.rows);
    const auto rows_b   = static_cast<std::int64_t>(context.B.rows);
    const std::size_t n = least_bytes(context.A, context.B);
    context.budget.take("the bins", n);
    m_arena           = Arena(who, context.exec, "Lacuna::spgemm::bins", n);
    m_counters        = m_arena.template take<SpgemmCounters>(1);
    m_rows_of_b       = m_arena.template take<SpgemmRowOfB<Ordinal>>(rows_b);
    m_products        = m_arena.template take<Counter>(rows);
    m_ranges          = m_arena.template take<Range>(rows);
    m_counts          = m_arena.template take<Ordinal>(rows);
    m_list            = m_arena.template take<Ordinal>(rows);
    m_begin           = m_arena.template take<std::int64_t>(rows + 1);
    m_state.next_of_a = m_arena.template take<Offset>(rows).data();
    m_state.next_of_b = m_arena.template take<Offset>(rows).data();
    m_state.filled    = m_arena.template take<Ordinal>(rows).data();
    m_state.slot      = m_arena.template take<Ordinal>(rows).data();
    m_state.round     = m_arena.template take<int>(rows).data();
  }

  void take_temporary_matrix(const Context& context, std::int64_t bounded) {
    if (bounded == 0) return;
    const std::size_t n = Arena::template bytes_for<Ordinal, Scalar>(bounded, bounded);
    context.budget.take("the temporary matrix of short rows", n);
    m_temporary = Arena(who, context.exec, "Lacuna::spgemm::temporary_matrix", n);
    m_entries   = m_temporary.template take<Ordinal>(bounded);
    m_values    = m_temporary.template take<Scalar>(bounded);
  }

  /// Before any row is merged, so that what does not fit even that is said at once.
  void take_first_round(const Context& context) {
    m_rounds.begin(context, {m_state, m_counters, m_counts.data()}, m_list.data() + m_classes.first(merge_bin),
                   m_classes.count(merge_bin));
  }

  static constexpr int merge_bin = spgemm_bin_count - 1;

  /// Nonzeros that a row of bin `b` has memory for. Rows of group 5 never need more than their products, nor more than
  /// C has columns.
  std::int64_t capacity_of_row(int b, std::int64_t columns) const {
    return b == merge_bin ? std::min(static_cast<std::int64_t>(m_classes.largest), columns)
                          : spgemm_bins[static_cast<std::size_t>(b)].last;
  }
  /// Whether the limit allows memory for all rows at once, however far rows of group 5 grow.
  bool fits_whole(const Context& context, std::int64_t bounded) const {
    if (context.budget.limit() == unlimited) return true;
    const std::int64_t long_rows = m_classes.count(merge_bin);
    std::size_t bytes            = bounded > 0 ? Arena::template bytes_for<Ordinal, Scalar>(bounded, bounded) : 0;
    if (long_rows > 0)
      bytes += Rounds::most_bytes(long_rows, capacity_of_row(merge_bin, static_cast<std::int64_t>(context.B.columns)),
                                  bytes, context.budget);
    return context.budget.fits(bytes);
  }
  /// Allocates a panel, as large as the limit allows. \throws OutOfMemory where it does not allow one row.
  void take_panel(const Context& context) {
    const auto columns = static_cast<std::int64_t>(context.B.columns);
    std::int64_t all   = 0;
    for (int b = 1; b < spgemm_bin_count; ++b) {
      const std::int64_t capacity_of_one = capacity_of_row(b, columns);
      all += checked_product(who, m_classes.count(b), capacity_of_one);
      if (m_classes.count(b) > 0) m_panel = std::max(m_panel, capacity_of_one);
    }
    const auto needed = [](std::int64_t elements) {
      return Arena::template bytes_for<Ordinal, Scalar>(elements, elements);
    };
    // The alignment of an arena of two arrays takes up to three times `alignment`.
    const std::size_t left     = context.budget.left() - std::min(context.budget.left(), 3 * Arena::alignment);
    const std::size_t capacity = left / (sizeof(Ordinal) + sizeof(Scalar));
    m_panel = std::max(m_panel, capacity < static_cast<std::size_t>(all) ? static_cast<std::int64_t>(capacity) : all);
    context.budget.take("the temporary matrix of one row at least", needed(m_panel));
    m_temporary = Arena(who, context.exec, "Lacuna::spgemm::temporary_matrix", needed(m_panel));
    m_entries   = m_temporary.template take<Ordinal>(m_panel);
    m_values    = m_temporary.template take<Scalar>(m_panel);
  }

  /// Runs stage 3 in panels of rows of one bin, and stage 4 behind each panel if there is a C.
  template <class Operands>
  void run_panels(const ExecutionSpace& exec, const Operands& operands, const Target* target) const {
    using Merge = SpgemmMergeRows<Operands>;
    const Memory memory{m_entries.data(), m_values.data(), 0};
    for (int b = spgemm_bin_count - 1; b > 0; --b) {
      const std::int64_t capacity = capacity_of_row(b, static_cast<std::int64_t>(operands.B.columns));
      const std::int64_t at_once  = m_panel / capacity;
      for (std::int64_t first = 0; first < m_classes.count(b); first += at_once) {
        const std::int64_t count = std::min(at_once, m_classes.count(b) - first);
        const Ordinal* rows      = m_list.data() + m_classes.first(b) + first;
        for_each_index(exec, "Lacuna::spgemm::panel", count,
                       SpgemmPanelOffsets<Ordinal>{rows, capacity, m_begin.data()});
        if (b == merge_bin) {
          const Memory panel{memory.entries, memory.values, capacity};
          launch_teams<Merge::team>(exec, "Lacuna::spgemm::merge", {count, Merge::team}, Merge::fixed_bytes,
                                    Merge{operands, rows, count, m_state, 0, true, false, panel, Memory{}, nullptr,
                                          nullptr, m_counts.data()});
        } else {
          IndependentLaunches<ExecutionSpace> alone(exec);
          run_bin(alone, operands, b, rows, count);
        }
        if (target != nullptr)
          spgemm_copy_rows(exec, Copy{rows, count, 0, m_begin.data(), nullptr, 0, memory, *target},
                           copy_shape(spgemm_bins[static_cast<std::size_t>(b)].group));
      }
    }
  }

  /// Runs rows of a bin of groups 2 to 4.
  template <class Operands>
  void run_bin(IndependentLaunches<ExecutionSpace>& launches, const Operands& operands, int b, const Ordinal* rows,
               std::int64_t count) const {
    const SpgemmTarget<Scalar, Ordinal, std::int64_t> target{m_begin.data(), m_entries.data(), m_values.data(),
                                                             m_counts.data()};
    const SpgemmBin& bin = spgemm_bins[static_cast<std::size_t>(b)];
    const int capacity   = static_cast<int>(bin.last);
    if (bin.group == SpgemmBinGroup::heap || bin.group == SpgemmBinGroup::copy) {
      spgemm_heap_rows(launches, operands, rows, count, capacity, target);
    } else if constexpr (lanes == SpgemmBinLanes::published) {
      spgemm_bitonic_rows(launches, operands, rows, count, capacity, target);
    } else {
      const SpgemmSortClass<Ordinal> one{rows, count, capacity};
      spgemm_sort_rows<true>(launches, operands, m_ranges.data(), &one, 1, target);
    }
  }

  /// Runs groups 2 to 4, bin by bin.
  template <class Operands>
  void run_bounded(const ExecutionSpace& exec, const Operands& operands) const {
    IndependentLaunches<ExecutionSpace> launches(exec);
    for (int b = spgemm_bin_count - 2; b > 0; --b)
      if (const std::int64_t count = m_classes.count(b); count > 0)
        run_bin(launches, operands, b, m_list.data() + m_classes.first(b), count);
  }

  static constexpr SpgemmCopyShape copy_shape(SpgemmBinGroup group) {
    return spgemm_copy_shape<ExecutionSpace, SpgemmMergeRows<SpgemmOperands<Arrays>>::team>(lanes, group);
  }
  /// Copies the rows of bins `first` to `last`, as those of `group`.
  void copy_bins(const ExecutionSpace& exec, SpgemmBinGroup group, int first, int last, const Target& target) const {
    const std::int64_t begin = m_classes.first(first);
    spgemm_copy_rows(exec,
                     Copy{m_list.data() + begin, m_classes.first(last + 1) - begin, 0, m_begin.data(), nullptr, 0,
                          Memory{m_entries.data(), m_values.data(), 0}, target},
                     copy_shape(group));
  }

  SpgemmCounters m_classes{};
  std::int64_t m_total    = 0;
  std::int64_t m_nonzeros = 0;
  std::int64_t m_panel    = 0;  ///< products of a panel; 0: all rows are computed at once
  std::array<double, 2> m_seconds{};
  Arena m_arena, m_temporary;
  Array<SpgemmCounters> m_counters;
  Array<SpgemmRowOfB<Ordinal>> m_rows_of_b;
  Array<Range> m_ranges;
  Array<Counter> m_products;
  Array<Ordinal> m_counts, m_list, m_entries;
  Array<std::int64_t> m_begin;
  Array<Scalar> m_values;
  SpgemmMergeState<Ordinal, Offset> m_state{};
  Rounds m_rounds;
};

/// \brief 001: rows in bins by their upper bound. Rows of B must be sorted. `automatic` does not take it.
template <SpgemmAlgorithm algorithm, SpgemmBinLanes lanes>
struct SpgemmBinsWith {
  static constexpr SpgemmAlgorithm id = algorithm;

  static Support supports(const Device&, const SpgemmRequest&) { return {}; }
  static Estimate estimate(const Device&, const SpgemmInspection&, const SpgemmRequest& request) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {.call_seconds = request.asks_for(id) ? 0.0 : infinity, .reason = "published, taken by name alone"};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
  using Storage = SpgemmBinsStorage<Matrix, ExecutionSpace, Mask, lanes>;
};
using SpgemmBins           = SpgemmBinsWith<SpgemmAlgorithm::bins, SpgemmBinLanes::published>;
using SpgemmBinsBySubwarps = SpgemmBinsWith<SpgemmAlgorithm::bins_by_subwarps, SpgemmBinLanes::subwarps>;

}  // namespace lacuna::Impl

#endif
