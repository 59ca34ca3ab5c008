// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMCALL_HPP
#define LACUNA_SPGEMMCALL_HPP

#include <Lacuna_Options.hpp>
#include <Lacuna_Transpose.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_PartOfMemory.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Memory of a call that makes a plan, multiplies once and drops the plan. On a GPU an allocation and its
/// release take as long as a good part of a small product. So the call allocates the plan's workspace once, and C as
/// one block. Evidence: kernels/spgemm/tuning.md.

namespace lacuna::Impl {

/// \brief Where the plan of a call works, and where its C goes.
template <class Space>
struct SpgemmCall {
  /// What op(A), op(B) and the analysis of rows are cut from; nothing: the plan allocates it.
  Arena<Space> arena;
  /// C is cut from this arena, if given, which is made anew where it has too little left: C then lives no longer than
  /// the arena, and is nobody's but the call's.
  Arena<Space>* result = nullptr;

  /// Makes the arena, unless it is there: `bytes` for the product, and what forms op(A) and op(B) from A and B.
  template <class ExecutionSpace, CrsMatrixType Matrix>
  void allocate_arena(const ExecutionSpace& exec, std::size_t bytes, Op op_a, const Matrix& A, Op op_b,
                      const Matrix& B) {
    if (arena.bytes() > 0) return;
    const auto lent = [](Op op, const Matrix& X) {
      return op != Op::none ? lent_to_transpose<ExecutionSpace>(X) : std::size_t{0};
    };
    arena = Arena<Space>("spgemm", exec, "Lacuna::spgemm::call",
                         bytes + lent(op_a, A) + lent(op_b, B) + Arena<Space>::alignment);
  }
};

/// \brief The arrays of C, made with its plan.
template <CrsMatrixType Matrix>
struct SpgemmCallResult {
  using Crs     = OwningCrs<Matrix>;
  using Scalar  = typename Crs::non_const_value_type;
  using Ordinal = typename Crs::non_const_ordinal_type;
  using Offset  = typename Crs::non_const_size_type;
  using RowMap  = typename Crs::row_map_type::non_const_type;
  using Entries = typename Crs::index_type::non_const_type;
  using Values  = typename Crs::values_type::non_const_type;
  using Space   = typename Crs::memory_space;

  RowMap row_map;
  Entries entries;
  Values values;

  static constexpr auto function = "spgemm";

  /// What an arena needs for C.
  static std::size_t arena_bytes(std::int64_t rows, std::int64_t nonzeros) {
    return Arena<Space>::template bytes_for<Offset, Ordinal, Scalar>(rows + 1, nonzeros, nonzeros);
  }

  /// Not initialised.
  template <class ExecutionSpace>
  void make(const ExecutionSpace& exec, const SpgemmCall<Space>& call, std::int64_t rows, std::int64_t nonzeros) {
    if (call.result != nullptr) return cut(exec, *call.result, rows, nonzeros);
    if constexpr (shares_allocation_of_c) {
      const std::size_t bytes = arena_bytes(rows, nonzeros);
      const auto memory =
          allocate_result<Memory>(function, exec, "Lacuna::spgemm::C", static_cast<std::int64_t>(bytes));
      Arena<Space> arena(memory);
      row_map = part<RowMap>(memory, arena, rows + 1);
      entries = part<Entries>(memory, arena, nonzeros);
      values  = part<Values>(memory, arena, nonzeros);
    } else {
      row_map = allocate_result<RowMap>(function, exec, "Lacuna::spgemm::row_map", rows + 1);
      entries = allocate_result<Entries>(function, exec, "Lacuna::spgemm::entries", nonzeros);
      values  = allocate_result<Values>(function, exec, "Lacuna::spgemm::values", nonzeros);
    }
  }

 private:
  using Memory = typename Arena<Space>::Memory;
  /// Whether the arrays can share an allocation, so that each keeps all of C alive.
  static constexpr bool shares_allocation_of_c =
      shares_allocation<RowMap, Memory> && shares_allocation<Entries, Memory> && shares_allocation<Values, Memory>;

  template <class View>
  static View part(const Memory& memory, Arena<Space>& arena, std::int64_t count) {
    const auto taken = arena.template take<typename View::value_type>(count);
    if (count == 0) return {};
    const auto begin = reinterpret_cast<const unsigned char*>(taken.data()) - memory.data();
    return part_of_memory<View>(memory, static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
  }
  template <class ExecutionSpace>
  void cut(const ExecutionSpace& exec, Arena<Space>& arena, std::int64_t rows, std::int64_t nonzeros) {
    const std::size_t bytes = arena_bytes(rows, nonzeros);
    if (bytes > arena.left()) arena = Arena<Space>(function, exec, "Lacuna::spgemm::product_between", bytes);
    const auto n = static_cast<std::size_t>(nonzeros);
    row_map      = RowMap(arena.template take<Offset>(rows + 1).data(), static_cast<std::size_t>(rows) + 1);
    entries      = Entries(arena.template take<Ordinal>(nonzeros).data(), n);
    values       = Values(arena.template take<Scalar>(nonzeros).data(), n);
  }
};

}  // namespace lacuna::Impl

#endif
