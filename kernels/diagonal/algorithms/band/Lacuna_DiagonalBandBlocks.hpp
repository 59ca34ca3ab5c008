// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBANDBLOCKS_HPP
#define LACUNA_DIAGONALBANDBLOCKS_HPP

#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandShape.hpp>

#include <backends/Lacuna_Mma.hpp>

/// \file
/// \brief A block of C on the matrix engine, from diagonals in scratch to diagonals in scratch.
///
/// Sixteen rows of a band are a dense block row that leans: the engine's tiles are read from scratch along that slope.
/// For what lies beside the band a lane reads a zero that stands in front of A: a choice between addresses costs what a
/// comparison does, a read under a condition becomes a branch.

namespace lacuna::Impl {

/// 16 rows and `Columns` columns at a time.
template <class MmaType, int Columns>
struct DiagonalBandBlocks {
  using Mma                  = MmaType;
  static constexpr int tiles = Columns / Mma::n;
  static constexpr int tall  = DiagonalBandShape::tall;
  static_assert(Mma::m == tall && DiagonalBandShape::deep % Mma::k == 0 && Columns % Mma::n == 0);

  const DiagonalBandShape& shape;

  /// 16 rows, and the first of its tiles of columns.
  struct Item {
    int slice;
    int first_tile;
  };
  KOKKOS_FORCEINLINE_FUNCTION Item item(int number) const {
    const int slices = shape.rows / tall;
    Item item{number, 0};
    for (; item.slice >= slices; item.slice -= slices) item.first_tile += tiles;  // cheaper than to divide
    return item;
  }

  /// The sums of an item. `scratch` begins with 0; A and B are at `a` and `b`.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(int own, const double* scratch, int a, int b, Item item,
                                            typename Mma::C* sums) const {
    LACUNA_UNROLL
    for (int tile = 0; tile < tiles; ++tile) fill_c<Mma>(own, sums[tile], [](int, int) { return 0.0; });
    const auto width_a = static_cast<unsigned>(shape.width_a), width_b = static_cast<unsigned>(shape.width_b);
    const int leading_a = shape.leading_a(), leading_b = shape.leading_b();
    const int left = item.first_tile * Mma::n;
    // Inner rows inner … inner + k - 1 meet columns from inner to inner + k - 1 + width_b - 1.
    const int beyond = shape.width_b + Mma::k - 1;
    int inner        = left - beyond + 1;
    inner            = inner > 0 ? inner / Mma::k * Mma::k : 0;
    int end          = left + tiles * Mma::n;
    end              = end < shape.depth() ? end : shape.depth();
    a += item.slice * tall + inner * leading_a;
    b += item.slice * tall + inner + (left - inner) * leading_b;
    LACUNA_NO_UNROLL
    for (; inner < end; inner += Mma::k, a += Mma::k * leading_a, b += Mma::k - Mma::k * leading_b) {
      // Positions are computed as it goes. Those of all registers and tiles, known before the loop, would push out
      // sums.
      const int apart_a = Lanes::keep(leading_a), apart_b = Lanes::keep(leading_b);
      typename Mma::A from_a;
      fill_a<Mma>(own, from_a, [&](int row, int column) {
        const int lean = column - row;
        return scratch[static_cast<unsigned>(inner + lean) < width_a ? a + lean * apart_a + row : 0];
      });
      int from = b;
      LACUNA_UNROLL
      for (int tile = 0; tile < tiles; ++tile, from = Lanes::keep(from + Mma::n * apart_b)) {
        const int lead = left + tile * Mma::n - inner;
        if (lead <= -Mma::n || lead >= beyond) continue;
        typename Mma::B from_b;
        fill_b<Mma>(own, from_b, [&](int row, int column) {
          const int lean = column - row;
          return scratch[static_cast<unsigned>(lead + lean) < width_b ? from + lean * apart_b + row : 0];
        });
        Mma::fma(sums[tile], from_a, from_b, sums[tile]);
      }
    }
  }

  /// Sums into scratch at `c`, by diagonals. Whether all that the lane has are finite.
  KOKKOS_FORCEINLINE_FUNCTION bool stage(int own, double* c, Item item, const typename Mma::C* sums) const {
    const int width_c = shape.width_c(), leading_c = shape.leading_c();
    double nothing = 0.0;  // not after an Inf or a NaN
    LACUNA_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      const int lead = (item.first_tile + tile) * Mma::n;
      double* to     = c + lead * leading_c + item.slice * tall;
      if (lead >= tall - 1 && lead + Mma::n <= width_c) {
        drain_c<Mma>(own, sums[tile], [&](int row, int column, double value) {
          nothing += value * 0.0;
          to[(column - row) * leading_c + row] = value;
        });
      } else {
        drain_c<Mma>(own, sums[tile], [&](int row, int column, double value) {
          nothing += value * 0.0;
          const auto d = static_cast<unsigned>(lead + column - row);
          if (d < static_cast<unsigned>(width_c)) to[(column - row) * leading_c + row] = value;
        });
      }
    }
    return nothing == 0.0;
  }
};

}  // namespace lacuna::Impl

#endif
