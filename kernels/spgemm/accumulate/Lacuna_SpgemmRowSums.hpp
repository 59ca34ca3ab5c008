// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWSUMS_HPP
#define LACUNA_SPGEMMROWSUMS_HPP

#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

/// \file
/// \brief The columns and sums of a row of C that a warp adds, in scratch.

namespace lacuna::Impl {

/// The nonzeros of all rows of an inode, or of one row for which each subwarp has sums of its own.
///
/// Each addition also writes its column, so that columns stand beside the sums when all is added. Reading them from the
/// bitmap, most of which is empty, and ranking it word by word takes longer.
template <class Scalar, class Ordinal, class Offset>
struct SpgemmRowSums {
  static constexpr std::int64_t narrow_window = 2048;  ///< of words; 16 bits count the columns of a window up to it

  char* columns  = nullptr;  ///< shared by all rows; counted from `first`, in 16 bits or in 32
  Scalar* values = nullptr;  ///< of the rows or subwarps, one behind the other
  Offset length  = 0;        ///< nonzeros of a row
  int rows       = 1;        ///< rows of C
  int subwarps   = 1;
  bool is_narrow = true;
  Ordinal first  = 0;  ///< column that columns are counted from

  /// Bytes of the columns of a row whose window has `words` words.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t column_bytes(std::int64_t words, std::int64_t nonzeros) {
    constexpr std::int64_t narrow = sizeof(std::uint16_t), wide = sizeof(std::uint32_t);
    return (nonzeros * (words <= narrow_window ? narrow : wide) + 15) / 16 * 16;
  }
  KOKKOS_FORCEINLINE_FUNCTION Offset all_values() const { return static_cast<Offset>(rows * subwarps) * length; }

  KOKKOS_FORCEINLINE_FUNCTION void set_column(int index, Ordinal column) const {
    if (is_narrow)
      reinterpret_cast<std::uint16_t*>(columns)[index] = static_cast<std::uint16_t>(column - first);
    else
      reinterpret_cast<std::uint32_t*>(columns)[index] = static_cast<std::uint32_t>(column - first);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Offset index) const {
    return first + (is_narrow ? static_cast<Ordinal>(reinterpret_cast<const std::uint16_t*>(columns)[index])
                              : static_cast<Ordinal>(reinterpret_cast<const std::uint32_t*>(columns)[index]));
  }

  /// Writes the rows of C, which begin at `begin`, one behind the other; or (`HasSubwarps`) one row, for which the sums
  /// of subwarps are added up in their order.
  template <bool HasSubwarps, class Operands, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void write(int lane, int wide, const Operands& operands, const Target& target,
                                         Offset begin) const {
    for (auto i = static_cast<Offset>(lane); i < length; i += static_cast<Offset>(wide)) {
      const Ordinal of_row = column(i);
      if constexpr (HasSubwarps) {
        Scalar total = values[i];
        for (int subwarp = 1; subwarp < subwarps; ++subwarp)
          operands.add(total, values[i + static_cast<Offset>(subwarp) * length]);
        target.entries[begin + i] = of_row;
        target.values[begin + i]  = total;
      } else {
        for (Offset at = i; at < static_cast<Offset>(rows) * length; at += length) {
          target.entries[begin + at] = of_row;
          target.values[begin + at]  = values[at];
        }
      }
    }
  }
};

}  // namespace lacuna::Impl

#endif
