// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLANPARTS_HPP
#define LACUNA_PLANPARTS_HPP

#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

/// \file
/// \brief What plans of several operations share.

namespace lacuna::Impl {

/// Counts the places where two patterns differ.
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
  Kokkos::parallel_reduce("Lacuna::update_values::compare",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                          PatternDifference<Arrays>{left, right}, differences);
  exec.fence("Lacuna::update_values: comparison to the host");
  return differences == 0;
}

/// \throws InvalidArgument where `A` has another pattern than the matrix of the plan.
template <class ExecutionSpace, CrsMatrixType Matrix>
void check_pattern_of_plan(const char* function, const ExecutionSpace& exec, const Matrix& planned, const Matrix& A) {
  const auto arrays = arrays_of(A), expected = arrays_of(planned);
  if (!same_pattern(exec, expected, arrays))
    raise<InvalidArgument>(function, "the pattern differs from that of the plan, A ",
                           shape_text(arrays.rows, arrays.columns), " with ", arrays.nonzeros, " nonzeros, the plan's ",
                           shape_text(expected.rows, expected.columns), " with ", expected.nonzeros);
}

/// "12.3 MB" and the like, for reports.
inline std::string bytes_text(double bytes) {
  static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit                             = 0;
  while (bytes >= 1000 && unit < 4) bytes /= 1000, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
  return text;
}

/// The line of a report on the set-up; `break_even` is the number of calls that pay it back, 0 for none.
inline std::string set_up_text(double seconds, std::int64_t break_even) {
  char text[64];
  std::snprintf(text, sizeof text, "  set-up      %.3g ms", 1e3 * seconds);
  return text + (break_even > 0 ? ", paid back after about " + std::to_string(break_even) + " calls\n" : "\n");
}

}  // namespace lacuna::Impl

#endif
