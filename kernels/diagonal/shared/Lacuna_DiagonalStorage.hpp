// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTORAGE_HPP
#define LACUNA_DIAGONALSTORAGE_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalRequest.hpp>

#include <cstddef>
#include <string>

/// \file
/// \brief What an algorithm finds out before a product, for any number of products of the same structure.

namespace lacuna::Impl {

/// What the storage of an algorithm is made from.
template <class ExecutionSpaceType, class ArgumentsType>
struct DiagonalContext {
  using ExecutionSpace = ExecutionSpaceType;
  using Arguments      = ArgumentsType;

  const ExecutionSpace& exec;
  const Device& device;
  const DiagonalRequest& request;
  const Arguments& arguments;  ///< of a product; values are not read
  MemoryBudget& budget;
};

template <class ExecutionSpace, class Arguments>
DiagonalContext<ExecutionSpace, Arguments> diagonal_context(const ExecutionSpace& exec, const Device& device,
                                                            const DiagonalRequest& request, const Arguments& arguments,
                                                            MemoryBudget& budget) {
  return {exec, device, request, arguments, budget};
}

/// What storages share: most keep no more than a shape. Each has `multiply(exec, arguments)` too.
struct DiagonalStorage {
  template <class Context>
  void build(const Context&) {}
  std::size_t bytes() const { return 0; }
  std::size_t temporary_bytes() const { return 0; }
  bool shareable() const { return true; }
  std::string describe() const { return {}; }
};

}  // namespace lacuna::Impl

#endif
