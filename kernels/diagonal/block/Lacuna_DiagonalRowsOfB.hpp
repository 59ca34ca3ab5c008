// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALROWSOFB_HPP
#define LACUNA_DIAGONALROWSOFB_HPP

#include <backends/Lacuna_Backend.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// \brief Rows of B that follow each other, in the columns of a lane; zeros where B has no row. `Width` elements lie
/// side by side and are aligned as a pack.
template <class Lanes, class Scalar, int Width>
class DiagonalRowsOfB {
 public:
  using Load = Pack<Scalar, Width>;

  /// From row `first` on, which may lie outside of B.
  KOKKOS_FORCEINLINE_FUNCTION DiagonalRowsOfB(const DenseBlock<const Scalar>& B, std::int64_t first,
                                              std::int64_t column)
      : m_address(reinterpret_cast<const char*>(B.data) +
                  (first * B.row_stride + column) * static_cast<std::int64_t>(sizeof(Scalar))),
        m_stride(B.row_stride * static_cast<std::int64_t>(sizeof(Scalar))),
        m_before(at_most(-first)),
        m_count(at_most(B.rows - (first > 0 ? first : 0))) {}

  KOKKOS_FORCEINLINE_FUNCTION Load operator()(int k) const {
    Load row = {};
    if (static_cast<unsigned>(k - m_before) < static_cast<unsigned>(m_count))
      row = Lanes::load_cached(reinterpret_cast<const Load*>(m_address + k * m_stride));
    return row;
  }

  /// Row k is from now on that which was row k + count.
  KOKKOS_FORCEINLINE_FUNCTION void step(int count) {
    m_address += count * m_stride;
    m_before -= count;
  }

 private:
  /// No run of diagonals is as long.
  static constexpr std::int64_t many = std::int64_t{1} << 30;
  KOKKOS_FORCEINLINE_FUNCTION static int at_most(std::int64_t rows) {
    return static_cast<int>(rows < 0 ? 0 : (rows < many ? rows : many));
  }

  const char* m_address;
  std::int64_t m_stride;
  int m_before;  ///< rows that B does not have before its first one
  int m_count;   ///< rows that B has
};

}  // namespace lacuna::Impl

#endif
