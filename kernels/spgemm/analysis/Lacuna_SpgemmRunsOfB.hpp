// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMRUNSOFB_HPP
#define LACUNA_SPGEMMRUNSOFB_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmRowsOfB.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief The rows of B that a row of A names, by a warp. Rows with equal columns (inodes: several unknowns a
/// node) that follow each other are a *run*, whose columns are looked at once.

namespace lacuna::Impl {

/// `Joins`: rows are joined to runs. Else each is one of its own.
template <class Arrays, bool Joins>
struct SpgemmRunsOfB {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Places  = SpgemmPlacesOfRows<Ordinal, Offset>;

  const Arrays& A;
  const unsigned char* repeats;  ///< 1 for a row of B with the columns of the row before, or nullptr

  /// Those that up to a warp of nonzeros of A begin, lane i the i-th.
  struct Runs {
    Offset from   = 0;      ///< in B, or in its words
    Offset length = 0;      ///< of each row
    int rows      = 0;      ///< nonzeros of A: the first of the chunk, and from bit 8 on how many
    int count     = 0;      ///< of runs; the same in all lanes
    bool joined   = false;  ///< some have more rows than one; the same in all lanes
  };
  /// One of them.
  struct Run {
    Offset from;
    Offset length;
    int first;
    int rows;
  };
  /// A column of a run: what a lane works on at once.
  template <class Loaded>
  struct Step {
    int t;     ///< the first run of the warp
    Offset p;  ///< the column, of those of the run
    Run run;
    Loaded item;
  };

  /// use(step) for every column of every run of rows of B that the row of A names, `width` lanes a run; `places` tells
  /// where rows of B stand. load(run, at) of the next step comes before this one is used: it is unconditional, `at` is
  /// 0 where there is none, so that nothing waits for it. begin(base, end) comes before the runs of nonzeros from
  /// `base` on. `Apart`: no lane uses the next run before all have used this one. `Short`: runs that are all no longer
  /// than `width` have a loop of their own, which does not ask whether one goes on.
  template <bool Apart, bool Short, class Loaded, class Team, class Begin, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void walk(const Team& team, Ordinal row, const Places& places, int width,
                                        const Begin& begin, const Load& load, const Use& use) const {
    using lanes        = typename Team::lanes;
    constexpr int wide = Team::lane_width;
    const auto stride  = static_cast<Offset>(width);
    const Offset end   = A.row_map[row + 1];
    const auto fetch   = [&](Step<Loaded>& step) {
      step.item = load(step.run, step.p < step.run.length ? step.run.from + step.p : Offset(0));
    };
    for (Offset base = A.row_map[row]; base < end; base += static_cast<Offset>(wide)) {
      const Runs runs = runs_of(team, base, end, places);
      begin(base, end);
      if (Short && !lanes::any(runs.length > stride))
        walk_runs<Apart, true, Loaded>(team, runs, width, fetch, use);
      else
        walk_runs<Apart, false, Loaded>(team, runs, width, fetch, use);
    }
  }

 private:
  /// use(step) for every column of the runs, after fetch(step). `Short`: none has more than `width`.
  template <bool Apart, bool Short, class Loaded, class Team, class Fetch, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void walk_runs(const Team& team, const Runs& runs, int width, const Fetch& fetch,
                                                    const Use& use) {
    using lanes       = typename Team::lanes;
    const int at_once = Team::lane_width / width;  // runs
    const int subwarp = team.lane() / width;
    const auto rank   = static_cast<Offset>(team.lane() % width);
    const auto stride = static_cast<Offset>(width);
    const auto turn   = [&](const Step<Loaded>& here, Step<Loaded>& next) {
      const bool stays = !Short && lanes::any(here.p + stride < here.run.length);
      next.t           = stays ? here.t : here.t + at_once;
      next.p           = stays ? here.p + stride : rank;
      next.run         = stays ? here.run : run_at<Team>(runs, next.t + subwarp);
      fetch(next);
      if (here.p < here.run.length) use(here);
      if (Apart && !stays) team.warp_barrier();
      return next.t < runs.count;
    };
    Step<Loaded> one, other;
    one.t   = 0;
    one.p   = rank;
    one.run = run_at<Team>(runs, subwarp);
    fetch(one);
    while (turn(one, other) && turn(other, one)) {
    }
  }

  /// Of nonzeros [base, base + lane width) of A, as far as they are below `end`.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Runs runs_of(const Team& team, Offset base, Offset end, const Places& places) const {
    using lanes        = typename Team::lanes;
    constexpr int wide = Team::lane_width;
    const int lane     = team.lane();
    const Offset k     = base + static_cast<Offset>(lane);
    const int n        = end - base < static_cast<Offset>(wide) ? static_cast<int>(end - base) : wide;
    Runs runs;
    bool is_first = k < end;
    if (is_first) {
      const Ordinal inner = A.entries[k];
      places.find(inner, runs.from, runs.length);
      if (Joins && repeats != nullptr && lane > 0) is_first = repeats[inner] == 0 || A.entries[k - 1] != inner - 1;
    }
    runs.count = n;
    if constexpr (!Joins) return runs;
    const auto firsts = lanes::ballot(is_first);
    runs.count        = count_bits(firsts);
    runs.joined       = runs.count < n;
    if (!runs.joined) return runs;
    const int first     = place_of_bit(firsts, lane < runs.count ? lane : 0);
    const int next      = lane + 1 < runs.count ? place_of_bit(firsts, lane + 1) : n;
    runs.rows           = first | (next - first) << 8;
    runs.from           = lanes::shuffle(runs.from, first, wide);
    const Offset length = lanes::shuffle(runs.length, first, wide);
    runs.length         = lane < runs.count ? length : Offset(0);
    return runs;
  }
  /// The i-th, no columns behind the last.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Run run_at(const Runs& runs, int i) {
    using lanes        = typename Team::lanes;
    constexpr int wide = Team::lane_width;
    Run run;
    run.from   = lanes::shuffle(runs.from, i < wide ? i : 0, wide);
    run.length = lanes::shuffle(runs.length, i < wide ? i : 0, wide);
    if (i >= runs.count) run.length = 0;
    run.first = i;
    run.rows  = 1;
    if (Joins && runs.joined) {
      const int rows = lanes::shuffle(runs.rows, i < wide ? i : 0, wide);
      run.first      = rows & 255;
      run.rows       = rows >> 8;
    }
    return run;
  }
};

}  // namespace lacuna::Impl

#endif
