// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMWORKSPACE_HPP
#define LACUNA_SPMMWORKSPACE_HPP

#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRepack.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief Workspace for a copy of B in aligned rows. A plan allocates it; products copy B to it where its kernels
/// cannot read B in place, or read it slowly.

namespace lacuna::Impl {

/// How well a kernel reads B in place.
enum class RepackNeed {
  none,   ///< it reads it well
  helps,  ///< a copy in aligned rows pays
  must    ///< it cannot read it
};

template <class Scalar, class MemorySpace>
class SpmmWorkspace {
 public:
  /// Where B has more columns than the workspace holds, a multiple of this many is taken at once.
  static constexpr std::int64_t panel_columns = 16;

  /// By which packed rows grow where they are long.
  static constexpr std::int64_t line_columns = std::max<std::int64_t>(1, 128 / sizeof(Scalar));

  std::size_t bytes() const { return m_memory.extent(0) * sizeof(Scalar); }
  bool is_there() const { return m_memory.extent(0) > 0; }

  /// Allocates a workspace for `columns` columns of a B of `depth` rows, or for as many as `budget` and `most_bytes`
  /// allow; none where that is not even one panel.
  template <class ExecutionSpace>
  void reserve(const ExecutionSpace& exec, std::int64_t depth, std::int64_t columns, std::size_t most_bytes,
               MemoryBudget& budget) {
    if (depth == 0 || columns == 0) return;
    const std::size_t room = std::min(most_bytes, budget.left());
    std::int64_t width     = packed_row(columns, sizeof(Scalar));
    if (static_cast<std::size_t>(width) > room / sizeof(Scalar) / static_cast<std::size_t>(depth))
      width = whole_panels(static_cast<std::int64_t>(room / sizeof(Scalar) / static_cast<std::size_t>(depth)));
    if (width == 0) return;
    const std::int64_t count = checked_product("SpmmPlan", depth, width);
    budget.take("the workspace", static_cast<std::size_t>(count) * sizeof(Scalar));
    m_memory = allocate<decltype(m_memory)>("SpmmPlan", exec, "Lacuna::spmm::workspace", count);
  }

  /// Calls multiply(arguments, padded) for all of B, or, where a copy is needed and there is a workspace, for one panel
  /// after the other. `padded`: rows of B can be read up to the next multiple of 16 bytes. Returns false, and does
  /// nothing, where B must be copied and there is no workspace.
  template <class ExecutionSpace, class Output, class Multiply>
  bool multiply(const ExecutionSpace& exec, const BlockArguments<Scalar, Output>& arguments, RepackNeed need,
                const Multiply& multiply) const {
    if (need == RepackNeed::none ||
        (need == RepackNeed::helps && panel_width(arguments.B.rows, arguments.B.columns) == 0)) {
      multiply(arguments, false);
      return true;
    }
    return multiply_copies(exec, arguments,
                           [&](BlockArguments<Scalar, Output> panel, const DenseBlock<const Scalar>& packed) {
                             panel.B = packed;
                             multiply(panel, true);
                           });
  }

  /// Calls multiply(arguments, copy) for one panel of columns after the other, with the arguments as they are and the
  /// copy of their B, made by `Rounding` where B has other elements. False where there is no workspace.
  template <class Rounding = void, class ExecutionSpace, class From, class Output, class Multiply>
  bool multiply_copies(const ExecutionSpace& exec, const BlockArguments<From, Output>& arguments,
                       const Multiply& multiply) const {
    const std::int64_t width = panel_width(arguments.B.rows, arguments.B.columns);
    if (width == 0) return false;
    for (std::int64_t first = 0; first < arguments.B.columns; first += width) {
      const auto panel = column_panel(arguments, first, std::min(width, arguments.B.columns - first));
      multiply(panel, repack<Rounding>(exec, panel.B, m_memory.data()));
    }
    return true;
  }

 private:
  /// Columns of a B of `depth` rows that the workspace holds: all `columns`, or whole panels.
  std::int64_t panel_width(std::int64_t depth, std::int64_t columns) const {
    if (!is_there() || depth == 0) return 0;
    const auto width = static_cast<std::int64_t>(m_memory.extent(0)) / depth;
    return packed_row(columns, sizeof(Scalar)) <= width ? columns : whole_panels(width);
  }
  /// The most columns that fill a packed row of no more than `width`.
  static std::int64_t whole_panels(std::int64_t width) {
    const std::int64_t least = width / panel_columns * panel_columns;
    return packed_row(least, sizeof(Scalar)) <= width ? least : packed_row(least, sizeof(Scalar)) - line_columns;
  }

  Kokkos::View<Scalar*, MemorySpace> m_memory;
};

}  // namespace lacuna::Impl

#endif
