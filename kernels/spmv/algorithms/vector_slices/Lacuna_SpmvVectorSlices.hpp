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
  /// Not below that of CSR where the gain is too small to count on: with a set-up, that is never taken.
  static Estimate of(const Device& device, const Inspection& A, const SpmvRequest& request,
                     const VectorSliceStatistics& statistics) {
    const double nonzeros = static_cast<double>(A.nonzeros);
    const double share =
        statistics.nonzeros > 0 ? nonzeros / static_cast<double>(statistics.nonzeros) : 0;  // in the sample
    const double on_diagonals = share * static_cast<double>(statistics.on_diagonals);
    const double bytes        = share * bytes_of(request, statistics);
    const double cut          = SpmvHostCostPolicy::cut_diagonal * on_diagonals +
                       SpmvHostCostPolicy::cut_gather * std::max(0.0, nonzeros - on_diagonals) +
                       SpmvHostCostPolicy::cut_row * static_cast<double>(A.rows);
    const double seconds = spmv_host_seconds(device, nanoseconds(device, A, request, statistics, share),
                                             bytes + spmv_vector_bytes(A, request));
    const double of_rows = spmv_host_rows_seconds(device, A, request);
    const bool gains     = seconds * SpmvHostCostPolicy::least_gain < of_rows;
    return {.call_seconds  = gains ? seconds : std::max(seconds, of_rows),
            .setup_seconds = spmv_host_seconds(device, cut, bytes),
            .bytes         = static_cast<std::size_t>(bytes),
            .reason        = "slices of 16 rows, about " + time_text(seconds) +
                      (gains || seconds > of_rows ? "" : ", too little less to count on") + ", " +
                      std::to_string(static_cast<int>(100 * static_cast<double>(statistics.on_diagonals) /
                                                      std::max(1.0, static_cast<double>(statistics.nonzeros)))) +
                      " % on diagonals, " + spmv_size_text(A, request, bytes + spmv_vector_bytes(A, request))};
  }

  /// Of one thread. The slice with the longest row is that of a thread alone.
  static double nanoseconds(const Device& device, const Inspection& A, const SpmvRequest& request,
                            const VectorSliceStatistics& statistics, double share) {
    const SpmvHostCosts costs = SpmvHostCostPolicy::of(device.vector_bytes);
    const double scale = spmv_host_scale(request), rows = VectorSliceStatistics::rows_per_slice;
    const double of_diagonal = costs.diagonal * static_cast<double>(request.scalar.bytes) / sizeof(double);
    const double entries     = rows * static_cast<double>(statistics.diagonals + statistics.gathers);
    const double padding     = std::max(0.0, entries - static_cast<double>(statistics.nonzeros));
    const double of_all      = share * (rows * (of_diagonal * static_cast<double>(statistics.diagonals) +
                                           scale * costs.gather * static_cast<double>(statistics.gathers) +
                                           SpmvHostCostPolicy::far * static_cast<double>(statistics.wide)) +
                                   costs.padding * padding) +
                          costs.slice_row * static_cast<double>(A.rows);
    const double of_one_slice = rows * scale * costs.gather * static_cast<double>(A.lengths.longest);
    return std::max(of_all, std::max(1, device.processors) * of_one_slice);
  }

  /// Of the sample.
  static double bytes_of(const SpmvRequest& request, const VectorSliceStatistics& statistics) {
    const double rows = VectorSliceStatistics::rows_per_slice;
    const auto steps  = static_cast<double>(statistics.diagonals + statistics.gathers);
    return rows * steps * static_cast<double>(request.scalar.bytes) +
           2 * rows * static_cast<double>(statistics.gathers) + static_cast<double>(2 * request.ordinal_bytes) * steps;
  }
};

}  // namespace lacuna::Impl

#endif
