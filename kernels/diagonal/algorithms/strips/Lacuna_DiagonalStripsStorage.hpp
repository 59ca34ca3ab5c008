// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTRIPSSTORAGE_HPP
#define LACUNA_DIAGONALSTRIPSSTORAGE_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStripsKernel.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalStorage.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// The shape of the strips, and the lists of pairs of diagonals that meet.
template <class MemorySpace>
class DiagonalStripsStorage : public DiagonalStorage {
  using Workspace = Arena<MemorySpace>;

 public:
  template <class Context>
  void build(const Context& context) {
    if constexpr (runs_lane_kernels<typename Context::ExecutionSpace>)
      build(context.exec, diagonal_strips_shape(context.device, context.request), context.arguments, context.budget);
  }
  /// In a given shape. Does not fence.
  template <class ExecutionSpace, class Arguments>
  void build(const ExecutionSpace& exec, const DiagonalStripsShape& shape, const Arguments& arguments,
             MemoryBudget& budget) {
    const std::int64_t lists        = shape.passes * arguments.C.dg;
    const std::int64_t map_elements = diagonal_map_elements(lists);
    const std::int64_t elements     = diagonal_pair_elements(arguments.A.dg, arguments.B.dg, lists);
    const std::size_t bytes = Workspace::template bytes_for<std::int64_t, std::uint32_t>(map_elements, elements);
    budget.take("the pairs of diagonals", bytes);
    m_shape          = shape;
    m_arena          = Workspace("gemm", exec, "Lacuna::diagonal::pairs", bytes);
    const auto map   = m_arena.template take<std::int64_t>(map_elements);
    const auto pairs = m_arena.template take<std::uint32_t>(elements);
    m_pairs          = {map.data(), pairs.data()};
    if (arguments.C.dg > 0)
      list_diagonal_pairs(exec, arguments, map.data(), pairs.data(), shape.passes, shape.of_pass,
                          DiagonalStripsPolicy::pairs_at_once(shape.rows_per_lane));
  }

  std::size_t bytes() const { return m_arena.bytes(); }

  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    if constexpr (runs_lane_kernels<ExecutionSpace>) {
      if (arguments.C.dg == 0 || arguments.C.rows == 0) return;
      switch (m_shape.rows_per_lane) {
        case 1: return launch_diagonal_strips<1>(exec, arguments, m_shape, m_pairs);
        case 2: return launch_diagonal_strips<2>(exec, arguments, m_shape, m_pairs);
        default: return launch_diagonal_strips<4>(exec, arguments, m_shape, m_pairs);
      }
    }
  }

 private:
  DiagonalStripsShape m_shape;
  DiagonalPairs m_pairs{};
  Workspace m_arena;  ///< where the pairs are
};

}  // namespace lacuna::Impl

#endif
