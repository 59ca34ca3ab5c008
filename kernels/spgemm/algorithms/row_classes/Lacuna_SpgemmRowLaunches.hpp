// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWLAUNCHES_HPP
#define LACUNA_SPGEMMROWLAUNCHES_HPP

#include <backends/Lacuna_Launch.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSearchRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSortRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmTeamRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowAnalysis.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief The kernels of every class of rows: what takes longest starts first, and none waits for another.

namespace lacuna::Impl {

/// Bitmaps in memory, for windows that do not fit scratch.
struct SpgemmWideBitmaps {
  SpgemmWord* words   = nullptr;
  std::int64_t length = 0;  ///< of each, in words; no window is wider
  std::int64_t teams  = 0;  ///< each has one
};

/// Counts the nonzeros of all rows, or (`Numeric`) adds them.
template <bool Numeric, class Analysis, class Operands, class Target, class ExecutionSpace>
class SpgemmRowLaunches {
  using Arrays  = typename Operands::Arrays;
  using Ordinal = typename Arrays::Ordinal;
  using Classes = typename Analysis::Classes;
  using Policy  = SpgemmRowClassesPolicy;

  static constexpr int wide = ExecutionTraits<ExecutionSpace>::lane_width;

 public:
  SpgemmRowLaunches(const ExecutionSpace& exec, const Analysis& analysis, const Classes& classes,
                    const SpgemmWideBitmaps& bitmaps, bool deterministic, const Operands& operands,
                    const Target& target)
      : m_launches(exec),
        m_analysis(analysis),
        m_classes(classes),
        m_bitmaps(bitmaps),
        m_operands(operands),
        m_target(target),
        m_deterministic(deterministic),
        m_lanes_b(lanes_of_b()) {}

  void run() {
    run_teams<SpgemmTeamSums::in_place>(Classes::global);
    if constexpr (Numeric)
      for (int c = Classes::global - 1; c >= Classes::first_in_scratch; --c) run_teams<SpgemmTeamSums::in_scratch>(c);
    for (int c = Classes::first_in_scratch - 1; c >= Classes::first_team; --c) run_teams<SpgemmTeamSums::in_place>(c);
    if constexpr (Numeric && !Operands::is_masked) {
      run_all_warps<most_inode_rows>(Classes::first_inode);
      if (m_analysis.fuses_inodes_of_b(m_operands)) run_all_warps<most_inode_rows>(Classes::first_warp);
    }
    if (!Numeric || Operands::is_masked || !m_analysis.fuses_inodes_of_b(m_operands))
      run_all_warps<1>(Classes::first_warp);
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
    for (int c = Classes::first_warp - 1; c >= Classes::first_sort; --c)
      if (const std::int64_t count = m_analysis.count(c); count > 0)
        sorted[classes++] = {m_analysis.list(c), count, Classes::capacity_of_sort(c)};
    spgemm_sort_rows<Numeric>(m_launches, m_operands, m_analysis.ranges(), sorted, classes, m_target);
  }

  void run_search() {
    const std::int64_t count = m_analysis.count(Classes::search);
    if (count == 0) return;
    constexpr int width = std::min(8, wide);  // untuned: masks are short here
    m_launches.template launch<256>(
        Numeric ? "Lacuna::spgemm::search_rows" : "Lacuna::spgemm::count_by_search",
        teams_of_rows<ExecutionSpace>(count, width), 0,
        SpgemmSearchRows<Numeric, Operands>{m_operands, m_analysis.list(Classes::search), count, width, m_target});
  }

  /// From the class of most scratch down; a launch that does not fill the device takes the next class along.
  template <int InodeRows>
  void run_all_warps(int first) {
    const auto scratch = static_cast<std::int64_t>(largest_scratch(m_launches.exec()));
    for (int c = first + Policy::warp_classes - 1; c >= first; --c) {
      std::int64_t count = m_analysis.count(c);
      if (count == 0) continue;
      const std::int64_t bytes = Policy::warp_bytes[c - first];
      const std::int64_t wave =
          Policy::waves * processors(m_launches.exec()) * std::max<std::int64_t>(1, scratch / bytes);
      int last = c;
      while (last > first && count + m_analysis.count(last - 1) <= wave) count += m_analysis.count(--last);
      run_warps<InodeRows>(last, count, bytes);
      c = last;
    }
  }

  /// `count` rows of the classes from `c` on.
  template <int InodeRows>
  void run_warps(int c, std::int64_t count, std::int64_t scratch) {
    using Body              = SpgemmWarpRows<Numeric, Operands, InodeRows>;
    const int threads       = team_threads<ExecutionSpace>(128);
    const int warps         = threads / wide;
    const std::size_t bytes = (static_cast<std::size_t>(scratch) + Body::factor_bytes(wide)) * warps + 64;
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
                    .ignores_inodes = Numeric && c < Classes::first_inode,
                    .target         = m_target,
                    .bitmap_cache   = m_analysis.bitmap_cache()};
    // Registers for so many teams, of which 6 and 8 left one more to chance: H100, 26 November 2026, by a driver,
    // memory kept: cfd1 504 to 486 us, the 27-point mesh of 40^3 points 454 to 442, of 60^3 points 1387 to 1364. Sums
    // of several rows leave scratch for fewer teams, which may have more registers.
    constexpr int teams = InodeRows > 1 ? 5 : Numeric ? 9 : 10;
    m_launches.template launch<128, teams>(Numeric ? "Lacuna::spgemm::group_rows" : "Lacuna::spgemm::count_group_rows",
                                           {ceiling_quotient(count, warps), threads}, bytes, body);
  }

  template <SpgemmTeamSums Sums>
  void run_teams(int c) {
    const std::int64_t count = m_analysis.count(c);
    if (count == 0) return;
    using Body                = SpgemmTeamRows<Numeric, Sums, Operands>;
    using Word                = typename Body::Word;
    constexpr bool in_scratch = Sums == SpgemmTeamSums::in_scratch;
    const bool in_memory      = c == Classes::global;
    const int size =
        in_scratch ? c - Classes::first_in_scratch : std::min(c - Classes::first_team, Policy::team_classes - 1);
    const std::int64_t bitmap  = round_up(m_bitmaps.length * static_cast<std::int64_t>(sizeof(Word)), 16);
    const std::int64_t scratch = in_memory    ? 0
                                 : in_scratch ? m_classes.scratch_bytes[size]
                                              : std::min(bitmap, m_classes.team_bytes[size]);
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
                                     static_cast<std::size_t>(scratch) + Body::shared_bytes + 64, body);
  }

  IndependentLaunches<ExecutionSpace> m_launches;
  const Analysis& m_analysis;
  const Classes& m_classes;
  const SpgemmWideBitmaps& m_bitmaps;
  const Operands& m_operands;
  const Target& m_target;
  bool m_deterministic;
  int m_lanes_b;
};

}  // namespace lacuna::Impl

#endif
