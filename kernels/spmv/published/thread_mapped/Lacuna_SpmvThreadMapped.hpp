// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVTHREADMAPPED_HPP
#define LACUNA_SPMVTHREADMAPPED_HPP

#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>
#include <kernels/spmv/published/thread_mapped/Lacuna_SpmvThreadMappedKernel.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

namespace lacuna::Impl {

/// \brief 002, section 4: 16 lanes a row, partial sums reduced in scratch.
struct SpmvThreadMapped : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::thread_mapped;

  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_thread_mapped(exec, A, arguments, shape);
  }

  template <CrsMatrixType, class>
  using Storage = SpmvCsrStorage<SpmvThreadMapped>;
};

}  // namespace lacuna::Impl

#endif
