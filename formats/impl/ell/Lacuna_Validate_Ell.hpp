// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_ELL_HPP
#define LACUNA_VALIDATE_ELL_HPP

#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/Lacuna_PaddingRules.hpp>
#include <formats/impl/ell/Lacuna_Convert_Ell.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief The rules of `EllMatrix` beyond those of CSR.

namespace lacuna::Impl {

template <class Scalar, class Ordinal>
struct CheckEllRow {
  PaddingRules<Ordinal, Scalar> rules;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    rules.check(i, i, stride, width, width);
    if (i >= rows)
      for (std::int64_t position = 0; position < width; ++position)
        if (rules.columns[position * stride + i] != rules.padding) rules.findings.add(0, i);
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const EllMatrix<S, O, D, F>& ell, Defects& defects) {
  if (ell.width < 0 || ell.stride < static_cast<std::int64_t>(ell.rows)) {
    defects.push_back("width " + std::to_string(ell.width) + " and stride " + std::to_string(ell.stride));
    return;
  }
  const auto elements = checked_product("validate", ell.width, ell.stride);
  if (!has_extent("column_indices", ell.column_indices, elements, defects) ||
      !has_extent("values", ell.values, elements, defects))
    return;
  const FindingStore<D> store("validate", exec, 4);
  // Rows without a position are not looked at: a stride may be any number then.
  for_each_index(exec, "Lacuna::validate::ell_rows", ell.width > 0 ? ell.stride : 0,
                 CheckEllRow<S, O>{{ell.column_indices.data(), ell.values.data(), ell.padding, store.counters()},
                                   static_cast<std::int64_t>(ell.rows),
                                   ell.width,
                                   ell.stride});
  list_findings(exec, store, PaddingRules<O, S>::names, defects);
}

}  // namespace lacuna::Impl

#endif
