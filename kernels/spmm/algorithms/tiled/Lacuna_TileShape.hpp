// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TILESHAPE_HPP
#define LACUNA_TILESHAPE_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// \brief How a matrix is cut into tiles, and the rows of a tile into groups: of each group a record of 16-bit numbers
/// says where its rows begin.
struct TileShape {
  std::int64_t rows    = 1;  ///< of a tile
  std::int64_t columns = 1;
  int groups           = 1;  ///< that share the rows of a tile, neighbours together; others of a team have none
  int record           = 8;  ///< numbers, a multiple of 8 and more than a group has rows

  /// Numbers of a record for at most `rows` rows: whole loads of 16 bytes.
  KOKKOS_FUNCTION static constexpr int record_for(std::int64_t rows) { return static_cast<int>(round_up(rows + 1, 8)); }

  KOKKOS_FUNCTION std::int64_t rows_of_group() const { return ceiling_quotient(rows, groups); }
  KOKKOS_FUNCTION std::int64_t numbers() const { return std::int64_t{groups} * record; }  ///< of a tile
};

}  // namespace lacuna::Impl

#endif
