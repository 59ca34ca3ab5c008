// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTRIPS_HPP
#define LACUNA_DIAGONALSTRIPS_HPP

#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStripsStorage.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalCost.hpp>

namespace lacuna::Impl {

/// \brief Many diagonals: A in scratch, all of it or in passes, pairs of diagonals listed beforehand.
struct DiagonalStrips {
  static constexpr DiagonalAlgorithm id        = DiagonalAlgorithm::strips;
  static constexpr bool goes_by_diagonals_of_c = true;

  static Support supports(const Device& device, const DiagonalRequest& request) {
    if (!device.has_lanes) return {"written for GPUs, hosts have gather"};
    if (request.rows + request.inner + request.columns > std::numeric_limits<int>::max())
      return {"numbers rows by 31 bits; there is gather"};
    if (diagonal_strips_shape(device, request).rows_per_lane == 0)
      return {std::to_string(request.dg_a) +
              " diagonals of A do not fit the scratch of a team, nor pay in passes; there is gather"};
    return {};
  }
  static Estimate estimate(const Device& device, const NothingToInspect&, const DiagonalRequest& request) {
    // The lists: an allocation, and four launches.
    const double set_up       = device.allocate_seconds + 4 * device.launch_seconds;
    const std::int64_t passes = diagonal_strips_shape(device, request).passes;
    const std::int64_t lists  = passes * request.dg_c;
    const auto bytes          = static_cast<double>(request.scalar.bytes);
    const double passes_of_c  = 2 * static_cast<double>(passes - 1);
    const double seconds_of_c =
        static_cast<double>(request.dg_c) * static_cast<double>(request.rows) * bytes * passes_of_c / device.copy_rate;
    Estimate estimate{
        .call_seconds  = DiagonalStripsPolicy::team_seconds + diagonal_seconds(device, request, bytes) + seconds_of_c,
        .setup_seconds = set_up,
        .reason = passes > 1 ? "reads B anew for every diagonal of C, takes A in " + std::to_string(passes) + " passes"
                             : "reads B anew for every diagonal of C"};
    estimate.bytes =
        static_cast<std::size_t>(diagonal_map_elements(lists)) * sizeof(std::int64_t) +
        static_cast<std::size_t>(diagonal_pair_elements(request.dg_a, request.dg_b, lists)) * sizeof(std::uint32_t) +
        3 * 256;
    return estimate;
  }

  template <class MemorySpace>
  using Storage = DiagonalStripsStorage<MemorySpace>;
};

}  // namespace lacuna::Impl

#endif
