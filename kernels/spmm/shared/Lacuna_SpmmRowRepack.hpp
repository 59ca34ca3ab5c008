// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWREPACK_HPP
#define LACUNA_SPMMROWREPACK_HPP

#include <kernels/rows/Lacuna_RowsEngine.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmWorkspace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lacuna::Impl {

/// Whether the row kernels gain when B is first copied to aligned rows, and the workspace that a plan has for that.
struct SpmmRowRepack {
  Device device;
  Inspection inspection;
  SpmmRequest request;

  /// `vector`: columns that one load can take as B stands, of `widest`.
  bool pays(std::int64_t columns, bool row_major, int vector, int widest) const {
    if (!device.is_gpu) return !row_major && inspection.mean() >= RowsPolicy::host_pack_mean;
    if (columns <= 1 || (row_major && 2 * vector >= widest)) return false;
    return repacking_costs_less(device, inspection, request, columns,
                                row_major ? SpmmCostPolicy::unaligned_cost : SpmmCostPolicy::column_major_cost);
  }

  template <class Scalar>
  RepackNeed need(const DenseBlock<const Scalar>& B) const {
    return pays(B.columns, B.row_major(), load_width(B, false), widest_load<Scalar>) ? RepackNeed::helps
                                                                                     : RepackNeed::none;
  }

  /// Columns of B that lie side by side in one load where `columns` of them stand in rows without gaps.
  template <class Scalar>
  static int load_width_without_gaps(std::int64_t columns) {
    return load_width(DenseBlock<const Scalar>{nullptr, columns, 1, 2, columns}, false);
  }

  template <class ExecutionSpace, class Scalar, class Memory>
  void reserve(const ExecutionSpace& exec, SpmmWorkspace<Scalar, Memory>& workspace, MemoryBudget& budget) const {
    const std::int64_t columns = request.planned_columns();
    const int vector           = load_width_without_gaps<Scalar>(columns);
    reserve_where(exec, workspace, budget, pays(columns, true, vector, widest_load<Scalar>),
                  pays(columns, false, 1, widest_load<Scalar>));
  }

  /// All columns where it is known that B will be copied; no more than A takes itself, but for one panel, where only a
  /// column-major B would be.
  template <class ExecutionSpace, class Scalar, class Memory>
  void reserve_where(const ExecutionSpace& exec, SpmmWorkspace<Scalar, Memory>& workspace, MemoryBudget& budget,
                     bool row_major_is_copied, bool column_major_is_copied) const {
    constexpr std::size_t all  = std::numeric_limits<std::size_t>::max();
    const std::int64_t columns = request.planned_columns(), depth = inspection.columns;
    const bool may_be_rows    = request.b_layout != DenseLayout::column_major;
    const bool may_be_columns = request.b_layout != DenseLayout::row_major;
    if ((may_be_rows && row_major_is_copied) || (!may_be_rows && column_major_is_copied))
      return workspace.reserve(exec, depth, columns, all, budget);
    if (!may_be_columns || !column_major_is_copied) return;
    const auto crs   = static_cast<std::size_t>(inspection.nonzeros) * (sizeof(Scalar) + 4);
    const auto panel = static_cast<std::size_t>(depth) * workspace.panel_columns * sizeof(Scalar);
    workspace.reserve(exec, depth, columns, std::max(crs, panel), budget);
  }
};

}  // namespace lacuna::Impl

#endif
