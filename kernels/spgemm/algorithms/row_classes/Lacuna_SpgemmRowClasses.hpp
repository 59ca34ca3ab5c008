// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSES_HPP
#define LACUNA_SPGEMMROWCLASSES_HPP

#include <Lacuna_SpgemmOptions.hpp>
#include <core/impl/Lacuna_Arena.hpp>
#include <core/impl/Lacuna_ReportText.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmEqualRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmGroupRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmHostRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassesPolicy.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmTeamRows.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmMaskRows.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmResult.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmSearchRows.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmSortRows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// \brief `SpgemmAlgorithm::row_classes`: count, then add, every row by what suits its products and its columns.

namespace lacuna::Impl {

/// Whether a row of a masked product is searched for. `unordered`: rows of B are not sorted.
template <class Operands>
KOKKOS_FORCEINLINE_FUNCTION bool is_searched([[maybe_unused]] const Operands& operands,
                                             [[maybe_unused]] std::int64_t row, [[maybe_unused]] Counter products,
                                             [[maybe_unused]] const Counter* unordered) {
  if constexpr (Operands::is_masked) {
    const auto factors = static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]);
    return *unordered == 0 && operands.mask.searches(row, factors, static_cast<std::int64_t>(products));
  }
  return false;
}

/// Class of a row before its nonzeros are known; products are added up.
template <class Operands>
struct SpgemmSymbolicClassifier {
  SpgemmRowClasses<Operands> classes;
  const Counter* products;
  const ColumnRange<typename Operands::Arrays::Ordinal>* ranges;
  Operands operands;
  const Counter* unordered;
  const typename Operands::Arrays::Ordinal* listed;  ///< or nullptr: words of a row that are not empty, at most
  const unsigned char* equal_rows;                   ///< or nullptr

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const {
    if (is_searched(operands, row, products[row], unordered)) return SpgemmRowClasses<Operands>::search;
    const std::int64_t words = ranges[row].words();
    return classes.symbolic(static_cast<std::int64_t>(products[row]), words,
                            SpgemmGroupRows<false, Operands>::most_words(operands, row, listed, words, words),
                            equal_rows == nullptr ? 1 : equal_rows[row]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return products[row]; }
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const {
    return static_cast<Counter>(ranges[row].width());
  }
};

/// Class of a row whose nonzeros are counted; these are added up.
template <class Operands>
struct SpgemmNumericClassifier {
  SpgemmRowClasses<Operands> classes;
  const Counter* products;
  const ColumnRange<typename Operands::Arrays::Ordinal>* ranges;
  const typename Operands::Arrays::Ordinal* counts;
  Operands operands;
  bool unordered;
  const typename Operands::Arrays::Ordinal* listed;  ///< or nullptr: words of a row that are not empty, at most
  const unsigned char* equal_rows;                   ///< or nullptr

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const {
    const Counter is_mixed = unordered ? 1 : 0;
    if (Operands::is_masked && counts[row] == 0) return SpgemmRowClasses<Operands>::empty;
    if (is_searched(operands, row, products[row], &is_mixed)) return SpgemmRowClasses<Operands>::search;
    std::int64_t first = row;
    if (equal_rows != nullptr)
      while (equal_rows[first] == 0) --first;
    const std::int64_t words   = ranges[row].words();
    const auto nonzeros        = static_cast<std::int64_t>(counts[row]);
    const std::int64_t at_most = SpgemmGroupRows<true, Operands>::most_words(operands, row, listed, words, nonzeros);
    return classes.numeric(static_cast<std::int64_t>(products[row]), words, at_most, nonzeros,
                           static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]),
                           equal_rows == nullptr ? 1 : equal_rows[first], first == row);
  }
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const { return static_cast<Counter>(counts[row]); }
};

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
class SpgemmRowClassesStorage {
  using Arrays   = CrsArraysOf<Matrix>;
  using Scalar   = typename Arrays::Scalar;
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;
  using Space    = typename ExecutionSpace::memory_space;
  using Room     = Arena<Space>;
  using Range    = ColumnRange<Ordinal>;
  using RowOfB   = SpgemmRowOfB<Ordinal>;
  using Counting = SpgemmOperands<Arrays, PlusTimes<Scalar>, Mask>;  ///< what patterns are found with
  using Classes  = SpgemmRowClasses<Counting>;
  using Context  = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Target   = SpgemmTarget<Scalar, Ordinal, Offset>;
  using Policy   = SpgemmRowClassesPolicy;
  template <class T>
  using Array = typename Room::template Array<T>;

  static constexpr bool by_lanes = runs_lane_kernels<ExecutionSpace>;

 public:
  static constexpr SpgemmAlgorithm id = SpgemmAlgorithm::row_classes;

  /// Fills `row_map` (rows of A + 1); the nonzeros of C. Waits twice.
  std::int64_t build(const Context& context, Offset* row_map) {
    const ExecutionSpace& exec = context.exec;
    const Arrays& A            = context.A;
    const auto rows            = static_cast<std::int64_t>(A.rows);
    m_deterministic            = context.deterministic;
    m_classes                  = Classes::of_device(largest_scratch(exec));
    // As many products as there were if all rows of B had the mean length.
    m_classes.group_products =
        group_products(exec, static_cast<std::int64_t>(static_cast<double>(A.nonzeros) * mean_length(context.B)));
    take_room(context);
    Kokkos::deep_copy(exec, as_words(m_counters), Counter(0));
    const Counting counting{.A = A, .B = context.B, .mask = context.mask};
    find_spgemm_bounds(exec, A, context.B,
                       SpgemmBounds<Ordinal>{.rows_of_b    = m_rows_of_b.data(),
                                             .products     = m_products.data(),
                                             .ranges       = m_ranges.data(),
                                             .counts       = m_counts.data(),
                                             .counters     = m_counters.data(),
                                             .repeats_of_b = m_repeats_of_b.data(),
                                             .words        = m_listed.data(),
                                             .repeats      = m_repeats.data()});
    if constexpr (Counting::is_masked)
      if (!context.mask.complemented)
        for_each_index(exec, "Lacuna::spgemm::restrict_bounds", rows,
                       SpgemmRestrictBounds<Ordinal, Offset>{context.mask, m_products.data(), m_ranges.data()});
    if constexpr (by_lanes) {
      if constexpr (joins_equal_rows)
        for_each_index(exec, "Lacuna::spgemm::equal_rows", rows,
                       SpgemmGroupEqualRows{rows, m_repeats.data(), m_equal_rows.data()});
      const auto rows_b = static_cast<std::int64_t>(context.B.rows);
      Kokkos::parallel_scan(
          "Lacuna::spgemm::words_of_b", IndexRange<ExecutionSpace>(exec, 0, rows_b + 1),
          SpgemmScanWords<Ordinal, Offset>{rows_b, m_rows_of_b.data(), m_first_word.data(), &m_counters.data()->words});
    }
    const SpgemmSymbolicClassifier<Counting> before{
        m_classes,       m_products.data(),  m_ranges.data(), counting, &m_counters.data()->unordered,
        m_listed.data(), m_equal_rows.data()};
    sort_into_classes<ExecutionSpace, decltype(before), Ordinal>(exec, "Lacuna::spgemm::count_classes", before, rows,
                                                                 m_counters.data(), nullptr);
    if constexpr (by_lanes)
      sort_into_classes(exec, "Lacuna::spgemm::list_classes", before, rows, m_counters.data(), m_list.data());
    m_found    = read_counters(exec, m_counters);
    m_total    = static_cast<std::int64_t>(m_found.sum);
    m_widest   = static_cast<std::int64_t>(m_found.largest);
    m_is_mixed = m_found.unordered != 0;
    m_has_runs = m_found.repeats != 0;
    take_workspace(context);
    if constexpr (by_lanes) pack(context);
    const Target counts{nullptr, nullptr, nullptr, m_counts.data()};
    run<false>(exec, counting, counts);

    row_map_of_counts(exec, rows, m_counts.data(), row_map);
    m_classes.group_products = group_products(exec, m_total);
    const SpgemmNumericClassifier<Counting> after{m_classes, m_products.data(), m_ranges.data(), m_counts.data(),
                                                  counting,  m_is_mixed,        m_listed.data(), m_equal_rows.data()};
    Kokkos::deep_copy(exec, as_words(m_counters), Counter(0));
    sort_into_classes<ExecutionSpace, decltype(after), Ordinal>(exec, "Lacuna::spgemm::count_classes", after, rows,
                                                                m_counters.data(), nullptr);
    if constexpr (by_lanes)
      sort_into_classes(exec, "Lacuna::spgemm::list_classes", after, rows, m_counters.data(), m_list.data());
    m_found = read_counters(exec, m_counters);
    return static_cast<std::int64_t>(m_found.sum);
  }

  /// C = alpha A B. Does not fence, does not allocate.
  template <class Operands>
  void multiply(const ExecutionSpace& exec, const Operands& operands, const Target& target,
                bool /*values_of_plan*/) const {
    run<true>(exec, operands, target);
  }

  /// Bytes that are needed before anything is known of the rows.
  static std::size_t least_bytes(const Arrays& A, const Arrays& B) {
    return room_bytes(static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(B.rows), 0);
  }
  std::size_t bytes() const { return m_room.bytes() + m_packed_room.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  std::int64_t products() const { return m_total; }

  std::string describe() const {
    std::string text;
    if constexpr (by_lanes) {
      std::int64_t sorted = 0, groups = 0, together = m_found.count(Classes::follows), teams = 0;
      for (int c = Classes::first_sort; c < Classes::first_group; ++c) sorted += m_found.count(c);
      for (int c = Classes::first_group; c < Classes::first_together; ++c) groups += m_found.count(c);
      for (int c = Classes::first_together; c < Classes::first_team; ++c) together += m_found.count(c);
      for (int c = Classes::first_team; c < Classes::global; ++c) teams += m_found.count(c);
      text = "  rows        " + std::to_string(m_found.count(Classes::empty)) + " empty, " + std::to_string(sorted) +
             " sorted, " + std::to_string(groups) + " in bitmaps of a lane group, " + std::to_string(together) +
             " in those of equal rows, " + std::to_string(teams) + " of a team, " +
             std::to_string(m_found.count(Classes::global)) + " in memory" +
             (Counting::is_masked ? ", " + std::to_string(m_found.count(Classes::search)) + " by search" : "") + "\n";
    } else {
      text = "  rows        by host threads, each with a dense row of " + std::to_string(m_widest) + " columns\n";
    }
    return text;
  }

 private:
  static constexpr const char* who = "SpgemmPlan";

  static auto as_words(const Array<SpgemmCounters>& counters) {
    return Kokkos::View<Counter*, Space, Kokkos::MemoryUnmanaged>(reinterpret_cast<Counter*>(counters.data()),
                                                                  sizeof(SpgemmCounters) / sizeof(Counter));
  }

  static constexpr bool joins_equal_rows = by_lanes && !Counting::is_masked;

  static std::size_t room_bytes(std::int64_t rows, std::int64_t rows_b, std::int64_t small) {
    return Room::template bytes_for<SpgemmCounters, RowOfB, Counter, Range, Ordinal, Ordinal, Ordinal, Offset,
                                    unsigned char, unsigned char, unsigned char, SpgemmPackedWord>(
        1, rows_b, rows, rows, rows, by_lanes ? rows : 0, by_lanes ? rows : 0, by_lanes ? rows_b + 1 : 0,
        by_lanes ? rows_b : 0, joins_equal_rows ? rows : 0, joins_equal_rows ? rows : 0, small);
  }

  void take_room(const Context& context) {
    const auto rows   = static_cast<std::int64_t>(context.A.rows);
    const auto rows_b = static_cast<std::int64_t>(context.B.rows);
    const auto listed = by_lanes ? rows : 0;
    const auto packed = static_cast<std::int64_t>(Policy::most_packed * static_cast<double>(context.B.nonzeros));
    // Words of B are not needed: they must not be what a limit fails by.
    const bool may_pack = by_lanes && context.budget.limit() == unlimited;
    const auto small    = may_pack && packed <= Policy::packed_at_once ? packed : 0;
    const std::size_t n = room_bytes(rows, rows_b, small);
    context.budget.take("the analysis of rows", n);
    m_room         = Room(who, context.exec, "Lacuna::spgemm::rows", n);
    m_counters     = m_room.template take<SpgemmCounters>(1);
    m_rows_of_b    = m_room.template take<RowOfB>(rows_b);
    m_products     = m_room.template take<Counter>(rows);
    m_ranges       = m_room.template take<Range>(rows);
    m_counts       = m_room.template take<Ordinal>(rows);
    m_list         = m_room.template take<Ordinal>(listed);
    m_listed       = m_room.template take<Ordinal>(listed);
    m_first_word   = m_room.template take<Offset>(by_lanes ? rows_b + 1 : 0);
    m_repeats_of_b = m_room.template take<unsigned char>(by_lanes ? rows_b : 0);
    m_repeats      = m_room.template take<unsigned char>(joins_equal_rows ? rows : 0);
    m_equal_rows   = m_room.template take<unsigned char>(joins_equal_rows ? rows : 0);
    // An allocation costs more than memory that may stay unused, where that is little.
    m_small_packed = m_room.template take<SpgemmPackedWord>(small);
  }

  /// The pattern of B in words, where that is much shorter than its columns and rows are added in bitmaps.
  void pack(const Context& context) {
    const Arrays& B  = context.B;
    const auto words = static_cast<std::int64_t>(m_found.words);
    if (words == 0 || static_cast<double>(words) > Policy::most_packed * static_cast<double>(B.nonzeros)) return;
    if (m_found.first(Classes::count) == m_found.first(Classes::first_group)) return;
    if (static_cast<std::int64_t>(B.columns / 32) > std::int64_t{0xffffffff}) return;
    if (words <= static_cast<std::int64_t>(m_small_packed.extent(0))) {
      m_packed = m_small_packed;
    } else {
      const std::size_t n = Room::template bytes_for<SpgemmPackedWord>(words);
      if (!context.budget.fits(n)) return;
      context.budget.take("B in words", n);
      m_packed_room = Room(who, context.exec, "Lacuna::spgemm::packed_words", n);
      m_packed      = m_packed_room.template take<SpgemmPackedWord>(words);
    }
    m_packed_mean   = static_cast<double>(words) / static_cast<double>(B.rows);
    const int width = lanes_for(mean_length(B) / 2, ExecutionTraits<ExecutionSpace>::lane_width);
    using Body      = SpgemmPackWords<Arrays>;
    launch_rows(context.exec, "Lacuna::spgemm::pack_words", static_cast<std::int64_t>(B.rows), width,
                Body{B, width, m_first_word.data(), m_packed.data()}, Body::scratch_bytes);
  }

  /// The most products of a row that a lane group takes: its share where the device holds half as many groups as it
  /// can.
  static std::int64_t group_products(const ExecutionSpace& exec, std::int64_t products) {
    if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) return Policy::group_products;
    const std::int64_t groups = exec.concurrency() / (2 * ExecutionTraits<ExecutionSpace>::lane_width);
    return std::clamp(products / std::max<std::int64_t>(groups, 1), Policy::least_group_products,
                      Policy::group_products);
  }

  /// What kernels write to beside C: bitmaps that are too wide for scratch; on hosts the dense rows of threads.
  void take_workspace(const Context& context) {
    if constexpr (by_lanes) {
      const std::int64_t wide = m_found.count(Classes::global);
      m_words                 = m_widest / 32 + 2;
      // Numeric classes are not known yet, but a bitmap of two words where one did not fit is not new.
      const bool may_be_wide = Classes::TeamAdd::bytes(m_words, 0) > m_classes.team_bytes[Policy::team_classes - 1];
      if (wide == 0 && !may_be_wide) return;
      const std::int64_t one = round_up(m_words * static_cast<std::int64_t>(sizeof(SpgemmWord)), 256);
      m_teams = std::min<std::int64_t>(static_cast<std::int64_t>(context.A.rows), 2 * processors(context.exec));
      m_words = one / static_cast<std::int64_t>(sizeof(SpgemmWord));
      const auto bytes = [&] { return Room::template bytes_for<SpgemmWord>(m_teams * m_words); };
      // Fewer teams at once are slower, and do.
      while (m_teams > 1 && !context.budget.fits(bytes())) --m_teams;
      const std::size_t n = bytes();
      context.budget.take("bitmaps of wide rows", n);
      m_workspace = Room(who, context.exec, "Lacuna::spgemm::wide_rows", n);
      m_wide      = m_workspace.template take<SpgemmWord>(m_teams * m_words);
    } else {
      m_teams                 = std::max<std::int64_t>(1, context.exec.concurrency());
      const std::int64_t bits = (m_widest + 63) / 64;
      constexpr auto bitmaps  = SpgemmHostRows<true, Counting>::bitmaps;
      const auto bytes        = [&] {
        return Room::template bytes_for<Counter, std::uint64_t, Ordinal, Scalar>(
            1, bitmaps * m_teams * bits, m_teams * m_widest, m_teams * m_widest);
      };
      while (m_teams > 1 && !context.budget.fits(bytes())) --m_teams;
      const std::size_t n = bytes();
      context.budget.take("dense rows of the threads", n);
      m_workspace = Room(who, context.exec, "Lacuna::spgemm::dense_rows", n);
      m_next      = m_workspace.template take<Counter>(1);
      m_bits      = m_workspace.template take<std::uint64_t>(bitmaps * m_teams * bits);
      m_columns   = m_workspace.template take<Ordinal>(m_teams * m_widest);
      m_sums      = m_workspace.template take<Scalar>(m_teams * m_widest);
      Kokkos::deep_copy(context.exec, m_bits, std::uint64_t(0));
    }
  }

  template <bool Numeric, class Operands>
  void run(const ExecutionSpace& exec, const Operands& operands, const Target& target) const {
    if constexpr (by_lanes) {
      // What takes longest starts first.
      run_teams<Numeric, SpgemmTeamSums::in_place>(exec, operands, target, Classes::global);
      if constexpr (Numeric)
        for (int c = Classes::global - 1; c >= Classes::first_in_scratch; --c)
          run_teams<true, SpgemmTeamSums::in_scratch>(exec, operands, target, c);
      for (int c = Classes::first_in_scratch - 1; c >= Classes::first_team; --c)
        run_teams<Numeric, SpgemmTeamSums::in_place>(exec, operands, target, c);
      if constexpr (Numeric && !Operands::is_masked) {
        run_all_groups<true, most_equal_rows>(exec, operands, target, Classes::first_together);
        if (m_has_runs) run_all_groups<true, most_equal_rows>(exec, operands, target, Classes::first_group);
      }
      if (!Numeric || Operands::is_masked || !m_has_runs)
        run_all_groups<Numeric, 1>(exec, operands, target, Classes::first_group);
      SpgemmSortClass<Ordinal> sorted[Policy::sorts];
      int classes = 0;
      for (int c = Classes::first_group - 1; c >= Classes::first_sort; --c)
        if (const std::int64_t count = m_found.count(c); count > 0)
          sorted[classes++] = {list_of(c), count, Classes::capacity_of_sort(c)};
      spgemm_sort_rows<Numeric>(exec, operands, m_ranges.data(), sorted, classes, target);
      if constexpr (Operands::is_masked) run_search<Numeric>(exec, operands, target);
    } else {
      if (m_total == 0 && Numeric) return;
      Kokkos::deep_copy(exec, m_next, Counter(0));
      for_each_index(
          exec, Numeric ? "Lacuna::spgemm::host_rows" : "Lacuna::spgemm::count_host_rows", m_teams,
          SpgemmHostRows<Numeric, Operands>{operands, m_ranges.data(), m_next.data(), m_widest, m_bits.data(),
                                            m_columns.data(), m_sums.data(), target, m_is_mixed});
    }
  }

  template <bool Numeric, class Operands>
  void run_search(const ExecutionSpace& exec, const Operands& operands, const Target& target) const {
    const std::int64_t count = m_found.count(Classes::search);
    if (count == 0) return;
    constexpr int width = std::min(8, ExecutionTraits<ExecutionSpace>::lane_width);  // untuned: masks are short here
    launch_rows(exec, Numeric ? "Lacuna::spgemm::search_rows" : "Lacuna::spgemm::count_by_search", count, width,
                SpgemmSearchRows<Numeric, Operands>{operands, list_of(Classes::search), count, width, target});
  }

  const Ordinal* list_of(int c) const { return m_list.data() + m_found.first(c); }

  /// Lanes a row of B.
  template <class Operands>
  int lanes_of_b(const Operands& operands) const {
    constexpr int wide = ExecutionTraits<ExecutionSpace>::lane_width;
    const double mean  = mean_length(operands.B);
    return m_deterministic || mean >= Policy::whole_group_length ? wide : lanes_for(mean, wide);
  }

  /// From the class of most scratch down; a launch that does not fill the device takes the next class along.
  template <bool Numeric, int Together, class Operands>
  void run_all_groups(const ExecutionSpace& exec, const Operands& operands, const Target& target, int first) const {
    const auto scratch = static_cast<std::int64_t>(largest_scratch(exec));
    for (int c = first + Policy::group_classes - 1; c >= first; --c) {
      std::int64_t count = m_found.count(c);
      if (count == 0) continue;
      const std::int64_t bytes = Policy::group_bytes[c - first];
      const std::int64_t wave  = Policy::waves * processors(exec) * std::max<std::int64_t>(1, scratch / bytes);
      int last                 = c;
      while (last > first && count + m_found.count(last - 1) <= wave) count += m_found.count(--last);
      run_groups<Numeric, Together>(exec, operands, target, last, count, bytes);
      c = last;
    }
  }

  /// `count` rows of the classes from `c` on.
  template <bool Numeric, int Together, class Operands>
  void run_groups(const ExecutionSpace& exec, const Operands& operands, const Target& target, int c, std::int64_t count,
                  std::int64_t scratch) const {
    using Body              = SpgemmGroupRows<Numeric, Operands, Together>;
    constexpr int wide      = ExecutionTraits<ExecutionSpace>::lane_width;
    const int threads       = team_threads<ExecutionSpace>(128);
    const int groups        = threads / wide;
    const std::size_t bytes = (static_cast<std::size_t>(scratch) + Body::factor_bytes(wide)) * groups + 64;
    const int lanes_b       = lanes_of_b(operands);
    const Body body{.operands     = operands,
                    .packed       = {m_first_word.data(), m_packed.data()},
                    .repeats_of_b = m_has_runs ? m_repeats_of_b.data() : nullptr,
                    .ranges       = m_ranges.data(),
                    .rows         = list_of(c),
                    .count        = count,
                    .equal_rows   = m_equal_rows.data(),
                    .listed       = m_listed.data(),
                    .scratch      = static_cast<int>(scratch),
                    .lanes_b      = lanes_b,
                    .lanes_packed = lanes_for(m_packed_mean, wide),
                    .flat_words   = Policy::flat_words,
                    .is_shared    = m_is_mixed || lanes_b < wide,
                    .is_alone     = Numeric && c < Classes::first_together,
                    .target       = target};
    // Sums of several rows leave scratch for fewer teams, which may have more registers.
    launch_teams<128, (Together > 1 ? 5
                       : Numeric    ? 6
                                    : 8)>(exec,
                                       Numeric ? "Lacuna::spgemm::group_rows" : "Lacuna::spgemm::count_group_rows",
                                       {ceiling_quotient(count, groups), threads}, bytes, body);
  }

  template <bool Numeric, SpgemmTeamSums Sums, class Operands>
  void run_teams(const ExecutionSpace& exec, const Operands& operands, const Target& target, int c) const {
    const std::int64_t count = m_found.count(c);
    if (count == 0) return;
    using Body                = SpgemmTeamRows<Numeric, Sums, Operands>;
    constexpr bool in_scratch = Sums == SpgemmTeamSums::in_scratch;
    const bool in_memory      = c == Classes::global;
    const int size =
        in_scratch ? c - Classes::first_in_scratch : std::min(c - Classes::first_team, Policy::team_classes - 1);
    // No window has more words than the widest.
    const std::int64_t bitmap  = round_up(m_words * static_cast<std::int64_t>(sizeof(typename Body::Word)), 16);
    const std::int64_t scratch = in_memory    ? 0
                                 : in_scratch ? m_classes.scratch_bytes[size]
                                              : std::min(bitmap, m_classes.team_bytes[size]);
    const std::int64_t teams   = in_memory ? std::min(count, m_teams) : count;
    const Body body{.operands     = operands,
                    .packed       = {m_first_word.data(), m_packed.data()},
                    .ranges       = m_ranges.data(),
                    .rows         = list_of(c),
                    .count        = count,
                    .equal_rows   = m_equal_rows.data(),
                    .scratch      = static_cast<int>(scratch),
                    .lanes_b      = lanes_of_b(operands),
                    .lanes_packed = lanes_for(m_packed_mean, ExecutionTraits<ExecutionSpace>::lane_width),
                    .is_mixed     = m_is_mixed,
                    .in_order     = m_deterministic,
                    .workspace    = in_memory ? reinterpret_cast<typename Body::Word*>(m_wide.data()) : nullptr,
                    .longest      = m_words,
                    .target       = target};
    launch_teams<1024>(exec, Numeric ? "Lacuna::spgemm::team_rows" : "Lacuna::spgemm::count_team_rows",
                       {teams, Policy::team_threads[size]}, static_cast<std::size_t>(scratch) + Body::shared_bytes + 64,
                       body);
  }

  Classes m_classes{};
  SpgemmCounters m_found{};
  std::int64_t m_total  = 0;
  std::int64_t m_widest = 0;
  std::int64_t m_words  = 0;
  std::int64_t m_teams  = 0;
  bool m_is_mixed       = false;
  bool m_has_runs       = false;  ///< rows of B with the columns of the row before
  bool m_deterministic  = false;
  double m_packed_mean  = 0;
  Room m_room, m_packed_room, m_workspace;
  Array<SpgemmCounters> m_counters;
  Array<RowOfB> m_rows_of_b;
  Array<Range> m_ranges;
  Array<Counter> m_products;
  Array<Ordinal> m_counts, m_list, m_listed;
  Array<Offset> m_first_word;
  Array<unsigned char> m_repeats_of_b, m_repeats, m_equal_rows;
  Array<SpgemmPackedWord> m_packed, m_small_packed;
  Array<SpgemmWord> m_wide;
  Array<Counter> m_next;
  Array<std::uint64_t> m_bits;
  Array<Ordinal> m_columns;
  Array<Scalar> m_sums;
};

}  // namespace lacuna::Impl

#endif
