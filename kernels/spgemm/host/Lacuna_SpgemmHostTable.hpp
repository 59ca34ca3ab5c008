// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTTABLE_HPP
#define LACUNA_SPGEMMHOSTTABLE_HPP

#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// \brief The columns of a row of C that has few products in a wide window. Plain host code.

namespace lacuna::Impl {

/// \brief A hash table of columns with linear probing, two slots for every product at least, in the first-level cache.
/// Columns are numbered as they come.
template <class Ordinal>
class SpgemmHostTable {
 public:
  static constexpr int most = SpgemmHostPolicy::most_in_table;

  SpgemmHostTable() {}  // nothing is initialised before a row opens it

  /// Forgets all columns, and has room for `products` of them, 1 to `most`.
  void open(std::int64_t products) {
    const auto slots = std::bit_ceil(2 * static_cast<std::uint64_t>(products));
    m_mask           = slots - 1;
    m_shift          = 64 - std::countr_zero(slots);
    m_count          = 0;
    std::fill_n(m_slots, slots, none);
  }
  int count() const { return m_count; }
  /// In the order in which they came.
  const Ordinal* columns() const { return m_columns; }

  /// The number of a column, which is the next where it is new.
  int number_of(Ordinal column) {
    // Fibonacci hashing: 2^64 over the golden ratio spreads consecutive columns.
    std::uint64_t slot = (static_cast<std::uint64_t>(column) * 0x9E3779B97F4A7C15U) >> m_shift;
    while (m_slots[slot] != column && m_slots[slot] != none) slot = (slot + 1) & m_mask;
    const bool is_new = m_slots[slot] == none;
    const int number  = is_new ? m_count : m_numbers[slot];
    m_slots[slot]     = column;
    m_numbers[slot]   = static_cast<std::int16_t>(number);
    m_columns[number] = column;
    m_count += is_new ? 1 : 0;
    return number;
  }

  /// Leaves the columns of which keeps(column, number, new number) is true, in their order; returns how many. Nothing
  /// is found any more.
  template <class Keeps>
  int keep_if(const Keeps& keeps) {
    int kept = 0;
    for (int i = 0; i < m_count; ++i) {
      const Ordinal column = m_columns[i];
      if (keeps(column, i, kept)) m_columns[kept++] = column;
    }
    return m_count = kept;
  }

 private:
  static constexpr Ordinal none = -1;

  std::uint64_t m_mask;
  int m_shift;
  int m_count = 0;
  Ordinal m_slots[2 * most];         ///< a column, or none
  std::int16_t m_numbers[2 * most];  ///< of the column of a slot
  Ordinal m_columns[most];
};

}  // namespace lacuna::Impl

#endif
