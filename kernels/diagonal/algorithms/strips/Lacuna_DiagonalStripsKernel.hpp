// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTRIPSKERNEL_HPP
#define LACUNA_DIAGONALSTRIPSKERNEL_HPP

#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalPairs.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStripsShape.hpp>
#include <kernels/diagonal/shared/Lacuna_TeamRanks.hpp>

#include <backends/Lacuna_Launch.hpp>

/// \file
/// \brief Products of matrices with many diagonals by gathering, as `gather` does. A team has some rows and all of A's
/// diagonals in them in scratch, so that only B is read repeatedly. A warp has one diagonal of C at a time and reads
/// the diagonals that meet there from a list. Where scratch does not hold all of A's diagonals they are taken in
/// several passes; later passes add to C, each element by the thread that wrote it.

namespace lacuna::Impl {

template <class ArgumentsType, int RowsPerLane>
struct DiagonalStripsKernel {
  using Arguments             = ArgumentsType;
  using Scalar                = typename Arguments::Scalar;
  using Policy                = DiagonalStripsPolicy;
  static constexpr bool wraps = Arguments::Operand::wraps;
  static constexpr int unroll = Policy::pairs_at_once(RowsPerLane);

  /// A diagonal of A: where its strip begins, -1 where it does not meet the rows of the team.
  struct Strip {
    int e;
    int begin;
  };

  using Words = Pack<std::uint32_t, unroll>;
  /// The pairs of a diagonal of C: the first of them, and where the others are.
  struct List {
    bool meets;  ///< whether the diagonal has elements in the rows of the team
    std::int64_t d, first, end;
    std::int64_t begin, stop;
    Words words;
  };

  Arguments arguments;
  DiagonalPairs lists;
  std::int64_t near_a;
  std::int64_t of_pass;
  std::int64_t passes;
  int splits;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto &A = arguments.A, &B = arguments.B;
    const auto& C              = arguments.C;
    constexpr int rows         = RowsPerLane * Team::lane_width;
    const std::int64_t top     = static_cast<std::int64_t>(team.league_rank()) / splits * rows;
    const int split            = team.league_rank() % splits;
    Scalar* const strip        = team.template scratch<Scalar>(static_cast<std::size_t>(near_a * rows));
    Strip* const strips        = team.template scratch<Strip>(static_cast<std::size_t>(of_pass + 1));
    std::int64_t* const b_base = team.template scratch<std::int64_t>(static_cast<std::size_t>(B.dg));
    int* const counts          = team.template scratch<int>(static_cast<std::size_t>(team.warps()));
    for (std::int64_t q = team.thread(); q < B.dg; q += team.threads()) b_base[q] = B.base(B.offset(q));
    if (team.thread() == 0) strips[of_pass] = {0, -1};
    // Warps have neighbouring diagonals of C, which read the same elements of B at about the same time: this is faster
    // than groups of all teams in turn.
    const std::int64_t step = static_cast<std::int64_t>(splits) * team.warps();
    const std::int64_t own  = static_cast<std::int64_t>(split) * team.warps() + team.warp();
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      if (pass > 0) team.barrier();
      take_pass(team, pass * of_pass, top, strip, strips, counts);
      // What says where to go on comes one diagonal ahead.
      std::int64_t q = own;
      List list      = list_of(pass, q, top, rows);
      while (q < C.dg) {
        const std::int64_t next = q + step;
        const List after        = list_of(pass, next, top, rows);
        if (list.meets) gather(team, q, pass > 0, list, top, strip, strips, b_base);
        q    = next;
        list = after;
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Words words_at(std::int64_t k) const {
    return *reinterpret_cast<const Words*>(lists.pairs + k);
  }
  /// Of a later pass one without pairs does not meet: it has nothing to add.
  KOKKOS_FORCEINLINE_FUNCTION List list_of(std::int64_t pass, std::int64_t q, std::int64_t top, int rows) const {
    List list{};
    const auto& C = arguments.C;
    if (q >= C.dg) return list;
    const std::int64_t* const map = lists.map + pass * C.dg + q;

    list.d     = C.offset(q);
    list.begin = map[0];
    list.stop  = map[1];
    list.first = C.first_row(list.d);
    list.end   = C.end_row(list.d);
    list.meets = list.first < top + rows && list.end > top && (pass == 0 || list.begin < list.stop);
    if (list.meets && list.begin < list.stop) list.words = words_at(list.begin);
    return list;
  }

  /// A's diagonals from `first` on: those that meet the rows of the team, into scratch.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void take_pass(const Team& team, std::int64_t first, std::int64_t top, Scalar* strip,
                                             Strip* strips, int* counts) const {
    const auto& A            = arguments.A;
    constexpr int rows       = RowsPerLane * Team::lane_width;
    const std::int64_t count = first + of_pass < A.dg ? of_pass : A.dg - first;
    int used                 = 0;
    for (std::int64_t some = 0; some < count; some += team.threads()) {
      const std::int64_t p = some + team.thread();
      const std::int64_t e = p < count ? A.offset(first + p) : 0;
      const bool meets     = p < count && (wraps || (top + rows + e > 0 && top + e < A.columns));
      const auto ranks     = team_ranks(team, meets, counts);
      if (p < count) strips[p] = {static_cast<int>(e), meets ? (used + ranks.own) * rows : -1};
      used += ranks.total;
      team.barrier();
    }
    for (std::int64_t p = team.warp(); p < count; p += team.warps())
      if (strips[p].begin >= 0) load(team, top, strips[p].e, strip + strips[p].begin);
    team.barrier();
  }

  /// A's diagonal e in the rows of the team.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team& team, std::int64_t top, std::int64_t e, Scalar* to) const {
    const auto& A           = arguments.A;
    const std::int64_t base = A.base(e);
    LACUNA_UNROLL
    for (int s = 0; s < RowsPerLane; ++s) {
      const int i            = team.lane() + s * Team::lane_width;
      const std::int64_t row = top + i;
      std::int64_t inner     = row + e;
      bool exists            = row < A.rows;
      if constexpr (wraps)
        inner -= inner >= A.rows ? A.rows : 0;
      else
        exists = exists && inner >= 0 && inner < A.columns;
      to[i] = exists ? taken(A.list[base + (A.by_column ? inner : row)], A.conjugated) : Scalar(0);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void gather(const Team& team, std::int64_t q, bool adds, const List& list,
                                          std::int64_t top, const Scalar* strip, const Strip* strips,
                                          const std::int64_t* b_base) const {
    const auto& B   = arguments.B;
    const auto size = static_cast<int>(B.rows);
    Scalar sums[RowsPerLane];
    int row[RowsPerLane];
    bool exists[RowsPerLane];
    LACUNA_UNROLL
    for (int s = 0; s < RowsPerLane; ++s) {
      sums[s]   = Scalar(0);
      row[s]    = static_cast<int>(top) + team.lane() + s * Team::lane_width;
      exists[s] = row[s] >= list.first && row[s] < list.end;
    }
    const Scalar* const own = strip + team.lane();
    Words words             = list.words;
    for (std::int64_t k = list.begin; k < list.stop; k += unroll) {
      Scalar b[unroll][RowsPerLane];
      int begin[unroll];
      bool meets[unroll][RowsPerLane];
      LACUNA_UNROLL
      for (int m = 0; m < unroll; ++m) {
        const Strip now         = strips[words.value[m] & DiagonalPairs::low];
        const std::int64_t base = b_base[words.value[m] >> 16];
        begin[m]                = now.begin;
        LACUNA_UNROLL
        for (int s = 0; s < RowsPerLane; ++s) {
          int inner   = row[s] + now.e;
          meets[m][s] = now.begin >= 0 && exists[s];
          if constexpr (wraps) {
            inner -= inner >= size ? size : 0;
            if (B.by_column) {
              inner = row[s] + static_cast<int>(list.d);
              inner -= inner >= size ? size : 0;
            }
          } else {
            meets[m][s] = meets[m][s] && static_cast<unsigned>(inner) < static_cast<unsigned>(size);
          }
          b[m][s] = meets[m][s] ? B.list[base + inner] : Scalar(0);
        }
      }
      if (k + unroll < list.stop) words = words_at(k + unroll);
      LACUNA_UNROLL
      for (int m = 0; m < unroll; ++m) {
        LACUNA_UNROLL
        for (int s = 0; s < RowsPerLane; ++s)
          if (meets[m][s]) sums[s] += own[begin[m] + s * Team::lane_width] * taken(b[m][s], B.conjugated);
      }
    }
    const std::int64_t to = arguments.C.base(q, list.d);
    LACUNA_UNROLL
    for (int s = 0; s < RowsPerLane; ++s)
      if (exists[s]) {
        if (adds)  // to what the same thread has written
          arguments.C.list[to + row[s]] += arguments.alpha * sums[s];
        else
          arguments.write(to + row[s], sums[s]);
      }
  }
};

template <int RowsPerLane, class ExecutionSpace, class Arguments>
void launch_diagonal_strips(const ExecutionSpace& exec, const Arguments& arguments, const DiagonalStripsShape& shape,
                            const DiagonalPairs& lists) {
  launch_teams<DiagonalStripsPolicy::threads>(
      exec, "Lacuna::diagonal::strips", {ceiling_quotient(arguments.C.rows, shape.rows) * shape.splits, shape.threads},
      shape.scratch,
      DiagonalStripsKernel<Arguments, RowsPerLane>{arguments, lists, shape.near_a, shape.of_pass, shape.passes,
                                                   shape.splits});
}

/// Allocates the lists of pairs and fills them. Does not fence.
/// C = alpha op(A) op(B) + beta C. Does not fence.
}  // namespace lacuna::Impl

#endif
