// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALENTRIES_HPP
#define LACUNA_DIAGONALENTRIES_HPP

#include <kernels/diagonal/published/entries/Lacuna_DiagonalEntriesKernel.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalCost.hpp>

#include <string>

namespace lacuna::Impl {

template <bool ByCase>
struct DiagonalEntriesStorage : DiagonalStorage {
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    if constexpr (!Arguments::Operand::wraps) diagonal_entries<ByCase>(exec, arguments);
  }
};

/// \brief 003, 6.2, algorithm 2, for HM: a thread an element of A; `ByCase`: and a group of cases.
template <bool ByCase>
struct DiagonalEntriesAlgorithm : DiagonalPublished {
  static constexpr DiagonalAlgorithm id = ByCase ? DiagonalAlgorithm::entries_by_case : DiagonalAlgorithm::entries;

  static Support supports(const Device&, const DiagonalRequest& request) {
    if (request.format != DiagonalFormat::hm) return {"multiplies HM; for CDM there is gather"};
    if (request.deterministic) return {"adds in any order, and was to be deterministic; there is gather"};
    return {};
  }

  template <class MemorySpace>
  using Storage = DiagonalEntriesStorage<ByCase>;
};

}  // namespace lacuna::Impl

#endif
