// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVNONZEROSPLIT_HPP
#define LACUNA_SPMVNONZEROSPLIT_HPP

#include <kernels/spmv/algorithms/nonzero_split/Lacuna_SpmvNonzeroSplitStorage.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvHostCost.hpp>

#include <string>

namespace lacuna::Impl {

/// \brief CSR cut into work items of equally many nonzeros; cuts and row ends are kept. Hosts walk rows, balanced by
/// nonzeros, and keep nothing.
struct SpmvNonzeroSplit {
  static constexpr SpmvAlgorithm id       = SpmvAlgorithm::nonzero_split;
  static constexpr Stage needs            = Stage::lengths;
  static constexpr bool reads_values_of_A = true;

  static Support supports(const Device&, const SpmvRequest&) { return {}; }

  /// Bound: bytes of CSR. The set-up is left out: where rows are uneven the alternative loses more in a few calls.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
    if (!device.is_gpu) return spmv_host_rows_estimate(device, A, request);
    const double seconds = spmv_crs_seconds(device, A, request);
    return {.call_seconds = seconds, .reason = "equal shares of nonzeros, about " + time_text(seconds)};
  }

  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmvRequest&, Stage) { return {}; }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvNonzeroSplitStorage<Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
