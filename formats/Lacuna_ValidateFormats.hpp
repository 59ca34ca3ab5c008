// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATEFORMATS_HPP
#define LACUNA_VALIDATEFORMATS_HPP

#include <Lacuna_Validate.hpp>
#include <formats/impl/bricks/Lacuna_Validate_Bricks.hpp>
#include <formats/impl/coo/Lacuna_Validate_Coo.hpp>
#include <formats/impl/dia/Lacuna_Validate_Dia.hpp>
#include <formats/impl/diagonals/Lacuna_Validate_Diagonals.hpp>
#include <formats/impl/ell/Lacuna_Validate_Ell.hpp>
#include <formats/impl/gcoo/Lacuna_Validate_Gcoo.hpp>
#include <formats/impl/hyb/Lacuna_Validate_Hyb.hpp>
#include <formats/impl/padded_rows/Lacuna_Validate_PaddedRows.hpp>
#include <formats/impl/row_block/Lacuna_Validate_RowBlock.hpp>
#include <formats/impl/sell/Lacuna_Validate_Sell.hpp>
#include <formats/impl/sliced_dia/Lacuna_Validate_SlicedDia.hpp>

/// \file
/// \brief `validate` for matrices in any storage format.

namespace lacuna {

namespace Impl {

template <class ExecutionSpace, class Format>
ValidationReport validate_format(const ExecutionSpace& exec, const Format& matrix, std::size_t memory_limit) {
  ValidationReport report;
  report.rows        = rows_of_format(matrix);
  report.columns     = columns_of_format(matrix);
  report.nonzeros    = static_cast<std::int64_t>(matrix.nonzeros());
  report.row_map_end = report.nonzeros;
  if (report.rows < 0 || report.columns < 0)
    report.defects.push_back("extents " + shape_text(report.rows, report.columns));
  else
    check_structure(exec, matrix, report.defects);
  report.valid = report.defects.empty();
  if (!report.valid) return report;

  const auto entry_bytes = sizeof(typename Format::Scalar) + sizeof(typename Format::Ordinal);
  const auto bytes       = static_cast<std::size_t>(report.nonzeros) * entry_bytes +
                     static_cast<std::size_t>(report.rows + 1) * sizeof(typename Format::Offset);
  check_memory("validate", bytes, memory_limit);
  const auto left = memory_limit == unlimited ? unlimited : memory_limit - bytes;
  return validate_crs(exec, crs_from(exec, matrix), left);
}

}  // namespace Impl

/// \brief Checks a matrix in any format: the rules of the format first, then, where it keeps them, everything that
/// `validate` of a CSR matrix checks.
///
/// `ValidationReport::defects` lists the rules of the format that are broken. The second check converts the matrix to
/// CSR: it allocates a row map, and a column and a value for each nonzero, beside what `validate` of CSR needs. The
/// function fences several times and changes nothing.
///
/// \param[in] exec all work goes to this instance
/// \param[in] matrix a matrix in any format of the library
/// \param[in] options a limit of temporary memory
/// \throws OutOfMemory where `memory_limit` does not suffice or memory is exhausted
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
ValidationReport validate(const ExecutionSpace& exec, const Format& matrix, const ValidateOptions& options = {}) {
  return Impl::in_region("validate", [&] { return Impl::validate_format(exec, matrix, options.memory_limit); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::FormatType Format>
ValidationReport validate(const Format& matrix, const ValidateOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "validate", [&](const auto& exec) { return validate(exec, matrix, options); });
}

}  // namespace lacuna

#endif
