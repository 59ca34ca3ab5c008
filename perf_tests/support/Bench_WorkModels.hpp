// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_WORKMODELS_HPP
#define LACUNA_BENCH_WORKMODELS_HPP

#include <support/Bench_Session.hpp>

#include <core/impl/matrix/Lacuna_Crs.hpp>

#include <type_traits>

/// \file
/// \brief Flops and compulsory bytes of the operations. The same for every implementation, so that rates compare.

namespace lacuna::bench {

template <class Scalar>
inline constexpr bool is_complex = false;
template <class Real>
inline constexpr bool is_complex<Kokkos::complex<Real>> = true;

/// \brief Half precision or bfloat16, where these are types of their own: on hosts they are float by another name.
template <class Scalar>
inline constexpr bool is_half = sizeof(Scalar) == 2;

/// \brief What products and sums are made in, and alpha and beta given in.
template <class Scalar>
using ArithmeticOf = std::conditional_t<is_half<Scalar>, float, Scalar>;

/// \brief y = A x + beta y: a multiplication and an addition a nonzero (4 of each where complex); values, entries and
/// row map once, x once, y once, and once more where it is read.
template <Impl::CrsMatrixType Matrix>
Work spmv_work(const Matrix& A, bool reads_y) {
  using Scalar        = typename Matrix::non_const_value_type;
  const auto rows     = static_cast<double>(A.numRows());
  const auto columns  = static_cast<double>(A.numCols());
  const auto nonzeros = static_cast<double>(A.graph.entries.extent(0));
  Work work;
  work.rows     = static_cast<std::int64_t>(A.numRows());
  work.columns  = static_cast<std::int64_t>(A.numCols());
  work.nonzeros = static_cast<std::int64_t>(A.graph.entries.extent(0));
  work.flops    = (is_complex<Scalar> ? 8 : 2) * nonzeros;
  work.bytes    = nonzeros * (sizeof(Scalar) + sizeof(typename Matrix::non_const_ordinal_type)) +
               (rows + 1) * sizeof(typename Matrix::non_const_size_type) +
               (columns + (reads_y ? 2 : 1) * rows) * sizeof(Scalar);
  return work;
}

/// \brief C = A B + beta C for `columns` columns: a multiplication and an addition a nonzero and column; A once, B
/// once, C once, and once more where it is read.
template <Impl::CrsMatrixType Matrix>
Work spmm_work(const Matrix& A, std::int64_t columns, bool reads_c) {
  using Scalar       = typename Matrix::non_const_value_type;
  const auto width   = static_cast<double>(columns);
  Work work          = spmv_work(A, reads_c);
  const double dense = (static_cast<double>(work.columns) + (reads_c ? 2 : 1) * static_cast<double>(work.rows)) *
                       static_cast<double>(sizeof(Scalar));
  work.flops *= width;
  work.bytes += (width - 1) * dense;
  return work;
}

}  // namespace lacuna::bench

#endif
