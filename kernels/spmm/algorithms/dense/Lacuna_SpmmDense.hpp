// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMDENSE_HPP
#define LACUNA_SPMMDENSE_HPP

#include <kernels/spmm/algorithms/dense/Lacuna_SpmmDensePolicy.hpp>
#include <kernels/spmm/algorithms/dense/Lacuna_SpmmDenseStorage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <limits>
#include <string>

namespace lacuna::Impl {

/// \brief op(A) as a dense matrix, times B by the vendor's dense product (cuBLAS, rocBLAS; on hosts a plain loop).
/// Zeros are multiplied too: NaN and Inf of B reach every row of C. `automatic` takes it only where
/// `SpmmOptions::allow_dense` is set; else the report says what it would take.
struct SpmmDense {
  static constexpr SpmmAlgorithm id = SpmmAlgorithm::dense;
  static constexpr bool on_engine   = true;
  static constexpr Stage needs      = Stage::lengths;

  static Support supports(const Device& device, const SpmmRequest& request) {
    if (!device.has_gemm) return {"algorithm dense: this build has no library for dense products on this device"};
    if (!request.asks_for(id)) return {};
    if (request.is_reduced() && !device.has_reduced_gemm)
      return {"precision " + std::string(name(request.precision)) + " by dense on this device, which has full"};
    if (request.row_order == RowOrder::clustered) return {"row order clustered by dense, which has natural"};
    return {};
  }

  /// Bound: flops, or the bytes of the copy where N is small.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    using Policy         = SpmmDensePolicy;
    const double seconds = Policy::seconds(device, A, request), rows = row_seconds(device, A, request);
    const double bytes = Policy::bytes_of_copy(A, request);
    Estimate result;
    result.call_seconds  = seconds;
    result.setup_seconds = Policy::setup_seconds(device, A, request);
    result.bytes         = bytes < 1e18 ? static_cast<std::size_t>(bytes) : unlimited;
    result.reason        = "as a dense matrix of " + bytes_text(bytes) + " about " + time_text(seconds) + " a product";
    if (seconds < rows) result.reason += ", " + number_text(rows / seconds) + " times faster than row_split";
    if (request.allow_dense) return result;
    // Never the least; what it would gain is said.
    if (seconds < rows) result.reason += ": SpmmOptions::allow_dense takes it";
    result.call_seconds = result.setup_seconds = std::numeric_limits<double>::infinity();
    return result;
  }

  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmmRequest&, Stage) { return {}; }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<ExecutionTraits<ExecutionSpace>::has_gemm,
                                     SpmmDenseStorage<Matrix, ExecutionSpace>, NoStorage<SpmmDense>>;
};

}  // namespace lacuna::Impl

#endif
