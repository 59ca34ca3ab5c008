// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMSTORAGE_HPP
#define LACUNA_SPGEMMSTORAGE_HPP

#include <kernels/plan/Lacuna_PlanStorage.hpp>

#include <cstddef>
#include <cstdint>
#include <variant>

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
///   - where it adds a D by itself, `static constexpr bool adds_d = true` and
///     `multiply_and_add(exec, operands, addend, target)`, for plans whose context had a D. Others multiply
///     [alpha A, beta I] and [B; D] (see Lacuna_SpgemmConcatenation.hpp);
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

template <class Storage>
concept SpgemmStorageAddsD = requires {
  requires Storage::adds_d;
};

/// C = alpha A B + beta D by the storage that a plan holds, which `adds_d`.
template <class ExecutionSpace, class Storages, class Operands, class Addend, class Target>
void spgemm_multiply_and_add(const ExecutionSpace& exec, const Storages& storages, const Operands& operands,
                             const Addend& addend, const Target& target) {
  std::visit(
      [&]<class Built>(const Built& storage) {
        if constexpr (SpgemmStorageAddsD<Built>) storage.multiply_and_add(exec, operands, addend, target);
      },
      storages);
}

/// The row map of C by the storage that a plan holds, where that `writes_row_map_later`.
template <class ExecutionSpace, class Storages, class Offset>
void spgemm_write_row_map(const ExecutionSpace& exec, const Storages& storages, std::int64_t rows, Offset* row_map) {
  std::visit(
      [&]<class Built>(const Built& storage) {
        if constexpr (Built::writes_row_map_later) storage.write_row_map(exec, rows, row_map);
      },
      storages);
}

}  // namespace lacuna::Impl

#endif
