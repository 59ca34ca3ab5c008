// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWSPLITSTORAGE_HPP
#define LACUNA_SPMVROWSPLITSTORAGE_HPP

#include <kernels/rows/Lacuna_HostColumn.hpp>
#include <kernels/rows/Lacuna_RowsEngine.hpp>
#include <kernels/spmv/algorithms/row_split/Lacuna_SpmvRowSplitPolicy.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace lacuna::Impl {

/// What SpMV asks of the rows engine: a product with one column. A very long row among sorted ones is cut into
/// segments, a team each, which leave their sums for a last arriver.
inline RowsDemand spmv_rows_demand(std::int64_t longest, SpmvShape shape) {
  return {.columns       = 1,
          .widest        = 1,
          .longest       = SpmvRowSplitPolicy::longest_of_team(longest),
          .segment       = SpmvRowSplitPolicy::segment(longest),
          .team_size     = shape.team_size,
          .lanes_per_row = shape.lanes_per_row};
}

/// The rows engine for one column. Hosts walk rows, balanced by nonzeros, and need nothing.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmvRowSplitStorage : public SpmvStorage {
  using Arrays = CrsArraysOf<Matrix>;

 public:
  static constexpr bool reads_values_of_A = true;

  template <class Context>
  void build(const Context& context) {
    take_request(context);
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) {
      const LengthStatistics& lengths = context.inspector.inspection().lengths;
      m_rows.build(context.exec, context.A.arrays(), lengths, spmv_rows_demand(lengths.longest, shape()),
                   context.budget);
    }
  }
  std::size_t bytes() const { return m_rows.bytes(); }
  bool shareable() const { return !m_rows.cuts_rows(); }
  std::string describe() const { return describe_rows(", " + m_rows.text()) + "\n"; }

  /// Deterministic. Does not fence.
  void multiply(const ExecutionSpace& exec, const Arrays& A,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu)
      m_rows.multiply_column(exec, A, arguments);
    else
      host_column(exec, "Lacuna::spmv::host_rows", A, arguments, short_even_rows());
  }

 private:
  RowsEngine<Arrays, ExecutionSpace> m_rows;
};

}  // namespace lacuna::Impl

#endif
