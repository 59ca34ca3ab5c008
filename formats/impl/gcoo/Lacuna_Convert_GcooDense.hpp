// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_GCOODENSE_HPP
#define LACUNA_CONVERT_GCOODENSE_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <formats/impl/gcoo/Lacuna_Convert_Gcoo.hpp>

#include <Kokkos_MathematicalFunctions.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief A dense matrix to `GcooMatrix` in two passes, count and fill (Algorithm 1 of the paper). Both are cut into
/// work items: some lines of a group, a warp each. A line is what a lane walks along: the p rows of a column, or
/// the p columns of a row. Counting marks what is kept, a bit each, so that filling reads of the matrix nothing else.

namespace lacuna::Impl {

template <class View>
concept DenseViewType = Kokkos::is_view<View>::value && View::rank == 2;

template <class Scalar>
struct GcooDense {
  using Real                               = typename RealOf<Scalar>::type;
  static constexpr std::int64_t item_lines = 128;
  static constexpr int mark_bits           = 8;  ///< elements that are read at once, and marked in a byte

  const Scalar* data;
  std::int64_t line_stride, step;  ///< elements from a line to the next, and along a line
  std::int64_t lines, length;      ///< lines of a group, and the extent that groups cut
  std::int64_t group_size;
  Real threshold;

  /// Counted once, on the host: divisions of 64 bits are dear.
  std::int64_t items_of_group = 0, items = 0, marks_of_line = 0;

  void count() {
    items_of_group = ceiling_quotient(lines, item_lines);
    items          = ceiling_quotient(length, group_size) * items_of_group;
    marks_of_line  = ceiling_quotient(group_size, mark_bits);
  }
  /// Lines of a lane, where `width` lanes share a work item, make a pack that few registers hold.
  template <int width>
  static constexpr bool packs_of = width > 1 && item_lines / width * sizeof(Scalar) <= 32;
  /// Whether `count` lines that follow each other can be read together, the same position of each by one load.
  bool lines_in_packs(int count) const {
    return line_stride == 1 && step % count == 0 && lines % count == 0 &&
           reinterpret_cast<std::uintptr_t>(data) % (count * sizeof(Scalar)) == 0;
  }
  /// Bytes of marks: those of a line lie far apart, those of neighbouring lines side by side.
  std::int64_t marks() const { return marks_of_line * items * item_lines; }
  KOKKOS_FUNCTION Scalar element(std::int64_t line, std::int64_t position) const {
    return data[line * line_stride + position * step];
  }
  /// Which of up to `mark_bits` elements of a line from `position` on, before `end`, are kept. All are asked for at
  /// once.
  KOKKOS_FUNCTION std::uint32_t kept(std::int64_t line, std::int64_t position, std::int64_t end) const {
    Scalar value[mark_bits];
    LACUNA_UNROLL
    for (int e = 0; e < mark_bits; ++e) value[e] = position + e < end ? element(line, position + e) : Scalar(0);
    std::uint32_t bits = 0;
    LACUNA_UNROLL
    for (int e = 0; e < mark_bits; ++e) bits |= keeps(value[e]) ? std::uint32_t{1} << e : 0;
    return bits;
  }
  /// NaN is kept.
  KOKKOS_FUNCTION bool keeps(const Scalar& value) const {
    using Kokkos::abs;
    return !(abs(value) <= threshold);
  }
};

/// Marks and counts the elements of each work item; then writes them from `begins` on.
template <class Scalar, class Ordinal, class Offset>
struct GcooFromDense {
  static constexpr int mark_bits = GcooDense<Scalar>::mark_bits;

  GcooDense<Scalar> dense;
  bool by_rows;
  bool in_packs;  ///< lines are read in packs
  std::int64_t* counts;
  const std::int64_t* begins;
  std::uint8_t* marks;
  GcooArrays<Scalar, Ordinal, Offset> gcoo;

  /// Kept elements of a work item that a warp looks up at a time, so that lanes share them evenly.
  static constexpr int capacity = 256;
  static constexpr std::size_t scratch(int groups) {
    return static_cast<std::size_t>(groups) * capacity * sizeof(std::int64_t) + 64;
  }

  using Dense = GcooDense<Scalar>;

  template <class Team>
  KOKKOS_FUNCTION static std::int64_t item_of(const Team& team) {
    return static_cast<std::int64_t>(team.league_rank()) * team.warps() + team.warp();
  }

  KOKKOS_FUNCTION std::int64_t next_mark() const { return dense.items * Dense::item_lines; }
  KOKKOS_FUNCTION std::int64_t first_line(std::int64_t item) const {
    return item % dense.items_of_group * Dense::item_lines;
  }
  KOKKOS_FUNCTION std::int64_t begin_of(std::int64_t item) const {
    return item / dense.items_of_group * dense.group_size;
  }

  /// Neighbouring lanes have neighbouring lines, or neighbouring packs of them.
  template <class Team>
  KOKKOS_FUNCTION void count(const Team& team) const {
    const std::int64_t item = item_of(team);
    if (item >= dense.items) return;
    const std::int64_t first = first_line(item), begin = begin_of(item);
    const std::int64_t end = begin + dense.group_size < dense.length ? begin + dense.group_size : dense.length;
    int found              = 0;
    if (in_packs) {
      if constexpr (Team::traits::is_gpu && Dense::template packs_of<Team::lane_width>)
        found = mark_pack<Team>(team, item, first, begin, end);
    } else {
      for (std::int64_t l = team.lane(); l < Dense::item_lines && first + l < dense.lines; l += Team::lane_width)
        found += mark(first + l, begin, end, marks + item * Dense::item_lines + l);
    }
    const int sum = Team::sum_lanes(found, Team::lane_width);
    if (team.lane() == 0) counts[item] = sum;
  }

  /// All lines of a lane at once.
  template <class Team>
  KOKKOS_FUNCTION int mark_pack(const Team& team, std::int64_t item, std::int64_t first, std::int64_t begin,
                                std::int64_t end) const {
    constexpr int each = static_cast<int>(Dense::item_lines) / Team::lane_width;
    using Elements     = Pack<Scalar, each>;
    using Marks        = Pack<std::uint8_t, each>;
    const int l        = team.lane() * each;
    if (first + l >= dense.lines) return 0;
    std::uint8_t* own_marks = marks + item * Dense::item_lines + l;
    const Scalar* source    = dense.data + first + l + begin * dense.step;
    int own                 = 0;
    for (std::int64_t i = begin; i < begin + dense.group_size; i += mark_bits, own_marks += next_mark()) {
      Elements elements[mark_bits];
      LACUNA_UNROLL
      for (int e = 0; e < mark_bits; ++e, source += dense.step)
        elements[e] = i + e < end ? Team::lanes::load_streaming(reinterpret_cast<const Elements*>(source)) : Elements{};
      Marks bits = {};
      LACUNA_UNROLL
      for (int e = 0; e < mark_bits; ++e) {
        LACUNA_UNROLL
        for (int k = 0; k < each; ++k)
          bits.value[k] |= static_cast<std::uint8_t>(dense.keeps(elements[e].value[k]) ? 1 << e : 0);
      }
      LACUNA_UNROLL
      for (int k = 0; k < each; ++k) own += count_bits(std::uint32_t{bits.value[k]});
      *reinterpret_cast<Marks*>(own_marks) = bits;
    }
    return own;
  }

  KOKKOS_FUNCTION int mark(std::int64_t line, std::int64_t begin, std::int64_t end, std::uint8_t* own_marks) const {
    int own = 0;
    for (std::int64_t i = begin; i < begin + dense.group_size; i += mark_bits, own_marks += next_mark()) {
      const std::uint32_t bits = dense.kept(line, i, end);
      *own_marks               = static_cast<std::uint8_t>(bits);
      own += count_bits(bits);
    }
    return own;
  }

  /// A lane has lines that follow each other, lists what is kept of them, and then takes its share of what all have
  /// listed: neighbouring lanes write neighbouring elements, and few elements keep all lanes busy.
  template <class Team>
  KOKKOS_FUNCTION void fill(const Team& team) const {
    const std::int64_t item    = item_of(team);
    std::int64_t* const listed = team.template warp_scratch<std::int64_t>(capacity);
    using lanes                = typename Team::lanes;
    constexpr int width = Team::lane_width, each = static_cast<int>(Dense::item_lines) / width;
    if (item >= dense.items) return;
    const std::int64_t first = first_line(item), begin = begin_of(item), position = begins[item];
    const std::int64_t rest = dense.lines - first - team.lane() * each;
    const int own_lines     = static_cast<int>(rest < 0 ? 0 : (rest < each ? rest : each));
    const auto* own_marks   = marks + item * Dense::item_lines + team.lane() * each;
    int own                 = 0;
    for (int l = 0; l < own_lines; ++l)
      for (std::int64_t i = 0; i < dense.marks_of_line; ++i)
        own += count_bits(std::uint32_t{own_marks[l + i * next_mark()]});
    const int upto = Team::sum_lanes_up_to(own, team.lane(), width);
    const int all  = lanes::shuffle(upto, width - 1, width);
    for (int done = 0; done < all; done += capacity) {
      int at = upto - own - done;
      for (int l = 0; l < own_lines && at < capacity; ++l)
        for (std::int64_t i = 0; i < dense.marks_of_line && at < capacity; ++i)
          for (std::uint32_t bits = own_marks[l + i * next_mark()]; bits != 0; bits &= bits - 1, ++at)
            if (at >= 0 && at < capacity)
              listed[at] = (i * mark_bits + lowest_bit(bits)) * Dense::item_lines + team.lane() * each + l;
      team.warp_barrier();
      const int here = all - done < capacity ? all - done : capacity;
      for (int k = team.lane(); k < here; k += width) {
        const std::int64_t line          = first + listed[k] % Dense::item_lines;
        const std::int64_t other         = begin + listed[k] / Dense::item_lines;
        gcoo.values[position + done + k] = dense.element(line, other);
        gcoo.rows[position + done + k]   = static_cast<Ordinal>(by_rows ? other : line);
        gcoo.cols[position + done + k]   = static_cast<Ordinal>(by_rows ? line : other);
      }
      team.warp_barrier();
    }
  }
};

/// The passes by themselves, each with the registers that it needs.
template <class WorkItems>
struct CountGcooWorkItems {
  WorkItems items;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    items.count(team);
  }
};
template <class WorkItems>
struct FillGcooWorkItems {
  WorkItems items;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    items.fill(team);
  }
};

template <class Offset>
struct GroupsOfWorkItems {
  const std::int64_t* begins;
  std::int64_t items_of_group;
  Offset* gIdxes;
  Offset* nnzPerGroup;
  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    const std::int64_t begin = begins[group * items_of_group], end = begins[(group + 1) * items_of_group];
    gIdxes[group]      = static_cast<Offset>(begin);
    nnzPerGroup[group] = static_cast<Offset>(end - begin);
  }
};

struct WorkItemCount {
  const std::int64_t* counts;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t item) const { return counts[item]; }
};

template <class Format, class ExecutionSpace, class View>
Format gcoo_from_dense(const ExecutionSpace& exec, const View& dense, const GcooOptions& options) {
  using Scalar    = typename Format::Scalar;
  using Ordinal   = typename Format::Ordinal;
  using Offset    = typename Format::Offset;
  using Workspace = Arena<typename Format::Device>;
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
  kernel.by_rows = by_rows;
  kernel.dense   = {dense.data(),
                  by_rows ? column_stride : row_stride,
                  by_rows ? row_stride : column_stride,
                  by_rows ? columns : rows,
                  by_rows ? rows : columns,
                    gcoo.group_size,
                    static_cast<typename RealOf<Scalar>::type>(options.threshold)};
  kernel.dense.count();
  constexpr int width      = ExecutionTraits<ExecutionSpace>::lane_width;
  kernel.in_packs          = width > 1 && kernel.dense.lines_in_packs(GcooDense<Scalar>::item_lines / width);
  const std::int64_t items = kernel.dense.items;
  const auto kept          = 2 * static_cast<std::size_t>(gcoo.groups()) * sizeof(Offset);
  const std::size_t counting =
      Workspace::template bytes_for<std::int64_t, std::int64_t, std::uint8_t>(items, items + 1, kernel.dense.marks());
  check_memory("to_gcoo", kept + counting, options.memory_limit);
  Workspace workspace("to_gcoo", exec, "Lacuna::to_gcoo::counts", counting);
  const auto counts     = workspace.template take<std::int64_t>(items);
  const auto begins     = workspace.template take<std::int64_t>(items + 1);
  const auto marks      = workspace.template take<std::uint8_t>(kernel.dense.marks());
  kernel.counts         = counts.data();
  kernel.begins         = begins.data();
  kernel.marks          = marks.data();
  constexpr int threads = 256;
  const int groups = std::max(1, team_threads<ExecutionSpace>(threads) / ExecutionTraits<ExecutionSpace>::lane_width);
  const TeamShape shape{ceiling_quotient(items, groups), threads};
  launch_teams<threads, 4>(exec, "Lacuna::to_gcoo::count", shape, 0, CountGcooWorkItems<Kernel>{kernel});
  const std::int64_t total =
      scan_lengths(exec, "Lacuna::to_gcoo::begins", items, begins.data(), WorkItemCount{counts.data()});
  if (static_cast<std::uint64_t>(total) > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
    raise<NotSupported>("to_gcoo", total, " elements do not fit the offset type of ", 8 * sizeof(Offset), " bits");
  check_memory("to_gcoo", kept + counting + static_cast<std::size_t>(total) * (sizeof(Scalar) + 2 * sizeof(Ordinal)),
               options.memory_limit);
  const auto [offsets, indices] = allocate_offsets_and_indices<decltype(gcoo.gIdxes), decltype(gcoo.rows)>(
      "to_gcoo", exec, "Lacuna::to_gcoo::indices", std::array{gcoo.groups(), gcoo.groups()}, std::array{total, total});
  gcoo.gIdxes      = offsets[0];
  gcoo.nnzPerGroup = offsets[1];
  gcoo.rows        = indices[0];
  gcoo.cols        = indices[1];
  gcoo.values      = allocate<decltype(gcoo.values)>("to_gcoo", exec, "Lacuna::to_gcoo::values", total);
  for_each_index(exec, "Lacuna::to_gcoo::groups", gcoo.groups(),
                 GroupsOfWorkItems<Offset>{begins.data(), kernel.dense.items_of_group, gcoo.gIdxes.data(),
                                           gcoo.nnzPerGroup.data()});
  if (total == 0) return gcoo;
  kernel.gcoo = gcoo_arrays(gcoo);
  launch_teams<threads, 5>(exec, "Lacuna::to_gcoo::fill", shape, Kernel::scratch(groups),
                           FillGcooWorkItems<Kernel>{kernel});
  return gcoo;
}

}  // namespace lacuna::Impl

#endif
