// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HMMATRIX_HPP
#define LACUNA_HMMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/diagonals/Lacuna_DiagonalStructure.hpp>

/// \file
/// \brief Diagonal storage without padding: each stored diagonal has as many elements as the matrix has on it.

namespace lacuna {

/// \brief HM, diagonal storage without padding: the diagonals that hold a nonzero, one after the other in one array.
///
/// Diagonal d has the offset `Ds(d)` = column - row. The main diagonal comes first, then superdiagonals ascending, then
/// subdiagonals -1, -2, …; only stored diagonals are listed. `list(StartDg(d) + min(row, column))` is its element in
/// (row, column). The element is 0 where A has no entry. The matrix may be rectangular. Diagonal, banded, triangular,
/// Hessenberg and dense matrices are special cases.
///
/// The format and the names of the members are those of Haque, Parvez and Hossain, Algorithms 17(1):31, 2024, sections
/// 3.1 and 6.2, and of Hossain and Mahmud, HPEC 2019. Rectangular matrices and `DiagDense` are added here.
///
/// Transposes need no copy: diagonal -d of the transpose has the elements of diagonal d in the same order.
///
/// A symmetric matrix can be stored by half (`symmetric`): diagonals d and -d then share one array, which begins at the
/// same position of `list` for both. Both are listed in `Ds` and `StartDg`, so that whoever reads by these sees the
/// whole matrix. `gemm` takes such a matrix as A or B, `syrk` and `syr2k` as C, `spmv`, `spmm` and conversions as they
/// take any other. Hermitian matrices are not stored like this.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct HmMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  Kokkos::View<OrdinalType*, DeviceType> Ds;
  Kokkos::View<OffsetType*, DeviceType> StartDg;
  Kokkos::View<ScalarType*, DeviceType> list;
  /// DiagDense(d + rows - 1) is where the diagonal of offset d begins in `list`, -1 where it is not stored. Empty where
  /// rows and columns are more than 16 for each element of `list`: diagonals are then found by a search of `Ds`.
  Kokkos::View<OffsetType*, DeviceType> DiagDense;
  /// A copy of `Ds` on the host: products need it before any kernel runs.
  Kokkos::View<OrdinalType*, Kokkos::HostSpace> host_Ds;
  /// Whether diagonals d and -d share their elements: `list` then holds the main diagonal and one half.
  bool symmetric = false;

  /// Listed diagonals.
  std::int64_t dg() const { return static_cast<std::int64_t>(Ds.extent(0)); }
  /// Nonzeros of the CSR matrix that it was made from, duplicates counted. Of a product: elements of its diagonals.
  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage in the memory of the device.
  std::size_t bytes() const { return Impl::bytes_of(Ds, StartDg, list, DiagDense); }
};

/// \brief The `HmMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_hm` returns.
template <Impl::CrsMatrixType Matrix>
using HmOf = Impl::FormatOf<HmMatrix, Matrix>;

/// \brief Options of `to_hm`.
struct HmOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
  /// The conversion throws where it would store more than 2^20 elements and more than this many for each nonzero.
  /// 0 sets no limit.
  double fill_limit = 20;
  /// Stores a symmetric matrix by half. `to_hm` throws where the matrix is not symmetric, element by element, and takes
  /// memory for all of it in between; `make_hm` adds to each diagonal the one across the main diagonal. `update_values`
  /// then reads the main diagonal and what is above, without a look at the rest.
  bool symmetric = false;
};

}  // namespace lacuna

#endif
