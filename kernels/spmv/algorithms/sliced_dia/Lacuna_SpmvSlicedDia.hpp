// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSLICEDDIA_HPP
#define LACUNA_SPMVSLICEDDIA_HPP

#include <kernels/spmv/algorithms/sliced_dia/Lacuna_SpmvSlicedDiaPolicy.hpp>
#include <kernels/spmv/algorithms/sliced_dia/Lacuna_SpmvSlicedDiaStorage.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvSlices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// \brief Diagonals within slices of 32 rows, for meshes and banded matrices. Rows must be sorted.
struct SpmvSlicedDia {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::sliced_dia;
  static constexpr Stage needs      = Stage::diagonal_slices;
  using Policy                      = SpmvSlicedDiaPolicy;

  static Support supports(const Device& device, const SpmvRequest&) { return spmv_needs_lanes(device, id); }

  /// Bound: bytes of the diagonals.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
    const DiagonalSliceStatistics& statistics = *A.diagonal_slices;
    const std::string reason                  = cannot_pay(device, A, request);
    if (!reason.empty()) return spmv_never(reason);
    if (!statistics.possible) return spmv_never("rows are not sorted, or have a column twice");
    Estimate result = judge(device, A, request, static_cast<double>(statistics.bytes) + spmv_vector_bytes(A, request),
                            statistics.widest);
    result.bytes    = statistics.to_allocate;
    return result;
  }

  /// Before the sample: all entries of diagonals exist. Behind it: as many as in the slices that it saw.
  static OptimisticBound optimistic_bound(const Device& device, const Inspection& A, const SpmvRequest& request,
                                          Stage stage) {
    if (stage != Stage::diagonals && stage != needs) return {};
    const std::string reason = cannot_pay(device, A, request);
    if (!reason.empty()) return {{}, reason};
    if (stage == Stage::diagonals) return with_inspection(device, A, request, stage, 1.0);
    if (!A.diagonals) return {{}, "diagonals were not looked for"};
    if (!A.diagonals->possible) return {{}, "rows are not sorted, or have a column twice"};
    if (A.diagonals->fill <= 0) return {{}, "the slices that were looked at are empty"};
    return with_inspection(device, A, request, stage, A.diagonals->fill);
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<runs_lane_kernels<ExecutionSpace>, SpmvSlicedDiaStorage<Matrix, ExecutionSpace>,
                                     NoStorage<SpmvSlicedDia>>;

 private:
  /// Rows of a slice must be about equally long: it has at least as many diagonals as its longest row has nonzeros.
  static std::string cannot_pay(const Device& device, const Inspection& A, const SpmvRequest&) {
    if (!device.is_gpu) return "it is for GPUs";
    if (A.nonzeros == 0) return "there is nothing to store";
    // Widths are rounded up to chunks of 2.
    const std::int64_t least = A.lengths.slice_widths[1][0] - (A.rows + sliced_dia_rows - 1) / sliced_dia_rows;
    if (static_cast<double>(A.nonzeros) < Policy::evenness * sliced_dia_rows * static_cast<double>(least))
      return "neighbouring rows are not equally long";
    return {};
  }

  static OptimisticBound with_inspection(const Device& device, const Inspection& A, const SpmvRequest& request,
                                         Stage stage, double fill) {
    const double diagonals = static_cast<double>(A.nonzeros) / (sliced_dia_rows * fill);
    const double bytes =
        diagonals * static_cast<double>(sliced_dia_rows * request.scalar.bytes + 2 * request.ordinal_bytes);
    Estimate best           = stage == Stage::diagonals
                                  ? with_bytes(device, A, request, bytes + spmv_vector_bytes(A, request))
                                  : judge(device, A, request, bytes + spmv_vector_bytes(A, request), A.lengths.longest);
    best.bytes              = static_cast<std::size_t>(std::min(bytes, 1e18));
    const double inspection = inspection_seconds(stage, device, A);  // a part of the set-up
    if (best.setup_seconds > inspection) best.setup_seconds -= inspection;
    return {best, best.reason + "; not looked for"};
  }

  /// `bytes`: with the vectors. They must be clearly fewer than those of slices and of CSR, and the 32 lanes that walk
  /// the widest slice must not need longer than the device for everything.
  static Estimate judge(const Device& device, const Inspection& A, const SpmvRequest& request, double bytes,
                        std::int64_t widest) {
    const double other = std::min(spmv_crs_bytes(A, request), spmv_slices(device, A, request).bytes(A, request));
    if (static_cast<double>(widest) > spmv_fair_slot(device, A))
      return spmv_never("the widest slice (" + std::to_string(widest) + ") would outlast all others");
    const Estimate result = with_bytes(device, A, request, bytes);
    return bytes > Policy::gain * other ? spmv_never(result.reason) : result;
  }

  static Estimate with_bytes(const Device& device, const Inspection& A, const SpmvRequest& request, double bytes) {
    std::string reason = "diagonals within slices need " + spmv_size_text(A, request, bytes);
    if (A.diagonals && A.diagonals->unknowns > 1)
      reason += ", " + std::to_string(A.diagonals->unknowns) + " rows a node";
    return {.call_seconds  = spmv_seconds(device, Policy::time_by_bytes * bytes),
            .setup_seconds = Policy::setup_seconds + Policy::setup_calls * spmv_crs_seconds(device, A, request),
            .reason        = reason};
  }
};

}  // namespace lacuna::Impl

#endif
