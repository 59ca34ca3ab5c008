// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINETILEFOLD_HPP
#define LACUNA_ENGINETILEFOLD_HPP

#include <backends/Lacuna_Mma.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_EngineTileWalk.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Teams that share the columns of A among them: each leaves its sums in memory, and the warp that comes
/// last for 16 rows and a panel of columns adds them up, in the order of the slices, whoever comes when.

namespace lacuna::Impl {

/// Adds the sums of slice `slice` to those of the others. True for the last to come at `position`, which has all of
/// them.
template <class Mma, int products, class Team>
KOKKOS_FORCEINLINE_FUNCTION bool fold_slices(const Team& team, const EngineSlices& slices, int slice,
                                             std::int64_t position, typename Mma::C* sums) {
  using lanes = typename Team::lanes;
  using Sums  = Pack<float, 4>;
  static_assert(Mma::c_registers == 4 && products % 2 == 0);
  constexpr std::int64_t of_slice = products * Mma::lanes;
  auto* const first               = reinterpret_cast<Sums*>(slices.sums) + position * slices.count * of_slice;
  for_each_lane<Mma>(team.lane(), [&](int lane) {
    LACUNA_UNROLL
    for (int i = 0; i < products; ++i) {
      Sums own;
      LACUNA_UNROLL
      for (int reg = 0; reg < 4; ++reg) own.value[reg] = sums[i](lane, reg);
      first[slice * of_slice + i * Mma::lanes + lane] = own;
    }
  });
  team.warp_barrier();
  int before = 0;
  if (team.lane() == 0) before = lanes::arrive(slices.counts + position);
  before = lanes::shuffle(before, 0, Team::lane_width);
  if (before != slices.count - 1) return false;
  team.warp_barrier();
  if (team.lane() == 0) slices.counts[position] = 0;  // ready for the next product
  // Four slices of two products are on their way at once.
  constexpr int at_once = 4;
  for_each_lane<Mma>(team.lane(), [&](int lane) {
    LACUNA_UNROLL
    for (int i = 0; i < products; i += 2) {
      LACUNA_UNROLL
      for (int reg = 0; reg < 4; ++reg) sums[i](lane, reg) = sums[i + 1](lane, reg) = 0.0f;
      LACUNA_NO_UNROLL
      for (int p = 0; p < slices.count; p += at_once) {
        Sums left[at_once], right[at_once];
        LACUNA_UNROLL
        for (int k = 0; k < at_once; ++k) {
          left[k] = right[k] = Sums{};
          if (p + k >= slices.count) continue;
          const Sums* const from = first + (p + k) * of_slice + i * Mma::lanes + lane;
          left[k]                = lanes::load_l2_only(from);
          right[k]               = lanes::load_l2_only(from + Mma::lanes);
        }
        LACUNA_UNROLL
        for (int k = 0; k < at_once; ++k) {
          LACUNA_UNROLL
          for (int reg = 0; reg < 4; ++reg) {
            sums[i](lane, reg) += left[k].value[reg];
            sums[i + 1](lane, reg) += right[k].value[reg];
          }
        }
      }
    }
  });
  return true;
}

}  // namespace lacuna::Impl

#endif
