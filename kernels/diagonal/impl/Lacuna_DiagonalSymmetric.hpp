// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSYMMETRIC_HPP
#define LACUNA_DIAGONALSYMMETRIC_HPP

#include <kernels/diagonal/impl/Lacuna_DiagonalHalves.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

/// \file
/// \brief Products that are symmetric: half of C's diagonals are computed, the other half are copies of these.

namespace lacuna::Impl {

/// Whether an algorithm computes C diagonal by diagonal, so that half of the diagonals cost half of the time.
/// Algorithms for bands compute all diagonals of a row at once, and read A and B once.
/// Evidence: kernels/diagonal/tuning.md.
inline bool goes_by_diagonals_of_c(const Choice<DiagonalAlgorithms::size>& choice) {
  bool goes = false;
  DiagonalAlgorithms::for_each([&]<class Algorithm>(std::size_t i) {
    if constexpr (requires { Algorithm::goes_by_diagonals_of_c; }) goes = goes || i == choice.index;
  });
  return goes;
}

/// Whether the diagonals of the second half of C are copies of the first half.
template <class Format>
bool comes_in_pairs(const Format& C, const DiagonalList& ascending) {
  const auto n           = is_hm_matrix<Format>::value ? std::int64_t{0} : static_cast<std::int64_t>(C.rows);
  const std::size_t zero = n > 0 && !ascending.empty() && ascending[0] == 0 ? 1 : 0;  // index 0 is a pair by itself
  for (std::size_t k = zero; k < ascending.size(); ++k)
    if (ascending[k] + ascending[ascending.size() - 1 - (k - zero)] != n) return false;
  return true;
}

/// The diagonals of op(A) op(B)', and of op(B) op(A)', where that is wanted as well.
struct SymmetricDiagonals {
  DiagonalList first, other;
  DiagonalList all() const { return joined(first, other); }
};

/// \throws DimensionMismatch
template <class Format>
SymmetricDiagonals symmetric_diagonals(const char* function, Op op, const Format& A, const Format& B, bool twice) {
  const Op second = op == Op::none ? Op::transpose : Op::none;
  return {diagonals_of_product(function, op, A, second, B),
          twice ? diagonals_of_product(function, op, B, second, A) : DiagonalList()};
}

/// \brief C = alpha op(A) op(B)' + beta C, or, where `twice` is set, C = alpha op(A) op(B)' + alpha op(B) op(A)' +
/// beta C; the second alpha is conjugated where op conjugates. Everything is chosen before anything is written.
template <class Format>
class SymmetricProduct {
  using Scalar = typename Format::Scalar;

 public:
  /// `found`: the diagonals of both products.
  SymmetricProduct(const char* function, const Device& device, Scalar alpha, Op op, const Format& A, const Format& B,
                   bool twice, const SymmetricDiagonals& found, Scalar beta, const Format& C,
                   const DiagonalOptions& options, std::size_t left)
      : m_function(function),
        m_device(device),
        m_alpha(alpha),
        m_op(op),
        m_second(op == Op::none ? Op::transpose : Op::none),
        m_A(A),
        m_B(B),
        m_twice(twice),
        m_beta(beta),
        m_C(C) {
    const DiagonalList of_c = diagonals_of(Op::none, C);
    if (is_half(C)) {
      choose_for_half(found, options, left);
      return;
    }
    m_first                 = chosen(A, B, found.first, of_c, options, left);
    const bool is_symmetric = op != Op::conjugate_transpose || twice || conjugate(alpha) == alpha;
    m_halves = beta == Scalar(0) && is_symmetric && goes_by_diagonals_of_c(m_first.choice) && comes_in_pairs(C, of_c);
    m_part   = m_halves ? first_half(C) : C;
    const DiagonalList part = m_halves ? diagonals_of(Op::none, m_part) : of_c;
    if (m_halves) m_first = chosen(A, B, found.first, part, options, left);
    choose_other(found, part, options, left);
  }

  /// Does not fence.
  template <class ExecutionSpace>
  void run(const ExecutionSpace& exec) const {
    using Ready           = ReadyDiagonalProduct<Format>;
    const bool conjugates = m_op == Op::conjugate_transpose;
    const Ready first(m_function, exec, m_alpha, m_op, m_A, m_second, m_B, m_beta, m_part, m_first);
    std::optional<Ready> other;
    if (m_twice)
      other.emplace(m_function, exec, conjugates ? conjugate(m_alpha) : m_alpha, m_op, m_B, m_second, m_A, Scalar(1),
                    m_part, m_other);
    first.run(exec);
    if (other) other->run(exec);
    if (m_halves) mirror_diagonals(exec, m_part, m_C, conjugates);
  }

 private:
  /// C is stored by half: that half is computed, and there is nothing to copy.
  void choose_for_half(const SymmetricDiagonals& found, const DiagonalOptions& options, std::size_t left) {
    if (is_complex<Scalar> && m_op == Op::conjugate_transpose)
      raise<NotSupported>(m_function, "C is stored by half, as a symmetric matrix, and the product is Hermitian");
    m_part                  = first_half(m_C);
    const DiagonalList part = diagonals_of(Op::none, m_part);
    m_first                 = chosen(m_A, m_B, found.first, part, options, left);
    choose_other(found, part, options, left);
  }
  void choose_other(const SymmetricDiagonals& found, const DiagonalList& part, const DiagonalOptions& options,
                    std::size_t left) {
    if (!m_twice) return;
    const std::size_t taken = m_first.choice.estimate().bytes;  // by the first product, while the other is made ready
    m_other = chosen(m_B, m_A, found.other, part, options, left == unlimited ? left : left - std::min(left, taken));
  }

  ChosenDiagonal chosen(const Format& X, const Format& Y, const DiagonalList& of_product, const DiagonalList& of_c,
                        const DiagonalOptions& options, std::size_t left) const {
    auto request   = diagonal_request(m_op, X, m_second, Y, of_product, of_c, options);
    request.half_c = is_half(m_C);
    return {m_function, m_device, request, left};
  }

  const char* m_function;
  Device m_device;
  Scalar m_alpha;
  Op m_op, m_second;
  Format m_A, m_B;
  bool m_twice;
  Scalar m_beta;
  Format m_C, m_part;  ///< `m_part`: what is computed of C; the rest is its mirror image
  bool m_halves = false;
  ChosenDiagonal m_first, m_other;
};

/// Into a new matrix.
template <class ExecutionSpace, class Format>
Format new_symmetric_product(const char* function, const ExecutionSpace& exec, Op op, const Format& A, const Format& B,
                             bool twice, const DiagonalOptions& options) {
  using Scalar    = typename Format::Scalar;
  const Op second = op == Op::none ? Op::transpose : Op::none;
  return translate_bad_alloc(function, [&] {
    const auto found    = symmetric_diagonals(function, op, A, B, twice);
    const auto of_c     = found.all();
    const Device device = device_of(exec);
    const auto whole    = diagonal_request(op, A, second, B, found.first, of_c, options);
    choose_diagonal(function, device, whole, unlimited);  // an algorithm that does not serve costs no allocation
    const Format C  = new_product(function, exec, A, whole.rows, whole.columns, of_c, options.memory_limit);
    const auto left = options.memory_limit == unlimited ? unlimited : options.memory_limit - C.bytes();
    SymmetricProduct<Format>(function, device, Scalar(1), op, A, B, twice, found, Scalar(0), C, options, left)
        .run(exec);
    return C;
  });
}

/// Into a C that is there.
template <class ExecutionSpace, class Format>
void symmetric_product(const char* function, const ExecutionSpace& exec, typename Format::Scalar alpha, Op op,
                       const Format& A, const Format& B, bool twice, typename Format::Scalar beta, const Format& C,
                       const DiagonalOptions& options) {
  const std::int64_t rows = rows_of(op, A);
  translate_bad_alloc(function, [&] {
    const auto found = symmetric_diagonals(function, op, A, B, twice);
    check_result(function, rows, rows, A, B, C, found.all(), diagonals_of(Op::none, C));
    SymmetricProduct<Format>(function, device_of(exec), alpha, op, A, B, twice, found, beta, C, options,
                             options.memory_limit)
        .run(exec);
  });
}

}  // namespace lacuna::Impl

#endif
