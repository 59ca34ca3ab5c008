// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HYBMATRIX_HPP
#define LACUNA_HYBMATRIX_HPP

#include <Lacuna_CooMatrix.hpp>
#include <Lacuna_EllMatrix.hpp>

#include <vector>

/// \file
/// \brief ELLPACK for the first nonzeros of every row, coordinate storage for the others.

namespace lacuna {

/// \brief HYB: ELLPACK for the first `ell.width` nonzeros of every row, coordinate storage for the others.
///
/// The other nonzeros of row i are the nonzeros [coo_row_map(i), coo_row_map(i + 1)) of `coo`. `ell` and `coo` have the
/// extents of the whole matrix and keep the order of the CSR matrix.
///
/// Source: Bell and Garland, NVR-2008-004, section 3.5.
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

/// \brief The `HybMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_hyb` returns.
template <Impl::CrsMatrixType Matrix>
using HybOf = Impl::FormatOf<HybMatrix, Matrix>;

/// \brief Options of `to_hyb`.
struct HybOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
  std::int64_t width       = -1;         ///< of the ELLPACK part; -1: `hyb_width` computes it
  int alignment            = 0;          ///< of the ELLPACK part, see `EllOptions`
};

/// \brief Computes the width of the ELLPACK part by the rule of Bell and Garland: the largest number of nonzeros that
/// at least a third of the rows, and at least 4096 rows, have.
///
/// \param[in] rows_of_length `rows_of_length[n]` is the number of rows with n nonzeros
/// \return the width; 0 where no width fulfils the rule
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
