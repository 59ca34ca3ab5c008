// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMMPROBLEM_HPP
#define LACUNA_BENCH_SPMMPROBLEM_HPP

#include <rivals/Rival.hpp>
#include <spmm/Bench_SpmmAlgorithms.hpp>
#include <support/Bench_Timing.hpp>
#include <support/Bench_WorkModels.hpp>

#include <KokkosSparse_CrsMatrix.hpp>

#include <cstdint>

/// \file
/// \brief The operands of C = A B + beta C, and the rivals that compute it.

namespace lacuna::bench {

/// \brief B and C stand in memory without gaps, row-major (`right`) or column-major (`left`); the same memory serves
/// both, one after the other.
template <class ScalarType, class OrdinalType, class OffsetType>
struct SpmmProblem {
  using Scalar  = ScalarType;
  using Factor  = ArithmeticOf<Scalar>;  ///< of alpha and beta
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;
  using Matrix  = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;
  using Storage = Kokkos::View<Scalar*, Device>;
  template <class Layout>
  using Input = Kokkos::View<const Scalar**, Layout, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class Layout>
  using Output = Kokkos::View<Scalar**, Layout, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  ExecutionSpace exec;
  Matrix A;
  std::int64_t columns = 0;  ///< of B and C
  DenseLayout layout   = DenseLayout::right;
  Factor beta{};
  Storage b;
  Storage c;

  std::int64_t b_rows() const { return static_cast<std::int64_t>(A.numCols()); }
  std::int64_t c_rows() const { return static_cast<std::int64_t>(A.numRows()); }

  template <class Layout>
  Input<Layout> B() const {
    return Input<Layout>(b.data(), b_rows(), columns);
  }
  template <class Layout>
  Output<Layout> C() const {
    return Output<Layout>(c.data(), c_rows(), columns);
  }
  SpmmProblem with_layout(DenseLayout other) const {
    SpmmProblem problem = *this;
    problem.layout      = other;
    return problem;
  }
};

/// \brief Kokkos Kernels' own kernel, KokkosSparse::spmv of rank 2, for the problem's layout. Not for half precision,
/// which it would add in.
template <class Problem>
Candidates kokkos_kernels_spmm(const Problem& problem);

#if defined(KOKKOS_ENABLE_CUDA)
/// \brief Every algorithm of cusparseSpMM for the problem's layout, preprocessed where cuSPARSE can. COO and, where the
/// pattern allows, BSR and Blocked-ELL are converted on the device, which counts as set-up.
template <class Problem>
Candidates cusparse_spmm(const Problem& problem);

/// \brief A as a dense matrix: the general product of cuBLAS in the scalar's own precision and, for float, in TF32 and
/// in half precision.
template <class Problem>
Candidates cublas_spmm(const Problem& problem);
#endif

#if defined(LACUNA_BENCH_MKL)
/// \brief oneMKL's mkl_sparse_?_mm for the problem's layout, for float and double with 32-bit indices.
template <class Problem>
Candidates mkl_spmm(const Problem& problem);
#endif

/// \brief All of them: first those that are fast most often, so that the slow ones can be given up early.
template <class Problem>
Candidates spmm_rivals(const Problem& problem) {
  const Problem rows = problem.with_layout(DenseLayout::right), columns = problem.with_layout(DenseLayout::left);
  Candidates candidates;
  const auto add = [&](Candidates more) {
    for (Candidate& candidate : more) candidates.push_back(std::move(candidate));
  };
#if defined(KOKKOS_ENABLE_CUDA)
  add(cusparse_spmm(rows));
  add(cusparse_spmm(columns));
#if defined(LACUNA_BENCH_CUBLAS)
  add(cublas_spmm(rows));
#endif
#endif
#if defined(LACUNA_BENCH_MKL)
  add(mkl_spmm(rows));
  add(mkl_spmm(columns));
#endif
  if constexpr (!is_half<typename Problem::Scalar>) {
    add(kokkos_kernels_spmm(rows));
    add(kokkos_kernels_spmm(columns));
  }
  return candidates;
}

}  // namespace lacuna::bench

#endif
