// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKMATRIX_HPP
#define LACUNA_BRICKMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Storage for matrix engines: the columns of a panel of rows are moved together and cut into bricks of 8 × 4.

namespace lacuna {

/// \brief Bricks of 8 rows × 4 columns with a 32-bit pattern each, for products on a matrix engine whose K is 8.
///
/// A *panel* is `panel_rows` (8 or 16) rows: consecutive ones, or the rows that `row_list` names. A column that holds a
/// nonzero in a panel is *active* there. Where rows of the panel hold it more than once, it is active as often as the
/// row that holds it most often. The active columns of a panel, ascending, are grouped in *steps* of 8. Panel p has the
/// steps [panel_begin(p), panel_begin(p + 1)). A step has two bricks for each of its `brick_rows()` groups of 8 rows.
/// Brick b of group r covers the rows 8 r … 8 r + 7 of the panel and the active columns 4 b … 4 b + 3 of the step. A
/// bit of its pattern stands for one element: bit (row % 8) * 4 + (active column % 4).
///
/// HRPB (see `HrpbMatrix`) has the same idea with bricks turned by 90 degrees. Here Cᵀ = Bᵀ Aᵀ is computed, so that
/// rows of A are on the side of an engine that is 8 wide.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct BrickMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  static constexpr int step_width    = 8;  ///< active columns of a step
  static constexpr int brick_height  = 8;  ///< rows of a brick
  static constexpr int brick_width   = 4;  ///< active columns of a brick
  static constexpr int value_padding = sizeof(ScalarType) >= 16 ? 1 : 16 / static_cast<int>(sizeof(ScalarType));

  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  int panel_rows             = 8;  ///< 8 or 16

  Kokkos::View<OffsetType*, DeviceType> panel_begin;  ///< panels + 1, in steps
  /// steps * 8. The last active column of a panel is repeated to fill its last step, so that every entry is a row of B.
  Kokkos::View<OrdinalType*, DeviceType> step_columns;
  /// steps * 2 * brick_rows(). Brick b of group r of step s is at (s * brick_rows() + r) * 2 + b.
  Kokkos::View<std::uint32_t*, DeviceType> patterns;
  Kokkos::View<OffsetType*, DeviceType> value_begin;  ///< steps + 1: the first value of each step
  /// The values of each step, ordered by group, brick and bit. `value_padding` zeros follow, for loads of 16 bytes.
  Kokkos::View<ScalarType*, DeviceType> values;
  Kokkos::View<OffsetType*, DeviceType> source;  ///< nonzeros: values(i) is nonzero source(i) of the CSR matrix
  /// panels * panel_rows: the row of A that each row of the panels stands for; -1: none. Empty where panels are
  /// consecutive rows.
  Kokkos::View<OrdinalType*, DeviceType> row_list;

  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Groups of 8 rows of a panel: 1 or 2.
  int brick_rows() const { return panel_rows / brick_height; }
  std::int64_t panels() const {
    return row_list.extent(0) > 0 ? static_cast<std::int64_t>(row_list.extent(0)) / panel_rows
                                  : (static_cast<std::int64_t>(rows) + panel_rows - 1) / panel_rows;
  }
  std::int64_t steps() const { return static_cast<std::int64_t>(step_columns.extent(0)) / step_width; }
  /// Bytes of the storage.
  std::size_t bytes() const {
    return Impl::bytes_of(panel_begin, step_columns, patterns, value_begin, values, source, row_list);
  }
};

/// \brief The `BrickMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_bricks`
/// returns.
template <Impl::CrsMatrixType Matrix>
using BrickOf = Impl::FormatOf<BrickMatrix, Matrix>;

/// \brief The list of rows that `to_bricks` can be given for a matrix of type `Matrix`, and that
/// `BrickMatrix::row_list` holds.
template <Impl::CrsMatrixType Matrix>
using RowListOf = Kokkos::View<typename Matrix::non_const_ordinal_type*, typename Matrix::device_type>;

/// \brief Options of `to_bricks`.
struct BrickOptions {
  int panel_rows           = 8;          ///< 8 or 16
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
};

}  // namespace lacuna

#endif
