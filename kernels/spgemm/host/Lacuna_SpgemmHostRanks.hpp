// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTRANKS_HPP
#define LACUNA_SPGEMMHOSTRANKS_HPP

#include <kernels/spgemm/analysis/Lacuna_SpgemmInspectRows.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

/// \file
/// \brief The order of the columns of a row of C that are few. Plain host code.

namespace lacuna::Impl {

/// Four columns. A type of a class: nvcc forgets the attribute of a type in a function template.
struct HostFourColumns {
#ifdef __GNUC__
  typedef std::int32_t type __attribute__((vector_size(4 * sizeof(std::int32_t))));
#endif
};

/// How many of `count` columns are less than column i, for each i up to the next multiple of
/// `columns_compared_at_once`. Every host compares registers of four.
inline constexpr int columns_compared_at_once = 16;
inline void count_lesser_columns(const std::int32_t* columns, int count, std::int32_t* less) {
#ifdef __GNUC__  // also Clang, and the host compiler behind nvcc
  using Four              = HostFourColumns::type;
  constexpr int registers = columns_compared_at_once / 4;
  for (int i = 0; i < count; i += columns_compared_at_once) {
    Four mine[registers], counts[registers];
    std::memcpy(mine, columns + i, sizeof(mine));
    for (int r = 0; r < registers; ++r) counts[r] = Four{};
    for (int j = 0; j < count; ++j) {
      const Four other{columns[j], columns[j], columns[j], columns[j]};  // nvcc compares no number with a vector
      for (int r = 0; r < registers; ++r) counts[r] -= other < mine[r];  // -1 where it is
    }
    std::memcpy(less + i, counts, sizeof(counts));
  }
#else
  for (int i = 0; i < count; ++i) {
    less[i] = 0;
    for (int j = 0; j < count; ++j) less[i] += columns[j] < columns[i] ? 1 : 0;
  }
#endif
}

/// \brief Where each of a few different columns stands when they are sorted. Each is compared with every other, without
/// a branch.
template <class Ordinal>
class SpgemmHostRanks {
 public:
  static constexpr int most = SpgemmHostPolicy::most_ranked;

  /// Of the first `count` columns, at most `most`, which are in `range`.
  void rank(const ColumnRange<Ordinal>& range, const Ordinal* columns, int count) {
    if (range.width() <= std::numeric_limits<std::int32_t>::max()) {
      for (int i = 0; i < count; ++i) m_columns[i] = static_cast<std::int32_t>(columns[i] - range.first);
      return count_lesser_columns(m_columns, count, m_ranks);
    }
    for (int i = 0; i < count; ++i) m_order[i] = {columns[i], i};
    std::sort(m_order, m_order + count);
    for (int i = 0; i < count; ++i) m_ranks[m_order[i].second] = i;
  }
  int operator[](int i) const { return m_ranks[i]; }

 private:
  static_assert(most % columns_compared_at_once == 0);

  std::int32_t m_columns[most] = {};  ///< numbers beyond the last are compared, too
  std::int32_t m_ranks[most];
  std::pair<Ordinal, int> m_order[most];
};

}  // namespace lacuna::Impl

#endif
