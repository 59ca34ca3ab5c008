// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDSTORAGE_HPP
#define LACUNA_SPMMTILEDSTORAGE_HPP

#include <kernels/shared/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_SpmmTiledKernel.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace lacuna::Impl {

/// The tiles, and room for a B whose rows are not aligned.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmTiledStorage {
  using Scalar = typename Matrix::non_const_value_type;
  using Arrays = CrsArraysOf<Matrix>;
  using Memory = typename ExecutionSpace::memory_space;

 public:
  template <class Context>
  void build(const Context& context) {
    const Inspection& found    = context.inspector.found();
    const std::int64_t columns = context.request.planned_columns();
    const SpmmShape& asked     = context.request.shape;
    const SpmmTiling tiling =
        asked.load > 0 ? tiling_of(context.device, {asked.load, asked.packs}, asked.rows, asked.columns, sizeof(Scalar))
                       : choose_tiling(context.device, found, columns, sizeof(Scalar));
    if (!tiling.fits()) raise<NotSupported>("SpmmPlan", "tiled: no tile fits the scratch of a team");
    m_form           = tiling.form;
    const auto limit = static_cast<std::int64_t>(context.device.scratch);
    const int lanes  = context.device.lane_width;
    m_tiles.make(context.exec, context.A.crs(), tiling.tile,
                 std::min<std::int64_t>(SpmmTiledPolicy::least_columns, tiling.tile.columns), context.budget,
                 [&](const TileShape& tile, std::int64_t entries) {
                   return TileStage(tile, m_form, lanes, sizeof(Scalar), entries).all_bytes() <= limit;
                 });
    const SpmmRowRepack repack{context.device, found, context.request};
    const int vector = SpmmRowRepack::load_width_without_gaps<Scalar>(columns);
    repack.reserve_where(context.exec, m_workspace, context.budget, vector < widest_load<Scalar>, true);
  }

  std::size_t bytes() const { return m_tiles.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  bool shareable() const { return !m_workspace.is_there(); }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) { m_tiles.update_values(exec, A.crs()); }
  std::string describe() const {
    const TileShape& shape = m_tiles.shape();
    return "  tiles       " + std::to_string(m_tiles.tiles()) + " of " + std::to_string(shape.rows) + " rows and " +
           std::to_string(shape.columns) + " columns, lanes read " + std::to_string(m_form.packs) + " times " +
           std::to_string(m_form.load) + " bytes of a row of B\n";
  }

  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const SpmmArguments<Scalar, Output>& arguments) const {
    const auto& B = arguments.B;
    // Rows may lie over each other, which no copy engine has promised to serve.
    const bool as_it_is = B.rows_aligned(16) && (B.rows == 1 || B.row_stride >= B.columns);
    const auto need     = as_it_is ? RepackNeed::none : RepackNeed::must;
    const bool done = m_workspace.multiply(exec, arguments, need, [&](const SpmmArguments<Scalar, Output>& part, bool) {
      spmm_tiled(exec, m_tiles, m_form, part);
    });
    if (!done) spmm_rows(exec, A, arguments);
  }

 private:
  TiledMatrix<Matrix, Memory> m_tiles;
  TileForm m_form;
  SpmmWorkspace<Scalar, Memory> m_workspace;
};

}  // namespace lacuna::Impl

#endif
