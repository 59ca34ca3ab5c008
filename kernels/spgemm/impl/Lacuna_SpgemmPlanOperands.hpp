// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLANOPERANDS_HPP
#define LACUNA_SPGEMMPLANOPERANDS_HPP

#include <Lacuna_SpgemmMask.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/matrix/Lacuna_TransposedMatrix.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/plan/Lacuna_OperandExtents.hpp>
#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmConcatenation.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmMaskRows.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace lacuna::Impl {

/// \brief The matrices that a plan of SpGEMM was made for: what it remembers of them, and those that it formed of them,
/// which are op(A) and op(B), A and B with D beside them, and the mask with sorted rows.
template <CrsMatrixType Matrix, class ExecutionSpace, bool masked>
class SpgemmPlanOperands {
 public:
  using Arrays    = CrsArraysOf<Matrix>;
  using Scalar    = typename Arrays::Scalar;
  using Workspace = Arena<typename ExecutionSpace::memory_space>;
  using Mask      = decltype(SpgemmHeldMask<Matrix, masked>().rows());

  /// What kernels multiply.
  struct Factors {
    Arrays a, b;
    SpgemmAddend<Arrays> added{};  ///< without values
  };

  SpgemmPlanOperands(const Matrix& A, const Matrix& B, const Matrix* D) : m_given_a(A), m_given_b(B) {
    if (D != nullptr) m_given_d.emplace(*D);
  }

  bool has_d() const { return m_given_d.has_value(); }
  /// Whether kernels multiply A and B with D beside them; else they add D.
  bool is_concatenated() const { return m_concatenated.bytes() > 0; }
  Mask mask() const { return m_mask.rows(); }
  std::size_t bytes() const { return m_a.bytes() + m_b.bytes() + m_mask.bytes() + m_concatenated.bytes(); }

  void make_mask(const ExecutionSpace& exec, const SpgemmMask<Matrix>* mask, MemoryBudget& budget) {
    if constexpr (masked) m_mask.make(exec, *mask, budget);
  }
  /// Transposes are cut from `lent`, if it is given. D is put beside A and B, unless `adds_d`: the storage adds it.
  /// \throws OutOfMemory.
  Factors make(const ExecutionSpace& exec, const SpgemmOptions& options, const Matrix& A, const Matrix& B,
               const Matrix* D, bool adds_d, MemoryBudget& budget, Workspace* lent) {
    Factors factors{};
    factors.a = m_a.make(exec, A, options.op_a, budget.left(), lent);
    budget.take("op(A)", m_a.bytes());
    factors.b = m_b.make(exec, B, options.op_b, budget.left(), lent);
    budget.take("op(B)", m_b.bytes());
    if (D == nullptr) return factors;
    const auto d = arrays_of(*D);
    if (adds_d) {
      factors.added.D = d;
      return factors;
    }
    m_concatenated.make(exec, factors.a, factors.b, d, budget);
    m_concatenated.fill(exec, Scalar(1), factors.a, factors.b, Scalar(1), d);
    return {m_concatenated.a(), m_concatenated.b(), {}};
  }

  /// \throws DimensionMismatch or InvalidArgument where matrices are not those of the plan.
  void check(const ExecutionSpace& exec, const Matrix& A, const Matrix& B) const {
    m_given_a.check("spgemm", "A", exec, A);
    m_given_b.check("spgemm", "B", exec, B);
  }
  void check(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const Matrix& D) const {
    check(exec, A, B);
    m_given_d->check("spgemm", "D", exec, D);
  }
  /// So that `check` compares patterns too. Waits.
  void remember_patterns(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const Matrix* D) {
    m_given_a.pattern.remember(exec, arrays_of(A));
    m_given_b.pattern.remember(exec, arrays_of(B));
    if (D != nullptr) m_given_d->pattern.remember(exec, arrays_of(*D));
  }

  /// With the values of A and B. Transposes that were just formed have them: `values_of_plan`.
  Factors factors(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, bool values_of_plan) const {
    if (values_of_plan) return {m_a.arrays(A), m_b.arrays(B), {}};
    return {m_a.update_values(exec, A), m_b.update_values(exec, B), {}};
  }
  /// With the values of A, B and D, concatenated or not.
  Factors factors(const ExecutionSpace& exec, const Scalar& alpha, const Matrix& A, const Matrix& B, const Scalar& beta,
                  const Matrix& D) const {
    const Arrays a = m_a.update_values(exec, A), b = m_b.update_values(exec, B), d = arrays_of(D);
    if (!is_concatenated()) return {a, b, {d, beta, true}};
    m_concatenated.fill(exec, alpha, a, b, beta, d);
    return {m_concatenated.a(), m_concatenated.b(), {}};
  }

  /// What op(A) and op(B) cost beside the product.
  std::string transposes_text() const {
    if (!m_a && !m_b) return "";
    return "  transposes  " + bytes_text(static_cast<double>(m_a.bytes() + m_b.bytes())) +
           ", formed with the plan; every call gathers their values\n";
  }

 private:
  OperandExtents m_given_a, m_given_b;
  std::optional<OperandExtents> m_given_d;
  TransposedMatrix<Matrix> m_a, m_b;
  SpgemmConcatenation<Arrays, typename ExecutionSpace::memory_space> m_concatenated;
  SpgemmHeldMask<Matrix, masked> m_mask;
};

/// The variant of the storages of an operation's algorithms.
template <class Operation, class Matrix, class ExecutionSpace, bool masked>
using SpgemmStorageOf =
    typename StorageVariant<typename Operation::Algorithms, Matrix, ExecutionSpace,
                            typename SpgemmPlanOperands<Matrix, ExecutionSpace, masked>::Mask>::type;

}  // namespace lacuna::Impl

#endif
