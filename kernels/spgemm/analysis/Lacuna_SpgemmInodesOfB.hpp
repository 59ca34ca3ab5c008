// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMINODESOFB_HPP
#define LACUNA_SPGEMMINODESOFB_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmRowsOfB.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief The rows of B that a row of A names, by a warp. Rows with equal columns (inodes: several unknowns a
/// node) that follow each other are a *run*, whose columns are looked at once.

namespace lacuna::Impl {

/// `Fuses`: rows are joined to runs. Else each is one of its own.
template <class Arrays, bool Fuses>
struct SpgemmInodesOfB {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Spans   = SpgemmRowSpans<Ordinal, Offset>;

  const Arrays& A;
  const unsigned char* repeats;  ///< 1 for a row of B with the columns of the row before, or nullptr

  /// Those that up to a warp of nonzeros of A begin, lane i the i-th.
  struct Inodes {
    Offset from   = 0;      ///< in B, or in its words
    Offset length = 0;      ///< of each row
    int rows      = 0;      ///< nonzeros of A: the first of the chunk, and from bit 8 on how many
    int count     = 0;      ///< of runs; the same in all lanes
    bool fused    = false;  ///< some have more rows than one; the same in all lanes
  };
  /// One of them.
  struct Inode {
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
    Inode inode;
    Loaded item;
  };

  /// use(step) for every column of every run of rows of B that the row of A names, `width` lanes a run; `spans` tells
  /// where rows of B stand. load(run, at) of the next step comes before this one is used: it is unconditional, `at` is
  /// 0 where there is none, so that nothing waits for it. begin(base, end) comes before the runs of nonzeros from
  /// `base` on. `Apart`: no lane uses the next run before all have used this one. `Short`: runs that are all no longer
  /// than `width` have a loop of their own, which does not ask whether one goes on.
  template <bool Apart, bool Short, class Loaded, class Team, class Begin, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void walk(const Team& team, Ordinal row, const Spans& spans, int width,
                                        const Begin& begin, const Load& load, const Use& use) const {
    using lanes        = typename Team::lanes;
    constexpr int wide = Team::lane_width;
    const auto stride  = static_cast<Offset>(width);
    const Offset end   = A.row_map[row + 1];
    const auto fetch   = [&](Step<Loaded>& step) {
      step.item = load(step.inode, step.p < step.inode.length ? step.inode.from + step.p : Offset(0));
    };
    for (Offset base = A.row_map[row]; base < end; base += static_cast<Offset>(wide)) {
      const Inodes inodes = inodes_of(team, base, end, spans);
      begin(base, end);
      if (Short && !lanes::any(inodes.length > stride))
        walk_inodes<Apart, true, Loaded>(team, inodes, width, fetch, use);
      else
        walk_inodes<Apart, false, Loaded>(team, inodes, width, fetch, use);
    }
  }

 private:
  /// use(step) for every column of the runs, after fetch(step). `Short`: none has more than `width`.
  template <bool Apart, bool Short, class Loaded, class Team, class Fetch, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void walk_inodes(const Team& team, const Inodes& inodes, int width,
                                                      const Fetch& fetch, const Use& use) {
    using lanes       = typename Team::lanes;
    const int at_once = Team::lane_width / width;  // runs
    const int subwarp = team.lane() / width;
    const auto rank   = static_cast<Offset>(team.lane() % width);
    const auto stride = static_cast<Offset>(width);
    const auto turn   = [&](const Step<Loaded>& here, Step<Loaded>& next) {
      const bool stays = !Short && lanes::any(here.p + stride < here.inode.length);
      next.t           = stays ? here.t : here.t + at_once;
      next.p           = stays ? here.p + stride : rank;
      next.inode       = stays ? here.inode : inode_at<Team>(inodes, next.t + subwarp);
      fetch(next);
      if (here.p < here.inode.length) use(here);
      if (Apart && !stays) team.warp_barrier();
      return next.t < inodes.count;
    };
    Step<Loaded> one, other;
    one.t     = 0;
    one.p     = rank;
    one.inode = inode_at<Team>(inodes, subwarp);
    fetch(one);
    while (turn(one, other) && turn(other, one)) {
    }
  }

  /// Of nonzeros [base, base + lane width) of A, as far as they are below `end`.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Inodes inodes_of(const Team& team, Offset base, Offset end, const Spans& spans) const {
    using lanes        = typename Team::lanes;
    constexpr int wide = Team::lane_width;
    const int lane     = team.lane();
    const Offset k     = base + static_cast<Offset>(lane);
    const int n        = end - base < static_cast<Offset>(wide) ? static_cast<int>(end - base) : wide;
    Inodes inodes;
    bool is_first = k < end;
    if (is_first) {
      const Ordinal inner = A.entries[k];
      spans.find(inner, inodes.from, inodes.length);
      if (Fuses && repeats != nullptr && lane > 0) is_first = repeats[inner] == 0 || A.entries[k - 1] != inner - 1;
    }
    inodes.count = n;
    if constexpr (!Fuses) return inodes;
    const auto firsts = lanes::ballot(is_first);
    inodes.count      = count_bits(firsts);
    inodes.fused      = inodes.count < n;
    if (!inodes.fused) return inodes;
    const int first     = place_of_bit(firsts, lane < inodes.count ? lane : 0);
    const int next      = lane + 1 < inodes.count ? place_of_bit(firsts, lane + 1) : n;
    inodes.rows         = first | (next - first) << 8;
    inodes.from         = lanes::shuffle(inodes.from, first, wide);
    const Offset length = lanes::shuffle(inodes.length, first, wide);
    inodes.length       = lane < inodes.count ? length : Offset(0);
    return inodes;
  }
  /// The i-th, no columns behind the last.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Inode inode_at(const Inodes& inodes, int i) {
    using lanes        = typename Team::lanes;
    constexpr int wide = Team::lane_width;
    Inode inode;
    inode.from   = lanes::shuffle(inodes.from, i < wide ? i : 0, wide);
    inode.length = lanes::shuffle(inodes.length, i < wide ? i : 0, wide);
    if (i >= inodes.count) inode.length = 0;
    inode.first = i;
    inode.rows  = 1;
    if (Fuses && inodes.fused) {
      const int rows = lanes::shuffle(inodes.rows, i < wide ? i : 0, wide);
      inode.first    = rows & 255;
      inode.rows     = rows >> 8;
    }
    return inode;
  }
};

}  // namespace lacuna::Impl

#endif
