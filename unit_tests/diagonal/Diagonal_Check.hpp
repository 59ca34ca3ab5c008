// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONAL_CHECK_HPP
#define LACUNA_DIAGONAL_CHECK_HPP

#include <Lacuna_Diagonal.hpp>

#include <reference/Reference_Spmm.hpp>

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Products in diagonal storage against the dense product, computed serially in double precision. HM and CDM are
/// read element by element as their definition says, without a line of the library.

namespace lacuna::Test {

template <class Scalar>
struct DenseMatrix {
  std::int64_t rows    = 0;
  std::int64_t columns = 0;
  std::vector<Scalar> values;

  DenseMatrix(std::int64_t m, std::int64_t n, Scalar value = Scalar(0))
      : rows(m), columns(n), values(static_cast<std::size_t>(m * n), value) {}
  Scalar& operator()(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  const Scalar& operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
};

template <class Scalar>
DenseMatrix<Wide<Scalar>> dense(Op op, const HostMatrix<Scalar>& A) {
  DenseMatrix<Wide<Scalar>> result(op == Op::none ? A.rows : A.columns, op == Op::none ? A.columns : A.rows);
  for (std::int64_t i = 0; i < A.rows; ++i)
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i) + 1]); ++k) {
      Wide<Scalar> value = widen(A.values[k]);
      if constexpr (is_complex<Scalar>)
        if (op == Op::conjugate_transpose) value = std::conj(value);
      (op == Op::none ? result(i, A.entries[k]) : result(A.entries[k], i)) += value;
    }
  return result;
}

/// What a matrix in HM holds, and `missing` where it stores nothing.
template <class S, class O, class D, class F>
DenseMatrix<Wide<S>> dense_of(const HmMatrix<S, O, D, F>& X, Wide<S> missing = Wide<S>(0)) {
  DenseMatrix<Wide<S>> result(static_cast<std::int64_t>(X.rows), static_cast<std::int64_t>(X.columns), missing);
  const auto Ds     = to_vector(X.Ds);
  const auto starts = to_vector(X.StartDg);
  const auto list   = to_vector(X.list);
  for (std::size_t d = 0; d < Ds.size(); ++d)
    for (std::int64_t i = 0; i < result.rows; ++i) {
      const std::int64_t j = i + static_cast<std::int64_t>(Ds[d]);
      if (j >= 0 && j < result.columns)
        result(i, j) = widen(list[static_cast<std::size_t>(starts[d]) + static_cast<std::size_t>(std::min(i, j))]);
    }
  return result;
}
template <class S, class O, class D, class F>
DenseMatrix<Wide<S>> dense_of(const CdmMatrix<S, O, D, F>& X, Wide<S> missing = Wide<S>(0)) {
  const auto n = static_cast<std::int64_t>(X.rows);
  DenseMatrix<Wide<S>> result(n, n, missing);
  const auto Ds   = to_vector(X.Ds);
  const auto list = to_vector(X.list);
  for (std::size_t d = 0; d < Ds.size(); ++d)
    for (std::int64_t i = 0; i < n; ++i)
      result(i, (i + static_cast<std::int64_t>(Ds[d])) % n) =
          widen(list[d * static_cast<std::size_t>(n + 0) + static_cast<std::size_t>(i)]);
  return result;
}

/// sum, and the sum of magnitudes that rounding errors are relative to.
template <class Scalar>
struct DenseProduct {
  DenseMatrix<Wide<Scalar>> sum;
  DenseMatrix<double> magnitude;

  DenseProduct(const DenseMatrix<Wide<Scalar>>& A, const DenseMatrix<Wide<Scalar>>& B)
      : sum(A.rows, B.columns), magnitude(A.rows, B.columns) {
    struct Entry {
      std::int64_t column;
      Wide<Scalar> value;
      double size;
    };
    std::vector<std::vector<Entry>> rows(static_cast<std::size_t>(B.rows));
    for (std::int64_t j = 0; j < B.rows; ++j)
      for (std::int64_t k = 0; k < B.columns; ++k)
        if (B(j, k) != Wide<Scalar>(0)) rows[static_cast<std::size_t>(j)].push_back({k, B(j, k), std::abs(B(j, k))});
    for (std::int64_t i = 0; i < A.rows; ++i)
      for (std::int64_t j = 0; j < A.columns; ++j) {
        if (A(i, j) == Wide<Scalar>(0)) continue;
        const double size = std::abs(A(i, j));
        for (const Entry& entry : rows[static_cast<std::size_t>(j)]) {
          sum(i, entry.column) += A(i, j) * entry.value;
          magnitude(i, entry.column) += size * entry.size;
        }
      }
  }
};

/// Every element of `actual` against scale * expected + beta * before, by the error that any order of summation has.
template <class Scalar>
void expect_near(const DenseMatrix<Wide<Scalar>>& actual, const DenseProduct<Scalar>& expected,
                 const std::string& what) {
  ASSERT_EQ(actual.rows, expected.sum.rows) << what;
  ASSERT_EQ(actual.columns, expected.sum.columns) << what;
  const double tolerance = (is_complex<Scalar> ? 8 : 2) * epsilon<Scalar>();
  int wrong              = 0;
  for (std::int64_t i = 0; i < actual.rows; ++i)
    for (std::int64_t k = 0; k < actual.columns; ++k) {
      const double bound = tolerance * static_cast<double>(actual.rows + 2) * expected.magnitude(i, k);
      if (std::abs(actual(i, k) - expected.sum(i, k)) <= bound) continue;
      if (++wrong <= 3)
        ADD_FAILURE() << what << ": (" << i << ", " << k << ") is " << actual(i, k) << ", not " << expected.sum(i, k);
    }
  EXPECT_EQ(wrong, 0) << what;
}

/// A matrix with these diagonals (column - row) full of random values.
template <class Scalar>
HostMatrix<Scalar> diagonal_matrix(std::int64_t rows, std::int64_t columns, const std::vector<std::int64_t>& offsets,
                                   std::uint64_t seed = 42) {
  std::vector<std::vector<std::int64_t>> pattern(static_cast<std::size_t>(rows));
  auto sorted = offsets;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t i = 0; i < rows; ++i)
    for (const std::int64_t offset : sorted)
      if (i + offset >= 0 && i + offset < columns) pattern[static_cast<std::size_t>(i)].push_back(i + offset);
  return from_rows<Scalar>(columns, pattern, seed);
}

/// `count` different random offsets.
inline std::vector<std::int64_t> random_offsets(std::int64_t rows, std::int64_t columns, std::int64_t count,
                                                std::uint64_t seed) {
  auto offsets = Random(seed).distinct(count, rows + columns - 1);
  for (std::int64_t& offset : offsets) offset -= rows - 1;
  return offsets;
}

template <class View>
void fill_nan(const View& view) {
  using Scalar = typename View::non_const_value_type;
  Kokkos::deep_copy(view, Scalar(std::numeric_limits<typename RealOf<Scalar>::type>::quiet_NaN()));
}

}  // namespace lacuna::Test

#endif
