// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_HANDLEPLAN_HPP
#define LACUNA_KOKKOSKERNELS_HANDLEPLAN_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Vendors.hpp>

#include <Kokkos_Core.hpp>

#include <memory>

/// \file
/// \brief A plan in the place of a `KokkosSparse::SPMVHandle` that is for a vendor's descriptors.

namespace lacuna::Impl {

/// Deleted by the handle.
template <class ExecutionSpace, class Plan>
class HandlePlan final : public KokkosSparse::Impl::TPL_SpMV_Data<ExecutionSpace> {
 public:
  template <CrsMatrixType Matrix, class Options>
  HandlePlan(const ExecutionSpace& exec, const Matrix& A, const Options& options)
      : KokkosSparse::Impl::TPL_SpMV_Data<ExecutionSpace>(exec), m_plan(std::make_unique<Plan>(exec, A, options)) {
    const auto arrays = arrays_of(A);
    m_rows            = static_cast<std::int64_t>(arrays.rows);
    m_columns         = static_cast<std::int64_t>(arrays.columns);
    m_nonzeros        = static_cast<std::int64_t>(arrays.nonzeros);
    m_row_map         = arrays.row_map;
    m_entries         = arrays.entries;
    m_values          = arrays.values;
  }
  /// The last product may still run: users of handles need not fence. After Kokkos::finalize nothing can be freed.
  ~HandlePlan() override {
    if (Kokkos::is_finalized())
      static_cast<void>(m_plan.release());
    else
      this->exec.fence("Lacuna: the end of a handle of KokkosSparse::spmv");
  }
  HandlePlan(const HandlePlan&)            = delete;
  HandlePlan& operator=(const HandlePlan&) = delete;

  const Plan& plan() const { return *m_plan; }

  /// Whether the plan was made for the matrix in these arrays.
  template <CrsMatrixType Matrix>
  bool is_of(const Matrix& A) const {
    const auto arrays = arrays_of(A);
    return m_row_map == arrays.row_map && m_entries == arrays.entries && m_values == arrays.values &&
           m_rows == static_cast<std::int64_t>(arrays.rows) && m_columns == static_cast<std::int64_t>(arrays.columns) &&
           m_nonzeros == static_cast<std::int64_t>(arrays.nonzeros);
  }

 private:
  std::unique_ptr<Plan> m_plan;
  std::int64_t m_rows = 0, m_columns = 0, m_nonzeros = 0;
  const void *m_row_map = nullptr, *m_entries = nullptr, *m_values = nullptr;
};

/// \brief The plan in `slot` of a handle for A on `exec`, made by the first call. nullptr where another thing is there.
///
/// Kokkos Kernels wants one matrix a handle. Where there comes another, it gets a plan of its own, not a wrong
/// product.
template <class Plan, class ExecutionSpace, CrsMatrixType Matrix, class Options>
const Plan* plan_in_handle(const ExecutionSpace& exec, KokkosSparse::Impl::TPL_SpMV_Data<ExecutionSpace>*& slot,
                           const Matrix& A, const Options& options) {
  using Held = HandlePlan<ExecutionSpace, Plan>;
  if (slot == nullptr) slot = new Held(exec, A, options);
  auto* held = dynamic_cast<Held*>(slot);
  if (held == nullptr) return nullptr;
  if (!held->is_of(A)) {
    auto made = std::make_unique<Held>(exec, A, options);
    delete slot;
    slot = held = made.release();
  }
  held->set_exec_space(exec);
  return &held->plan();
}

}  // namespace lacuna::Impl

#endif
