// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMINODESOFB_HPP
#define LACUNA_SPGEMMINODESOFB_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmRowsOfB.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief A warp walks the rows of B that a row of A names. Equal consecutive rows are an inode (several unknowns of a
/// node), whose columns are looked up once.

namespace lacuna::Impl {

/// `Fuses`: consecutive rows of B with equal columns are fused to an inode. Without, every row is an inode of its own.
template <class Arrays, bool Fuses>
struct SpgemmInodesOfB {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Spans   = SpgemmRowSpans<Ordinal, Offset>;

  const Arrays& A;
  const unsigned char* repeats;  ///< 1 for a row of B with the columns of the row before, or nullptr

  /// The inodes that up to a warp of nonzeros of A name. Lane i holds inode i.
  struct Inodes {
    Offset from   = 0;  ///< of its first row in B, or in the words of B
    Offset length = 0;  ///< of each row
    /// bits 0 to 7: the first nonzero of A, counted from the warp's first; from bit 8 on: how many
    int rows   = 0;
    int count  = 0;      ///< of inodes; the same in all lanes
    bool fused = false;  ///< some inode has more than one row; the same in all lanes
  };
  /// One inode, as all its lanes know it.
  struct Inode {
    Offset from;
    Offset length;
    int first;
    int rows;
  };
  /// One column of an inode: what a lane does at once.
  template <class Loaded>
  struct Step {
    int t;     ///< the inode of the warp's first lane
    Offset p;  ///< the column, counted from the inode's first
    Inode inode;
    Loaded item;
  };

  /// Calls use(step) for every column of every inode of B that the row of A names, by `width` lanes an inode; `spans`
  /// tells where rows of B stand.
  /// load(inode, at) of the next step comes before this step is used. It is called without a condition, with `at` = 0
  /// where there is no next step, so that nothing waits for it. begin(base, end) comes before the inodes of the
  /// nonzeros from `base` on.
  /// `Apart`: no lane uses the next inode before all lanes have used this one. `Short`: inodes that are all no longer
  /// than `width` have a loop of their own, without the test whether an inode goes on.
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
  /// Calls use(step) for every column of the inodes, after fetch(step). `Short`: no inode is longer than `width`.
  template <bool Apart, bool Short, class Loaded, class Team, class Fetch, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void walk_inodes(const Team& team, const Inodes& inodes, int width,
                                                      const Fetch& fetch, const Use& use) {
    using lanes       = typename Team::lanes;
    const int at_once = Team::lane_width / width;  // inodes
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

  /// The inodes of nonzeros [base, base + lane width) of A, as far as they are below `end`.
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
    const int first     = position_of_bit(firsts, lane < inodes.count ? lane : 0);
    const int next      = lane + 1 < inodes.count ? position_of_bit(firsts, lane + 1) : n;
    inodes.rows         = first | (next - first) << 8;
    inodes.from         = lanes::shuffle(inodes.from, first, wide);
    const Offset length = lanes::shuffle(inodes.length, first, wide);
    inodes.length       = lane < inodes.count ? length : Offset(0);
    return inodes;
  }
  /// Inode i. Behind the last one: an inode without columns.
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
