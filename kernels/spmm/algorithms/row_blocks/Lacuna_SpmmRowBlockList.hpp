// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWBLOCKLIST_HPP
#define LACUNA_SPMMROWBLOCKLIST_HPP

#include <core/impl/inspection/Lacuna_RowRuns.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spmm/algorithms/row_blocks/Lacuna_SpmmRowBlockPolicy.hpp>

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
  RowRuns runs;
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
/// side by side in a warp are about as long as each other, and have as many rows.
template <class Arrays, class MemorySpace>
struct SpmmRowBlockList {
  using Block = SpmmRowBlock<typename Arrays::Ordinal, typename Arrays::Offset>;

  Kokkos::View<Block*, MemorySpace> blocks;
  int most_rows     = 1;      ///< of a block
  bool is_scattered = false;  ///< blocks have no columns in common with those beside them

  std::size_t bytes() const { return bytes_of(blocks); }
};

/// \param found of the same marks. \param longest row. \throws OutOfMemory. Waits for `exec` once.
template <class ExecutionSpace, class Arrays, class Marks>
auto make_row_blocks(const ExecutionSpace& exec, const Arrays& A, const Marks& marks, const RunStatistics& statistics,
                     std::int64_t longest) {
  using Policy = SpmmRowBlockPolicy;
  using List   = SpmmRowBlockList<Arrays, typename ExecutionSpace::memory_space>;
  List list;
  list.most_rows  = Policy::most_rows(statistics);
  const auto rows = static_cast<std::int64_t>(A.rows);
  if (rows == 0) return list;
  list.blocks =
      allocate<decltype(list.blocks)>("SpmmPlan", exec, "Lacuna::spmm::row_blocks", Policy::blocks(statistics));
  PlaceRowBlocks<Arrays> place{A, {marks.data(), rows}, list.most_rows, longest, {}, list.blocks.data()};
  const auto range = index_range(exec, rows);
  SpmmBlockKinds kinds;
  Kokkos::parallel_reduce("Lacuna::spmm::count_block_lengths", range, place, kinds);
  for (int kind = 1; kind < SpmmBlockKinds::count; ++kind)
    place.begin.blocks[kind] = place.begin.blocks[kind - 1] + kinds.blocks[kind - 1];
  Kokkos::parallel_scan("Lacuna::spmm::place_row_blocks", range, place);
  return list;
}

}  // namespace lacuna::Impl

#endif
