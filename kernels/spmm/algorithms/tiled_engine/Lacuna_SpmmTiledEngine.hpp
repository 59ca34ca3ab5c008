// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDENGINE_HPP
#define LACUNA_SPMMTILEDENGINE_HPP

#include <kernels/spmm/algorithms/tiled_engine/Lacuna_SpmmTiledEngineStorage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace lacuna::Impl {

/// \brief Tiles as in `SpmmTiled`, multiplied by the matrix engine: factors in half precision (bfloat16 where A has
/// it), sums in float. For A and B of half precision, and for float at `Precision::fp16`.
///
/// Error of a sum of n products, relative to Σ|a||b|: the engine's truncating accumulator, at most (n + 8) 2^-23. For
/// float at fp16, 2^-10 more from rounding both factors, within half's range: factors below 2^-14 lose digits. A factor
/// beyond 65504, like Inf and NaN, makes its group of 16 rows be summed again in float; so do entries of one
/// place of an A of half precision whose sum that does not hold.
struct SpmmTiledEngine {
  static constexpr SpmmAlgorithm id = SpmmAlgorithm::tiled_engine;
  static constexpr bool on_engine   = true;
  static constexpr Stage needs      = Stage::lengths;
  using Policy                      = SpmmTiledEnginePolicy;

  static Support supports(const Device& device, const SpmmRequest& request) {
    const std::string subject = "algorithm tiled_engine ";
    if (const Support lanes = needs_lanes(device, id, "row_split"); !lanes) return lanes;
    if (!device.has_engine) return {subject + "on this device, there is tiled"};
    if (device.is_gpu && device.lane_width != 32) return {subject + "on wavefronts of 64 lanes, there is tiled"};
    const bool is_half = request.scalar.kind == ScalarKind::half;
    if (!is_half && !request.scalar.is_float()) return {subject + "for this scalar type, there is tiled"};
    if (!is_half && request.precision != Precision::fp16)
      return {"precision " + std::string(name(request.precision)) + " by tiled_engine for float, which has fp16"};
    if (request.asks_for(id) && request.row_order == RowOrder::clustered)
      return {"row order clustered by tiled_engine, which has natural"};
    return {};
  }

  /// Bound: reads of B from scratch, one for each active column of 16 rows, or the copies of B to there.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const double rows    = row_seconds(device, A, request);
    const std::int64_t n = request.planned_columns();
    Estimate result{
        .call_seconds  = Policy::loss * rows,
        .setup_seconds = 60 * device.launch_seconds + Policy::pack_seconds * static_cast<double>(A.nonzeros)};
    if (!device.is_gpu) return with(result, "it is for GPUs");
    const SpmmEngineTiling tiling = choose_engine_tiling(device, A, n);
    if (!tiling.fits()) return with(result, "no tile fits the scratch of a team");
    const double groups = static_cast<double>(ceiling_quotient(A.rows, EngineTileShape::group_rows));
    const double steps  = groups * engine_steps_of_group(A, A.mean(), tiling.tile_columns);
    const double copy   = request.scalar.bytes == 2 ? 0 : static_cast<double>(A.columns) * 2 * static_cast<double>(n);
    result.bytes = static_cast<std::size_t>(steps * sizeof(EngineStep<Half>) + copy) + tiling.slices_bytes(A.rows, n);
    result.call_seconds = tiling.seconds;
    // The model is of half precision, whose C caches may hold.
    if (copy > 0)
      result.call_seconds += device.launch_seconds + 3 * copy / (Policy::copy_share * device.copy_rate) +
                             4.0 * static_cast<double>(A.rows) * static_cast<double>(n) / device.copy_rate;
    return with(result, "tiles of " + std::to_string(tiling.groups * EngineTileShape::group_rows) + " rows and " +
                            std::to_string(tiling.tile_columns) + " columns, about " + time_text(result.call_seconds) +
                            " a product");
  }
  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmmRequest&, Stage) { return {}; }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  static constexpr bool has_kernels = runs_lane_kernels<ExecutionSpace> &&
                                      (!ExecutionTraits<ExecutionSpace>::is_gpu ||
                                       ExecutionTraits<ExecutionSpace>::lane_width == 32) &&
                                      (std::is_same_v<typename Matrix::non_const_value_type, float> ||
                                       scalar_properties<typename Matrix::non_const_value_type>().kind ==
                                           ScalarKind::half);
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<has_kernels<Matrix, ExecutionSpace>,
                                     SpmmTiledEngineStorage<Matrix, ExecutionSpace>, NoStorage<SpmmTiledEngine>>;

 private:
  static Estimate with(Estimate estimate, std::string reason) {
    estimate.reason = std::move(reason);
    return estimate;
  }
};

}  // namespace lacuna::Impl

#endif
