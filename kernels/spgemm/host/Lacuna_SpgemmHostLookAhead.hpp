// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTLOOKAHEAD_HPP
#define LACUNA_SPGEMMHOSTLOOKAHEAD_HPP

#include <backends/Lacuna_Backend.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>

#include <algorithm>
#include <cstdint>

namespace lacuna::Impl {

/// \brief Asks for rows of B before they are read: where rows of A name rows of B that no cache holds, in no order, a
/// thread waits for memory most of the time. First for the ends of a row, then for its first and last nonzero.
/// `Numeric`: for values too.
template <bool Numeric, class Arrays>
class SpgemmHostLookAhead {
  using Offset = typename Arrays::Offset;

 public:
  /// For nonzeros of A from `begin` to `end`.
  SpgemmHostLookAhead(const Arrays& A, const Arrays& B, Offset begin, Offset end)
      : m_A(A), m_B(B), m_end(end), m_next_ends(begin), m_next_row(begin) {}

  /// Before the products of the nonzeros of A up to `k`.
  void move_to(Offset k) {
    const Offset ends = std::min<Offset>(m_end, k + 2 * SpgemmHostPolicy::look_ahead);
    for (; m_next_ends < ends; ++m_next_ends) prefetch_line(m_B.row_map + m_A.entries[m_next_ends]);
    const Offset rows = std::min<Offset>(m_end, k + SpgemmHostPolicy::look_ahead);
    for (; m_next_row < rows; ++m_next_row) {
      const Offset first = m_B.row_map[m_A.entries[m_next_row]];
      const Offset end   = m_B.row_map[m_A.entries[m_next_row] + 1];
      if (first == end) continue;
      prefetch_line(m_B.entries + first);
      prefetch_line(m_B.entries + (end - 1));
      if constexpr (Numeric) prefetch_line(m_B.values + first);
      if constexpr (Numeric) prefetch_line(m_B.values + (end - 1));
    }
  }

 private:
  const Arrays& m_A;
  const Arrays& m_B;
  Offset m_end, m_next_ends, m_next_row;
};

}  // namespace lacuna::Impl

#endif
