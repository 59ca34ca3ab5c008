// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPGEMMPATTERNS_HPP
#define LACUNA_TEST_SPGEMMPATTERNS_HPP

#include <spgemm/Test_SpgemmProducts.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief Products with a semiring, at the places of a mask, or both, against a serial one.

namespace lacuna::Test {

using Pattern = std::vector<std::set<std::int64_t>>;

template <class Scalar>
Pattern pattern_of(const HostMatrix<Scalar>& M) {
  Pattern pattern(static_cast<std::size_t>(M.rows));
  for (std::size_t row = 0; row < pattern.size(); ++row)
    for (auto k = static_cast<std::size_t>(M.row_map[row]); k < static_cast<std::size_t>(M.row_map[row + 1]); ++k)
      pattern[row].insert(M.entries[k]);
  return pattern;
}

/// The product, term by term in the order of A. `pattern`: nullptr for all of C.
template <class Semiring, class Scalar>
std::vector<std::map<std::int64_t, Scalar>> semiring_product(const Semiring& semiring, const HostMatrix<Scalar>& A,
                                                             const HostMatrix<Scalar>& B, const Pattern* pattern,
                                                             bool complemented) {
  std::vector<std::map<std::int64_t, Scalar>> C(static_cast<std::size_t>(A.rows));
  for (std::size_t row = 0; row < C.size(); ++row)
    for (auto k = static_cast<std::size_t>(A.row_map[row]); k < static_cast<std::size_t>(A.row_map[row + 1]); ++k) {
      const auto inner = static_cast<std::size_t>(A.entries[k]);
      for (auto b = static_cast<std::size_t>(B.row_map[inner]); b < static_cast<std::size_t>(B.row_map[inner + 1]);
           ++b) {
        const std::int64_t column = B.entries[b];
        if (pattern != nullptr && ((*pattern)[row].count(column) == 1) == complemented) continue;
        const Scalar product           = semiring.multiply(A.values[k], B.values[b]);
        const auto [position, was_new] = C[row].try_emplace(column, product);
        if (!was_new) position->second = semiring.add(position->second, product);
      }
    }
  return C;
}

/// `slack`: how far sums may differ, relative to 1. Infinities are equal, and NaNs are.
template <class Scalar>
testing::AssertionResult equals(const std::vector<std::map<std::int64_t, Scalar>>& expected,
                                const HostMatrix<Scalar>& C, double slack) {
  if (C.row_map.size() != expected.size() + 1)
    return testing::AssertionFailure() << C.rows << " rows, expected " << expected.size();
  for (std::size_t row = 0; row < expected.size(); ++row) {
    auto k = static_cast<std::size_t>(C.row_map[row]);
    if (C.row_map[row + 1] - C.row_map[row] != static_cast<std::int64_t>(expected[row].size()))
      return testing::AssertionFailure() << "row " << row << " has " << C.row_map[row + 1] - C.row_map[row]
                                         << " nonzeros, expected " << expected[row].size();
    for (const auto& [column, value] : expected[row]) {
      if (C.entries[k] != column)
        return testing::AssertionFailure() << "row " << row << " has column " << C.entries[k] << ", not " << column;
      const double difference = std::abs(widen(C.values[k]) - widen(value));
      const bool is_same      = C.values[k] == value || (C.values[k] != C.values[k] && value != value);
      if (!is_same && !(difference <= slack * (1 + std::abs(widen(value)))))
        return testing::AssertionFailure() << "row " << row << ", column " << column << " is " << widen(C.values[k])
                                           << ", expected " << widen(value);
      ++k;
    }
  }
  return testing::AssertionSuccess();
}

/// Rows of every class: empty, few products, many on a narrow and on a wide window, and some with very many.
template <class Scalar>
HostMatrix<Scalar> rows_of_every_class(std::int64_t columns = 400000) {
  Random random(11);
  std::vector<std::vector<std::int64_t>> rows(400);
  for (std::int64_t i = 0; i < 400; ++i) {
    const std::int64_t length         = i % 7 == 0 ? 0 : i % 5 == 0 ? 60 : i < 6 ? 300 : 4;
    const std::int64_t width          = i % 3 == 0 ? columns : std::min<std::int64_t>(columns, 2000);
    rows[static_cast<std::size_t>(i)] = random.distinct(length, width);
  }
  rows[3]  = random.distinct(9000, columns);
  rows[50] = random.distinct(9500, columns);
  return from_rows<Scalar>(columns, rows);
}

template <class Scalar>
HostMatrix<Scalar> left_of_every_class() {
  Random random(12);
  std::vector<std::vector<std::int64_t>> rows(300);
  for (std::int64_t i = 0; i < 300; ++i)
    rows[static_cast<std::size_t>(i)] = random.distinct(i % 11 == 0 ? 0 : i % 100 == 1 ? 380 : i % 8, 400);
  return from_rows<Scalar>(400, rows);
}

/// Zeros, infinities of both signs and NaNs among small integers: few enough that most sums have none.
inline HostMatrix<double> with_special_values(HostMatrix<double> matrix, std::uint64_t seed) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Random random(seed);
  for (double& value : matrix.values) {
    const std::int64_t kind = random.below(900);
    value = kind == 0 ? inf : kind == 1 ? -inf : kind == 2 ? std::nan("") : static_cast<double>(kind % 9 - 3);
  }
  return matrix;
}

}  // namespace lacuna::Test

#endif
