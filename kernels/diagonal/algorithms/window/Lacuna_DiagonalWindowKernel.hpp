// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWINDOWKERNEL_HPP
#define LACUNA_DIAGONALWINDOWKERNEL_HPP

#include <kernels/diagonal/algorithms/window/Lacuna_DiagonalWindowShape.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

#include <backends/Lacuna_Launch.hpp>

/// \file
/// \brief Narrow band times narrow band, in any scalar, a row of C a thread.
///
/// In the order of A's diagonals, diagonal e of A adds to diagonals e … e + width - 1 of C, where B has `width`: a
/// window that moves on by one. Its sums are in registers; one leaves it complete with every diagonal of A, and goes to
/// memory straight away, for neighbouring threads have neighbouring rows. A and B are in scratch. The
/// window moves by several diagonals at a time, so that sums move from register to register seldom.
///
/// Every element of C is summed by one thread in the order of A's diagonals: the same bits on every run.

namespace lacuna::Impl {

template <class ArgumentsType, int Width>
struct DiagonalWindowKernel {
  using Arguments              = ArgumentsType;
  using Scalar                 = typename Arguments::Scalar;
  using Operand                = typename Arguments::Operand;
  using Policy                 = DiagonalWindowPolicy;
  static constexpr bool wraps  = Operand::wraps;
  static constexpr int rows    = Policy::rows;
  static constexpr int leading = DiagonalWindowShape::leading;

  Arguments arguments;
  DiagonalWindowShape shape;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t top    = static_cast<std::int64_t>(team.league_rank()) * rows;
    std::int64_t* const bases = team.template scratch<std::int64_t>(static_cast<std::size_t>(shape.all()));
    Scalar* const a           = team.template scratch<Scalar>(static_cast<std::size_t>(shape.width_a) * rows);
    Scalar* const b           = team.template scratch<Scalar>(static_cast<std::size_t>(shape.width_b) * leading);
    for (int d = team.thread(); d < shape.all(); d += team.threads()) bases[d] = base_of_bands(arguments, shape, d);
    team.barrier();
    load(team, arguments.A, bases, shape.first_a, shape.width_a, top, rows, a, rows);
    load(team, arguments.B, bases + shape.width_a, shape.first_b, shape.width_b, top + shape.first_a,
         rows + shape.width_a - 1, b, leading);
    Team::stages::commit();
    Team::stages::template wait<0>();
    team.barrier();
    for (int position = team.thread(); position < rows && top + position < arguments.C.rows; position += team.threads())
      multiply(top + position, a + position, b + position, bases);
  }

 private:
  /// Rows first … of the diagonals of X. What does not exist is 0.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team& team, const Operand& X, const std::int64_t* bases,
                                        std::int64_t first_diagonal, int width, std::int64_t first, int count,
                                        Scalar* scratch, int apart) const {
    using stages        = typename Team::stages;
    constexpr int bytes = sizeof(Scalar);
    for (int d = team.warp(); d < width; d += team.warps()) {
      const std::int64_t offset = first_diagonal + d;
      const bool whole          = first >= 0 && first + count <= X.rows && first + offset >= 0 &&
                         first + offset + count <= X.columns;  // and does not wrap around
      auto to = stages::address(scratch + d * apart);
      if (whole) {
        const Scalar* const from = X.list + bases[d] + first;
        to += team.lane() * bytes;
        for (int r = team.lane(); r < count; r += Team::lane_width, to += Team::lane_width * bytes)
          stages::template copy<bytes>(to, from + r);
      } else {
        copy_what_exists(team, X, bases[d], offset, first, count, to);
      }
    }
  }

  /// Row i; a and b are where it begins in scratch.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t i, const Scalar* a, const Scalar* b,
                                            const std::int64_t* bases) const {
    const auto &A = arguments.A, &B = arguments.B;
    const auto& C             = arguments.C;
    const int width_a         = shape.width_a;
    const int width_b         = shape.width_b;
    const int width_c         = shape.width_c();
    const auto* bases_of_c    = bases + width_a + width_b;
    const std::int64_t inner  = i + shape.first_a;
    const std::int64_t column = inner + shape.first_b;
    const bool plain          = arguments.alpha == Scalar(1) && arguments.beta == Scalar(0);
    constexpr int step        = Policy::step;
    Scalar sums[Width + step - 1];  // of diagonals turn … of C
    LACUNA_UNROLL
    for (int k = 0; k < Width + step - 1; ++k) sums[k] = Scalar(0);
    for (int turn = 0; turn < width_c; turn += step) {
      LACUNA_UNROLL
      for (int s = 0; s < step; ++s) {
        const int e = turn + s;
        // An element that does not exist must not meet an Inf or a NaN.
        if (e >= width_a || (!wraps && (inner + e < 0 || inner + e >= A.columns))) continue;
        const Scalar factor     = taken(a[e * rows], A.conjugated);
        const Scalar* const row = b + e;
        LACUNA_UNROLL
        for (int k = 0; k < Width; ++k)
          if (k < width_b) sums[s + k] += factor * taken(row[k * leading], B.conjugated);
      }
      LACUNA_UNROLL
      for (int s = 0; s < step; ++s) {
        const int d = turn + s;
        if (d >= width_c || (!wraps && (column + d < 0 || column + d >= C.columns))) continue;
        if (plain)
          C.list[bases_of_c[d] + i] = sums[s];
        else
          arguments.write(bases_of_c[d] + i, sums[s]);
      }
      LACUNA_UNROLL
      for (int k = 0; k < Width + step - 1; ++k) sums[k] = k < Width - 1 ? sums[k + step] : Scalar(0);
    }
  }
};

template <int Width, class ExecutionSpace, class Arguments>
void launch_diagonal_window(const ExecutionSpace& exec, const Arguments& arguments, const DiagonalWindowShape& shape) {
  using Kernel = DiagonalWindowKernel<Arguments, Width>;
  launch_teams<Kernel::rows>(
      exec, "Lacuna::diagonal::window", {ceiling_quotient(arguments.C.rows, std::int64_t{Kernel::rows}), Kernel::rows},
      diagonal_window_scratch(shape, sizeof(typename Arguments::Scalar)), Kernel{arguments, shape});
}

/// C = alpha op(A) op(B) + beta C. Does not fence.
template <class ExecutionSpace, class Arguments>
void diagonal_window(const ExecutionSpace& exec, const Arguments& arguments, const DiagonalWindowShape& shape) {
  if (arguments.C.dg == 0 || arguments.C.rows == 0) return;
  static_assert(DiagonalWindowPolicy::most_b == 24);
  if (shape.width_b <= 6) return launch_diagonal_window<6>(exec, arguments, shape);
  if (shape.width_b <= 12) return launch_diagonal_window<12>(exec, arguments, shape);
  if (shape.width_b <= 18) return launch_diagonal_window<18>(exec, arguments, shape);
  launch_diagonal_window<24>(exec, arguments, shape);
}

}  // namespace lacuna::Impl

#endif
