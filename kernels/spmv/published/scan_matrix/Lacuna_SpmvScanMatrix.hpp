// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSCANMATRIX_HPP
#define LACUNA_SPMVSCANMATRIX_HPP

#include <kernels/spmv/published/scan_matrix/Lacuna_MatrixScanTile.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvScanStorage.hpp>

namespace lacuna::Impl {

/// \brief 002, section 5.1, after Dotsenko et al.: products, matrix-based segmented scan, gather.
struct SpmvScanMatrix : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::scan_matrix;

  template <class ExecutionSpace, class Arrays, class Workspace>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                       const Workspace& workspace) {
    spmv_scan_matrix(exec, A, arguments, shape, workspace);
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvScanStorage<SpmvScanMatrix, Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
