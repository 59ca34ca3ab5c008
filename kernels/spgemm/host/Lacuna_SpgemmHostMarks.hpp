// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTMARKS_HPP
#define LACUNA_SPGEMMHOSTMARKS_HPP

#include <algorithm>
#include <cstdint>

/// \file
/// \brief Which columns of a window a row of C has. Plain host code.

namespace lacuna::Impl {

/// \brief A byte for each column of a thread's widest window: in which row that column was met last. So columns are
/// counted, or listed, as products come, and nothing is cleared between rows.
class SpgemmHostMarks {
 public:
  /// `marks`: `columns` bytes, not initialised.
  SpgemmHostMarks(unsigned char* marks, std::int64_t columns) : m_marks(marks), m_columns(columns) {}

  /// Before the first column of a row, whose window begins with column `base`.
  void open(std::int64_t base) {
    m_base = base;
    if (m_row == last_row) {
      std::fill(m_marks, m_marks + m_columns, 0);
      m_row = 0;
    }
    ++m_row;
  }

  /// How many of `columns` are new in the row.
  template <class Ordinal>
  std::int64_t count(const Ordinal* columns, std::int64_t length) const {
    const unsigned char row     = m_row;
    unsigned char* const origin = m_marks - m_base;
    std::int64_t count          = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      unsigned char& mark = origin[columns[i]];
      count += mark != row ? 1 : 0;
      mark = row;
    }
    return count;
  }

  /// Writes those of `columns` that are new in the row to `to`, from `count` on, and to one more; returns how many the
  /// row has then. No branch, for whether a column is new is hard to predict.
  template <class Ordinal>
  std::int64_t list(const Ordinal* columns, std::int64_t length, Ordinal* to, std::int64_t count) const {
    const unsigned char row     = m_row;
    unsigned char* const origin = m_marks - m_base;
    for (std::int64_t i = 0; i < length; ++i) {
      unsigned char& mark = origin[columns[i]];
      to[count]           = columns[i];
      count += mark != row ? 1 : 0;
      mark = row;
    }
    return count;
  }

 private:
  static constexpr unsigned char last_row = 255;

  unsigned char* m_marks;
  std::int64_t m_columns;
  std::int64_t m_base = 0;
  unsigned char m_row = last_row;  ///< of those that the marks tell apart; 0 is none
};

}  // namespace lacuna::Impl

#endif
