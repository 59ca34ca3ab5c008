// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWANALYSIS_HPP
#define LACUNA_SPGEMMROWANALYSIS_HPP

#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmCallCost.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassifiers.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowsMemory.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmInodes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmMaskRows.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief The analysis of a product by row classes: products and column ranges of all rows of C, lists of rows by
/// class, and words of B.

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
  using Counting = SpgemmOperands<Arrays, PlusTimes<Scalar>, Mask>;  ///< what counts patterns
  using Rule     = SpgemmRowClassRule<Counting>;
  using Class    = SpgemmRowClass;
  using Kind     = SpgemmRowKind;

  /// Inspects all rows and sorts them into the classes that count them. Waits once.
  void inspect(const Context& context, const Counting& counting, const Rule& rule) {
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
         SpgemmSymbolicClassifier<Counting>{rule, m_rows.products.data(), m_rows.ranges.data(), counting,
                                            &m_rows.counters.data()->not_ascending, m_rows.nonempty_words.data(),
                                            m_rows.inode_sizes.data()});
    m_products_in_all = static_cast<std::int64_t>(m_counters.sum);
    m_most_products   = static_cast<std::int64_t>(m_counters.longest);
    m_inode_members   = count(Kind::inode_member);
    m_widest          = static_cast<std::int64_t>(m_counters.largest);
    m_most_sorted     = static_cast<std::int64_t>(m_counters.sorted);
    // Rows that ascend strictly are sorted and have no duplicates. Which of the two fails is not distinguished.
    m_unsorted       = m_counters.not_ascending != 0;
    m_has_duplicates = m_counters.not_ascending != 0;
    m_b_has_inodes   = m_counters.repeats != 0;
  }

  /// Sorts rows whose nonzeros are counted into the classes that add them. Returns the nonzeros of C. Waits once.
  std::int64_t sort_again(const ExecutionSpace& exec, const Counting& counting, const Rule& rule) {
    const auto rows = static_cast<std::int64_t>(counting.A.rows);
    m_rows.clear_counters(exec);
    if (classes_stay()) {
      sort_into_classes<ExecutionSpace, SpgemmSumOfCounts<Ordinal>, Ordinal>(
          exec, "Lacuna::spgemm::sum_counts", {m_rows.counts.data()}, rows, m_rows.counters.data(), nullptr,
          m_rows.sums.data());
      return static_cast<std::int64_t>(read_counters(exec, m_rows.counters).sum);
    }
    sort(exec, rows, numeric_classifier(counting, rule));
    return static_cast<std::int64_t>(m_counters.sum);
  }

  /// What the values of a product cost, after `sort_again`. Waits.
  SpgemmCallCostSums call_cost(const ExecutionSpace& exec, const Counting& counting, const Rule& rule) const {
    SpgemmCallCostSums sums;
    Kokkos::parallel_reduce("Lacuna::spgemm::call_cost", index_range(exec, static_cast<std::int64_t>(counting.A.rows)),
                            SpgemmCallCost<SpgemmNumericClassifier<Counting>>{numeric_classifier(counting, rule)},
                            sums);
    return sums;
  }

  /// Writes the row map of C, after `sort_again`. Does not fence.
  void write_row_map(const ExecutionSpace& exec, std::int64_t rows, Offset* row_map) const {
    row_map_of_tiles(exec, rows, m_rows.counts.data(), m_rows.sums.data(), row_map);
  }

  /// Packs the pattern of B into words, where they are much fewer than its nonzeros and some rows are added in bitmaps.
  void pack(const Context& context) {
    if (!m_rows.pays_to_pack(context)) return;
    const Arrays& B  = context.B;
    const auto words = m_counters.words_of_b();
    if (words == 0 || static_cast<double>(words) > Policy::most_packed * static_cast<double>(B.nonzeros)) return;
    if (m_counters.first(Class::count) == m_counters.first(row_kind_begin(Kind::warp))) return;
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
  std::int64_t inode_members() const { return m_inode_members; }  ///< counted with the first row of their inode
  std::int64_t widest() const { return m_widest; }                ///< columns of the widest bitmap of a team
  std::int64_t most_sorted() const { return m_most_sorted; }      ///< products of a row that is sorted in memory
  bool has_duplicates() const { return m_has_duplicates; }        ///< rows of B may have a column twice
  /// Whether inodes of B are fused where a row of A is added alone: not under masks, and only where A has many inodes,
  /// whose rows name rows of B that follow each other.
  template <class Operands>
  bool fuses_inodes_of_b(const Operands& operands) const {
    return !Operands::is_masked && m_b_has_inodes &&
           Policy::inode_share * m_inode_members > static_cast<std::int64_t>(operands.A.rows);
  }

  /// Rows of a kind; rows of a class, and the list of them.
  std::int64_t count(Kind kind) const {
    std::int64_t sum = 0;
    for (int size = 0; size < row_kind_sizes(kind); ++size) sum += count(Class{kind, size});
    return sum;
  }
  std::int64_t count(Class c) const { return m_counters.count(c.index()); }
  const Ordinal* list(Class c) const { return m_rows.list.data() + m_counters.first(c.index()); }

  const Range* ranges() const { return m_rows.ranges.data(); }
  const Counter* products_of_rows() const { return m_rows.products.data(); }
  Ordinal* counts() const { return m_rows.counts.data(); }                  ///< of nonzeros
  Ordinal* nonempty_words() const { return m_rows.nonempty_words.data(); }  ///< of each row, at most
  const unsigned char* inode_sizes() const { return m_rows.inode_sizes.data(); }
  const unsigned char* repeats_of_b() const { return m_b_has_inodes ? m_rows.repeats_of_b.data() : nullptr; }
  /// `B`: that of the call. Its row map tells where words stand that were written at the positions of nonzeros.
  SpgemmPackedRows<Ordinal, Offset> packed(const Arrays& B) const {
    if (m_packed.extent(0) == 0) return {};
    return {{m_first_word.extent(0) > 0 ? m_first_word.data() : B.row_map, m_rows.rows_of_b.data()}, m_packed.data()};
  }
  double packed_mean() const { return m_packed_mean; }  ///< words of a row of B
  SpgemmBitmapCache bitmap_cache() const { return m_rows.bitmap_cache(); }

 private:
  SpgemmNumericClassifier<Counting> numeric_classifier(const Counting& counting, const Rule& rule) const {
    return {rule,     m_rows.products.data(),           m_rows.ranges.data(),         m_rows.counts.data(),
            counting, !m_unsorted && !m_has_duplicates, m_rows.nonempty_words.data(), m_rows.inode_sizes.data()};
  }

  /// Whether every row is added by the sort class that counted it, so that the lists can stay.
  bool classes_stay() const {
    // Rows of that few products are never added in the scratch of a team.
    static_assert(Policy::always_sorted < Policy::long_rows_of_b);
    std::int64_t staying = count(Kind::empty);
    for (int size = 0; size < Policy::sorts; ++size)
      if (Rule::capacity_of_sort(size) <= Policy::always_sorted) staying += count(Class{Kind::sort, size});
    std::int64_t all = 0;
    for (int c = 0; c < Class::count; ++c) all += m_counters.count(c);
    return !Counting::is_masked && staying == all;
  }

  /// Allocates as many words as B has and writes them in a second pass. False where the limit does not allow it.
  bool pack_tightly(const Context& context, std::int64_t words) {
    const Arrays& B     = context.B;
    const auto rows_b   = static_cast<std::int64_t>(B.rows);
    const std::size_t n = Arena::template bytes_for<Offset, SpgemmPackedWord>(rows_b + 1, words);
    if (!context.budget.fits(n)) return false;
    context.budget.take("B in words", n);
    m_packed_arena = Arena(Memory::who, context.exec, "Lacuna::spgemm::packed_words", n);
    m_first_word   = m_packed_arena.template take<Offset>(rows_b + 1);
    m_packed       = m_packed_arena.template take<SpgemmPackedWord>(words);
    Kokkos::parallel_scan("Lacuna::spgemm::words_of_b", index_range(context.exec, rows_b + 1),
                          SpgemmScanWords<Ordinal, Offset>{rows_b, m_rows.rows_of_b.data(), m_first_word.data()});
    SpgemmCounters* const counters = m_rows.counters.data();
    inspect_rows(context.exec, "Lacuna::spgemm::pack_words", B,
                 SpgemmInspectRowsOfB<Arrays>{B.row_map, B.entries, m_rows.rows_of_b.data(), m_rows.repeats_of_b.data(),
                                              &counters->not_ascending, &counters->repeats, counters->words,
                                              m_first_word.data(), m_packed.data()});
    return true;
  }

  /// Counts the rows of each class and lists them. Waits for the counts, not for the lists.
  template <class Classifier>
  void sort(const ExecutionSpace& exec, std::int64_t rows, const Classifier& classify) {
    sort_into_classes<ExecutionSpace, Classifier, Ordinal>(exec, "Lacuna::spgemm::count_classes", classify, rows,
                                                           m_rows.counters.data(), nullptr, m_rows.sums.data());
    ReadBack counted(exec, m_rows.counters);
    sort_into_classes(exec, "Lacuna::spgemm::list_classes", classify, rows, m_rows.counters.data(), m_rows.list.data());
    m_counters = counted.wait("Lacuna::spgemm: counts to the host").front();
  }

  SpgemmCounters m_counters{};
  std::int64_t m_products_in_all = 0, m_most_products = 0, m_inode_members = 0, m_widest = 0, m_most_sorted = 0;
  bool m_unsorted = false, m_has_duplicates = false;  // some row of B is not sorted; may have a column twice
  bool m_b_has_inodes  = false;
  double m_packed_mean = 0;
  Memory m_rows;
  Arena m_packed_arena;
  Array<Offset> m_first_word;
  Array<SpgemmPackedWord> m_packed;
};

}  // namespace lacuna::Impl

#endif
