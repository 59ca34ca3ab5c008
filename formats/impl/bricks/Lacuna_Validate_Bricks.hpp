// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_BRICKS_HPP
#define LACUNA_VALIDATE_BRICKS_HPP

#include <Lacuna_Convert.hpp>
#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/Lacuna_Validate_Permutation.hpp>

#include <cstdint>

/// \file
/// \brief The rules of formats in bricks beyond those of CSR.

namespace lacuna::Impl {

/// The steps of a panel: 0 columns out of range or out of order, 1 active columns without a nonzero, 2 value_begin that
/// disagrees with the patterns, 3 bits where a panel has no row.
template <class Ordinal, class Offset>
struct CheckBrickPanel {
  PanelRows<Ordinal> rows;
  std::int64_t columns;
  const Offset* panel_begin;
  const Ordinal* step_columns;
  const std::uint32_t* patterns;
  const Offset* value_begin;
  FindingCounters findings;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const int groups      = rows.height / 8;
    const auto begin      = static_cast<std::int64_t>(panel_begin[panel]);
    const auto end        = static_cast<std::int64_t>(panel_begin[panel + 1]);
    std::int64_t previous = -1;
    bool padding          = false;
    for (std::int64_t step = begin; step < end; ++step) {
      std::int64_t values = 0;
      for (int i = 0; i < 2 * groups; ++i) values += count_bits(patterns[step * 2 * groups + i]);
      if (static_cast<std::int64_t>(value_begin[step + 1] - value_begin[step]) != values) findings.add(2, panel);
      for (int position = 0; position < 8; ++position) {
        const auto column = static_cast<std::int64_t>(step_columns[step * 8 + position]);
        if (column < 0 || column >= columns || column < previous) findings.add(0, panel);
        bool active = false;
        for (int i = 0; i < rows.height; ++i) {
          const std::uint32_t pattern = patterns[(step * groups + i / 8) * 2 + position / 4];
          if ((pattern >> (i % 8 * 4 + position % 4) & 1u) == 0) continue;
          active = true;
          if (rows.row(panel, i) < 0) findings.add(3, panel);
        }
        // Columns without a nonzero fill the last step, and repeat the last that has one.
        padding = padding || !active;
        if (active ? padding : (step + 1 < end || position == 0 || column != previous)) findings.add(1, panel);
        previous = column;
      }
    }
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const BrickMatrix<S, O, D, F>& bricks, Defects& defects) {
  const auto nonzeros = static_cast<std::int64_t>(bricks.nonzeros());
  if (bricks.panel_rows != 8 && bricks.panel_rows != 16) {
    defects.push_back("panels of " + std::to_string(bricks.panel_rows) + " rows");
    return;
  }
  const auto positions = static_cast<std::int64_t>(bricks.row_list.extent(0));
  if (!has_extent("row_list", bricks.row_list, positions / bricks.panel_rows * bricks.panel_rows, defects) ||
      !has_extent("step_columns", bricks.step_columns, bricks.steps() * bricks.step_width, defects) ||
      !has_extent("patterns", bricks.patterns, bricks.steps() * 2 * bricks.brick_rows(), defects) ||
      !has_extent("values", bricks.values, nonzeros + bricks.value_padding, defects) ||
      !has_extent("source", bricks.source, nonzeros, defects) ||
      !check_map(exec, "panel_begin", bricks.panel_begin, bricks.panels(), bricks.steps(), 1, defects) ||
      !check_map(exec, "value_begin", bricks.value_begin, bricks.steps(), nonzeros, 1, defects))
    return;
  if (positions > 0)
    check_permutation(exec, "row_list", bricks.row_list, static_cast<std::int64_t>(bricks.rows), true, defects);
  check_permutation(exec, "source", bricks.source, nonzeros, false, defects);
  const PanelRows<O> rows{static_cast<std::int64_t>(bricks.rows), bricks.panels(), bricks.panel_rows,
                          positions > 0 ? bricks.row_list.data() : nullptr, nullptr};
  const FindingStore<D> store("validate", exec, 4);
  for_each_index(exec, "Lacuna::validate::bricks", bricks.panels(),
                 CheckBrickPanel<O, F>{rows, static_cast<std::int64_t>(bricks.columns), bricks.panel_begin.data(),
                                       bricks.step_columns.data(), bricks.patterns.data(), bricks.value_begin.data(),
                                       store.counters()});
  list_findings<4>(exec, store,
                   {"step columns out of range or out of order", "step columns without a nonzero",
                    "steps whose values are not as many as their bits", "bits of rows that do not exist"},
                   defects);
}

/// The blocks of a panel: 0 active columns out of range or out of order, 1 active columns without a nonzero, 2 sizes
/// that do not fit the patterns, 3 bits where a panel has no row, 4 colPtr or rows that are no list of bricks.
template <class Scalar, class Ordinal, class Offset>
struct CheckHrpbPanel {
  HrpbRow<Scalar, Ordinal, Offset> hrpb;
  std::int64_t rows;
  std::int64_t columns;
  FindingCounters findings;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const HrpbLayout layout{hrpb.panel_rows / 16};
    const auto begin      = static_cast<std::int64_t>(hrpb.blocked_row_ptr[panel]);
    const auto end        = static_cast<std::int64_t>(hrpb.blocked_row_ptr[panel + 1]);
    std::int64_t previous = -1;
    bool padding          = false;
    for (std::int64_t b = begin; b < end; ++b) {
      const std::int64_t size = hrpb.size_ptr[b + 1] - hrpb.size_ptr[b];
      if (size < layout.metadata_bytes()) return findings.add(2, panel);
      const HrpbBlock<const Scalar> block(layout, hrpb.packed + hrpb.size_ptr[b], size);
      if (!is_brick_list(layout, block)) return findings.add(4, panel);
      std::int64_t nonzeros = 0;
      for (int column = 0; column < HrpbLayout::brick_columns; ++column) {
        std::uint64_t any = 0;
        for (std::uint32_t j = block.colPtr[column]; j < block.colPtr[column + 1]; ++j) {
          any |= block.patterns[j];
          nonzeros += count_bits(block.patterns[j]);
          for (int i = 0; i < 16; ++i)
            if ((block.patterns[j] >> (4 * i) & 15u) != 0 &&
                panel * hrpb.panel_rows + static_cast<std::int64_t>(block.rows[j]) * 16 + i >= rows)
              findings.add(3, panel);
        }
        for (int i = 0; i < 4; ++i) {
          const int position = 4 * column + i;
          const auto active  = static_cast<std::int64_t>(hrpb.active_columns[b * 16 + position]);
          if (active < 0 || active >= columns || active < previous) findings.add(0, panel);
          // One bit a row stands for the column: that it is in any of 16 rows.
          const bool has_nonzero = (any >> i & 0x1111111111111111u) != 0;
          padding                = padding || !has_nonzero;
          if (has_nonzero ? padding : (b + 1 < end || position == 0 || active != previous)) findings.add(1, panel);
          previous = active;
        }
      }
      if ((nonzeros * static_cast<std::int64_t>(sizeof(Scalar)) + 15) / 16 * 16 + layout.metadata_bytes() != size)
        findings.add(2, panel);
    }
  }

  KOKKOS_FUNCTION static bool is_brick_list(const HrpbLayout& layout, const HrpbBlock<const Scalar>& block) {
    if (block.colPtr[0] != 0) return false;
    for (int column = 0; column < HrpbLayout::brick_columns; ++column) {
      const std::uint32_t first = block.colPtr[column], last = block.colPtr[column + 1];
      if (first > last || last > static_cast<std::uint32_t>(layout.bricks())) return false;
      for (std::uint32_t j = first; j < last; ++j)
        if (block.patterns[j] == 0 || block.rows[j] >= static_cast<std::uint32_t>(layout.brick_rows) ||
            (j > first && block.rows[j] <= block.rows[j - 1]))
          return false;
    }
    return true;
  }
};

/// 0: a slot that is not one of the nonzeros of a block, or that another nonzero has too.
template <class Scalar, class Ordinal, class Offset>
struct CheckHrpbSlot {
  HrpbRow<Scalar, Ordinal, Offset> hrpb;
  std::int64_t blocks;
  std::int64_t size;
  const Offset* slots;
  std::uint32_t* marks;
  FindingCounters findings;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const HrpbLayout layout{hrpb.panel_rows / 16};
    const auto slot = static_cast<std::int64_t>(slots[k]);
    const auto byte = slot * static_cast<std::int64_t>(sizeof(Scalar));
    if (slot < 0 || slot >= size / static_cast<std::int64_t>(sizeof(Scalar))) return findings.add(0, k);
    const std::int64_t b = upper_bound(hrpb.size_ptr, 0, blocks + 1, byte) - 1;
    const HrpbBlock<const Scalar> block(layout, hrpb.packed + hrpb.size_ptr[b],
                                        hrpb.size_ptr[b + 1] - hrpb.size_ptr[b]);
    std::int64_t nonzeros = 0;
    for (int i = 0; i < layout.bricks(); ++i) nonzeros += count_bits(block.patterns[i]);
    if (slot - hrpb.size_ptr[b] / static_cast<std::int64_t>(sizeof(Scalar)) >= nonzeros) return findings.add(0, k);
    const std::uint32_t bit = std::uint32_t{1} << (slot & 31);
    if ((Kokkos::atomic_fetch_or(&marks[slot / 32], bit) & bit) != 0) findings.add(0, -1);
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const HrpbMatrix<S, O, D, F>& hrpb, Defects& defects) {
  if (hrpb.TM != 16 && hrpb.TM != 32) {
    defects.push_back("row panels of " + std::to_string(hrpb.TM) + " rows");
    return;
  }
  const auto nonzeros = static_cast<std::int64_t>(hrpb.nonzeros());
  const auto size     = static_cast<std::int64_t>(hrpb.packedBlocks.extent(0));
  if (!has_extent("activeCols", hrpb.activeCols, hrpb.blocks() * hrpb.TK, defects) ||
      !has_extent("slots", hrpb.slots, nonzeros, defects) ||
      !check_map(exec, "blockedRowPtr", hrpb.blockedRowPtr, hrpb.panels(), hrpb.blocks(), 1, defects) ||
      !check_map(exec, "sizePtr", hrpb.sizePtr, hrpb.blocks(), size, 16, defects))
    return;
  const HrpbRow<S, O, F> blocks{hrpb.TM, hrpb.blockedRowPtr.data(), hrpb.activeCols.data(), hrpb.sizePtr.data(),
                                hrpb.packedBlocks.data()};
  const FindingStore<D> store("validate", exec, 5);
  for_each_index(exec, "Lacuna::validate::hrpb", hrpb.panels(),
                 CheckHrpbPanel<S, O, F>{blocks, static_cast<std::int64_t>(hrpb.rows),
                                         static_cast<std::int64_t>(hrpb.columns), store.counters()});
  list_findings<5>(exec, store,
                   {"active columns out of range or out of order", "active columns without a nonzero",
                    "blocks whose size does not fit their bits", "bits of rows that do not exist",
                    "blocks whose colPtr, rows and patterns are no list of bricks"},
                   defects);
  if (!defects.empty()) return;
  const HitOnce<D> hits(exec, size / static_cast<std::int64_t>(sizeof(S)));
  const FindingStore<D> slots("validate", exec, 1);
  for_each_index(
      exec, "Lacuna::validate::slots", nonzeros,
      CheckHrpbSlot<S, O, F>{blocks, hrpb.blocks(), size, hrpb.slots.data(), hits.marks.data(), slots.counters()});
  list_findings<1>(exec, slots, {"slots that are no nonzero of a block or there twice"}, defects);
}

}  // namespace lacuna::Impl

#endif
