// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_UPDATEVECTORSLICES_HPP
#define LACUNA_UPDATEVECTORSLICES_HPP

#include <formats/impl/vector_slices/Lacuna_Convert_VectorSlices.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace lacuna::Impl {

/// \brief New values in the pattern of the slices, a row at a time. Host code only.
///
/// The steps say where a nonzero is: the entries of a row that are on diagonals come in the order of the diagonals, the
/// others in the order of the steps behind them. Positions without an entry hold zeros already. Rows that are not
/// sorted may tell less; a slice with diagonals and such a row is cut into steps again, as when it was filled.
template <class Arrays, class Format>
struct UpdateVectorSlices {
  using Window  = VectorSlicesWindow<Arrays, Format>;
  using Slice   = typename Format::Slice;
  using Step    = typename Format::Step;
  using Ordinal = typename Arrays::Ordinal;
  using Scalar  = typename Arrays::Scalar;
  using Offset  = typename Arrays::Offset;

  static constexpr int slice_rows = Format::rows_per_slice;

  Arrays A;
  Format format;
  WindowMemory* memory;

  void operator()(const std::int64_t window) const {
    memory->run([&] { update(window); });
  }

 private:
  void update(const std::int64_t window) const {
    std::optional<Window> rows;
    const std::int64_t first = window * Window::slices_per_window;
    const std::int64_t last  = std::min<std::int64_t>(first + Window::slices_per_window, format.slice_count());
    for (std::int64_t s = first; s < last; ++s) {
      const Slice& slice = format.slices[s];
      if (slice.diagonals == 0) {
        update_gathers(slice, s);
      } else if (!update_sorted(slice, s)) {
        if (!rows) rows.emplace(A, window, format.looks_for_diagonals);
        rows->open(static_cast<int>(s - first));
        FillVectorSlices<Arrays, Format>{A, format, true, memory}.fill(slice, *rows);
      }
    }
  }

  void update_gathers(const Slice& slice, std::int64_t s) const {
    const int used = static_cast<int>(std::min<std::int64_t>(slice_rows, A.rows - s * slice_rows));
    for (int r = 0; r < used; ++r) write_row(row_in(slice, s * slice_rows + r), values_of(slice, r));
  }
  /// Every nonzero of the row, one step after the other.
  void write_row(std::int64_t row, Scalar* value) const {
    for (Offset k = A.row_map[row], end = A.row_map[row + 1]; k < end; ++k, value += slice_rows) *value = A.values[k];
  }
  Scalar* values_of(const Slice& slice, int r) const { return format.values.data() + slice.step * slice_rows + r; }

  std::int64_t row_in(const Slice& slice, std::int64_t slot) const {
    if (!slice.is_sorted) return slot;
    return slot / Format::rows_per_window * Format::rows_per_window + format.order[slot];
  }

  /// Returns whether rows of the slice are sorted: a column that comes twice is first in the diagonal then.
  bool update_sorted(const Slice& slice, std::int64_t s) const {
    const Step* const diagonals = format.steps.data() + slice.step;
    unsigned on_all             = Format::all_rows;
    for (std::int32_t d = 0; d < slice.diagonals; ++d) on_all &= diagonals[d].rows;
    for (int r = 0; r < slice_rows; ++r) {
      const std::int64_t row = s * slice_rows + r;
      // A row with no more than an entry on each diagonal needs no look at columns.
      if ((on_all >> r & 1) != 0 && A.row_map[row + 1] - A.row_map[row] == static_cast<Offset>(slice.diagonals))
        write_row(row, values_of(slice, r));
      else if (!update_sorted(slice, r, row))
        return false;
    }
    return true;
  }
  bool update_sorted(const Slice& slice, int r, std::int64_t row) const {
    const Step* diagonal           = format.steps.data() + slice.step;
    const Step* const diagonals_of = diagonal + slice.diagonals;
    Scalar* on_diagonal            = values_of(slice, r);
    Scalar* behind                 = on_diagonal + std::int64_t{slice.diagonals} * slice_rows;
    const auto skip                = [&] {
      for (; diagonal != diagonals_of && (diagonal->rows >> r & 1) == 0; ++diagonal) on_diagonal += slice_rows;
    };
    skip();
    Ordinal before = 0;
    for (Offset k = A.row_map[row], end = A.row_map[row + 1]; k < end; ++k) {
      const Ordinal column = A.entries[k];
      if (column < before) return false;
      before = column;
      if (diagonal != diagonals_of && diagonal->base == static_cast<Ordinal>(column - r)) {
        *on_diagonal = A.values[k];
        ++diagonal, on_diagonal += slice_rows;
        skip();
      } else {
        *behind = A.values[k];
        behind += slice_rows;
      }
    }
    return true;
  }
};

/// New values in the same pattern. Does not fence. \throws OutOfMemory; values are partly new then.
template <class ExecutionSpace, class Arrays, class Format>
void update_vector_slices(const ExecutionSpace& exec, const Arrays& A, const Format& format) {
  WindowMemory memory;
  for_each_index(exec, "Lacuna::vector_slices::update", vector_windows(format),
                 UpdateVectorSlices<Arrays, Format>{A, format, &memory});
  memory.check();
}

}  // namespace lacuna::Impl

#endif
