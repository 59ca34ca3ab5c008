// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_VECTORSLICES_HPP
#define LACUNA_CONVERT_VECTORSLICES_HPP

#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <formats/impl/vector_slices/Lacuna_VectorSlicesWindow.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

/// \file
/// \brief CSR to slices for the vector registers of a host. Host code only.

namespace lacuna::Impl {

template <class Format>
std::int64_t vector_windows(const Format& format) {
  return ceiling_quotient(static_cast<std::int64_t>(format.rows), Format::rows_per_window);
}

/// Leaves in each slice how many steps it has, in place of where they begin.
template <class Arrays, class Format>
struct CountVectorSlices {
  using Window = VectorSlicesWindow<Arrays, Format>;
  Arrays A;
  bool looks_for_diagonals;
  typename Format::Slice* slices;
  WindowMemory* memory;

  void operator()(const std::int64_t window) const {
    memory->run([&] { count(window); });
  }

 private:
  void count(const std::int64_t window) const {
    Window rows(A, window, looks_for_diagonals);
    for (int s = 0; s < rows.slices(); ++s) {
      rows.open(s);
      typename Format::Slice slice;
      slice.diagonals                                = static_cast<std::int32_t>(rows.diagonals().size());
      slice.index                                    = rows.gathers();
      slice.step                                     = slice.diagonals + slice.index;
      slice.is_wide                                  = rows.is_wide();
      slice.is_sorted                                = rows.is_sorted();
      slices[window * Window::slices_per_window + s] = slice;
    }
  }
};

/// Where steps begin, from how many there are.
struct VectorSliceTotals {
  std::int64_t steps = 0, narrow = 0, wide = 0;
  bool is_sorted = false;
};

template <class Slice>
VectorSliceTotals place_vector_slices(Slice* slices, std::int64_t count) {
  VectorSliceTotals totals;
  for (std::int64_t s = 0; s < count; ++s) {
    Slice& slice        = slices[s];
    std::int64_t& index = slice.is_wide ? totals.wide : totals.narrow;
    totals.is_sorted    = totals.is_sorted || slice.is_sorted;
    totals.steps += std::exchange(slice.step, totals.steps);
    index += std::exchange(slice.index, index);
  }
  slices[count].step = totals.steps;
  return totals;
}

template <class Arrays, class Format>
struct FillVectorSlices {
  using Window  = VectorSlicesWindow<Arrays, Format>;
  using Ordinal = typename Arrays::Ordinal;
  using Scalar  = typename Arrays::Scalar;
  using Offset  = typename Arrays::Offset;
  using RowSet  = typename Format::RowSet;

  static constexpr int slice_rows = Format::rows_per_slice;

  Arrays A;
  Format format;
  bool only_values;
  WindowMemory* memory;

  void operator()(const std::int64_t window) const {
    memory->run([&] { fill(window); });
  }

  /// The slice that `rows` has open.
  void fill(const typename Format::Slice& slice, const Window& rows) const {
    std::int64_t step = slice.step;
    for (const auto& diagonal : rows.diagonals()) {
      Scalar* const values = clear(step);
      for (int r = 0; r < slice_rows; ++r)
        if ((diagonal.rows >> r & 1) != 0) values[r] = A.values[diagonal.nonzero[r]];
      if (!only_values) format.steps[step] = {diagonal.base, diagonal.rows};
      ++step;
    }
    for (int k = 0, n = rows.gathers(); k < n; ++k, ++step) {
      Scalar* const values = clear(step);
      rows.for_each_in(k, [&](int r, Offset nonzero) { values[r] = A.values[nonzero]; });
      if (!only_values) place_columns(slice, rows, k, step);
    }
  }

 private:
  void fill(const std::int64_t window) const {
    Window rows(A, window, format.looks_for_diagonals);
    if (!only_values && format.order.extent(0) > 0)
      for (int slot = 0; slot < rows.slices() * slice_rows; ++slot)
        format.order[window * Format::rows_per_window + slot] = rows.row_in(slot);
    for (int s = 0; s < rows.slices(); ++s) {
      rows.open(s);
      fill(format.slices[window * Window::slices_per_window + s], rows);
    }
  }

  Scalar* clear(std::int64_t step) const {
    Scalar* const values = format.values.data() + step * slice_rows;
    std::fill_n(values, slice_rows, Scalar(0));
    return values;
  }

  /// Rows without an entry are given the first column of the step, which is read there and not used.
  void place_columns(const typename Format::Slice& slice, const Window& rows, int k, std::int64_t step) const {
    const Ordinal base    = rows.base_of(k);
    const std::int64_t at = (slice.index + k) * slice_rows;
    RowSet set            = 0;
    if (slice.is_wide)
      std::fill_n(format.wide.data() + at, slice_rows, base);
    else
      std::fill_n(format.narrow.data() + at, slice_rows, std::uint16_t{0});
    rows.for_each_in(k, [&](int r, Offset nonzero) {
      const Ordinal column = A.entries[nonzero];
      set |= static_cast<RowSet>(1 << r);
      if (slice.is_wide)
        format.wide[at + r] = column;
      else
        format.narrow[at + r] = static_cast<std::uint16_t>(column - base);
    });
    format.steps[step] = {base, set};
  }
};

/// What slices were counted, and where they begin.
template <class Format>
struct VectorSlicesLayout {
  Format format;
  VectorSliceTotals totals;

  std::size_t bytes_to_allocate() const {
    constexpr std::size_t rows = Format::rows_per_slice;
    return static_cast<std::size_t>(totals.steps) *
               (sizeof(typename Format::Step) + rows * sizeof(typename Format::Scalar)) +
           static_cast<std::size_t>(totals.narrow) * rows * sizeof(std::uint16_t) +
           static_cast<std::size_t>(totals.wide) * rows * sizeof(typename Format::Ordinal) + order_slots();
  }
  std::size_t order_slots() const {
    return totals.is_sorted ? static_cast<std::size_t>(format.slice_count()) * Format::rows_per_slice : 0;
  }
};

/// Bytes that counting takes, and keeps.
template <class Format>
std::size_t vector_slices_count_bytes(std::int64_t rows) {
  return static_cast<std::size_t>(ceiling_quotient(rows, Format::rows_per_slice) + 1) * sizeof(typename Format::Slice);
}

/// Waits for `exec`. \throws OutOfMemory.
template <class Format, class ExecutionSpace, class Arrays>
VectorSlicesLayout<Format> vector_slices_layout(const ExecutionSpace& exec, const Arrays& A, bool looks_for_diagonals) {
  VectorSlicesLayout<Format> layout;
  Format& format             = layout.format;
  format.rows                = A.rows;
  format.looks_for_diagonals = looks_for_diagonals;
  const std::int64_t count   = format.slice_count();
  WindowMemory memory;
  format.slices = allocate<decltype(format.slices)>("vector_slices", exec, "Lacuna::vector_slices::slices", count + 1);
  for_each_index(exec, "Lacuna::vector_slices::count", vector_windows(format),
                 CountVectorSlices<Arrays, Format>{A, looks_for_diagonals, format.slices.data(), &memory});
  exec.fence("Lacuna::vector_slices: counted");
  memory.check();
  layout.totals = place_vector_slices(format.slices.data(), count);
  return layout;
}

/// \throws OutOfMemory. Does not fence.
template <class Format, class ExecutionSpace, class Arrays>
Format fill_vector_slices(const ExecutionSpace& exec, const Arrays& A, const VectorSlicesLayout<Format>& layout) {
  constexpr int rows   = Format::rows_per_slice;
  constexpr auto where = "vector_slices";
  Format format        = layout.format;
  const auto& totals   = layout.totals;
  format.steps         = allocate<decltype(format.steps)>(where, exec, "Lacuna::vector_slices::steps", totals.steps);
  format.values = allocate<decltype(format.values)>(where, exec, "Lacuna::vector_slices::values", totals.steps * rows);
  format.narrow = allocate<decltype(format.narrow)>(where, exec, "Lacuna::vector_slices::narrow", totals.narrow * rows);
  format.wide   = allocate<decltype(format.wide)>(where, exec, "Lacuna::vector_slices::wide", totals.wide * rows);
  format.order  = allocate<decltype(format.order)>(where, exec, "Lacuna::vector_slices::order",
                                                  static_cast<std::int64_t>(layout.order_slots()));
  WindowMemory memory;
  for_each_index(exec, "Lacuna::vector_slices::fill", vector_windows(format),
                 FillVectorSlices<Arrays, Format>{A, format, false, &memory});
  memory.check();
  return format;
}

/// Steps of the sampled windows: evenly spread, at most `VectorSliceStatistics::most_windows`.
template <class Arrays, class Format>
struct SampleVectorSlices {
  using value_type = VectorSliceStatistics;
  using Window     = VectorSlicesWindow<Arrays, Format>;
  Arrays A;
  std::int64_t stride;
  WindowMemory* memory;

  void init(value_type& statistics) const { statistics = value_type(); }
  void join(value_type& into, const value_type& from) const { into.join(from); }
  void operator()(const std::int64_t index, value_type& statistics) const {
    memory->run([&] { sample(index, statistics); });
  }

 private:
  void sample(const std::int64_t index, value_type& statistics) const {
    Window rows(A, index * stride, true);
    for (int s = 0; s < rows.slices(); ++s) {
      rows.open(s);
      statistics.diagonals += static_cast<std::int64_t>(rows.diagonals().size());
      statistics.gathers += rows.gathers();
      statistics.wide += rows.is_wide() ? rows.gathers() : 0;
      for (const auto& diagonal : rows.diagonals())
        for (int r = 0; r < Format::rows_per_slice; ++r) statistics.on_diagonals += diagonal.rows >> r & 1;
    }
    const std::int64_t first = index * stride * Format::rows_per_window;
    const std::int64_t last  = std::min(first + Format::rows_per_window, static_cast<std::int64_t>(A.rows));
    statistics.nonzeros += static_cast<std::int64_t>(A.row_map[last] - A.row_map[first]);
  }
};

/// Waits for the result. \throws OutOfMemory.
template <class Format, class ExecutionSpace, class Arrays>
VectorSliceStatistics sample_vector_slices(const ExecutionSpace& exec, const Arrays& A) {
  VectorSliceStatistics statistics;
  Format format;
  format.rows                = A.rows;
  const std::int64_t windows = vector_windows(format);
  const std::int64_t stride  = std::max<std::int64_t>(1, windows / VectorSliceStatistics::most_windows);
  WindowMemory memory;
  if (windows > 0)
    Kokkos::parallel_reduce("Lacuna::inspect::vector_slices", index_range(exec, ceiling_quotient(windows, stride)),
                            SampleVectorSlices<Arrays, Format>{A, stride, &memory}, statistics);
  memory.check();
  return statistics;
}

}  // namespace lacuna::Impl

#endif
