// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSELL_HPP
#define LACUNA_SPMVSELL_HPP

#include <kernels/spmv/algorithms/sell/Lacuna_SpmvSellPolicy.hpp>
#include <kernels/spmv/algorithms/sell/Lacuna_SpmvSellStorage.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvSlices.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// \brief Slices of rows, columns as 16-bit deltas where that is possible, one or more lanes a row: fewer bytes than
/// CSR.
struct SpmvSell {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::sell;
  static constexpr Stage needs      = Stage::slices;
  using Policy                      = SpmvSellPolicy;

  static Support supports(const Device& device, const SpmvRequest&) { return spmv_needs_lanes(device, id); }

  /// Bound: bytes of the slices.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
    const std::string reason = cannot_pay(device, A, request);
    if (!reason.empty()) return spmv_never(reason);
    Estimate result =
        with_bytes(device, A, request, static_cast<double>(A.slices->bytes) + spmv_vector_bytes(A, request));
    result.bytes = A.slices->to_allocate;
    return result;
  }

  /// Lengths tell all but hops between far columns, and whether rows are sorted.
  static OptimisticBound optimistic_bound(const Device& device, const Inspection& A, const SpmvRequest& request,
                                          Stage stage) {
    if (stage != needs) return {};
    const std::string reason = cannot_pay(device, A, request);
    if (!reason.empty()) return {{}, reason};
    const double bytes      = spmv_slices(device, A, request).bytes(A, request);
    Estimate best           = with_bytes(device, A, request, bytes);
    best.bytes              = static_cast<std::size_t>(bytes - spmv_vector_bytes(A, request));
    const double inspection = inspection_seconds(needs, device, A);  // a part of the set-up
    if (best.setup_seconds > inspection) best.setup_seconds -= inspection;
    return {best, best.reason + "; not looked for"};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<runs_lane_kernels<ExecutionSpace>, SpmvSellStorage<Matrix, ExecutionSpace>,
                                     NoStorage<SpmvSell>>;

 private:
  static std::string cannot_pay(const Device& device, const Inspection& A, const SpmvRequest& request) {
    if (!device.is_gpu) return "it is for GPUs";
    if (A.nonzeros == 0) return "there is nothing to store";
    const double longest = static_cast<double>(A.lengths.longest) / spmv_slices(device, A, request).segments();
    if (longest <= spmv_fair_slot(device, A)) return {};
    return "the longest row (" + std::to_string(A.lengths.longest) + ") would outlast all others";
  }

  /// `bytes`: with the vectors.
  static Estimate with_bytes(const Device& device, const Inspection& A, const SpmvRequest& request, double bytes) {
    const double share = Policy::time_by_bytes(bytes, A.mean(), static_cast<double>(A.lengths.longest));
    return {.call_seconds  = Policy::extra_seconds + spmv_seconds(device, share * bytes),
            .setup_seconds = Policy::setup_seconds + Policy::setup_calls * spmv_crs_seconds(device, A, request),
            .reason        = "slices with " + std::to_string(spmv_slices(device, A, request).segments()) +
                      " slots a row need " + spmv_size_text(A, request, bytes)};
  }
};

}  // namespace lacuna::Impl

#endif
