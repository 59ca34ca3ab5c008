// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALWORK_HPP
#define LACUNA_DIAGONALWORK_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBandShape.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalPairs.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStripsShape.hpp>
#include <kernels/diagonal/algorithms/window/Lacuna_DiagonalWindowShape.hpp>

namespace lacuna::Impl {

/// \brief What an algorithm finds out before a product, for any number of products of the same structure.
template <class MemorySpace>
struct DiagonalWork {
  DiagonalBandShape band;
  DiagonalStripsShape strips;
  DiagonalWindowShape window;
  DiagonalPairs pairs{};
  Arena<MemorySpace> arena;  ///< where `pairs` are
};

}  // namespace lacuna::Impl

#endif
