// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_ROWBLOCK_HPP
#define LACUNA_CONVERT_ROWBLOCK_HPP

#include <Lacuna_RowBlockMatrix.hpp>

namespace lacuna::Impl {

/// Finds the blocks of each row group, a group of rows by a group of lanes: every lane follows its rows with a cursor,
/// the smallest column that is not covered yet starts the next block. Rows that are not sorted are read anew for every
/// block. Run twice: without `start_columns` it counts, with them it writes.
template <class Ordinal, class Offset>
struct FindBlocks {
  Ordinal rows;
  const Offset* row_map;
  const Ordinal* entries;
  int block_rows;
  int block_columns;
  std::int64_t groups;
  std::int64_t* counts;
  const Offset* group_map;
  Ordinal* start_columns;

  static constexpr std::int64_t none = INT64_MAX;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int width  = Team::lane_width;
    std::int64_t* cursor = team.template scratch<std::int64_t>(static_cast<std::size_t>(team.warps() * block_rows)) +
                           team.warp() * block_rows;
    const std::int64_t group = static_cast<std::int64_t>(team.league_rank()) * team.warps() + team.warp();
    if (group >= groups) return;
    const std::int64_t first_row = group * block_rows;
    const int count = static_cast<int>(rows - first_row < block_rows ? rows - first_row : std::int64_t{block_rows});
    for (int r = team.lane(); r < count; r += width) {
      const Offset begin = row_map[first_row + r];
      const Offset end   = row_map[first_row + r + 1];
      bool sorted        = true;
      for (Offset k = begin; k + 1 < end; ++k) sorted = sorted && entries[k] <= entries[k + 1];
      cursor[r] = sorted ? static_cast<std::int64_t>(begin) : -1;
    }
    std::int64_t blocks  = 0;
    std::int64_t covered = 0;
    for (;;) {
      std::int64_t next = none;
      for (int r = team.lane(); r < count; r += width) {
        const std::int64_t column = first_from(first_row + r, cursor[r], covered);
        if (column < next) next = column;
      }
      for (int delta = width / 2; delta > 0; delta /= 2) {
        const std::int64_t other = Team::lanes::shuffle_down(next, delta, width);
        if (other < next) next = other;
      }
      next = Team::lanes::shuffle(next, 0, width);
      if (next == none) break;
      // Multiples of 16 both, so no block starts before the end of the one ahead.
      const std::int64_t start = next / 16 * 16;
      if (start_columns != nullptr && team.lane() == 0)
        start_columns[static_cast<std::int64_t>(group_map[group]) + blocks] = static_cast<Ordinal>(start);
      covered = start + block_columns;
      ++blocks;
    }
    if (start_columns == nullptr && team.lane() == 0) counts[group] = blocks;
  }

  /// The smallest column of a row that is at least `covered`.
  KOKKOS_FUNCTION std::int64_t first_from(std::int64_t row, std::int64_t& cursor, std::int64_t covered) const {
    const auto end = static_cast<std::int64_t>(row_map[row + 1]);
    if (cursor >= 0) {
      while (cursor < end && static_cast<std::int64_t>(entries[cursor]) < covered) ++cursor;
      return cursor < end ? static_cast<std::int64_t>(entries[cursor]) : none;
    }
    std::int64_t smallest = none;
    for (auto k = static_cast<std::int64_t>(row_map[row]); k < end; ++k) {
      const auto column = static_cast<std::int64_t>(entries[k]);
      if (column >= covered && column < smallest) smallest = column;
    }
    return smallest;
  }
};

struct CountAt {
  const std::int64_t* counts;
  std::int64_t multiple;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return (counts[i] + multiple - 1) / multiple * multiple;
  }
};

/// Walks a row by one thread. Without `entries` it counts the nonzeros of the row in each block; with them it puts
/// every nonzero behind those before it, `counts` (zero at first) being the positions taken.
template <class Scalar, class Ordinal, class Offset>
struct WalkRowOverBlocks {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  int block_rows;
  int block_columns;
  const Offset* group_map;
  const Ordinal* start_columns;
  std::int64_t* counts;
  const Offset* row_map;
  std::uint16_t* entries;
  Scalar* values;
  Offset* slots;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t group = i / block_rows;
    const auto first         = static_cast<std::int64_t>(group_map[group]);
    const auto last          = static_cast<std::int64_t>(group_map[group + 1]);
    std::int64_t block       = first;
    for (Offset k = crs.row_map[i]; k < crs.row_map[i + 1]; ++k) {
      const Ordinal column = crs.entries[k];
      if (column < start_columns[block] || column - start_columns[block] >= block_columns)
        block = upper_bound(start_columns, first, last, column) - 1;
      const std::int64_t position = block * block_rows + i % block_rows;
      const std::int64_t count    = counts[position]++;
      if (entries == nullptr) continue;
      const std::int64_t slot = static_cast<std::int64_t>(row_map[position]) + count;
      entries[slot]           = static_cast<std::uint16_t>(column - start_columns[block]);
      values[slot]            = crs.values[k];
      slots[k]                = static_cast<Offset>(slot);
    }
  }
};

template <class Scalar, class Offset>
struct ScatterToSlots {
  const Scalar* source;
  const Offset* slots;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { values[slots[k]] = source[k]; }
};

template <class Offset>
struct RowBlockRowLength {
  int block_rows;
  const Offset* group_map;
  const Offset* row_map;
  const std::uint16_t* entries;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::int64_t group = i / block_rows;
    std::int64_t length      = 0;
    for (Offset block = group_map[group]; block < group_map[group + 1]; ++block) {
      const std::int64_t position = static_cast<std::int64_t>(block) * block_rows + i % block_rows;
      length += end_of(position) - static_cast<std::int64_t>(row_map[position]);
    }
    return length;
  }
  /// Where the nonzeros of row `position` end and its padding begins.
  KOKKOS_FUNCTION std::int64_t end_of(std::int64_t position) const {
    const auto begin = static_cast<std::int64_t>(row_map[position]);
    auto end         = static_cast<std::int64_t>(row_map[position + 1]);
    while (end > begin && entries[end - 1] == 65535) --end;
    return end;
  }
};

template <class Scalar, class Ordinal, class Offset>
struct CrsRowFromBlocks {
  RowBlockRowLength<Offset> row;
  const Ordinal* start_columns;
  const Scalar* block_values;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t group = i / row.block_rows;
    Offset k                 = row_map[i];
    for (Offset block = row.group_map[group]; block < row.group_map[group + 1]; ++block) {
      const std::int64_t position = static_cast<std::int64_t>(block) * row.block_rows + i % row.block_rows;
      const std::int64_t end      = row.end_of(position);
      for (auto slot = static_cast<std::int64_t>(row.row_map[position]); slot < end; ++slot, ++k) {
        entries[k] = start_columns[block] + static_cast<Ordinal>(row.entries[slot]);
        values[k]  = block_values[slot];
      }
    }
  }
};

inline void check_options(const RowBlockOptions& options) {
  if (options.block_rows < 1 || options.block_rows > 64)
    raise<InvalidArgument>("to_row_block", "block_rows is ", options.block_rows, ", 1 to 64 is supported");
  if (options.block_columns < 16 || options.block_columns > 32768 || options.block_columns % 16 != 0)
    raise<InvalidArgument>("to_row_block", "block_columns is ", options.block_columns,
                           ", a multiple of 16 up to 32768 is supported");
  if (options.multiple < 1 || options.multiple > 1024)
    raise<InvalidArgument>("to_row_block", "multiple is ", options.multiple, ", 1 to 1024 is supported");
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<RowBlockMatrix, Matrix> row_block_from_crs(const ExecutionSpace& exec, const Matrix& A,
                                                    const RowBlockOptions& options) {
  using Format            = FormatOf<RowBlockMatrix, Matrix>;
  using Scalar            = typename Format::Scalar;
  using Ordinal           = typename Format::Ordinal;
  using Offset            = typename Format::Offset;
  using Counts            = Kokkos::View<std::int64_t*, typename Format::Device>;
  constexpr auto function = "to_row_block";
  check_options(options);
  const auto crs = arrays_of(A);
  Format blocks;
  blocks.rows            = crs.rows;
  blocks.columns         = crs.columns;
  blocks.stored_nonzeros = crs.nonzeros;
  blocks.block_rows      = options.block_rows;
  blocks.block_columns   = options.block_columns;
  blocks.multiple        = options.multiple;
  const auto rows        = static_cast<std::int64_t>(crs.rows);
  const auto groups      = blocks.groups();

  std::size_t bytes = static_cast<std::size_t>(crs.nonzeros) * (sizeof(Offset) + sizeof(Scalar) + 2) +
                      static_cast<std::size_t>(groups + 1) * sizeof(Offset);
  check_memory(function, bytes + static_cast<std::size_t>(groups) * 8, options.memory_limit);
  blocks.group_map =
      allocate<decltype(blocks.group_map)>(function, exec, "Lacuna::to_row_block::group_map", groups + 1);
  FindBlocks<Ordinal, Offset> find{crs.rows,
                                   crs.row_map,
                                   crs.entries,
                                   options.block_rows,
                                   options.block_columns,
                                   groups,
                                   nullptr,
                                   blocks.group_map.data(),
                                   nullptr};
  const int threads = team_threads<ExecutionSpace>(128);
  const auto warps  = threads / ExecutionTraits<ExecutionSpace>::lane_width;
  const TeamShape shape{(groups + warps - 1) / warps, threads};
  const auto scratch = static_cast<std::size_t>(warps * options.block_rows) * sizeof(std::int64_t) + 64;
  {
    const auto counts = allocate<Counts>(function, exec, "Lacuna::to_row_block::blocks_of_group", groups);
    find.counts       = counts.data();
    launch_teams<128>(exec, "Lacuna::to_row_block::count_blocks", shape, scratch, find);
    const auto total = scan_lengths(exec, "Lacuna::to_row_block::group_map", groups, blocks.group_map.data(),
                                    CountAt{counts.data(), 1});
    bytes += static_cast<std::size_t>(total) * sizeof(Ordinal) +
             static_cast<std::size_t>(total * options.block_rows + 1) * sizeof(Offset);
    check_memory(function, bytes + static_cast<std::size_t>(total * options.block_rows) * 8, options.memory_limit);
    blocks.start_columns =
        allocate<decltype(blocks.start_columns)>(function, exec, "Lacuna::to_row_block::start_columns", total);
  }
  find.start_columns = blocks.start_columns.data();
  if (blocks.blocks() > 0) launch_teams<128>(exec, "Lacuna::to_row_block::start_columns", shape, scratch, find);

  const auto positions = blocks.blocks() * options.block_rows;
  const auto counts    = allocate<Counts>(function, exec, "Lacuna::to_row_block::entries_of_row", positions);
  Kokkos::deep_copy(exec, counts, std::int64_t{0});
  WalkRowOverBlocks<Scalar, Ordinal, Offset> walk{crs,
                                                  options.block_rows,
                                                  options.block_columns,
                                                  blocks.group_map.data(),
                                                  blocks.start_columns.data(),
                                                  counts.data(),
                                                  nullptr,
                                                  nullptr,
                                                  nullptr,
                                                  nullptr};
  for_each_index(exec, "Lacuna::to_row_block::count_entries", rows, walk);
  blocks.row_map   = allocate<decltype(blocks.row_map)>(function, exec, "Lacuna::to_row_block::row_map", positions + 1);
  const auto total = scan_lengths(exec, "Lacuna::to_row_block::row_map", positions, blocks.row_map.data(),
                                  CountAt{counts.data(), options.multiple});
  bytes += static_cast<std::size_t>(total - static_cast<std::int64_t>(crs.nonzeros)) * (sizeof(Scalar) + 2);
  check_memory(function, bytes + bytes_of(counts), options.memory_limit);
  blocks.entries = allocate<decltype(blocks.entries)>(function, exec, "Lacuna::to_row_block::entries", total);
  blocks.values  = allocate<decltype(blocks.values)>(function, exec, "Lacuna::to_row_block::values", total);
  blocks.slots   = allocate<decltype(blocks.slots)>(function, exec, "Lacuna::to_row_block::slots",
                                                  static_cast<std::int64_t>(crs.nonzeros));
  Kokkos::deep_copy(exec, blocks.entries, Format::padding);
  Kokkos::deep_copy(exec, blocks.values, Scalar(0));
  Kokkos::deep_copy(exec, counts, std::int64_t{0});
  walk.row_map = blocks.row_map.data();
  walk.entries = blocks.entries.data();
  walk.values  = blocks.values.data();
  walk.slots   = blocks.slots.data();
  for_each_index(exec, "Lacuna::to_row_block::fill", rows, walk);
  return blocks;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const RowBlockMatrix<S, O, D, F>& blocks) {
  for_each_index(exec, "Lacuna::update_values::row_block", static_cast<std::int64_t>(blocks.nonzeros()),
                 ScatterToSlots<S, F>{A.values.data(), blocks.slots.data(), blocks.values.data()});
}

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename RowBlockMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec,
                                                  const RowBlockMatrix<S, O, D, F>& blocks) {
  const RowBlockRowLength<F> row{blocks.block_rows, blocks.group_map.data(), blocks.row_map.data(),
                                 blocks.entries.data()};
  const auto crs = new_crs<typename RowBlockMatrix<S, O, D, F>::Crs>("to_crs", exec, blocks.rows, blocks.columns, row);
  for_each_index(exec, "Lacuna::to_crs::fill", static_cast<std::int64_t>(blocks.rows),
                 CrsRowFromBlocks<S, O, F>{row, blocks.start_columns.data(), blocks.values.data(), crs.row_map.data(),
                                           crs.entries.data(), crs.values.data()});
  return crs.matrix("Lacuna::to_crs");
}

}  // namespace lacuna::Impl

#endif
