// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_GCOODENSE_HPP
#define LACUNA_CONVERT_GCOODENSE_HPP

#include <formats/impl/Lacuna_Convert_Gcoo.hpp>

#include <Kokkos_MathematicalFunctions.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief A dense matrix to `GcooMatrix` in two passes, count and fill (Algorithm 1 of the paper). Both are cut into
/// pieces: some lines of a group, a lane group each. A line is what a lane walks along: the p rows of a column, or the
/// p columns of a row.

namespace lacuna::Impl {

template <class View>
concept DenseViewType = Kokkos::is_view<View>::value && View::rank == 2;

template <class Scalar>
struct GcooDense {
  using Real                                = typename RealOf<Scalar>::type;
  static constexpr std::int64_t piece_lines = 128;

  const Scalar* data;
  std::int64_t line_stride, step;  ///< elements from a line to the next, and along a line
  std::int64_t lines, length;      ///< lines of a group, and the extent that groups cut
  std::int64_t group_size;
  Real threshold;

  KOKKOS_FUNCTION std::int64_t pieces_of_group() const { return (lines + piece_lines - 1) / piece_lines; }
  KOKKOS_FUNCTION std::int64_t groups() const { return (length + group_size - 1) / group_size; }
  KOKKOS_FUNCTION std::int64_t pieces() const { return groups() * pieces_of_group(); }
  KOKKOS_FUNCTION Scalar element(std::int64_t line, std::int64_t place) const {
    return data[line * line_stride + place * step];
  }
  /// NaN is kept.
  KOKKOS_FUNCTION bool keeps(const Scalar& value) const {
    using Kokkos::abs;
    return !(abs(value) <= threshold);
  }
};

/// Counts the elements of each piece, or with `gcoo.values` writes them from `begins` on.
template <class Scalar, class Ordinal, class Offset>
struct GcooFromDense {
  GcooDense<Scalar> dense;
  bool by_rows;
  std::int64_t* counts;
  const std::int64_t* begins;
  GcooArrays<Scalar, Ordinal, Offset> gcoo;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes              = typename Team::lanes;
    constexpr int width      = Team::lane_width;
    const std::int64_t piece = static_cast<std::int64_t>(team.league_rank()) * team.groups() + team.group();
    if (piece >= dense.pieces()) return;
    const std::int64_t group = piece / dense.pieces_of_group();
    const std::int64_t first = piece % dense.pieces_of_group() * dense.piece_lines;
    const std::int64_t begin = group * dense.group_size;
    const std::int64_t end   = begin + dense.group_size < dense.length ? begin + dense.group_size : dense.length;
    const bool fills         = gcoo.values != nullptr;
    std::int64_t place       = fills ? begins[piece] : 0;
    int found                = 0;
    for (std::int64_t from = first; from < first + dense.piece_lines && from < dense.lines; from += width) {
      const std::int64_t line = from + team.lane();
      int own                 = 0;
      if (line < dense.lines)
        for (std::int64_t i = begin; i < end; ++i) own += dense.keeps(dense.element(line, i)) ? 1 : 0;
      found += own;
      if (!fills) continue;
      int before = own;
      for (int delta = 1; delta < width; delta *= 2) {
        const int left = lanes::shuffle_up(before, delta, width);
        if (team.lane() >= delta) before += left;
      }
      if (own > 0) write(line, begin, end, place + before - own);
      place += lanes::shuffle(before, width - 1, width);
    }
    if (fills) return;
    const int sum = Team::sum_lanes(found, width);
    if (team.lane() == 0) counts[piece] = sum;
  }

 private:
  KOKKOS_FUNCTION void write(std::int64_t line, std::int64_t begin, std::int64_t end, std::int64_t place) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const Scalar value = dense.element(line, i);
      if (!dense.keeps(value)) continue;
      gcoo.values[place] = value;
      gcoo.rows[place]   = static_cast<Ordinal>(by_rows ? i : line);
      gcoo.cols[place]   = static_cast<Ordinal>(by_rows ? line : i);
      ++place;
    }
  }
};

template <class Offset>
struct GroupsOfPieces {
  const std::int64_t* begins;
  std::int64_t pieces_of_group;
  Offset* gIdxes;
  Offset* nnzPerGroup;
  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    const std::int64_t begin = begins[group * pieces_of_group], end = begins[(group + 1) * pieces_of_group];
    gIdxes[group]      = static_cast<Offset>(begin);
    nnzPerGroup[group] = static_cast<Offset>(end - begin);
  }
};

struct PieceCount {
  const std::int64_t* counts;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t piece) const { return counts[piece]; }
};

template <class Format, class ExecutionSpace, class View>
Format gcoo_from_dense(const ExecutionSpace& exec, const View& dense, const GcooOptions& options) {
  using Scalar    = typename Format::Scalar;
  using Ordinal   = typename Format::Ordinal;
  using Offset    = typename Format::Offset;
  using Counts    = Kokkos::View<std::int64_t*, typename Format::Device>;
  using Kernel    = GcooFromDense<Scalar, Ordinal, Offset>;
  const auto rows = static_cast<std::int64_t>(dense.extent(0)), columns = static_cast<std::int64_t>(dense.extent(1));
  if (std::max(rows, columns) > static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()))
    raise<NotSupported>("to_gcoo", "the ", shape_text(rows, columns), " matrix does not fit the index type of ",
                        8 * sizeof(Ordinal), " bits");
  if (!(options.threshold >= 0))
    raise<InvalidArgument>("to_gcoo", "threshold is ", options.threshold, ", at least 0 is needed");
  Format gcoo        = new_gcoo<Format>("to_gcoo", static_cast<Ordinal>(rows), static_cast<Ordinal>(columns), options);
  const bool by_rows = gcoo.grouping == GcooGrouping::rows;
  const auto row_stride    = static_cast<std::int64_t>(dense.stride(0));
  const auto column_stride = static_cast<std::int64_t>(dense.stride(1));
  Kernel kernel{};
  kernel.by_rows            = by_rows;
  kernel.dense              = {dense.data(),
                  by_rows ? column_stride : row_stride,
                  by_rows ? row_stride : column_stride,
                  by_rows ? columns : rows,
                  by_rows ? rows : columns,
                               gcoo.group_size,
                               static_cast<typename RealOf<Scalar>::type>(options.threshold)};
  const std::int64_t pieces = kernel.dense.pieces();
  const auto kept           = 2 * static_cast<std::size_t>(gcoo.groups()) * sizeof(Offset);
  const auto counting       = static_cast<std::size_t>(2 * pieces + 1) * sizeof(std::int64_t);
  check_memory("to_gcoo", kept + counting, options.memory_limit);
  const auto counts     = allocate<Counts>("to_gcoo", exec, "Lacuna::to_gcoo::counts", pieces);
  const auto begins     = allocate<Counts>("to_gcoo", exec, "Lacuna::to_gcoo::begins", pieces + 1);
  kernel.counts         = counts.data();
  kernel.begins         = begins.data();
  constexpr int threads = 256;
  const int groups = std::max(1, team_threads<ExecutionSpace>(threads) / ExecutionTraits<ExecutionSpace>::lane_width);
  const TeamShape shape{ceiling_quotient(pieces, groups), threads};
  launch_teams<threads>(exec, "Lacuna::to_gcoo::count", shape, 0, kernel);
  const std::int64_t total =
      scan_lengths(exec, "Lacuna::to_gcoo::begins", pieces, begins.data(), PieceCount{counts.data()});
  if (static_cast<std::uint64_t>(total) > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
    raise<NotSupported>("to_gcoo", total, " elements do not fit the offset type of ", 8 * sizeof(Offset), " bits");
  check_memory("to_gcoo", kept + counting + static_cast<std::size_t>(total) * (sizeof(Scalar) + 2 * sizeof(Ordinal)),
               options.memory_limit);
  gcoo.gIdxes = allocate<decltype(gcoo.gIdxes)>("to_gcoo", exec, "Lacuna::to_gcoo::gIdxes", gcoo.groups());
  gcoo.nnzPerGroup =
      allocate<decltype(gcoo.nnzPerGroup)>("to_gcoo", exec, "Lacuna::to_gcoo::nnzPerGroup", gcoo.groups());
  gcoo.values = allocate<decltype(gcoo.values)>("to_gcoo", exec, "Lacuna::to_gcoo::values", total);
  gcoo.rows   = allocate<decltype(gcoo.rows)>("to_gcoo", exec, "Lacuna::to_gcoo::rows", total);
  gcoo.cols   = allocate<decltype(gcoo.cols)>("to_gcoo", exec, "Lacuna::to_gcoo::cols", total);
  for_each_index(exec, "Lacuna::to_gcoo::groups", gcoo.groups(),
                 GroupsOfPieces<Offset>{begins.data(), kernel.dense.pieces_of_group(), gcoo.gIdxes.data(),
                                        gcoo.nnzPerGroup.data()});
  if (total == 0) return gcoo;
  kernel.gcoo = gcoo_arrays(gcoo);
  launch_teams<threads>(exec, "Lacuna::to_gcoo::fill", shape, 0, kernel);
  return gcoo;
}

}  // namespace lacuna::Impl

#endif
