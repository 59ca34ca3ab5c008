// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_CONVERSIONS_HPP
#define LACUNA_TEST_CONVERSIONS_HPP

#include <Lacuna_Convert.hpp>

#include <support/Reference_Space.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <vector>

/// \file
/// \brief What every conversion is tested for: there and back, over every kind of matrix and type.

namespace lacuna::Test {

using DefaultSpace = Kokkos::DefaultExecutionSpace;

template <class ScalarType, class OrdinalType, class OffsetType, class SpaceType = DefaultSpace>
struct MatrixTypes {
  using Scalar = ScalarType;
  using Space  = SpaceType;
  using Matrix = KokkosSparse::CrsMatrix<ScalarType, OrdinalType, SpaceType, void, OffsetType>;
};

/// Compilers for GPUs take a minute for every two of these. There are fewer there, and hosts run all.
using ConversionTypes = std::conditional_t<
    ExecutionTraits<DefaultSpace>::is_gpu,
    testing::Types<MatrixTypes<double, int, std::size_t>,
                   MatrixTypes<Kokkos::complex<float>, std::int64_t, std::int64_t>>,
    testing::Types<MatrixTypes<double, int, int>, MatrixTypes<float, int, std::size_t>,
                   MatrixTypes<Kokkos::complex<double>, int, std::size_t>,
                   MatrixTypes<Kokkos::complex<float>, std::int64_t, std::int64_t>,
                   MatrixTypes<double, int, std::int64_t>, MatrixTypes<double, int, std::size_t, ReferenceSpace>>>;

template <class Scalar>
bool less(const std::pair<std::int64_t, Scalar>& left, const std::pair<std::int64_t, Scalar>& right) {
  if (left.first != right.first) return left.first < right.first;
  if constexpr (requires(Scalar s) { s.real(); })
    return std::pair(left.second.real(), left.second.imag()) < std::pair(right.second.real(), right.second.imag());
  else
    return left.second < right.second;
}

/// Whether a View holds what is expected of it, whatever the types of integers.
template <class View, class T>
void expect_equal(const View& actual, const std::vector<T>& expected, const std::string& what) {
  const auto host = to_vector(actual);
  EXPECT_TRUE(std::equal(host.begin(), host.end(), expected.begin(), expected.end(), [](const auto& a, const auto& b) {
    return static_cast<T>(a) == b;
  })) << what;
}

/// The rows of a matrix, each as a sorted list of (column, value): what is left when order does not matter.
template <class Scalar>
std::vector<std::vector<std::pair<std::int64_t, Scalar>>> rows_of(const HostMatrix<Scalar>& A) {
  std::vector<std::vector<std::pair<std::int64_t, Scalar>>> rows(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_map[i]); k < static_cast<std::size_t>(A.row_map[i + 1]); ++k)
      rows[i].emplace_back(A.entries[k], A.values[k]);
    std::sort(rows[i].begin(), rows[i].end(), less<Scalar>);
  }
  return rows;
}

enum class Order { kept, free };

/// Whether two matrices are equal, element by element, bit by bit.
template <class Scalar>
testing::AssertionResult same(const HostMatrix<Scalar>& actual, const HostMatrix<Scalar>& expected,
                              Order order = Order::kept) {
  if (actual.rows != expected.rows || actual.columns != expected.columns)
    return testing::AssertionFailure() << "is " << actual.rows << "x" << actual.columns << ", expected "
                                       << expected.rows << "x" << expected.columns;
  if (actual.row_map != expected.row_map) return testing::AssertionFailure() << "row map differs";
  if (order == Order::free ? rows_of(actual) != rows_of(expected)
                           : actual.entries != expected.entries || actual.values != expected.values)
    return testing::AssertionFailure() << "nonzeros differ";
  return testing::AssertionSuccess();
}

/// Converts a matrix there and back, then does so again with new values brought in by update_values.
template <class Types, class Convert>
void check_round_trip(const Convert& convert, const NamedMatrix<typename Types::Scalar>& sample,
                      Order order = Order::kept) {
  using Matrix = typename Types::Matrix;
  const typename Types::Space exec{};
  const Matrix A  = make_crs<Matrix>(sample.matrix);
  const auto F    = convert(exec, A);
  const auto back = to_crs(exec, F);
  exec.fence();
  EXPECT_TRUE(same(to_host(back), sample.matrix, order)) << sample.name;
  const auto changed = with_new_values(sample.matrix);
  update_values(exec, make_crs<Matrix>(changed), F);
  exec.fence();
  EXPECT_TRUE(same(to_host(to_crs(exec, F)), changed, order)) << sample.name << ", new values";
}

/// The same for every sample.
template <class Types, class Convert>
void check_round_trips(const Convert& convert, Order messy_order = Order::kept) {
  for (const auto& sample : sample_matrices<typename Types::Scalar>()) check_round_trip<Types>(convert, sample);
  for (const auto& sample : messy_matrices<typename Types::Scalar>())
    check_round_trip<Types>(convert, sample, messy_order);
}

/// A matrix without rows whose row map has no element at all.
template <class Matrix>
Matrix matrix_without_row_map() {
  return Matrix("A", 0, 5, 0, typename Matrix::values_type("values", 0),
                typename Matrix::row_map_type::non_const_type("row_map", 0), typename Matrix::index_type("entries", 0));
}

/// [10 11  0  0; 0 0 0 0; 0 21 22 23], the example of the layout tests.
inline HostMatrix<double> small_matrix() {
  HostMatrix<double> A;
  A.rows    = 3;
  A.columns = 4;
  A.row_map = {0, 2, 2, 5};
  A.entries = {0, 1, 1, 2, 3};
  A.values  = {10, 11, 21, 22, 23};
  return A;
}

}  // namespace lacuna::Test

#endif
