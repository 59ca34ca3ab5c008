// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVALIGNED_HPP
#define LACUNA_SPMVALIGNED_HPP

#include <kernels/spmv/published/shared/Lacuna_SpmvAlignedKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

namespace lacuna::Impl {

/// \brief 002, section 4: several lanes a row, the unaligned head of a row apart.
struct SpmvAligned : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::aligned;

  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_aligned(exec, A, arguments, shape);
  }

  template <CrsMatrixType, class>
  using Storage = SpmvCsrStorage<SpmvAligned>;
};

}  // namespace lacuna::Impl

#endif
