// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLANSTORAGE_HPP
#define LACUNA_PLANSTORAGE_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/matrix/Lacuna_Operand.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/plan/Lacuna_Inspector.hpp>

#include <cstddef>
#include <string>
#include <variant>

/// \file
/// \brief What a plan keeps of the algorithm that it took.
///
/// The `Storage<Matrix, ExecutionSpace>` of an algorithm has
///   - `build(context)`: makes it, within `context.budget`, see `BuildContext`;
///   - `bytes()`, `temporary_bytes()`: what it keeps, and which part of memory products write to for a while;
///   - `shareable()`: whether products on two instances may run at once;
///   - `update_values(exec, A)`, and `describe()`: lines for the report.

namespace lacuna::Impl {

/// What a storage is made from.
template <class Operation, CrsMatrixType Matrix, class ExecutionSpace>
struct BuildContext {
  const ExecutionSpace& exec;
  const Operand<Matrix>& A;
  Inspector<Operation, SharedCrs<Matrix>, ExecutionSpace>& inspector;
  const Device& device;
  const typename Operation::Request& request;
  MemoryBudget& budget;
};

/// In place of the storage of an algorithm that has no kernels for a scalar type or a backend.
template <class Algorithm>
struct NoStorage {
  template <class Context>
  void build(const Context&) const {}
  std::size_t bytes() const { return 0; }
  std::size_t temporary_bytes() const { return 0; }
  bool shareable() const { return true; }
  template <class ExecutionSpace, class A>
  void update_values(const ExecutionSpace&, const A&) const {}
  std::string describe() const { return {}; }
};

template <class List, class Matrix, class ExecutionSpace>
struct StorageVariant;
template <class... Algorithms, class Matrix, class ExecutionSpace>
struct StorageVariant<AlgorithmList<Algorithms...>, Matrix, ExecutionSpace> {
  using type = std::variant<typename Algorithms::template Storage<Matrix, ExecutionSpace>...>;
};

}  // namespace lacuna::Impl

#endif
