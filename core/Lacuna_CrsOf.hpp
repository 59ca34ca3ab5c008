// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CRSOF_HPP
#define LACUNA_CRSOF_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>

/// \file
/// \brief The type of the CSR matrices that functions return, to declare a variable or a member with.
///
/// Every storage format has such a name too, beside its struct: `CooOf`, `EllOf`, `SellOf` and so on.

namespace lacuna {

/// \brief The CSR matrix with the scalar, indices and device of `Matrix` that owns its arrays.
///
/// Functions that make a matrix from a matrix of type `Matrix` return this type. It is `Matrix` itself unless `Matrix`
/// has const scalars, const indices or memory traits.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`
template <Impl::CrsMatrixType Matrix>
using CrsOf = Impl::OwningCrs<Matrix>;

}  // namespace lacuna

#endif
