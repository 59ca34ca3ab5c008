// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLANBASE_DEFINITIONS_HPP
#define LACUNA_PLANBASE_DEFINITIONS_HPP

#include <kernels/shared/Lacuna_PlanBase.hpp>

#include <string>
#include <variant>

/// \file
/// \brief What compiles kernels of a plan: no inline functions, so that `extern template` keeps them to one file of a
/// program.

namespace lacuna::Impl {

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
PlanBase<Operation, Matrix, ExecutionSpace>::PlanBase(const ExecutionSpace& exec, const Matrix& A,
                                                      const typename Operation::Options& options)
    : m_request(Operation::template request<Matrix>(options)),
      m_device(device_of(exec)),
      m_budget(Operation::plan, options.memory_limit),
      m_A(checked(exec, A)) {
  const Kokkos::Profiling::ScopedRegion region(std::string("Lacuna::") + Operation::plan);
  if (!is_tuned(exec)) inspect_and_build(exec);
  m_clock.stop(exec, "Lacuna: set-up of a plan done");
}

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
void PlanBase<Operation, Matrix, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Matrix& A) {
  m_A.update_values((std::string(Operation::plan) + "::update_values").c_str(), exec, A);
  std::visit([&](auto& storage) { storage.update_values(exec, m_A); }, m_storage);
}

template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
std::string PlanBase<Operation, Matrix, ExecutionSpace>::report() const {
  return plan_report<Operation>(*this, m_request, m_choice, m_storage, m_tuning);
}

}  // namespace lacuna::Impl

#endif
