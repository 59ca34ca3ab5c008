// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALTIMESBLOCK_HPP
#define LACUNA_DIAGONALTIMESBLOCK_HPP

#include <kernels/diagonal/block/Lacuna_DiagonalColumnsKernel.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalHostProduct.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalPacksKernel.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalRowsKernel.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <string>

namespace lacuna::Impl {

/// C = alpha op(A) B + beta C by the kernel that suits the layout of B. C has elements. Does not fence.
template <class ExecutionSpace, class Walk, class Exact>
void diagonal_times_block(const ExecutionSpace& exec, const std::string& label, const Walk& A, const Exact& exact,
                          const BlockArguments<typename Walk::Scalar>& arguments) {
  using Policy       = DiagonalBlockPolicy;
  constexpr int pack = Policy::load_bytes / static_cast<int>(sizeof(typename Walk::Scalar));
  const DiagonalBlockProduct<Walk, Exact> product{A, exact, arguments};
  if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) {
    diagonal_host(exec, label, product);
  } else {
    if (arguments.B.columns > 1) {
      if (arguments.B.row_major()) return diagonal_columns(exec, label, product);
      if constexpr (pack >= Policy::least_pack) {
        if (columns_aligned(arguments.B)) return diagonal_packs<Policy::pack_columns>(exec, label, product);
      }
    }
    diagonal_rows(exec, label, product);
  }
}

/// Vectors as blocks of one column.
template <class Scalar>
BlockArguments<Scalar> as_block(const VectorArguments<Scalar>& vectors, std::int64_t rows, std::int64_t columns) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(Scalar));
  return {vectors.alpha,
          vectors.beta,
          {vectors.x.data, vectors.x.stride_bytes / bytes, 1, columns, 1},
          {vectors.y.data, vectors.y.stride_bytes / bytes, 1, rows, 1}};
}

}  // namespace lacuna::Impl

#endif
