// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VECTORSLICESWINDOW_HPP
#define LACUNA_VECTORSLICESWINDOW_HPP

#include <Lacuna_Error.hpp>
#include <formats/impl/vector_slices/Lacuna_VectorSlices.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

namespace lacuna::Impl {

/// Numbers that decide how a window is laid out.
/// Evidence: formats/tuning.md.
struct VectorSlicesPolicy {
  /// Rows of a slice with an entry on a diagonal, from which the slice stores it as a diagonal.
  static constexpr int least_on_diagonal = 11;
  /// Steps of a window in natural order over the steps of its rows sorted by length, from
  /// which it is sorted. Not tuned.
  static constexpr double most_padding = 1.25;
};

/// \brief Whether lists of windows found no memory. A kernel must not throw: it tells the host, which does.
class WindowMemory {
 public:
  template <class Body>
  void run(const Body& body) noexcept {
    try {
      body();
    } catch (const std::bad_alloc&) {
      m_ran_out = true;
    }
  }
  /// After a kernel, which a host has run when its launch returns. \throws OutOfMemory.
  void check() const {
    if (m_ran_out)
      raise<OutOfMemory>("vector_slices", "the host has no memory for the diagonals and columns of a slice");
  }

 private:
  std::atomic<bool> m_ran_out{false};
};

/// \brief How one window of rows is cut into steps: a pure function of the pattern, so that counting and filling
/// agree. Host code only.
template <class Arrays, class Format>
class VectorSlicesWindow {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using RowSet  = typename Format::RowSet;

  static constexpr int slice_rows  = Format::rows_per_slice;
  static constexpr int window_rows = Format::rows_per_window;

 public:
  static constexpr int slices_per_window = window_rows / slice_rows;

  /// A diagonal of the slice: column - position in the slice, who has it, and where in the CSR arrays.
  struct Diagonal {
    Ordinal base;
    RowSet rows;
    std::array<Offset, slice_rows> nonzero;
  };

  VectorSlicesWindow(const Arrays& A, std::int64_t window, bool looks_for_diagonals)
      : m_matrix(A),
        m_first(window * window_rows),
        m_rows(static_cast<int>(std::min<std::int64_t>(window_rows, static_cast<std::int64_t>(A.rows) - m_first))),
        m_looks_for_diagonals(looks_for_diagonals) {
    std::iota(m_order.begin(), m_order.end(), 0);
    sort_if_uneven();
  }

  int slices() const { return (m_rows + slice_rows - 1) / slice_rows; }
  bool is_sorted() const { return m_is_sorted; }
  /// The position in the window of the row in a slot.
  std::uint8_t row_in(int slot) const { return m_order[slot]; }

  /// Makes the slice that is asked about from now on.
  void open(int slice) {
    m_diagonals.clear();
    m_left.fill(0);
    m_used        = std::min(slice_rows, m_rows - slice * slice_rows);
    std::size_t n = 0;
    for (int r = 0; r < m_used; ++r) {
      const std::int64_t row = m_first + m_order[slice * slice_rows + r];
      m_begin[r]             = m_matrix.row_map[row];
      m_end[r]               = m_matrix.row_map[row + 1];
      m_place[r]             = n;
      n += static_cast<std::size_t>(m_end[r] - m_begin[r]);
    }
    if (m_rest.size() < n) m_rest.resize(n);
    if (m_looks_for_diagonals && !m_is_sorted && m_used == slice_rows)
      split();
    else
      for (int r = 0; r < m_used; ++r)
        for (Offset k = m_begin[r]; k < m_end[r]; ++k) keep(r, k);
    find_columns();
  }

  const std::vector<Diagonal>& diagonals() const { return m_diagonals; }
  /// Steps behind the diagonals.
  int gathers() const { return *std::max_element(m_left.begin(), m_left.end()); }

  /// Calls visit(row of the slice, nonzero) for the entries of step `k` behind the diagonals.
  template <class Visit>
  void for_each_in(int k, const Visit& visit) const {
    for (int r = 0; r < m_used; ++r)
      if (k < m_left[r]) visit(r, m_rest[m_place[r] + static_cast<std::size_t>(k)]);
  }

  /// What columns of step `k` behind the diagonals are counted from: the least of the slice, or of the step.
  Ordinal base_of(int k) const { return m_is_near ? m_columns.first : columns_of(k).first; }

  /// Whether the columns of some step lie too far apart for 16 bits.
  bool is_wide() const {
    if (m_is_near) return false;
    for (int k = 0, n = gathers(); k < n; ++k) {
      const auto [least, most] = columns_of(k);
      if (most - least > most_narrow) return true;
    }
    return false;
  }

 private:
  static constexpr Ordinal most_narrow = std::numeric_limits<std::uint16_t>::max();

  std::int64_t length(int position) const {
    return static_cast<std::int64_t>(m_matrix.row_map[m_first + position + 1] - m_matrix.row_map[m_first + position]);
  }

  std::int64_t steps_of(const std::array<std::uint8_t, window_rows>& order) const {
    std::int64_t steps = 0;
    for (int slot = 0; slot < m_rows; slot += slice_rows) {
      std::int64_t longest = 0;
      for (int s = slot; s < std::min(slot + slice_rows, m_rows); ++s) longest = std::max(longest, length(order[s]));
      steps += longest;
    }
    return steps;
  }

  /// The sort is left out where even perfect slices would not be shorter by enough.
  void sort_if_uneven() {
    const auto natural     = static_cast<double>(steps_of(m_order));
    const auto nonzeros    = static_cast<double>(m_matrix.row_map[m_first + m_rows] - m_matrix.row_map[m_first]);
    constexpr double least = VectorSlicesPolicy::most_padding;
    if (natural * slice_rows <= least * nonzeros) return;
    std::array<std::pair<std::int64_t, std::uint8_t>, window_rows> rows;
    for (int i = 0; i < m_rows; ++i) rows[i] = {-length(i), static_cast<std::uint8_t>(i)};
    std::sort(rows.begin(), rows.begin() + m_rows);
    std::array<std::uint8_t, window_rows> sorted = m_order;
    for (int i = 0; i < m_rows; ++i) sorted[i] = rows[i].second;
    m_is_sorted = natural > least * static_cast<double>(steps_of(sorted));
    if (m_is_sorted) m_order = sorted;
  }

  void keep(int row, Offset nonzero) { m_rest[m_place[row] + static_cast<std::size_t>(m_left[row]++)] = nonzero; }

  void find_columns() {
    m_columns = {std::numeric_limits<Ordinal>::max(), 0};
    for (int r = 0; r < m_used; ++r)
      for (int k = 0; k < m_left[r]; ++k) {
        const Ordinal column = m_matrix.entries[m_rest[m_place[r] + static_cast<std::size_t>(k)]];
        m_columns            = {std::min(m_columns.first, column), std::max(m_columns.second, column)};
      }
    m_is_near = gathers() == 0 || m_columns.second - m_columns.first <= most_narrow;
  }

  std::pair<Ordinal, Ordinal> columns_of(int k) const {
    Ordinal least = std::numeric_limits<Ordinal>::max(), most = 0;
    for_each_in(k, [&](int, Offset nonzero) {
      least = std::min(least, m_matrix.entries[nonzero]);
      most  = std::max(most, m_matrix.entries[nonzero]);
    });
    return {least, most};
  }

  /// Merges the rows by distance from the diagonal. Rows that are not sorted lose diagonals, never entries.
  void split() {
    constexpr Ordinal none = std::numeric_limits<Ordinal>::max();
    std::array<Ordinal, slice_rows> next;
    std::array<Offset, slice_rows> at = m_begin;
    const auto distance               = [&](int r) {
      return at[r] < m_end[r] ? static_cast<Ordinal>(m_matrix.entries[at[r]] - r) : none;
    };
    for (int r = 0; r < slice_rows; ++r) next[r] = distance(r);
    const Ordinal last = m_matrix.columns - slice_rows;  // may be negative: no diagonal fits then
    while (true) {
      Ordinal least = none;
      for (int r = 0; r < slice_rows; ++r) least = std::min(least, next[r]);
      if (least == none) return;
      unsigned rows = 0;
      for (int r = 0; r < slice_rows; ++r) rows |= (next[r] == least ? 1u : 0u) << r;
      const bool is_diagonal =
          std::popcount(rows) >= VectorSlicesPolicy::least_on_diagonal && least >= 0 && least <= last;
      if (is_diagonal) {
        m_diagonals.push_back({least, static_cast<RowSet>(rows), {}});
        auto& nonzero = m_diagonals.back().nonzero;
        for (int r = 0; r < slice_rows; ++r) nonzero[r] = at[r];
      }
      for (; rows != 0; rows &= rows - 1) {
        const int r = std::countr_zero(rows);
        if (!is_diagonal) keep(r, at[r]);
        ++at[r];
        next[r] = distance(r);
      }
    }
  }

  const Arrays& m_matrix;
  std::int64_t m_first;
  int m_rows;
  bool m_looks_for_diagonals;
  bool m_is_sorted = false;
  std::array<std::uint8_t, window_rows> m_order;

  int m_used = 0;  ///< rows of the open slice
  std::array<Offset, slice_rows> m_begin, m_end;
  std::array<std::size_t, slice_rows> m_place;  ///< in `m_rest`
  std::array<int, slice_rows> m_left;           ///< entries there
  std::pair<Ordinal, Ordinal> m_columns;        ///< least and greatest of them
  bool m_is_near = true;                        ///< so near that 16 bits tell all of them apart
  std::vector<Diagonal> m_diagonals;
  std::vector<Offset> m_rest;
};

}  // namespace lacuna::Impl

#endif
