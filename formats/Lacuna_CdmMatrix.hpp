// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CDMMATRIX_HPP
#define LACUNA_CDMMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <formats/impl/diagonals/Lacuna_DiagonalStructure.hpp>

/// \file
/// \brief Compact diagonals of a square matrix: a superdiagonal and a subdiagonal share one array of n elements.

namespace lacuna {

/// \brief CDM, compact diagonals: superdiagonal k and subdiagonal n - k are stored together, n elements in all.
///
/// Compact diagonal d has the index `Ds(d)` in [0, n); indices ascend. `list(d * n + row)` is its element in `row`, the
/// element of A in column (row + Ds(d)) mod n. With k = Ds(d), the rows 0 … n - k - 1 hold superdiagonal k, the rows
/// behind them subdiagonal n - k.
///
/// The element is 0 where A has no entry. A band with superdiagonal k but without subdiagonal n - k (or the other way
/// round) has such zeros too. Products multiply all elements, so a 0 times Inf or NaN gives NaN; HM has no such
/// elements at the ends of a band. The sparse form stores the compact diagonals that hold a nonzero, the dense form all
/// n.
///
/// The format and the names of the members are those of Haque, Parvez and Hossain, Algorithms 17(1):31, 2024, sections
/// 3.2 and 6.1.
///
/// Transposes need no copy: compact diagonal k of the transpose is compact diagonal (n - k) mod n, shifted up by k with
/// wrap-around (the "reverse" of the paper).
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct CdmMatrix : Impl::FormatTypes<ScalarType, OrdinalType, DeviceType, OffsetType> {
  OrdinalType rows           = 0;
  OrdinalType columns        = 0;
  OffsetType stored_nonzeros = 0;
  Kokkos::View<OrdinalType*, DeviceType> Ds;
  Kokkos::View<ScalarType*, DeviceType> list;
  /// Where compact diagonal k begins in `list`, -1 where it is not stored (the paper's BdiagDense).
  Kokkos::View<OffsetType*, DeviceType> DiagDense;
  /// A copy of `Ds` on the host: products need it before any kernel runs.
  Kokkos::View<OrdinalType*, Kokkos::HostSpace> host_Ds;

  /// Stored compact diagonals.
  std::int64_t dg() const { return static_cast<std::int64_t>(Ds.extent(0)); }
  /// Nonzeros of the CSR matrix that it was made from, duplicates counted. Of a product: elements of its diagonals.
  OffsetType nonzeros() const { return stored_nonzeros; }
  /// Bytes of the storage in the memory of the device.
  std::size_t bytes() const { return Impl::bytes_of(Ds, list, DiagDense); }
};

/// \brief The `CdmMatrix` with the scalar, indices and device of a CSR matrix of type `Matrix`: what `to_cdm` returns.
template <Impl::CrsMatrixType Matrix>
using CdmOf = Impl::FormatOf<CdmMatrix, Matrix>;

/// \brief Which compact diagonals are stored: those that hold a nonzero (sparse), or all n (dense).
enum class CdmForm { sparse, dense };

/// \brief Options of `to_cdm`.
struct CdmOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated
  /// The conversion throws where it would store more than 2^20 elements and more than this many for each nonzero.
  /// 0 sets no limit.
  double fill_limit = 20;
  CdmForm form      = CdmForm::sparse;
};

}  // namespace lacuna

#endif
