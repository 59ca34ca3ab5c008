// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BUILDCONTEXT_HPP
#define LACUNA_BUILDCONTEXT_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/matrix/Lacuna_Operand.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/plan/Lacuna_Inspector.hpp>

namespace lacuna::Impl {

/// What the storage of an algorithm for one CSR matrix is made from.
template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
struct BuildContext {
  const ExecutionSpace& exec;
  const Operand<Matrix>& A;
  Inspector<Operation, SharedCrs<Matrix>, ExecutionSpace>& inspector;
  const Device& device;
  const typename Operation::Request& request;
  MemoryBudget& budget;
};

}  // namespace lacuna::Impl

#endif
