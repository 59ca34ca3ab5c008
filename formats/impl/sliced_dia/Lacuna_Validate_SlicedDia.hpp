// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_SLICEDDIA_HPP
#define LACUNA_VALIDATE_SLICEDDIA_HPP

#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/sell/Lacuna_UniformSlices.hpp>
#include <formats/impl/sliced_dia/Lacuna_Convert_SlicedDia.hpp>

#include <array>
#include <cstdint>
#include <string>

/// \file
/// \brief The rules of `SlicedDiaMatrix` beyond those of CSR.

namespace lacuna::Impl {

/// One row of a slice of diagonals, and by its first row what the slice as a whole must keep to.
template <class Format>
struct CheckSlicedDiaRow {
  static constexpr std::array<const char*, 5> names{"offsets out of order", "diagonals behind one without entries",
                                                    "columns out of range", "entries below the last row",
                                                    "values that are not 0 where nothing is"};

  Format dia;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(const std::int64_t row, std::int64_t& existing) const {
    using Scalar             = typename Format::Scalar;
    using Ordinal            = typename Format::Ordinal;
    const std::int64_t slice = row / Format::rows_per_slice;
    const int r              = static_cast<int>(row % Format::rows_per_slice);
    const auto base          = static_cast<std::int64_t>(sliced_dia_base<Ordinal>(row, dia.group));
    const std::int64_t begin = dia.slice_begin(slice);
    for (std::int64_t d = begin; d < dia.slice_begin(slice + 1); ++d) {
      if (r == 0 && d > begin && dia.diagonals(d).mask != 0) {
        if (dia.diagonals(d - 1).mask == 0)
          findings.add(1, row);
        else if (dia.diagonals(d).offset <= dia.diagonals(d - 1).offset)
          findings.add(0, row);
      }
      const bool exists = (dia.diagonals(d).mask >> r & 1u) != 0;
      if (!exists) {
        if (dia.values(d * Format::rows_per_slice + r) != Scalar(0)) findings.add(4, row);
        continue;
      }
      ++existing;
      const std::int64_t column = base + static_cast<std::int64_t>(dia.diagonals(d).offset);
      if (row >= static_cast<std::int64_t>(dia.rows))
        findings.add(3, row);
      else if (column < 0 || column >= static_cast<std::int64_t>(dia.columns))
        findings.add(2, row);
    }
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const SlicedDiaMatrix<S, O, D, F>& dia, Defects& defects) {
  using Format = SlicedDiaMatrix<S, O, D, F>;
  if (dia.group < 1) {
    defects.push_back("group " + std::to_string(dia.group));
    return;
  }
  const std::int64_t slots = dia.slices() * Format::rows_per_slice;
  if (!has_extent("values", dia.values, checked_product("validate", dia.diagonal_count(), Format::rows_per_slice),
                  defects) ||
      !check_map(exec, "slice_begin", dia.slice_begin, dia.slices(), dia.diagonal_count(), 1, defects))
    return;
  if (dia.uniform_diagonals > 0 && !has_uniform_slices(exec, dia.slice_begin, dia.slices(), dia.uniform_diagonals))
    defects.push_back("slices that do not all have the " + std::to_string(dia.uniform_diagonals) +
                      " diagonals they should");
  const FindingStore<D> store("validate", exec, CheckSlicedDiaRow<Format>::names.size());
  std::int64_t existing = 0;
  if (slots > 0)
    Kokkos::parallel_reduce("Lacuna::validate::sliced_dia", index_range(exec, slots),
                            CheckSlicedDiaRow<Format>{dia, store.counters()}, existing);
  list_findings(exec, store, CheckSlicedDiaRow<Format>::names, defects);
  if (existing != static_cast<std::int64_t>(dia.nonzeros()))
    defects.push_back(std::to_string(existing) + " entries exist, not " + std::to_string(dia.nonzeros()));
}

}  // namespace lacuna::Impl

#endif
