// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWSUMS_HPP
#define LACUNA_SPGEMMROWSUMS_HPP

#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

/// \file
/// \brief The nonzeros of a row of C that a warp adds, in scratch.

namespace lacuna::Impl {

/// Nonzeros of a row of C and of its equals, or of one row, for which each subwarp of lanes has sums of its own.
///
/// Columns with the values behind them are where they belong when all is added. To read them from the bitmap, most of
/// which is empty, and to add up ranks word by word took longer. H200, 25 November 2026, the kernel of warps before and
/// now: the 27-point mesh of 60^3 points 1166 and 1028 us, its restriction times it 215 and 190; of 30^3 points with 3
/// unknowns 319 and 263.
template <class Scalar, class Ordinal, class Offset>
struct SpgemmRowSums {
  static constexpr std::int64_t narrow_window = 2048;  ///< words, whose columns 16 bits count

  char* columns = nullptr;  ///< the same of all, counted from the window's first: of 16 bits where these suffice, or 32
  Scalar* values = nullptr;  ///< those of the next row or subwarp behind those of the one before
  Offset length  = 0;        ///< of each
  int rows       = 1;        ///< of C
  int subwarps   = 1;
  bool is_narrow = true;
  Ordinal first  = 0;  ///< what columns are counted from

  /// Of a window of `words` words.
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

  /// To rows of C that begin at `begin`, behind each other; with `HasSubwarps` one, to which subwarps are added in
  /// their order.
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
