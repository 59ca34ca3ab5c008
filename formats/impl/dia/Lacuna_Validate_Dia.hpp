// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_DIA_HPP
#define LACUNA_VALIDATE_DIA_HPP

#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/dia/Lacuna_Convert_Dia.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief The rules of `DiaMatrix` beyond those of CSR.

namespace lacuna::Impl {

template <class Ordinal>
struct CheckOffsets {
  std::int64_t rows;
  std::int64_t columns;
  const Ordinal* offsets;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t d) const {
    const auto offset = static_cast<std::int64_t>(offsets[d]);
    if (offset <= -rows || offset >= columns || (d > 0 && offset <= static_cast<std::int64_t>(offsets[d - 1])))
      findings.add(0, d);
  }
};

template <class Scalar, class Ordinal>
struct CheckDiagonalElements {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
  const Ordinal* offsets;
  const Scalar* values;
  const std::uint32_t* occupied;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t element) const {
    const std::int64_t row    = element % stride;
    const std::int64_t column = row + static_cast<std::int64_t>(offsets[element / stride]);
    if (!is_occupied(occupied, element)) {
      if (values[element] != Scalar(0)) findings.add(0, row);
    } else if (row >= rows || column < 0 || column >= columns) {
      findings.add(1, row);
    }
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const DiaMatrix<S, O, D, F>& dia, Defects& defects) {
  const auto rows    = static_cast<std::int64_t>(dia.rows);
  const auto columns = static_cast<std::int64_t>(dia.columns);
  if (dia.stride < rows || dia.stride % 32 != 0) {
    defects.push_back("stride " + std::to_string(dia.stride));
    return;
  }
  const auto elements = checked_product("validate", dia.diagonals(), dia.stride);
  if (!has_extent("values", dia.values, elements, defects) ||
      !has_extent("occupied", dia.occupied, elements / 32, defects))
    return;
  const FindingStore<D> offsets("validate", exec, 1);
  for_each_index(exec, "Lacuna::validate::offsets", dia.diagonals(),
                 CheckOffsets<O>{rows, columns, dia.offsets.data(), offsets.counters()});
  list_findings<1>(exec, offsets, {"offsets out of range or out of order"}, defects);
  if (!defects.empty()) return;
  const FindingStore<D> store("validate", exec, 2);
  for_each_index(exec, "Lacuna::validate::diagonals", elements,
                 CheckDiagonalElements<S, O>{rows, columns, dia.stride, dia.offsets.data(), dia.values.data(),
                                             dia.occupied.data(), store.counters()});
  list_findings<2>(exec, store, {"values that are not 0 where nothing is", "nonzeros outside of the matrix"}, defects);
}

}  // namespace lacuna::Impl

#endif
