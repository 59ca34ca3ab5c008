// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPUBLISHED_HPP
#define LACUNA_SPMVPUBLISHED_HPP

#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>

namespace lacuna::Impl {

/// What the algorithms of paper 002 have in common: `automatic` never takes them.
struct SpmvPublished {
  static constexpr Stage needs = Stage::lengths;
  /// Time over that of CSR: not tuned, high enough that other algorithms are taken.
  static constexpr double loss = 4;

  static Support supports(const Device&, const SpmvRequest&) { return {}; }
  static Estimate estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
    return {.call_seconds = loss * spmv_crs_seconds(device, A, request), .reason = "published; asked for by name only"};
  }
  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmvRequest&, Stage) { return {}; }
};

}  // namespace lacuna::Impl

#endif
