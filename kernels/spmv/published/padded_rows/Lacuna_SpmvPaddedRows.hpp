// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPADDEDROWS_HPP
#define LACUNA_SPMVPADDEDROWS_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/published/padded_rows/Lacuna_SpmvPaddedRowsKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvFormatStorage.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>

#include <cstddef>

namespace lacuna::Impl {

/// \brief 002, section 4: rows padded to a multiple of 16.
struct SpmvPaddedRows : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::padded_rows;

  template <CrsMatrixType Matrix>
  using Format = FormatOf<PaddedRowsMatrix, Matrix>;

  template <class ExecutionSpace, CrsMatrixType Matrix>
  static Format<Matrix> convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_padded_rows(exec, A, {.memory_limit = memory_limit});
  }

  template <class ExecutionSpace, class Stored>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape) {
    spmv_padded_rows(exec, A, arguments, shape);
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvFormatStorage<SpmvPaddedRows, Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
