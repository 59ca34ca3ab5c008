// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBBLOCK_HPP
#define LACUNA_HRPBBLOCK_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>

/// \file
/// \brief How the bytes of one block of an `HrpbMatrix` are read.

namespace lacuna::Impl {

/// Bytes of a block behind its nonzeros, for bricks in `brick_rows` (TM / 16) rows of bricks.
struct HrpbLayout {
  static constexpr int brick_columns = 4;  ///< TK / brick_k

  int brick_rows;

  KOKKOS_FORCEINLINE_FUNCTION constexpr int bricks() const { return brick_rows * brick_columns; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int col_ptr_at() const { return 8 * bricks(); }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int rows_at() const { return col_ptr_at() + 4 * (brick_columns + 1); }
  /// All of it, a multiple of 16.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int metadata_bytes() const { return (rows_at() + 4 * bricks() + 15) / 16 * 16; }
};

/// One block in memory or in scratch; `Scalar` const or not.
template <class Scalar>
struct HrpbBlock {
  template <class T>
  using Like = std::conditional_t<std::is_const_v<Scalar>, const T, T>;

  Scalar* nnz_array;
  Like<std::uint64_t>* patterns;
  Like<std::uint32_t>* colPtr;
  Like<std::uint32_t>* rows;

  KOKKOS_FORCEINLINE_FUNCTION HrpbBlock(HrpbLayout layout, Like<unsigned char>* data, std::int64_t size)
      : nnz_array(reinterpret_cast<Scalar*>(data)),
        patterns(reinterpret_cast<Like<std::uint64_t>*>(data + size - layout.metadata_bytes())),
        colPtr(reinterpret_cast<Like<std::uint32_t>*>(data + size - layout.metadata_bytes() + layout.col_ptr_at())),
        rows(reinterpret_cast<Like<std::uint32_t>*>(data + size - layout.metadata_bytes() + layout.rows_at())) {}
};

/// Bits of `pattern` below `bit`.
KOKKOS_FORCEINLINE_FUNCTION int bits_below(std::uint64_t pattern, int bit) {
  return count_bits(pattern & ((std::uint64_t{1} << bit) - 1));
}

}  // namespace lacuna::Impl

#endif
