// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLANBASE_HPP
#define LACUNA_SPGEMMPLANBASE_HPP

#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmCall.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmChecks.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperation.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmPlanOperands.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmPlanResult.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmPlanReuse.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <variant>

namespace lacuna::Impl {

struct SpgemmOneCall;  // a friend of plans, see Lacuna_SpgemmOneCall.hpp

/// What a plan of SpGEMM holds, how it is made, and what it tells of itself. `masked`: C has the positions of a mask.
template <CrsMatrixType Matrix, class ExecutionSpace, bool masked, class Operation>
class SpgemmPlanBase : public PlanBase<Operation, SpgemmStorageOf<Operation, Matrix, ExecutionSpace, masked>> {
  using Base = PlanBase<Operation, SpgemmStorageOf<Operation, Matrix, ExecutionSpace, masked>>;

 public:
  using matrix_type     = Matrix;
  using execution_space = ExecutionSpace;
  using result_type     = OwningCrs<Matrix>;  ///< of C
  using value_type      = typename Matrix::non_const_value_type;
  using ordinal_type    = typename Matrix::non_const_ordinal_type;
  using size_type       = typename Matrix::non_const_size_type;

  /// Of C.
  std::int64_t rows() const { return m_result.rows(); }
  std::int64_t columns() const { return m_result.columns(); }
  std::int64_t nonzeros() const { return m_result.nonzeros(); }
  /// The row map of C, which all that the plan allocates share. A matrix with this row map whose entries and values are
  /// other arrays of `nonzeros()` elements serves as C too, unless the plan keeps products.
  typename result_type::row_map_type row_map() const { return m_result.row_map_view(); }
  /// Multiplications that the product takes.
  std::int64_t products() const {
    return std::visit([](const auto& storage) { return storage.products(); }, m_storage);
  }

  /// What a product by the plan is expected to take, in seconds, see `PlanBase`; 0 where nothing is estimated.
  double expected_seconds() const { return m_reuse.told_on(m_reuse.told_device(m_device)).expected_seconds(); }

  Op op_a() const { return m_request.op_a; }
  Op op_b() const { return m_request.op_b; }
  /// Whether calls go by kept products, see `SpgemmOptions::keep_products`.
  bool keeps_products() const { return static_cast<bool>(m_reuse); }
  /// Whether products read the values of A where A has them: always, since A and B are given to every call.
  bool reads_values_of_A() const { return true; }
  /// Bytes that the plan keeps, the row map of C among them, less those that products write to.
  std::size_t persistent_bytes() const {
    return m_operands.bytes() + m_result.bytes() + m_reuse.bytes() + Base::persistent_bytes();
  }

  /// \brief What was asked for, what runs, rows by class, bytes, set-up.
  std::string report() const;

 protected:
  using Operands = SpgemmPlanOperands<Matrix, ExecutionSpace, masked>;
  using Factors  = typename Operands::Factors;
  using Arrays   = typename Operands::Arrays;
  using Mask     = typename Operands::Mask;
  using Result   = SpgemmPlanResult<Matrix>;
  using Target   = typename Result::Target;
  using Call     = SpgemmCall<typename ExecutionSpace::memory_space>;

  /// `call`: the plan serves that alone, without D, and lives no longer.
  SpgemmPlanBase(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const Matrix* D,
                 const SpgemmMask<Matrix>* mask, const SpgemmOptions& options, Call* call = nullptr);

  /// C of operands that the plan was made for.
  template <class OperandsType>
  void compute(const ExecutionSpace& exec, const OperandsType& operands, const Target& target,
               bool values_of_plan) const;

  /// Of a product, for profiling tools.
  Region product_region() const {
    return Region([&] { return "Lacuna::spgemm[" + std::string(name(this->algorithm())) + ",full]"; });
  }

  /// The columns of C where the plan keeps products.
  const typename Result::Entries* kept_columns() const { return m_reuse.columns(); }

  using Base::m_request, Base::m_device, Base::m_budget, Base::m_clock, Base::m_choice, Base::m_storage;
  Operands m_operands;
  Result m_result;
  SpgemmPlanReuse<Matrix, ExecutionSpace> m_reuse;

 private:
  /// `inner`: rows of op(B).
  void build_product(const ExecutionSpace& exec, const Factors& factors, std::int64_t inner, Call* call);
};

// What compiles the kernels of a plan: not inline, so that `extern template` keeps it to one file of a program.

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked, class Operation>
SpgemmPlanBase<Matrix, ExecutionSpace, masked, Operation>::SpgemmPlanBase(const ExecutionSpace& exec, const Matrix& A,
                                                                          const Matrix& B, const Matrix* D,
                                                                          const SpgemmMask<Matrix>* mask,
                                                                          const SpgemmOptions& options, Call* call) try
    : Base(spgemm_request<Matrix>(options), device_of(exec), options.memory_limit), m_operands(A, B, D) {
  const Region region([] { return std::string("Lacuna::SpgemmPlan"); });
  check_spgemm_plan(A, B, D, mask, options);
  this->check_what_is_asked_for();
  const SpgemmInspection known = spgemm_inspection(options.op_a, A, options.op_b, B);
  this->choose_algorithm(known);
  m_operands.make_mask(exec, mask, m_budget);
  const std::size_t lent =
      call != nullptr ? spgemm_lent_bytes<typename Base::Storage>(m_choice.index, m_request, known) : 0;
  if (lent == 0) call = nullptr;
  if (call != nullptr) call->allocate_arena(exec, lent, options.op_a, A, options.op_b, B);
  const bool adds_d = D != nullptr && spgemm_adds_d<typename Base::Storage>(m_choice.index, m_request);
  const auto factors =
      m_operands.make(exec, options, A, B, D, adds_d, m_budget, call != nullptr ? &call->arena : nullptr);
  m_result.set_extents(static_cast<ordinal_type>(known.rows), static_cast<ordinal_type>(known.columns));
  build_product(exec, factors, known.inner, call);
  if (call != nullptr) return;
  if (checks_patterns(options.check_pattern)) m_operands.remember_patterns(exec, A, B, D);
  m_clock.stop(exec, "Lacuna: set-up of a plan done");
} catch (const std::bad_alloc&) {
  raise_no_host_memory("SpgemmPlan");
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked, class Operation>
void SpgemmPlanBase<Matrix, ExecutionSpace, masked, Operation>::build_product(const ExecutionSpace& exec,
                                                                              const Factors& factors,
                                                                              std::int64_t inner, Call* call) {
  const auto& [a, b, added] = factors;
  const std::size_t row_map = static_cast<std::size_t>(rows() + 1) * sizeof(size_type);
  // Before any work: what comes later depends on what is found.
  m_budget.check("the row map of C and the analysis of rows",
                 row_map + spgemm_least_bytes<typename Base::Storage>(m_choice.index, a, b));
  m_budget.take("the row map of C", row_map);
  const bool keeps = call == nullptr && m_request.keep_products == KeepProducts::yes;
  if (keeps) m_reuse.check(a, b);
  if (call == nullptr) m_result.allocate_row_map(exec);
  const SpgemmContext<Matrix, ExecutionSpace, Mask> context{
      .exec             = exec,
      .A                = a,
      .B                = b,
      .inner            = inner,
      .added            = added,
      .mask             = m_operands.mask(),
      .row_map          = m_result.row_map(),
      .deterministic    = m_request.deterministic,
      .budget           = m_budget,
      .is_for_one_call  = m_request.is_for_one_call(),
      .sorted           = m_request.sorted_output || may_keep_products(m_request),
      .lent             = call != nullptr ? &call->arena : nullptr,
      .bytes_of_product = keeps ? sizeof(SpgemmPlace) : 0};
  this->build(context);
  m_result.set_nonzeros(std::visit([](const auto& storage) { return storage.nonzeros(); }, m_storage));
  check_growth<size_type>(rows(), columns(), nonzeros());
  if (call != nullptr) {
    m_result.make(exec, *call);
    return spgemm_write_row_map(exec, m_storage, rows(), m_result.row_map());
  }
  m_reuse.decide(m_device, m_request, context, nonzeros(), m_storage);
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked, class Operation>
template <class OperandsType>
void SpgemmPlanBase<Matrix, ExecutionSpace, masked, Operation>::compute(const ExecutionSpace& exec,
                                                                        const OperandsType& operands,
                                                                        const Target& target,
                                                                        bool values_of_plan) const {
  if (m_reuse)
    m_reuse.multiply(exec, operands, target.values);
  else
    std::visit([&](const auto& storage) { storage.multiply(exec, operands, target, values_of_plan); }, m_storage);
}

template <CrsMatrixType Matrix, class ExecutionSpace, bool masked, class Operation>
std::string SpgemmPlanBase<Matrix, ExecutionSpace, masked, Operation>::report() const {
  const double compression = nonzeros() > 0 ? static_cast<double>(products()) / static_cast<double>(nonzeros()) : 0;
  const Device told        = m_reuse.told_device(m_device);
  return "lacuna::SpgemmPlan of a " + shape_text(rows(), columns()) + " product with " + std::to_string(nonzeros()) +
         " nonzeros of " + std::to_string(products()) + " products (" + number_text(compression) + " each), op " +
         std::string(name(op_a())) + " and " + std::string(name(op_b())) + "\n" + this->algorithm_text(m_choice) +
         "\n" + this->rates_text(told) + this->storage_text() +
         m_reuse.describe(told, products(), nonzeros(), m_request.expected_calls) + m_operands.transposes_text() +
         "  storage     " + bytes_text(static_cast<double>(persistent_bytes())) + " beside A, B and C, workspace " +
         bytes_text(static_cast<double>(this->temporary_bytes())) + "\n" + set_up_text(this->setup_seconds(), 0);
}

}  // namespace lacuna::Impl

#endif
