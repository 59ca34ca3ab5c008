// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWORK_HPP
#define LACUNA_DIAGONALWORK_HPP

#include <core/impl/Lacuna_Arena.hpp>
#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandShape.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalPairs.hpp>
#include <kernels/diagonal/algorithms/window/Lacuna_DiagonalWindowShape.hpp>

#include <cstddef>

namespace lacuna::Impl {

struct DiagonalStripsShape {
  int rows_per_lane   = 0;  ///< 0: the device cannot hold a strip
  int splits          = 1;  ///< teams that share a strip
  int threads         = 0;
  int rows            = 0;  ///< of a strip
  std::int64_t near_a = 0;  ///< diagonals of A for which there is scratch
  std::size_t scratch = 0;
};

/// \brief What an algorithm finds out before a product, for any number of products of the same structure.
template <class MemorySpace>
struct DiagonalWork {
  DiagonalBandShape band;
  DiagonalStripsShape strips;
  DiagonalWindowShape window;
  DiagonalPairs pairs{};
  Arena<MemorySpace> room;  ///< where `pairs` are
};

}  // namespace lacuna::Impl

#endif
