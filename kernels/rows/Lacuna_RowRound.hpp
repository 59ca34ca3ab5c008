// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWROUND_HPP
#define LACUNA_ROWROUND_HPP

#include <Kokkos_Core.hpp>

#include <backends/generic/Lacuna_Generic_Lanes.hpp>

/// \file
/// \brief A round: the nonzeros that a subwarp has in flight at once.

namespace lacuna::Impl {

/// Adds the products of up to `most` nonzeros from `first` on, `distance` apart, if `exists(i)`. All loads are in
/// flight before the first product. Nonzeros that do not exist are neither read nor multiplied, not even by zero.
template <int most, int vector, int lane_vectors, class Tile, class Ordinal, class Scalar, class Offset, class Exists>
KOKKOS_FORCEINLINE_FUNCTION void add_round(const Tile& tile, const typename Tile::LanePosition& position,
                                           const Ordinal* columns, const Scalar* values, Offset first, int distance,
                                           const Exists& exists, typename Tile::Sums& sum) {
  Ordinal column[most];
  Scalar value[most];
  Pack<Scalar, vector> row_of_b[most][lane_vectors];
  for (int i = 0; i < most; ++i)
    column[i] = exists(i) ? columns[first + static_cast<Offset>(i * distance)] : Ordinal(0);
  for (int i = 0; i < most; ++i) value[i] = exists(i) ? values[first + static_cast<Offset>(i * distance)] : Scalar(0);
  for (int i = 0; i < most; ++i)
    if (exists(i))
      for (int c = 0; c < lane_vectors; ++c) row_of_b[i][c] = tile.row_of_b(position, c, column[i]);
  for (int i = 0; i < most; ++i)
    if (exists(i)) Tile::add_product(value[i], row_of_b[i], sum);
}

}  // namespace lacuna::Impl

#endif
