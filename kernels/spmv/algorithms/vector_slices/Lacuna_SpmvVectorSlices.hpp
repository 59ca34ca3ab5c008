// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVVECTORSLICES_HPP
#define LACUNA_SPMVVECTORSLICES_HPP

#include <kernels/spmv/algorithms/vector_slices/Lacuna_SpmvVectorSlicesStorage.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvHostCost.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// \brief SELL-16 for hosts: lane j of a SIMD register holds row j of a slice. Slices store diagonals
/// where neighbouring rows have them, and 16-bit columns elsewhere. Rows are sorted by length where
/// neighbouring rows differ in length.
struct SpmvVectorSlices {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::vector_slices;
  static constexpr Stage needs      = Stage::vector_slices;

  static Support supports(const Device& device, const SpmvRequest&) { return spmv_needs_host(device, id); }

  static Estimate estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
    return of(device, A, request, *A.vector_slices);
  }

  /// At best all entries lie on diagonals.
  static OptimisticBound optimistic_bound(const Device& device, const Inspection& A, const SpmvRequest& request,
                                          Stage stage) {
    if (stage != needs) return {};
    VectorSliceStatistics best;
    best.diagonals    = A.nonzeros / VectorSliceStatistics::rows_per_slice + 1;
    best.on_diagonals = best.nonzeros = A.nonzeros;
    const Estimate at_best            = of(device, A, request, best);
    return {at_best, at_best.reason + "; not looked for" +
                         (request.expected_calls ? "" : ", SpmvOptions::expected_calls may make it pay")};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<ExecutionTraits<ExecutionSpace>::is_gpu, NoStorage<SpmvVectorSlices>,
                                     SpmvVectorSlicesStorage<Matrix, ExecutionSpace>>;

 private:
  static Estimate of(const Device& device, const Inspection& A, const SpmvRequest& request,
                     const VectorSliceStatistics& found) {
    const SpmvHostCosts costs = SpmvHostCostPolicy::of(device.vector_bytes);
    const double nonzeros = static_cast<double>(A.nonzeros), scale = spmv_host_scale(request);
    const double share   = found.nonzeros > 0 ? nonzeros / static_cast<double>(found.nonzeros) : 0;  // in the sample
    const double rows    = VectorSliceStatistics::rows_per_slice;
    const double entries = rows * share * static_cast<double>(found.diagonals + found.gathers);
    const double time    = rows * share *
                            (costs.diagonal * static_cast<double>(request.scalar.bytes) / sizeof(double) *
                                 static_cast<double>(found.diagonals) +
                             scale * (costs.gather * static_cast<double>(found.gathers - found.wide) +
                                      costs.wide * static_cast<double>(found.wide))) +
                        costs.slice_row * static_cast<double>(A.rows);
    const double on_diagonals = share * static_cast<double>(found.on_diagonals);
    const double set_up       = SpmvHostCostPolicy::cut_diagonal * on_diagonals +
                          SpmvHostCostPolicy::cut_gather * std::max(0.0, nonzeros - on_diagonals);
    const double bytes =
        entries * static_cast<double>(request.scalar.bytes) +
        share * (2 * rows * static_cast<double>(found.gathers) +
                 static_cast<double>(2 * request.ordinal_bytes) * static_cast<double>(found.diagonals + found.gathers));
    const double seconds = spmv_host_seconds(device, time, bytes + spmv_vector_bytes(A, request));
    return {.call_seconds  = seconds,
            .setup_seconds = spmv_host_seconds(device, set_up, bytes),
            .bytes         = static_cast<std::size_t>(bytes),
            .reason        = "slices of 16 rows, about " + time_text(seconds) + ", " +
                      std::to_string(static_cast<int>(100 * static_cast<double>(found.on_diagonals) /
                                                      std::max(1.0, static_cast<double>(found.nonzeros)))) +
                      " % on diagonals, " + spmv_size_text(A, request, bytes + spmv_vector_bytes(A, request))};
  }
};

}  // namespace lacuna::Impl

#endif
