// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSLICES_HPP
#define LACUNA_SPMVSLICES_HPP

#include <core/impl/inspection/Lacuna_LengthStatistics.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvSlicesPolicy.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// How rows are cut into slots, and slots into chunks: the indices of `LengthStatistics::slice_widths`.
struct SpmvSlices {
  int chunk_choice = 0;
  int exponent     = 0;

  int segments() const { return 1 << exponent; }
  int chunk() const { return LengthStatistics::chunk(chunk_choice); }
  /// Bytes with the vectors, columns as 16-bit deltas; hops between far columns are not known.
  double bytes(const Inspection& A, const SpmvRequest& request) const {
    const double entries = 32.0 * static_cast<double>(A.lengths.slice_widths[chunk_choice][exponent]);
    const double slots   = static_cast<double>(A.rows) * segments();
    return entries * static_cast<double>(request.scalar.bytes + 2) +
           slots * static_cast<double>(request.ordinal_bytes) + spmv_vector_bytes(A, request);
  }
};

/// Slots of a row that keep the device busy: doubled until they fill `SpmvSlicesPolicy::fill` of its threads, as long
/// as every slot keeps `least_entries`. Chunks of 2 for short rows, where that saves enough padding.
inline SpmvSlices spmv_slices(const Device& device, const Inspection& A, const SpmvRequest& request) {
  using Policy = SpmvSlicesPolicy;
  SpmvSlices slices;
  const double wanted = Policy::fill(request.scalar.bytes) * static_cast<double>(device.threads);
  while (slices.exponent + 1 < LengthStatistics::segment_choices &&
         static_cast<double>(A.rows << slices.exponent) < wanted &&
         A.mean() / (2 << slices.exponent) >= Policy::least_entries)
    ++slices.exponent;
  if (A.mean() > Policy::short_mean) return slices;
  const SpmvSlices small{1, slices.exponent};
  const double gain = Policy::chunk_gain(request.scalar.bytes);
  return small.bytes(A, request) * gain < slices.bytes(A, request) ? small : slices;
}

/// Entries that one thread may have of a slice: it must not need longer than the device for everything.
inline double spmv_fair_slot(const Device& device, const Inspection& A) {
  return SpmvSlicesPolicy::longest_slot + 4.0 * static_cast<double>(A.nonzeros) / static_cast<double>(device.threads);
}

}  // namespace lacuna::Impl

#endif
