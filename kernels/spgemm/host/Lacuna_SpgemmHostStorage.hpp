// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTSTORAGE_HPP
#define LACUNA_SPGEMMHOSTSTORAGE_HPP

#include <Lacuna_SpgemmOptions.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmMaskRows.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostRows.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmResult.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief `SpgemmAlgorithm::row_classes` on hosts: rows are looked at, counted and added by threads, a row at a time.

namespace lacuna::Impl {

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
class SpgemmHostStorage {
  using Arrays    = CrsArraysOf<Matrix>;
  using Scalar    = typename Arrays::Scalar;
  using Ordinal   = typename Arrays::Ordinal;
  using Offset    = typename Arrays::Offset;
  using Space     = typename ExecutionSpace::memory_space;
  using Room      = Arena<Space>;
  using Context   = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Counting  = SpgemmOperands<Arrays, PlusTimes<Scalar>, Mask>;
  using Pattern   = SpgemmHostPattern<Counting>;
  using Range     = ColumnRange<Ordinal>;
  using RowOfB    = SpgemmRowOfB<Ordinal>;
  using Found     = SpgemmHostFound<Ordinal, Offset>;
  using Workspace = SpgemmHostWorkspace<Scalar, Ordinal>;
  using Policy    = SpgemmHostPolicy;
  using Target    = SpgemmTarget<Scalar, Ordinal, Offset>;
  template <class T>
  using Array = typename Room::template Array<T>;

 public:
  static constexpr SpgemmAlgorithm id        = SpgemmAlgorithm::row_classes;
  static constexpr bool writes_row_map_later = false;

  /// Fills `row_map` (rows of A + 1); the nonzeros of C. Waits for counts.
  std::int64_t build(const Context& context, Offset* row_map) {
    const ExecutionSpace& exec = context.exec;
    const auto rows            = static_cast<std::int64_t>(context.A.rows);
    const Counting counting{.A = context.A, .B = context.B, .mask = context.mask};
    take_room(context);
    look(context, counting);
    pack(context);
    take_workspace(context);
    run<false>(exec, counting, Target{nullptr, nullptr, nullptr, m_counts.data()});
    Kokkos::parallel_scan(
        "Lacuna::spgemm::row_map", IndexRange<ExecutionSpace>(exec, 0, rows + 1),
        LengthScan<Offset, LengthOfRow<Ordinal>>{rows, row_map, LengthOfRow<Ordinal>{m_counts.data()}}, m_nonzeros);
    exec.fence("Lacuna::spgemm: nonzeros of C");
    return m_nonzeros();
  }

  /// C = alpha A B. Does not fence, does not allocate.
  template <class Operands>
  void multiply(const ExecutionSpace& exec, const Operands& operands, const Target& target,
                bool /*values_of_plan*/) const {
    if (m_of_c.sum > 0) run<true>(exec, operands, target);
  }

  /// Bytes that are needed before anything is known of the rows.
  static std::size_t least_bytes(const Arrays& A, const Arrays& B) {
    return room_bytes(static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(B.rows));
  }
  std::size_t bytes() const { return m_room.bytes() + m_packed_room.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace_room.bytes(); }
  std::int64_t products() const { return m_of_c.sum; }

  std::string describe() const {
    return "  rows        by " + std::to_string(m_threads) + " host threads, each with a dense row of " +
           std::to_string(m_workspace.words * Pattern::bits) + " columns" +
           (m_workspace.together > 1 ? " for each of up to " + std::to_string(m_workspace.together) + " equal rows"
                                     : "") +
           (m_found.packed != nullptr ? ", B in words" : "") + "\n";
  }

 private:
  using StatisticsView = Kokkos::View<SpgemmHostStatistics, Space, Kokkos::MemoryUnmanaged>;
  using TotalView      = Kokkos::View<std::int64_t, Space, Kokkos::MemoryUnmanaged>;

  static constexpr const char* who   = "SpgemmPlan";
  static constexpr int most_together = Counting::is_masked ? 1 : Policy::most_together;

  static std::size_t room_bytes(std::int64_t rows, std::int64_t rows_b) {
    return Room::template bytes_for<SpgemmHostStatistics, std::int64_t, RowOfB, Range, Ordinal, unsigned char>(
        2, 1, rows_b, rows, rows, rows);
  }

  void take_room(const Context& context) {
    const auto rows     = static_cast<std::int64_t>(context.A.rows);
    const auto rows_b   = static_cast<std::int64_t>(context.B.rows);
    const std::size_t n = room_bytes(rows, rows_b);
    context.budget.take("the analysis of rows", n);
    m_room       = Room(who, context.exec, "Lacuna::spgemm::rows", n);
    m_statistics = m_room.template take<SpgemmHostStatistics>(2);
    m_nonzeros   = TotalView(m_room.template take<std::int64_t>(1).data());
    m_rows_of_b  = m_room.template take<RowOfB>(rows_b);
    m_ranges     = m_room.template take<Range>(rows);
    m_counts     = m_room.template take<Ordinal>(rows);
    m_repeats    = m_room.template take<unsigned char>(rows);
  }

  /// Looks at all rows. Waits once.
  void look(const Context& context, const Counting& counting) {
    const ExecutionSpace& exec = context.exec;
    Kokkos::parallel_reduce(
        "Lacuna::spgemm::rows_of_b", IndexRange<ExecutionSpace>(exec, 0, static_cast<std::int64_t>(context.B.rows)),
        SpgemmHostLookAtB<Arrays>(context.B, m_rows_of_b.data()), StatisticsView(m_statistics.data()));
    Kokkos::parallel_reduce(
        "Lacuna::spgemm::row_bounds", IndexRange<ExecutionSpace>(exec, 0, static_cast<std::int64_t>(context.A.rows)),
        SpgemmHostLookAtA<Counting>(counting, m_rows_of_b.data(), m_ranges.data(), m_repeats.data()),
        StatisticsView(m_statistics.data() + 1));
    exec.fence("Lacuna::spgemm: counts of rows");
    m_of_b           = m_statistics(0);
    m_of_c           = m_statistics(1);
    m_found.ranges   = m_ranges.data();
    m_found.repeats  = m_of_c.repeats && !Counting::is_masked ? m_repeats.data() : nullptr;
    m_found.is_mixed = m_of_b.unordered;
  }

  /// The pattern of B in words, where that is shorter than its columns and read often enough.
  void pack(const Context& context) {
    const Arrays& B     = context.B;
    const auto nonzeros = static_cast<double>(B.nonzeros);
    const auto rows     = static_cast<std::int64_t>(B.rows);
    if (static_cast<double>(m_of_b.sum) > Policy::most_packed * nonzeros) return;
    if (static_cast<double>(m_of_c.sum) < Policy::products_per_packed * nonzeros) return;
    const std::size_t n = Room::template bytes_for<Offset, SpgemmHostWord>(rows + 1, m_of_b.sum);
    if (!context.budget.fits(n)) return;
    context.budget.take("B in words", n);
    m_packed_room    = Room(who, context.exec, "Lacuna::spgemm::packed_words", n);
    const auto begin = m_packed_room.template take<Offset>(rows + 1);
    const auto words = m_packed_room.template take<SpgemmHostWord>(m_of_b.sum);
    Kokkos::parallel_scan("Lacuna::spgemm::words_of_b", IndexRange<ExecutionSpace>(context.exec, 0, rows + 1),
                          LengthScan<Offset, SpgemmHostWordsOfRow<Ordinal>>{rows, begin.data(), {m_rows_of_b.data()}});
    for_each_index(context.exec, "Lacuna::spgemm::pack_words", rows,
                   SpgemmHostPackWords<Arrays>{B, begin.data(), words.data()});
    m_found.first_word = begin.data();
    m_found.packed     = words.data();
    m_found.rows_of_b  = m_of_b.repeats ? m_rows_of_b.data() : nullptr;
  }

  void take_workspace(const Context& context) {
    const std::int64_t words = m_workspace.words = m_of_c.largest;
    m_workspace.dense =
        std::min(words, Policy::dense_bytes / static_cast<std::int64_t>(Pattern::bits * sizeof(Scalar)));
    m_workspace.together = m_of_c.repeats ? most_together : 1;
    m_threads            = std::max<std::int64_t>(1, context.exec.concurrency());
    const auto sums      = [&] { return m_threads * m_workspace.dense * Pattern::bits * m_workspace.together; };
    const auto bytes     = [&] {
      return Room::template bytes_for<Counter, std::uint64_t, Ordinal, Ordinal, Scalar>(
          1, m_threads * Pattern::length(words), m_threads * (words + 1), m_threads * words, sums());
    };
    if (!context.budget.fits(bytes())) m_workspace.together = 1;
    while (m_threads > 1 && !context.budget.fits(bytes())) --m_threads;
    if (!context.budget.fits(bytes())) m_workspace.dense = 0;
    const std::size_t n = bytes();
    context.budget.take("bitmaps and dense rows of the threads", n);
    m_workspace_room    = Room(who, context.exec, "Lacuna::spgemm::dense_rows", n);
    m_next              = m_workspace_room.template take<Counter>(1);
    const auto bitmaps  = m_workspace_room.template take<std::uint64_t>(m_threads * Pattern::length(words));
    m_workspace.next    = m_next.data();
    m_workspace.bits    = bitmaps.data();
    m_workspace.touched = m_workspace_room.template take<Ordinal>(m_threads * (words + 1)).data();
    m_workspace.before  = m_workspace_room.template take<Ordinal>(m_threads * words).data();
    m_workspace.sums    = m_workspace_room.template take<Scalar>(sums()).data();
    Kokkos::deep_copy(context.exec, bitmaps, std::uint64_t(0));
  }

  template <bool Numeric, class Operands>
  void run(const ExecutionSpace& exec, const Operands& operands, const Target& target) const {
    Kokkos::deep_copy(exec, m_next, Counter(0));
    for_each_index(exec, Numeric ? "Lacuna::spgemm::host_rows" : "Lacuna::spgemm::count_host_rows", m_threads,
                   SpgemmHostRows<Numeric, Operands>{operands, m_found, m_workspace, target});
  }

  SpgemmHostStatistics m_of_b, m_of_c;
  Found m_found;
  Workspace m_workspace;
  std::int64_t m_threads = 0;
  Room m_room, m_packed_room, m_workspace_room;
  Array<SpgemmHostStatistics> m_statistics;
  TotalView m_nonzeros;
  Array<RowOfB> m_rows_of_b;
  Array<Range> m_ranges;
  Array<Ordinal> m_counts;
  Array<unsigned char> m_repeats;
  Array<Counter> m_next;
};

}  // namespace lacuna::Impl

#endif
