// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWINDOW_HPP
#define LACUNA_DIAGONALWINDOW_HPP

#include <kernels/diagonal/algorithms/window/Lacuna_DiagonalWindowKernel.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalCost.hpp>

#include <algorithm>
#include <string>

namespace lacuna::Impl {

class DiagonalWindowStorage : public DiagonalStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    m_shape = diagonal_window_shape(context.request);
  }
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    if constexpr (runs_lane_kernels<ExecutionSpace>) diagonal_window(exec, arguments, m_shape);
  }

 private:
  DiagonalWindowShape m_shape;
};

/// \brief Narrow bands without gaps, in any scalar.
struct DiagonalWindow {
  static constexpr DiagonalAlgorithm id = DiagonalAlgorithm::window;
  using Policy                          = DiagonalWindowPolicy;

  static Support supports(const Device& device, const DiagonalRequest& request) {
    if (!device.has_lanes) return {"written for GPUs, hosts have gather"};
    if (!request.is_band())
      return {
          "there is a gap among the diagonals of A or B, or C has more diagonals than the product; there is gather"};
    if (request.dg_a > Policy::most_a || request.dg_b > Policy::most_b)
      return {"A and B have " + std::to_string(request.dg_a) + " and " + std::to_string(request.dg_b) +
              " diagonals, at most " + std::to_string(Policy::most_a) + " and " + std::to_string(Policy::most_b) +
              " are served; there is gather"};
    if (diagonal_window_scratch(diagonal_window_shape(request), request.scalar.bytes) > device.scratch)
      return {"does not fit the scratch of a team; there is gather"};
    return {};
  }
  /// Memory, and what of the reads from scratch is not hidden behind it; few rows wait for one another.
  static Estimate estimate(const Device& device, const NothingToInspect&, const DiagonalRequest& request) {
    const auto bytes    = static_cast<double>(request.scalar.bytes);
    const double memory = request.elements() * bytes / device.copy_rate;
    const double reads  = request.products() * bytes / (Policy::scratch_rate * device.gather_rate);
    const double serial = static_cast<double>(request.dg_a) * Policy::step_seconds;
    return {.call_seconds = device.launch_seconds + std::max(memory + reads, serial),
            .reason       = "reads A, B and writes C about once, sums in registers"};
  }
  template <class MemorySpace>
  using Storage = DiagonalWindowStorage;
};

}  // namespace lacuna::Impl

#endif
