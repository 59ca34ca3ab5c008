// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWBLOCKSPLIT_HPP
#define LACUNA_ROWBLOCKSPLIT_HPP

#include <Lacuna_Convert.hpp>
#include <formats/impl/row_block/Lacuna_SplitRowBlocks.hpp>

/// \file
/// \brief A matrix as dense sub-blocks and a rest in CSR.
///
/// Source: Baskaran and Bordawekar, RC24704, section 4: "an optional runtime preprocessing of the sparse matrix to
/// identify and extract dense sub-blocks".

namespace lacuna {

/// \brief Splits A into the blocks of `to_row_block` that hold at least `least_nonzeros` nonzeros, and a CSR matrix of
/// all other nonzeros: the sum of both is A. Waits for `exec`. Deterministic.
/// \param[in] exec all work goes to this instance
/// \param[in] A a CSR matrix
/// \param[in] least_nonzeros of a block; 0 leaves no rest
/// \param[in] options as for `to_row_block`
/// \throws InvalidArgument where `least_nonzeros` is below 0, or an option out of range
/// \throws OutOfMemory where `memory_limit` does not suffice or memory is exhausted
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
RowBlockSplitOf<Matrix> extract_row_blocks(const ExecutionSpace& exec, const Matrix& A, std::int64_t least_nonzeros,
                                           const RowBlockOptions& options = {}) {
  return Impl::in_region("extract_row_blocks", [&] {
    return Impl::split_row_blocks("extract_row_blocks", exec, A, RowListOf<Matrix>(), least_nonzeros, options);
  });
}

/// \brief Takes new values of A, whose pattern has not changed, into both parts. Does not fence.
/// \throws DimensionMismatch where A has other extents or another number of nonzeros
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix, Impl::CrsMatrixType Crs>
void update_values(const ExecutionSpace& exec, const Matrix& A, const RowBlockSplit<Crs>& split) {
  Impl::in_region("update_values", [&] { Impl::refresh_row_blocks("update_values", exec, A, split); });
}

}  // namespace lacuna

#endif
