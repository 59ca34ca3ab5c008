// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWBLOCK_HPP
#define LACUNA_SPMVROWBLOCK_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/published/row_block/Lacuna_SpmvRowBlockKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvFormatStorage.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>

#include <cstddef>

namespace lacuna::Impl {

/// \brief 002, section 4: blocks of constant size found at run time, x staged in scratch.
struct SpmvRowBlock : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::row_block;

  template <CrsMatrixType Matrix>
  using Format = FormatOf<RowBlockMatrix, Matrix>;

  template <class ExecutionSpace, CrsMatrixType Matrix>
  static Format<Matrix> convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_row_block(exec, A, {.memory_limit = memory_limit});
  }

  template <class ExecutionSpace, class Stored>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape) {
    spmv_row_block(exec, A, arguments, shape);
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvFormatStorage<SpmvRowBlock, Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
