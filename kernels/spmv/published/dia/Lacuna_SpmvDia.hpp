// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVDIA_HPP
#define LACUNA_SPMVDIA_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/published/dia/Lacuna_SpmvDiaKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvFormatStorage.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>

#include <cstddef>

namespace lacuna::Impl {

/// \brief 002, section 5.1, after Bell and Garland: diagonals.
struct SpmvDia : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::dia;

  template <CrsMatrixType Matrix>
  using Format = FormatOf<DiaMatrix, Matrix>;

  template <class ExecutionSpace, CrsMatrixType Matrix>
  static Format<Matrix> convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_dia(exec, A, {.memory_limit = memory_limit});
  }

  template <class ExecutionSpace, class Stored>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape) {
    spmv_dia(exec, A, arguments, shape);
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvFormatStorage<SpmvDia, Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
