// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINETILES_HPP
#define LACUNA_ENGINETILES_HPP

#include <core/impl/matrix/Lacuna_Operand.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <formats/impl/gcoo/Lacuna_Convert_Gcoo.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_PackEngineTiles.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// The steps of a matrix in the memory of a device.
template <CrsMatrixType Matrix, class Operand, class MemorySpace>
class EngineTiles {
 public:
  using Scalar  = typename Matrix::non_const_value_type;
  using Ordinal = typename Matrix::non_const_ordinal_type;
  using Offset  = typename Matrix::non_const_size_type;
  using Step    = EngineStep<typename Operand::storage>;
  using Order   = Reorder<SharedCrs<Matrix>>;

  EngineTileArrays<typename Operand::storage> arrays() const {
    return {m_shape.rows,   m_shape.columns, m_shape.tile_columns, m_shape.tiles_per_row,
            m_shape.groups, m_begins.data(), m_steps.data()};
  }
  const EngineTileShape& shape() const { return m_shape; }
  std::int64_t steps() const { return m_count; }
  std::size_t bytes() const { return bytes_of(m_begins, m_steps, m_source, m_sorted_entries); }

  /// Packs `A` in tiles of `tile_columns`, a multiple of 8. Waits for `exec` a few times.
  /// \throws OutOfMemory, NotSupported.
  template <class ExecutionSpace>
  void make(const ExecutionSpace& exec, const SharedCrs<Matrix>& A, std::int64_t tile_columns, MemoryBudget& budget) {
    const auto crs = arrays_of(A);
    m_shape =
        EngineTileShape::of(static_cast<std::int64_t>(crs.rows), static_cast<std::int64_t>(crs.columns), tile_columns);
    sort_where_needed(exec, A, budget);
    const std::int64_t tiles = checked_product("SpmmPlan", m_shape.groups, m_shape.tiles_per_row);
    const auto index_bytes   = static_cast<std::size_t>(tiles + 1) * sizeof(std::int32_t);
    budget.take("the steps of tiles", index_bytes);
    m_begins = allocate<Indices>("SpmmPlan", exec, "Lacuna::spmm::engine_begins", tiles + 1);
    {
      budget.check("counting steps", index_bytes);
      const auto counts = allocate<Indices>("SpmmPlan", exec, "Lacuna::spmm::engine_counts", tiles + 1);
      run(exec, "Lacuna::spmm::count_engine_steps", CountEngineSteps<Matrix>{columns_of(crs), counts.data()});
      m_count =
          scan_lengths(exec, "Lacuna::spmm::engine_begins", tiles, m_begins.data(), EngineStepCount{counts.data()});
    }
    // Behind the last, steps that are read ahead and not used.
    const std::int64_t stored = m_count + EngineTileShape::read_ahead;
    budget.take("tiles", static_cast<std::size_t>(stored) * sizeof(Step));
    m_steps = allocate<decltype(m_steps)>("SpmmPlan", exec, "Lacuna::spmm::engine_steps", stored);
    fill(exec, crs);
  }

  /// Takes the values of `A`, which has the same pattern.
  template <class ExecutionSpace>
  void update_values(const ExecutionSpace& exec, const SharedCrs<Matrix>& A) {
    fill(exec, arrays_of(A));
  }

 private:
  using Arrays  = CrsArraysOf<Matrix>;
  using Indices = Kokkos::View<std::int32_t*, MemorySpace>;

  template <class ExecutionSpace>
  void sort_where_needed(const ExecutionSpace& exec, const SharedCrs<Matrix>& A, MemoryBudget& budget) {
    const auto crs = arrays_of(A);
    if (rows_are_sorted("Lacuna::spmm::order_of_engine_tiles", exec, crs)) return;
    budget.check("sorting rows", Order::template order_bytes<ExecutionSpace>(crs));
    m_source         = Order::order_of_sorted_rows("SpmmPlan", exec, A);
    m_sorted_entries = Order::template gathered<typename Order::Indices>("SpmmPlan", exec, crs.entries, m_source);
    budget.take("sorted rows", bytes_of(m_source, m_sorted_entries));
  }

  EngineTileColumns<Matrix> columns_of(const Arrays& crs) const {
    return {m_shape, crs.row_map, m_sorted_entries.extent(0) > 0 ? m_sorted_entries.data() : crs.entries};
  }

  template <class ExecutionSpace>
  void fill(const ExecutionSpace& exec, const Arrays& crs) {
    run(exec, "Lacuna::spmm::fill_engine_steps",
        FillEngineSteps<Matrix, Operand>{columns_of(crs), crs.values,
                                         m_source.extent(0) > 0 ? m_source.data() : nullptr, m_begins.data(),
                                         m_steps.data()});
  }

  /// A team for each tile of a group.
  template <class ExecutionSpace, class Body>
  void run(const ExecutionSpace& exec, const char* label, const Body& body) const {
    constexpr int threads = 128;
    launch_teams<threads>(exec, label, {m_shape.groups * m_shape.tiles_per_row, threads},
                          EngineTileColumns<Matrix>::scratch_bytes(m_shape), body);
  }

  EngineTileShape m_shape;
  std::int64_t m_count = 0;
  Indices m_begins;
  Kokkos::View<Step*, MemorySpace> m_steps;
  typename Order::Source m_source;  ///< where rows were not sorted
  typename Order::Indices m_sorted_entries;
};

}  // namespace lacuna::Impl

#endif
