// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_SLICEDDIA_HPP
#define LACUNA_CONVERT_SLICEDDIA_HPP

#include <Lacuna_SlicedDiaMatrix.hpp>
#include <formats/impl/Lacuna_FormatPolicy.hpp>
#include <formats/impl/sell/Lacuna_UniformSlices.hpp>
#include <formats/impl/sliced_dia/Lacuna_SlicedDiaSample.hpp>
#include <formats/impl/sliced_dia/Lacuna_SlicedDiaWalk.hpp>

#include <cstdint>
#include <limits>

/// \file
/// \brief CSR to `SlicedDiaMatrix` and back. Work: a pass over the columns and one over the values, where a sample of
/// the slices says how many diagonals to expect; two passes over the columns where it does not.

namespace lacuna::Impl {

/// Finds the diagonals of every slice. Either counts them, and writes those that fit in `reserved` if there is any: the
/// diagonals of slice t at reserved * t, those that it lacks with mask 0. Or, where `begin` says how many there are,
/// writes them there.
template <class Arrays, class Format>
struct FindSlicedDia {
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;
  using Diagonal = typename Format::Diagonal;

  static constexpr int rows = sliced_dia_rows;

  Arrays A;
  int group;
  int capacity;  ///< see SlicedDiaTeams
  std::int64_t slices;
  /// Of every slice; less than 0 where it cannot be stored: what `SlicedDiaDefect` says, negated.
  std::int32_t* widths;
  int reserved;
  const std::int32_t* begin;
  Diagonal* diagonals;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (Team::traits::is_gpu)
      find_by_lanes(team);
    else
      find_by_thread(team.league_rank());
  }

 private:
  /// Where the diagonals of a slice go.
  struct DiagonalRange {
    std::int64_t first;
    int count;
  };
  KOKKOS_FORCEINLINE_FUNCTION DiagonalRange range_of(std::int64_t slice) const {
    if (slice >= slices) return {0, 0};
    if (begin == nullptr) return {slice * reserved, reserved};
    return {begin[slice], begin[slice + 1] - begin[slice]};
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void find_by_lanes(const Team& team) const {
    const int parts = team.threads() / rows;
    const SlicedDiaLane<Team, Arrays> lane(
        team, A, static_cast<std::int64_t>(team.league_rank()) * parts + team.thread() / rows, capacity);
    const auto* staged        = lane.stage(team, A.entries, capacity);
    const DiagonalRange range = range_of(lane.slice);
    // Every lane keeps one diagonal of 32, until all are stored at once.
    Diagonal own{0, 0};
    int defects      = 0;
    const auto store = [&](int d, bool is_mine) {
      if (is_mine && d < range.count) diagonals[range.first + d] = own;
    };
    const int count =
        lane.walk(A, group, staged, INT32_MAX, defects, [&](int d, Ordinal offset, std::uint32_t mask, Offset) {
          const int turn = d % rows;
          if (turn == lane.lane) own = {offset, mask};
          if (turn == rows - 1) store(d - turn + lane.lane, true);
        });
    const int left = count % rows;
    store(count - left + lane.lane, lane.lane < left);
    own = {0, 0};
    for (int d = count + lane.lane; d < range.count; d += rows) store(d, true);
    if (widths == nullptr) return;
    const auto unsorted   = lane.ballot((defects & SlicedDiaDefect::unsorted) != 0);
    const auto duplicates = lane.ballot((defects & SlicedDiaDefect::duplicate) != 0);
    const int found =
        (unsorted != 0 ? SlicedDiaDefect::unsorted : 0) | (duplicates != 0 ? SlicedDiaDefect::duplicate : 0);
    if (lane.lane == 0 && lane.slice < slices) widths[lane.slice] = found != 0 ? -found : count;
  }

  KOKKOS_FORCEINLINE_FUNCTION void find_by_thread(std::int64_t slice) const {
    const DiagonalRange range = range_of(slice);
    int defects               = 0;
    const auto store          = [&](int d, Ordinal offset, std::uint32_t mask) {
      if (d < range.count) diagonals[range.first + d] = {offset, mask};
    };
    const int count =
        walk_slice_of_rows(A, group, slice, INT32_MAX, defects,
                           [&](int d, Ordinal offset, std::uint32_t mask, const Offset*) { store(d, offset, mask); });
    for (int d = count; d < range.count; ++d) store(d, 0, 0);
    if (widths != nullptr) widths[slice] = defects != 0 ? -defects : count;
  }
};

/// What the scan of widths finds.
struct SlicedDiaTotals {
  std::int64_t diagonals;
  std::int32_t widest;
  std::int32_t defects;
};

/// Widths to begins, in place: every element is read by the call that overwrites it.
struct ScanSlicedDia {
  using value_type = SlicedDiaTotals;
  std::int32_t* begin;
  std::int64_t slices;

  KOKKOS_FUNCTION void init(value_type& totals) const { totals = {0, 0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.diagonals += from.diagonals;
    into.widest = from.widest > into.widest ? from.widest : into.widest;
    into.defects |= from.defects;
  }
  KOKKOS_FUNCTION void operator()(const std::int64_t slice, value_type& totals, const bool is_final) const {
    const std::int32_t width = slice < slices ? begin[slice] : 0;
    if (is_final) begin[slice] = static_cast<std::int32_t>(totals.diagonals);
    if (width < 0)
      totals.defects |= -width;
    else
      totals.diagonals += width;
    totals.widest = width > totals.widest ? width : totals.widest;
  }
};

/// Closes the gaps between slices that have less than `reserved`. One call a diagonal of the reserved ones.
template <class Diagonal>
struct CompactSlicedDia {
  int reserved;
  const std::int32_t* begin;
  const Diagonal* from;
  Diagonal* into;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const std::int64_t slice = i / reserved;
    const std::int64_t to    = begin[slice] + i % reserved;
    if (to < begin[slice + 1]) into[to] = from[i];
  }
};

/// Values of diagonals that are stored: masks say where they go, columns are not read.
template <class Arrays, class Format>
struct FillSlicedDia {
  using Scalar = typename Arrays::Scalar;

  static constexpr int rows   = sliced_dia_rows;
  static constexpr int unroll = 8;

  Arrays A;
  int capacity;
  std::int64_t slices;
  const std::int32_t* slice_begin;
  const typename Format::Diagonal* diagonals;
  Scalar* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (Team::traits::is_gpu) {
      const int parts = team.threads() / rows;
      const SlicedDiaLane<Team, Arrays> lane(
          team, A, static_cast<std::int64_t>(team.league_rank()) * parts + team.thread() / rows, capacity);
      const auto* staged = lane.stage(team, A.values, capacity);
      if (lane.slice >= slices) return;
      auto k                 = lane.begin;
      const std::int64_t end = slice_begin[lane.slice + 1];
      for (std::int64_t d = slice_begin[lane.slice]; d < end; d += unroll) {
        std::uint32_t mask[unroll];
        LACUNA_UNROLL
        for (int b = 0; b < unroll; ++b) mask[b] = d + b < end ? diagonals[d + b].mask : 0;
        LACUNA_UNROLL
        for (int b = 0; b < unroll; ++b) {
          if (d + b >= end) break;
          const bool exists                  = (mask[b] >> lane.lane & 1u) != 0;
          values[(d + b) * rows + lane.lane] = exists ? lane.read(staged, A.values, k) : Scalar(0);
          k += exists ? 1 : 0;
        }
      }
    } else {
      const std::int64_t slice = team.league_rank();
      for (int r = 0; r < rows; ++r) {
        const std::int64_t row = slice * rows + r;
        auto k                 = row < static_cast<std::int64_t>(A.rows) ? A.row_map[row] : typename Arrays::Offset(0);
        for (std::int64_t d = slice_begin[slice]; d < slice_begin[slice + 1]; ++d)
          values[d * rows + r] = (diagonals[d].mask >> r & 1u) != 0 ? A.values[k++] : Scalar(0);
      }
    }
  }
};

/// How large the slices of a matrix are, and their diagonals as far as those were found along with it.
template <class Format>
struct SlicedDiaLayout {
  Format dia;  ///< without values; with diagonals where `reserved` > 0
  SlicedDiaTotals totals{0, 0, 0};
  int reserved = 0;  ///< diagonals of every slice that are reserved

  /// Whether slice_begin can count the diagonals.
  bool fits() const { return totals.diagonals < std::numeric_limits<std::int32_t>::max(); }
  std::size_t bytes() const {
    return static_cast<std::size_t>(totals.diagonals) *
               (sliced_dia_rows * sizeof(typename Format::Scalar) + sizeof(typename Format::Diagonal)) +
           bytes_of(dia.slice_begin);
  }
  /// Whether the diagonals that were found along with the count are those of the result.
  bool keeps_diagonals() const { return reserved > 0 && dia.uniform_diagonals != 0; }
};

/// Gives all slices the width of the widest one, or the reserved one, where this costs little: a product then need not
/// read widths.
template <class ExecutionSpace, class Format>
void make_uniform(const ExecutionSpace& exec, SlicedDiaLayout<Format>& layout) {
  SlicedDiaTotals& totals   = layout.totals;
  const std::int64_t slices = layout.dia.slices();
  const std::int64_t width  = layout.reserved > 0 ? layout.reserved : totals.widest;
  if (totals.diagonals == 0 || static_cast<double>(slices) * static_cast<double>(width) >
                                   FormatTuning::uniform_growth * static_cast<double>(totals.diagonals))
    return;
  totals.diagonals             = slices * width;
  layout.dia.uniform_diagonals = static_cast<int>(width);
  if (!layout.fits()) return;  // is refused
  for_each_index(exec, "Lacuna::to_sliced_dia::uniform", slices + 1,
                 PlaceUniformSlices<decltype(layout.dia.slice_begin)>{layout.dia.slice_begin, width});
}

template <class ExecutionSpace, class Format>
void allocate_diagonals(const ExecutionSpace& exec, Format& dia, std::int64_t n) {
  dia.diagonals = allocate<decltype(dia.diagonals)>("to_sliced_dia", exec, "Lacuna::to_sliced_dia::diagonals", n);
}

/// One pass over the columns.
template <class ExecutionSpace, class Arrays, class Format>
void find_diagonals(const ExecutionSpace& exec, const Arrays& A, const Format& dia, std::int32_t* widths, int reserved,
                    const std::int32_t* begin) {
  const auto teams = sliced_dia_teams<ExecutionSpace>(dia.slices(), static_cast<std::int64_t>(A.nonzeros),
                                                      sizeof(typename Arrays::Ordinal));
  launch_teams(exec, "Lacuna::to_sliced_dia::find", teams.shape, teams.scratch_bytes,
               FindSlicedDia<Arrays, Format>{A, dia.group, teams.capacity, dia.slices(), widths, reserved, begin,
                                             dia.diagonals.data()});
}

/// Counts the diagonals of a matrix whose slices are expected to have at most `expected` (0: not known); if they do,
/// they need not be found again. Fences.
template <class Format, class ExecutionSpace, class Arrays>
SlicedDiaLayout<Format> sliced_dia_layout(const ExecutionSpace& exec, const Arrays& A, int group, std::int64_t expected,
                                          std::size_t memory_limit) {
  SlicedDiaLayout<Format> layout;
  Format& dia               = layout.dia;
  dia.rows                  = A.rows;
  dia.columns               = A.columns;
  dia.stored_nonzeros       = A.nonzeros;
  dia.group                 = group;
  const std::int64_t slices = dia.slices();
  // Only where what is reserved is at most half as much again as is needed at least.
  if (expected * slices * sliced_dia_rows * 2 <= static_cast<std::int64_t>(A.nonzeros) * 3 &&
      static_cast<std::size_t>(expected * slices) * sizeof(typename Format::Diagonal) <= memory_limit)
    layout.reserved = static_cast<int>(expected);
  dia.slice_begin =
      allocate<decltype(dia.slice_begin)>("to_sliced_dia", exec, "Lacuna::to_sliced_dia::slice_begin", slices + 1);
  if (layout.reserved > 0) allocate_diagonals(exec, dia, slices * layout.reserved);
  find_diagonals(exec, A, dia, dia.slice_begin.data(), layout.reserved, nullptr);
  Kokkos::parallel_scan("Lacuna::to_sliced_dia::scan", index_range(exec, slices + 1),
                        ScanSlicedDia{dia.slice_begin.data(), slices}, layout.totals);
  exec.fence("Lacuna::to_sliced_dia: size of the result");
  if (layout.totals.widest > layout.reserved) layout.reserved = 0;  // not all were stored
  if (layout.totals.defects == 0) make_uniform(exec, layout);
  return layout;
}

/// \throws InvalidMatrix where a row is not sorted or has a column twice, OutOfMemory where there are too many
/// diagonals.
template <class Format>
void check_layout(const SlicedDiaLayout<Format>& layout) {
  const Format& dia = layout.dia;
  if (layout.totals.defects != 0)
    raise<InvalidMatrix>("to_sliced_dia", "a row of the ", shape_text(dia.rows, dia.columns), " matrix ",
                         (layout.totals.defects & SlicedDiaDefect::unsorted) != 0
                             ? "is not sorted"
                             : "has more than one entry in a column",
                         ", it cannot be stored as diagonals");
  if (!layout.fits())
    raise<OutOfMemory>("to_sliced_dia", layout.totals.diagonals, " diagonals, at most 2147483646 are supported");
}

template <class ExecutionSpace, class Arrays, class Format>
void fill_values(const ExecutionSpace& exec, const char* label, const Arrays& A, const Format& dia) {
  const auto teams = sliced_dia_teams<ExecutionSpace>(dia.slices(), static_cast<std::int64_t>(dia.nonzeros()),
                                                      sizeof(typename Arrays::Scalar));
  launch_teams(exec, label, teams.shape, teams.scratch_bytes,
               FillSlicedDia<Arrays, Format>{A, teams.capacity, dia.slices(), dia.slice_begin.data(),
                                             dia.diagonals.data(), dia.values.data()});
}

/// Allocates and fills what a layout lacks. Does not fence.
template <class Format, class ExecutionSpace, class Arrays>
Format fill_sliced_dia(const ExecutionSpace& exec, const Arrays& A, const SlicedDiaLayout<Format>& layout) {
  Format dia   = layout.dia;
  const auto n = layout.totals.diagonals;
  if (!layout.keeps_diagonals()) {
    allocate_diagonals(exec, dia, n);
    if (layout.reserved > 0)
      for_each_index(exec, "Lacuna::to_sliced_dia::compact", dia.slices() * layout.reserved,
                     CompactSlicedDia<typename Format::Diagonal>{layout.reserved, dia.slice_begin.data(),
                                                                 layout.dia.diagonals.data(), dia.diagonals.data()});
    else
      find_diagonals(exec, A, dia, nullptr, 0, dia.slice_begin.data());
  }
  dia.values =
      allocate<decltype(dia.values)>("to_sliced_dia", exec, "Lacuna::to_sliced_dia::values", n * sliced_dia_rows);
  fill_values(exec, "Lacuna::to_sliced_dia::values", A, dia);
  return dia;
}

template <class ExecutionSpace, CrsMatrixType Matrix>
auto sliced_dia_from_crs(const ExecutionSpace& exec, const Matrix& A, const SlicedDiaOptions& options) {
  using Format      = FormatOf<SlicedDiaMatrix, Matrix>;
  const auto arrays = arrays_of(A);
  if (options.group < 0) raise<InvalidArgument>("to_sliced_dia", "group is ", options.group, ", it can be 0 or more");
  const auto sample = options.group > 0 ? SlicedDiaSample() : sample_sliced_dia(exec, arrays);
  const int group   = options.group > 0 ? options.group : sample.best_group();
  const auto layout = sliced_dia_layout<Format>(exec, arrays, group, sample.best_widest(), options.memory_limit);
  check_layout(layout);
  if (layout.bytes() > options.memory_limit)
    raise<OutOfMemory>("to_sliced_dia", "the ", shape_text(arrays.rows, arrays.columns), " matrix of ", arrays.nonzeros,
                       " nonzeros needs ", layout.bytes(), " bytes, memory_limit is ", options.memory_limit);
  return fill_sliced_dia(exec, arrays, layout);
}

template <class ExecutionSpace, CrsMatrixType Matrix, class Scalar, class Ordinal, class Device, class Offset>
void refresh(const ExecutionSpace& exec, const Matrix& A, const SlicedDiaMatrix<Scalar, Ordinal, Device, Offset>& dia) {
  fill_values(exec, "Lacuna::update_values::sliced_dia", arrays_of(A), dia);
}

/// Walks the entries of a row, in order: visit(column, element of `values`).
template <class Format>
struct SlicedDiaRow {
  Format dia;

  template <class Visitor>
  KOKKOS_FUNCTION void for_each(std::int64_t row, const Visitor& visit) const {
    using Ordinal            = typename Format::Ordinal;
    const std::int64_t slice = row / sliced_dia_rows;
    const int r              = static_cast<int>(row % sliced_dia_rows);
    const auto base          = sliced_dia_base<Ordinal>(row, dia.group);
    for (std::int64_t d = dia.slice_begin(slice); d < dia.slice_begin(slice + 1); ++d)
      if ((dia.diagonals(d).mask >> r & 1u) != 0)
        visit(static_cast<Ordinal>(base + dia.diagonals(d).offset), d * sliced_dia_rows + r);
  }
};

template <class Format>
struct SlicedDiaRowLength {
  SlicedDiaRow<Format> rows;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    std::int64_t length = 0;
    rows.for_each(row, [&](typename Format::Ordinal, std::int64_t) { ++length; });
    return length;
  }
};

template <class Format, class Crs>
struct SlicedDiaRowCopy {
  SlicedDiaRow<Format> rows;
  NewCrs<Crs> result;
  KOKKOS_FUNCTION void operator()(const std::int64_t row) const {
    auto at = result.row_map(row);
    rows.for_each(row, [&](typename Format::Ordinal column, std::int64_t element) {
      result.entries(at) = column;
      result.values(at)  = rows.dia.values(element);
      ++at;
    });
  }
};

template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
auto crs_from(const ExecutionSpace& exec, const SlicedDiaMatrix<Scalar, Ordinal, Device, Offset>& dia) {
  using Format = SlicedDiaMatrix<Scalar, Ordinal, Device, Offset>;
  using Crs    = typename Format::Crs;
  const SlicedDiaRow<Format> rows{dia};
  const auto result = new_crs<Crs>("to_crs", exec, dia.rows, dia.columns, SlicedDiaRowLength<Format>{rows});
  for_each_index(exec, "Lacuna::to_crs::sliced_dia", static_cast<std::int64_t>(dia.rows),
                 SlicedDiaRowCopy<Format, Crs>{rows, result});
  return result.matrix("A");
}

}  // namespace lacuna::Impl

#endif
