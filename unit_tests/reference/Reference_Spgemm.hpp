// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_REFERENCE_SPGEMM_HPP
#define LACUNA_REFERENCE_SPGEMM_HPP

#include <Lacuna_Options.hpp>

#include <reference/Reference_Spmv.hpp>
#include <support/Test_Matrices.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

/// \file
/// \brief C = alpha op(A) op(B), serially, in double precision, with the bound that a tolerance is made of.

namespace lacuna::Test {

/// An element of C, what its rounding errors are relative to, and how many products it is the sum of.
template <class Scalar>
struct SpgemmElement {
  Wide<Scalar> value{};
  double magnitude   = 0;
  std::int64_t terms = 0;
};

template <class Scalar>
struct SpgemmReference {
  std::int64_t columns = 0;
  std::vector<std::map<std::int64_t, SpgemmElement<Scalar>>> rows;

  std::int64_t nonzeros() const {
    std::int64_t count = 0;
    for (const auto& row : rows) count += static_cast<std::int64_t>(row.size());
    return count;
  }
};

/// op(A), entry by entry.
template <class Scalar>
std::vector<std::vector<std::pair<std::int64_t, Wide<Scalar>>>> rows_of(Op op, const HostMatrix<Scalar>& A) {
  std::vector<std::vector<std::pair<std::int64_t, Wide<Scalar>>>> rows(
      static_cast<std::size_t>(op == Op::none ? A.rows : A.columns));
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row) + 1]); ++k) {
      Wide<Scalar> value = widen(A.values[k]);
      if constexpr (is_complex<Scalar>)
        if (op == Op::conjugate_transpose) value = std::conj(value);
      rows[static_cast<std::size_t>(op == Op::none ? row : A.entries[k])].emplace_back(
          op == Op::none ? A.entries[k] : row, value);
    }
  return rows;
}

template <class Scalar>
SpgemmReference<Scalar> reference_spgemm(Scalar alpha, Op op_a, const HostMatrix<Scalar>& A, Op op_b,
                                         const HostMatrix<Scalar>& B) {
  const auto a = rows_of(op_a, A), b = rows_of(op_b, B);
  SpgemmReference<Scalar> C;
  C.columns = op_b == Op::none ? B.columns : B.rows;
  C.rows.resize(a.size());
  for (std::size_t row = 0; row < a.size(); ++row)
    for (const auto& [inner, left] : a[row])
      for (const auto& [column, right] : b[static_cast<std::size_t>(inner)]) {
        auto& element              = C.rows[row][column];
        const Wide<Scalar> product = widen(alpha) * left * right;
        element.value += product;
        element.magnitude += std::abs(product);
        ++element.terms;
      }
  return C;
}

/// Checks the pattern exactly, with ascending columns, and every value against |error| <= (terms + 4) eps magnitude.
template <class Scalar>
testing::AssertionResult matches(const SpgemmReference<Scalar>& reference, const HostMatrix<Scalar>& C) {
  if (C.rows != static_cast<std::int64_t>(reference.rows.size()) || C.columns != reference.columns)
    return testing::AssertionFailure() << "C is " << C.rows << "x" << C.columns << ", expected "
                                       << reference.rows.size() << "x" << reference.columns;
  if (C.nonzeros() != reference.nonzeros() || C.row_map.size() != reference.rows.size() + 1 || C.row_map.front() != 0 ||
      C.row_map.back() != C.nonzeros())
    return testing::AssertionFailure() << "C has " << C.nonzeros() << " nonzeros, expected " << reference.nonzeros();
  constexpr double eps = (is_complex<Scalar> ? 2.0 : 1.0) *
                         static_cast<double>(std::numeric_limits<typename RealOf<Scalar>::type>::epsilon());
  for (std::size_t row = 0; row < reference.rows.size(); ++row) {
    auto k = static_cast<std::size_t>(C.row_map[row]);
    if (C.row_map[row + 1] - C.row_map[row] != static_cast<std::int64_t>(reference.rows[row].size()))
      return testing::AssertionFailure() << "row " << row << " has " << C.row_map[row + 1] - C.row_map[row]
                                         << " nonzeros, expected " << reference.rows[row].size();
    for (const auto& [column, element] : reference.rows[row]) {
      if (C.entries[k] != column)
        return testing::AssertionFailure()
               << "row " << row << " has column " << C.entries[k] << ", expected " << column;
      const double error   = std::abs(widen(C.values[k]) - element.value);
      const double allowed = (static_cast<double>(element.terms) + 4.0) * eps * element.magnitude;
      if (!(error <= allowed))
        return testing::AssertionFailure() << "row " << row << ", column " << column << " is " << widen(C.values[k])
                                           << ", expected " << element.value << ", error " << error << " > " << allowed;
      ++k;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace lacuna::Test

#endif
