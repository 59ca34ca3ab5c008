// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWSPLIT_HPP
#define LACUNA_SPMVROWSPLIT_HPP

#include <kernels/spmv/algorithms/row_split/Lacuna_SpmvRowSplitPolicy.hpp>
#include <kernels/spmv/algorithms/row_split/Lacuna_SpmvRowSplitStorage.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvHostCost.hpp>

#include <algorithm>
#include <string>

namespace lacuna::Impl {

/// \brief The row kernels of SpMM for one column: CSR as it stands, rows sorted by length, or work items.
struct SpmvRowSplit {
  static constexpr SpmvAlgorithm id       = SpmvAlgorithm::row_split;
  static constexpr Stage needs            = Stage::lengths;
  static constexpr bool reads_values_of_A = true;
  using Policy                            = SpmvRowSplitPolicy;

  static Support supports(const Device&, const SpmvRequest&) { return {}; }

  /// Whether uneven rows are better sorted by length than cut into work items of nonzeros: what SpMM asks for N = 1,
  /// and rows are long, or everything is small. Rows of a few nonzeros here and there cost more than they save.
  static bool sorted_rows_pay(const Device& device, const Inspection& A, const SpmvRequest& request) {
    RowsStatistics rows;
    rows.rows        = A.rows;
    rows.mean        = A.mean();
    rows.concurrency = device.threads;
    return sorting_pays(rows, Policy::longest_of_team(A.lengths.longest), RowsShape(), 1, request.scalar.bytes) &&
           (spmv_crs_bytes(A, request) <= Policy::most_sorted_bytes || rows.mean >= Policy::long_sorted_mean);
  }

  /// Bound: bytes of CSR. Even rows stand as they are and need no set-up. The passes over the row map of uneven ones
  /// are paid back within `Policy::calls`.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
    if (!device.is_gpu) return spmv_host_rows_estimate(device, A, request);
    const double seconds = spmv_crs_seconds(device, A, request);
    const bool is_even   = static_cast<double>(A.lengths.longest) <= longest_even_row(A.mean());
    if (!is_even && !sorted_rows_pay(device, A, request))
      return {.call_seconds = Policy::uneven_loss * seconds,
              .reason       = "rows are uneven, the longest has " + std::to_string(A.lengths.longest)};
    const double bytes = spmv_crs_bytes(A, request);
    const double mine  = std::min((1 - 1e-3) * seconds,
                                  device.launch_seconds + bytes / (Policy::rate(bytes, A.mean()) * device.copy_rate));
    return {.call_seconds  = mine,
            .setup_seconds = is_even ? 0 : (static_cast<double>(Policy::calls) - 0.5) * (seconds - mine),
            .reason        = "rows of " + number_text(A.mean()) + " nonzeros" + (is_even ? "" : ", sorted by length") +
                      ", about " + time_text(mine)};
  }

  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmvRequest&, Stage) { return {}; }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvRowSplitStorage<Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
