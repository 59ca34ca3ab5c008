// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHYBKERNEL_HPP
#define LACUNA_SPMVHYBKERNEL_HPP

#include <Lacuna_HybMatrix.hpp>
#include <kernels/spmv/published/shared/Lacuna_CooTile.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvEllKernel.hpp>

/// \file
/// \brief SpMV in hybrid storage (002, section 5.1, after Bell and Garland): the ELLPACK part writes y, the coordinate
/// part adds to it.

namespace lacuna::Impl {

/// y = alpha A x + beta y. `workspace` was made for the nonzeros of `A.coo`; calls that share it must not overlap.
/// `shape.lanes_per_row` is not used. Deterministic for a given shape. Does not fence.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
void spmv_hyb(const ExecutionSpace& exec, const HybMatrix<Scalar, Ordinal, Device, Offset>& A,
              const VectorArguments<Scalar>& arguments, SpmvShape shape,
              const SpmvCooWorkspace<Scalar, Ordinal, ExecutionSpace>& workspace) {
  spmv_ell(exec, A.ell, arguments, shape);
  add_coo_product(exec, A.coo, arguments, shape, workspace);
}

}  // namespace lacuna::Impl

#endif
