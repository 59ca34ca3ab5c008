// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDKERNEL_HPP
#define LACUNA_DIAGONALBANDKERNEL_HPP

#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandBlocks.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalBases.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

#include <backends/Lacuna_Launch.hpp>

/// \file
/// \brief Banded times banded on the double-precision matrix engine.
///
/// A team has some rows of C with all of their diagonals. It copies the parts of the diagonals of A and B that meet
/// there into scratch as they are stored, which is one contiguous segment of each, and multiplies them by blocks. Sums
/// go back through scratch, so that C is written by diagonals.
///
/// Scratch is kept small, so that a processor holds several teams, and the first-level cache the rows in flight.
/// Variants that need more scratch are slower: zeros stored beside the bands, which save comparisons, and a second
/// buffer, so that the next rows are in flight while the current ones are multiplied.
///
/// HM's diagonals begin at any multiple of 8 bytes. Stores to whole sectors of memory would be faster by themselves,
/// but loads and products hide most of the difference.
///
/// Every element of C is summed by one lane in a fixed order: the same bits on every run. A zero beside the band may
/// meet an Inf or a NaN, so every sum that is not finite is computed again from the stored elements alone.
/// Evidence: kernels/diagonal/tuning.md.

namespace lacuna::Impl {

template <class ArgumentsType, class MmaType, int Columns, class Bases>
struct DiagonalBandKernel {
  using Arguments                      = ArgumentsType;
  using Mma                            = MmaType;
  using Blocks                         = DiagonalBandBlocks<Mma, Columns>;
  static constexpr bool stays_in_place = true;  // `bases` are read by index
  static constexpr int bytes           = sizeof(double);

  Arguments arguments;
  DiagonalBandShape shape;
  Bases bases;  ///< of A, B and C

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t top = static_cast<std::int64_t>(team.league_rank()) * shape.rows;
    double* const scratch  = team.template scratch<double>(static_cast<std::size_t>(shape.elements()));
    int* const suspects    = team.template scratch<int>(static_cast<std::size_t>(team.warps()));
    const int a            = DiagonalBandShape::zero;
    const int b            = a + shape.width_a * shape.leading_a();
    double* const c        = scratch + a + (shape.overlaid ? 0 : shape.elements_ab());
    if (team.thread() == 0) scratch[0] = 0.0;
    load(team, top, scratch + a, scratch + b);
    team.barrier();
    const bool finite  = shape.overlaid ? multiply_in_place(team, scratch, a, b, c) : multiply(team, scratch, a, b, c);
    const bool suspect = Team::lanes::ballot(!finite) != 0;
    if (team.lane() == 0) suspects[team.warp()] = suspect ? 1 : 0;
    team.barrier();
    bool any = false;
    for (int group = team.lane(); group < team.warps(); group += Team::lane_width) any = any || suspects[group] != 0;
    const bool plain = arguments.alpha == 1.0 && arguments.beta == 0.0;
    if (plain && is_whole(top) && Team::lanes::ballot(any) == 0)
      store(team, top, c);
    else
      store_what_exists(team, top, c);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_whole(std::int64_t top) const {
    return top >= shape.whole_from && top < shape.whole_end;
  }

  /// The element `distance` bytes further. An address then takes two instructions; with distances in elements it would
  /// take four.
  KOKKOS_FORCEINLINE_FUNCTION static const double* at(const double* element, std::int64_t distance) {
    return reinterpret_cast<const double*>(reinterpret_cast<const char*>(element) + distance);
  }
  KOKKOS_FORCEINLINE_FUNCTION static double* at(double* element, std::int64_t distance) {
    return reinterpret_cast<double*>(reinterpret_cast<char*>(element) + distance);
  }

  /// Sums into scratch beside A and B, items one after the other. Whether all of the lane's are finite.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION bool multiply(const Team& team, const double* scratch, int a, int b, double* c) const {
    const Blocks blocks{shape};
    bool finite = true;
    for (int number = team.warp(); number < shape.items; number += team.warps()) {
      typename Mma::C sums[Blocks::tiles];
      blocks.template multiply<typename Team::lanes>(team.lane(), scratch, a, b, blocks.item(number), sums);
      finite = blocks.stage(team.lane(), c, blocks.item(number), sums) && finite;
    }
    return finite;
  }

  /// The same of an item a warp, in the place of A and B.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION bool multiply_in_place(const Team& team, const double* scratch, int a, int b,
                                                     double* c) const {
    const Blocks blocks{shape};
    typename Mma::C sums[Blocks::tiles];
    const bool has_item = team.warp() < shape.items;
    const auto item     = blocks.item(team.warp());
    if (has_item) blocks.template multiply<typename Team::lanes>(team.lane(), scratch, a, b, item, sums);
    team.barrier();  // A and B have been read
    return has_item ? blocks.stage(team.lane(), c, item, sums) : true;
  }

  /// Calls body(distance, position, row) for `width` diagonals of `count` rows, which are `leading` positions apart in
  /// scratch; `of_first` is the position of the first one's distance. Most of what a team does beside multiplying is to
  /// count and to compare: so a thread keeps its row.
  template <class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_elements(const Team& team, const BandSpread& spread, int of_first, int width,
                                                int count, int leading, const Body& body) const {
    const int first = spread.first_diagonal(team.warp());
    if (first >= spread.at_once) return;
    const int column = team.warp() - first * spread.groups;
    const int step   = spread.at_once * leading;
    for (int row = column * Team::lane_width + team.lane(); row < count; row += spread.groups * Team::lane_width) {
      int now      = of_first + first;
      int position = first * leading + row;
      int left     = width - first;
      LACUNA_NO_UNROLL
      for (; left > 3 * spread.at_once; left -= 4 * spread.at_once) {
        std::int64_t distance[4];
        LACUNA_UNROLL
        for (int k = 0; k < 4; ++k, now += spread.at_once) distance[k] = bases[now];
        LACUNA_UNROLL
        for (int k = 0; k < 4; ++k, position += step) body(distance[k], position, row);
      }
      LACUNA_NO_UNROLL
      for (; left > 0; left -= spread.at_once, now += spread.at_once, position += step) body(bases[now], position, row);
    }
  }

  /// The diagonals of A in rows top …, and those of B in the rows that meet them, zeros where there is nothing.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team& team, std::int64_t top, double* a, double* b) const {
    using stages             = typename Team::stages;
    const auto to_a          = stages::address(a);
    const auto to_b          = stages::address(b);
    const int leading_a      = shape.leading_a();
    const int leading_b      = shape.leading_b();
    const std::int64_t inner = top + shape.first_a;
    if (is_whole(top)) {
      const double* const of_a = arguments.A.list + top;
      const double* const of_b = arguments.B.list + inner;
      for_elements(team, shape.spread_a, 0, shape.width_a, shape.rows, leading_a,
                   [&](std::int64_t distance, int position, int row) {
                     stages::template copy<bytes>(to_a + position * bytes, at(of_a + row, distance));
                   });
      for_elements(team, shape.spread_b, shape.width_a, shape.width_b, shape.rows_b(), leading_b,
                   [&](std::int64_t distance, int position, int row) {
                     stages::template copy<bytes>(to_b + position * bytes, at(of_b + row, distance));
                   });
    } else {
      for (int d = team.warp(); d < shape.width_a; d += team.warps())
        copy_what_exists(team, arguments.A, bases[d] / bytes, shape.first_a + d, top, shape.rows,
                         to_a + d * leading_a * bytes);
      for (int d = team.warp(); d < shape.width_b; d += team.warps())
        copy_what_exists(team, arguments.B, bases[shape.width_a + d] / bytes, shape.first_b + d, inner, shape.rows_b(),
                         to_b + d * leading_b * bytes);
    }
    stages::commit();
    stages::template wait<0>();
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team, std::int64_t top, const double* c) const {
    double* const list = arguments.C.list + top;
    for_elements(team, shape.spread_a, shape.width_a + shape.width_b, shape.width_c(), shape.rows, shape.leading_c(),
                 [&](std::int64_t distance, int position, int row) { *at(list + row, distance) = c[position]; });
  }

  template <class Team>
  KOKKOS_FUNCTION void store_what_exists(const Team& team, std::int64_t top, const double* c) const {
    const auto& C = arguments.C;
    for (int d = team.warp(); d < shape.width_c(); d += team.warps()) {
      const std::int64_t offset = offset_in(arguments.A, shape.first_a + shape.first_b + d);
      const std::int64_t first  = C.first_row(offset) - top;
      const std::int64_t end    = C.end_row(offset) - top;
      const double* const sums  = c + d * shape.leading_c();
      for (int i = team.lane(); i < shape.rows; i += Team::lane_width) {
        if (i < first || i >= end) continue;
        double sum = sums[i];
        if (!Kokkos::isfinite(sum)) sum = arguments.product_at(top + i, offset);
        arguments.write(bases[shape.width_a + shape.width_b + d] / bytes + top + i, sum);
      }
    }
  }
};

template <int Columns, class Bases, class ExecutionSpace, class Arguments>
void launch_diagonal_band(const ExecutionSpace& exec, const Arguments& arguments, const DiagonalBandShape& shape) {
  using traits       = ExecutionTraits<ExecutionSpace>;
  using Atom         = std::conditional_t<traits::lane_width == 64, Gfx90a_16x16x4_f64, Sm90_16x8x8_f64>;
  using Kernel       = DiagonalBandKernel<Arguments, MmaFor<ExecutionSpace, Atom>, Columns, Bases>;
  using Policy       = DiagonalBandPolicy;
  constexpr int most = Policy::groups * (traits::is_gpu ? traits::lane_width : 1);
  launch_teams<most, traits::is_gpu ? Policy::teams_a_processor : 1>(
      exec, "Lacuna::diagonal::band", {ceiling_quotient(arguments.C.rows, std::int64_t{shape.rows}), shape.threads},
      shape.scratch(traits::lane_width), Kernel{arguments, shape, diagonal_bases<Bases>(arguments, shape)});
}

/// C = alpha op(A) op(B) + beta C. Does not fence.
template <class ExecutionSpace, class Arguments>
void diagonal_band(const ExecutionSpace& exec, const Arguments& arguments, const DiagonalBandShape& shape) {
  if (arguments.C.dg == 0 || arguments.C.rows == 0) return;
  using Policy = DiagonalBandPolicy;
  using Bases  = DiagonalBases<Policy::few_diagonals>;
  if (shape.all() > Policy::few_diagonals)
    return launch_diagonal_band<48, PackedDiagonalBases<Policy::most_diagonals>>(exec, arguments, shape);
  if (shape.columns == 32) return launch_diagonal_band<32, Bases>(exec, arguments, shape);
  if constexpr (ExecutionTraits<ExecutionSpace>::lane_width != 64)  // where tiles are 16 columns wide
    if (shape.columns == 40) return launch_diagonal_band<40, Bases>(exec, arguments, shape);
  launch_diagonal_band<48, Bases>(exec, arguments, shape);
}

}  // namespace lacuna::Impl

#endif
