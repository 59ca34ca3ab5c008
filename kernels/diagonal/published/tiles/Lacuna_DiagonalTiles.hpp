// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALTILES_HPP
#define LACUNA_DIAGONALTILES_HPP

#include <kernels/diagonal/published/tiles/Lacuna_DiagonalTilesKernel.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalCost.hpp>

#include <string>

namespace lacuna::Impl {

class DiagonalTilesStorage : public DiagonalStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    m_side = context.request.tile;
  }
  std::string describe() const { return "tiles of " + shape_text(m_side, m_side); }
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    if constexpr (Arguments::Operand::wraps) {
      switch (m_side) {
        case 4: return diagonal_tiles<4>(exec, arguments);
        case 8: return diagonal_tiles<8>(exec, arguments);
        default: return diagonal_tiles<16>(exec, arguments);
      }
    }
  }

 private:
  int m_side = 16;
};

/// \brief 003, 6.1, algorithm 1, for CDM.
struct DiagonalTiles : DiagonalPublished {
  static constexpr DiagonalAlgorithm id = DiagonalAlgorithm::tiles;

  static Support supports(const Device&, const DiagonalRequest& request) {
    if (request.format != DiagonalFormat::cdm) return {"multiplies CDM; for HM there is gather"};
    if (request.tile != 4 && request.tile != 8 && request.tile != 16)
      return {"has tiles of 4, 8 or 16, tile is " + std::to_string(request.tile)};
    return {};
  }

  template <class MemorySpace>
  using Storage = DiagonalTilesStorage;
};

}  // namespace lacuna::Impl

#endif
