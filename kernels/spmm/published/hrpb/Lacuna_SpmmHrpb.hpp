// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHRPB_HPP
#define LACUNA_SPMMHRPB_HPP

#include <kernels/spmm/published/hrpb/Lacuna_SpmmHrpbModel.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_SpmmHrpbStorage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmEngineModel.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lacuna::Impl {

/// \brief Row-panel bricks on the matrix engine as published (Xiang et al., cuTeSpMM).
struct SpmmHrpb {
  static constexpr SpmmAlgorithm id = SpmmAlgorithm::hrpb;
  static constexpr bool on_engine   = true;
  static constexpr Stage needs      = Stage::tall_panels;
  using Policy                      = SpmmHrpbPolicy;

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

  /// By the synergy of the matrix in panels of 16 rows, whatever height is asked for: no plan counts those of 32.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    return estimate_of(device, A, *A.tall_panels, request, "");
  }
  static std::vector<SpmmShape> shapes(const Device&, const Inspection&, const SpmmRequest& request) {
    return request.panel_rows == 0 ? std::vector<SpmmShape>{{.rows = 32}} : std::vector<SpmmShape>();
  }
  /// No panel of 16 rows has fewer active columns than half of those of its two halves, nor than one of them.
  static OptimisticBound optimistic_bound(const Device& device, const Inspection& A, const SpmmRequest& request,
                                          Stage stage) {
    if (stage != needs) return {};
    std::string reason = engine_cannot_pay(device, A, request);
    if (!reason.empty()) return {{}, reason};
    if (!A.panels) return {{}, "its panels were not looked at"};
    const std::int64_t panels  = ceiling_quotient(A.rows, std::int64_t{16});
    const std::int64_t columns = ceiling_quotient(A.panels->active_columns, std::int64_t{2});
    const std::int64_t bricks  = ceiling_quotient(columns, std::int64_t{4});
    const TallPanelStatistics best{16,     panels, A.panels->longest_panel, ceiling_quotient(columns, std::int64_t{16}),
                                   bricks, bricks};
    Estimate estimate = estimate_of(device, A, best, request, "at best ");
    reason            = estimate.reason;
    return {std::move(estimate), std::move(reason)};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  static constexpr bool has_kernels = runs_lane_kernels<ExecutionSpace> &&
                                      (std::is_same_v<typename Matrix::non_const_value_type, float> ||
                                       std::is_same_v<typename Matrix::non_const_value_type, double>);
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<has_kernels<Matrix, ExecutionSpace>, SpmmHrpbStorage<Matrix, ExecutionSpace>,
                                     NoStorage<SpmmHrpb>>;

 private:
  static Estimate estimate_of(const Device& device, const Inspection& A, const TallPanelStatistics& panels,
                              const SpmmRequest& request, const std::string& words) {
    const double seconds = device.is_gpu
                               ? hrpb_terms(device, A, panels, request, request.planned_columns()).seconds(device)
                               : Policy::emulated_loss * row_seconds(device, A, request);
    // Blocks, and where each nonzero went.
    const double bytes =
        hrpb_packed_bytes(panels, A.nonzeros, request.scalar.bytes) + 8.0 * static_cast<double>(A.nonzeros);
    return {.call_seconds  = Policy::caution * seconds,
            .setup_seconds = Policy::setup_seconds + Policy::nonzero_seconds * static_cast<double>(A.nonzeros),
            .bytes         = static_cast<std::size_t>(bytes),
            .reason =
                words + synergy_text(synergy_of(panels, A.nonzeros)) + ", about " + time_text(seconds) + " a product"};
  }
};

}  // namespace lacuna::Impl

#endif
