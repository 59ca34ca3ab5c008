// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHRPB_HPP
#define LACUNA_SPMMHRPB_HPP

#include <kernels/spmm/published/hrpb/Lacuna_SpmmHrpbStorage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace lacuna::Impl {

/// \brief Row-panel bricks on the matrix engine as published (Xiang et al., cuTeSpMM).
struct SpmmHrpb {
  static constexpr SpmmAlgorithm id = SpmmAlgorithm::hrpb;
  static constexpr bool on_engine   = true;
  static constexpr Stage needs      = Stage::lengths;
  /// Time over that of row_split.
  /// Evidence: kernels/spmm/tuning.md.
  static constexpr double loss = 3;

  static Support supports(const Device& device, const SpmmRequest& request) {
    if (const Support lanes = needs_lanes(device, id, "row_split"); !lanes) return lanes;
    if (!device.has_engine || !(request.scalar.is_float() || request.scalar.is_double()))
      return {"algorithm hrpb for this scalar type, there is row_split"};
    if (request.is_reduced() && request.precision != Precision::tf32)
      return {"precision " + std::string(name(request.precision)) + " by hrpb, which has full and tf32"};
    if (request.asks_for(id) && request.row_order == RowOrder::clustered)
      return {"row order clustered by hrpb, which has natural"};
    if (request.panel_rows > 0 && request.panel_rows < 16)
      return {"panels of " + std::to_string(request.panel_rows) + " rows by hrpb, which has 16 and 32"};
    return {};
  }

  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    return {.call_seconds = loss * row_seconds(device, A, request),
            .reason       = "slower than row_split or bricks wherever measured"};
  }
  static std::vector<SpmmShape> shapes(const Device&, const Inspection&, const SpmmRequest& request) {
    return request.panel_rows == 0 ? std::vector<SpmmShape>{{.rows = 32}} : std::vector<SpmmShape>();
  }
  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmmRequest&, Stage) { return {}; }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  static constexpr bool has_kernels = runs_lane_kernels<ExecutionSpace> &&
                                      (std::is_same_v<typename Matrix::non_const_value_type, float> ||
                                       std::is_same_v<typename Matrix::non_const_value_type, double>);
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<has_kernels<Matrix, ExecutionSpace>, SpmmHrpbStorage<Matrix, ExecutionSpace>,
                                     NoStorage<SpmmHrpb>>;
};

}  // namespace lacuna::Impl

#endif
