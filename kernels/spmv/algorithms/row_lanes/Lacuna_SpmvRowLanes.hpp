// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWLANES_HPP
#define LACUNA_SPMVROWLANES_HPP

#include <kernels/spmv/algorithms/row_lanes/Lacuna_SpmvRowLanesKernel.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// \brief CSR, loads of 16 bytes contiguous over the lanes of a row. It needs no set-up.
struct SpmvRowLanes {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::row_lanes;
  static constexpr Stage needs      = Stage::lengths;
  using Policy                      = SpmvRowLanesPolicy;

  static Support supports(const Device& device, const SpmvRequest&) { return spmv_needs_lanes(device, id); }

  /// Bound: bytes of CSR. A row that is much longer than the mean keeps its warp for long.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
    if (!device.is_gpu) return spmv_never("it is for GPUs");
    const bool even = static_cast<double>(A.lengths.longest) <= Policy::even_factor * A.mean() + Policy::even_margin;
    const double seconds = spmv_crs_seconds(device, A, request);
    if (!even)
      return {.call_seconds = Policy::uneven_loss * seconds,
              .reason       = "rows are uneven, the longest has " + std::to_string(A.lengths.longest)};
    return {.call_seconds = seconds,
            .reason = "rows of " + number_text(A.mean()) + " nonzeros as they stand, about " + time_text(seconds)};
  }

  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmvRequest&, Stage) { return {}; }

  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_row_lanes(exec, A, arguments, shape);
  }

  template <CrsMatrixType, class ExecutionSpace>
  using Storage =
      std::conditional_t<runs_lane_kernels<ExecutionSpace>, SpmvCsrStorage<SpmvRowLanes>, NoStorage<SpmvRowLanes>>;
};

}  // namespace lacuna::Impl

#endif
