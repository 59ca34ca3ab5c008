// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_DIAGONALPROBLEM_HPP
#define LACUNA_BENCH_DIAGONALPROBLEM_HPP

#include <rivals/Rival.hpp>
#include <support/Bench_Timing.hpp>

#include <KokkosSparse_CrsMatrix.hpp>

#include <functional>
#include <string>
#include <vector>

namespace lacuna::bench {

using DiagonalCrs    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using DiagonalVector = Kokkos::View<double*, Device>;

/// \brief A rival in diagonal products: what is timed, and y = C x of what it computed.
struct DiagonalCandidate {
  Candidate candidate;
  std::function<void(Implementation&, const DiagonalVector& x, const DiagonalVector& y)> apply;
  bool on_host = false;  ///< sequential or OpenMP's threads: a few calls, one where it is long
};

#if defined(KOKKOS_ENABLE_CUDA)
/// \brief cuSPARSE's SpGEMM, and cuBLAS's DGEMM, of A and B as they are.
std::vector<DiagonalCandidate> cuda_diagonal_rivals(const ExecutionSpace& exec, const DiagonalCrs& A,
                                                    const DiagonalCrs& B);
#endif

}  // namespace lacuna::bench

#endif
