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
    const int width_c      = shape.width_a + shape.width_b - 1;
    auto* const bases =
        team.template scratch<std::int64_t>(static_cast<std::size_t>(shape.width_a + shape.width_b + width_c));
    double* const a = team.template scratch<double>(static_cast<std::size_t>(
        overlaid ? (inputs > shape.elements_c() ? inputs : shape.elements_c()) : inputs + shape.elements_c()));
    double* const b = a + shape.width_a * shape.leading_a();
    double* const c = overlaid ? a : a + inputs;
    find_bases(team, bases);
    team.barrier();
    load(team, top, bases, a, b);
    team.barrier();
    for (int item = team.group(); item < shape.items; item += team.groups()) {
      const int slice = item % (shape.rows / tall), first_tile = item / (shape.rows / tall) * tiles;
      typename Mma::C sums[tiles];
      multiply(team, a, b, slice, first_tile, sums);
      if (overlaid) team.barrier();  // everybody has one item: A and B have been read
      stage(team, c, slice, first_tile, sums);
    }
    team.barrier();
    store(team, top, bases + shape.width_a + shape.width_b, c);
  }

 private:
  /// `number` modulo n.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t wrapped(std::int64_t number) const {
    const std::int64_t n = arguments.A.rows;
    number += number < 0 ? n : 0;
    number -= number >= n ? n : 0;
    if (number >= 0 && number < n) return number;
    number %= n;  // a matrix smaller than its band is wide
    return number < 0 ? number + n : number;
  }

  /// A signed offset as the format names it.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset_of(std::int64_t number) const {
    return wraps ? wrapped(number) : number;
  }

  /// Where the diagonals of A, B and C begin, all looked up at once: `not_stored` where C has none.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void find_bases(const Team& team, std::int64_t* bases) const {
    const auto& C     = arguments.C;
    const int b_first = shape.width_a, c_first = shape.width_a + shape.width_b;
    for (int d = team.thread(); d < c_first + shape.width_a + shape.width_b - 1; d += team.threads()) {
      if (d < b_first) {
        bases[d] = arguments.A.base(offset_of(shape.first_a + d));
      } else if (d < c_first) {
        bases[d] = arguments.B.base(offset_of(shape.first_b + (d - b_first)));
      } else {
        const std::int64_t offset = offset_of(shape.first_a + shape.first_b + (d - c_first));
        const bool exists         = wraps || (offset > -C.rows && offset < C.columns);
        bases[d]                  = exists ? C.base_of(offset) : not_stored;
      }
    }
  }

  /// The diagonals of A in rows top …, and those of B in the rows that meet them, zeros where there is nothing.
  template <class Team>
  KOKKOS_FUNCTION void load(const Team& team, std::int64_t top, const std::int64_t* bases, double* a, double* b) const {
    using stages    = typename Team::stages;
    const auto to_a = stages::address(a), to_b = stages::address(b);
    constexpr int bytes = sizeof(double);
    for (int d = team.group(); d < shape.width_a; d += team.groups())
      load_diagonal(team, arguments.A, bases[d], shape.first_a + d, top, shape.rows, true,
                    to_a + d * shape.leading_a() * bytes);
    for (int d = team.group(); d < shape.width_b; d += team.groups())
      load_diagonal(team, arguments.B, bases[shape.width_a + d], shape.first_b + d, top + shape.first_a, shape.rows_b(),
                    false, to_b + d * shape.leading_b() * bytes);
    stages::commit();
    stages::template wait<0>();
  }

  /// Rows first … first + count - 1 of the diagonal `number` of X. `ends`: in CDM rows do not wrap around, they end.
  template <class Team, class Address>
  KOKKOS_FORCEINLINE_FUNCTION void load_diagonal(const Team& team, const typename Arguments::Operand& X,
                                                 std::int64_t base, std::int64_t number, std::int64_t first, int count,
                                                 bool ends, Address to) const {
    using stages              = typename Team::stages;
    constexpr int bytes       = sizeof(double);
    const std::int64_t offset = offset_of(number);
    std::int64_t row          = first;
    if constexpr (wraps) row = ends ? row : wrapped(row);
    std::int64_t column = row + offset;
    if constexpr (wraps) column -= column >= X.rows ? X.rows : 0;
    to += team.lane() * bytes;
    if (row >= 0 && row + count <= X.rows && column >= 0 && column + count <= X.columns) {
      const double* source = X.list + base + (X.by_column ? column : row) + team.lane();
      for (int i = team.lane(); i < count; i += Team::lane_width) {
        stages::template copy<bytes>(to, source);
        to += Team::lane_width * bytes;
        source += Team::lane_width;
      }
      return;
    }
    for (int i = team.lane(); i < count; i += Team::lane_width) {
      row         = first + i;
      column      = row + offset;
      bool exists = true;
      if constexpr (wraps) {
        exists = !ends || row < X.rows;
        column = wrapped(row + offset);
        row    = wrapped(row);
      } else {
        exists = row >= 0 && row < X.rows && column >= 0 && column < X.columns;
      }
      const double* source = exists ? X.list + base + (X.by_column ? column : row) : X.list;
      stages::template copy<bytes>(to, source, exists ? bytes : 0);
      to += Team::lane_width * bytes;
    }
  }

  /// How many diagonals from its tile's an element is.
  KOKKOS_FORCEINLINE_FUNCTION static int lean_a(int lane, int reg) {
    return Mma::a_column(lane, reg) - Mma::a_row(lane, reg);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int lean_b(int lane, int reg) {
    return Mma::b_column(lane, reg) - Mma::b_row(lane, reg);
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
    // Where in scratch an element is beside its tile.
    Fragment<int, Mma::a_registers, Mma::lanes_held> place_a;
    Fragment<int, Mma::b_registers, Mma::lanes_held> place_b;
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::a_registers; ++reg) {
        place_a(lane, reg) = lean_a(lane, reg) * leading_a + Mma::a_row(lane, reg);
      }
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::b_registers; ++reg) {
        place_b(lane, reg) = lean_b(lane, reg) * leading_b + Mma::b_row(lane, reg);
      }
    });
    const int left = first_tile * Mma::n;
    // Inner rows inner … inner + k - 1 meet columns from inner to inner + k - 1 + width_b - 1.
    int inner          = left - width_b - Mma::k + 2;
    inner              = inner > 0 ? inner / Mma::k * Mma::k : 0;
    int end            = left + tiles * Mma::n;
    end                = end < shape.depth() ? end : shape.depth();
    const double* of_a = a + slice * tall + inner * leading_a;
    const double* of_b = b + slice * tall + inner + (left - inner) * leading_b;
    for (; inner < end; inner += Mma::k, of_a += Mma::k * leading_a, of_b += Mma::k - Mma::k * leading_b) {
      typename Mma::A from_a;
      for_each_lane<Mma>(own, [&](int lane) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::a_registers; ++reg) {
          const auto e      = static_cast<unsigned>(inner + lean_a(lane, reg));
          from_a(lane, reg) = e < static_cast<unsigned>(width_a) ? of_a[place_a(lane, reg)] : 0.0;
        }
      });
      LACUNA_UNROLL
      for (int tile = 0; tile < tiles; ++tile) {
        const int lead = left + tile * Mma::n - inner;
        if (lead <= -Mma::n || lead >= width_b + Mma::k - 1) continue;
        typename Mma::B from_b;
        const double* const of_tile = of_b + tile * Mma::n * leading_b;
        for_each_lane<Mma>(own, [&](int lane) {
          LACUNA_UNROLL
          for (int reg = 0; reg < Mma::b_registers; ++reg) {
            const auto f      = static_cast<unsigned>(lead + lean_b(lane, reg));
            from_b(lane, reg) = f < static_cast<unsigned>(width_b) ? of_tile[place_b(lane, reg)] : 0.0;
          }
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
  KOKKOS_FUNCTION void store(const Team& team, std::int64_t top, const std::int64_t* bases, const double* c) const {
    const auto& C    = arguments.C;
    const bool plain = arguments.alpha == 1.0 && arguments.beta == 0.0;
    for (int d = team.group(); d < shape.width_a + shape.width_b - 1; d += team.groups()) {
      if (bases[d] == not_stored) continue;
      const std::int64_t offset = offset_of(shape.first_a + shape.first_b + d);
      const std::int64_t first = C.first_row(offset), end = C.end_row(offset);
      const int from        = first > top ? static_cast<int>(first - top < shape.rows ? first - top : shape.rows) : 0;
      const int stop        = end < top + shape.rows ? static_cast<int>(end > top ? end - top : 0) : shape.rows;
      const double* sums    = c + d * shape.leading_c();
      const std::int64_t to = bases[d] + top;
      if (plain) {
        for (int i = from + team.lane(); i < stop; i += Team::lane_width) {
          double sum = sums[i];
          if (!Kokkos::isfinite(sum)) sum = arguments.product_at(top + i, offset);
          C.list[to + i] = sum;
        }
      } else {
        for (int i = from + team.lane(); i < stop; i += Team::lane_width) {
          double sum = sums[i];
          if (!Kokkos::isfinite(sum)) sum = arguments.product_at(top + i, offset);
          arguments.write(to + i, sum);
        }
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
