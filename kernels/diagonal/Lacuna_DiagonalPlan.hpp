// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALPLAN_HPP
#define LACUNA_DIAGONALPLAN_HPP

#include <Lacuna_DiagonalFormats.hpp>
#include <Lacuna_DiagonalOptions.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <kernels/diagonal/impl/Lacuna_DiagonalProduct.hpp>
#include <kernels/plan/Lacuna_PlanBase.hpp>

#include <new>
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
/// \tparam Operation holds the list of algorithms; tests have others
template <Impl::DiagonalMatrixType FormatType, class Operation = Impl::DiagonalOperation>
class DiagonalPlan
    : public Impl::PlanBase<Operation, typename Impl::StorageVariant<typename Operation::Algorithms,
                                                                     typename FormatType::memory_space>::type> {
  using Base = Impl::PlanBase<Operation, typename Impl::StorageVariant<typename Operation::Algorithms,
                                                                       typename FormatType::memory_space>::type>;

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
               const DiagonalOptions& options = {}) try
      : Base(request_of(op_a, A, op_b, B, C, options), device_of(exec), options.memory_limit),
        m_op_a(op_a),
        m_op_b(op_b),
        m_a(A.host_Ds),
        m_b(B.host_Ds),
        m_c(C.host_Ds),
        m_half_b(Impl::is_half(B)) {
    const auto arguments = Impl::diagonal_arguments({}, op_a, A, op_b, B, {}, C);
    this->choose_by([request = m_request, limit = options.memory_limit](const Device& device) {
      return Impl::choose_diagonal<List>(Operation::plan, device, request, limit);
    });
    this->build(Impl::diagonal_context(exec, m_device, m_request, arguments, m_budget));
  } catch (const std::bad_alloc&) {
    Impl::raise_no_host_memory(Operation::plan);
  }
  DiagonalPlan(DiagonalPlan&&) noexcept            = default;
  DiagonalPlan& operator=(DiagonalPlan&&) noexcept = default;

  /// \brief A text that says which algorithm was chosen, why, and why not the others.
  std::string report() const {
    const auto told = this->told();
    return std::string("lacuna::") + Operation::plan + ": op(A) " + Impl::shape_text(m_request.rows, m_request.inner) +
           ", op(B) " + Impl::shape_text(m_request.inner, m_request.columns) + ", " + std::to_string(m_request.dg_a) +
           " x " + std::to_string(m_request.dg_b) + " diagonals, " + std::to_string(m_request.dg_c) + " of C\n" +
           this->algorithm_text(told.choice) + ", " + Impl::time_text(told.choice.estimate().call_seconds) +
           " a product expected\n" + this->rates_text(told.device) + this->storage_text() + "  keeps       " +
           Impl::bytes_text(static_cast<double>(this->persistent_bytes())) + "\n" + this->others_text(told.choice);
  }

  /// \brief Internal: `gemm` calls this function.
  template <class ExecutionSpace>
  void apply(const ExecutionSpace& exec, typename Format::Scalar alpha, const Format& A, const Format& B,
             typename Format::Scalar beta, const Format& C) const {
    Impl::translate_bad_alloc("gemm", [&] {
      Impl::check_whole_result("gemm", C);
      check("A", A, m_a,
            Impl::is_half(A) == m_request.half_a && Impl::rows_of(m_op_a, A) == m_request.rows &&
                Impl::columns_of(m_op_a, A) == m_request.inner);
      check("B", B, m_b,
            Impl::is_half(B) == m_half_b && Impl::rows_of(m_op_b, B) == m_request.inner &&
                Impl::columns_of(m_op_b, B) == m_request.columns);
      check("C", C, m_c,
            Impl::rows_of(Op::none, C) == m_request.rows && Impl::columns_of(Op::none, C) == m_request.columns);
      Impl::check_memory_of_result("gemm", A, B, C);
      Impl::multiply_diagonals<List>("gemm", exec, m_storage,
                                     Impl::diagonal_arguments(alpha, m_op_a, A, m_op_b, B, beta, C));
    });
  }

 private:
  using List      = typename Operation::Algorithms;
  using Diagonals = Kokkos::View<typename Format::Ordinal*, Kokkos::HostSpace>;
  using Base::m_request, Base::m_device, Base::m_budget, Base::m_storage;

  /// What is asked for, of operands that fit each other.
  static Impl::DiagonalRequest request_of(Op op_a, const Format& A, Op op_b, const Format& B, const Format& C,
                                          const DiagonalOptions& options) {
    const auto of_product = Impl::diagonals_of_product(Operation::plan, op_a, A, op_b, B);
    const auto of_c       = Impl::diagonals_of(Op::none, C);
    Impl::check_whole_result(Operation::plan, C);
    Impl::check_result(Operation::plan, Impl::rows_of(op_a, A), Impl::columns_of(op_b, B), A, B, C, of_product, of_c);
    auto request           = Impl::diagonal_request(op_a, A, op_b, B, of_product, of_c, options);
    request.expected_calls = 1000;
    return request;
  }

  static void check(const char* which, const Format& X, const Diagonals& list, bool has_form) {
    bool same = has_form && X.host_Ds.extent(0) == list.extent(0);
    if (same && X.host_Ds.data() != list.data())
      for (std::size_t d = 0; d < list.extent(0); ++d) same = same && X.host_Ds(d) == list(d);
    if (!same)
      Impl::raise<InvalidArgument>("gemm", which, " is ", Impl::shape_text(X.rows, X.columns), " with ",
                                   X.host_Ds.extent(0),
                                   Impl::is_half(X) ? " diagonals, half of them stored" : " diagonals",
                                   ", not what the plan was made for: ", list.extent(0), " diagonals");
  }

  Op m_op_a;
  Op m_op_b;
  Diagonals m_a, m_b, m_c;
  bool m_half_b;
};

}  // namespace lacuna

#endif
