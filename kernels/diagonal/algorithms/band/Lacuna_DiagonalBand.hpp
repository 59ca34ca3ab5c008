// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBAND_HPP
#define LACUNA_DIAGONALBAND_HPP

#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandKernel.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalCost.hpp>

namespace lacuna::Impl {

class DiagonalBandStorage : public DiagonalStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    m_shape = diagonal_band_shape(context.device, context.request);
  }
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    if constexpr (std::is_same_v<typename Arguments::Scalar, double> && runs_lane_kernels<ExecutionSpace>)
      diagonal_band(exec, arguments, m_shape);
  }

 private:
  DiagonalBandShape m_shape;
};

/// \brief Bands without gaps, in double, on the matrix engine.
struct DiagonalBand {
  static constexpr DiagonalAlgorithm id = DiagonalAlgorithm::band;

  static Support supports(const Device& device, const DiagonalRequest& request) {
    if (!device.has_lanes) return {"written for GPUs, hosts have gather"};
    if (!request.is_band())
      return {
          "there is a gap among the diagonals of A or B, or C has more diagonals than the product; there is gather"};
    if (!request.scalar.is_double()) return {"double alone is multiplied on the engine; there is gather"};
    if (!device.has_engine) return {"needs a matrix engine; there is gather"};
    if (diagonal_band_shape(device, request).rows == 0)
      return {"bands of " + std::to_string(request.dg_a) + " and " + std::to_string(request.dg_b) +
              " diagonals do not fit the scratch of a team; there is gather"};
    return {};
  }
  static Estimate estimate(const Device& device, const NothingToInspect&, const DiagonalRequest& request) {
    using Policy                  = DiagonalBandPolicy;
    const DiagonalBandShape shape = diagonal_band_shape(device, request);
    const double slices           = static_cast<double>(ceiling_quotient(request.rows, DiagonalBandShape::tall));
    const double steps            = shape.depth() / DiagonalBandShape::deep;
    const double step             = Policy::step_seconds * shape.columns / Policy::least_columns;
    const double work             = slices * shape.column_groups() * (Policy::item_seconds + steps * step);
    const double alone            = Policy::team_seconds + static_cast<double>(request.dg_a) * Policy::diagonal_seconds;
    return {.call_seconds = device.launch_seconds + alone + work / device.processors,
            .reason       = "reads A, B and writes C about once, sums on the matrix engine"};
  }

  template <class MemorySpace>
  using Storage = DiagonalBandStorage;
};

}  // namespace lacuna::Impl

#endif
