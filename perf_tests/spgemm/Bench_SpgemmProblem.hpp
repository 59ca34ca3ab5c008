// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPGEMMPROBLEM_HPP
#define LACUNA_BENCH_SPGEMMPROBLEM_HPP

#include <rivals/Rival.hpp>
#include <support/Bench_Timing.hpp>

#include <KokkosSparse_CrsMatrix.hpp>

#include <memory>
#include <optional>

/// \file
/// \brief The operands of C = A A, and the rivals that compute it.

namespace lacuna::bench {

template <class ScalarType, class OrdinalType, class OffsetType>
struct SpgemmProblem {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;
  using Matrix  = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;
  using Entries = Kokkos::View<Ordinal*, Device>;
  using Values  = Kokkos::View<Scalar*, Device>;
  using RowMap  = Kokkos::View<Offset*, Device>;

  ExecutionSpace exec;
  Matrix A;
  /// What the last call computed; every call frees what the one before left.
  std::shared_ptr<std::optional<Matrix>> C = std::make_shared<std::optional<Matrix>>();
};

/// \brief Kokkos Kernels' own algorithm, the whole call.
template <class Problem>
Candidates kokkos_kernels_spgemm(const Problem& problem);

#if defined(KOKKOS_ENABLE_CUDA)
/// \brief cusparseSpGEMM, every algorithm, the whole call with its buffers, and cusparseSpGEMMreuse, of which all but
/// the values is set-up.
template <class Problem>
Candidates cusparse_spgemm(const Problem& problem);
#endif

template <class Problem>
Candidates spgemm_rivals(const Problem& problem) {
  Candidates candidates;
#if defined(KOKKOS_ENABLE_CUDA)
  candidates = cusparse_spgemm(problem);
#endif
  for (Candidate& candidate : kokkos_kernels_spgemm(problem)) candidates.push_back(std::move(candidate));
  return candidates;
}

}  // namespace lacuna::bench

#endif
