// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDSTORAGE_HPP
#define LACUNA_SPMMTILEDSTORAGE_HPP

#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_SpmmTiledKernel.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// The tiles, and a workspace for a copy of B: where its rows are not aligned, and where it is rounded.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmTiledStorage {
  using Scalar = typename Matrix::non_const_value_type;
  using Arrays = CrsArraysOf<Matrix>;
  using Memory = typename ExecutionSpace::memory_space;

 public:
  template <class Context>
  void build(const Context& context) {
    const Inspection& inspection = context.inspector.inspection();
    const std::int64_t columns   = context.request.planned_columns();
    const SpmmShape& asked       = context.request.shape;
    const TiledScalars scalars   = tiled_scalars(context.device, inspection, context.request);
    const SpmmTiling tiling = asked.load > 0 ? tiling_of(context.device, inspection, columns, {asked.load, asked.packs},
                                                         asked.rows, asked.columns, scalars)
                                             : choose_tiling(context.device, inspection, columns, scalars);
    if (!tiling.fits()) raise<NotSupported>("SpmmPlan", "tiled: no tile fits the scratch of a team");
    m_form           = tiling.form;
    m_rounds_B       = scalars.rounds_B();
    const auto limit = static_cast<std::int64_t>(context.device.scratch);
    const int lanes  = context.device.lane_width;
    m_tiles.make(context.exec, context.A.crs(), tiling.tile,
                 std::min<std::int64_t>(SpmmTiledPolicy::least_columns, tiling.tile.columns), context.budget,
                 [&](const TileShape& tile, std::int64_t entries) {
                   return TileStage(tile, m_form, lanes, scalars, entries).all_bytes() <= limit;
                 });
    const SpmmRowRepack repack{context.device, inspection, context.request};
    if (m_rounds_B) return repack.reserve_where(context.exec, m_rounded, context.budget, true, true);
    const int vector   = SpmmRowRepack::load_width_without_gaps<Scalar>(columns);
    const bool is_must = vector < widest_load<Scalar>;
    repack.reserve_where(context.exec, m_workspace, context.budget, is_must || tiling.copies_B, true);
    m_copies_B = tiling.copies_B;
  }

  std::size_t bytes() const { return m_tiles.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes() + m_rounded.bytes(); }
  bool shareable() const { return !m_workspace.is_there() && !m_rounded.is_there(); }
  bool rounds() const { return m_rounds_B; }  ///< to the precision asked for
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) { m_tiles.update_values(exec, A.crs()); }
  std::string describe() const {
    const TileShape& shape = m_tiles.shape();
    return "  tiles       " + std::to_string(m_tiles.tiles()) + " of " + std::to_string(shape.rows) + " rows and " +
           std::to_string(shape.columns) + " columns, lanes read " + std::to_string(m_form.packs) + " times " +
           std::to_string(m_form.load) + " bytes of a row of B" +
           (m_rounds_B   ? ", which is rounded to half precision first"
            : m_copies_B ? ", which is copied to whole cache lines first"
                         : "") +
           "\n";
  }

  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments) const {
    if (!(m_rounds_B ? multiply_rounded(exec, A, arguments) : multiply_full(exec, arguments)))
      multiply_rows(exec, A, arguments);
  }

 private:
  /// False where B must be copied and there is no workspace.
  template <class Output>
  bool multiply_full(const ExecutionSpace& exec, const BlockArguments<Scalar, Output>& arguments) const {
    return m_workspace.multiply(
        exec, arguments, need_of(arguments.B),
        [&](const BlockArguments<Scalar, Output>& part, bool) { spmm_tiled(exec, m_tiles, m_form, part); });
  }
  RepackNeed need_of(const DenseBlock<const Scalar>& B) const {
    // Rows may lie over each other, which no copy engine has promised to serve.
    if (!B.rows_aligned(16) || (B.rows > 1 && B.row_stride < B.columns)) return RepackNeed::must;
    return m_copies_B && !B.rows_aligned(SpmmTiledPolicy::cache_line) ? RepackNeed::helps : RepackNeed::none;
  }

  template <class Output>
  bool multiply_rounded(const ExecutionSpace& exec, const Arrays& A,
                        const BlockArguments<Scalar, Output>& arguments) const {
    if constexpr (std::is_same_v<Scalar, float>)
      return m_rounded.template multiply_copies<HalfOperand>(
          exec, arguments, [&](const BlockArguments<Scalar, Output>& part, const DenseBlock<const Half>& B) {
            spmm_tiled(exec, m_tiles, m_form, BlockArguments<Half, Output>{part.alpha, part.beta, B, part.C},
                       PlainSums<Matrix, Output>{A, part});
          });
    else
      return false;  // nobody asks for it
  }

  TiledMatrix<Matrix, Memory> m_tiles;
  TileForm m_form;
  bool m_rounds_B = false;
  bool m_copies_B = false;
  SpmmWorkspace<Scalar, Memory> m_workspace;
  SpmmWorkspace<Half, Memory> m_rounded;
};

}  // namespace lacuna::Impl

#endif
