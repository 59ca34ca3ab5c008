// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMGCOO_HPP
#define LACUNA_SPMMGCOO_HPP

#include <kernels/spmm/published/gcoo/Lacuna_SpmmGcooStorage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lacuna::Impl {

/// \brief Groups of rows in coordinate storage, as published (Shi, Wang, Chu, Algorithm 2).
struct SpmmGcoo {
  static constexpr SpmmAlgorithm id = SpmmAlgorithm::gcoo;
  static constexpr bool on_engine   = false;
  static constexpr Stage needs      = Stage::lengths;
  using Policy                      = SpmmGcooPolicy;

  static Support supports(const Device&, const SpmmRequest& request) {
    if (!request.asks_for(id)) return {};
    if (request.is_reduced()) return {"precision " + std::string(name(request.precision)) + " by gcoo, which has full"};
    if (request.row_order == RowOrder::clustered) return {"row order clustered by gcoo, which has natural"};
    return {};
  }

  /// Bound: elements of B out of the caches, one for each column of a group.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    return {.call_seconds = Policy::loss * row_seconds(device, A, request),
            .reason       = "slower than row_split wherever measured"};
  }
  /// p and b, but for those that were asked for.
  static std::vector<SpmmShape> shapes(const Device&, const Inspection&, const SpmmRequest& request) {
    std::vector<SpmmShape> shapes;
    for (const std::int64_t rows : Policy::searched_rows)
      for (const int threads : Policy::searched_threads)
        if ((request.panel_rows == 0 || request.panel_rows == rows) &&
            (request.team_size == 0 || request.team_size == threads))
          shapes.push_back({.rows = rows, .threads = threads});
    return shapes;
  }
  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmmRequest&, Stage) { return {}; }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmmGcooStorage<Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
