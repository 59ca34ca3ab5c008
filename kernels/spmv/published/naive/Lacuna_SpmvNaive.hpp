// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVNAIVE_HPP
#define LACUNA_SPMVNAIVE_HPP

#include <kernels/spmv/published/naive/Lacuna_SpmvNaiveKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

namespace lacuna::Impl {

/// \brief 002, section 4: a thread a row. The ground that the others are measured against.
struct SpmvNaive : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::naive;

  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_naive(exec, A, arguments, shape);
  }

  template <CrsMatrixType, class>
  using Storage = SpmvCsrStorage<SpmvNaive>;
};

}  // namespace lacuna::Impl

#endif
