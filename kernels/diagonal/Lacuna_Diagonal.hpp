// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONAL_HPP
#define LACUNA_DIAGONAL_HPP

#include <Lacuna_DiagonalFormats.hpp>
#include <Lacuna_DiagonalOptions.hpp>
#include <Lacuna_DiagonalPlan.hpp>
#include <kernels/diagonal/impl/Lacuna_DiagonalSymmetric.hpp>

/// \file
/// \brief Products of matrices in diagonal storage: C = alpha op(A) op(B) + beta C with A, B and C all in HM, or all in
/// CDM.
///
/// Source: Haque, Parvez and Hossain, Algorithms 17(1):31, 2024, sections 4 and 6.
///
/// The diagonals of op(A) op(B) are known before it is computed: each is the sum of a diagonal of op(A) and one of
/// op(B), in CDM modulo n. Transposes move no data. Functions that return C allocate it. Functions that are given C
/// allocate nothing, except with the algorithm `strips`, which lists the pairs of diagonals that meet; a `DiagonalPlan`
/// keeps these lists.
///
/// What holds for all products:
/// \param[in] exec all work goes to this instance. Nothing fences.
/// \param[in] op_a, op_b the forms of A and B. For real matrices `conjugate_transpose` is `transpose`.
/// \param[in] A, B two `HmMatrix` of any extents that fit together, or two `CdmMatrix` of the same n.
/// \param[in,out] C a matrix in the same format with the extents of the product. It must not share memory with A or
///     B. It has at least the diagonals of the product: `product_diagonals`, `syrk_diagonals` or `syr2k_diagonals`
///     lists them. Each further diagonal of C is multiplied by beta.
/// \param[in] alpha, beta anything that converts to the scalar. beta == 0 stores: NaN and Inf in C vanish, and
///     further diagonals become 0.
/// \param[in] options the algorithm, determinism, a limit of memory
/// \throws DimensionMismatch where extents contradict each other
/// \throws InvalidArgument where C lacks a diagonal of the product, or shares memory with A or B
/// \throws InvalidMatrix where the lists or lengths of a matrix contradict its extents
/// \throws NotSupported where the algorithm does not serve the product, or the offset type cannot count the elements,
///     or C is stored by half (`HmMatrix::symmetric`) and the product is not one of `syrk` or `syr2k`, or is Hermitian
/// \throws OutOfMemory, before it allocates, where `memory_limit` does not suffice
///
/// An exception leaves C untouched. Results have the same bits on every run on the same device, except with `entries`
/// and `entries_by_case`, which `automatic` never takes.

namespace lacuna {

/// \brief Lists the diagonals of op(A) op(B): offsets (HM) or indices (CDM), ascending. Runs on the host and reads no
/// values.
/// \throws DimensionMismatch, InvalidMatrix
template <Impl::DiagonalMatrixType Format>
std::vector<std::int64_t> product_diagonals(Op op_a, const Format& A, Op op_b, const Format& B) {
  constexpr auto where = "product_diagonals";
  return Impl::translate_bad_alloc(where, [&] { return Impl::diagonals_of_product(where, op_a, A, op_b, B); });
}

/// \brief Lists the diagonals of the product that `syrk` computes of A, as `product_diagonals` does.
/// \throws DimensionMismatch, InvalidMatrix
template <Impl::DiagonalMatrixType Format>
std::vector<std::int64_t> syrk_diagonals(Op op, const Format& A) {
  constexpr auto where = "syrk_diagonals";
  return Impl::translate_bad_alloc(where, [&] { return Impl::symmetric_diagonals(where, op, A, A, false).all(); });
}

/// \brief Lists the diagonals of the product that `syr2k` computes of A and B, as `product_diagonals` does.
/// \throws DimensionMismatch, InvalidMatrix
template <Impl::DiagonalMatrixType Format>
std::vector<std::int64_t> syr2k_diagonals(Op op, const Format& A, const Format& B) {
  constexpr auto where = "syr2k_diagonals";
  Impl::check_same_extents(where, A, B);
  return Impl::translate_bad_alloc(where, [&] { return Impl::symmetric_diagonals(where, op, A, B, true).all(); });
}

/// \brief Computes op(A) op(B) in a new matrix with the diagonals of `product_diagonals`.
/// \return C in the format of A and B
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::DiagonalMatrixType Format>
Format gemm(const ExecutionSpace& exec, Op op_a, const Format& A, Op op_b, const Format& B,
            const DiagonalOptions& options = {}) {
  return Impl::new_diagonal_product("gemm", exec, op_a, A, op_b, B, options);
}

/// \brief Computes C = alpha op(A) op(B) + beta C.
template <Impl::ExecutionSpaceType ExecutionSpace, class Alpha, Impl::DiagonalMatrixType Format, class Beta>
void gemm(const ExecutionSpace& exec, const Alpha& alpha, Op op_a, const Format& A, Op op_b, const Format& B,
          const Beta& beta, const Format& C, const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  Impl::diagonal_product("gemm", exec, static_cast<Scalar>(alpha), op_a, A, op_b, B, static_cast<Scalar>(beta), C,
                         options);
}

/// \brief Computes C = alpha op(A) op(B) + beta C with a plan. Allocates nothing.
/// \param[in] exec all work goes to this instance
/// \param[in] plan made for op_a, op_b and matrices with the extents and diagonals of A, B and C
/// \param[in] alpha, A, B, beta as without a plan
/// \param[in,out] C as without a plan
/// \throws InvalidArgument where a matrix has other extents or diagonals
template <Impl::ExecutionSpaceType ExecutionSpace, class Alpha, Impl::DiagonalMatrixType Format, class Operation,
          class Beta>
void gemm(const ExecutionSpace& exec, const DiagonalPlan<Format, Operation>& plan, const Alpha& alpha, const Format& A,
          const Format& B, const Beta& beta, const Format& C) {
  using Scalar = typename Format::Scalar;
  plan.apply(exec, static_cast<Scalar>(alpha), A, B, static_cast<Scalar>(beta), C);
}

/// \brief Computes C = op(A) op(B).
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::DiagonalMatrixType Format>
void gemm(const ExecutionSpace& exec, Op op_a, const Format& A, Op op_b, const Format& B, const Format& C,
          const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  Impl::diagonal_product("gemm", exec, Scalar(1), op_a, A, op_b, B, Scalar(0), C, options);
}

/// \brief Computes the product of A with its own transpose in a new matrix: A Aᵀ for `Op::none`, Aᵀ A for
/// `Op::transpose`, Aᴴ A for `Op::conjugate_transpose`.
///
/// C has both triangles. Algorithms that go by diagonals of C compute one triangle and copy it to the other.
/// \return C in the format of A
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::DiagonalMatrixType Format>
Format syrk(const ExecutionSpace& exec, Op op, const Format& A, const DiagonalOptions& options = {}) {
  return Impl::new_symmetric_product("syrk", exec, op, A, A, false, options);
}

/// \brief Computes a symmetric product of A and B in a new matrix: A Bᵀ + B Aᵀ for `Op::none`, Aᵀ B + Bᵀ A for
/// `Op::transpose`, Aᴴ B + Bᴴ A for `Op::conjugate_transpose`.
///
/// C has both triangles. A and B must have the same extents.
/// \return C in the format of A and B
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::DiagonalMatrixType Format>
Format syr2k(const ExecutionSpace& exec, Op op, const Format& A, const Format& B, const DiagonalOptions& options = {}) {
  Impl::check_same_extents("syr2k", A, B);
  return Impl::new_symmetric_product("syr2k", exec, op, A, B, true, options);
}

/// \brief Adds the product of A with its own transpose to C: C = alpha A Aᵀ + beta C for `Op::none`, C = alpha Aᵀ A +
/// beta C for `Op::transpose`, C = alpha Aᴴ A + beta C for `Op::conjugate_transpose`.
///
/// This is the update of BLAS, but for both triangles of C. C has at least the diagonals of `syrk_diagonals`.
template <Impl::ExecutionSpaceType ExecutionSpace, class Alpha, Impl::DiagonalMatrixType Format, class Beta>
void syrk(const ExecutionSpace& exec, const Alpha& alpha, Op op, const Format& A, const Beta& beta, const Format& C,
          const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  Impl::symmetric_product("syrk", exec, static_cast<Scalar>(alpha), op, A, A, false, static_cast<Scalar>(beta), C,
                          options);
}

/// \brief Adds a symmetric product of A and B to C: C = alpha A Bᵀ + alpha B Aᵀ + beta C for `Op::none`, C = alpha Aᵀ B
/// + alpha Bᵀ A + beta C for `Op::transpose`, C = alpha Aᴴ B + conj(alpha) Bᴴ A + beta C for `Op::conjugate_transpose`.
///
/// A and B must have the same extents. C has at least the diagonals of `syr2k_diagonals`.
template <Impl::ExecutionSpaceType ExecutionSpace, class Alpha, Impl::DiagonalMatrixType Format, class Beta>
void syr2k(const ExecutionSpace& exec, const Alpha& alpha, Op op, const Format& A, const Format& B, const Beta& beta,
           const Format& C, const DiagonalOptions& options = {}) {
  using Scalar = typename Format::Scalar;
  Impl::check_same_extents("syr2k", A, B);
  Impl::symmetric_product("syr2k", exec, static_cast<Scalar>(alpha), op, A, B, true, static_cast<Scalar>(beta), C,
                          options);
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::DiagonalMatrixType Format>
Format gemm(Op op_a, const Format& A, Op op_b, const Format& B, const DiagonalOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "gemm", [&](const auto& exec) { return gemm(exec, op_a, A, op_b, B, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <class Alpha, Impl::DiagonalMatrixType Format, class Beta>
requires(!Kokkos::is_execution_space_v<Alpha>) void gemm(const Alpha& alpha, Op op_a, const Format& A, Op op_b,
                                                         const Format& B, const Beta& beta, const Format& C,
                                                         const DiagonalOptions& options = {}) {
  Impl::with_default_instance<typename Format::execution_space>(
      "gemm", [&](const auto& exec) { gemm(exec, alpha, op_a, A, op_b, B, beta, C, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::DiagonalMatrixType Format>
void gemm(Op op_a, const Format& A, Op op_b, const Format& B, const Format& C, const DiagonalOptions& options = {}) {
  Impl::with_default_instance<typename Format::execution_space>(
      "gemm", [&](const auto& exec) { gemm(exec, op_a, A, op_b, B, C, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <class Alpha, Impl::DiagonalMatrixType Format, class Operation, class Beta>
void gemm(const DiagonalPlan<Format, Operation>& plan, const Alpha& alpha, const Format& A, const Format& B,
          const Beta& beta, const Format& C) {
  Impl::with_default_instance<typename Format::execution_space>(
      "gemm", [&](const auto& exec) { gemm(exec, plan, alpha, A, B, beta, C); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::DiagonalMatrixType Format>
Format syrk(Op op, const Format& A, const DiagonalOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "syrk", [&](const auto& exec) { return syrk(exec, op, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::DiagonalMatrixType Format>
Format syr2k(Op op, const Format& A, const Format& B, const DiagonalOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "syr2k", [&](const auto& exec) { return syr2k(exec, op, A, B, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <class Alpha, Impl::DiagonalMatrixType Format, class Beta>
requires(!Kokkos::is_execution_space_v<Alpha>) void syrk(const Alpha& alpha, Op op, const Format& A, const Beta& beta,
                                                         const Format& C, const DiagonalOptions& options = {}) {
  Impl::with_default_instance<typename Format::execution_space>(
      "syrk", [&](const auto& exec) { syrk(exec, alpha, op, A, beta, C, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <class Alpha, Impl::DiagonalMatrixType Format, class Beta>
requires(!Kokkos::is_execution_space_v<Alpha>) void syr2k(const Alpha& alpha, Op op, const Format& A, const Format& B,
                                                          const Beta& beta, const Format& C,
                                                          const DiagonalOptions& options = {}) {
  Impl::with_default_instance<typename Format::execution_space>(
      "syr2k", [&](const auto& exec) { syr2k(exec, alpha, op, A, B, beta, C, options); });
}

}  // namespace lacuna

#endif
