// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWALK_HPP
#define LACUNA_DIAGONALWALK_HPP

#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief op(X) of a matrix in HM or CDM, one signed diagonal after the other, for products with vectors and blocks.
///
/// Offsets ascend, so that diagonals that touch follow each other and meet the same rows of the block. A compact
/// diagonal k is two signed ones, k and k - n, each in rows where the other is not. A transpose takes them backwards
/// and moves no data.

namespace lacuna::Impl {

/// Element (i, i + offset) is `list[base + i]`, where that row and column exist.
struct SignedDiagonal {
  std::int64_t offset;
  std::int64_t base;
};

/// op(X) of a matrix in HM.
template <class ScalarType, class OrdinalType, class OffsetType>
struct HmWalk {
  using Scalar = ScalarType;

  HmOperand<ScalarType, OrdinalType, OffsetType> X;
  std::int64_t subdiagonals;  ///< of X

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t count() const { return X.dg; }
  KOKKOS_FORCEINLINE_FUNCTION SignedDiagonal operator()(std::int64_t position) const {
    const std::int64_t d      = hm_ascending(X.transposed ? X.dg - 1 - position : position, X.dg, subdiagonals);
    const std::int64_t offset = X.offset(d);
    return {offset, static_cast<std::int64_t>(X.starts[d]) - (offset < 0 ? -offset : 0)};
  }
};

/// op(X) of a matrix in CDM.
template <class ScalarType, class OrdinalType, class OffsetType>
struct CdmWalk {
  using Scalar = ScalarType;

  CdmOperand<ScalarType, OrdinalType, OffsetType> X;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t count() const { return 2 * X.dg; }
  KOKKOS_FORCEINLINE_FUNCTION SignedDiagonal operator()(std::int64_t position) const {
    if (X.transposed) position = 2 * X.dg - 1 - position;
    const std::int64_t d      = position < X.dg ? position : position - X.dg;
    const std::int64_t stored = static_cast<std::int64_t>(X.Ds[d]) - (position < X.dg ? X.rows : 0);
    return X.transposed ? SignedDiagonal{-stored, d * X.rows - stored} : SignedDiagonal{stored, d * X.rows};
  }
};

template <class S, class O, class D, class F>
HmWalk<S, O, F> walk_of(Op op, const HmMatrix<S, O, D, F>& X) {
  const O* const first = X.host_Ds.data();
  const O* const last  = first + X.host_Ds.extent(0);
  const O* const below = std::partition_point(first, last, [](O offset) { return offset >= 0; });
  return {operand_of(op, X), last - below};
}
template <class S, class O, class D, class F>
CdmWalk<S, O, F> walk_of(Op op, const CdmMatrix<S, O, D, F>& X) {
  return {operand_of(op, X)};
}

}  // namespace lacuna::Impl

#endif
