// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_HPP
#define LACUNA_VALIDATE_HPP

#include <Lacuna_Transpose.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/inspection/Lacuna_Findings.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief Checks whether a matrix keeps the rules of its format. Kernels trust their input: check a matrix of unknown
/// origin first.

namespace lacuna {

/// \brief How often a check failed, and where first.
struct Finding {
  std::int64_t count     = 0;
  std::int64_t first_row = -1;  ///< the first row that has it; -1: there is none, or the row is not known

  explicit operator bool() const { return count > 0; }
};

/// \brief The result of `validate`.
struct ValidationReport {
  /// Whether kernels may be given the matrix: the row map and the columns are right, and `defects` is empty. Unsorted
  /// rows, duplicates and values that are not finite are counted but are no errors.
  bool valid = true;

  std::int64_t rows     = 0;
  std::int64_t columns  = 0;
  std::int64_t nonzeros = 0;

  std::int64_t row_map_begin = 0;    ///< 0 in a valid matrix
  std::int64_t row_map_end   = 0;    ///< `nonzeros` in a valid matrix
  Finding decreasing_row_map;        ///< rows that end before they begin
  Finding columns_out_of_range;      ///< entries
  Finding unsorted_rows;             ///< rows
  Finding duplicates;                ///< entries; counted only where the row map and all columns are right
  Finding not_finite;                ///< values
  std::vector<std::string> defects;  ///< other errors: extents, and broken rules of other formats

  /// \brief The report as text, a line for each finding.
  std::string text() const;
};

/// \brief Options of `validate`.
struct ValidateOptions {
  std::size_t memory_limit = unlimited;  ///< the most temporary bytes that may be allocated
};

namespace Impl {

enum class CrsFinding { decreasing, out_of_range, unsorted, duplicate, not_finite, count };

/// The first element, the last, and every row that ends before it begins.
template <class Offset>
struct CheckRowMap {
  std::int64_t rows;
  const Offset* row_map;
  FindingCounters findings;
  std::int64_t* ends;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (row_map[i + 1] < row_map[i]) findings.add(static_cast<int>(CrsFinding::decreasing), i);
    if (i == 0) ends[0] = static_cast<std::int64_t>(row_map[0]);
    if (i == rows - 1) ends[1] = static_cast<std::int64_t>(row_map[rows]);
  }
};

/// Every entry by itself; nothing is known of rows.
template <class Scalar, class Ordinal>
struct CheckEntries {
  Ordinal columns;
  const Ordinal* entries;
  const Scalar* values;
  std::int64_t value_count;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (entries[k] < 0 || entries[k] >= columns) findings.add(static_cast<int>(CrsFinding::out_of_range), -1);
    if (k < value_count && !is_finite(values[k])) findings.add(static_cast<int>(CrsFinding::not_finite), -1);
  }
};

/// Every entry and the one before it, the row map being right.
template <class Scalar, class Ordinal, class Offset>
struct CheckRows {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  std::int64_t value_count;
  FindingCounters findings;
  int* row_marks;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    const Ordinal column = crs.entries[k];
    if (column < 0 || column >= crs.columns) findings.add(static_cast<int>(CrsFinding::out_of_range), row);
    if (static_cast<std::int64_t>(k) < value_count && !is_finite(crs.values[k]))
      findings.add(static_cast<int>(CrsFinding::not_finite), row);
    if (k > crs.row_map[row] && crs.entries[k - 1] > column && Kokkos::atomic_exchange(&row_marks[row], 1) == 0)
      findings.add(static_cast<int>(CrsFinding::unsorted), row);
  }
};

template <class Ordinal, class Offset>
struct CheckDuplicates {
  const Offset* row_map;
  const Ordinal* entries;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    if (k > row_map[row] && entries[k - 1] == entries[k]) findings.add(static_cast<int>(CrsFinding::duplicate), row);
  }
};

template <class Device, class ExecutionSpace>
void read_findings(const ExecutionSpace& exec, const FindingStore<Device>& store, ValidationReport& report) {
  const auto findings = store.read(exec);
  const auto finding  = [&](CrsFinding which) { return Finding{findings.count(which), findings.first_row(which)}; };
  report.decreasing_row_map   = finding(CrsFinding::decreasing);
  report.columns_out_of_range = finding(CrsFinding::out_of_range);
  report.unsorted_rows        = finding(CrsFinding::unsorted);
  report.duplicates           = finding(CrsFinding::duplicate);
  report.not_finite           = finding(CrsFinding::not_finite);
}

template <class ExecutionSpace, class Matrix>
ValidationReport validate_crs(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
  using Device   = typename Matrix::device_type;
  using Scalar   = typename Matrix::non_const_value_type;
  using Ordinal  = typename Matrix::non_const_ordinal_type;
  using Offset   = typename Matrix::non_const_size_type;
  const auto crs = arrays_of(A);
  ValidationReport report;
  report.rows            = static_cast<std::int64_t>(crs.rows);
  report.columns         = static_cast<std::int64_t>(crs.columns);
  report.nonzeros        = static_cast<std::int64_t>(crs.nonzeros);
  const auto value_count = static_cast<std::int64_t>(A.values.extent(0));
  if (value_count != report.nonzeros)
    report.defects.push_back(std::to_string(value_count) + " values for " + std::to_string(report.nonzeros) +
                             " entries");
  if (crs.columns < 0) report.defects.push_back(std::to_string(crs.columns) + " columns");

  const FindingStore<Device> store("validate", exec, static_cast<int>(CrsFinding::count));
  const auto findings = store.counters();
  if (report.rows > 0) {
    const auto ends = allocate<Kokkos::View<std::int64_t*, Device>>("validate", exec, "Lacuna::validate::ends", 2);
    for_each_index(exec, "Lacuna::validate::row_map", report.rows,
                   CheckRowMap<Offset>{report.rows, crs.row_map, findings, ends.data()});
    const auto found_ends =
        read_back(exec, "Lacuna::validate: entries are looked at by row only where the row map is right", ends);
    report.row_map_begin = found_ends[0];
    report.row_map_end   = found_ends[1];
  }
  read_findings(exec, store, report);
  const bool row_map_is_right =
      !report.decreasing_row_map && report.row_map_begin == 0 && report.row_map_end == report.nonzeros;
  if (!row_map_is_right) {
    for_each_index(exec, "Lacuna::validate::entries", report.nonzeros,
                   CheckEntries<Scalar, Ordinal>{crs.columns, crs.entries, crs.values, value_count, findings});
    read_findings(exec, store, report);
  } else if (report.nonzeros > 0) {
    using Marks = Kokkos::View<int*, Device>;
    check_memory("validate", static_cast<std::size_t>(report.rows) * sizeof(int), memory_limit);
    const auto marks = allocate<Marks>("validate", exec, "Lacuna::validate::row_marks", report.rows);
    Kokkos::deep_copy(exec, marks, 0);
    for_each_nonzero(exec, "Lacuna::validate::rows", crs.rows, crs.nonzeros, crs.row_map,
                     CheckRows<Scalar, Ordinal, Offset>{crs, value_count, findings, marks.data()});
    read_findings(exec, store, report);
    if (!report.columns_out_of_range) {
      typename Reorder<Matrix>::Indices sorted;
      const Ordinal* entries = crs.entries;
      if (report.unsorted_rows) {
        check_memory("validate", Reorder<Matrix>::template order_bytes<ExecutionSpace>(crs), memory_limit);
        sorted = Reorder<Matrix>::template gathered<typename Reorder<Matrix>::Indices>(
            "validate", exec, crs.entries, Reorder<Matrix>::order_of_sorted_rows("validate", exec, A));
        entries = sorted.data();
      }
      for_each_nonzero(exec, "Lacuna::validate::duplicates", crs.rows, crs.nonzeros, crs.row_map,
                       CheckDuplicates<Ordinal, Offset>{crs.row_map, entries, findings});
      read_findings(exec, store, report);
    }
  }
  report.valid = row_map_is_right && !report.columns_out_of_range && report.defects.empty();
  return report;
}

}  // namespace Impl

/// \brief Checks the row map, the columns and the values of a CSR matrix.
///
/// The function checks the row map first. It follows the row map to the entries only where it is right, so a broken
/// matrix is reported and never read out of bounds. It fences several times and changes nothing.
///
/// It allocates 4 bytes a row. Where rows are not sorted it also sorts the columns to count duplicates: about 3 column
/// indices and 2 row-map offsets a nonzero, and the workspace of the sort. All of it is freed at the end.
///
/// \param[in] exec all work goes to this instance
/// \param[in] A a `KokkosSparse::CrsMatrix`
/// \param[in] options a limit of temporary memory
/// \throws OutOfMemory where `memory_limit` does not suffice or memory is exhausted
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
ValidationReport validate(const ExecutionSpace& exec, const Matrix& A, const ValidateOptions& options = {}) {
  return Impl::in_region("validate", [&] { return Impl::validate_crs(exec, A, options.memory_limit); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
ValidationReport validate(const Matrix& A, const ValidateOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "validate", [&](const auto& exec) { return validate(exec, A, options); });
}

inline std::string ValidationReport::text() const {
  std::string lines = std::string(valid ? "valid: " : "not valid: ") + Impl::shape_text(rows, columns) + " with " +
                      std::to_string(nonzeros) + " nonzeros\n";
  const auto add = [&](const Finding& finding, const char* what) {
    if (!finding) return;
    lines += "  " + std::to_string(finding.count) + " " + what;
    if (finding.first_row >= 0) lines += ", first in row " + std::to_string(finding.first_row);
    lines += "\n";
  };
  for (const std::string& defect : defects) lines += "  " + defect + "\n";
  if (row_map_begin != 0) lines += "  row map begins with " + std::to_string(row_map_begin) + ", not 0\n";
  if (row_map_end != nonzeros)
    lines += "  row map ends with " + std::to_string(row_map_end) + ", not " + std::to_string(nonzeros) + "\n";
  add(decreasing_row_map, "rows end before they begin");
  add(columns_out_of_range, "columns out of range");
  add(unsorted_rows, "rows not sorted");
  add(duplicates, "duplicates");
  add(not_finite, "values not finite");
  return lines;
}

}  // namespace lacuna

#endif
