// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_MATRICES_HPP
#define LACUNA_TEST_MATRICES_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// \brief Matrices for tests: made on the host, serially, without a line of the library under test. A `HostMatrix` is
/// turned into any CrsMatrix type by `make_crs`, and back by `to_host`.

namespace lacuna::Test {

/// CSR in host memory with 64-bit indices.
template <class ScalarType>
struct HostMatrix {
  using Scalar = ScalarType;

  std::int64_t rows    = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> row_map{0};
  std::vector<std::int64_t> entries;
  std::vector<Scalar> values;

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(entries.size()); }
};

/// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : m_engine(seed) {}
  /// Uniform in [0, n).
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(n)); }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(m_engine() >> 11) * 0x1.0p-53; }
  /// Uniform in [-1, 1) (each part of a complex number).
  template <class Scalar>
  Scalar value() {
    if constexpr (requires(Scalar s) { s.real(); }) {
      using Real      = std::remove_cvref_t<decltype(Scalar().real())>;
      const Real real = value<Real>();
      return Scalar(real, value<Real>());
    } else {
      return static_cast<Scalar>(2.0 * unit() - 1.0);
    }
  }
  /// `count` different numbers of [0, n), ascending (all n, where count >= n).
  std::vector<std::int64_t> distinct(std::int64_t count, std::int64_t n) {
    std::set<std::int64_t> chosen;
    if (2 * count >= n) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
      shuffle(all);
      all.resize(static_cast<std::size_t>(std::min(count, n)));
      chosen.insert(all.begin(), all.end());
    }
    while (static_cast<std::int64_t>(chosen.size()) < std::min(count, n)) chosen.insert(below(n));
    return {chosen.begin(), chosen.end()};
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t k = items.size(); k > 1; --k)
      std::swap(items[k - 1], items[static_cast<std::size_t>(below(static_cast<std::int64_t>(k)))]);
  }

 private:
  std::mt19937_64 m_engine;
};

/// A matrix from the columns of its rows, with random values.
template <class Scalar>
HostMatrix<Scalar> from_rows(std::int64_t columns, const std::vector<std::vector<std::int64_t>>& rows,
                             std::uint64_t seed = 1) {
  Random random(seed);
  HostMatrix<Scalar> A;
  A.rows    = static_cast<std::int64_t>(rows.size());
  A.columns = columns;
  for (const auto& row : rows) {
    for (const std::int64_t column : row) {
      A.entries.push_back(column);
      A.values.push_back(random.value<Scalar>());
    }
    A.row_map.push_back(A.nonzeros());
  }
  return A;
}

/// `per_row` different random columns in every row (all columns, where there are fewer).
template <class Scalar>
HostMatrix<Scalar> random_matrix(std::int64_t rows, std::int64_t columns, std::int64_t per_row,
                                 std::uint64_t seed = 42) {
  Random random(seed);
  std::vector<std::vector<std::int64_t>> pattern(static_cast<std::size_t>(rows));
  for (auto& row : pattern) row = random.distinct(per_row, columns);
  return from_rows<Scalar>(columns, pattern, seed + 1);
}

/// Row lengths uniform in [0, longest], so that some rows are empty and neighbours differ.
template <class Scalar>
HostMatrix<Scalar> uneven_matrix(std::int64_t rows, std::int64_t columns, std::int64_t longest,
                                 std::uint64_t seed = 42) {
  Random random(seed);
  std::vector<std::vector<std::int64_t>> pattern(static_cast<std::size_t>(rows));
  for (auto& row : pattern) row = random.distinct(random.below(longest + 1), columns);
  return from_rows<Scalar>(columns, pattern, seed + 1);
}

/// All diagonals from -lower to upper.
template <class Scalar>
HostMatrix<Scalar> banded_matrix(std::int64_t rows, std::int64_t columns, std::int64_t lower, std::int64_t upper,
                                 std::uint64_t seed = 42) {
  std::vector<std::vector<std::int64_t>> pattern(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = std::max<std::int64_t>(0, i - lower); j <= std::min(columns - 1, i + upper); ++j)
      pattern[static_cast<std::size_t>(i)].push_back(j);
  return from_rows<Scalar>(columns, pattern, seed);
}

/// Row i of a random order has about columns / (i + 1)^exponent nonzeros, at least one: a few rows hold most.
template <class Scalar>
HostMatrix<Scalar> power_law_matrix(std::int64_t rows, std::int64_t columns, double exponent = 0.8,
                                    std::uint64_t seed = 42) {
  Random random(seed);
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) order[static_cast<std::size_t>(i)] = i;
  random.shuffle(order);
  std::vector<std::vector<std::int64_t>> pattern(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    const double length = 0.5 * static_cast<double>(columns) / std::pow(static_cast<double>(i + 1), exponent);
    pattern[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] =
        random.distinct(std::max<std::int64_t>(1, static_cast<std::int64_t>(length)), columns);
  }
  return from_rows<Scalar>(columns, pattern, seed + 1);
}

/// Only every `stride`-th row holds anything (`per_row` nonzeros); with stride > 1 the last rows are often empty.
template <class Scalar>
HostMatrix<Scalar> mostly_empty_matrix(std::int64_t rows, std::int64_t columns, std::int64_t stride,
                                       std::int64_t per_row, std::uint64_t seed = 42) {
  Random random(seed);
  std::vector<std::vector<std::int64_t>> pattern(static_cast<std::size_t>(rows));
  for (std::int64_t i = stride / 2; i < rows; i += stride)
    pattern[static_cast<std::size_t>(i)] = random.distinct(per_row, columns);
  return from_rows<Scalar>(columns, pattern, seed + 1);
}

/// Two nonzeros a row, but row `dense` holds every column.
template <class Scalar>
HostMatrix<Scalar> dense_row_matrix(std::int64_t rows, std::int64_t columns, std::int64_t dense,
                                    std::uint64_t seed = 42) {
  Random random(seed);
  std::vector<std::vector<std::int64_t>> pattern(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i)
    pattern[static_cast<std::size_t>(i)] = random.distinct(i == dense ? columns : 2, columns);
  return from_rows<Scalar>(columns, pattern, seed + 1);
}

/// `blocks_per_row` dense b x b blocks at random block columns in each of `block_rows` block rows.
template <class Scalar>
HostMatrix<Scalar> block_matrix(std::int64_t block_rows, std::int64_t block_columns, std::int64_t b,
                                std::int64_t blocks_per_row, std::uint64_t seed = 42) {
  Random random(seed);
  std::vector<std::vector<std::int64_t>> pattern;
  for (std::int64_t block_row = 0; block_row < block_rows; ++block_row) {
    std::vector<std::int64_t> row;
    for (const std::int64_t block : random.distinct(blocks_per_row, block_columns))
      for (std::int64_t k = 0; k < b; ++k) row.push_back(block * b + k);
    for (std::int64_t k = 0; k < b; ++k) pattern.push_back(row);
  }
  return from_rows<Scalar>(block_columns * b, pattern, seed + 1);
}

/// The same matrix with the nonzeros of every row in random order.
template <class Scalar>
HostMatrix<Scalar> shuffled(HostMatrix<Scalar> A, std::uint64_t seed = 7) {
  Random random(seed);
  for (std::int64_t i = 0; i < A.rows; ++i) {
    const auto first = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i)]);
    const auto last  = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i) + 1]);
    for (std::size_t k = last; k > first + 1; --k) {
      const std::size_t other = first + static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k - first)));
      std::swap(A.entries[k - 1], A.entries[other]);
      std::swap(A.values[k - 1], A.values[other]);
    }
  }
  return A;
}

/// The same pattern with about one nonzero in three stored twice (the copy, with a value of its own, right after it).
template <class Scalar>
HostMatrix<Scalar> with_duplicates(const HostMatrix<Scalar>& A, std::uint64_t seed = 7) {
  Random random(seed);
  HostMatrix<Scalar> result;
  result.rows    = A.rows;
  result.columns = A.columns;
  for (std::int64_t i = 0; i < A.rows; ++i) {
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i) + 1]); ++k) {
      for (std::int64_t copies = random.below(3) == 0 ? 2 : 1; copies > 0; --copies) {
        result.entries.push_back(A.entries[k]);
        result.values.push_back(copies == 2 ? A.values[k] : random.value<Scalar>());
      }
    }
    result.row_map.push_back(result.nonzeros());
  }
  return result;
}

/// The same pattern with other values.
template <class Scalar>
HostMatrix<Scalar> with_new_values(HostMatrix<Scalar> A, std::uint64_t seed = 99) {
  Random random(seed);
  for (auto& value : A.values) value = random.value<Scalar>();
  return A;
}

/// A named matrix, for messages.
template <class Scalar>
struct NamedMatrix {
  std::string name;
  HostMatrix<Scalar> matrix;
};

/// One of every kind, at sizes on and beside the lane width, with sorted rows and no duplicates.
template <class Scalar>
std::vector<NamedMatrix<Scalar>> sample_matrices() {
  std::vector<NamedMatrix<Scalar>> samples;
  for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 127, 300}) {
    const std::string size = std::to_string(n);
    samples.push_back({"uneven " + size, uneven_matrix<Scalar>(n, n + 3, 9)});
    samples.push_back({"banded " + size, banded_matrix<Scalar>(n, n, 2, 1)});
  }
  samples.push_back({"no columns", from_rows<Scalar>(0, std::vector<std::vector<std::int64_t>>(33))});
  samples.push_back({"no nonzeros", from_rows<Scalar>(17, std::vector<std::vector<std::int64_t>>(33))});
  samples.push_back({"no rows", from_rows<Scalar>(17, {})});
  samples.push_back({"one row", random_matrix<Scalar>(1, 1000, 513)});
  samples.push_back({"one column", random_matrix<Scalar>(77, 1, 1)});
  samples.push_back({"tall", uneven_matrix<Scalar>(500, 19, 7)});
  samples.push_back({"wide", uneven_matrix<Scalar>(19, 70000, 40)});
  samples.push_back({"power law", power_law_matrix<Scalar>(257, 400)});
  samples.push_back({"mostly empty", mostly_empty_matrix<Scalar>(200, 90, 7, 5)});
  samples.push_back({"dense row", dense_row_matrix<Scalar>(120, 777, 60)});
  samples.push_back({"blocks of 3", block_matrix<Scalar>(40, 45, 3, 4)});
  samples.push_back({"full", random_matrix<Scalar>(35, 35, 35)});
  return samples;
}

/// `sample_matrices` with rows out of order and entries stored twice.
template <class Scalar>
std::vector<NamedMatrix<Scalar>> messy_matrices() {
  std::vector<NamedMatrix<Scalar>> samples;
  for (const auto& [name, matrix] : sample_matrices<Scalar>())
    if (matrix.nonzeros() > 0) samples.push_back({name + ", messy", shuffled(with_duplicates(matrix))});
  return samples;
}

/// Both.
template <class Scalar>
std::vector<NamedMatrix<Scalar>> all_matrices() {
  auto samples = sample_matrices<Scalar>();
  for (auto& messy : messy_matrices<Scalar>()) samples.push_back(std::move(messy));
  return samples;
}

/// Columns so far apart that 16-bit deltas need hops.
template <class Scalar>
NamedMatrix<Scalar> far_columns() {
  std::vector<std::vector<std::int64_t>> rows(70);
  for (std::int64_t row = 0; row < 70; ++row)
    for (const std::int64_t column :
         {std::int64_t(0), row, std::int64_t(65534) + row, std::int64_t(131070) + row, std::int64_t(399999)})
      if (rows[static_cast<std::size_t>(row)].empty() || rows[static_cast<std::size_t>(row)].back() < column)
        rows[static_cast<std::size_t>(row)].push_back(column);
  return {"far columns", from_rows<Scalar>(400000, rows)};
}

/// A vector of random values in host memory.
template <class Scalar>
std::vector<Scalar> random_vector(std::int64_t n, std::uint64_t seed = 5) {
  Random random(seed);
  std::vector<Scalar> x(static_cast<std::size_t>(n));
  for (auto& value : x) value = random.value<Scalar>();
  return x;
}

/// Copies a host vector to a View of the given type, element by element converted.
template <class View, class Source>
View make_view(const std::string& label, const std::vector<Source>& source) {
  View view(label, source.size());
  auto mirror = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < source.size(); ++i)
    mirror(i) = static_cast<typename View::non_const_value_type>(source[i]);
  Kokkos::deep_copy(view, mirror);
  return view;
}

/// Copies a View of any memory space to the host.
template <class View>
std::vector<typename View::non_const_value_type> to_vector(const View& view) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> result(view.extent(0));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = mirror(i);
  return result;
}

/// `host` as a KokkosSparse::CrsMatrix. The scalar types must be the same.
template <class Matrix>
Matrix make_crs(const HostMatrix<typename Matrix::non_const_value_type>& host) {
  using RowMap       = typename Matrix::row_map_type::non_const_type;
  using Entries      = typename Matrix::index_type::non_const_type;
  using Values       = typename Matrix::values_type::non_const_type;
  const auto values  = make_view<Values>("values", host.values);
  const auto row_map = make_view<RowMap>("row_map", host.row_map);
  const auto entries = make_view<Entries>("entries", host.entries);
  return Matrix("A", static_cast<typename Matrix::non_const_ordinal_type>(host.rows),
                static_cast<typename Matrix::non_const_ordinal_type>(host.columns),
                static_cast<typename Matrix::non_const_size_type>(host.nonzeros()), values, row_map, entries);
}

/// A CrsMatrix back in host memory. A row map of extent 0 reads as that of no rows.
template <class Matrix>
HostMatrix<typename Matrix::non_const_value_type> to_host(const Matrix& A) {
  HostMatrix<typename Matrix::non_const_value_type> host;
  host.rows    = static_cast<std::int64_t>(A.numRows());
  host.columns = static_cast<std::int64_t>(A.numCols());
  if (A.graph.row_map.extent(0) > 0) {
    const auto row_map = to_vector(A.graph.row_map);
    host.row_map.assign(row_map.begin(), row_map.end());
  }
  const auto entries = to_vector(A.graph.entries);
  host.entries.assign(entries.begin(), entries.end());
  host.values = to_vector(A.values);
  return host;
}

}  // namespace lacuna::Test

#endif
