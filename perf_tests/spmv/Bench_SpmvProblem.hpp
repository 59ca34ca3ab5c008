// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMVPROBLEM_HPP
#define LACUNA_BENCH_SPMVPROBLEM_HPP

#include <rivals/Rival.hpp>
#include <support/Bench_Timing.hpp>

#include <KokkosSparse_CrsMatrix.hpp>

/// \file
/// \brief The operands of y = A x + beta y, and the rivals that compute it.

namespace lacuna::bench {

template <class ScalarType, class OrdinalType, class OffsetType>
struct SpmvProblem {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;
  using Matrix  = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;
  using X       = Kokkos::View<const Scalar*, Device>;
  using Y       = Kokkos::View<Scalar*, Device>;

  ExecutionSpace exec;
  Matrix A;
  X x;
  Y y;
  Scalar beta{};
};

/// \brief Kokkos Kernels' own kernels: the default one, and merge path.
template <class Problem>
Candidates kokkos_kernels_spmv(const Problem& problem);

#if defined(KOKKOS_ENABLE_CUDA)
/// \brief Every algorithm of cusparseSpMV, preprocessed. COO, sliced ELLPACK and (where the pattern is made of dense
/// blocks) BSR are converted on the device, which counts as set-up.
template <class Problem>
Candidates cusparse_spmv(const Problem& problem);
#endif

#if defined(LACUNA_BENCH_MKL)
/// \brief oneMKL's mkl_sparse_?_mv, for float and double with 32-bit indices.
template <class Problem>
Candidates mkl_spmv(const Problem& problem);
#endif

/// \brief All of them.
template <class Problem>
Candidates spmv_rivals(const Problem& problem) {
  Candidates candidates = kokkos_kernels_spmv(problem);
#if defined(KOKKOS_ENABLE_CUDA)
  for (Candidate& candidate : cusparse_spmv(problem)) candidates.push_back(std::move(candidate));
#endif
#if defined(LACUNA_BENCH_MKL)
  for (Candidate& candidate : mkl_spmv(problem)) candidates.push_back(std::move(candidate));
#endif
  return candidates;
}

}  // namespace lacuna::bench

#endif
