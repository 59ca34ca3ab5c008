// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVCACHED_HPP
#define LACUNA_SPMVCACHED_HPP

#include <kernels/spmv/published/shared/Lacuna_SpmvAlignedKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

namespace lacuna::Impl {

/// \brief 002, section 4: aligned reads of the matrix, x through the read-only cache.
struct SpmvCached : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::cached;

  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_cached(exec, A, arguments, shape);
  }

  template <CrsMatrixType, class>
  using Storage = SpmvCsrStorage<SpmvCached>;
};

}  // namespace lacuna::Impl

#endif
