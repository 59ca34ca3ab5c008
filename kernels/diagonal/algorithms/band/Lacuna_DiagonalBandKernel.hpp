// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDKERNEL_HPP
#define LACUNA_DIAGONALBANDKERNEL_HPP

#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandShape.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

#include <Lacuna_Launch.hpp>
#include <Lacuna_Mma.hpp>

/// \file
/// \brief Banded times banded on the double-precision matrix engine.
///
/// A team has some rows of C with all of their diagonals. It copies the diagonals of A and B that meet there into
/// scratch as they are stored, which is one contiguous piece of each. Sixteen rows of the band are a dense block row
/// that leans: the engine's tiles are read from scratch along that slope, and what lies beside the band is 0. Sums go
/// back through scratch, so that C is written by diagonals.
///
/// Every element of C is summed by one lane in a fixed order: the same bits on every run. A zero beside the band may
/// meet an Inf or a NaN; whatever is not finite in C is therefore computed once more from the stored elements alone.

namespace lacuna::Impl {

template <class ArgumentsType, class MmaType>
struct DiagonalBandKernel {
  using Arguments                           = ArgumentsType;
  using Mma                                 = MmaType;
  static constexpr ScratchNeed scratch_need = ScratchNeed::any;
  static constexpr bool wraps               = Arguments::Operand::wraps;
  static constexpr int tiles                = DiagonalBandPolicy::columns / Mma::n;
  static constexpr int tall                 = DiagonalBandShape::tall;
  static_assert(Mma::m == tall && DiagonalBandShape::deep % Mma::k == 0 && DiagonalBandPolicy::columns % Mma::n == 0);

  Arguments arguments;
  DiagonalBandShape shape;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t top = static_cast<std::int64_t>(team.league_rank()) * shape.rows;
    const bool overlaid    = shape.items == team.groups();
    const int inputs       = shape.elements_ab();
    double* const a        = team.template scratch<double>(static_cast<std::size_t>(
        overlaid ? (inputs > shape.elements_c() ? inputs : shape.elements_c()) : inputs + shape.elements_c()));
    double* const b        = a + shape.width_a * shape.leading_a();
    double* const c        = overlaid ? a : a + inputs;
    load(team, top, a, b);
    team.barrier();
    for (int item = team.group(); item < shape.items; item += team.groups()) {
      const int slice = item % (shape.rows / tall), first_tile = item / (shape.rows / tall) * tiles;
      typename Mma::C sums[tiles];
      multiply(team, a, b, slice, first_tile, sums);
      if (overlaid) team.barrier();  // everybody has one item: A and B have been read
      stage(team, c, slice, first_tile, sums);
    }
    team.barrier();
    store(team, top, c);
  }

 private:
  /// `number` modulo n.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t wrapped(std::int64_t number) const {
    const std::int64_t n = arguments.A.rows;
    if (number >= 0 && number < n) return number;
    number %= n;
    return number < 0 ? number + n : number;
  }

  /// The diagonals of A in rows top …, and those of B in the rows that meet them, zeros where there is nothing.
  template <class Team>
  KOKKOS_FUNCTION void load(const Team& team, std::int64_t top, double* a, double* b) const {
    using stages  = typename Team::stages;
    const auto &A = arguments.A, &B = arguments.B;
    const auto to_a = stages::address(a), to_b = stages::address(b);
    for (int d = team.group(); d < shape.width_a + shape.width_b; d += team.groups()) {
      const bool is_a            = d < shape.width_a;
      const auto& X              = is_a ? A : B;
      const std::int64_t signed_ = is_a ? shape.first_a + d : shape.first_b + (d - shape.width_a);
      const std::int64_t offset  = wraps ? wrapped(signed_) : signed_;
      const std::int64_t base    = X.base(offset);
      const std::int64_t first   = is_a ? top : top + shape.first_a;
      const int count            = is_a ? shape.rows : shape.rows_b();
      const int at               = is_a ? d * shape.leading_a() : (d - shape.width_a) * shape.leading_b();
      for (int i = team.lane(); i < count; i += Team::lane_width) {
        std::int64_t row = first + i, column = row + offset;
        bool exists = true;
        if constexpr (wraps) {
          exists = !is_a || row < X.rows;
          row    = wrapped(row);
          column = wrapped(row + offset);
        } else {
          exists = row >= 0 && row < X.rows && column >= 0 && column < X.columns;
        }
        const double* source = exists ? X.list + base + (X.by_column ? column : row) : X.list;
        stages::template copy<8>((is_a ? to_a : to_b) + (at + i) * static_cast<int>(sizeof(double)), source,
                                 exists ? 8 : 0);
      }
    }
    stages::commit();
    stages::template wait<0>();
  }

  /// The sums of rows 16 slice … and columns n first_tile … of the leaning block row.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Team& team, const double* a, const double* b, int slice,
                                            int first_tile, typename Mma::C* sums) const {
    const int own = team.lane();
    LACUNA_UNROLL
    for (int tile = 0; tile < tiles; ++tile) fill_c<Mma>(own, sums[tile], [](int, int) { return 0.0; });
    const int width_a = shape.width_a, width_b = shape.width_b;
    const int leading_a = shape.leading_a(), leading_b = shape.leading_b();
    const double* const slice_a = a + slice * tall;
    const double* const slice_b = b + slice * tall;
    const int left              = first_tile * Mma::n;
    // Inner rows inner … inner + k - 1 meet columns from inner to inner + k - 1 + width_b - 1.
    int inner = left - width_b - Mma::k + 2;
    inner     = inner > 0 ? inner / Mma::k * Mma::k : 0;
    int end   = left + tiles * Mma::n;
    end       = end < shape.depth() ? end : shape.depth();
    for (; inner < end; inner += Mma::k) {
      typename Mma::A from_a;
      fill_a<Mma>(own, from_a, [&](int row, int column) {
        const int e = inner + column - row;
        return static_cast<unsigned>(e) < static_cast<unsigned>(width_a) ? slice_a[e * leading_a + row] : 0.0;
      });
      LACUNA_UNROLL
      for (int tile = 0; tile < tiles; ++tile) {
        const int lead = left + tile * Mma::n - inner;
        if (lead <= -Mma::n || lead >= width_b + Mma::k - 1) continue;
        typename Mma::B from_b;
        fill_b<Mma>(own, from_b, [&](int row, int column) {
          const int f = lead + column - row;
          return static_cast<unsigned>(f) < static_cast<unsigned>(width_b) ? slice_b[f * leading_b + inner + row] : 0.0;
        });
        Mma::fma(sums[tile], from_a, from_b, sums[tile]);
      }
    }
  }

  /// Sums into scratch, by diagonals.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Team& team, double* c, int slice, int first_tile,
                                         const typename Mma::C* sums) const {
    const int width_c = shape.width_a + shape.width_b - 1, leading_c = shape.leading_c();
    LACUNA_UNROLL
    for (int tile = 0; tile < tiles; ++tile)
      drain_c<Mma>(team.lane(), sums[tile], [&](int row, int column, double value) {
        const int d = (first_tile + tile) * Mma::n + column - row;
        if (static_cast<unsigned>(d) < static_cast<unsigned>(width_c)) c[d * leading_c + slice * tall + row] = value;
      });
  }

  template <class Team>
  KOKKOS_FUNCTION void store(const Team& team, std::int64_t top, const double* c) const {
    const auto& C = arguments.C;
    for (int d = team.group(); d < shape.width_a + shape.width_b - 1; d += team.groups()) {
      std::int64_t offset = shape.first_a + shape.first_b + d;
      if constexpr (wraps)
        offset = wrapped(offset);
      else if (offset <= -C.rows || offset >= C.columns)
        continue;
      const std::int64_t to = C.base_of(offset), first = C.first_row(offset), end = C.end_row(offset);
      for (int i = team.lane(); i < shape.rows; i += Team::lane_width) {
        const std::int64_t row = top + i;
        if (row < first || row >= end) continue;
        double sum = c[d * shape.leading_c() + i];
        if (!(sum - sum == 0.0)) sum = arguments.product_at(row, offset);
        arguments.write(to + row, sum);
      }
    }
  }
};

/// C = alpha op(A) op(B) + beta C. Does not fence.
template <class ExecutionSpace, class Arguments>
void diagonal_band(const ExecutionSpace& exec, const Arguments& arguments, const DiagonalBandShape& shape) {
  if (arguments.C.dg == 0 || arguments.C.rows == 0) return;
  using traits       = ExecutionTraits<ExecutionSpace>;
  using Atom         = std::conditional_t<traits::lane_width == 64, Gfx90a_16x16x4_f64, Sm90_16x8x8_f64>;
  using Mma          = MmaFor<ExecutionSpace, Atom>;
  using Policy       = DiagonalBandPolicy;
  constexpr int most = Policy::groups * (traits::is_gpu ? traits::lane_width : 1);
  launch_teams<most, traits::is_gpu ? Policy::teams_a_processor : 1>(
      exec, "Lacuna::diagonal::band", {ceiling_quotient(arguments.C.rows, shape.rows), shape.threads},
      shape.scratch(traits::lane_width), DiagonalBandKernel<Arguments, Mma>{arguments, shape});
}

}  // namespace lacuna::Impl

#endif
