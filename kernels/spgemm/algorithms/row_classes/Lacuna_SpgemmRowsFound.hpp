// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWSFOUND_HPP
#define LACUNA_SPGEMMROWSFOUND_HPP

#include <core/impl/Lacuna_Arena.hpp>
#include <core/impl/Lacuna_MemoryBudget.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmEqualRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassifiers.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmMaskRows.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmResult.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief What is known of the rows of a product, lists of them by class, and B in words.

namespace lacuna::Impl {

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
class SpgemmRowsFound {
  using Arrays  = CrsArraysOf<Matrix>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Space   = typename ExecutionSpace::memory_space;
  using Room    = Arena<Space>;
  using Range   = ColumnRange<Ordinal>;
  using RowOfB  = SpgemmRowOfB<Ordinal>;
  using Context = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Policy  = SpgemmRowClassesPolicy;
  template <class T>
  using Array = typename Room::template Array<T>;

 public:
  using Counting = SpgemmOperands<Arrays, PlusTimes<Scalar>, Mask>;  ///< what patterns are found with
  using Classes  = SpgemmRowClasses<Counting>;

  /// Looks at all rows and sorts them into the classes that count them. Waits once.
  void look(const Context& context, const Counting& counting, const Classes& classes) {
    const ExecutionSpace& exec = context.exec;
    const auto rows            = static_cast<std::int64_t>(context.A.rows);
    take_room(context);
    clear_counters(exec);
    find_spgemm_bounds(exec, context.A, context.B,
                       SpgemmBounds<Ordinal>{.rows_of_b    = m_rows_of_b.data(),
                                             .products     = m_products.data(),
                                             .ranges       = m_ranges.data(),
                                             .counts       = m_counts.data(),
                                             .counters     = m_counters.data(),
                                             .repeats_of_b = m_repeats_of_b.data(),
                                             .words        = m_listed.data(),
                                             .repeats      = m_repeats.data(),
                                             .packed       = m_packed_at_once.data(),
                                             .places       = m_places.data()});
    if constexpr (Counting::is_masked)
      if (!context.mask.complemented)
        for_each_index(exec, "Lacuna::spgemm::restrict_bounds", rows,
                       SpgemmRestrictBounds<Ordinal, Offset>{context.mask, m_products.data(), m_ranges.data()});
    if constexpr (joins_equal_rows)
      for_each_index(exec, "Lacuna::spgemm::equal_rows", rows,
                     SpgemmGroupEqualRows{rows, m_repeats.data(), m_equal_rows.data()});
    sort(exec, rows,
         SpgemmSymbolicClassifier<Counting>{classes, m_products.data(), m_ranges.data(), counting,
                                            &m_counters.data()->unordered, m_listed.data(), m_equal_rows.data()});
    m_products_in_all = static_cast<std::int64_t>(m_found.sum);
    m_most_products   = static_cast<std::int64_t>(m_found.longest);
    m_joined_rows     = m_found.count(Classes::follows);
    m_widest          = static_cast<std::int64_t>(m_found.largest);
    m_is_mixed        = m_found.unordered != 0;
    m_has_runs        = m_found.repeats != 0;
  }

  /// Sorts rows whose nonzeros are counted into the classes that add them; the nonzeros of C. Waits once, for the lists
  /// only `with_lists`.
  std::int64_t sort_again(const ExecutionSpace& exec, const Counting& counting, const Classes& classes,
                          bool with_lists) {
    const auto rows = static_cast<std::int64_t>(counting.A.rows);
    clear_counters(exec);
    if (classes_stay()) {
      sort_into_classes<ExecutionSpace, SpgemmSumOfCounts<Ordinal>, Ordinal>(
          exec, "Lacuna::spgemm::sum_counts", {m_counts.data()}, rows, m_counters.data(), nullptr, m_sums.data());
      return static_cast<std::int64_t>(read_counters(exec, m_counters).sum);
    }
    sort(exec, rows,
         SpgemmNumericClassifier<Counting>{classes, m_products.data(), m_ranges.data(), m_counts.data(), counting,
                                           m_is_mixed, m_listed.data(), m_equal_rows.data()},
         with_lists);
    return static_cast<std::int64_t>(m_found.sum);
  }

  /// The row map of C, after `sort_again`. Does not fence.
  void write_row_map(const ExecutionSpace& exec, std::int64_t rows, Offset* row_map) const {
    row_map_of_tiles(exec, rows, m_counts.data(), m_sums.data(), row_map);
  }

  /// The pattern of B in words, where that is much shorter than its columns and rows are added in bitmaps.
  void pack(const Context& context) {
    if (!pays_to_pack(context)) return;
    const Arrays& B  = context.B;
    const auto words = m_found.words_of_b();
    if (words == 0 || static_cast<double>(words) > Policy::most_packed * static_cast<double>(B.nonzeros)) return;
    if (m_found.first(Classes::count) == m_found.first(Classes::first_group)) return;
    if (static_cast<std::int64_t>(B.columns / 32) > std::int64_t{0xffffffff}) return;
    if (m_packed_at_once.extent(0) > 0)
      m_packed = m_packed_at_once;
    else if (!pack_tightly(context, words))
      return;
    m_packed_mean = static_cast<double>(words) / static_cast<double>(B.rows);
  }

  /// Bytes that are needed before anything is known of the rows, less those that are not needed.
  static std::size_t least_bytes(const Arrays& A, const Arrays& B) {
    return room_bytes(static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(B.rows), 0, 0);
  }
  /// Words of C that there is room for: where rows are added in bitmaps, as most are if their mean is.
  static std::int64_t kept_words(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                 std::int64_t nonzeros_b) {
    if (!joins_equal_rows || rows_b == 0) return 0;
    const double length   = static_cast<double>(nonzeros_b) / static_cast<double>(rows_b);
    const double products = static_cast<double>(nonzeros_a) * length;
    const auto sorted = length < Policy::short_rows_of_b ? Policy::always_sorted_of_short_rows : Policy::always_sorted;
    if (products <= static_cast<double>(sorted) * static_cast<double>(rows)) return 0;
    const auto all = static_cast<std::int64_t>(Policy::kept_words * static_cast<double>(nonzeros_a));
    return std::min(all, Policy::most_kept_words) / spgemm_kept_parts * spgemm_kept_parts;
  }
  /// Whether words of B are read often enough by a single call: not where rows are sorted, as most are if their mean
  /// is. H200, 25 November 2026, the 7-point mesh of 128^3 points without words: `rows_of_b` 184 to 113 us, and half of
  /// the call's memory.
  static bool pays_for_one_call(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                std::int64_t nonzeros_b) {
    const double reads    = static_cast<double>(nonzeros_a) / static_cast<double>(std::max<std::int64_t>(rows_b, 1));
    const double products = reads * static_cast<double>(nonzeros_b);
    return reads >= Policy::reads_of_packed &&
           products > static_cast<double>(Policy::always_counted) * static_cast<double>(rows);
  }
  /// Bytes of an arena that a call lends: A has `rows` rows, B `rows_b` and `nonzeros_b` nonzeros, which may be packed.
  static std::size_t lent_bytes(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                std::int64_t nonzeros_b) {
    const bool packs =
        pays_for_one_call(rows, nonzeros_a, rows_b, nonzeros_b) && nonzeros_b <= Policy::packed_at_once_by_calls;
    return room_bytes(rows, rows_b, packs ? nonzeros_b : 0, kept_words(rows, nonzeros_a, rows_b, nonzeros_b)) +
           Room::alignment;
  }
  std::size_t bytes() const { return m_room.bytes() + m_packed_room.bytes(); }

  std::int64_t products() const { return m_products_in_all; }
  std::int64_t most_products() const { return m_most_products; }  ///< of a row
  std::int64_t joined_rows() const { return m_joined_rows; }      ///< counted with an equal row in front
  /// Columns of the widest window.
  std::int64_t widest() const { return m_widest; }
  bool is_mixed() const { return m_is_mixed; }  ///< rows of B may have a column twice
  bool has_runs() const { return m_has_runs; }  ///< rows of B with the columns of the row before

  /// Rows of a class, and the list of them.
  std::int64_t count(int c) const { return m_found.count(c); }
  const Ordinal* list(int c) const { return m_list.data() + m_found.first(c); }

  const Range* ranges() const { return m_ranges.data(); }
  Ordinal* counts() const { return m_counts.data(); }  ///< of nonzeros
  Ordinal* listed() const { return m_listed.data(); }  ///< words that are not empty, at most
  const unsigned char* equal_rows() const { return m_equal_rows.data(); }
  const unsigned char* repeats_of_b() const { return m_has_runs ? m_repeats_of_b.data() : nullptr; }
  /// `B` is that of the call: its row map stands where words have the places of nonzeros.
  SpgemmPackedRows<Ordinal, Offset> packed(const Arrays& B) const {
    if (m_packed.extent(0) == 0) return {};
    return {{m_first_word.extent(0) > 0 ? m_first_word.data() : B.row_map, m_rows_of_b.data()}, m_packed.data()};
  }
  double packed_mean() const { return m_packed_mean; }  ///< words a row of B
  /// From where rows are counted to where they are added.
  SpgemmWordsOfC words_of_c() const {
    if (m_words_of_c.extent(0) == 0) return {};
    return {m_words_of_c.data(), m_places.data(), m_counters.data()->kept,
            static_cast<std::uint32_t>(m_words_of_c.extent(0) / spgemm_kept_parts)};
  }

 private:
  static constexpr const char* who       = "SpgemmPlan";
  static constexpr bool joins_equal_rows = !Counting::is_masked;

  /// Whose sums are kept for the row map. Teams of hosts are too many.
  static std::int64_t tiles(std::int64_t rows) {
    if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) return 0;
    return ceiling_quotient(rows, SpgemmTile::rows<ExecutionSpace>());
  }

  static std::size_t room_bytes(std::int64_t rows, std::int64_t rows_b, std::int64_t packed, std::int64_t kept) {
    return Room::template bytes_for<SpgemmCounters, RowOfB, Counter, Counter, Range, Ordinal, Ordinal, Ordinal,
                                    unsigned char, unsigned char, unsigned char, SpgemmPackedWord, std::uint32_t,
                                    SpgemmPackedWord>(1, rows_b, rows, tiles(rows), rows, rows, rows, rows, rows_b,
                                                      joins_equal_rows ? rows : 0, joins_equal_rows ? rows : 0, packed,
                                                      kept > 0 ? rows : 0, kept);
  }

  /// Whether every row is sorted where it is added as where it is counted: the lists are right. H200, 25 November 2026,
  /// of a million rows: counting classes and listing rows 56 us, adding up 18.
  bool classes_stay() const {
    static_assert(Policy::always_counted <= Policy::always_sorted &&
                  Policy::always_counted <= Policy::least_group_products[1]);
    std::int64_t staying = m_found.count(Classes::empty);
    for (int c = Classes::first_sort; c < Classes::first_group; ++c)
      if (Classes::capacity_of_sort(c) <= Policy::always_counted) staying += m_found.count(c);
    std::int64_t all = 0;
    for (int c = 0; c < Classes::count; ++c) all += m_found.count(c);
    return !Counting::is_masked && staying == all;
  }

  static bool pays_to_pack(const Context& context) {
    const Arrays &A = context.A, &B = context.B;
    return !context.is_for_one_call ||
           pays_for_one_call(static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.nonzeros),
                             static_cast<std::int64_t>(B.rows), static_cast<std::int64_t>(B.nonzeros));
  }

  void take_room(const Context& context) {
    const auto rows   = static_cast<std::int64_t>(context.A.rows);
    const auto rows_b = static_cast<std::int64_t>(context.B.rows);
    const auto packed = static_cast<std::int64_t>(context.B.nonzeros);
    // Words of B and of C are not needed: they must not be what a limit fails by.
    const bool may_pack = context.budget.limit() == unlimited && pays_to_pack(context);
    const auto most     = context.lent != nullptr ? Policy::packed_at_once_by_calls : Policy::packed_at_once;
    const auto at_once  = may_pack && packed <= most ? packed : 0;
    const auto kept     = context.budget.limit() == unlimited
                              ? kept_words(rows, static_cast<std::int64_t>(context.A.nonzeros), rows_b, packed)
                              : 0;
    const std::size_t n = room_bytes(rows, rows_b, at_once, kept);
    context.budget.take("the analysis of rows", n);
    m_room           = arena_within(context.lent, who, context.exec, "Lacuna::spgemm::rows", n);
    m_counters       = m_room.template take<SpgemmCounters>(1);
    m_rows_of_b      = m_room.template take<RowOfB>(rows_b);
    m_products       = m_room.template take<Counter>(rows);
    m_sums           = m_room.template take<Counter>(tiles(rows));
    m_ranges         = m_room.template take<Range>(rows);
    m_counts         = m_room.template take<Ordinal>(rows);
    m_list           = m_room.template take<Ordinal>(rows);
    m_listed         = m_room.template take<Ordinal>(rows);
    m_repeats_of_b   = m_room.template take<unsigned char>(rows_b);
    m_repeats        = m_room.template take<unsigned char>(joins_equal_rows ? rows : 0);
    m_equal_rows     = m_room.template take<unsigned char>(joins_equal_rows ? rows : 0);
    m_packed_at_once = m_room.template take<SpgemmPackedWord>(at_once);
    m_places         = m_room.template take<std::uint32_t>(kept > 0 ? rows : 0);
    m_words_of_c     = m_room.template take<SpgemmPackedWord>(kept);
  }

  /// Room for as many words as there are, and a second pass that writes them. Whether the limit allowed it.
  bool pack_tightly(const Context& context, std::int64_t words) {
    const Arrays& B     = context.B;
    const auto rows_b   = static_cast<std::int64_t>(B.rows);
    const std::size_t n = Room::template bytes_for<Offset, SpgemmPackedWord>(rows_b + 1, words);
    if (!context.budget.fits(n)) return false;
    context.budget.take("B in words", n);
    m_packed_room = Room(who, context.exec, "Lacuna::spgemm::packed_words", n);
    m_first_word  = m_packed_room.template take<Offset>(rows_b + 1);
    m_packed      = m_packed_room.template take<SpgemmPackedWord>(words);
    Kokkos::parallel_scan("Lacuna::spgemm::words_of_b", IndexRange<ExecutionSpace>(context.exec, 0, rows_b + 1),
                          SpgemmScanWords<Ordinal, Offset>{rows_b, m_rows_of_b.data(), m_first_word.data()});
    SpgemmCounters* const counters = m_counters.data();
    look_at_rows(context.exec, "Lacuna::spgemm::pack_words", B,
                 SpgemmLookAtRowsOfB<Arrays>{B.row_map, B.entries, m_rows_of_b.data(), m_repeats_of_b.data(),
                                             &counters->unordered, &counters->repeats, counters->words,
                                             m_first_word.data(), m_packed.data()});
    return true;
  }

  void clear_counters(const ExecutionSpace& exec) const {
    const Kokkos::View<Counter*, Space, Kokkos::MemoryUnmanaged> words(reinterpret_cast<Counter*>(m_counters.data()),
                                                                       sizeof(SpgemmCounters) / sizeof(Counter));
    Kokkos::deep_copy(exec, words, Counter(0));
  }

  template <class Classifier>
  void sort(const ExecutionSpace& exec, std::int64_t rows, const Classifier& classify, bool waits_for_lists = true) {
    const auto list = [&] {
      sort_into_classes(exec, "Lacuna::spgemm::list_classes", classify, rows, m_counters.data(), m_list.data());
    };
    sort_into_classes<ExecutionSpace, Classifier, Ordinal>(exec, "Lacuna::spgemm::count_classes", classify, rows,
                                                           m_counters.data(), nullptr, m_sums.data());
    if (waits_for_lists) list();
    m_found = read_counters(exec, m_counters);
    if (!waits_for_lists) list();
  }

  SpgemmCounters m_found{};
  std::int64_t m_products_in_all = 0;
  std::int64_t m_most_products   = 0;
  std::int64_t m_joined_rows     = 0;
  std::int64_t m_widest          = 0;
  bool m_is_mixed                = false;
  bool m_has_runs                = false;
  double m_packed_mean           = 0;
  Room m_room, m_packed_room;
  Array<SpgemmCounters> m_counters;
  Array<RowOfB> m_rows_of_b;
  Array<Counter> m_products, m_sums;
  Array<Range> m_ranges;
  Array<Ordinal> m_counts, m_list, m_listed;
  Array<Offset> m_first_word;
  Array<unsigned char> m_repeats_of_b, m_repeats, m_equal_rows;
  Array<SpgemmPackedWord> m_packed, m_packed_at_once, m_words_of_c;
  Array<std::uint32_t> m_places;
};

}  // namespace lacuna::Impl

#endif
