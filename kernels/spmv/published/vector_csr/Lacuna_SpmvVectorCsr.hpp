// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVVECTORCSR_HPP
#define LACUNA_SPMVVECTORCSR_HPP

#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>
#include <kernels/spmv/published/vector_csr/Lacuna_SpmvVectorCsrKernel.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

namespace lacuna::Impl {

/// \brief 002, section 5.1, after Bell and Garland: 32 lanes a row.
struct SpmvVectorCsr : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::vector_csr;

  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_vector_csr(exec, A, arguments, shape);
  }

  template <CrsMatrixType, class>
  using Storage = SpmvCsrStorage<SpmvVectorCsr>;
};

}  // namespace lacuna::Impl

#endif
