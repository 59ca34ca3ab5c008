// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWLAUNCHES_HPP
#define LACUNA_SPGEMMROWLAUNCHES_HPP

#include <backends/Lacuna_Launch.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSearchRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSortInMemory.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSortRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmTeamRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmWarpRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowAnalysis.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief Launches the kernels of all classes: those that take longest start first, and none waits for another.

namespace lacuna::Impl {

/// Bitmaps in memory, for windows that do not fit scratch.
struct SpgemmWideBitmaps {
  SpgemmWord* words   = nullptr;
  std::int64_t length = 0;  ///< of each, in words: that of the widest window, or more
  std::int64_t teams  = 0;  ///< how many teams have a bitmap
};

/// Columns in memory, for rows that are sorted there.
template <class Ordinal>
struct SpgemmSortedColumns {
  Ordinal* columns      = nullptr;
  std::int64_t capacity = 0;  ///< of each team, a power of two
  std::int64_t teams    = 0;  ///< how many teams have as many
};

/// Launches what counts the nonzeros of all rows, or (`Numeric`) adds them.
template <bool Numeric, class Analysis, class Operands, class Target, class ExecutionSpace>
class SpgemmRowLaunches {
  using Arrays  = typename Operands::Arrays;
  using Ordinal = typename Arrays::Ordinal;
  using Rule    = typename Analysis::Rule;
  using Policy  = SpgemmRowClassesPolicy;
  using Class   = SpgemmRowClass;
  using Kind    = SpgemmRowKind;

  static constexpr int wide = ExecutionTraits<ExecutionSpace>::lane_width;

 public:
  SpgemmRowLaunches(const ExecutionSpace& exec, const Analysis& analysis, const Rule& rule,
                    const SpgemmWideBitmaps& bitmaps, const SpgemmSortedColumns<Ordinal>& sorted, bool deterministic,
                    const Operands& operands, const Target& target)
      : m_launches(exec),
        m_analysis(analysis),
        m_rule(rule),
        m_bitmaps(bitmaps),
        m_sorted(sorted),
        m_operands(operands),
        m_target(target),
        m_deterministic(deterministic),
        m_lanes_b(lanes_of_b()) {}

  void run() {
    run_sorts_in_memory();
    run_teams<SpgemmTeamSums::in_place>(Class{Kind::global});
    if constexpr (Numeric)
      for (int size = Policy::scratch_classes; size-- > 0;)
        run_teams<SpgemmTeamSums::in_scratch>(Class{Kind::team_in_scratch, size});
    for (int size = Policy::team_classes; size-- > 0;) run_teams<SpgemmTeamSums::in_place>(Class{Kind::team, size});
    if constexpr (Numeric && !Operands::is_masked) {
      run_all_warps<most_inode_rows>(Kind::inode);
      if (m_analysis.fuses_inodes_of_b(m_operands)) run_all_warps<most_inode_rows>(Kind::warp);
    }
    if (!Numeric || Operands::is_masked || !m_analysis.fuses_inodes_of_b(m_operands)) run_all_warps<1>(Kind::warp);
    run_sorts();
    if constexpr (Operands::is_masked) run_search();
  }

 private:
  int lanes_of_b() const {
    const double mean = mean_length(m_operands.B);
    return m_deterministic || mean >= Policy::whole_warp_length ? wide : lanes_for(mean, wide);
  }

  void run_sorts() {
    SpgemmSortClass<Ordinal> sorted[Policy::sorts];
    int classes = 0;
    for (int size = Policy::sorts; size-- > 0;) {
      const Class c = Class{Kind::sort, size};
      if (const std::int64_t count = m_analysis.count(c); count > 0)
        sorted[classes++] = {m_analysis.list(c), count, Rule::capacity_of_sort(size)};
    }
    spgemm_sort_rows<Numeric>(m_launches, m_operands, m_analysis.ranges(), sorted, classes, m_target);
  }

  void run_sorts_in_memory() {
    using Body               = SpgemmSortInMemory<Numeric, Operands>;
    const Class c            = Class{Kind::sort_in_memory};
    const std::int64_t count = m_analysis.count(c);
    if (count == 0) return;
    m_launches.template launch<Body::threads>(
        Numeric ? "Lacuna::spgemm::sort_in_memory" : "Lacuna::spgemm::count_by_sort_in_memory",
        {std::min(count, m_sorted.teams), Body::threads}, Body::team_bytes,
        Body{m_operands, m_analysis.list(c), count, m_sorted.columns, m_sorted.capacity, m_deterministic, m_target});
  }

  void run_search() {
    const Class c            = Class{Kind::search};
    const std::int64_t count = m_analysis.count(c);
    if (count == 0) return;
    constexpr int width = std::min(8, wide);  // not tuned: masks are short here
    m_launches.template launch<256>(
        Numeric ? "Lacuna::spgemm::search_rows" : "Lacuna::spgemm::count_by_search",
        teams_of_rows<ExecutionSpace>(count, width), 0,
        SpgemmSearchRows<Numeric, Operands>{m_operands, m_analysis.list(c), count, width, m_target});
  }

  /// Launches the warps of a kind, from the class of most scratch down. A launch that does not fill the device takes
  /// the next smaller class along, whose list stands in front of its own.
  template <int InodeRows>
  void run_all_warps(Kind kind) {
    const auto scratch = static_cast<std::int64_t>(largest_scratch(m_launches.exec()));
    for (int size = Policy::warp_classes; size-- > 0;) {
      std::int64_t count = m_analysis.count(Class{kind, size});
      if (count == 0) continue;
      const std::int64_t bytes = Policy::warp_bytes[size];
      const std::int64_t wave =
          Policy::waves * processors(m_launches.exec()) * std::max<std::int64_t>(1, scratch / bytes);
      const auto more = [&] { return m_analysis.count(Class{kind, size - 1}); };
      while (size > 0 && count + more() <= wave) {
        count += more();
        --size;
      }
      run_warps<InodeRows>(Class{kind, size}, count, bytes);
    }
  }

  /// `count` rows of the classes from `c` on.
  template <int InodeRows>
  void run_warps(Class c, std::int64_t count, std::int64_t scratch) {
    using Body        = SpgemmWarpRows<Numeric, Operands, InodeRows>;
    const int threads = team_threads<ExecutionSpace>(Body::threads);
    const int warps   = threads / wide;
    const Body body{.operands       = m_operands,
                    .packed         = m_analysis.packed(m_operands.B),
                    .repeats_of_b   = m_analysis.repeats_of_b(),
                    .ranges         = m_analysis.ranges(),
                    .products       = m_analysis.products_of_rows(),
                    .rows           = m_analysis.list(c),
                    .count          = count,
                    .inode_sizes    = m_analysis.inode_sizes(),
                    .nonempty_words = m_analysis.nonempty_words(),
                    .scratch        = static_cast<int>(scratch),
                    .lanes_b        = m_lanes_b,
                    .lanes_packed   = lanes_for(m_analysis.packed_mean(), wide),
                    .flat_words     = Policy::flat_words,
                    .has_duplicates = m_analysis.has_duplicates(),
                    .ignores_inodes = Numeric && c.kind != Kind::inode,
                    .target         = m_target,
                    .bitmap_cache   = m_analysis.bitmap_cache()};
    m_launches.template launch<Body::threads, Body::least_teams>(
        Numeric ? "Lacuna::spgemm::group_rows" : "Lacuna::spgemm::count_group_rows",
        {ceiling_quotient(count, warps), threads}, Body::team_bytes(warps, wide, static_cast<std::size_t>(scratch)),
        body);
  }

  template <SpgemmTeamSums Sums>
  void run_teams(Class c) {
    const std::int64_t count = m_analysis.count(c);
    if (count == 0) return;
    using Body                 = SpgemmTeamRows<Numeric, Sums, Operands>;
    using Word                 = typename Body::Word;
    constexpr bool in_scratch  = Sums == SpgemmTeamSums::in_scratch;
    const bool in_memory       = c.kind == Kind::global;
    const int size             = in_memory ? Policy::team_classes - 1 : c.size;
    const std::int64_t bitmap  = round_up(m_bitmaps.length * static_cast<std::int64_t>(sizeof(Word)), 16);
    const std::int64_t scratch = in_memory    ? 0
                                 : in_scratch ? m_rule.scratch_bytes[size]
                                              : std::min(bitmap, m_rule.team_bytes[size]);
    const std::int64_t teams   = in_memory ? std::min(count, m_bitmaps.teams) : count;
    const Body body{.operands       = m_operands,
                    .packed         = m_analysis.packed(m_operands.B),
                    .ranges         = m_analysis.ranges(),
                    .rows           = m_analysis.list(c),
                    .count          = count,
                    .inode_sizes    = m_analysis.inode_sizes(),
                    .scratch        = static_cast<int>(scratch),
                    .lanes_b        = m_lanes_b,
                    .lanes_packed   = lanes_for(m_analysis.packed_mean(), wide),
                    .has_duplicates = m_analysis.has_duplicates(),
                    .in_order       = m_deterministic,
                    .workspace      = in_memory ? reinterpret_cast<Word*>(m_bitmaps.words) : nullptr,
                    .longest        = m_bitmaps.length,
                    .target         = m_target};
    m_launches.template launch<1024>(Numeric ? "Lacuna::spgemm::team_rows" : "Lacuna::spgemm::count_team_rows",
                                     {teams, Policy::team_threads[size]},
                                     Body::team_bytes(static_cast<std::size_t>(scratch)), body);
  }

  IndependentLaunches<ExecutionSpace> m_launches;
  const Analysis& m_analysis;
  const Rule& m_rule;
  const SpgemmWideBitmaps& m_bitmaps;
  const SpgemmSortedColumns<Ordinal>& m_sorted;
  const Operands& m_operands;
  const Target& m_target;
  bool m_deterministic;
  int m_lanes_b;
};

}  // namespace lacuna::Impl

#endif
