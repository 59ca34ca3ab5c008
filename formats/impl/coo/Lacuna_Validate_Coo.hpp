// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_COO_HPP
#define LACUNA_VALIDATE_COO_HPP

#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/coo/Lacuna_Convert_Coo.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief The rules of `CooMatrix` beyond those of CSR.

namespace lacuna::Impl {

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const CooMatrix<S, O, D, F>& coo, Defects& defects) {
  const auto n = static_cast<std::int64_t>(coo.nonzeros());
  if (!has_extent("row_indices", coo.row_indices, n, defects) ||
      !has_extent("column_indices", coo.column_indices, n, defects))
    return;
  std::int64_t misplaced = 0;
  Kokkos::parallel_reduce("Lacuna::validate::coo_rows", index_range(exec, n),
                          CountMisplacedRows<O>{static_cast<std::int64_t>(coo.rows), coo.row_indices.data()},
                          misplaced);
  if (misplaced > 0) defects.push_back(std::to_string(misplaced) + " rows out of range or out of order");
}

}  // namespace lacuna::Impl

#endif
