// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDENGINEPOLICY_HPP
#define LACUNA_SPMMTILEDENGINEPOLICY_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/Lacuna_Inspection.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_EngineTileWalk.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief How SpMM by tiles on the matrix engine cuts a matrix, and what that costs: a model of the kernel, searched
/// over its few shapes.

namespace lacuna::Impl {

/// All figures are of a prototype of the kernel (H200, November 2026) that started all copies of a tile at once: 4096²,
/// 90 % zeros in half precision took 65 µs with N = 512 and 436 with 4096 where `tiled` takes 140 and 1048, 95 % zeros
/// 53 and 352.
struct SpmmTiledEnginePolicy {
  /// Whether `automatic` takes it: its prototype has run on a GPU, it has not.
  static constexpr bool is_taken_unasked = false;
  /// Stages of B in scratch. Three or four, which make tiles less deep: 0 to 8 % slower.
  static constexpr int stages      = 2;
  static constexpr int most_groups = 16;  ///< of lanes, in a team
  /// Steps of A that are on their way, by what registers are left beside the sums of 32, 64 or 128 columns.
  static constexpr int steps_ahead(int tiles) { return tiles == 2 ? 8 : tiles == 4 ? 6 : 3; }
  /// In units of the gather rate of the device: what products read from scratch, and what teams copy there. All of the
  /// model is fitted to 51 products of uniform random matrices (n = 4096, 80 to 99 % zeros, N = 128 to 4096; n =
  /// 14,500, 95 %), of which it predicts most within 5 %, all within 13 %.
  static constexpr double scratch_rate = 3.85;
  static constexpr double fill_rate    = 0.336;
  /// Bytes that a step costs as if it read them from scratch: its 544 from memory, and its instructions.
  static constexpr double step_bytes = 2400;
  /// Reads of eight rows that take a second pass, for one remainder has more columns than the others.
  static constexpr double conflicts = 1.1;
  /// A lane group does its steps one after the other.
  static constexpr double step_seconds = 103e-9;
  /// Of the shorter of both that is not hidden behind the longer: there all of it; of a tile beside them.
  static constexpr double exposed      = 1;
  static constexpr double tile_seconds = 0.3e-6;
  /// Slots of steps that stay free, of a tile of a group.
  static constexpr double free_slots = 8;
  /// Of the copies of a tile's rows of B, when they should be done with: a share of the steps of the tile before.
  /// Copies with every step instead of all at once: 4 to 14 % faster in the prototype; bulk copies: 3 to 8 % slower.
  static constexpr double copying_share = 0.7;
  /// A row longer than this many times the mean makes rows uneven: its group has as many steps, and the team waits.
  /// Untuned.
  static constexpr double even_rows = 4;
  /// Over rows one by one where the model has nothing to say.
  static constexpr double loss = 4;
  /// Of the copy rate that B reaches on its way to half precision. Untuned.
  static constexpr double copy_share = 0.7;
  /// Seconds of a nonzero while A is packed. Untuned.
  static constexpr double pack_seconds = 0.1e-9;
};

/// How C is shared out, and what a product takes by the model.
struct SpmmEngineTiling {
  int tiles                 = 0;  ///< of 16 columns that a lane group has; none: no shape fits
  int groups                = 1;  ///< of 16 rows, a lane group each, in a team
  std::int64_t tile_columns = 8;  ///< of A, of a tile
  double seconds            = std::numeric_limits<double>::infinity();
  bool fits() const { return tiles > 0; }
};

/// Steps of a group in all of its tiles, for nonzeros that lie anywhere.
inline double engine_steps_of_group(const Inspection& A, std::int64_t tile_columns) {
  if (A.columns == 0) return 0;
  const auto columns   = static_cast<double>(A.columns);
  const double density = std::min(1.0, A.mean() / columns);
  const double active  = columns * (1 - std::pow(1 - density, EngineTileShape::group_rows));
  const auto tiles     = static_cast<double>(ceiling_quotient(A.columns, tile_columns));
  return (active + SpmmTiledEnginePolicy::free_slots * tiles) / 16;
}

/// The tile of `tiles` times 16 columns of C and `groups` groups that is as deep as scratch allows, and the time of a
/// product.
inline SpmmEngineTiling engine_tile_of(const Device& device, const Inspection& A, std::int64_t n, int tiles,
                                       int groups) {
  using Policy            = SpmmTiledEnginePolicy;
  const int width         = 16 * tiles;
  const auto stage        = static_cast<std::int64_t>(device.scratch) / Policy::stages - 64;
  const std::int64_t most = std::min<std::int64_t>(stage / engine_row_bytes(width) - 1, 65535) / 8 * 8;
  if (most < 8) return {};
  const std::int64_t count = std::max<std::int64_t>(1, ceiling_quotient(A.columns, most));
  const std::int64_t depth = std::max<std::int64_t>(8, round_up(ceiling_quotient(A.columns, count), 8));
  const double share       = device.gather_rate / device.processors;
  const double steps       = engine_steps_of_group(A, depth);
  const auto row_bytes     = static_cast<double>(2 * width);
  const std::int64_t rows  = static_cast<std::int64_t>(groups) * EngineTileShape::group_rows;
  const std::int64_t teams = ceiling_quotient(A.rows, rows) * ceiling_quotient(n, width);
  const double turns       = static_cast<double>(ceiling_quotient(teams, device.processors));
  const double compute     = std::max(
          groups * steps * (Policy::conflicts * 16 * row_bytes + Policy::step_bytes) / (Policy::scratch_rate * share),
          steps * Policy::step_seconds);
  const double fill = static_cast<double>(A.columns) * row_bytes / (Policy::fill_rate * share);
  const double team = std::max(compute, fill) + Policy::exposed * std::min(compute, fill) +
                      static_cast<double>(count) * Policy::tile_seconds;
  return {tiles, groups, depth, device.launch_seconds + turns * team};
}

/// The best shape for `n` columns; one that does not fit where none does.
inline SpmmEngineTiling choose_engine_tiling(const Device& device, const Inspection& A, std::int64_t n) {
  const bool has_groups = device.lane_width > 1;
  SpmmEngineTiling best;
  for (const int tiles : {2, 4, 8}) {
    if (tiles > 2 && 8 * tiles >= n) continue;  // half of it would do
    for (const int groups : {1, 4, 6, 8, 10, 12, 14, SpmmTiledEnginePolicy::most_groups}) {
      if (has_groups == (groups == 1)) continue;
      const SpmmEngineTiling tiling = engine_tile_of(device, A, n, tiles, groups);
      if (tiling.fits() && tiling.seconds < best.seconds) best = tiling;
    }
  }
  return best;
}

/// Copies of 16 bytes that a thread should start with each step, so that a tile is there in time.
template <class Element>
int engine_copies_a_step(const EngineTileArrays<Element>& tiled, std::int64_t steps, int width, int threads) {
  const double pieces    = static_cast<double>(tiled.tile_columns * (width / 8)) / threads;
  const double tiles     = static_cast<double>(std::max<std::int64_t>(1, tiled.groups * tiled.tiles_per_row));
  const double of_a_tile = std::max(1.0, SpmmTiledEnginePolicy::copying_share * static_cast<double>(steps) / tiles);
  return static_cast<int>(std::clamp(std::ceil(pieces / of_a_tile), 1.0, 64.0));
}

}  // namespace lacuna::Impl

#endif
