// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMRESULT_HPP
#define LACUNA_SPGEMMRESULT_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmRowMap.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

/// \file
/// \brief What every algorithm of SpGEMM ends with: the row map of C.

namespace lacuna::Impl {

/// What an algorithm is given when a plan is made.
template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
struct SpgemmContext {
  const ExecutionSpace& exec;
  const CrsArraysOf<Matrix>& A;
  const CrsArraysOf<Matrix>& B;
  std::int64_t inner;                       ///< rows of op(B); what B has beyond them are rows of D
  SpgemmAddend<CrsArraysOf<Matrix>> added;  ///< what a storage that `adds_d` adds
  Mask mask;
  /// Rows of A + 1 offsets that `build` fills; nullptr where C is allocated behind it, and `write_row_map` called then.
  typename Matrix::non_const_size_type* row_map;
  bool deterministic;
  MemoryBudget& budget;
  bool is_for_one_call = false;  ///< values are computed once
  bool sorted          = true;   ///< rows of C are sorted by column; else they may be
  /// What may be cut from it instead of allocating; or nullptr. Then C is allocated next, so what need not be waited
  /// for is not.
  Arena<typename ExecutionSpace::memory_space>* lent = nullptr;
  std::size_t bytes_of_product                       = 0;  ///< that the plan will keep for each product

  /// Of `build`, when it knows the products of all rows, whatever the mask lets through. \throws OutOfMemory where the
  /// plan is to keep them and they do not fit: long before they are listed. Rows are not counted yet then.
  void expect_products(std::int64_t products) const {
    if (bytes_of_product == 0 || !std::is_same_v<Mask, SpgemmNoMask>) return;
    const auto bytes =
        static_cast<std::size_t>(checked_product("SpgemmPlan", products, static_cast<std::int64_t>(bytes_of_product)));
    budget.check("keeping " + std::to_string(products) + " products", bytes);
    // What the memory has free is known when it is asked for. Not tuned: what is much for no memory is not asked for.
    constexpr std::size_t much = std::size_t{256} << 20;
    if (bytes >= much)
      Arena<typename ExecutionSpace::memory_space>("SpgemmPlan", exec, "Lacuna::spgemm::products_to_keep", bytes);
  }
};

/// The name of an offset type, for errors.
template <class Offset>
constexpr const char* offset_name() {
  if (sizeof(Offset) < 4) return std::is_signed_v<Offset> ? "short" : "unsigned short";
  return sizeof(Offset) == 8 ? (std::is_signed_v<Offset> ? "std::int64_t" : "std::size_t") : "int";
}

/// Whether offsets of this type can count the nonzeros of C.
template <class Offset>
constexpr bool can_count(std::int64_t nonzeros) {
  return static_cast<std::uint64_t>(nonzeros) <= static_cast<std::uint64_t>(std::numeric_limits<Offset>::max());
}

/// \throws NotSupported where `nonzeros` of C do not fit its offsets.
template <class Offset>
void check_growth(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros) {
  if (can_count<Offset>(nonzeros)) return;
  raise<NotSupported>("SpgemmPlan", "C, ", shape_text(rows, columns), ", has ", nonzeros,
                      " nonzeros, more than offsets of type ", offset_name<Offset>(),
                      " can count: use std::int64_t or std::size_t as the offset type of A and B");
}

template <class ExecutionSpace, class View>
void zero_counters(const ExecutionSpace& exec, const View& counters) {
  using Words = Kokkos::View<Counter*, typename View::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(
      exec,
      Words(reinterpret_cast<Counter*>(counters.data()), counters.extent(0) * sizeof(SpgemmCounters) / sizeof(Counter)),
      Counter(0));
}

/// The counters on the host: waits for `exec`.
template <class ExecutionSpace, class View>
SpgemmCounters read_counters(const ExecutionSpace& exec, const View& counters) {
  return read_back(exec, "Lacuna::spgemm: counts to the host", counters).front();
}

}  // namespace lacuna::Impl

#endif
