// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALPRODUCT_HPP
#define LACUNA_DIAGONALPRODUCT_HPP

#include <core/impl/memory/Lacuna_SharedBytes.hpp>
#include <kernels/diagonal/impl/Lacuna_DiagonalOperation.hpp>

#include <iterator>
#include <utility>

/// \file
/// \brief A product in diagonal storage from the user's call to the kernel: checks, what is known of it, the choice.

namespace lacuna::Impl {

template <class Format>
std::int64_t rows_of(Op op, const Format& X) {
  return static_cast<std::int64_t>(op == Op::none ? X.rows : X.columns);
}
template <class Format>
std::int64_t columns_of(Op op, const Format& X) {
  return static_cast<std::int64_t>(op == Op::none ? X.columns : X.rows);
}

template <class Format>
void check_same_extents(const char* function, const Format& A, const Format& B) {
  if (A.rows != B.rows || A.columns != B.columns)
    raise<DimensionMismatch>(function, "A is ", shape_text(A.rows, A.columns), ", B is ",
                             shape_text(B.rows, B.columns));
}

/// Ascending lists as one.
inline DiagonalList joined(const DiagonalList& left, const DiagonalList& right) {
  DiagonalList both;
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
  return both;
}

template <class Format>
void check_inner(const char* function, Op op_a, const Format& A, Op op_b, const Format& B) {
  if (columns_of(op_a, A) != rows_of(op_b, B))
    raise<DimensionMismatch>(function, "op(A) is ", shape_text(rows_of(op_a, A), columns_of(op_a, A)), ", op(B) is ",
                             shape_text(rows_of(op_b, B), columns_of(op_b, B)));
}

/// \throws DimensionMismatch
template <class Format>
DiagonalList diagonals_of_product(const char* function, Op op_a, const Format& A, Op op_b, const Format& B) {
  check_inner(function, op_a, A, op_b, B);
  check_lengths(function, "A", A);
  check_lengths(function, "B", B);
  return product_diagonals(A, diagonals_of(op_a, A), diagonals_of(op_b, B), rows_of(op_a, A), columns_of(op_b, B));
}

template <class Format>
DiagonalRequest diagonal_request(Op op_a, const Format& A, Op op_b, const Format& B, const DiagonalList& of_product,
                                 const DiagonalList& of_c, const DiagonalOptions& options) {
  DiagonalRequest request;
  static_cast<DiagonalOptions&>(request) = options;
  request.format                         = is_hm_matrix<Format>::value ? DiagonalFormat::hm : DiagonalFormat::cdm;
  request.scalar                         = scalar_properties<typename Format::Scalar>();
  request.rows                           = rows_of(op_a, A);
  request.inner                          = columns_of(op_a, A);
  request.columns                        = columns_of(op_b, B);
  request.half_a                         = is_half(A);
  request.dg_a                           = A.dg();
  request.dg_b                           = B.dg();
  request.dg_c                           = static_cast<std::int64_t>(of_c.size());
  const DiagonalList of_a                = diagonals_of(op_a, A);
  request.near_a   = request.format == DiagonalFormat::cdm ? request.dg_a : most_within(of_a, request.inner + 255);
  const bool folds = request.format == DiagonalFormat::cdm && request.dg_a + request.dg_b - 1 != request.dg_c;
  if (of_product.size() == of_c.size() && !folds) {  // diagonals that fall on one another are no band
    request.band_a = first_of_run(of_a, request.format, request.rows);
    request.band_b = first_of_run(diagonals_of(op_b, B), request.format, request.rows);
  }
  return request;
}

template <class Format>
void check_memory_of_result(const char* function, const Format& A, const Format& B, const Format& C) {
  if (share_bytes(C.list, A.list) || share_bytes(C.list, B.list))
    raise<InvalidArgument>(function, "C shares memory with A or B");
}

/// \throws NotSupported where C is stored by half, and a product might not be symmetric.
template <class Format>
void check_whole_result(const char* function, const Format& C) {
  if (is_half(C))
    raise<NotSupported>(function,
                        "C is stored by half, as a symmetric matrix: syrk and syr2k compute such a C, or make C "
                        "without HmOptions::symmetric");
}

/// \throws InvalidArgument where C has not the diagonals of the product, or the memory of an operand.
template <class Format>
void check_result(const char* function, std::int64_t rows, std::int64_t columns, const Format& A, const Format& B,
                  const Format& C, const DiagonalList& of_product, const DiagonalList& of_c) {
  check_lengths(function, "C", C);
  if (static_cast<std::int64_t>(C.rows) != rows || static_cast<std::int64_t>(C.columns) != columns)
    raise<DimensionMismatch>(function, "the product is ", shape_text(rows, columns), ", C is ",
                             shape_text(C.rows, C.columns));
  if (!std::includes(of_c.begin(), of_c.end(), of_product.begin(), of_product.end())) {
    DiagonalList missing;
    std::set_difference(of_product.begin(), of_product.end(), of_c.begin(), of_c.end(), std::back_inserter(missing));
    raise<InvalidArgument>(function, "C has ", of_c.size(), " diagonals and lacks ", missing.size(), " of the ",
                           of_product.size(), " of the product, the first of them ", missing.front());
  }
  check_memory_of_result(function, A, B, C);
}

/// The operands as kernels see them.
template <class Format>
auto diagonal_arguments(typename Format::Scalar alpha, Op op_a, const Format& A, Op op_b, const Format& B,
                        typename Format::Scalar beta, const Format& C) {
  using Operand = decltype(operand_of(op_a, A));
  return DiagonalArguments<Operand, decltype(result_of(C))>{operand_of(op_a, A), operand_of(op_b, B), result_of(C),
                                                            alpha, beta};
}

/// A product of which all is there that it allocates: it cannot run out of memory with a part of C written.
template <class Format>
class ReadyDiagonalProduct {
  using Scalar = typename Format::Scalar;

 public:
  template <class ExecutionSpace>
  ReadyDiagonalProduct(const char* function, const ExecutionSpace& exec, Scalar alpha, Op op_a, const Format& A,
                       Op op_b, const Format& B, Scalar beta, const Format& C, const ChosenDiagonal& chosen)
      : m_function(function), m_arguments(diagonal_arguments(alpha, op_a, A, op_b, B, beta, C)) {
    static_assert(is_accessible<ExecutionSpace, decltype(C.list)>,
                  "lacuna::gemm: the matrices must be accessible from the execution space");
    MemoryBudget budget(function, chosen.left);
    build_storage(m_storage, chosen.choice.index,
                  diagonal_context(exec, chosen.device, chosen.request, m_arguments, budget));
  }
  /// Does not fence.
  template <class ExecutionSpace>
  void run(const ExecutionSpace& exec) const {
    multiply_diagonals<DiagonalAlgorithms>(m_function, exec, m_storage, m_arguments);
  }

 private:
  const char* m_function;
  decltype(diagonal_arguments(Scalar(), Op::none, std::declval<Format>(), Op::none, std::declval<Format>(), Scalar(),
                              std::declval<Format>())) m_arguments;
  typename StorageVariant<DiagonalAlgorithms, typename Format::memory_space>::type m_storage;
};

/// Into a C that is there.
template <class ExecutionSpace, class Format>
void diagonal_product(const char* function, const ExecutionSpace& exec, typename Format::Scalar alpha, Op op_a,
                      const Format& A, Op op_b, const Format& B, typename Format::Scalar beta, const Format& C,
                      const DiagonalOptions& options) {
  translate_bad_alloc(function, [&] {
    const auto of_product = diagonals_of_product(function, op_a, A, op_b, B);
    const auto of_c       = diagonals_of(Op::none, C);
    check_whole_result(function, C);
    check_result(function, rows_of(op_a, A), columns_of(op_b, B), A, B, C, of_product, of_c);
    const auto request = diagonal_request(op_a, A, op_b, B, of_product, of_c, options);
    const ChosenDiagonal chosen(function, device_of(exec), request, options.memory_limit);
    ReadyDiagonalProduct<Format>(function, exec, alpha, op_a, A, op_b, B, beta, C, chosen).run(exec);
  });
}

/// op(A) op(B) in a new matrix.
template <class ExecutionSpace, class Format>
Format new_diagonal_product(const char* function, const ExecutionSpace& exec, Op op_a, const Format& A, Op op_b,
                            const Format& B, const DiagonalOptions& options) {
  using Scalar = typename Format::Scalar;
  return translate_bad_alloc(function, [&] {
    const auto of_c     = diagonals_of_product(function, op_a, A, op_b, B);
    const auto request  = diagonal_request(op_a, A, op_b, B, of_c, of_c, options);
    const Device device = device_of(exec);
    choose_diagonal(function, device, request, unlimited);  // an algorithm that does not serve costs no allocation
    const Format C  = new_product(function, exec, A, request.rows, request.columns, of_c, options.memory_limit);
    const auto left = options.memory_limit == unlimited ? unlimited : options.memory_limit - C.bytes();
    const ChosenDiagonal chosen(function, device, request, left);
    ReadyDiagonalProduct<Format>(function, exec, Scalar(1), op_a, A, op_b, B, Scalar(0), C, chosen).run(exec);
    return C;
  });
}

}  // namespace lacuna::Impl

#endif
