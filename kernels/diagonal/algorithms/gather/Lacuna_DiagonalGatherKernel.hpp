// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALGATHERKERNEL_HPP
#define LACUNA_DIAGONALGATHERKERNEL_HPP

#include <kernels/diagonal/algorithms/gather/Lacuna_DiagonalGatherPolicy.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>
#include <kernels/diagonal/shared/Lacuna_TeamRanks.hpp>

#include <backends/Lacuna_Launch.hpp>

/// \file
/// \brief Products in diagonal storage by gathering: c_d[i] = sum over e of a_e[i] b_(d-e)[i+e], each element of C by
/// one thread, in the order of A's diagonals. No atomics: the same bits on every run.
///
/// A team has a work item of a diagonal of C. It lists the pairs of diagonals that meet there, as many candidates at a
/// time as it has threads, and adds their products. Neighbouring threads read neighbouring elements.

namespace lacuna::Impl {

template <class ArgumentsType>
struct DiagonalGatherKernel {
  using Arguments             = ArgumentsType;
  using Scalar                = typename Arguments::Scalar;
  using Operand               = typename Arguments::Operand;
  using Policy                = DiagonalGatherPolicy;
  static constexpr bool wraps = Operand::wraps;

  struct Pair {
    std::int64_t a;  ///< where row 0 of the diagonals would be
    std::int64_t b;
    std::int64_t e;
  };

  Arguments arguments;
  std::int64_t item;  ///< rows of a team

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& C               = arguments.C;
    const std::int64_t diagonal = team.league_rank() % C.dg;
    const std::int64_t d        = C.offset(diagonal);
    const std::int64_t top      = team.league_rank() / C.dg * item;
    const std::int64_t first    = top > C.first_row(d) ? top : C.first_row(d);
    const std::int64_t end      = top + item < C.end_row(d) ? top + item : C.end_row(d);
    if (first >= end) return;
    const std::int64_t to = C.base(diagonal, d);
    if constexpr (Team::traits::is_gpu)
      on_lanes(team, d, first, end, to);
    else
      on_host(team, d, first, end, to);
  }

 private:
  /// The pair of A's diagonal `p` for diagonal d of C, if there is one with products in rows [first, end).
  KOKKOS_FORCEINLINE_FUNCTION bool find(std::int64_t p, std::int64_t d, std::int64_t first, std::int64_t end,
                                        Pair& pair) const {
    const Operand& A = arguments.A;
    if (p >= A.dg) return false;
    pair.e         = A.offset(p);
    std::int64_t f = d - pair.e;
    if constexpr (wraps) {
      if (f < 0) f += A.rows;
    } else {
      if (end + pair.e <= 0 || first + pair.e >= A.columns) return false;
    }
    pair.b = arguments.B.base(f);
    if (pair.b == not_stored) return false;
    pair.a = A.base(pair.e);
    return true;
  }

  template <class Team>
  KOKKOS_FUNCTION void on_lanes(const Team& team, std::int64_t d, std::int64_t first, std::int64_t end,
                                std::int64_t to) const {
    constexpr int rows = Policy::rows_per_thread;
    const Operand &A = arguments.A, &B = arguments.B;
    const int threads = team.threads();
    Pair* const pairs = team.template scratch<Pair>(static_cast<std::size_t>(threads));
    int* const counts = team.template scratch<int>(static_cast<std::size_t>(team.warps()));
    Scalar sums[rows];
    std::int64_t row[rows], column[rows];  // of C's elements, those of HM as well
    LACUNA_UNROLL
    for (int s = 0; s < rows; ++s) {
      sums[s]   = Scalar(0);
      row[s]    = first + team.thread() + static_cast<std::int64_t>(s) * threads;
      column[s] = row[s] + d;
      if constexpr (wraps) column[s] -= column[s] >= A.rows ? A.rows : 0;
    }
    for (std::int64_t candidate = 0; candidate < A.dg; candidate += threads) {
      Pair pair{};
      const bool found      = find(candidate + team.thread(), d, first, end, pair);
      const TeamRanks ranks = team_ranks(team, found, counts);
      if (found) pairs[ranks.own] = pair;
      team.barrier();
      for (int k = 0; k < ranks.total; ++k) {
        const Pair now = pairs[k];
        LACUNA_UNROLL
        for (int s = 0; s < rows; ++s) {
          std::int64_t inner = row[s] + now.e;
          bool meets         = row[s] < end;
          if constexpr (wraps)
            inner -= inner >= A.rows ? A.rows : 0;
          else
            meets = meets && inner >= 0 && inner < A.columns;
          if (meets)
            sums[s] += taken(A.list[now.a + (A.by_column ? inner : row[s])], A.conjugated) *
                       taken(B.list[now.b + (B.by_column ? column[s] : inner)], B.conjugated);
        }
      }
      team.barrier();
    }
    LACUNA_UNROLL
    for (int s = 0; s < rows; ++s)
      if (row[s] < end) arguments.write(to + row[s], sums[s]);
  }

  /// One thread: runs of rows in which nothing wraps around, which the compiler makes vectors of.
  template <class Team>
  KOKKOS_FUNCTION void on_host(const Team& team, std::int64_t d, std::int64_t first, std::int64_t end,
                               std::int64_t to) const {
    const Operand &A = arguments.A, &B = arguments.B;
    Scalar* const sums = team.template scratch<Scalar>(static_cast<std::size_t>(item));
    for (std::int64_t i = first; i < end; ++i) sums[i - first] = Scalar(0);
    for (std::int64_t p = 0; p < A.dg; ++p) {
      Pair pair{};
      if (!find(p, d, first, end, pair)) continue;
      std::int64_t i = first, stop = end;
      if constexpr (!wraps) {
        i    = i + pair.e < 0 ? -pair.e : i;
        stop = stop + pair.e > A.columns ? A.columns - pair.e : stop;
      }
      while (i < stop) {
        std::int64_t inner = i + pair.e, column = i + d, length = stop - i;
        if constexpr (wraps) {
          inner -= inner >= A.rows ? A.rows : 0;
          column -= column >= A.rows ? A.rows : 0;
          length = length < A.rows - inner ? length : A.rows - inner;
          length = length < A.rows - column ? length : A.rows - column;
        }
        add(sums + (i - first), A.list + pair.a + (A.by_column ? inner : i), A.conjugated,
            B.list + pair.b + (B.by_column ? column : inner), B.conjugated, length);
        i += length;
      }
    }
    for (std::int64_t i = first; i < end; ++i) arguments.write(to + i, sums[i - first]);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add(Scalar* sums, const Scalar* a, bool conjugate_a, const Scalar* b,
                                              bool conjugate_b, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) sums[i] += taken(a[i], conjugate_a) * taken(b[i], conjugate_b);
  }
};

/// C = alpha op(A) op(B) + beta C. Every stored element of C is written. Does not fence.
template <class ExecutionSpace, class Arguments>
void diagonal_gather(const ExecutionSpace& exec, const Arguments& arguments) {
  using Kernel = DiagonalGatherKernel<Arguments>;
  using Policy = DiagonalGatherPolicy;
  if (arguments.C.dg == 0 || arguments.C.rows == 0) return;
  constexpr bool is_gpu = ExecutionTraits<ExecutionSpace>::is_gpu;
  const int threads     = team_threads<ExecutionSpace>(Policy::threads);
  const std::int64_t item =
      is_gpu ? static_cast<std::int64_t>(threads) * Policy::rows_per_thread : std::int64_t{Policy::host_rows};
  const std::size_t scratch = is_gpu ? static_cast<std::size_t>(threads) * (sizeof(typename Kernel::Pair) + sizeof(int))
                                     : Policy::host_rows * sizeof(typename Arguments::Scalar);
  launch_teams<Policy::threads>(exec, "Lacuna::diagonal::gather",
                                {ceiling_quotient(arguments.C.rows, item) * arguments.C.dg, threads}, scratch + 64,
                                Kernel{arguments, item});
}

}  // namespace lacuna::Impl

#endif
