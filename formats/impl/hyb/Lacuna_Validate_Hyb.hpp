// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_HYB_HPP
#define LACUNA_VALIDATE_HYB_HPP

#include <formats/impl/coo/Lacuna_Validate_Coo.hpp>
#include <formats/impl/ell/Lacuna_Validate_Ell.hpp>
#include <formats/impl/hyb/Lacuna_Convert_Hyb.hpp>

#include <cstdint>

/// \file
/// \brief The rules of `HybMatrix` beyond those of CSR.

namespace lacuna::Impl {

/// Row i of the coordinate part is what the map says, and has something only where the ELLPACK part is full.
template <class Ordinal, class Offset>
struct CheckHybRow {
  EllRowLength<Ordinal> length;
  const Offset* coo_row_map;
  const Ordinal* row_indices;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (coo_row_map[i] == coo_row_map[i + 1]) return;
    if (length(i) < length.width) findings.add(0, i);
    for (Offset k = coo_row_map[i]; k < coo_row_map[i + 1]; ++k)
      if (row_indices[k] != i) findings.add(1, i);
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const HybMatrix<S, O, D, F>& hyb, Defects& defects) {
  const auto check_part = [&](O rows, O columns) {
    if (rows != hyb.rows || columns != hyb.columns)
      defects.push_back("a part is " + shape_text(rows, columns) + ", the matrix " + shape_text(hyb.rows, hyb.columns));
  };
  check_part(hyb.ell.rows, hyb.ell.columns);
  check_part(hyb.coo.rows, hyb.coo.columns);
  if (!defects.empty()) return;
  const auto rows = static_cast<std::int64_t>(hyb.rows);
  check_structure(exec, hyb.ell, defects);
  check_structure(exec, hyb.coo, defects);
  check_map(exec, "coo_row_map", hyb.coo_row_map, rows, static_cast<std::int64_t>(hyb.coo.nonzeros()), 1, defects);
  if (!defects.empty()) return;
  const FindingStore<D> store("validate", exec, 2);
  for_each_index(exec, "Lacuna::validate::hyb_rows", rows,
                 CheckHybRow<O, F>{{hyb.ell.width, hyb.ell.stride, hyb.ell.column_indices.data()},
                                   hyb.coo_row_map.data(),
                                   hyb.coo.row_indices.data(),
                                   store.counters()});
  list_findings<2>(exec, store,
                   {"rows in coordinates whose ELLPACK part is not full", "nonzeros that coo_row_map puts elsewhere"},
                   defects);
}

}  // namespace lacuna::Impl

#endif
