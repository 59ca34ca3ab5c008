// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDENGINEPOLICY_HPP
#define LACUNA_SPMMTILEDENGINEPOLICY_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_EngineTileFold.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowSpread.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief How SpMM by tiles on the matrix engine cuts a matrix, and how long a product then takes: a model of the
/// kernel, searched over its few shapes.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

/// Numbers of the model.
///
/// Bound: the data path of scratch. A step gathers 64 columns by 16 accesses. It needs a few more where two rows lie in
/// the same banks; the remainders of the columns allow no fewer. A and C take 8 accesses.
struct SpmmTiledEnginePolicy {
  /// Warps of a team, at most. With one more each thread would have 96 registers instead of 128,
  /// and 128 columns would spill.
  static constexpr int most_groups = 16;
  /// Steps of A in flight.
  static constexpr int steps_ahead(int tiles) { return tiles == 8 ? 3 : 6; }
  /// Rates in units of the device's gather rate: reads of products from scratch, and copies to scratch. All numbers of
  /// the model are fitted together, to random matrices; uneven rows were not fitted.
  static constexpr double scratch_rate = 4.28;
  static constexpr double fill_rate    = 1.0;
  /// Cost of copies by threads over copies by a copy engine.
  static constexpr double copied_by_threads = 1.25;
  /// Bytes from scratch that a step costs for its bytes from memory and its instructions.
  static constexpr double step_bytes = 1430;
  /// Seconds of a step beyond the work that all warps share: each warp does its steps one after the other.
  static constexpr double step_seconds(int tiles) { return tiles == 8 ? 0.173e-6 : 0.07e-6; }
  /// Share of the shorter of compute and copy time that is not hidden behind the longer; seconds of a tile;
  /// seconds of a team's work.
  static constexpr double exposed      = 0.75;
  static constexpr double tile_seconds = 0.51e-6;
  static constexpr double work_seconds = 0.1e-6;
  /// Slots of steps that stay free in a tile of a group.
  static constexpr double free_slots = 8;
  /// Share of the steps of the tile before in which threads copy a tile's rows of B, some copies with every step.
  static constexpr double copying_share = 0.7;
  /// Teams that share the columns of A where there are too few teams otherwise, and split-K sums that are read at once.
  static constexpr int most_slices    = 8;
  static constexpr int slices_at_once = 4;
  /// Gain of sharing that the model must predict, at least.
  static constexpr double slices_gain  = 1.05;
  static constexpr double meet_seconds = 0.7e-6;  ///< seconds until a warp knows whether it arrived last
  static constexpr double fold_seconds = 0.154e-6;
  static constexpr double fold_rate    = 0.216;
  /// Time over that of row_split where the model does not apply.
  static constexpr double loss = 4;
  /// Share of the copy rate with which B is converted to half precision. Not tuned.
  static constexpr double copy_share = 0.7;
  /// Seconds of a nonzero while A is packed, beyond the launches.
  static constexpr double pack_seconds = 0.1e-9;
};

/// How C is divided, and the predicted time of a product.
struct SpmmEngineTiling {
  int tiles                 = 0;  ///< of 16 columns in a warp; 0: no shape fits
  int groups                = 1;  ///< of 16 rows in a team, a warp each
  int slices                = 1;  ///< teams that share the columns of A
  std::int64_t slice_tiles  = 1;
  std::int64_t tile_columns = 8;  ///< columns of A in a tile
  double seconds            = std::numeric_limits<double>::infinity();
  /// Teams that run at once where a copy engine brings tiles: one a processor, each of which takes several work items.
  int teams = std::numeric_limits<int>::max();
  bool fits() const { return tiles > 0; }
  /// Bytes of split-K sums for products of `n` columns.
  std::size_t slices_bytes(std::int64_t rows, std::int64_t n) const {
    if (slices < 2 || !fits()) return 0;
    return EngineSlices::bytes(ceiling_quotient(rows, EngineTileShape::group_rows) * ceiling_quotient(n, 16 * tiles),
                               slices, 16 * tiles);
  }
};

/// Steps of a group whose rows have `length` nonzeros on average, in all of its tiles, for random columns.
inline double engine_steps_of_group(const Inspection& A, double length, std::int64_t tile_columns) {
  if (A.columns == 0) return 0;
  const auto columns   = static_cast<double>(A.columns);
  const double density = std::min(1.0, length / columns);
  const double active  = columns * (1 - std::pow(1 - density, EngineTileShape::group_rows));
  const auto tiles     = static_cast<double>(ceiling_quotient(A.columns, tile_columns));
  return (active + SpmmTiledEnginePolicy::free_slots * tiles) / 16;
}

/// How columns of A are cut for tiles of `width` columns of C and `slices` teams. Tiles are as deep as scratch allows
/// for two of them, even where a team has one tile, so that one team can also take all columns.
struct EngineDepth {
  std::int64_t tiles   = 0;  ///< of a team's columns; 0: they do not fit
  std::int64_t columns = 8;  ///< columns of A in a tile

  static EngineDepth of(const Device& device, std::int64_t columns, int width, int slices) {
    const EngineStage stage{width, device.has_tile_copies};
    std::int64_t most =
        std::min<std::int64_t>(stage.most_depth(static_cast<std::int64_t>(device.scratch)), 65535 - stage.zero_rows);
    most                        = most / stage.granule(most) * stage.granule(most);
    const std::int64_t of_slice = std::max<std::int64_t>(1, ceiling_quotient(columns, slices));
    if (most < 8) return {};
    const std::int64_t tiles = ceiling_quotient(of_slice, most), depth = ceiling_quotient(of_slice, tiles);
    return {tiles, round_up(depth, stage.granule(depth))};
  }
};

/// The tile of `tiles` times 16 columns of C and `groups` groups, columns of A shared by `slices` teams, and
/// the time of a product. At the end of each tile, groups wait for the fullest of their team; the product
/// waits for the fullest team.
inline SpmmEngineTiling engine_tile_of(const Device& device, const Inspection& A, const SpmmRowSpread& spread,
                                       std::int64_t n, int tiles, int groups, int slices) {
  using Policy            = SpmmTiledEnginePolicy;
  constexpr auto rows     = EngineTileShape::group_rows;
  const int width         = 16 * tiles;
  const EngineDepth depth = EngineDepth::of(device, A.columns, width, slices);
  if (depth.tiles == 0) return {};
  const double share         = device.gather_rate / device.processors;
  const auto row_bytes       = static_cast<double>(2 * width);
  const double step_bytes    = 16 * row_bytes + Policy::step_bytes;
  const double fill          = static_cast<double>(A.columns) / slices * row_bytes / (Policy::fill_rate * share);
  const std::int64_t panels  = ceiling_quotient(n, width);
  const std::int64_t teams   = ceiling_quotient(A.rows, groups * rows) * panels * slices;
  const double turns         = static_cast<double>(ceiling_quotient(teams, device.processors));
  const double by_threads    = device.has_tile_copies ? 1 : Policy::copied_by_threads;
  const auto steps           = [&](double length) { return engine_steps_of_group(A, length, depth.columns) / slices; };
  const auto seconds_of_team = [&](double of_all, double of_fullest) {
    const double compute =
        groups * of_all * step_bytes / (Policy::scratch_rate * share) + of_fullest * Policy::step_seconds(tiles);
    return by_threads * (std::max(compute, fill) + Policy::exposed * std::min(compute, fill) +
                         static_cast<double>(depth.tiles) * Policy::tile_seconds + Policy::work_seconds);
  };
  const double mean = steps(spread.mean()), alike = spread.likeness();
  const double team = seconds_of_team(mean, steps(spread.fullest_of(groups, rows)));
  const double last =
      seconds_of_team((1 - alike) * mean + alike * steps(spread.fullest(groups * rows)), steps(spread.fullest(rows)));
  double fold = 0;
  if (slices > 1)
    fold = Policy::meet_seconds +
           Policy::fold_seconds * tiles * static_cast<double>(ceiling_quotient(slices, Policy::slices_at_once)) +
           8.0 * slices * static_cast<double>(A.rows) * static_cast<double>(panels * width) /
               (Policy::fold_rate * device.gather_rate);
  return {tiles,
          groups,
          slices,
          depth.tiles,
          depth.columns,
          device.launch_seconds + turns * team + std::max(0.0, last - team) + fold,
          std::max(1, static_cast<int>(device.processors))};
}

/// The best shape for `n` columns, or one that does not fit. `most_slices` 1: no memory for split-K sums.
inline SpmmEngineTiling choose_engine_tiling(const Device& device, const Inspection& A, std::int64_t n,
                                             int most_slices = SpmmTiledEnginePolicy::most_slices) {
  const bool has_groups = device.lane_width > 1;
  const SpmmRowSpread spread(A);
  SpmmEngineTiling best;
  double least = std::numeric_limits<double>::infinity();
  for (const int tiles : {2, 4, 8}) {
    if (tiles > 2 && 8 * tiles >= n) continue;  // half as many would be enough
    for (const int groups : {1, 4, 6, 8, 10, 12, 14, SpmmTiledEnginePolicy::most_groups}) {
      if (has_groups == (groups == 1)) continue;
      for (const int slices : {1, 2, 3, 4, 6, 8}) {
        if (slices > most_slices || (slices > 1 && 8 * slices > A.columns)) break;
        const SpmmEngineTiling tiling = engine_tile_of(device, A, spread, n, tiles, groups, slices);
        const double seconds          = (slices > 1 ? SpmmTiledEnginePolicy::slices_gain : 1) * tiling.seconds;
        if (!tiling.fits() || !(seconds < least)) continue;
        least = seconds;
        best  = tiling;
      }
    }
  }
  return best;
}

/// Copies of 16 bytes that a thread starts with each step, so that a tile arrives in time.
template <class Element>
int engine_copies_a_step(const EngineTileArrays<Element>& tiled, std::int64_t steps, int width, int threads) {
  const double loads     = static_cast<double>(tiled.tile_columns * (width / 8)) / threads;
  const double tiles     = static_cast<double>(std::max<std::int64_t>(1, tiled.groups * tiled.tiles_per_row));
  const double of_a_tile = std::max(1.0, SpmmTiledEnginePolicy::copying_share * static_cast<double>(steps) / tiles);
  return static_cast<int>(std::clamp(std::ceil(loads / of_a_tile), 1.0, 64.0));
}

}  // namespace lacuna::Impl

#endif
