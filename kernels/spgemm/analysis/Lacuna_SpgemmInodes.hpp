// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMINODES_HPP
#define LACUNA_SPGEMMINODES_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>

/// \file
/// \brief Inodes: equal consecutive rows of A, which several unknowns of a node give. One warp adds the rows of an
/// inode together, so that B and the bitmap are read once.

namespace lacuna::Impl {

/// Most rows of an inode. More equal rows are several inodes.
inline constexpr int most_inode_rows = 4;

/// Finds how many rows the inode has that begins with a row: 1 … `most_inode_rows` for its first row, 0 for its other
/// members. Up to `far` equal rows are split evenly, more of them at multiples of `most_inode_rows`.
struct SpgemmFindInodes {
  static constexpr int far = 8;

  std::int64_t rows;
  const unsigned char* repeats;  ///< 1 for a row with the columns of the row before
  unsigned char* sizes;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (!is_first(row)) {
      sizes[row] = 0;
      return;
    }
    unsigned char size = 1;
    while (row + size < rows && size < most_inode_rows && repeats[row + size] != 0 && !is_first(row + size)) ++size;
    sizes[row] = size;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_first(std::int64_t row) const {
    int before = 0;  // rows of the same inode
    while (before < far && repeats[row - before] != 0) ++before;
    if (before == 0) return true;
    int length = before + 1;
    while (length <= far && row + length - before < rows && repeats[row + length - before] != 0) ++length;
    if (length > far) return row % most_inode_rows == 0;
    const int inodes = (length + most_inode_rows - 1) / most_inode_rows;
    return before % ((length + inodes - 1) / inodes) == 0;
  }
};

}  // namespace lacuna::Impl

#endif
