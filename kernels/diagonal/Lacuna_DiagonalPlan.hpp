// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALPLAN_HPP
#define LACUNA_DIAGONALPLAN_HPP

#include <Lacuna_DiagonalFormats.hpp>
#include <Lacuna_DiagonalOptions.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <kernels/diagonal/impl/Lacuna_DiagonalProduct.hpp>
#include <kernels/plan/Lacuna_NotTakenText.hpp>

#include <string>

/// \file
/// \brief A plan of C = alpha op(A) op(B) + beta C for many products of matrices with the same diagonals.

namespace lacuna {

/// \brief The algorithm, its shape and its lists for many products op(A) op(B) of matrices with the same diagonals.
///
///     auto C = gemm(exec, op_a, A, op_b, B);
///     DiagonalPlan plan(exec, op_a, A, op_b, B, C);
///     gemm(exec, plan, alpha, A, B, beta, C);
///
/// Products with the plan allocate nothing and do not fence. Values of A, B and C may change between products, and
/// other matrices with the same extents and diagonals serve as well. The plan holds its lists but no value of a matrix.
/// It can be moved but not copied, and may be used on several instances at once.
///
/// \tparam FormatType an `HmMatrix` or a `CdmMatrix`
template <Impl::DiagonalMatrixType FormatType>
class DiagonalPlan {
 public:
  using Format = FormatType;

  /// \brief Chooses an algorithm and makes its lists. Does not fence.
  /// \param[in] exec all work goes to this instance
  /// \param[in] op_a, op_b the forms of A and B
  /// \param[in] A, B matrices with the extents and diagonals of the factors; values are not read
  /// \param[in] C a matrix with the extents and diagonals of the result; it is neither read nor written
  /// \param[in] options the algorithm, determinism, a limit of memory
  /// \throws as `gemm`
  template <Impl::ExecutionSpaceType ExecutionSpace>
  DiagonalPlan(const ExecutionSpace& exec, Op op_a, const Format& A, Op op_b, const Format& B, const Format& C,
               const DiagonalOptions& options = {})
      : m_op_a(op_a),
        m_op_b(op_b),
        m_a(A.host_Ds),
        m_b(B.host_Ds),
        m_c(C.host_Ds),
        m_rows(Impl::rows_of(op_a, A)),
        m_inner(Impl::columns_of(op_a, A)),
        m_columns(Impl::columns_of(op_b, B)) {
    constexpr auto where  = "DiagonalPlan";
    const auto of_product = Impl::diagonals_of_product(where, op_a, A, op_b, B);
    const auto of_c       = Impl::diagonals_of(Op::none, C);
    Impl::check_result(where, m_rows, m_columns, A, B, C, of_product, of_c);
    auto request           = Impl::diagonal_request(op_a, A, op_b, B, of_product, of_c, options);
    request.expected_calls = 1000;
    const Device device    = device_of(exec);
    m_choice               = Impl::choose_diagonal(where, device, request, options.memory_limit);
    Impl::prepare_diagonals(exec, device, request, m_choice.index,
                            Impl::diagonal_arguments({}, op_a, A, op_b, B, {}, C), m_work);
  }
  DiagonalPlan(DiagonalPlan&&) noexcept            = default;
  DiagonalPlan& operator=(DiagonalPlan&&) noexcept = default;

  /// \brief The algorithm of products; never `automatic`.
  DiagonalAlgorithm algorithm() const { return Impl::algorithm_of(m_choice); }
  /// \brief Bytes that the plan holds. Products allocate none.
  std::size_t persistent_bytes() const { return m_work.arena.bytes(); }
  /// \brief Bytes of the plan that products write to: none.
  std::size_t temporary_bytes() const { return 0; }
  /// \brief A text that says which algorithm was chosen, why, and why not the others.
  std::string report() const {
    return "lacuna::DiagonalPlan: op(A) " + Impl::shape_text(m_rows, m_inner) + ", op(B) " +
           Impl::shape_text(m_inner, m_columns) + ", " + std::to_string(m_a.extent(0)) + " x " +
           std::to_string(m_b.extent(0)) + " diagonals, " + std::to_string(m_c.extent(0)) + " of C\n  algorithm   " +
           std::string(name(algorithm())) + ": " + m_choice.estimate().reason + ", " +
           Impl::time_text(m_choice.estimate().call_seconds) + " a product expected\n  keeps       " +
           Impl::bytes_text(static_cast<double>(persistent_bytes())) + "\n" +
           Impl::not_taken_text<Impl::DiagonalAlgorithms>(m_choice, m_choice.index);
  }

  /// \brief Internal: `gemm` calls this function.
  template <class ExecutionSpace>
  void apply(const ExecutionSpace& exec, typename Format::Scalar alpha, const Format& A, const Format& B,
             typename Format::Scalar beta, const Format& C) const {
    check("A", A, m_a, Impl::rows_of(m_op_a, A) == m_rows && Impl::columns_of(m_op_a, A) == m_inner);
    check("B", B, m_b, Impl::rows_of(m_op_b, B) == m_inner && Impl::columns_of(m_op_b, B) == m_columns);
    check("C", C, m_c, Impl::rows_of(Op::none, C) == m_rows && Impl::columns_of(Op::none, C) == m_columns);
    Impl::check_memory_of_result("gemm", A, B, C);
    Impl::multiply_diagonals("gemm", exec, m_choice.index,
                             Impl::diagonal_arguments(alpha, m_op_a, A, m_op_b, B, beta, C), m_work);
  }

 private:
  using List = Kokkos::View<typename Format::Ordinal*, Kokkos::HostSpace>;

  static void check(const char* which, const Format& X, const List& list, bool has_extents) {
    bool same = has_extents && X.host_Ds.extent(0) == list.extent(0);
    if (same && X.host_Ds.data() != list.data())
      for (std::size_t d = 0; d < list.extent(0); ++d) same = same && X.host_Ds(d) == list(d);
    if (!same)
      Impl::raise<InvalidArgument>("gemm", which, " is ", Impl::shape_text(X.rows, X.columns), " with ",
                                   X.host_Ds.extent(0), " diagonals, not what the plan was made for: ", list.extent(0),
                                   " diagonals");
  }

  Op m_op_a;
  Op m_op_b;
  List m_a, m_b, m_c;
  std::int64_t m_rows;
  std::int64_t m_inner;
  std::int64_t m_columns;
  Impl::Choice<Impl::DiagonalAlgorithms::size> m_choice;
  Impl::DiagonalWork<typename Format::memory_space> m_work;
};

}  // namespace lacuna

#endif
