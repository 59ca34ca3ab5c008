// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSENGINE_HPP
#define LACUNA_ROWSENGINE_HPP

#include <kernels/rows/Lacuna_HostRowsLaunch.hpp>
#include <kernels/rows/Lacuna_RowsLaunch.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief Rows of CSR times rows of B: what a plan builds once, and what its products launch. README.md shows the way.

namespace lacuna::Impl {

/// What a product tells beside its operands.
struct RowsRun {
  bool padded   = false;  ///< rows of B can be read up to the next multiple of 16 bytes
  int team_size = 0;      ///< 0: the tuned one
  bool by_lanes = false;  ///< on a host too: the kernels for warps (where it `runs_lane_kernels`)
};

/// Columns that the kernels take at once. \throws NotSupported where rows of B are 2 GiB or more apart.
template <class Scalar, class Output>
std::int64_t columns_at_once(const BlockArguments<Scalar, Output>& arguments) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(), most_columns = std::int64_t{1} << 30;
  constexpr auto size = static_cast<std::int64_t>(sizeof(Scalar));
  const auto& B       = arguments.B;
  if (B.row_stride > most / size)
    raise<NotSupported>("spmm", "rows of B ", B.row_stride, " elements apart, at most ", most / size, " are supported");
  if (B.column_stride > most / size) return 1;  // a stride that the kernels do not take is then of no account
  return std::min(arguments.C.columns, most_columns);
}

/// x and y as blocks of one column.
template <class Scalar>
BlockArguments<Scalar> one_column(const VectorArguments<Scalar>& arguments, std::int64_t rows, std::int64_t columns) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Scalar));
  return {arguments.alpha, arguments.beta,
          DenseBlock<const Scalar>{arguments.x.data, arguments.x.stride_bytes / size, 1, columns, 1},
          DenseBlock<Scalar>{arguments.y.data, arguments.y.stride_bytes / size, 1, rows, 1}};
}

/// The shape of one column: a lane stands alone along it, so all lanes of a row take its nonzeros in turn, as many as
/// the mean row keeps busy. `lanes_per_row`: 0 for as many as that.
inline RowsShape column_shape(const RowsStatistics& statistics, RowsOrder order, int lanes_per_row) {
  RowsShape shape = choose_row_shape(statistics, 1, 1, 1, order);
  if (order != RowsOrder::items && lanes_per_row > 0) shape.split_k = std::min(lanes_per_row, statistics.lane_width);
  return shape;
}

/// \brief The rows engine of one plan: schedule, kernel and shape are decided by `build`, products only launch.
template <class Arrays, class ExecutionSpace>
class RowsEngine {
  using Scalar = typename Arrays::Scalar;

 public:
  RowsEngine() = default;
  /// For a call without a plan: rows as `view` has them, nothing is decided before.
  RowsEngine(const ExecutionSpace& exec, const Arrays& A, const RowsView<Arrays>& view, int team_size)
      : m_statistics(rows_statistics(exec, A)), m_view(view) {
    m_demand.team_size = team_size;
  }

  /// Waits for one pass over the row map where rows are uneven, and a GPU takes them.
  void build(const ExecutionSpace& exec, const Arrays& A, const LengthStatistics& lengths, const RowsDemand& demand,
             MemoryBudget& budget) {
    m_demand     = demand;
    m_statistics = rows_statistics(exec, A);
    m_schedule   = RowsSchedule<Arrays, Memory>(lengths, m_statistics.mean);
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu)
      m_schedule.build(exec, A, m_statistics, lengths, demand, budget);
    decide(A);
  }

  std::size_t bytes() const { return m_schedule.bytes(); }
  bool cuts_rows() const { return m_schedule.cuts_rows(); }
  std::string text() const { return m_schedule.text(); }

  /// C = alpha A B + beta C by the kernels for warps, panel by panel of columns; mostly there is one. Another N than
  /// the plan was made for works too: its kernel is chosen now. `padded`: rows of B can be read up to the next multiple
  /// of 16 bytes. Does not fence and does not allocate. \throws NotSupported where rows of B are 2 GiB or more apart.
  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments,
                bool padded) const {
    std::int64_t panel = columns_at_once(arguments);
    if (m_view.items.columns > 0) panel = std::min(panel, m_view.items.columns);
    for (std::int64_t first = 0; first < arguments.C.columns; first += panel) {
      const auto part = column_panel(arguments, first, std::min(panel, arguments.C.columns - first));
      launch_rows(exec, A, part, m_view, kernel(A, part.C.columns, load_width(part.B, padded)), m_demand.team_size);
    }
  }

  /// y = alpha A x + beta y by the kernels for warps. Deterministic.
  void multiply_column(const ExecutionSpace& exec, const Arrays& A, const VectorArguments<Scalar>& arguments) const {
    launch_column(exec, A,
                  one_column(arguments, static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.columns)),
                  m_view, m_kernels[0].shape, m_demand.team_size);
  }

 private:
  using Memory = typename ExecutionSpace::memory_space;

  void decide(const Arrays& A) {
    m_view = m_schedule.view();
    if (m_demand.columns <= 0) return;
    if (m_demand.widest == 1 && m_demand.columns == 1) {
      m_kernels[0].shape = column_shape(m_statistics, m_view.order(), m_demand.lanes_per_row);
      return;
    }
    for (std::size_t i = 0; i < m_kernels.size(); ++i)
      m_kernels[i] = choose(A, m_demand.columns, load_widths<Scalar>[i]);
  }
  RowsKernel choose(const Arrays& A, std::int64_t columns, int width) const {
    return choose_rows_kernel(A, m_statistics, m_view.order(), m_view.longest_here, columns, width);
  }
  RowsKernel kernel(const Arrays& A, std::int64_t columns, int width) const {
    if (columns != m_demand.columns) return choose(A, columns, width);
    std::size_t i = 0;
    while (load_widths<Scalar>[i] != width) ++i;
    return m_kernels[i];
  }

  RowsDemand m_demand{};
  RowsStatistics m_statistics;
  RowsSchedule<Arrays, Memory> m_schedule;
  RowsView<Arrays> m_view;                ///< of that
  std::array<RowsKernel, 3> m_kernels{};  ///< for the planned N and each of `load_widths`; one column has one
};

/// C = alpha A B + beta C for arguments that hold a product, by kernels chosen for this call: where a plan has made
/// nothing. Does not fence and does not allocate. \throws NotSupported where rows of B are 2 GiB or more apart.
template <class ExecutionSpace, class Arrays, class Output>
void multiply_rows(const ExecutionSpace& exec, const Arrays& A,
                   const BlockArguments<typename Arrays::Scalar, Output>& arguments, const RowsView<Arrays>& rows = {},
                   const RowsRun& run = {}) {
  if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu)
    if (!run.by_lanes) return host_rows(exec, A, arguments);
  if constexpr (runs_lane_kernels<ExecutionSpace>)
    RowsEngine<Arrays, ExecutionSpace>(exec, A, rows, run.team_size).multiply(exec, A, arguments, run.padded);
}

}  // namespace lacuna::Impl

#endif
