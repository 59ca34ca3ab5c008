// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_CSR_KERNELS_HPP
#define LACUNA_SPMV_CSR_KERNELS_HPP

#include <spmv/Spmv_Kernel_Check.hpp>

/// \file
/// \brief What a driver needs of the kernels that read CSR as it is.

namespace lacuna::Test {

struct CsrKernel {
  template <class ExecutionSpace, class Matrix>
  static Matrix prepare(const ExecutionSpace&, const Matrix& A) {
    return A;
  }
};

}  // namespace lacuna::Test

#endif
