// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBARRAYS_HPP
#define LACUNA_HRPBARRAYS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <formats/impl/hrpb/Lacuna_HrpbBlock.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbSchedule.hpp>

#include <cstdint>

/// \file
/// \brief The arrays of HRPB that SpMM reads, and a sum of its result without a matrix engine.

namespace lacuna::Impl {

/// HRPB as the kernel sees it.
template <class ScalarType, class OrdinalType, class OffsetType>
struct HrpbArrays {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;

  const Offset* blocked_row_ptr;
  const Ordinal* active_columns;
  const std::int64_t* size_ptr;
  const unsigned char* packed;

  /// The sum of a row of a segment and a column of B in plain arithmetic: products with the nonzeros alone.
  template <int BrickRows, class Block>
  KOKKOS_FUNCTION Scalar plain_sum(const HrpbSegment<Offset>& of, int row, const Block& B, std::int64_t column) const {
    Scalar sum(0);
    for (std::int32_t n = 0; n < of.blocks; ++n) {
      const auto number = static_cast<std::int64_t>(of.first_block) + n;
      const HrpbBlock<const Scalar> block(HrpbLayout{BrickRows}, packed + size_ptr[number],
                                          size_ptr[number + 1] - size_ptr[number]);
      int before = 0;
      for (int i = 0; i < HrpbLayout::brick_columns; ++i)
        for (std::uint32_t j = block.colPtr[i]; j < block.colPtr[i + 1]; ++j) {
          const std::uint64_t pattern = block.patterns[j];
          if (static_cast<int>(block.rows[j]) == row / 16)
            for (int bit = row % 16 * 4; bit < row % 16 * 4 + 4; ++bit)
              if ((pattern >> bit & 1u) != 0)
                sum += block.nnz_array[before + bits_below(pattern, bit)] *
                       B(static_cast<std::int64_t>(active_columns[number * 16 + 4 * i + bit % 4]), column);
          before += count_bits(pattern);
        }
    }
    return sum;
  }
};

}  // namespace lacuna::Impl

#endif
