// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTTABLE_HPP
#define LACUNA_SPGEMMHOSTTABLE_HPP

#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostProbe.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief The columns of a row of C that has few products in a wide window. Plain host code.

namespace lacuna::Impl {

/// \brief A hash table of columns, two slots for every one that a row may have at least, in the first-level cache.
/// Columns are numbered as they come.
template <class Ordinal>
class SpgemmHostTable {
  using Probe = SpgemmHostProbe<Ordinal>;

 public:
  static constexpr int most = SpgemmHostPolicy::most_in_table;

  SpgemmHostTable() {}  // nothing is initialised before a row opens it

  /// Forgets all columns, and has room for `columns` of them, 1 to `most`.
  void open(std::int64_t columns) {
    const std::uint64_t slots = Probe::slots_for(columns);
    m_probe.open(slots);
    m_count = 0;
    std::fill_n(m_slots, slots, Probe::none);
  }
  int count() const { return m_count; }
  /// In the order in which they came.
  const Ordinal* columns() const { return m_columns; }

  /// The number of a column, which is the next where it is new.
  int number_of(Ordinal column) {
    const std::uint64_t slot = m_probe.slot_of(m_slots, column);
    const bool is_new        = m_slots[slot] == Probe::none;
    const int number         = is_new ? m_count : m_numbers[slot];
    m_slots[slot]            = column;
    m_numbers[slot]          = static_cast<std::int16_t>(number);
    m_columns[number]        = column;
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
  Probe m_probe;
  int m_count = 0;
  Ordinal m_slots[2 * most];         ///< a column, or none
  std::int16_t m_numbers[2 * most];  ///< of the column of a slot
  Ordinal m_columns[most];
};

}  // namespace lacuna::Impl

#endif
