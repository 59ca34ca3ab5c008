// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_PADDEDROWS_HPP
#define LACUNA_VALIDATE_PADDEDROWS_HPP

#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/Lacuna_PaddingRules.hpp>
#include <formats/impl/padded_rows/Lacuna_Convert_PaddedRows.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief The rules of `PaddedRowsMatrix` beyond those of CSR.

namespace lacuna::Impl {

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const PaddedRowsMatrix<S, O, D, F>& padded, Defects& defects) {
  const auto rows = static_cast<std::int64_t>(padded.rows);
  const auto size = static_cast<std::int64_t>(padded.entries.extent(0));
  if (padded.multiple < 1) {
    defects.push_back("multiple " + std::to_string(padded.multiple));
    return;
  }
  if (!has_extent("values", padded.values, size, defects) ||
      !check_map(exec, "row_map", padded.row_map, rows, size, padded.multiple, defects))
    return;
  const FindingStore<D> store("validate", exec, 4);
  for_each_index(
      exec, "Lacuna::validate::padded_rows", rows,
      CheckPaddedRow<S, O, F>{{padded.entries.data(), padded.values.data(), padded.padding, store.counters()},
                              padded.row_map.data(),
                              padded.multiple - 1});
  list_findings(exec, store, PaddingRules<O, S>::names, defects);
}

}  // namespace lacuna::Impl

#endif
