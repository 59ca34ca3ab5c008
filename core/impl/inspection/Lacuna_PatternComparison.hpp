// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PATTERNCOMPARISON_HPP
#define LACUNA_PATTERNCOMPARISON_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief Whether two matrices have the same pattern.

namespace lacuna::Impl {

/// Counts the positions where two patterns differ.
template <class Arrays>
struct PatternDifference {
  Arrays left, right;
  KOKKOS_FUNCTION void operator()(const std::int64_t i, std::int64_t& differences) const {
    if (i <= static_cast<std::int64_t>(left.rows) && left.row_map[i] != right.row_map[i]) ++differences;
    if (i < static_cast<std::int64_t>(left.nonzeros) && left.entries[i] != right.entries[i]) ++differences;
  }
};

/// Fences where the arrays are not the very same.
template <class ExecutionSpace, class Arrays>
bool same_pattern(const ExecutionSpace& exec, const Arrays& left, const Arrays& right) {
  if (left.rows != right.rows || left.columns != right.columns || left.nonzeros != right.nonzeros) return false;
  if (left.rows == 0 || (left.row_map == right.row_map && left.entries == right.entries)) return true;
  std::int64_t differences = 0;
  const std::int64_t count =
      std::max<std::int64_t>(static_cast<std::int64_t>(left.rows) + 1, static_cast<std::int64_t>(left.nonzeros));
  Kokkos::parallel_reduce("Lacuna::update_values::compare", index_range(exec, count),
                          PatternDifference<Arrays>{left, right}, differences);
  exec.fence("Lacuna::update_values: comparison to the host");
  return differences == 0;
}

/// \throws InvalidArgument where `A` has other extents or another number of nonzeros than the matrix of the plan, and
/// where it has another pattern and that is compared.
template <class ExecutionSpace, CrsMatrixType Matrix>
void check_pattern_of_plan(const char* function, const ExecutionSpace& exec, const Matrix& planned, const Matrix& A,
                           bool compares) {
  const auto arrays = arrays_of(A), expected = arrays_of(planned);
  const bool alike =
      arrays.rows == expected.rows && arrays.columns == expected.columns && arrays.nonzeros == expected.nonzeros;
  if (compares ? !same_pattern(exec, expected, arrays) : !alike)
    raise<InvalidArgument>(function, "the pattern differs from that of the plan, A ",
                           shape_text(arrays.rows, arrays.columns), " with ", arrays.nonzeros, " nonzeros, the plan's ",
                           shape_text(expected.rows, expected.columns), " with ", expected.nonzeros);
}

}  // namespace lacuna::Impl

#endif
