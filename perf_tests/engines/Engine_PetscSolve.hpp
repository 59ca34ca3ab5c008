// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINE_PETSCSOLVE_HPP
#define LACUNA_ENGINE_PETSCSOLVE_HPP

#include <engines/Engine_PetscTools.hpp>
#include <support/Bench_Session.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief Systems of equations with several right-hand sides.

namespace lacuna::bench {

/// \brief Times KSPMatSolve of A X = B with `columns` right-hand sides by GMRES and a preconditioner, to a residual of
/// 1e-8: iterations of all columns stand in the measurement, set-up is that of the preconditioner.
///
/// A result is wrong where a column did not converge, or |B - A X| / |B|, by the plain matrix, is above 1e-6: GMRES
/// ends by the residual of the preconditioned system. What stands behind -- on the command line changes the solver.
Measurement measure_solve(Mat A, Mat plain_A, const std::string& preconditioner, std::int64_t columns,
                          const TimingOptions& timing);

}  // namespace lacuna::bench

#endif
