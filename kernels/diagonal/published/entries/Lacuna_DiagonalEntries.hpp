// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALENTRIES_HPP
#define LACUNA_DIAGONALENTRIES_HPP

#include <kernels/diagonal/published/entries/Lacuna_DiagonalByCaseKernel.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalCost.hpp>

#include <string>

namespace lacuna::Impl {

struct DiagonalEntriesStorage : DiagonalStorage {
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    if constexpr (!Arguments::Operand::wraps) diagonal_entries(exec, arguments);
  }
};

class DiagonalEntriesByCaseStorage : public DiagonalStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    m_threads = context.request.threads_per_entry;
  }
  std::string describe() const { return std::to_string(m_threads) + " threads an element of A"; }
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    if constexpr (!Arguments::Operand::wraps) diagonal_entries_by_case(exec, arguments, m_threads);
  }

 private:
  int m_threads = 0;
};

/// What both serve.
inline Support supports_diagonal_entries(const DiagonalRequest& request) {
  if (request.format != DiagonalFormat::hm) return {"multiplies HM; for CDM there is gather"};
  if (request.half_a) return {"has threads for the elements of A, of which half are stored; there is gather"};
  if (request.half_c) return {"adds to all diagonals of C, of which half are stored; there is gather"};
  if (request.deterministic) return {"adds in any order, and was to be deterministic; there is gather"};
  return {};
}

/// \brief 003, 6.2, algorithm 2, for HM: a thread an element of A.
struct DiagonalEntriesAlgorithm : DiagonalPublished {
  static constexpr DiagonalAlgorithm id = DiagonalAlgorithm::entries;

  static Support supports(const Device&, const DiagonalRequest& request) { return supports_diagonal_entries(request); }

  template <class MemorySpace>
  using Storage = DiagonalEntriesStorage;
};

/// \brief 003, 6.2, last paragraph: `threads_per_entry` threads an element of A.
struct DiagonalEntriesByCaseAlgorithm : DiagonalPublished {
  static constexpr DiagonalAlgorithm id = DiagonalAlgorithm::entries_by_case;

  static Support supports(const Device&, const DiagonalRequest& request) {
    if (request.threads_per_entry < 2 || request.threads_per_entry > DiagonalCases::count)
      return {"has 2 to " + std::to_string(DiagonalCases::count) + " threads an element of A, threads_per_entry is " +
              std::to_string(request.threads_per_entry)};
    return supports_diagonal_entries(request);
  }

  template <class MemorySpace>
  using Storage = DiagonalEntriesByCaseStorage;
};

}  // namespace lacuna::Impl

#endif
