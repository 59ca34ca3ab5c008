// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALTILESKERNEL_HPP
#define LACUNA_DIAGONALTILESKERNEL_HPP

#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

#include <backends/Lacuna_Launch.hpp>

/// \file
/// \brief Banded times banded in CDM as published (003, 6.1, algorithm 1): a team computes T x T elements of C, T
/// compact diagonals in T rows, T from 4 to 16 (a team of a warp has idle threads where T = 4). Tiles of A come to
/// scratch one after the other; B is read from memory, where BdiagDense says a diagonal begins.

namespace lacuna::Impl {

template <class ArgumentsType, int Side>
struct DiagonalTilesKernel {
  using Arguments             = ArgumentsType;
  using Scalar                = typename Arguments::Scalar;
  static constexpr int T      = Side;
  static constexpr int square = T * T;
  static constexpr int most   = square < 64 ? 64 : square;  ///< threads of a team: whole warps

  Arguments arguments;
  std::int64_t row_tiles;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto &A = arguments.A, &B = arguments.B;
    const auto& C             = arguments.C;
    const std::int64_t n      = A.rows;
    const std::int64_t top    = team.league_rank() % row_tiles * T;
    const std::int64_t first  = team.league_rank() / row_tiles * T;
    constexpr int held        = Team::traits::is_gpu ? 1 : square;  // elements of C a thread
    Scalar* const tile        = team.template scratch<Scalar>(square);
    std::int64_t* const index = team.template scratch<std::int64_t>(T);
    Scalar sums[held];
    for (int s = 0; s < held; ++s) sums[s] = Scalar(0);
    for (std::int64_t block = 0; block < A.dg; block += T) {
      for (int x = team.thread(); x < square; x += team.threads()) {
        const std::int64_t k = block + x / T, row = top + x % T;
        Scalar value(0);
        if (k < A.dg && row < n) {
          const std::int64_t e = A.offset(k);
          std::int64_t column  = row + e;
          column -= column >= n ? n : 0;
          value = taken(A.list[A.base(e) + (A.by_column ? column : row)], A.conjugated);
          if (x % T == 0) index[x / T] = e;
        }
        tile[x] = value;
      }
      team.barrier();
      int s = 0;
      for (int x = team.thread(); x < square; x += team.threads(), ++s) {
        if (first + x / T >= C.dg || top + x % T >= n) continue;
        const std::int64_t row = top + x % T, d = C.offset(first + x / T);
        std::int64_t column = row + d;
        column -= column >= n ? n : 0;
        for (int k = 0; k < T && block + k < A.dg; ++k) {
          const std::int64_t e = index[k];
          const std::int64_t b = B.base(d < e ? d - e + n : d - e);
          if (b == not_stored) continue;
          std::int64_t inner = row + e;
          inner -= inner >= n ? n : 0;
          sums[s] += tile[k * T + x % T] * taken(B.list[b + (B.by_column ? column : inner)], B.conjugated);
        }
      }
      team.barrier();
    }
    int s = 0;
    for (int x = team.thread(); x < square; x += team.threads(), ++s)
      if (first + x / T < C.dg && top + x % T < n) arguments.write(C.base(first + x / T, 0) + top + x % T, sums[s]);
  }
};

/// C = alpha op(A) op(B) + beta C, CDM. Does not fence.
template <int Side, class ExecutionSpace, class Arguments>
void diagonal_tiles(const ExecutionSpace& exec, const Arguments& arguments) {
  using Kernel                  = DiagonalTilesKernel<Arguments, Side>;
  const std::int64_t row_tiles  = ceiling_quotient(arguments.C.rows, Kernel::T);
  const std::int64_t diag_tiles = ceiling_quotient(arguments.C.dg, Kernel::T);
  const std::size_t scratch     = Kernel::square * sizeof(typename Arguments::Scalar) + Kernel::T * 8 + 64;
  launch_teams<Kernel::most>(exec, "Lacuna::diagonal::tiles", {row_tiles * diag_tiles, Kernel::square}, scratch,
                             Kernel{arguments, row_tiles});
}

}  // namespace lacuna::Impl

#endif
