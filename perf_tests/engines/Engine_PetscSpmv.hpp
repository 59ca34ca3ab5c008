// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINE_PETSCSPMV_HPP
#define LACUNA_ENGINE_PETSCSPMV_HPP

#include <petscmat.h>
#include <support/Bench_Timing.hpp>

/// \file
/// \brief `lacuna::spmv` without PETSc around it: what MatMult takes more is what the adapter costs.

namespace lacuna::bench {

/// \brief The steady time of y = A x by `lacuna::spmv` with a plan for many products, on the arrays of A where they are
/// and on the stream that PETSc's kernels have.
/// \param[in] A sequential, assembled, in CSR
SteadyTime spmv_time(Mat A, const TimingOptions& timing);

}  // namespace lacuna::bench

#endif
