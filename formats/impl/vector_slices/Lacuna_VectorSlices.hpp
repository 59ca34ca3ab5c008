// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VECTORSLICES_HPP
#define LACUNA_VECTORSLICES_HPP

#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// \brief Slices of 16 rows for the vector registers of a host: diagonals where neighbouring rows have them, 16-bit
/// columns elsewhere.
///
/// A slice is a row of *steps*: a step is one entry of each of its rows, 16 contiguous values. The first `diagonals`
/// steps of a slice are diagonals: row r of the slice has the column `base + r`, so that x is read contiguously. In
/// other steps row r has the column `base + narrow(r)`, or `wide(r)` where columns of a step lie too far apart. Bit r
/// of `rows` says that row r has an entry; otherwise its value is 0 and x is not used, so that NaN and Inf in x do not
/// leak into rows without an entry there.
///
/// Windows of 256 rows whose neighbours are unevenly long are sorted by length (SELL-C-sigma: Kreutzer et al. 2014):
/// slot s of window w then holds the row 256 w + order(256 w + s). Rows of x and y keep their positions.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct VectorSlices : FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  static constexpr int rows_per_slice  = 16;
  static constexpr int rows_per_window = 256;
  using RowSet                         = std::uint16_t;  ///< a bit a row of a slice
  static constexpr RowSet all_rows     = 0xffff;

  struct Slice {
    std::int64_t step      = 0;  ///< steps of all slices before
    std::int64_t index     = 0;  ///< steps with columns in `narrow`, or in `wide`, of all slices before
    std::int32_t diagonals = 0;  ///< of the steps
    bool is_wide           = false;
    bool is_sorted         = false;
  };
  struct Step {
    OrdinalType base;
    RowSet rows;
  };

  OrdinalType rows         = 0;
  bool looks_for_diagonals = false;

  Kokkos::View<Slice*, DeviceType> slices;          ///< and one behind the last
  Kokkos::View<Step*, DeviceType> steps;            ///< of all slices
  Kokkos::View<ScalarType*, DeviceType> values;     ///< 16 a step
  Kokkos::View<std::uint16_t*, DeviceType> narrow;  ///< 16 a step
  Kokkos::View<OrdinalType*, DeviceType> wide;      ///< 16 a step
  Kokkos::View<std::uint8_t*, DeviceType> order;    ///< a slot; empty where no window is sorted

  std::int64_t slice_count() const { return ceiling_quotient(static_cast<std::int64_t>(rows), rows_per_slice); }
  std::size_t bytes() const { return bytes_of(slices, steps, values, narrow, wide, order); }
};

}  // namespace lacuna::Impl

#endif
