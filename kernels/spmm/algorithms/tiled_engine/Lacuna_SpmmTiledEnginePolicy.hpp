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
/// \brief How SpMM by tiles on the matrix engine cuts a matrix, and what that costs: a model of the kernel, searched
/// over its few shapes.

namespace lacuna::Impl {

/// By a driver, in graphs, H100, 27 November 2026, half precision, 4096² with 80, 90, 95 and 98 % zeros: N = 512 64.6,
/// 57.6, 44.9 and 28.8 µs, where threads that copied tiles took 78, 69, 54 and 41 and rows one by one take 273, 144, 75
/// and 33; N = 4096 from 90 % on 400, 312 and 203 for 449, 371 and 250. At 99 % rows one by one are as fast.
///
/// Bound: the data path of scratch, busy for 80 to 87 % of the time at N = 4096. A step gathers 64 columns by 16
/// accesses and, at 98 %, 5 more for two rows in the same banks, which is as few as the columns of that remainder
/// allow; A and C take 8. Groups of 8 rows, as the engine's other operand, read less of A and more of B: with 32 of
/// them in a team 3 to 8 % faster from 98 % on, slower up to 95 %; not kept. Three stages: 0 to 4 % slower.
struct SpmmTiledEnginePolicy {
  /// Of lanes, in a team. One more would leave each thread 96 registers for 128, and 128 columns would spill.
  static constexpr int most_groups = 16;
  /// Steps of A that are on their way. Of 4 to 8 none matters beside 32 or 64 columns (3 %, and registers run out);
  /// beside 128 columns 3 are 5 % faster than 2 (H200).
  static constexpr int steps_ahead(int tiles) { return tiles == 8 ? 3 : 6; }
  /// In units of the gather rate of the device: what products read from scratch, and what comes there. All of the model
  /// is fitted to 6,885 products of 105 uniform random matrices in all shapes (that driver: n = 1024 to 14,500, and
  /// 4096 × 11,008; 50 to 99.5 % zeros, N = 32 to 4096), within 5 % on average for shapes up to 15 % behind the best.
  /// The one that it takes is 1.5 % slower than the best on average, 19 % at most. Uneven rows were not fitted.
  static constexpr double scratch_rate = 4.28;
  static constexpr double fill_rate    = 1.0;
  /// Over that, where threads copy: by that driver 1.2 to 1.4.
  static constexpr double copied_by_threads = 1.25;
  /// Bytes that a step costs as if it read them from scratch: its 544 from memory, and its instructions.
  static constexpr double step_bytes = 1430;
  /// Of a step, beside those of all warps: each does its own one after the other.
  static constexpr double step_seconds(int tiles) { return tiles == 8 ? 0.173e-6 : 0.07e-6; }
  /// Of the shorter of both that is not hidden behind the longer; of a tile and of a team's work beside them.
  static constexpr double exposed      = 0.75;
  static constexpr double tile_seconds = 0.51e-6;
  static constexpr double work_seconds = 0.1e-6;
  /// Slots of steps that stay free, of a tile of a group.
  static constexpr double free_slots = 8;
  /// Of the copies of a tile's rows of B by threads, when they should be done with: a share of the steps of the tile
  /// before. Copies with every step instead of all at once: 8 to 14 % faster (prototype, H200, N = 512).
  static constexpr double copying_share = 0.7;
  /// Teams that share the columns of A among them, where there are too few without. Half precision, 4096² with N = 128:
  /// 29.0, 26.6 and 23.0 µs at 80, 90 and 95 % zeros where it took 58.2, 49.7 and 35.9; at 80 % 21.5 and 59.0 with
  /// N = 64, 46.7 and 62.5 with 256; 4096 × 11,008 with 128 60.6 and 152 (H200, 24 November 2026, tiles by threads; by
  /// a copy engine 24.7, 22.4 and 18.5, H100). Those of four parts are read at once, for 16 columns in `fold_seconds`,
  /// and all are written and read at `fold_rate`, in units of the gather rate.
  static constexpr int most_parts    = 8;
  static constexpr int parts_at_once = 4;
  /// Of parts, at least, by the model: n = 14,500, N = 512 they lost 11 % where it promised 2.
  static constexpr double parts_gain   = 1.05;
  static constexpr double meet_seconds = 0.7e-6;  ///< until a warp knows whether it came last
  static constexpr double fold_seconds = 0.154e-6;
  static constexpr double fold_rate    = 0.216;
  /// Over rows one by one where the model has nothing to say.
  static constexpr double loss = 4;
  /// Of the copy rate that B reaches on its way to half precision. Untuned.
  static constexpr double copy_share = 0.7;
  /// Seconds of a nonzero while A is packed, beside some 60 launches: 0.2 to 0.4 ms for 0.2 to 3.4 million, 0.9
  /// for 10.5.
  static constexpr double pack_seconds = 0.1e-9;
};

/// How C is shared out, and what a product takes by the model.
struct SpmmEngineTiling {
  int tiles                 = 0;  ///< of 16 columns that a warp has; none: no shape fits
  int groups                = 1;  ///< of 16 rows, a warp each, in a team
  int parts                 = 1;  ///< of a row of tiles, for a team each
  std::int64_t part_tiles   = 1;
  std::int64_t tile_columns = 8;  ///< of A, of a tile
  double seconds            = std::numeric_limits<double>::infinity();
  /// Teams at once where a copy engine brings tiles, so that a team goes on to another work: one a processor.
  int teams = std::numeric_limits<int>::max();
  bool fits() const { return tiles > 0; }
  /// What the sums of parts take, for products of `n` columns.
  std::size_t parts_bytes(std::int64_t rows, std::int64_t n) const {
    if (parts < 2 || !fits()) return 0;
    return EngineParts::bytes(ceiling_quotient(rows, EngineTileShape::group_rows) * ceiling_quotient(n, 16 * tiles),
                              parts, 16 * tiles);
  }
};

/// Steps of a group of rows of `length` nonzeros on average, in all of its tiles, for nonzeros that lie anywhere.
inline double engine_steps_of_group(const Inspection& A, double length, std::int64_t tile_columns) {
  if (A.columns == 0) return 0;
  const auto columns   = static_cast<double>(A.columns);
  const double density = std::min(1.0, length / columns);
  const double active  = columns * (1 - std::pow(1 - density, EngineTileShape::group_rows));
  const auto tiles     = static_cast<double>(ceiling_quotient(A.columns, tile_columns));
  return (active + SpmmTiledEnginePolicy::free_slots * tiles) / 16;
}

/// How columns of A are cut for tiles of `width` columns of C and `parts` parts: as deep as scratch allows for two
/// tiles, also where a part has one, so that one team can do without the others.
struct EngineDepth {
  std::int64_t tiles   = 0;  ///< of a part; none: they do not fit
  std::int64_t columns = 8;  ///< of A, of a tile

  static EngineDepth of(const Device& device, std::int64_t columns, int width, int parts) {
    const EngineStage stage{width, device.has_tile_copies};
    std::int64_t most =
        std::min<std::int64_t>(stage.most_depth(static_cast<std::int64_t>(device.scratch)), 65535 - stage.zero_rows);
    most                       = most / stage.granule(most) * stage.granule(most);
    const std::int64_t of_part = std::max<std::int64_t>(1, ceiling_quotient(columns, parts));
    if (most < 8) return {};
    const std::int64_t tiles = ceiling_quotient(of_part, most), depth = ceiling_quotient(of_part, tiles);
    return {tiles, round_up(depth, stage.granule(depth))};
  }
};

/// The tile of `tiles` times 16 columns of C and `groups` groups, columns of A shared by `parts` teams, and the time of
/// a product. Groups of a team wait for the fullest of them at the end of each tile, and the product for the fullest of
/// all teams.
inline SpmmEngineTiling engine_tile_of(const Device& device, const Inspection& A, const SpmmRowSpread& spread,
                                       std::int64_t n, int tiles, int groups, int parts) {
  using Policy            = SpmmTiledEnginePolicy;
  constexpr auto rows     = EngineTileShape::group_rows;
  const int width         = 16 * tiles;
  const EngineDepth depth = EngineDepth::of(device, A.columns, width, parts);
  if (depth.tiles == 0) return {};
  const double share         = device.gather_rate / device.processors;
  const auto row_bytes       = static_cast<double>(2 * width);
  const double step_bytes    = 16 * row_bytes + Policy::step_bytes;
  const double fill          = static_cast<double>(A.columns) / parts * row_bytes / (Policy::fill_rate * share);
  const std::int64_t panels  = ceiling_quotient(n, width);
  const std::int64_t teams   = ceiling_quotient(A.rows, groups * rows) * panels * parts;
  const double turns         = static_cast<double>(ceiling_quotient(teams, device.processors));
  const double by_threads    = device.has_tile_copies ? 1 : Policy::copied_by_threads;
  const auto steps           = [&](double length) { return engine_steps_of_group(A, length, depth.columns) / parts; };
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
  if (parts > 1)
    fold = Policy::meet_seconds + Policy::fold_seconds * tiles * ceiling_quotient(parts, Policy::parts_at_once) +
           8.0 * parts * static_cast<double>(A.rows) * static_cast<double>(panels * width) /
               (Policy::fold_rate * device.gather_rate);
  return {tiles,
          groups,
          parts,
          depth.tiles,
          depth.columns,
          device.launch_seconds + turns * team + std::max(0.0, last - team) + fold,
          std::max(1, static_cast<int>(device.processors))};
}

/// The best shape for `n` columns; one that does not fit where none does. `most_parts` 1: no memory for sums of parts.
inline SpmmEngineTiling choose_engine_tiling(const Device& device, const Inspection& A, std::int64_t n,
                                             int most_parts = SpmmTiledEnginePolicy::most_parts) {
  const bool has_groups = device.lane_width > 1;
  const SpmmRowSpread spread(A);
  SpmmEngineTiling best;
  double least = std::numeric_limits<double>::infinity();
  for (const int tiles : {2, 4, 8}) {
    if (tiles > 2 && 8 * tiles >= n) continue;  // half of it would do
    for (const int groups : {1, 4, 6, 8, 10, 12, 14, SpmmTiledEnginePolicy::most_groups}) {
      if (has_groups == (groups == 1)) continue;
      for (const int parts : {1, 2, 3, 4, 6, 8}) {
        if (parts > most_parts || (parts > 1 && 8 * parts > A.columns)) break;
        const SpmmEngineTiling tiling = engine_tile_of(device, A, spread, n, tiles, groups, parts);
        const double seconds          = (parts > 1 ? SpmmTiledEnginePolicy::parts_gain : 1) * tiling.seconds;
        if (!tiling.fits() || !(seconds < least)) continue;
        least = seconds;
        best  = tiling;
      }
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
