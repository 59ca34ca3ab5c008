// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMSTORAGE_HPP
#define LACUNA_SPGEMMSTORAGE_HPP

#include <kernels/plan/Lacuna_PlanStorage.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief What a storage of SpGEMM has beside what PlanBase asks for.
///
///   - `build(context)` finds the pattern of C and fills `context.row_map` (see SpgemmContext);
///   - `nonzeros()`, `products()`: of C, and the multiplications that it takes;
///   - `least_bytes(A, B)`, static: what `build` needs whatever it finds;
///   - `call_seconds(device, context)`, after `build`: an estimate of `multiply`, which kept products are weighed
///     against; 0 where they never are;
///   - `multiply(exec, operands, target, values_of_plan)`: the columns and the values of C. `values_of_plan`: the
///     operands are those that the plan was made with;
///   - `writes_row_map_later`: whether a plan for one call can be built without a row map. Such a storage has
///     `lent_bytes(rows, nonzeros_a, rows_b, nonzeros_b)`, static: what it can be lent; and
///     `write_row_map(exec, rows, row_map)`.

namespace lacuna::Impl {

/// In place of the storage of an algorithm that has no kernels for a backend.
template <class Algorithm>
struct SpgemmNoStorage : NoStorage<Algorithm> {
  static constexpr bool writes_row_map_later = false;

  std::int64_t nonzeros() const { return 0; }
  std::int64_t products() const { return 0; }
  template <class Arrays>
  static std::size_t least_bytes(const Arrays&, const Arrays&) {
    return 0;
  }
  template <class Context>
  double call_seconds(const Device&, const Context&) const {
    return 0;
  }
  template <class ExecutionSpace, class Operands, class Target>
  void multiply(const ExecutionSpace&, const Operands&, const Target&, bool) const {}
};

}  // namespace lacuna::Impl

#endif
