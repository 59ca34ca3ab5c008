// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_ROWBLOCKS_HPP
#define LACUNA_SPMM_ROWBLOCKS_HPP

#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spmm/tuning/Lacuna_Spmm_RowBlockTuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief A list of row blocks: consecutive rows with the same columns in the same order, as the unknowns of a node
/// have them in finite-element matrices.

namespace lacuna::Impl {

/// Rows [row, row + rows), each with the columns of nonzeros [begin, begin + length).
template <class Ordinal, class Offset>
struct alignas(16) SpmmRowBlock {
  Offset begin;
  Offset length;
  Ordinal row;
  std::int32_t rows;
};

/// Writes 1 to the mark of each row that differs from the one before, and of every `longest_run`-th. Marks are 0
/// before. Several indices for each row: they compare a part of it each.
template <class Arrays>
struct MarkRowRuns {
  static constexpr int indices_per_row = 8;
  Arrays A;
  unsigned char* marks;

  KOKKOS_FUNCTION void operator()(const std::int64_t index) const {
    using Offset              = typename Arrays::Offset;
    const std::int64_t row    = index / indices_per_row;
    const auto part           = static_cast<Offset>(index % indices_per_row);
    const bool starts_anyway  = row % SpmmRowBlockTuning::longest_run == 0;
    const std::int64_t before = starts_anyway ? row : row - 1;
    const Offset begin = A.row_map[row], other = A.row_map[before];
    const Offset length = A.row_map[row + 1] - begin;
    bool differs        = starts_anyway || A.row_map[before + 1] - other != length;
    for (Offset k = part; k < length && !differs; k += indices_per_row)
      differs = A.entries[begin + k] != A.entries[other + k];
    if (differs) marks[row] = 1;
  }
};

/// Blocks of at most `most` rows, as the marks have them.
struct SpmmRowRuns {
  const unsigned char* marks;
  std::int64_t rows;

  /// Rows of the block that begins at `row`; 0 where none does.
  KOKKOS_FUNCTION int block_at(std::int64_t row, int most) const {
    int before = 0;
    while (marks[row - before] == 0) ++before;
    if (before % most != 0) return 0;
    int count = 1;
    while (count < most && row + count < rows && marks[row + count] == 0) ++count;
    return count;
  }
};

/// What blocks of few and of many rows would be.
struct SpmmRowBlockStatistics {
  std::int64_t longest   = 0;                  ///< row
  std::int64_t few_reads = 0, many_reads = 0;  ///< rows of B that are read: nonzeros of one row for each block
  std::int64_t few_blocks = 0, many_blocks = 0;

  KOKKOS_INLINE_FUNCTION void join(const SpmmRowBlockStatistics& other) {
    if (other.longest > longest) longest = other.longest;
    few_reads += other.few_reads;
    many_reads += other.many_reads;
    few_blocks += other.few_blocks;
    many_blocks += other.many_blocks;
  }
  bool takes_many() const {
    return static_cast<double>(many_reads) <= SpmmRowBlockTuning::many_save * static_cast<double>(few_reads);
  }
  int most_rows() const { return takes_many() ? SpmmRowBlockTuning::many_rows : SpmmRowBlockTuning::few_rows; }
  std::int64_t reads() const { return takes_many() ? many_reads : few_reads; }
  std::int64_t blocks() const { return takes_many() ? many_blocks : few_blocks; }
};

template <class Arrays>
struct CountRowBlocks {
  using value_type = SpmmRowBlockStatistics;
  Arrays A;
  SpmmRowRuns runs;

  KOKKOS_FUNCTION void init(value_type& facts) const { facts = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& facts) const {
    const auto length = static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]);
    if (length > facts.longest) facts.longest = length;
    if (runs.block_at(row, SpmmRowBlockTuning::few_rows) > 0) {
      facts.few_reads += length;
      ++facts.few_blocks;
    }
    if (runs.block_at(row, SpmmRowBlockTuning::many_rows) > 0) {
      facts.many_reads += length;
      ++facts.many_blocks;
    }
  }
};

/// Kinds of blocks: by the length of their rows, longest first, then whether they have as many rows as blocks can have.
struct SpmmBlockKinds {
  static constexpr int lengths = 8;
  static constexpr int count   = 2 * lengths;

  KOKKOS_INLINE_FUNCTION static int of(std::int64_t length, std::int64_t longest, bool is_full) {
    const int shorter = longest > 0 ? lengths - 1 - static_cast<int>(length * (lengths - 1) / longest) : 0;
    return 2 * shorter + (is_full ? 0 : 1);
  }

  std::int64_t blocks[count] = {};

  KOKKOS_INLINE_FUNCTION void join(const SpmmBlockKinds& other) {
    for (int kind = 0; kind < count; ++kind) blocks[kind] += other.blocks[kind];
  }
};

/// As a reduction the blocks of each kind are counted, as a scan they are placed, those of a kind in their order.
template <class Arrays>
struct PlaceRowBlocks {
  using value_type = SpmmBlockKinds;
  static_assert(sizeof(value_type) <= largest_scanned_value);
  using Block = SpmmRowBlock<typename Arrays::Ordinal, typename Arrays::Offset>;
  Arrays A;
  SpmmRowRuns runs;
  int most_rows;
  std::int64_t longest;
  SpmmBlockKinds begin;  // of each kind in the list
  Block* list;

  KOKKOS_FUNCTION void init(value_type& before) const { before = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& before) const { operator()(row, before, false); }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& before, const bool is_final) const {
    const int rows = runs.block_at(row, most_rows);
    if (rows == 0) return;
    const auto first  = A.row_map[row];
    const auto length = A.row_map[row + 1] - first;
    const int kind    = SpmmBlockKinds::of(static_cast<std::int64_t>(length), longest, rows == most_rows);
    if (is_final)
      list[begin.blocks[kind] + before.blocks[kind]] = {first, length, static_cast<typename Arrays::Ordinal>(row),
                                                        rows};
    ++before.blocks[kind];
  }
};

/// What a plan keeps: the blocks, longest rows first, so that those that take longest start first and those that stand
/// side by side in a lane group are about as long as each other, and have as many rows.
template <class Arrays, class MemorySpace>
struct SpmmRowBlockList {
  using Block = SpmmRowBlock<typename Arrays::Ordinal, typename Arrays::Offset>;

  Kokkos::View<Block*, MemorySpace> blocks;
  int most_rows     = 1;      ///< of a block
  bool is_scattered = false;  ///< blocks have no columns in common with those beside them

  std::size_t bytes() const { return bytes_of(blocks); }
};

template <class MemorySpace>
using SpmmRowMarks = Kokkos::View<unsigned char*, MemorySpace>;

/// Where runs of equal rows begin. \throws OutOfMemory. Does not fence.
template <class ExecutionSpace, class Arrays>
auto mark_row_runs(const ExecutionSpace& exec, const Arrays& A) {
  using Marks      = SpmmRowMarks<typename ExecutionSpace::memory_space>;
  const auto rows  = static_cast<std::int64_t>(A.rows);
  const auto marks = allocate<Marks>("SpmmPlan", exec, "Lacuna::spmm::row_marks", rows);
  Kokkos::deep_copy(exec, marks, static_cast<unsigned char>(0));
  for_each_index(exec, "Lacuna::spmm::mark_row_runs", rows * MarkRowRuns<Arrays>::indices_per_row,
                 MarkRowRuns<Arrays>{A, marks.data()});
  return marks;
}

/// Waits for the result.
template <class ExecutionSpace, class Arrays, class Marks>
SpmmRowBlockStatistics count_row_blocks(const ExecutionSpace& exec, const Arrays& A, const Marks& marks) {
  SpmmRowBlockStatistics facts;
  const auto rows = static_cast<std::int64_t>(A.rows);
  if (rows > 0)
    Kokkos::parallel_reduce("Lacuna::spmm::count_row_blocks", IndexRange<ExecutionSpace>(exec, 0, rows),
                            CountRowBlocks<Arrays>{A, {marks.data(), rows}}, facts);
  return facts;
}

/// \param facts of the same marks. \throws OutOfMemory. Waits for `exec` once.
template <class ExecutionSpace, class Arrays, class Marks>
auto make_row_blocks(const ExecutionSpace& exec, const Arrays& A, const Marks& marks,
                     const SpmmRowBlockStatistics& facts) {
  using List = SpmmRowBlockList<Arrays, typename ExecutionSpace::memory_space>;
  List list;
  list.most_rows  = facts.most_rows();
  const auto rows = static_cast<std::int64_t>(A.rows);
  if (rows == 0) return list;
  list.blocks = allocate<decltype(list.blocks)>("SpmmPlan", exec, "Lacuna::spmm::row_blocks", facts.blocks());
  PlaceRowBlocks<Arrays> place{A, {marks.data(), rows}, list.most_rows, facts.longest, {}, list.blocks.data()};
  const IndexRange<ExecutionSpace> range(exec, 0, rows);
  SpmmBlockKinds kinds;
  Kokkos::parallel_reduce("Lacuna::spmm::count_block_lengths", range, place, kinds);
  for (int kind = 1; kind < SpmmBlockKinds::count; ++kind)
    place.begin.blocks[kind] = place.begin.blocks[kind - 1] + kinds.blocks[kind - 1];
  Kokkos::parallel_scan("Lacuna::spmm::place_row_blocks", range, place);
  return list;
}

}  // namespace lacuna::Impl

#endif
