// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDENGINESTORAGE_HPP
#define LACUNA_SPMMTILEDENGINESTORAGE_HPP

#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_EngineTiles.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_SpmmTiledEngineKernel.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// The engine's product for a scalar: bfloat16 for its own, half precision for the others.
template <class Scalar>
using TiledEngineAtom = std::conditional_t<sizeof(Scalar) == 2 && std::is_same_v<Scalar, Kokkos::Experimental::bhalf_t>,
                                           Sm80_16x8x16_f32_bf16, Sm80_16x8x16_f32_f16>;

/// The steps, and a workspace for a B that is not half precision in aligned rows.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmTiledEngineStorage {
  using Scalar  = typename Matrix::non_const_value_type;
  using Arrays  = CrsArraysOf<Matrix>;
  using Memory  = typename ExecutionSpace::memory_space;
  using Atom    = TiledEngineAtom<Scalar>;
  using Format  = typename Atom::operand;
  using Element = typename Atom::element;

 public:
  template <class Context>
  void build(const Context& context) {
    const Inspection& inspection = context.inspector.inspection();
    const std::int64_t columns   = context.request.planned_columns();
    m_tiling                     = choose_engine_tiling(context.device, inspection, columns);
    if (!m_tiling.fits()) raise<NotSupported>("SpmmPlan", "tiled_engine: no tile fits the scratch of a team");
    m_nonzeros = inspection.nonzeros;
    m_steps.make(context.exec, context.A.crs(), m_tiling.tile_columns, context.budget);
    const SpmmRowRepack repack{context.device, inspection, context.request};
    repack.reserve_where(context.exec, m_workspace, context.budget, !is_element || columns % 8 != 0, true);
    make_room_for_slices(context.exec, columns, context.budget);
  }

  std::size_t bytes() const { return m_steps.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes() + bytes_of(m_sums, m_counts); }
  bool shareable() const { return !m_workspace.is_there() && m_counts.extent(0) == 0; }
  void update_values(const ExecutionSpace& exec, const Impl::Operand<Matrix>& A) {
    m_steps.update_values(exec, A.crs());
  }
  std::string describe() const {
    const auto steps = m_steps.steps();
    return "  tiles       of " + std::to_string(m_tiling.groups * EngineTileShape::group_rows) + " rows and " +
           std::to_string(m_tiling.tile_columns) + " columns, times " + std::to_string(16 * m_tiling.tiles) +
           " columns of B; " + std::to_string(steps) + " steps of 16 rows and 16 active columns, " +
           number_text(steps > 0 ? static_cast<double>(m_nonzeros) / static_cast<double>(steps) : 0) +
           " nonzeros for each" +
           (m_counts.extent(0) > 0 ? "; columns shared by " + std::to_string(m_tiling.slices) + " teams" : "") + "\n";
  }

  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments) const {
    const auto& B = arguments.B;
    if constexpr (is_element) {
      // Rows may lie over each other, which no copy engine has promised to serve.
      const bool apart = B.rows <= 1 || B.row_stride >= B.columns;
      if (B.rows_aligned(16) && B.columns % 8 == 0 && apart)
        return run(exec, A, arguments, {reinterpret_cast<const Element*>(B.data), B.row_stride, B.columns});
    }
    const bool done = m_workspace.template multiply_copies<Format>(
        exec, arguments, [&](const BlockArguments<Scalar, Output>& panel, const DenseBlock<const Element>& copy) {
          run(exec, A, panel, {copy.data, copy.row_stride, packed_row(copy.columns, sizeof(Element))});
        });
    if (!done) multiply_rows(exec, A, arguments);
  }

 private:
  /// Whether B lies in memory as the engine reads it.
  static constexpr bool is_element = sizeof(Scalar) == sizeof(Element);

  template <class Output>
  void run(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments,
           const PackedRows<Element>& packed) const {
    spmm_tiled_engine<Atom, Matrix>(exec, m_steps, m_tiling, slices_for(arguments.C.columns), A, packed, arguments);
  }

  /// Where memory does not suffice, and for more columns than planned, a team takes all columns of A.
  template <class Budget>
  void make_room_for_slices(const ExecutionSpace& exec, std::int64_t columns, Budget& budget) {
    const std::size_t bytes = m_tiling.slices_bytes(m_steps.shape().rows, columns);
    if (bytes == 0 || !budget.fits(bytes)) return;
    budget.take("the sums of slices", bytes);
    const std::int64_t positions = m_steps.shape().groups * ceiling_quotient(columns, 16 * m_tiling.tiles);
    const std::int64_t sums      = positions * m_tiling.slices * EngineTileShape::group_rows * 16 * m_tiling.tiles;
    m_sums                       = allocate<decltype(m_sums)>("SpmmPlan", exec, "Lacuna::spmm::engine_sums", sums);
    m_counts = allocate<decltype(m_counts)>("SpmmPlan", exec, "Lacuna::spmm::engine_arrived", positions);
    Kokkos::deep_copy(exec, m_counts, 0);
  }

  EngineSlices slices_for(std::int64_t columns) const {
    const EngineTileShape& shape = m_steps.shape();
    const std::int64_t positions = shape.groups * ceiling_quotient(columns, 16 * m_tiling.tiles);
    if (positions > static_cast<std::int64_t>(m_counts.extent(0))) return {1, shape.tiles_per_row};
    return {m_tiling.slices, m_tiling.slice_tiles, m_sums.data(), m_counts.data()};
  }

  EngineTiles<Matrix, Format, Memory> m_steps;
  SpmmEngineTiling m_tiling;
  std::int64_t m_nonzeros = 0;
  SpmmWorkspace<Element, Memory> m_workspace;
  Kokkos::View<float*, Memory> m_sums;  ///< of slices
  Kokkos::View<std::int32_t*, Memory> m_counts;
};

}  // namespace lacuna::Impl

#endif
