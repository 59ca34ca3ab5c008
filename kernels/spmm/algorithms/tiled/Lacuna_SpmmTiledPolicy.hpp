// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDPOLICY_HPP
#define LACUNA_SPMMTILEDPOLICY_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/Lacuna_Inspection.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_TiledMatrix.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowSpread.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// \file
/// \brief How SpMM by tiles cuts a matrix, and what that costs: a model of the kernel, searched over its few shapes.

namespace lacuna::Impl {

struct SpmmTiledPolicy {
  static constexpr int threads   = 512;
  static constexpr int sum_bytes = 256;  ///< of the sums of a thread
  /// Packs of 16 bytes of a row of C that a lane has: 1 or this, so that what a lane reads of A serves more of B. Gain
  /// where C has many columns: 1 to 4 % (H200, November 2026).
  static constexpr int most_packs    = 2;
  static constexpr int stages        = 2;
  static constexpr int least_columns = 8;  ///< of a tile
  static constexpr int most_turns    = 8;  ///< of teams on all processors that are looked at

  /// In units of the gather rate of the device: what lanes read from scratch, and what teams copy there. With the rest
  /// fitted to 1,100 products of 50 uniform random matrices in all of their shapes (H200, November 2026: n = 400 to
  /// 14,500 with N = n, n = 4096 with N = 128 and 512; 80 to 99.95 % zeros), which it predicts within 12 %; the shape
  /// that it takes is 1 % slower than the best of a matrix on average, 8 % at most. Uneven rows were not fitted: of 46
  /// products with N = 4096 of matrices with lognormal lengths it predicts nine of ten between 10 % too fast and 40 %
  /// too slow (24 November 2026).
  static constexpr double scratch_rate = 2.1;
  static constexpr double fill_rate    = 0.94;
  /// Over B in rows that are whole cache lines.
  static constexpr double unaligned_cost   = 2;
  static constexpr std::int64_t cache_line = 128;  ///< bytes
  /// Of what a lane reads of A, the share that counts: lanes of a row read the same.
  static constexpr double entry_share = 0.2;
  /// Over the reads alone where each element is made float first: half precision (there: 1.3 to 1.45).
  static constexpr double conversion_cost = 1.4;
  /// Of the shorter of both that is not hidden behind the longer; of a tile, and of a row of a tile that a sub-group
  /// has, beside them.
  static constexpr double exposed         = 0.58;
  static constexpr double tile_seconds    = 1.2e-6;
  static constexpr double segment_seconds = 36e-9;
  /// Room for tiles with more nonzeros than most.
  static constexpr double slack = 1.15;
  /// What a search tries: so many shapes at most, and none that takes so many times as long as the best by the model.
  static constexpr std::size_t most_tried = 12;
  static constexpr double least_promise   = 1.35;
  /// Up to so many columns rows one by one were faster by 1.05 to 1.3 times, though the model does not say so: what the
  /// model says counts so many times.
  static constexpr std::int64_t few_columns = 128;
  static constexpr double few_columns_loss  = 1.3;
  /// Over rows one by one where the model has nothing to say.
  static constexpr double loss = 4;
};

/// How rows of C are shared out: lanes of a row, packs of 16 bytes of a lane.
struct TileLanes {
  int lanes                               = 0;
  int packs                               = 1;
  bool operator==(const TileLanes&) const = default;
};

/// How C is shared out, and what a product takes by the model.
struct SpmmTiling {
  TileLanes lanes = {};  ///< none: no shape fits
  TileShape tile  = {};
  double seconds  = std::numeric_limits<double>::infinity();
  bool fits() const { return lanes.lanes > 0; }
};

/// What the model needs of a scalar.
struct TiledSizes {
  std::int64_t scalar  = 4;   ///< bytes
  std::int64_t per_row = 4;   ///< columns of C in 16 bytes
  double entry         = 8;   ///< bytes of a nonzero in a tile
  std::int64_t sums    = 16;  ///< bytes of the sums of 16 bytes of B, which are float at least
  double in_a_load     = 2;   ///< nonzeros

  static TiledSizes of(std::size_t scalar_bytes) {
    const auto bytes          = static_cast<std::int64_t>(scalar_bytes);
    const std::int64_t loaded = bytes <= 4 ? 2 : 1;
    return {bytes, std::max<std::int64_t>(1, 16 / bytes),
            static_cast<double>(round_up(loaded * (bytes + 4), 16)) / static_cast<double>(loaded), bytes < 4 ? 32 : 16,
            static_cast<double>(loaded)};
  }
};

/// Bytes of one stage: a tile of B and a row of zeros, where rows begin, the nonzeros.
KOKKOS_FUNCTION inline std::int64_t tiled_stage_bytes(const TileShape& tile, std::int64_t width, std::int64_t scalar,
                                                      std::int64_t loads, std::int64_t load_bytes) {
  return (tile.columns + 1) * width * scalar + tile.begins() * 4 + loads * load_bytes;
}

/// The tile of `rows` rows that is as deep as scratch allows, and the time of a product.
inline SpmmTiling tile_of_rows(const Device& device, const Inspection& A, const SpmmRowSpread& spread, std::int64_t n,
                               const TiledSizes& sizes, const TileLanes& lanes, std::int64_t rows) {
  using Policy             = SpmmTiledPolicy;
  const std::int64_t width = lanes.lanes * lanes.packs * sizes.per_row;
  const double fullest     = spread.fullest(rows);
  const double density     = A.columns > 0 ? fullest / static_cast<double>(A.columns) : 0;
  const auto stage         = static_cast<double>(device.scratch) / Policy::stages - 128;
  const auto row_bytes     = static_cast<double>(width * sizes.scalar);
  const auto tile_rows     = static_cast<double>(rows);
  const double fixed       = row_bytes + 4 * (tile_rows + 4) + 0.5 * tile_rows * sizes.entry;
  const double of_a_column = row_bytes + Policy::slack * tile_rows * density * sizes.entry;
  auto depth               = static_cast<std::int64_t>((stage - fixed) / of_a_column);
  depth                    = std::min(depth, std::max<std::int64_t>(1, A.columns));
  if (depth > Policy::least_columns) depth = depth / Policy::least_columns * Policy::least_columns;
  if (depth < std::min<std::int64_t>(Policy::least_columns, A.columns)) return {};
  const std::int64_t column_tiles = ceiling_quotient(n, width), blocks = ceiling_quotient(A.rows, rows);
  const auto tiles   = static_cast<double>(std::max<std::int64_t>(1, ceiling_quotient(A.columns, depth)));
  const auto turns   = static_cast<double>(ceiling_quotient(blocks * column_tiles, device.processors));
  const double share = device.gather_rate / device.processors;
  // Rows of a tile are filled up to whole loads; how many nonzeros they have is left to chance.
  const double in_a_row = A.mean() / tiles, count = sizes.in_a_load;
  const double entries = tile_rows * tiles * (in_a_row + 0.25 * count * (count - 1) * (1 - std::exp(-2 * in_a_row)));
  const double convert = sizes.scalar < 4 ? Policy::conversion_cost : 1;
  const double compute = convert * entries * (row_bytes + Policy::entry_share * lanes.lanes * sizes.entry) /
                         (Policy::scratch_rate * share);
  const double b_cost = n * sizes.scalar % Policy::cache_line == 0 ? 1 : Policy::unaligned_cost;
  const double fill =
      (b_cost * static_cast<double>(A.columns) * row_bytes + entries * sizes.entry) / (Policy::fill_rate * share);
  const auto sub_groups     = static_cast<std::int64_t>(device.lane_width > 1 ? Policy::threads / lanes.lanes : 1);
  const std::int64_t in_one = ceiling_quotient(rows, sub_groups);
  const auto team           = [&](double length) {
    const double reading = A.nonzeros > 0 ? compute * length / A.mean() : compute;
    return std::max(reading, fill) + Policy::exposed * std::min(reading, fill) +
           tiles * (Policy::tile_seconds + static_cast<double>(in_one) * Policy::segment_seconds);
  };
  // Sub-groups wait for the fullest of a team with each tile, and the product for the last team.
  const double most   = team(spread.fullest_of(sub_groups, in_one));
  const double alike  = spread.likeness();
  const double last   = team((1 - alike) * spread.fullest(in_one) + alike * fullest);
  const double memory = static_cast<double>((A.rows + A.columns) * n * sizes.scalar) / device.copy_rate;
  return {lanes, {rows, depth}, device.launch_seconds + memory + turns * most + std::max(0.0, last - most)};
}

/// Calls use(tiling) for every shape that fits for `n` columns of C. C has elements.
template <class Use>
void for_each_tiling(const Device& device, const Inspection& A, std::int64_t n, std::size_t scalar_bytes,
                     const Use& use) {
  using Policy           = SpmmTiledPolicy;
  const TiledSizes sizes = TiledSizes::of(scalar_bytes);
  const bool has_groups  = device.lane_width > 1;
  const SpmmRowSpread spread(A);
  for (const int lanes : {8, 16, 32, 1}) {
    if (lanes > device.lane_width || (lanes == 1 && has_groups)) continue;
    for (const int packs : {1, Policy::most_packs}) {
      const std::int64_t groups       = has_groups ? Policy::threads / lanes : 1;
      const std::int64_t most_rows    = groups * (Policy::sum_bytes / (packs * sizes.sums));
      const std::int64_t column_tiles = ceiling_quotient(n, lanes * packs * sizes.per_row);
      const std::int64_t least        = ceiling_quotient(A.rows, most_rows);
      std::int64_t last               = 0;
      for (std::int64_t turns = 0; turns <= Policy::most_turns; ++turns) {
        const std::int64_t blocks =
            std::min(A.rows, std::max<std::int64_t>(least, turns * device.processors / column_tiles));
        if (blocks == std::exchange(last, blocks)) continue;
        const SpmmTiling tiling =
            tile_of_rows(device, A, spread, n, sizes, {lanes, packs}, ceiling_quotient(A.rows, blocks));
        if (tiling.fits()) use(tiling);
      }
    }
  }
}

/// The best shape for `n` columns; one that does not fit where none does.
inline SpmmTiling choose_tiling(const Device& device, const Inspection& A, std::int64_t n, std::size_t scalar_bytes) {
  if (A.rows == 0 || n == 0) return {{device.lane_width > 1 ? 8 : 1, 1}, {1, std::max<std::int64_t>(1, A.columns)}, 0};
  SpmmTiling best;
  for_each_tiling(device, A, n, scalar_bytes, [&](const SpmmTiling& tiling) {
    if (tiling.seconds < best.seconds) best = tiling;
  });
  return best;
}

/// What a search tries: the best shapes by the model, the best first.
inline std::vector<SpmmTiling> tilings_to_try(const Device& device, const Inspection& A, std::int64_t n,
                                              std::size_t scalar_bytes) {
  using Policy = SpmmTiledPolicy;
  std::vector<SpmmTiling> tilings;
  if (A.rows == 0 || n == 0) return tilings;
  for_each_tiling(device, A, n, scalar_bytes, [&](const SpmmTiling& tiling) { tilings.push_back(tiling); });
  std::sort(tilings.begin(), tilings.end(),
            [](const SpmmTiling& a, const SpmmTiling& b) { return a.seconds < b.seconds; });
  while (!tilings.empty() && (tilings.size() > Policy::most_tried ||
                              tilings.back().seconds > Policy::least_promise * tilings.front().seconds))
    tilings.pop_back();
  return tilings;
}

}  // namespace lacuna::Impl

#endif
