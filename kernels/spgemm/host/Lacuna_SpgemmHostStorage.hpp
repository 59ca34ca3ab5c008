// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTSTORAGE_HPP
#define LACUNA_SPGEMMHOSTSTORAGE_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_HugePages.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmMaskRows.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostRows.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmRequest.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmResult.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmStorage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// \brief `SpgemmAlgorithm::row_classes` on hosts: threads inspect, count and add rows, a row at a time.

namespace lacuna::Impl {

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
class SpgemmHostStorage {
  using Arrays   = CrsArraysOf<Matrix>;
  using Scalar   = typename Arrays::Scalar;
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;
  using Space    = typename ExecutionSpace::memory_space;
  using Arena    = Impl::Arena<Space>;
  using Context  = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Counting = SpgemmOperands<Arrays, PlusTimes<Scalar>, Mask>;
  using Range    = ColumnRange<Ordinal>;
  using RowOfB   = SpgemmRowOfB<Ordinal>;
  using Analysis = SpgemmHostAnalysis<Ordinal, Offset>;
  using Scratch  = SpgemmHostScratch<Counting>;
  using Policy   = SpgemmHostPolicy;
  using Target   = SpgemmTarget<Scalar, Ordinal, Offset>;
  template <class T>
  using Array = typename Arena::template Array<T>;

 public:
  static constexpr bool writes_row_map_later = false;
  static constexpr bool adds_d               = true;

  /// Waits for counts.
  void build(const Context& context) {
    const ExecutionSpace& exec = context.exec;
    const auto rows            = static_cast<std::int64_t>(context.A.rows);
    const Counting counting{.A = context.A, .B = context.B, .mask = context.mask};
    take_arena(context);
    inspect(context, counting);
    context.expect_products(m_of_c.sum);
    pack(context);
    take_scratch(context);
    m_list = room_for_columns(context);
    run<false>(exec, counting, context.added, Target{nullptr, nullptr, nullptr, m_counts.data()});
    Kokkos::parallel_scan(
        "Lacuna::spgemm::row_map", index_range(exec, rows + 1),
        LengthScan<Offset, StoredLength<Ordinal>>{rows, context.row_map, StoredLength<Ordinal>{m_counts.data()}},
        m_nonzeros);
    exec.fence("Lacuna::spgemm: nonzeros of C");
    if (!context.is_for_one_call) keep_columns(context);
  }

  /// C = alpha A B. Does not fence, does not allocate.
  template <class Operands>
  void multiply(const ExecutionSpace& exec, const Operands& operands, const Target& target,
                bool /*values_of_plan*/) const {
    if (m_of_c.sum > 0) run<true>(exec, operands, {}, target);
  }
  /// C = alpha A B + beta D of a plan that was built for D. The same else.
  template <class Operands>
  void multiply_and_add(const ExecutionSpace& exec, const Operands& operands, const SpgemmAddend<Arrays>& addend,
                        const Target& target) const {
    if (m_of_c.sum > 0) run<true>(exec, operands, addend, target);
  }

  /// An estimate, after `build`.
  double call_seconds(const Device& device, const Context& context) const {
    const SpgemmHostWork work{.nonzeros        = nonzeros(),
                              .rows_of_b       = static_cast<std::int64_t>(context.A.nonzeros),
                              .words           = m_of_c.words,
                              .products        = m_of_c.sum,
                              .wide_products   = m_of_c.wide_products,
                              .table_rows      = m_of_c.table_rows,
                              .table_products  = m_of_c.table_products,
                              .ranked_products = m_analysis.any_order ? 0 : m_of_c.table_products};
    return device.launch_seconds + Policy::seconds(work) / static_cast<double>(m_threads);
  }

  /// Bytes that are needed before anything is known about the rows.
  static std::size_t least_bytes(const Arrays& A, const Arrays& B) {
    return arena_bytes(static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(B.rows));
  }
  std::size_t bytes() const { return m_arena.bytes() + m_packed_arena.bytes() + m_columns_arena.bytes(); }
  std::size_t temporary_bytes() const { return m_scratch_arena.bytes() + m_listed_arena.bytes(); }
  bool shareable() const { return false; }
  std::int64_t nonzeros() const { return m_nonzeros(); }
  std::int64_t products() const { return m_of_c.sum; }

  std::string describe() const {
    return "  rows        by " + std::to_string(m_threads) + " host threads, each with a dense row of " +
           std::to_string(m_scratch.words * host_word_columns) + " columns" +
           (m_scratch.inode_rows > 1 ? " for each of up to " + std::to_string(m_scratch.inode_rows) + " equal rows"
                                     : "") +
           (m_scratch.slots > 0 ? ", or a hash table of " + std::to_string(m_scratch.slots) + " words" : "") +
           (m_analysis.packed != nullptr ? ", B in words" : "") + (m_columns.size() > 0 ? ", columns of C kept" : "") +
           "\n";
  }

 private:
  using StatisticsView = Kokkos::View<SpgemmHostStatistics, Space, Kokkos::MemoryUnmanaged>;
  using TotalView      = Kokkos::View<std::int64_t, Space, Kokkos::MemoryUnmanaged>;

  static constexpr const char* who     = "SpgemmPlan";
  static constexpr int most_inode_rows = Counting::is_masked ? 1 : Policy::most_inode_rows;

  static std::size_t arena_bytes(std::int64_t rows, std::int64_t rows_b) {
    return Arena::template bytes_for<SpgemmHostStatistics, std::int64_t, RowOfB, bool, Range, Ordinal, unsigned char>(
        2, 1, rows_b, rows_b, rows, rows, rows);
  }

  void take_arena(const Context& context) {
    const auto rows     = static_cast<std::int64_t>(context.A.rows);
    const auto rows_b   = static_cast<std::int64_t>(context.B.rows);
    const std::size_t n = arena_bytes(rows, rows_b);
    context.budget.take("the analysis of rows", n);
    m_arena      = Arena(who, context.exec, "Lacuna::spgemm::rows", n);
    m_statistics = m_arena.template take<SpgemmHostStatistics>(2);
    m_nonzeros   = TotalView(m_arena.template take<std::int64_t>(1).data());
    m_rows_of_b  = m_arena.template take<RowOfB>(rows_b);
    m_shifts     = m_arena.template take<bool>(rows_b);
    m_ranges     = m_arena.template take<Range>(rows);
    m_counts     = m_arena.template take<Ordinal>(rows);
    m_flags      = m_arena.template take<unsigned char>(rows);
  }

  /// Inspects all rows. Waits once.
  void inspect(const Context& context, const Counting& counting) {
    const ExecutionSpace& exec = context.exec;
    const auto rows            = static_cast<std::int64_t>(context.A.rows);
    m_analysis.any_order       = !context.sorted && !Counting::is_masked;
    Kokkos::parallel_reduce("Lacuna::spgemm::rows_of_b", index_range(exec, static_cast<std::int64_t>(context.B.rows)),
                            SpgemmHostInspectB<Arrays>(context.B, m_rows_of_b.data(), m_shifts.data()),
                            StatisticsView(m_statistics.data()));
    Kokkos::parallel_reduce("Lacuna::spgemm::row_bounds", index_range(exec, static_cast<std::int64_t>(context.A.rows)),
                            SpgemmHostInspectA<Counting>(counting, context.added, m_rows_of_b.data(), m_shifts.data(),
                                                         m_ranges.data(), m_flags.data(), m_analysis.any_order),
                            StatisticsView(m_statistics.data() + 1));
    exec.fence("Lacuna::spgemm: counts of rows");
    m_of_b                = m_statistics(0);
    m_of_c                = m_statistics(1);
    m_analysis.ranges     = m_ranges.data();
    m_analysis.flags      = m_flags.data();
    m_analysis.has_inodes = m_of_c.repeats && !Counting::is_masked;
    // Rows that ascend strictly are sorted and have no duplicates. Which of the two fails is not distinguished.
    m_analysis.unsorted       = m_of_b.not_ascending;
    m_analysis.has_duplicates = m_of_b.not_ascending;
    m_analysis.looks_ahead    = 2 * m_of_c.scattered > rows;
  }

  /// Packs the pattern of B into words, if they are fewer than nonzeros and read often enough.
  void pack(const Context& context) {
    if constexpr (sizeof(Ordinal) < 4) return;  // a row with duplicates may have more words than it counts
    const Arrays& B     = context.B;
    const auto nonzeros = static_cast<double>(B.nonzeros);
    const auto rows     = static_cast<std::int64_t>(B.rows);
    if (static_cast<double>(m_of_b.sum) > Policy::most_packed * nonzeros) return;
    const double saved = static_cast<double>(m_of_c.counted) * (1 - static_cast<double>(m_of_b.sum) / nonzeros);
    if (saved < Policy::saved_per_packed * nonzeros) return;
    const std::size_t n = Arena::template bytes_for<Offset, SpgemmHostWord>(rows + 1, m_of_b.sum);
    if (!context.budget.fits(n)) return;
    context.budget.take("B in words", n);
    m_packed_arena   = Arena(who, context.exec, "Lacuna::spgemm::packed_words", n);
    const auto begin = m_packed_arena.template take<Offset>(rows + 1);
    const auto words = m_packed_arena.template take<SpgemmHostWord>(m_of_b.sum);
    Kokkos::parallel_scan("Lacuna::spgemm::words_of_b", index_range(context.exec, rows + 1),
                          LengthScan<Offset, SpgemmHostWordsOfRow<Ordinal>>{rows, begin.data(), {m_rows_of_b.data()}});
    for_each_index(context.exec, "Lacuna::spgemm::pack_words", rows,
                   SpgemmHostPackWords<Arrays>{B, begin.data(), words.data()});
    m_analysis.first_word = begin.data();
    m_analysis.packed     = words.data();
    m_analysis.rows_of_b  = m_of_b.repeats ? m_rows_of_b.data() : nullptr;
  }

  void take_scratch(const Context& context) {
    m_scratch.words      = m_of_c.widest;
    m_scratch.slots      = m_of_c.most > 0 ? Scratch::Hashed::slots_of(m_of_c.most) : 0;
    m_scratch.dense      = std::min(m_scratch.words, Policy::dense_words<Scalar>());
    m_scratch.inode_rows = m_of_c.repeats ? most_inode_rows : 1;
    m_threads            = std::max<std::int64_t>(1, context.exec.concurrency());
    if (!Counting::is_masked)
      m_scratch.marked = std::max(m_of_c.widest_marked, m_analysis.any_order ? m_scratch.dense : 0);
    const auto bytes = [&] {
      return Arena::template bytes_for<Counter, unsigned char>(1, checked_product(who, m_threads, m_scratch.bytes()));
    };
    if (!context.budget.fits(bytes())) m_scratch.marked = 0;
    if (!context.budget.fits(bytes())) m_scratch.inode_rows = 1;
    while (m_threads > 1 && !context.budget.fits(bytes())) --m_threads;
    if (!context.budget.fits(bytes())) m_scratch.dense = 0;
    const std::size_t n = bytes();
    context.budget.take("bitmaps and dense rows of the threads", n);
    m_scratch_arena = Arena(who, context.exec, "Lacuna::spgemm::dense_rows", n);
    m_next          = m_scratch_arena.template take<Counter>(1);
    m_scratch.next  = m_next.data();
    m_scratch.data  = m_scratch_arena.template take<unsigned char>(m_threads * m_scratch.bytes()).data();
  }

  /// For the columns of rows with sums, where the budget has room for as many as they may be; else none.
  SpgemmHostColumnList<Ordinal> room_for_columns(const Context& context) {
    if constexpr (Counting::is_masked) return {};
    const auto rows = static_cast<std::int64_t>(context.A.rows);
    if (m_scratch.dense == 0 || m_of_c.listed == 0 || m_of_c.listed > Policy::most_listed) return {};
    const std::int64_t room = SpgemmHostColumnList<Ordinal>::room_for(m_of_c.listed, m_threads);
    m_listed_bytes          = Arena::template bytes_for<Counter, Ordinal, std::int64_t>(1, room, rows);
    if (!context.budget.fits(m_listed_bytes)) return {};
    context.budget.take("columns of C while they are listed", m_listed_bytes);
    m_listed_arena   = Arena(allocate<typename Arena::Memory>(who, context.exec, "Lacuna::spgemm::listed_columns",
                                                            static_cast<std::int64_t>(m_listed_bytes)));
    const auto next  = m_listed_arena.template take<Counter>(1);
    const auto begin = m_listed_arena.template take<std::int64_t>(rows);
    Kokkos::deep_copy(context.exec, next, Counter(0));
    Kokkos::deep_copy(context.exec, begin, std::int64_t(-1));
    const auto columns = m_listed_arena.template take<Ordinal>(room);
    advise_huge_pages(columns);
    return {next.data(), room, columns.data(), begin.data()};
  }

  /// In the order of C, if all were listed and the budget allows. Not of a C with more nonzeros than its row map can
  /// count, which is refused after this.
  void keep_columns(const Context& context) {
    if (m_list.columns == nullptr) return;
    const std::size_t n = Arena::template bytes_for<Ordinal>(nonzeros());
    if (can_count<Offset>(nonzeros()) && !m_list.is_full() && context.budget.fits(n)) {
      context.budget.take("columns of C", n);
      m_columns_arena = Arena(who, context.exec, "Lacuna::spgemm::columns", n);
      m_columns       = m_columns_arena.template take<Ordinal>(nonzeros());
      advise_huge_pages(m_columns);
      for_each_index(context.exec, "Lacuna::spgemm::order_columns", static_cast<std::int64_t>(context.A.rows),
                     SpgemmHostOrderColumns<Ordinal, Offset>{m_list, context.row_map, m_columns.data()});
      context.exec.fence("Lacuna::spgemm: columns of C are listed");
    }
    context.budget.give_back(m_listed_bytes);
    m_listed_arena = {};
    m_list         = {};
  }

  template <bool Numeric, class Operands>
  void run(const ExecutionSpace& exec, const Operands& operands, const SpgemmAddend<Arrays>& addend,
           const Target& target) const {
    Kokkos::deep_copy(exec, m_next, Counter(0));
    for_each_index(exec, Numeric ? "Lacuna::spgemm::host_rows" : "Lacuna::spgemm::count_host_rows", m_threads,
                   SpgemmHostRows<Numeric, Operands>{operands, addend, m_analysis, m_scratch.template as<Operands>(),
                                                     target, m_list, m_columns.data()});
  }

  SpgemmHostStatistics m_of_b, m_of_c;
  Analysis m_analysis;
  Scratch m_scratch;
  std::int64_t m_threads = 0;
  Arena m_arena, m_packed_arena, m_scratch_arena, m_columns_arena, m_listed_arena;
  std::size_t m_listed_bytes = 0;
  Array<SpgemmHostStatistics> m_statistics;
  TotalView m_nonzeros;
  Array<RowOfB> m_rows_of_b;
  Array<bool> m_shifts;
  Array<Range> m_ranges;
  Array<Ordinal> m_counts, m_columns;
  SpgemmHostColumnList<Ordinal> m_list;
  Array<unsigned char> m_flags;
  Array<Counter> m_next;
};

/// \brief `row_classes` on hosts: each thread takes a row at a time.
struct SpgemmRowsOnHosts {
  static constexpr SpgemmAlgorithm id = SpgemmAlgorithm::row_classes;

  static Support supports(const Device& device, const SpgemmRequest&) {
    if (device.has_lanes) return {"is for hosts"};
    return {};
  }
  static Estimate estimate(const Device& device, const SpgemmInspection& known, const SpgemmRequest& request) {
    return {.call_seconds = spgemm_seconds(device, known, request), .reason = "serves every matrix"};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
  using Storage = std::conditional_t<runs_lane_kernels<ExecutionSpace>, SpgemmNoStorage<SpgemmRowsOnHosts>,
                                     SpgemmHostStorage<Matrix, ExecutionSpace, Mask>>;
};

}  // namespace lacuna::Impl

#endif
