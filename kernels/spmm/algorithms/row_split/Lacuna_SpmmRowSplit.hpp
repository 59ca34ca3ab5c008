// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWSPLIT_HPP
#define LACUNA_SPMMROWSPLIT_HPP

#include <kernels/spmm/algorithms/row_split/Lacuna_SpmmRowSplitStorage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <cstdint>
#include <string>

namespace lacuna::Impl {

/// \brief Rows of CSR on the scalar units, each nonzero times a row of B. Even rows are taken as they stand; uneven
/// ones sorted by length, or cut into work items of equally many nonzeros. It needs no format and serves everything.
struct SpmmRowSplit {
  static constexpr SpmmAlgorithm id       = SpmmAlgorithm::row_split;
  static constexpr bool on_engine         = false;
  static constexpr Stage needs            = Stage::lengths;
  static constexpr bool reads_values_of_A = true;

  static Support supports(const Device&, const SpmmRequest& request) {
    if (!request.asks_for(id)) return {};  // automatic may take it in place of lower precisions
    if (request.is_reduced())
      return {"precision " + std::string(name(request.precision)) + " by row_split, which has full"};
    if (request.row_order == RowOrder::clustered) return {"row order clustered by row_split, which has natural"};
    return {};
  }

  /// Bound: rows of B out of the caches, one for each nonzero.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const double seconds = row_seconds(device, A, request);
    return {.call_seconds = seconds,
            .reason = "rows of " + number_text(A.mean()) + " nonzeros, about " + time_text(seconds) + " a product"};
  }

  /// Panels tell whether columns are random; long rows are then faster than others. Without this inspection `tiled`
  /// would be taken where row_split is faster.
  /// Evidence: kernels/spmm/tuning.md.
  static OptimisticBound optimistic_bound(const Device& device, const Inspection& A, const SpmmRequest& request,
                                          Stage stage) {
    const std::int64_t n = request.planned_columns();
    if (stage != Stage::panels || A.panels || !device.is_gpu || !even_rows_are_long(device, A, request, n)) return {};
    return {Estimate{.call_seconds = long_row_seconds(device, A, request, n)}, {}};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmmRowSplitStorage<Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
