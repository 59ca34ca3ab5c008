// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLANSTORAGE_HPP
#define LACUNA_PLANSTORAGE_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/matrix/Lacuna_Operand.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

/// \file
/// \brief What a plan keeps of the algorithm that it took: one alternative of a variant that is made from the list.

namespace lacuna::Impl {

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

/// `types` are what the storages of an operation depend on: the matrix and the space for most.
template <class List, class... Types>
struct StorageVariant;
template <class... Algorithms, class... Types>
struct StorageVariant<AlgorithmList<Algorithms...>, Types...> {
  using type = std::variant<typename Algorithms::template Storage<Types...>...>;
};

/// visit.template operator()<Storage>() for the storage of the algorithm at `index`, which need not be made.
template <class... Storages, class Visit>
void visit_storage_type(std::type_identity<std::variant<Storages...>>, std::size_t index, const Visit& visit) {
  std::size_t i = 0;
  ((i++ == index ? visit.template operator()<Storages>() : void()), ...);
}

/// The product by one storage: nothing where it has no kernels. No inline function, so that `extern template` keeps the
/// kernels of each algorithm to one file of a program.
template <class Storage, class ExecutionSpace, class Arrays, class Arguments>
void multiply_by(const Storage& storage, const ExecutionSpace& exec, const Arrays& A, const Arguments& arguments) {
  if constexpr (requires { storage.multiply(exec, A, arguments); }) storage.multiply(exec, A, arguments);
}

/// Makes the storage of the algorithm at `index` of the list anew and builds it.
template <class... Storages, class Context>
void build_storage(std::variant<Storages...>& storage, std::size_t index, const Context& context) {
  [&]<std::size_t... positions>(std::index_sequence<positions...>) {
    ((positions == index ? storage.template emplace<positions>().build(context) : void()), ...);
  }
  (std::index_sequence_for<Storages...>());
}

}  // namespace lacuna::Impl

#endif
