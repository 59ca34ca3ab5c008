// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTFEWPRODUCTS_HPP
#define LACUNA_SPGEMMHOSTFEWPRODUCTS_HPP

#include <backends/generic/Lacuna_Generic_Vectors.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>

#include <cstdint>
#include <cstring>
#include <limits>

/// \file
/// \brief A row of C of few products: they are sorted where they stand, in the first-level cache. Plain host code.

namespace lacuna::Impl {

/// As many as a register holds. Types of a class: nvcc forgets the attribute of a type in a function template.
template <int register_bytes>
struct HostKeys {
#ifdef __GNUC__
  typedef double type __attribute__((vector_size(register_bytes)));
  typedef std::int64_t counts __attribute__((vector_size(register_bytes)));
#endif
};

/// How many of `count` keys are less than key i, for each i up to the next multiple of 8. Keys are doubles, because
/// every host compares vectors of them.
template <int register_bytes = host_register_bytes>
void count_lesser_keys(const double* keys, int count, std::int64_t* less) {
#ifdef __GNUC__  // also Clang, and the host compiler behind nvcc
  using Keys          = typename HostKeys<register_bytes>::type;
  using Counts        = typename HostKeys<register_bytes>::counts;
  constexpr int lanes = register_bytes / static_cast<int>(sizeof(double));
  for (int i = 0; i < count; i += lanes) {
    Keys mine;
    std::memcpy(&mine, keys + i, sizeof(mine));
    Counts counts{};
    for (int j = 0; j < count; ++j) {
      Keys other;  // filled by element: nvcc compares no number with a vector
      for (int lane = 0; lane < lanes; ++lane) other[lane] = keys[j];
      counts += other < mine;  // -1 where it is
    }
    counts = -counts;
    std::memcpy(less + i, &counts, sizeof(counts));
  }
#else
  for (int i = 0; i < count; ++i) {
    less[i] = 0;
    for (int j = 0; j < count; ++j) less[i] += keys[j] < keys[i] ? 1 : 0;
  }
#endif
}

/// \brief The products of a row, by column and then in the order in which they came. A key is a column and the number
/// of its product, so that no two are equal; where it goes is how many others are less: each is compared with every
/// other, without a branch.
template <class Scalar, class Ordinal>
class SpgemmHostFewProducts {
 public:
  static constexpr int most = SpgemmHostPolicy::most_sorted;

  /// Columns whose keys are whole numbers of a double.
  static constexpr std::int64_t most_columns = (std::int64_t{1} << std::numeric_limits<double>::digits) / most;

  void clear() { m_count = 0; }
  int count() const { return m_count; }
  const Scalar& factor(int number) const { return m_factors[number]; }
  const Scalar& value(int number) const { return m_values[number]; }

  /// At most `most` times.
  void add(Ordinal column) {
    m_columns[m_count] = column;
    m_keys[m_count]    = static_cast<double>(static_cast<std::int64_t>(column) * most + m_count);
    ++m_count;
  }
  void add(Ordinal column, const Scalar& factor, const Scalar& value) {
    m_factors[m_count] = factor;
    m_values[m_count]  = value;
    add(column);
  }

  void sort() {
    count_lesser_keys(m_keys, m_count, m_less);
    for (int i = 0; i < m_count; ++i) m_order[m_less[i]] = i;
  }

  /// visit(column, is_new, number) for the products in order, after `sort`. `number` counts them as they came;
  /// the first of a column is new.
  template <class Visit>
  void for_each(const Visit& visit) const {
    Ordinal before = -1;
    for (int i = 0; i < m_count; ++i) {
      const int number     = m_order[i];
      const Ordinal column = m_columns[number];
      visit(column, column != before, number);
      before = column;
    }
  }

 private:
  int m_count = 0;
  Ordinal m_columns[most];
  double m_keys[most] = {};  ///< numbers beyond the last are compared, too
  std::int64_t m_less[most];
  int m_order[most];
  Scalar m_factors[most], m_values[most];
};

}  // namespace lacuna::Impl

#endif
