// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWBLOCKSTORAGE_HPP
#define LACUNA_SPMVROWBLOCKSTORAGE_HPP

#include <Lacuna_RowBlockSplit.hpp>
#include <kernels/spmv/published/row_block/Lacuna_SpmvRowBlockKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvAlignedKernel.hpp>

#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// Blocks of all nonzeros, or dense ones with the rest in CSR, rows in an order that was asked for.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmvRowBlockStorage : public SpmvStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    take_request(context);
    const auto& request = context.request;
    m_rows              = spmv_row_order(context.exec, context.A.crs(), request.row_order, context.budget);
    RowBlockOptions options{.memory_limit = context.budget.left()};
    if (request.block_rows > 0) options.block_rows = request.block_rows;
    if (request.block_columns > 0) options.block_columns = request.block_columns;
    m_is_plain = m_rows.extent(0) == 0 && request.least_in_block == 0;
    if (m_is_plain)
      m_split.blocks = to_row_block(context.exec, context.A.crs(), options);
    else
      m_split = split_row_blocks("SpmvPlan", context.exec, context.A.crs(), m_rows, request.least_in_block, options);
    context.budget.take(name(SpmvAlgorithm::row_block), m_split.bytes());
  }
  std::size_t bytes() const { return m_split.bytes() + bytes_of(m_rows); }
  std::string describe() const {
    const auto& blocks = m_split.blocks;
    return describe_rows(m_rows.extent(0) > 0 ? ", in an order of their own" : "") + "\n  blocks      " +
           std::to_string(blocks.blocks()) + " of " + shape_text(blocks.block_rows, blocks.block_columns) + ", " +
           std::to_string(m_split.rest.values.extent(0)) + " nonzeros in none\n";
  }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    if (m_is_plain)
      lacuna::update_values(exec, A.crs(), m_split.blocks);
    else
      lacuna::update_values(exec, A.crs(), m_split);
  }
  template <class Arrays>
  void multiply(const ExecutionSpace& exec, const Arrays&,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    with_rows(m_rows, [&](const auto& rows) { spmv_row_block(exec, m_split.blocks, arguments, shape(), rows); });
    if (m_split.rest.values.extent(0) == 0) return;
    auto adding = arguments;
    adding.beta = typename Arrays::Scalar(1);
    spmv_cached(exec, arrays_of(m_split.rest), adding, shape());
  }

 private:
  RowListOf<Matrix> m_rows;
  RowBlockSplitOf<Matrix> m_split;
  bool m_is_plain = true;  ///< then `m_split` has no `slots`, `m_split.blocks` has them
};

}  // namespace lacuna::Impl

#endif
