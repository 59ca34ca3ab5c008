// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_GCOO_HPP
#define LACUNA_VALIDATE_GCOO_HPP

#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/Lacuna_Validate_Permutation.hpp>
#include <formats/impl/gcoo/Lacuna_Convert_Gcoo.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace lacuna::Impl {

/// The elements of a group, one thread a group: they are inside the matrix, inside the group, and in order.
template <class Scalar, class Ordinal, class Offset>
struct CheckGcooGroup {
  static constexpr std::array<const char*, 4> names{"groups that do not follow the one before", "elements out of range",
                                                    "elements in a wrong group", "elements out of order"};
  GcooArrays<Scalar, Ordinal, Offset> gcoo;
  std::int64_t groups, nonzeros, row_count, column_count;
  bool by_rows;
  FindingCounters findings;

  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    const auto begin = static_cast<std::int64_t>(gcoo.gIdxes[group]);
    const auto count = static_cast<std::int64_t>(gcoo.nnzPerGroup[group]);
    const auto next  = group + 1 < groups ? static_cast<std::int64_t>(gcoo.gIdxes[group + 1]) : nonzeros;
    if (count < 0 || begin < 0 || begin + count != next || next > nonzeros || (group == 0 && begin != 0))
      return findings.add(0, group);
    for (std::int64_t k = begin; k < next; ++k) {
      const auto row = static_cast<std::int64_t>(gcoo.rows[k]), column = static_cast<std::int64_t>(gcoo.cols[k]);
      if (row < 0 || row >= row_count || column < 0 || column >= column_count) {
        findings.add(1, group);
        continue;
      }
      if ((by_rows ? row : column) / gcoo.group_size != group) findings.add(2, group);
      if (k == begin) continue;
      const auto row_before    = static_cast<std::int64_t>(gcoo.rows[k - 1]);
      const auto column_before = static_cast<std::int64_t>(gcoo.cols[k - 1]);
      const bool in_order      = by_rows ? column_before < column || (column_before == column && row_before <= row)
                                         : row_before < row || (row_before == row && column_before <= column);
      if (!in_order) findings.add(3, group);
    }
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const GcooMatrix<S, O, D, F>& gcoo, Defects& defects) {
  using Check = CheckGcooGroup<S, O, F>;
  if (gcoo.group_size < 1) {
    defects.push_back("group_size " + std::to_string(gcoo.group_size));
    return;
  }
  const auto n         = static_cast<std::int64_t>(gcoo.nonzeros());
  const bool has_views = has_extent("rows", gcoo.rows, n, defects) && has_extent("cols", gcoo.cols, n, defects) &&
                         has_extent("gIdxes", gcoo.gIdxes, gcoo.groups(), defects) &&
                         has_extent("nnzPerGroup", gcoo.nnzPerGroup, gcoo.groups(), defects);
  if (!has_views) return;
  if (gcoo.groups() == 0 && n > 0) {
    defects.push_back(std::to_string(n) + " elements in no group");
    return;
  }
  // New values come from there. What was made from a dense matrix has none.
  if (gcoo.source.extent(0) > 0) {
    if (!has_extent("source", gcoo.source, n, defects)) return;
    check_permutation(exec, "source", gcoo.source, n, false, defects);
  }
  const FindingStore<D> store("validate", exec, Check::names.size());
  for_each_index(
      exec, "Lacuna::validate::gcoo", gcoo.groups(),
      Check{gcoo_arrays(gcoo), gcoo.groups(), n, static_cast<std::int64_t>(gcoo.row_count),
            static_cast<std::int64_t>(gcoo.column_count), gcoo.grouping == GcooGrouping::rows, store.counters()});
  list_findings<Check::names.size()>(exec, store, Check::names, defects);
}

}  // namespace lacuna::Impl

#endif
