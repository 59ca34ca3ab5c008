// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDPOLICY_HPP
#define LACUNA_SPMMTILEDPOLICY_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_TileForm.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_TileStage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowSpread.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// \file
/// \brief How SpMM by tiles cuts a matrix, and how long a product then takes: a model of the kernel,
/// searched over its few shapes.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

struct SpmmTiledPolicy {
  /// Team of a tile. With a copy engine, 24 warps with 160 bytes of sums a thread and one warp that asks for tiles take
  /// all registers. Where threads copy, addresses take more registers.
  static constexpr TileTeam team_of(bool has_tile_copies) {
    return has_tile_copies ? TileTeam{768, 32, 160} : TileTeam{512, 0, 256};
  }
  static constexpr int least_columns = 8;  ///< least columns of a tile
  static constexpr int most_turns    = 8;  ///< most turns of teams on all processors that the search tries

  /// Rates in units of the device's gather rate: reads of lanes from scratch, and copies to scratch. All numbers of the
  /// model up to `waited` are fitted together.
  static constexpr double scratch_rate = 3.86;
  static constexpr double fill_rate    = 1.69;
  /// Bytes that an access to scratch costs beyond its own: for a nonzero, and for a row of a pack that is copied.
  static constexpr double entry_bytes = 327;
  static constexpr double copy_bytes  = 120;
  /// Cost over a B whose rows are whole cache lines.
  static constexpr double unaligned_cost   = 1.7;
  static constexpr std::int64_t cache_line = 128;  ///< bytes
  /// Cost that each doubling of B beyond `elements_of_cache` elements adds to copies.
  static constexpr double large_B           = 0.06;
  static constexpr double elements_of_cache = 12.5e6;
  /// Cost of copies by threads over copies by a copy engine. Not tuned.
  static constexpr double copied_by_threads = 1.3;
  /// Half precision, whose elements are converted to float first: factor on the bytes of an access,
  /// and on the whole product.
  static constexpr double half_entry = 1.15;
  static constexpr double half_cost  = 1.14;
  /// Share of the shorter of compute and copy time that is not hidden behind the longer; seconds of a row of a tile in
  /// a warp; seconds of a team.
  static constexpr double exposed         = 0.286;
  static constexpr double segment_seconds = 3.9e-9;
  static constexpr double team_seconds    = 2.2e-6;
  /// Share of the extra time of a tile's fullest group, by chance, that its team waits for.
  static constexpr double waited = 0.93;
  /// The same for rows that are longer than others. It is less, since groups run ahead by a tile.
  static constexpr double waited_rows = 0.6;
  /// Memory for tiles with more nonzeros than most, over the mean.
  static constexpr double slack = 1.15;
  /// Shapes that a search tries, at most, and the largest predicted time over the best one.
  static constexpr std::size_t most_tried = 12;
  static constexpr double least_promise   = 1.35;
  /// Corrections of the predicted time: for up to `few_columns` columns, and for more than `many_columns` columns with
  /// a density below `few_nonzeros` and random columns.
  static constexpr std::int64_t few_columns = 64, many_columns = 128;
  static constexpr double few_nonzeros = 0.05;
  static constexpr double correction(std::int64_t columns, bool has_few_nonzeros) {
    if (columns <= few_columns) return 1.25;
    return columns > many_columns && has_few_nonzeros ? 0.92 : 1.0;
  }
  /// Time over that of row_split where the model does not apply.
  static constexpr double loss = 4;
};

/// How C is divided, and the predicted time of a product.
struct SpmmTiling {
  TileForm form  = {};
  TileShape tile = {};
  bool copies_B  = false;  ///< to rows that are whole cache lines
  double seconds = std::numeric_limits<double>::infinity();
  bool fits() const { return form.load > 0; }
};

/// Sizes of the scalars and of a form, for the model.
struct TiledSizes {
  TileForm form;
  TileTeam team;
  TiledScalars scalars;
  std::int64_t width;  ///< columns of C
  std::int64_t entry;  ///< bytes of a nonzero in a tile
  int groups;          ///< of lanes with sums
  int rows;            ///< that such a group can hold

  TiledSizes(const Device& device, const TileForm& form, const TiledScalars& scalars)
      : form(form),
        team(SpmmTiledPolicy::team_of(device.has_tile_copies)),
        scalars(scalars),
        width(std::int64_t{device.lane_width} * form.packs * form.elements(scalars)),
        entry(tiled_entry_bytes(scalars.A)),
        groups(team.groups(device.lane_width)),
        rows(form.rows(team, scalars)) {}

  std::int64_t row_bytes() const { return width * static_cast<std::int64_t>(scalars.B); }
  /// Groups without rows get no records, which would take much memory where a tile has one row.
  TileShape shape(std::int64_t tile_rows, std::int64_t columns) const {
    return {tile_rows, columns, static_cast<int>(std::min<std::int64_t>(groups, std::max<std::int64_t>(1, tile_rows))),
            TileShape::record_for(rows)};
  }
};

/// The columns of a tile of `rows` rows: as many as scratch allows; 0 where those are too few.
inline std::int64_t columns_of_tile(const Device& device, const Inspection& A, const TiledSizes& sizes,
                                    std::int64_t rows, double fullest) {
  using Policy         = SpmmTiledPolicy;
  const double density = A.columns > 0 ? fullest / static_cast<double>(A.columns) : 0;
  const auto tile_rows = static_cast<double>(rows);
  const auto records   = static_cast<double>(2 * sizes.shape(rows, 1).numbers());
  const double stage   = static_cast<double>(device.scratch) / TileStage::count - 512 - records;
  const double of_a_column =
      static_cast<double>(sizes.row_bytes()) + Policy::slack * tile_rows * density * static_cast<double>(sizes.entry);
  const auto most = static_cast<double>(most_entries_of_a_tile) / (Policy::slack * tile_rows * density + 1e-9);
  auto columns    = static_cast<std::int64_t>(std::min({stage / of_a_column, most, 1e9}));
  columns         = std::min(columns, std::max<std::int64_t>(1, A.columns));
  if (columns > Policy::least_columns) columns = columns / Policy::least_columns * Policy::least_columns;
  return columns < std::min<std::int64_t>(Policy::least_columns, A.columns) ? 0 : columns;
}

/// Seconds of a product with tiles of this shape. `aligned`: rows of B are whole cache lines.
inline double seconds_of_tiles(const Device& device, const Inspection& A, const SpmmRowSpread& spread, std::int64_t n,
                               const TiledSizes& sizes, const TileShape& tile, bool aligned) {
  using Policy            = SpmmTiledPolicy;
  const auto row_bytes    = static_cast<double>(sizes.row_bytes());
  const auto tiles        = static_cast<double>(std::max<std::int64_t>(1, ceiling_quotient(A.columns, tile.columns)));
  const auto teams        = ceiling_quotient(A.rows, tile.rows) * ceiling_quotient(n, sizes.width);
  const auto turns        = static_cast<double>(ceiling_quotient(teams, device.processors));
  const double share      = device.gather_rate / device.processors;
  const double entries    = static_cast<double>(tile.rows) * A.mean();
  const bool is_half      = sizes.scalars.B < 4;
  const double by_threads = device.has_tile_copies ? 1 : Policy::copied_by_threads;
  const double an_entry =
      (row_bytes + (is_half ? Policy::half_entry : 1) * Policy::entry_bytes) / (Policy::scratch_rate * share);
  const double elements = static_cast<double>(A.columns) * static_cast<double>(n);
  const double b_cost   = (1 + Policy::large_B * std::max(0.0, std::log2(elements / Policy::elements_of_cache))) *
                        (aligned ? 1 : Policy::unaligned_cost);
  const double fill = by_threads *
                      (b_cost * static_cast<double>(A.columns) * (row_bytes + sizes.form.packs * Policy::copy_bytes) +
                       entries * static_cast<double>(sizes.entry)) /
                      (Policy::fill_rate * share);
  const auto own = static_cast<double>(tile.rows_of_group());
  // The number of nonzeros of a group in a tile is random, and a tile waits for the fullest group.
  const double in_tile = own * A.mean() / tiles;
  const double chance  = sizes.groups > 1 ? Policy::waited * std::sqrt(in_tile) * tiles * sizes.groups * an_entry : 0;
  const auto team      = [&](double length) {
    const double reading = an_entry * entries * (A.nonzeros > 0 ? length / A.mean() : 1) + chance;
    const double seconds = std::max(reading, fill) + Policy::exposed * std::min(reading, fill) +
                           tiles * own * Policy::segment_seconds + Policy::team_seconds +
                           fill / tiles;  // nothing hides the first
    return (is_half ? Policy::half_cost : 1) * seconds;
  };
  // With each tile, groups wait for the fullest of a team; the product waits for the last team.
  const std::int64_t in_one = tile.rows_of_group();
  const double fullest      = spread.fullest_of(sizes.groups, in_one);
  const double most         = team(spread.mean() + Policy::waited_rows * (fullest - spread.mean()));
  const double alike        = spread.likeness();
  const double last         = team((1 - alike) * spread.fullest(in_one) + alike * spread.fullest(tile.rows));
  const double memory       = (static_cast<double>(A.rows) * static_cast<double>(sizes.scalars.A) +
                         static_cast<double>(A.columns) * static_cast<double>(sizes.scalars.B)) *
                        static_cast<double>(n) / device.copy_rate;
  return device.launch_seconds + memory + turns * most + std::max(0.0, last - most);
}

/// Seconds to copy B to rows that are whole cache lines, with other elements where B is rounded.
inline double seconds_of_copy(const Device& device, const Inspection& A, std::int64_t n, const TiledScalars& scalars) {
  const double bytes =
      static_cast<double>(A.columns) * static_cast<double>(n) * static_cast<double>(scalars.A + scalars.B);
  return device.launch_seconds + bytes / (SpmmCostPolicy::copy_share * device.copy_rate);
}

/// Tiles of this shape. B is copied where it must be, or where the product gains more than the copy takes.
inline SpmmTiling tiling_of(const Device& device, const Inspection& A, const SpmmRowSpread& spread, std::int64_t n,
                            const TiledSizes& sizes, const TileShape& tile) {
  const auto take = [&](bool aligned) { return seconds_of_tiles(device, A, spread, n, sizes, tile, aligned); };
  const TiledScalars& scalars = sizes.scalars;
  const bool aligned          = n * static_cast<std::int64_t>(scalars.A) % SpmmTiledPolicy::cache_line == 0;
  const double as_it_is       = scalars.rounds_B() ? std::numeric_limits<double>::infinity() : take(aligned);
  if (aligned && !scalars.rounds_B()) return {sizes.form, tile, false, as_it_is};
  const double copied = take(true) + seconds_of_copy(device, A, n, scalars);
  return {sizes.form, tile, copied < as_it_is, std::min(copied, as_it_is)};
}
/// Tiles that the caller asks for.
inline SpmmTiling tiling_of(const Device& device, const Inspection& A, std::int64_t n, const TileForm& form,
                            std::int64_t rows, std::int64_t columns, const TiledScalars& scalars) {
  const TiledSizes sizes(device, form, scalars);
  return tiling_of(device, A, SpmmRowSpread(A), n, sizes, sizes.shape(rows, columns));
}

/// Calls use(tiling) for every shape that fits for `n` columns of C. C has elements.
template <class Use>
void for_each_tiling(const Device& device, const Inspection& A, std::int64_t n, const TiledScalars& scalars,
                     const Use& use) {
  using Policy = SpmmTiledPolicy;
  const SpmmRowSpread spread(A);
  static_for_each_form([&]<TileForm form>() {
    if (!form.is_possible(device.lane_width, scalars)) return;
    const TiledSizes sizes(device, form, scalars);
    const std::int64_t most_rows    = std::int64_t{sizes.groups} * sizes.rows;
    const std::int64_t column_tiles = ceiling_quotient(n, sizes.width);
    const std::int64_t least        = ceiling_quotient(A.rows, most_rows);
    std::int64_t last               = 0;
    for (std::int64_t turns = 0; turns <= Policy::most_turns; ++turns) {
      const std::int64_t blocks =
          std::min(A.rows, std::max<std::int64_t>(least, turns * device.processors / column_tiles));
      if (blocks == std::exchange(last, blocks)) continue;
      const std::int64_t rows    = ceiling_quotient(A.rows, blocks);
      const std::int64_t columns = columns_of_tile(device, A, sizes, rows, spread.fullest(rows));
      if (columns == 0 && A.columns > 0) continue;
      use(tiling_of(device, A, spread, n, sizes, sizes.shape(rows, std::max<std::int64_t>(1, columns))));
    }
  });
}

/// The best shape for `n` columns; one that does not fit where none does.
inline SpmmTiling choose_tiling(const Device& device, const Inspection& A, std::int64_t n,
                                const TiledScalars& scalars) {
  if (A.rows == 0 || n == 0) {
    const TiledSizes sizes(device, {16, 1}, scalars);
    return {sizes.form, sizes.shape(1, std::max<std::int64_t>(1, A.columns)), scalars.rounds_B(), 0};
  }
  SpmmTiling best;
  for_each_tiling(device, A, n, scalars, [&](const SpmmTiling& tiling) {
    if (tiling.seconds < best.seconds) best = tiling;
  });
  return best;
}

/// B is rounded to half precision where that may be and pays.
inline TiledScalars tiled_scalars(const Device& device, const Inspection& A, const SpmmRequest& request) {
  const TiledScalars full{request.scalar.bytes};
  if (!request.scalar.is_float() || request.precision != Precision::fp16) return full;
  const TiledScalars rounded{request.scalar.bytes, 2};
  const auto seconds = [&](const TiledScalars& scalars) {
    return choose_tiling(device, A, request.planned_columns(), scalars).seconds;
  };
  return seconds(rounded) < seconds(full) ? rounded : full;
}

/// What a search tries: the best shapes by the model, the best first.
inline std::vector<SpmmTiling> tilings_to_try(const Device& device, const Inspection& A, std::int64_t n,
                                              const TiledScalars& scalars) {
  using Policy = SpmmTiledPolicy;
  std::vector<SpmmTiling> tilings;
  if (A.rows == 0 || n == 0) return tilings;
  for_each_tiling(device, A, n, scalars, [&](const SpmmTiling& tiling) { tilings.push_back(tiling); });
  std::sort(tilings.begin(), tilings.end(),
            [](const SpmmTiling& a, const SpmmTiling& b) { return a.seconds < b.seconds; });
  while (!tilings.empty() && (tilings.size() > Policy::most_tried ||
                              tilings.back().seconds > Policy::least_promise * tilings.front().seconds))
    tilings.pop_back();
  return tilings;
}

}  // namespace lacuna::Impl

#endif
