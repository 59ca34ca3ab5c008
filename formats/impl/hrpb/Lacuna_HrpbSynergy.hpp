// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBSYNERGY_HPP
#define LACUNA_HRPBSYNERGY_HPP

#include <Lacuna_HrpbMatrix.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/bricks/Lacuna_BrickStatistics.hpp>
#include <formats/impl/hrpb/Lacuna_HrpbBlock.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Bricks of each block, and columns of bricks.
template <class Scalar>
struct CountHrpbBricks {
  HrpbLayout layout;
  const unsigned char* packed_blocks;
  const std::int64_t* size_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t block, std::int64_t& bricks, std::int64_t& columns) const {
    const std::int64_t begin = size_ptr[block];
    const HrpbBlock<const Scalar> at(layout, packed_blocks + begin, size_ptr[block + 1] - begin);
    for (int column = 0; column < HrpbLayout::brick_columns; ++column) {
      const std::uint32_t count = at.colPtr[column + 1] - at.colPtr[column];
      bricks += count;
      columns += count > 0 ? 1 : 0;
    }
  }
};

/// The synergy of a matrix in the panels that it was packed in. Reads 20 bytes a block; fences.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
Synergy synergy_of(const ExecutionSpace& exec, const HrpbMatrix<Scalar, Ordinal, Device, Offset>& hrpb) {
  BrickStatistics statistics;
  statistics.panel_rows   = hrpb.TM;
  statistics.brick_height = 16;
  statistics.nonzeros     = static_cast<std::int64_t>(hrpb.nonzeros());
  if (hrpb.blocks() > 0) {
    Kokkos::parallel_reduce("Lacuna::synergy_of::bricks", index_range(exec, hrpb.blocks()),
                            CountHrpbBricks<Scalar>{{hrpb.TM / 16}, hrpb.packedBlocks.data(), hrpb.sizePtr.data()},
                            statistics.bricks, statistics.brick_columns);
    exec.fence("Lacuna::synergy_of: the bricks are counted");
  }
  return synergy_of(statistics);
}

}  // namespace lacuna::Impl

#endif
