// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMUNSORTEDROWS_HPP
#define LACUNA_SPGEMMUNSORTEDROWS_HPP

#include <Lacuna_Error.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief What an error says of rows that do not ascend: which matrix of the caller's they are of, and the first of
/// them. The pass over B is made for the error alone.

namespace lacuna::Impl {

/// Finds the least row that does not ascend strictly.
template <class Arrays>
struct FirstUnsortedRow {
  Arrays B;
  KOKKOS_FUNCTION void operator()(const std::int64_t row, std::int64_t& first) const {
    for (auto k = B.row_map[row] + 1; k < B.row_map[row + 1] && row < first; ++k)
      if (B.entries[k - 1] >= B.entries[k]) first = row;
  }
};

/// "row 5 of D, 40x60" for the first such row of [begin, end); nothing where all ascend. Waits for `exec`.
template <class ExecutionSpace, class Arrays>
std::string unsorted_text(const ExecutionSpace& exec, const Arrays& B, const char* what, std::int64_t begin,
                          std::int64_t end) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  Kokkos::parallel_reduce("Lacuna::spgemm::first_unsorted_row", IndexRange<ExecutionSpace>(exec, begin, end),
                          FirstUnsortedRow<Arrays>{B}, Kokkos::Min<std::int64_t>(first));
  exec.fence("Lacuna::spgemm: the first row that is not sorted");
  if (first >= end) return {};
  return "row " + std::to_string(first - begin) + " of " + what + ", " + shape_text(end - begin, B.columns);
}

/// \throws InvalidMatrix. The first `inner` rows of B are those of op(B), the others those of D.
template <class ExecutionSpace, class Arrays>
[[noreturn]] void raise_unsorted_rows(const ExecutionSpace& exec, const Arrays& B, std::int64_t inner) {
  const std::string of_b = unsorted_text(exec, B, "op(B)", 0, inner);
  const std::string of_d = unsorted_text(exec, B, "D", inner, static_cast<std::int64_t>(B.rows));
  const bool both        = !of_b.empty() && !of_d.empty();
  raise<InvalidMatrix>("SpgemmPlan", "bins merges sorted rows; ", of_b, both ? ", and " : "", of_d,
                       both ? ", are not sorted or have" : ", is not sorted or has",
                       " a column twice: see sort_rows, or use row_classes");
}

}  // namespace lacuna::Impl

#endif
