// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWANALYSIS_HPP
#define LACUNA_SPGEMMROWANALYSIS_HPP

#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassifiers.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowsMemory.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmInodes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmMaskRows.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief What is known of the rows of a product, lists of them by class, and B in words.

namespace lacuna::Impl {

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
class SpgemmRowAnalysis {
  using Arrays  = CrsArraysOf<Matrix>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Arena   = Impl::Arena<typename ExecutionSpace::memory_space>;
  using Range   = ColumnRange<Ordinal>;
  using Context = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Policy  = SpgemmRowClassesPolicy;
  template <class T>
  using Array = typename Arena::template Array<T>;

 public:
  using Memory   = SpgemmRowsMemory<Matrix, ExecutionSpace, Mask>;
  using Counting = SpgemmOperands<Arrays, PlusTimes<Scalar>, Mask>;  ///< what patterns are found with
  using Classes  = SpgemmRowClasses<Counting>;

  /// Looks at all rows and sorts them into the classes that count them. Waits once.
  void inspect(const Context& context, const Counting& counting, const Classes& classes) {
    const ExecutionSpace& exec = context.exec;
    const auto rows            = static_cast<std::int64_t>(context.A.rows);
    m_rows.take(context);
    m_rows.clear_counters(exec);
    find_spgemm_bounds(exec, context.A, context.B,
                       SpgemmBounds<Ordinal>{.rows_of_b      = m_rows.rows_of_b.data(),
                                             .products       = m_rows.products.data(),
                                             .ranges         = m_rows.ranges.data(),
                                             .counts         = m_rows.counts.data(),
                                             .counters       = m_rows.counters.data(),
                                             .repeats_of_b   = m_rows.repeats_of_b.data(),
                                             .words          = m_rows.nonempty_words.data(),
                                             .repeats        = m_rows.repeats.data(),
                                             .packed         = m_rows.packed_at_once.data(),
                                             .bitmap_offsets = m_rows.bitmap_offsets.data()});
    if constexpr (Counting::is_masked)
      if (!context.mask.complemented)
        for_each_index(
            exec, "Lacuna::spgemm::restrict_bounds", rows,
            SpgemmRestrictBounds<Ordinal, Offset>{context.mask, m_rows.products.data(), m_rows.ranges.data()});
    if constexpr (Memory::finds_inodes)
      for_each_index(exec, "Lacuna::spgemm::equal_rows", rows,
                     SpgemmFindInodes{rows, m_rows.repeats.data(), m_rows.inode_sizes.data()});
    sort(exec, rows,
         SpgemmSymbolicClassifier<Counting>{classes, m_rows.products.data(), m_rows.ranges.data(), counting,
                                            &m_rows.counters.data()->not_ascending, m_rows.nonempty_words.data(),
                                            m_rows.inode_sizes.data()});
    m_products_in_all = static_cast<std::int64_t>(m_counters.sum);
    m_most_products   = static_cast<std::int64_t>(m_counters.longest);
    m_inode_members   = m_counters.count(Classes::inode_member);
    m_widest          = static_cast<std::int64_t>(m_counters.largest);
    // Rows that ascend strictly are sorted and have no duplicates. Which of the two fails is not told apart.
    m_unsorted       = m_counters.not_ascending != 0;
    m_has_duplicates = m_counters.not_ascending != 0;
    m_b_has_inodes   = m_counters.repeats != 0;
  }

  /// Sorts rows whose nonzeros are counted into the classes that add them; the nonzeros of C. Waits once.
  std::int64_t sort_again(const ExecutionSpace& exec, const Counting& counting, const Classes& classes) {
    const auto rows = static_cast<std::int64_t>(counting.A.rows);
    m_rows.clear_counters(exec);
    if (classes_stay()) {
      sort_into_classes<ExecutionSpace, SpgemmSumOfCounts<Ordinal>, Ordinal>(
          exec, "Lacuna::spgemm::sum_counts", {m_rows.counts.data()}, rows, m_rows.counters.data(), nullptr,
          m_rows.sums.data());
      return static_cast<std::int64_t>(read_counters(exec, m_rows.counters).sum);
    }
    sort(exec, rows,
         SpgemmNumericClassifier<Counting>{classes, m_rows.products.data(), m_rows.ranges.data(), m_rows.counts.data(),
                                           counting, !m_unsorted && !m_has_duplicates, m_rows.nonempty_words.data(),
                                           m_rows.inode_sizes.data()});
    return static_cast<std::int64_t>(m_counters.sum);
  }

  /// The row map of C, after `sort_again`. Does not fence.
  void write_row_map(const ExecutionSpace& exec, std::int64_t rows, Offset* row_map) const {
    row_map_of_tiles(exec, rows, m_rows.counts.data(), m_rows.sums.data(), row_map);
  }

  /// The pattern of B in words, where that is much shorter than its columns and rows are added in bitmaps.
  void pack(const Context& context) {
    if (!m_rows.pays_to_pack(context)) return;
    const Arrays& B  = context.B;
    const auto words = m_counters.words_of_b();
    if (words == 0 || static_cast<double>(words) > Policy::most_packed * static_cast<double>(B.nonzeros)) return;
    if (m_counters.first(Classes::count) == m_counters.first(Classes::first_warp)) return;
    if (static_cast<std::int64_t>(B.columns / 32) > std::int64_t{0xffffffff}) return;
    if (m_rows.packed_at_once.extent(0) > 0)
      m_packed = m_rows.packed_at_once;
    else if (!pack_tightly(context, words))
      return;
    m_packed_mean = static_cast<double>(words) / static_cast<double>(B.rows);
  }

  std::size_t bytes() const { return m_rows.arena.bytes() + m_packed_arena.bytes(); }

  std::int64_t products() const { return m_products_in_all; }
  std::int64_t most_products() const { return m_most_products; }  ///< of a row
  std::int64_t inode_members() const { return m_inode_members; }  ///< counted with an equal row in front
  std::int64_t widest() const { return m_widest; }                ///< columns of the widest window
  bool has_duplicates() const { return m_has_duplicates; }        ///< rows of B may have a column twice
  /// Whether runs of rows of B with equal columns are looked for where a row is added alone: not by masks, and only
  /// where A has many equal neighbours, and so names rows of B that follow each other. H100, 27 November 2026, by a
  /// driver, with them and without: R A of the 27-point mesh of 30^3 points with 3 unknowns 197 and 151 us; bcsstk32,
  /// where A has, 464 and 490.
  template <class Operands>
  bool fuses_inodes_of_b(const Operands& operands) const {
    return !Operands::is_masked && m_b_has_inodes &&
           Policy::inode_share * m_inode_members > static_cast<std::int64_t>(operands.A.rows);
  }

  /// Rows of a class, and the list of them.
  std::int64_t count(int c) const { return m_counters.count(c); }
  const Ordinal* list(int c) const { return m_rows.list.data() + m_counters.first(c); }

  const Range* ranges() const { return m_rows.ranges.data(); }
  const Counter* products_of_rows() const { return m_rows.products.data(); }
  Ordinal* counts() const { return m_rows.counts.data(); }                  ///< of nonzeros
  Ordinal* nonempty_words() const { return m_rows.nonempty_words.data(); }  ///< words that are not empty, at most
  const unsigned char* inode_sizes() const { return m_rows.inode_sizes.data(); }
  const unsigned char* repeats_of_b() const { return m_b_has_inodes ? m_rows.repeats_of_b.data() : nullptr; }
  /// `B` is that of the call: its row map stands where words have the places of nonzeros.
  SpgemmPackedRows<Ordinal, Offset> packed(const Arrays& B) const {
    if (m_packed.extent(0) == 0) return {};
    return {{m_first_word.extent(0) > 0 ? m_first_word.data() : B.row_map, m_rows.rows_of_b.data()}, m_packed.data()};
  }
  double packed_mean() const { return m_packed_mean; }  ///< words a row of B
  SpgemmBitmapCache bitmap_cache() const { return m_rows.bitmap_cache(); }

 private:
  /// Whether every row is sorted where it is added as where it is counted: the lists are right. H200, 25 November 2026,
  /// of a million rows: counting classes and listing rows 56 us, adding up 18.
  bool classes_stay() const {
    // Rows of so few products are never those that are added in a team's scratch.
    static_assert(Policy::always_sorted < Policy::long_rows_of_b);
    std::int64_t staying = m_counters.count(Classes::empty);
    for (int c = Classes::first_sort; c < Classes::first_warp; ++c)
      if (Classes::capacity_of_sort(c) <= Policy::always_sorted) staying += m_counters.count(c);
    std::int64_t all = 0;
    for (int c = 0; c < Classes::count; ++c) all += m_counters.count(c);
    return !Counting::is_masked && staying == all;
  }

  /// Room for as many words as there are, and a second pass that writes them. Whether the limit allowed it.
  bool pack_tightly(const Context& context, std::int64_t words) {
    const Arrays& B     = context.B;
    const auto rows_b   = static_cast<std::int64_t>(B.rows);
    const std::size_t n = Arena::template bytes_for<Offset, SpgemmPackedWord>(rows_b + 1, words);
    if (!context.budget.fits(n)) return false;
    context.budget.take("B in words", n);
    m_packed_arena = Arena(Memory::who, context.exec, "Lacuna::spgemm::packed_words", n);
    m_first_word   = m_packed_arena.template take<Offset>(rows_b + 1);
    m_packed       = m_packed_arena.template take<SpgemmPackedWord>(words);
    Kokkos::parallel_scan("Lacuna::spgemm::words_of_b", IndexRange<ExecutionSpace>(context.exec, 0, rows_b + 1),
                          SpgemmScanWords<Ordinal, Offset>{rows_b, m_rows.rows_of_b.data(), m_first_word.data()});
    SpgemmCounters* const counters = m_rows.counters.data();
    inspect_rows(context.exec, "Lacuna::spgemm::pack_words", B,
                 SpgemmInspectRowsOfB<Arrays>{B.row_map, B.entries, m_rows.rows_of_b.data(), m_rows.repeats_of_b.data(),
                                              &counters->not_ascending, &counters->repeats, counters->words,
                                              m_first_word.data(), m_packed.data()});
    return true;
  }

  /// Counts the rows of each class and lists them; the counts are waited for, the lists not.
  template <class Classifier>
  void sort(const ExecutionSpace& exec, std::int64_t rows, const Classifier& classify) {
    sort_into_classes<ExecutionSpace, Classifier, Ordinal>(exec, "Lacuna::spgemm::count_classes", classify, rows,
                                                           m_rows.counters.data(), nullptr, m_rows.sums.data());
    ReadBack counted(exec, m_rows.counters);
    sort_into_classes(exec, "Lacuna::spgemm::list_classes", classify, rows, m_rows.counters.data(), m_rows.list.data());
    m_counters = counted.wait("Lacuna::spgemm: counts to the host").front();
  }

  SpgemmCounters m_counters{};
  std::int64_t m_products_in_all = 0, m_most_products = 0, m_inode_members = 0, m_widest = 0;
  bool m_unsorted = false, m_has_duplicates = false;  // some row of B is, or may have a column twice
  bool m_b_has_inodes  = false;
  double m_packed_mean = 0;
  Memory m_rows;
  Arena m_packed_arena;
  Array<Offset> m_first_word;
  Array<SpgemmPackedWord> m_packed;
};

}  // namespace lacuna::Impl

#endif
