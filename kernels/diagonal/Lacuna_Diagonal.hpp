// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONAL_HPP
#define LACUNA_DIAGONAL_HPP

#include <Lacuna_DiagonalFormats.hpp>
#include <Lacuna_DiagonalOptions.hpp>
#include <Lacuna_DiagonalPlan.hpp>
#include <kernels/diagonal/impl/Lacuna_DiagonalSymmetric.hpp>

/// \file
/// \brief C = alpha op(A) op(B) + beta C with A, B and C in diagonal storage: all three in HM, or all three in CDM.
/// (Haque, Parvez, Hossain, Algorithms 17(1):31, 2024, sections 4 and 6.)
///
/// The diagonals of a product are known before it: the sums of one of A's and one of B's, in CDM modulo n. Transposes
/// move no data. Functions that return C allocate it; those that are given C allocate nothing, but for `strips`, which
/// lists the pairs of diagonals that meet. A `DiagonalPlan` keeps those lists, and what else is found out before.
///
/// Common to all:
/// \param[in] exec  all work goes to this instance. Nothing fences. Every function also exists without it: default
///                  instance, fenced before and after.
/// \param[in] op_a, op_b  of real matrices `conjugate_transpose` is `transpose`.
/// \param[in] A, B  `HmMatrix` of any extents, or `CdmMatrix` of the same n.
/// \param[in] options  which algorithm, determinism, a memory limit.
/// Deterministic, the same bits on every run on the same device, but for the algorithms `entries` and
/// `entries_by_case`, which `automatic` never takes.
/// \throws DimensionMismatch, OutOfMemory (before the allocation), NotSupported (an algorithm that does not serve the
/// product; elements beyond the offset type); InvalidArgument (C lacks a diagonal of the product, or shares memory with
/// A or B); InvalidMatrix (lists or lengths of a matrix put together by hand are wrong). C is then untouched.

namespace lacuna {

/// \brief Which diagonals op(A) op(B) has: the offsets of HM ascending, or the indices of compact diagonals. Runs on
/// the host alone.
template <Impl::DiagonalMatrixType Format>
std::vector<std::int64_t> product_diagonals(Op op_a, const Format& A, Op op_b, const Format& B) {
  return Impl::diagonals_of_product("product_diagonals", op_a, A, op_b, B);
}

/// \brief Which diagonals C = syrk(op, A) has, in the same order.
template <Impl::DiagonalMatrixType Format>
std::vector<std::int64_t> syrk_diagonals(Op op, const Format& A) {
  return Impl::symmetric_diagonals("syrk_diagonals", op, A, A, false).all();
}

/// \brief Which diagonals C = syr2k(op, A, B) has, in the same order.
template <Impl::DiagonalMatrixType Format>
std::vector<std::int64_t> syr2k_diagonals(Op op, const Format& A, const Format& B) {
  Impl::check_same_extents("syr2k_diagonals", A, B);
  return Impl::symmetric_diagonals("syr2k_diagonals", op, A, B, true).all();
}

/// \brief op(A) op(B), in a new matrix that has the diagonals of `product_diagonals`.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::DiagonalMatrixType Format>
Format gemm(const ExecutionSpace& exec, Op op_a, const Format& A, Op op_b, const Format& B,
            const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  return Impl::new_diagonal_product("gemm", exec, op_a, A, op_b, B,
                                    Impl::diagonals_of_product("gemm", op_a, A, op_b, B), options,
                                    [](const auto& run, const Format& C) { run(Scalar(1), Scalar(0), C); });
}

/// \brief C = alpha op(A) op(B) + beta C. C has at least the diagonals of the product. Its other diagonals are
/// multiplied by beta. beta == 0 stores 0: NaN and Inf in C vanish.
template <Impl::ExecutionSpaceType ExecutionSpace, class Alpha, Impl::DiagonalMatrixType Format, class Beta>
void gemm(const ExecutionSpace& exec, const Alpha& alpha, Op op_a, const Format& A, Op op_b, const Format& B,
          const Beta& beta, const Format& C, const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  Impl::diagonal_product("gemm", exec, static_cast<Scalar>(alpha), op_a, A, op_b, B, static_cast<Scalar>(beta), C,
                         options);
}

/// \brief The same by a plan for op_a, A, op_b, B and C: allocates nothing, fences nothing. \throws InvalidArgument
/// where extents or diagonals of a matrix are not the ones that the plan was made for.
template <Impl::ExecutionSpaceType ExecutionSpace, class Alpha, Impl::DiagonalMatrixType Format, class Beta>
void gemm(const ExecutionSpace& exec, const DiagonalPlan<Format>& plan, const Alpha& alpha, const Format& A,
          const Format& B, const Beta& beta, const Format& C) {
  using Scalar = typename Format::Scalar;
  plan.apply(exec, static_cast<Scalar>(alpha), A, B, static_cast<Scalar>(beta), C);
}

/// \brief C = op(A) op(B).
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::DiagonalMatrixType Format>
void gemm(const ExecutionSpace& exec, Op op_a, const Format& A, Op op_b, const Format& B, const Format& C,
          const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  Impl::diagonal_product("gemm", exec, Scalar(1), op_a, A, op_b, B, Scalar(0), C, options);
}

/// \brief A A' for Op::none, A' A for Op::transpose, A^H A for Op::conjugate_transpose, in a new matrix. Both triangles
/// are stored. Where the algorithm works by diagonals of C, it computes one triangle and copies the other.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::DiagonalMatrixType Format>
Format syrk(const ExecutionSpace& exec, Op op, const Format& A, const DiagonalOptions& options = {}) {
  return Impl::new_symmetric_product("syrk", exec, op, A, A, false, options);
}

/// \brief A B' + B A' for Op::none, A' B + B' A for Op::transpose, A^H B + B^H A for Op::conjugate_transpose, in a new
/// matrix. Both triangles are stored. A and B have the same extents.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::DiagonalMatrixType Format>
Format syr2k(const ExecutionSpace& exec, Op op, const Format& A, const Format& B, const DiagonalOptions& options = {}) {
  Impl::check_same_extents("syr2k", A, B);
  return Impl::new_symmetric_product("syr2k", exec, op, A, B, true, options);
}

/// \brief C = alpha A A' + beta C for Op::none, C = alpha A' A + beta C for Op::transpose, C = alpha A^H A + beta C for
/// Op::conjugate_transpose: the update of BLAS, but for both triangles. C has at least the diagonals of
/// `syrk_diagonals`. Its other diagonals are multiplied by beta.
template <Impl::ExecutionSpaceType ExecutionSpace, class Alpha, Impl::DiagonalMatrixType Format, class Beta>
void syrk(const ExecutionSpace& exec, const Alpha& alpha, Op op, const Format& A, const Beta& beta, const Format& C,
          const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  Impl::symmetric_product("syrk", exec, static_cast<Scalar>(alpha), op, A, A, false, static_cast<Scalar>(beta), C,
                          options);
}

/// \brief C = alpha A B' + alpha B A' + beta C for Op::none, C = alpha A' B + alpha B' A + beta C for Op::transpose, C
/// = alpha A^H B + conj(alpha) B^H A + beta C for Op::conjugate_transpose. C has at least the diagonals of
/// `syr2k_diagonals`. Its other diagonals are multiplied by beta.
template <Impl::ExecutionSpaceType ExecutionSpace, class Alpha, Impl::DiagonalMatrixType Format, class Beta>
void syr2k(const ExecutionSpace& exec, const Alpha& alpha, Op op, const Format& A, const Format& B, const Beta& beta,
           const Format& C, const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  Impl::check_same_extents("syr2k", A, B);
  Impl::symmetric_product("syr2k", exec, static_cast<Scalar>(alpha), op, A, B, true, static_cast<Scalar>(beta), C,
                          options);
}

template <Impl::DiagonalMatrixType Format>
Format gemm(Op op_a, const Format& A, Op op_b, const Format& B, const DiagonalOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "gemm", [&](const auto& exec) { return gemm(exec, op_a, A, op_b, B, options); });
}

template <class Alpha, Impl::DiagonalMatrixType Format, class Beta>
requires(!Kokkos::is_execution_space_v<Alpha>) void gemm(const Alpha& alpha, Op op_a, const Format& A, Op op_b,
                                                         const Format& B, const Beta& beta, const Format& C,
                                                         const DiagonalOptions& options = {}) {
  Impl::with_default_instance<typename Format::execution_space>(
      "gemm", [&](const auto& exec) { gemm(exec, alpha, op_a, A, op_b, B, beta, C, options); });
}

template <Impl::DiagonalMatrixType Format>
void gemm(Op op_a, const Format& A, Op op_b, const Format& B, const Format& C, const DiagonalOptions& options = {}) {
  Impl::with_default_instance<typename Format::execution_space>(
      "gemm", [&](const auto& exec) { gemm(exec, op_a, A, op_b, B, C, options); });
}

template <class Alpha, Impl::DiagonalMatrixType Format, class Beta>
void gemm(const DiagonalPlan<Format>& plan, const Alpha& alpha, const Format& A, const Format& B, const Beta& beta,
          const Format& C) {
  Impl::with_default_instance<typename Format::execution_space>(
      "gemm", [&](const auto& exec) { gemm(exec, plan, alpha, A, B, beta, C); });
}

template <Impl::DiagonalMatrixType Format>
Format syrk(Op op, const Format& A, const DiagonalOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "syrk", [&](const auto& exec) { return syrk(exec, op, A, options); });
}

template <Impl::DiagonalMatrixType Format>
Format syr2k(Op op, const Format& A, const Format& B, const DiagonalOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "syr2k", [&](const auto& exec) { return syr2k(exec, op, A, B, options); });
}

template <class Alpha, Impl::DiagonalMatrixType Format, class Beta>
requires(!Kokkos::is_execution_space_v<Alpha>) void syrk(const Alpha& alpha, Op op, const Format& A, const Beta& beta,
                                                         const Format& C, const DiagonalOptions& options = {}) {
  Impl::with_default_instance<typename Format::execution_space>(
      "syrk", [&](const auto& exec) { syrk(exec, alpha, op, A, beta, C, options); });
}

template <class Alpha, Impl::DiagonalMatrixType Format, class Beta>
requires(!Kokkos::is_execution_space_v<Alpha>) void syr2k(const Alpha& alpha, Op op, const Format& A, const Format& B,
                                                          const Beta& beta, const Format& C,
                                                          const DiagonalOptions& options = {}) {
  Impl::with_default_instance<typename Format::execution_space>(
      "syr2k", [&](const auto& exec) { syr2k(exec, alpha, op, A, B, beta, C, options); });
}

}  // namespace lacuna

#endif
