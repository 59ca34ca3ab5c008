// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HYBMATRIX_HPP
#define LACUNA_HYBMATRIX_HPP

#include <Lacuna_CooMatrix.hpp>
#include <Lacuna_EllMatrix.hpp>

#include <vector>

namespace lacuna {

/// \brief ELLPACK for the first `ell.width` nonzeros of every row, coordinate storage for what is left.
///
/// The rest of row i is the nonzeros [coo_row_map(i), coo_row_map(i + 1)) of `coo`. Both parts have the extents of the
/// whole matrix and keep the order of the CSR. (Bell and Garland, NVR-2008-004, 3.5.)
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct HybMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  EllMatrix<ScalarType, OrdinalType, DeviceType, OffsetType> ell;
  CooMatrix<ScalarType, OrdinalType, DeviceType, OffsetType> coo;
  Kokkos::View<OffsetType*, DeviceType> coo_row_map;

  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage, padding included.
  std::size_t bytes() const { return ell.bytes() + coo.bytes() + Impl::bytes_of(coo_row_map); }
};

/// \brief What `to_hyb` can be asked for.
struct HybOptions {
  std::size_t memory_limit = unlimited;  ///< bytes that may be allocated
  std::int64_t width       = -1;         ///< of the ELLPACK part; -1: `hyb_width`
  int alignment            = 0;          ///< of the ELLPACK part, see `EllOptions`
};

/// \brief The width that Bell and Garland give the ELLPACK part: the largest that at least a third of the rows, and at
/// least 4096 rows, have. `rows_of_length[n]` is the number of rows with n nonzeros.
inline std::int64_t hyb_width(const std::vector<std::int64_t>& rows_of_length) {
  std::int64_t rows = 0;
  for (const std::int64_t count : rows_of_length) rows += count;
  std::int64_t reaching = 0;
  for (std::size_t length = rows_of_length.size(); length-- > 0;) {
    reaching += rows_of_length[length];
    if (3 * reaching >= rows && reaching >= 4096) return static_cast<std::int64_t>(length);
  }
  return 0;
}

}  // namespace lacuna

#endif
