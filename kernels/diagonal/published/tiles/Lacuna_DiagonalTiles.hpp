// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALTILES_HPP
#define LACUNA_DIAGONALTILES_HPP

#include <kernels/diagonal/published/tiles/Lacuna_DiagonalTilesKernel.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalCost.hpp>

namespace lacuna::Impl {

struct DiagonalTilesStorage : DiagonalStorage {
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    if constexpr (Arguments::Operand::wraps) diagonal_tiles(exec, arguments);
  }
};

/// \brief 003, 6.1, algorithm 1, for CDM.
struct DiagonalTiles : DiagonalPublished {
  static constexpr DiagonalAlgorithm id = DiagonalAlgorithm::tiles;

  static Support supports(const Device&, const DiagonalRequest& request) {
    if (request.format != DiagonalFormat::cdm) return {"multiplies CDM; for HM there is gather"};
    return {};
  }

  template <class MemorySpace>
  using Storage = DiagonalTilesStorage;
};

}  // namespace lacuna::Impl

#endif
