// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMBRICKS_HPP
#define LACUNA_SPMMBRICKS_HPP

#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBricksStorage.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace lacuna::Impl {

/// \brief Bricks of 8 × 4 on the matrix engine, C^T = B^T A^T, in natural order of rows or gathered in panels by the
/// columns that they share.
struct SpmmBricks {
  static constexpr SpmmAlgorithm id = SpmmAlgorithm::bricks;
  static constexpr bool on_engine   = true;
  static constexpr Stage needs      = Stage::panels;
  using Policy                      = SpmmBrickPolicy;

  static Support supports(const Device& device, const SpmmRequest& request) {
    if (const Support lanes = needs_lanes(device, id, "row_split"); !lanes) return lanes;
    if (!device.has_engine || !(request.scalar.is_float() || request.scalar.is_double()))
      return {"algorithm bricks for this scalar type, there is row_split"};
    if (request.panel_rows > 0 && request.panel_rows != 8 && request.panel_rows != 16)
      return {"panels of " + std::to_string(request.panel_rows) + " rows by bricks, which has 8 and 16"};
    return {};
  }

  /// Bound: rows of B out of the second-level cache, one for each active column of a panel.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const auto natural = estimate_engine(device, A, request);
    Estimate result{
        .call_seconds  = natural.seconds,
        .setup_seconds = Policy::setup_seconds + Policy::setup_calls * row_seconds(device, A, request, 128),
        .bytes  = SpmmBrickBytes::of(*A.panels, A.nonzeros, request.scalar.bytes, brick_panel_rows(device, A, request)),
        .reason = natural.reason};
    if (!A.clusters || !bricks_take_clusters(device, A, request)) return result;
    const double share   = A.clusters->share_of_columns;
    const auto clustered = clustered_seconds(device, A, request, share);
    result.call_seconds  = clustered.seconds;
    result.setup_seconds += inspection_seconds(Stage::clusters, device, A);
    result.reason = clustered.reason + " in another order of rows";
    return result;
  }

  static std::vector<SpmmShape> shapes(const Device& device, const Inspection& A, const SpmmRequest& request) {
    if (request.panel_rows > 0) return {};
    return {{.rows = brick_panel_rows(device, A, request) == Policy::panel_rows ? Policy::tall_panel_rows
                                                                                : Policy::panel_rows}};
  }
  static OptimisticBound optimistic_bound(const Device& device, const Inspection& A, const SpmmRequest& request,
                                          Stage stage) {
    if (stage == needs) {
      const std::string reason = engine_cannot_pay(device, A, request);
      if (!reason.empty()) return {{}, reason};
      const double best = row_seconds(device, A, request) / (1 + SpmmEnginePolicy::most_gain);
      return {Estimate{.call_seconds = best, .setup_seconds = Policy::setup_seconds}, "not looked for"};
    }
    if (stage != Stage::clusters || !A.panels || !clustering_may_help(device, A, request)) return {};
    Estimate best      = estimate(device, A, request);
    const auto at_best = clustered_seconds(device, A, request, Policy::best_cluster_share);
    best.call_seconds  = std::min(best.call_seconds, at_best.seconds);
    return {best, at_best.reason};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  static constexpr bool has_kernels = runs_lane_kernels<ExecutionSpace> &&
                                      (std::is_same_v<typename Matrix::non_const_value_type, float> ||
                                       std::is_same_v<typename Matrix::non_const_value_type, double>);
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<has_kernels<Matrix, ExecutionSpace>, SpmmBricksStorage<Matrix, ExecutionSpace>,
                                     NoStorage<SpmmBricks>>;
};

}  // namespace lacuna::Impl

#endif
