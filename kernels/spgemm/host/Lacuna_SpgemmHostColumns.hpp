// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTCOLUMNS_HPP
#define LACUNA_SPGEMMHOSTCOLUMNS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief The columns of C, listed while its rows are counted, so that products need not find them again: that takes as
/// long as to add the values, or longer. Plain host code.

namespace lacuna::Impl {

/// Room for the columns of rows in any order. Threads take parts of it. As much as is asked for may be far more than
/// what rows turn out to have: what nobody writes to is not there.
template <class Ordinal>
struct SpgemmHostColumnList {
  static constexpr std::int64_t least_part = 4096;

  Counter* next       = nullptr;  ///< the first number that no thread has taken
  std::int64_t room   = 0;
  Ordinal* columns    = nullptr;  ///< nullptr: nothing is listed
  std::int64_t* begin = nullptr;  ///< of the columns of each row that was listed

  /// Room for rows of at most `columns` columns together. A thread leaves the end of a part that a row does not fit.
  static std::int64_t room_for(std::int64_t columns, std::int64_t threads) {
    return columns + columns / 4 + threads * least_part;
  }
  bool is_full() const { return static_cast<std::int64_t>(*next) > room; }
};

/// The part of a thread.
template <class Ordinal>
class SpgemmHostColumnPart {
 public:
  /// Where `count` columns may be written, and `slack` behind them until the next are taken; nullptr where there is no
  /// room.
  Ordinal* take(const SpgemmHostColumnList<Ordinal>& list, std::int64_t count, std::int64_t slack) {
    if (m_end - m_next < count + slack) {
      const std::int64_t length = std::max(count + slack, list.least_part);
      m_next = static_cast<std::int64_t>(Kokkos::atomic_fetch_add(list.next, static_cast<Counter>(length)));
      m_end  = m_next + length;
    }
    if (m_end > list.room) return nullptr;
    m_next += count;
    return list.columns + (m_next - count);
  }

  /// The last `count` of the columns that were taken.
  void give_back(std::int64_t count) { m_next -= count; }

 private:
  std::int64_t m_next = 0, m_end = 0;
};

/// Listed columns in the order of C.
template <class Ordinal, class Offset>
struct SpgemmHostOrderColumns {
  SpgemmHostColumnList<Ordinal> list;
  const Offset* row_map;
  Ordinal* columns;

  void operator()(std::int64_t row) const {
    if (list.begin[row] < 0) return;
    const Ordinal* const from = list.columns + list.begin[row];
    std::copy(from, from + (row_map[row + 1] - row_map[row]), columns + row_map[row]);
  }
};

}  // namespace lacuna::Impl

#endif
