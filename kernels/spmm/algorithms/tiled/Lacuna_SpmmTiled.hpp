// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILED_HPP
#define LACUNA_SPMMTILED_HPP

#include <kernels/spmm/algorithms/tiled/Lacuna_SpmmTiledStorage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace lacuna::Impl {

/// \brief Tiles of A and the rows of B that they name through scratch: for matrices without structure, such as pruned
/// networks, times many columns.
///
/// For float at fp16, B is rounded to half precision where that pays: 2^-11 Σ|a||b| more, and factors of B below 2^-14
/// lose digits. Where one beyond 65504, like Inf and NaN, meets a nonzero, the sums of the warp are made again in
/// float.
struct SpmmTiled {
  static constexpr SpmmAlgorithm id = SpmmAlgorithm::tiled;
  static constexpr bool on_engine   = false;
  static constexpr Stage needs      = Stage::lengths;
  using Policy                      = SpmmTiledPolicy;

  static Support supports(const Device& device, const SpmmRequest& request) {
    if (const Support lanes = needs_lanes(device, id, "row_split"); !lanes) return lanes;
    if (!request.asks_for(id)) return {};
    if (request.is_reduced() && request.precision != Precision::fp16)
      return {"precision " + std::string(name(request.precision)) + " by tiled, which has full and fp16"};
    if (request.row_order == RowOrder::clustered) return {"row order clustered by tiled, which has natural"};
    return {};
  }

  /// Bound: reads of B from scratch, one for each nonzero, or the copies of B to there, one for each block of rows.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const double rows = row_seconds(device, A, request);
    Estimate result{.call_seconds = Policy::loss * rows, .setup_seconds = 60 * device.launch_seconds};
    result.bytes = static_cast<std::size_t>(tiled_entry_bytes(request.scalar.bytes) * A.nonzeros);
    if (!device.is_gpu) return with(result, "it is for GPUs");
    const TiledScalars scalars = tiled_scalars(device, A, request);
    const SpmmTiling tiling    = choose_tiling(device, A, request.planned_columns(), scalars);
    if (!tiling.fits()) return with(result, "no tile fits the scratch of a team");
    if (scalars.rounds_B())
      result.bytes +=
          scalars.B * static_cast<std::size_t>(A.columns * packed_row(request.planned_columns(), scalars.B));
    const bool few_nonzeros =
        columns_are_random(A) && density_of(A) <= Policy::few_nonzeros && request.scalar.bytes >= sizeof(float);
    result.call_seconds = Policy::correction(request.columns, few_nonzeros) * tiling.seconds;
    return with(result, "tiles of " + std::to_string(tiling.tile.rows) + " rows and " +
                            std::to_string(tiling.tile.columns) + " columns, about " + time_text(tiling.seconds) +
                            " a product");
  }
  /// The first of the tilings is the policy's own.
  static std::vector<SpmmShape> shapes(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const auto tilings = tilings_to_try(device, A, request.planned_columns(), tiled_scalars(device, A, request));
    std::vector<SpmmShape> shapes;
    for (std::size_t i = 1; i < tilings.size(); ++i)
      shapes.push_back({.rows    = tilings[i].tile.rows,
                        .columns = tilings[i].tile.columns,
                        .load    = tilings[i].form.load,
                        .packs   = tilings[i].form.packs});
    return shapes;
  }
  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmmRequest&, Stage) { return {}; }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<runs_lane_kernels<ExecutionSpace>, SpmmTiledStorage<Matrix, ExecutionSpace>,
                                     NoStorage<SpmmTiled>>;

 private:
  static Estimate with(Estimate estimate, std::string reason) {
    estimate.reason = std::move(reason);
    return estimate;
  }
};

}  // namespace lacuna::Impl

#endif
