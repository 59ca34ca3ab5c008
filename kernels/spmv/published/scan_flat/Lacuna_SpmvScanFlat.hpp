// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSCANFLAT_HPP
#define LACUNA_SPMVSCANFLAT_HPP

#include <kernels/spmv/published/scan_flat/Lacuna_TreeScanTile.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvScanStorage.hpp>

namespace lacuna::Impl {

/// \brief 002, section 5.1, after Sengupta et al.: products, tree-based segmented scan, gather.
struct SpmvScanFlat : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::scan_flat;

  template <class ExecutionSpace, class Arrays, class Workspace>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                       const Workspace& workspace) {
    spmv_scan_flat(exec, A, arguments, shape, workspace);
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvScanStorage<SpmvScanFlat, Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
