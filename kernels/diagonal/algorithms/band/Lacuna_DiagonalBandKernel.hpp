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
  using Arguments = ArgumentsType;
  using Mma       = MmaType;
  /// TeamPolicy's form of it spills registers: H200, 23 Nov 2026, n = 10,240: w = 5 9.8 to 6.0 us, w = 10 12.2 to 7.3.
  static constexpr LaunchKind launch_kind = LaunchKind::native;
  static constexpr bool wraps             = Arguments::Operand::wraps;
  static constexpr int tiles              = DiagonalBandPolicy::columns / Mma::n;
  static constexpr int tall               = DiagonalBandShape::tall;
  static_assert(Mma::m == tall && DiagonalBandShape::deep % Mma::k == 0 && DiagonalBandPolicy::columns % Mma::n == 0);

  Arguments arguments;
  DiagonalBandShape shape;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t top = static_cast<std::int64_t>(team.league_rank()) * shape.rows;
    const bool overlaid    = shape.items <= team.groups();
    const int inputs       = shape.elements_ab();
    Piece* const pieces    = team.template scratch<Piece>(static_cast<std::size_t>(shape.pieces()));
    double* const a        = team.template scratch<double>(static_cast<std::size_t>(
        overlaid ? (inputs > shape.elements_c() ? inputs : shape.elements_c()) : inputs + shape.elements_c()));
    double* const b        = a + shape.width_a * shape.leading_a();
    double* const c        = overlaid ? a : a + inputs;
    int* const suspects    = team.template scratch<int>(static_cast<std::size_t>(team.groups()));
    const bool whole       = top >= shape.whole_from && top < shape.whole_end;
    for (int d = team.thread(); d < shape.pieces(); d += team.threads())
      pieces[d] = whole ? whole_piece(top, d) : piece(top, d);
    team.barrier();
    if (whole)
      load_whole(team, pieces, a, b);
    else
      load(team, top, pieces, a, b);
    team.barrier();
    typename Mma::C sums[tiles];
    bool finite = true;
    if (overlaid) {
      const bool has_item = team.group() < shape.items;
      const Item item     = item_of(team.group());
      if (has_item) multiply(team, a, b, item, sums);
      team.barrier();  // A and B have been read
      if (has_item) finite = stage(team, c, item, sums);
    } else {
      for (int number = team.group(); number < shape.items; number += team.groups()) {
        multiply(team, a, b, item_of(number), sums);
        finite = stage(team, c, item_of(number), sums) && finite;
      }
    }
    const bool suspect = Team::lanes::ballot(!finite) != 0;
    if (team.lane() == 0) suspects[team.group()] = suspect ? 1 : 0;
    team.barrier();
    bool any = false;
    for (int group = team.lane(); group < team.groups(); group += Team::lane_width) any = any || suspects[group] != 0;
    const Piece* const of_c = pieces + shape.width_a + shape.width_b;
    if (whole && Team::lanes::ballot(any) == 0 && arguments.alpha == 1.0 && arguments.beta == 0.0)
      store_whole(team, of_c, c);
    else
      store(team, top, of_c, c);
  }

 private:
  /// What of a diagonal lies in the rows of a team: elements from … stop - 1 of those rows exist, and element i is at
  /// address + i. `stop` is -1 where they do not follow each other, since they wrap around.
  struct Piece {
    std::int64_t address;
    int from;
    int stop;
  };

  /// 16 rows, and the first of its tiles of columns.
  struct Item {
    int slice;
    int first_tile;
  };
  KOKKOS_FORCEINLINE_FUNCTION Item item_of(int number) const {
    const int slices = shape.rows / tall;
    Item item{number, 0};
    for (; item.slice >= slices; item.slice -= slices) item.first_tile += tiles;  // cheaper than to divide
    return item;
  }

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

  /// Rows first … of [least, end) as places from 0 to count.
  KOKKOS_FORCEINLINE_FUNCTION static Piece piece_of(std::int64_t address, std::int64_t first, int count,
                                                    std::int64_t least, std::int64_t end) {
    const std::int64_t from = least > first ? least - first : 0;
    const std::int64_t stop = end - first < count ? end - first : count;
    return {address + first, static_cast<int>(from < count ? from : count), static_cast<int>(stop > 0 ? stop : 0)};
  }

  /// The piece of diagonal d of A, then of B, then of C, where all of it exists and does not wrap around.
  KOKKOS_FORCEINLINE_FUNCTION Piece whole_piece(std::int64_t top, int d) const {
    if (d < shape.width_a) {
      const std::int64_t e = offset_of(shape.first_a + d);
      return {arguments.A.base(e) + top + (arguments.A.by_column ? shape.first_a + d : 0), 0, shape.rows};
    }
    d -= shape.width_a;
    if (d < shape.width_b) {
      const std::int64_t inner = top + shape.first_a;
      const std::int64_t f     = offset_of(shape.first_b + d);
      return {arguments.B.base(f) + inner + (arguments.B.by_column ? shape.first_b + d : 0), 0, shape.rows_b()};
    }
    d -= shape.width_b;
    return {arguments.C.base_of(offset_of(shape.first_a + shape.first_b + d)) + top, 0, shape.rows};
  }

  /// The piece of diagonal d of A, then of B, then of C.
  KOKKOS_FORCEINLINE_FUNCTION Piece piece(std::int64_t top, int d) const {
    if (d < shape.width_a) return input_piece(arguments.A, shape.first_a + d, top, shape.rows, true);
    d -= shape.width_a;
    if (d < shape.width_b)
      return input_piece(arguments.B, shape.first_b + d, top + shape.first_a, shape.rows_b(), false);
    d -= shape.width_b;
    const auto& C             = arguments.C;
    const std::int64_t offset = offset_of(shape.first_a + shape.first_b + d);
    if (!wraps && (offset <= -C.rows || offset >= C.columns)) return {0, 0, 0};
    return piece_of(C.base_of(offset), top, shape.rows, C.first_row(offset), C.end_row(offset));
  }

  /// Rows first … of diagonal `number` of X. `ends`: in CDM rows do not wrap around, they end.
  KOKKOS_FORCEINLINE_FUNCTION Piece input_piece(const typename Arguments::Operand& X, std::int64_t number,
                                                std::int64_t first, int count, bool ends) const {
    const std::int64_t offset = offset_of(number);
    const std::int64_t base   = X.base(offset);
    if constexpr (wraps) {
      const std::int64_t row    = ends ? first : wrapped(first);
      const std::int64_t column = wrapped(row + offset);
      if (row + count > X.rows || column + count > X.rows) return {base, 0, -1};
      return {base + (X.by_column ? column : row), 0, count};
    } else {
      const std::int64_t least = offset < 0 ? -offset : 0;
      const std::int64_t end   = X.rows < X.columns - offset ? X.rows : X.columns - offset;
      return piece_of(base, first, count, least, end);
    }
  }

  /// Calls body(piece, place, row) for the pieces of `width` diagonals of `count` rows, which are `leading` places
  /// apart in scratch. Most of what a team does beside multiplying is to count and to compare: so a thread keeps its
  /// row.
  template <class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_elements(const Team& team, const BandSpread& spread, const Piece* pieces,
                                                       int width, int count, int leading, const Body& body) {
    const int first = spread.first_diagonal(team.group());
    if (first >= spread.at_once) return;
    const int column = team.group() - first * spread.groups;
    const int step   = spread.at_once * leading;
    for (int row = column * Team::lane_width + team.lane(); row < count; row += spread.groups * Team::lane_width) {
      const Piece* now = pieces + first;
      int place        = first * leading + row;
      int left         = width - first;
      for (; left > 3 * spread.at_once; left -= 4 * spread.at_once) {
        std::int64_t address[4];
        LACUNA_UNROLL
        for (int k = 0; k < 4; ++k, now += spread.at_once) address[k] = now->address;
        LACUNA_UNROLL
        for (int k = 0; k < 4; ++k, place += step) body(address[k], place, row);
      }
      for (; left > 0; left -= spread.at_once, now += spread.at_once, place += step) body(now->address, place, row);
    }
  }

  /// The same as below, where every element exists.
  template <class Team>
  KOKKOS_FUNCTION void load_whole(const Team& team, const Piece* pieces, double* a, double* b) const {
    using stages    = typename Team::stages;
    const auto to_a = stages::address(a), to_b = stages::address(b);
    constexpr int bytes      = sizeof(double);
    const double* const of_a = arguments.A.list;
    const double* const of_b = arguments.B.list;
    for_elements(team, shape.spread_a, pieces, shape.width_a, shape.rows, shape.leading_a(),
                 [&](std::int64_t address, int place, int row) {
                   stages::template copy<bytes>(to_a + place * bytes, of_a + row + address);
                 });
    for_elements(team, shape.spread_b, pieces + shape.width_a, shape.width_b, shape.rows_b(), shape.leading_b(),
                 [&](std::int64_t address, int place, int row) {
                   stages::template copy<bytes>(to_b + place * bytes, of_b + row + address);
                 });
    stages::commit();
    stages::template wait<0>();
  }

  /// The diagonals of A in rows top …, and those of B in the rows that meet them, zeros where there is nothing.
  template <class Team>
  KOKKOS_FUNCTION void load(const Team& team, std::int64_t top, const Piece* pieces, double* a, double* b) const {
    using stages    = typename Team::stages;
    const auto to_a = stages::address(a), to_b = stages::address(b);
    constexpr int bytes = sizeof(double);
    for (int d = team.group(); d < shape.width_a; d += team.groups())
      load_diagonal(team, arguments.A, pieces[d], shape.first_a + d, top, shape.rows, true,
                    to_a + d * shape.leading_a() * bytes);
    for (int d = team.group(); d < shape.width_b; d += team.groups())
      load_diagonal(team, arguments.B, pieces[shape.width_a + d], shape.first_b + d, top + shape.first_a,
                    shape.rows_b(), false, to_b + d * shape.leading_b() * bytes);
    stages::commit();
    stages::template wait<0>();
  }

  template <class Team, class Address>
  KOKKOS_FORCEINLINE_FUNCTION void load_diagonal(const Team& team, const typename Arguments::Operand& X,
                                                 const Piece& now, std::int64_t number, std::int64_t first, int count,
                                                 bool ends, Address to) const {
    using stages        = typename Team::stages;
    constexpr int bytes = sizeof(double);
    to += team.lane() * bytes;
    if (now.from == 0 && now.stop == count) {
      const double* source = X.list + now.address + team.lane();
      for (int i = team.lane(); i < count; i += Team::lane_width) {
        stages::template copy<bytes>(to, source);
        to += Team::lane_width * bytes;
        source += Team::lane_width;
      }
      return;
    }
    for (int i = team.lane(); i < count; i += Team::lane_width) {
      bool exists          = i >= now.from && i < now.stop;
      std::int64_t address = now.address + i;
      if constexpr (wraps) {
        if (now.stop < 0) {
          const std::int64_t offset = offset_of(number), row = wrapped(first + i);
          exists  = !ends || first + i < X.rows;
          address = now.address + (X.by_column ? wrapped(row + offset) : row);
        }
      }
      stages::template copy<bytes>(to, exists ? X.list + address : X.list, exists ? bytes : 0);
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

  /// The sums of rows 16 slice … and columns n first_tile … of the leaning block row. Most tiles of A and B lie within
  /// the band: there nothing is compared.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Team& team, const double* a, const double* b, Item item,
                                            typename Mma::C* sums) const {
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
    const int left = item.first_tile * Mma::n;
    // Inner rows inner … inner + k - 1 meet columns from inner to inner + k - 1 + width_b - 1.
    int inner          = left - width_b - Mma::k + 2;
    inner              = inner > 0 ? inner / Mma::k * Mma::k : 0;
    int end            = left + tiles * Mma::n;
    end                = end < shape.depth() ? end : shape.depth();
    const double* of_a = a + item.slice * tall + inner * leading_a;
    const double* of_b = b + item.slice * tall + inner + (left - inner) * leading_b;
    for (; inner < end; inner += Mma::k, of_a += Mma::k * leading_a, of_b += Mma::k - Mma::k * leading_b) {
      typename Mma::A from_a;
      if (inner >= tall - 1 && inner + Mma::k <= width_a) {
        for_each_lane<Mma>(own, [&](int lane) {
          LACUNA_UNROLL
          for (int reg = 0; reg < Mma::a_registers; ++reg) from_a(lane, reg) = of_a[place_a(lane, reg)];
        });
      } else {
        for_each_lane<Mma>(own, [&](int lane) {
          LACUNA_UNROLL
          for (int reg = 0; reg < Mma::a_registers; ++reg) {
            const auto e      = static_cast<unsigned>(inner + lean_a(lane, reg));
            from_a(lane, reg) = e < static_cast<unsigned>(width_a) ? of_a[place_a(lane, reg)] : 0.0;
          }
        });
      }
      LACUNA_UNROLL
      for (int tile = 0; tile < tiles; ++tile) {
        const int lead = left + tile * Mma::n - inner;
        if (lead <= -Mma::n || lead >= width_b + Mma::k - 1) continue;
        typename Mma::B from_b;
        const double* const of_tile = of_b + tile * Mma::n * leading_b;
        if (lead >= Mma::k - 1 && lead + Mma::n <= width_b) {
          for_each_lane<Mma>(own, [&](int lane) {
            LACUNA_UNROLL
            for (int reg = 0; reg < Mma::b_registers; ++reg) from_b(lane, reg) = of_tile[place_b(lane, reg)];
          });
        } else {
          for_each_lane<Mma>(own, [&](int lane) {
            LACUNA_UNROLL
            for (int reg = 0; reg < Mma::b_registers; ++reg) {
              const auto f      = static_cast<unsigned>(lead + lean_b(lane, reg));
              from_b(lane, reg) = f < static_cast<unsigned>(width_b) ? of_tile[place_b(lane, reg)] : 0.0;
            }
          });
        }
        Mma::fma(sums[tile], from_a, from_b, sums[tile]);
      }
    }
  }

  /// Sums into scratch, by diagonals. Whether all that the lane has are finite.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION bool stage(const Team& team, double* c, Item item, const typename Mma::C* sums) const {
    const int width_c = shape.width_a + shape.width_b - 1, leading_c = shape.leading_c();
    double nothing = 0.0;  // not after an Inf or a NaN
    LACUNA_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      const int lead = (item.first_tile + tile) * Mma::n;
      double* to     = c + lead * leading_c + item.slice * tall;
      if (lead >= tall - 1 && lead + Mma::n <= width_c) {
        drain_c<Mma>(team.lane(), sums[tile], [&](int row, int column, double value) {
          nothing += value * 0.0;
          to[(column - row) * leading_c + row] = value;
        });
      } else {
        drain_c<Mma>(team.lane(), sums[tile], [&](int row, int column, double value) {
          nothing += value * 0.0;
          const auto d = static_cast<unsigned>(lead + column - row);
          if (d < static_cast<unsigned>(width_c)) to[(column - row) * leading_c + row] = value;
        });
      }
    }
    return nothing == 0.0;
  }

  template <class Team>
  KOKKOS_FUNCTION void store_whole(const Team& team, const Piece* pieces, const double* c) const {
    double* const list = arguments.C.list;
    for_elements(team, shape.spread_a, pieces, shape.width_a + shape.width_b - 1, shape.rows, shape.leading_c(),
                 [&](std::int64_t address, int place, int row) { (list + row)[address] = c[place]; });
  }

  template <class Team>
  KOKKOS_FUNCTION void store(const Team& team, std::int64_t top, const Piece* pieces, const double* c) const {
    const bool plain = arguments.alpha == 1.0 && arguments.beta == 0.0;
    for (int d = team.group(); d < shape.width_a + shape.width_b - 1; d += team.groups()) {
      const Piece now    = pieces[d];
      const double* sums = c + d * shape.leading_c();
      double* const to   = arguments.C.list + now.address;
      for (int i = now.from + team.lane(); i < now.stop; i += Team::lane_width) {
        double sum = sums[i];
        if (!Kokkos::isfinite(sum)) sum = arguments.product_at(top + i, offset_of(shape.first_a + shape.first_b + d));
        if (plain)
          to[i] = sum;
        else
          arguments.write(now.address + i, sum);
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
