// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_ROWBLOCK_HPP
#define LACUNA_VALIDATE_ROWBLOCK_HPP

#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/Lacuna_PaddingRules.hpp>
#include <formats/impl/row_block/Lacuna_Convert_RowBlock.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief The rules of `RowBlockMatrix` beyond those of CSR.

namespace lacuna::Impl {

/// The blocks of a group, and that nothing stands below the last row.
template <class Ordinal, class Offset>
struct CheckBlocks {
  std::int64_t rows;
  std::int64_t columns;
  int block_rows;
  int block_columns;
  const Offset* group_map;
  const Ordinal* start_columns;
  const Offset* row_map;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    std::int64_t covered = 0;
    for (Offset block = group_map[group]; block < group_map[group + 1]; ++block) {
      const auto start = static_cast<std::int64_t>(start_columns[block]);
      if (start % 16 != 0 || start < covered || start >= columns) findings.add(0, group);
      covered = start + block_columns;
      for (int r = 0; r < block_rows; ++r) {
        const std::int64_t position = static_cast<std::int64_t>(block) * block_rows + r;
        if (group * block_rows + r >= rows && row_map[position] != row_map[position + 1]) findings.add(1, group);
      }
    }
  }
};

template <class Offset>
struct CheckSlots {
  std::int64_t size;
  int block_columns;
  const Offset* slots;
  const std::uint16_t* entries;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto slot = static_cast<std::int64_t>(slots[k]);
    if (slot < 0 || slot >= size || entries[slot] >= block_columns) findings.add(0, k);
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const RowBlockMatrix<S, O, D, F>& blocks, Defects& defects) {
  if (blocks.block_rows < 1 || blocks.block_rows > 64 || blocks.block_columns < 16 || blocks.block_columns > 32768 ||
      blocks.multiple < 1) {
    defects.push_back("blocks of " + shape_text(blocks.block_rows, blocks.block_columns) + ", multiple " +
                      std::to_string(blocks.multiple));
    return;
  }
  const auto size      = static_cast<std::int64_t>(blocks.entries.extent(0));
  const auto positions = blocks.blocks() * blocks.block_rows;
  if (!has_extent("values", blocks.values, size, defects) ||
      !has_extent("slots", blocks.slots, static_cast<std::int64_t>(blocks.nonzeros()), defects) ||
      !check_map(exec, "group_map", blocks.group_map, blocks.groups(), blocks.blocks(), 1, defects) ||
      !check_map(exec, "row_map", blocks.row_map, positions, size, blocks.multiple, defects))
    return;
  const FindingStore<D> store("validate", exec, 2);
  for_each_index(exec, "Lacuna::validate::blocks", blocks.groups(),
                 CheckBlocks<O, F>{static_cast<std::int64_t>(blocks.rows), static_cast<std::int64_t>(blocks.columns),
                                   blocks.block_rows, blocks.block_columns, blocks.group_map.data(),
                                   blocks.start_columns.data(), blocks.row_map.data(), store.counters()});
  list_findings<2>(exec, store,
                   {"start columns out of range, out of order or not aligned", "entries below the last row"}, defects);
  const FindingStore<D> slots("validate", exec, 1);
  for_each_index(
      exec, "Lacuna::validate::slots", static_cast<std::int64_t>(blocks.nonzeros()),
      CheckSlots<F>{size, blocks.block_columns, blocks.slots.data(), blocks.entries.data(), slots.counters()});
  list_findings<1>(exec, slots, {"slots without an entry of the block"}, defects);
  const FindingStore<D> padding("validate", exec, 4);
  for_each_index(exec, "Lacuna::validate::block_rows", positions,
                 CheckPaddedRow<S, std::uint16_t, F>{
                     {blocks.entries.data(), blocks.values.data(), blocks.padding, padding.counters()},
                     blocks.row_map.data(),
                     blocks.multiple - 1});
  list_findings(exec, padding, PaddingRules<std::uint16_t, S>::names, defects);
}

}  // namespace lacuna::Impl

#endif
