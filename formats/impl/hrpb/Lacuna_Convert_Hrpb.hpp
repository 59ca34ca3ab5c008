// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_HRPB_HPP
#define LACUNA_CONVERT_HRPB_HPP

#include <Lacuna_HrpbMatrix.hpp>
#include <core/base/impl/Lacuna_RelaxedAccess.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/hrpb/Lacuna_HrpbBlock.hpp>
#include <formats/impl/panels/Lacuna_PanelNumbers.hpp>
#include <formats/impl/row_block/Lacuna_Convert_RowBlock.hpp>

#include <cstdint>
#include <limits>

/// \file
/// \brief CSR to `HrpbMatrix` and back, on the device and with work in proportion to the nonzeros. (The paper packs on
/// the CPU, for the price of about 100 products.)

namespace lacuna::Impl {

/// Where an element stands while all bricks still have a pattern, empty ones too, by columns of bricks.
template <class Offset>
struct HrpbSlot {
  std::int64_t block;
  std::int64_t of_block;  ///< index of the first pattern of the block
  std::int64_t pattern;   ///< index of the pattern
  int bit;

  KOKKOS_FORCEINLINE_FUNCTION static HrpbSlot of(const Offset* panel_begin, int panel_rows, std::int64_t position,
                                                 std::int64_t number) {
    const int brick_rows = panel_rows / 16;
    const int row        = static_cast<int>(position % panel_rows);
    HrpbSlot slot;
    slot.block    = static_cast<std::int64_t>(panel_begin[position / panel_rows]) + number / 16;
    slot.of_block = slot.block * HrpbLayout::brick_columns * brick_rows;
    slot.pattern  = slot.of_block + number % 16 / 4 * brick_rows + row / 16;
    slot.bit      = row % 16 * 4 + static_cast<int>(number % 4);
    return slot;
  }
};

template <class Ordinal, class Offset>
struct MarkHrpb {
  PanelRows<Ordinal> rows;
  const Offset* panel_begin;
  const Ordinal* entries;
  const std::uint32_t* numbers;
  Counter* patterns;
  Ordinal* active_columns;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    const auto number = static_cast<std::int64_t>(numbers[k]);
    const auto slot   = HrpbSlot<Offset>::of(panel_begin, rows.height, rows.position(row), number);
    Kokkos::atomic_or(&patterns[slot.pattern], Counter{1} << slot.bit);
    // All rows that hold the column write the same.
    relaxed_store(&active_columns[slot.block * 16 + number % 16], entries[k]);
  }
};

/// Columns of the last block of a panel behind its last active column.
template <class Ordinal, class Offset>
struct PadLastBlock {
  const Offset* panel_begin;
  Ordinal* active_columns;
  int width;
  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    if (panel_begin[panel] == panel_begin[panel + 1]) return;
    const auto last = (static_cast<std::int64_t>(panel_begin[panel + 1]) - 1) * width;
    for (int i = 1; i < width; ++i)
      if (active_columns[last + i] < 0) active_columns[last + i] = active_columns[last + i - 1];
  }
};

struct BytesOfBlock {
  const Counter* patterns;
  HrpbLayout layout;
  int scalar_bytes;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const {
    std::int64_t nonzeros = 0;
    for (int i = 0; i < layout.bricks(); ++i)
      nonzeros += count_bits(static_cast<std::uint64_t>(patterns[block * layout.bricks() + i]));
    return (nonzeros * scalar_bytes + 15) / 16 * 16 + layout.metadata_bytes();
  }
};

/// Writes everything of a block but its nonzeros.
template <class Scalar>
struct WriteMetadata {
  const Counter* patterns;
  HrpbLayout layout;
  const std::int64_t* size_ptr;
  unsigned char* packed;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const std::int64_t size = size_ptr[block + 1] - size_ptr[block];
    const HrpbBlock<Scalar> to(layout, packed + size_ptr[block], size);
    std::int64_t nonzeros = 0;
    std::uint32_t bricks  = 0;
    for (int column = 0; column < HrpbLayout::brick_columns; ++column) {
      to.colPtr[column] = bricks;
      for (int row = 0; row < layout.brick_rows; ++row) {
        const std::uint64_t pattern = patterns[(block * HrpbLayout::brick_columns + column) * layout.brick_rows + row];
        if (pattern == 0) continue;
        to.patterns[bricks] = pattern;
        to.rows[bricks]     = static_cast<std::uint32_t>(row);
        nonzeros += count_bits(pattern);
        ++bricks;
      }
    }
    to.colPtr[HrpbLayout::brick_columns] = bricks;
    for (auto i = static_cast<int>(bricks); i < layout.bricks(); ++i) {
      to.patterns[i] = 0;
      to.rows[i]     = 0;
    }
    for (int word = layout.rows_at() / 4 + layout.bricks(); word < layout.metadata_bytes() / 4; ++word)
      reinterpret_cast<std::uint32_t*>(to.patterns)[word] = 0;
    const auto room = (size - layout.metadata_bytes()) / static_cast<std::int64_t>(sizeof(Scalar));
    for (std::int64_t i = nonzeros; i < room; ++i) to.nnz_array[i] = Scalar(0);
  }
};

template <class Scalar, class Ordinal, class Offset>
struct FillHrpb {
  PanelRows<Ordinal> rows;
  const Offset* panel_begin;
  const std::uint32_t* numbers;
  const Counter* patterns;
  const std::int64_t* size_ptr;
  const Offset* sorted_source;  ///< nullptr: rows were sorted
  const Scalar* from;
  Scalar* packed;
  Offset* slots;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    const auto slot =
        HrpbSlot<Offset>::of(panel_begin, rows.height, rows.position(row), static_cast<std::int64_t>(numbers[k]));
    std::int64_t to = size_ptr[slot.block] / static_cast<std::int64_t>(sizeof(Scalar));
    for (std::int64_t other = slot.of_block; other < slot.pattern; ++other)
      to += count_bits(static_cast<std::uint64_t>(patterns[other]));
    to += bits_below(patterns[slot.pattern], slot.bit);
    const Offset origin = sorted_source != nullptr ? sorted_source[k] : k;
    slots[origin]       = static_cast<Offset>(to);
    packed[to]          = from[origin];
  }
};

inline void check_options(const HrpbOptions& options) {
  if (options.panel_rows != 16 && options.panel_rows != 32)
    raise<InvalidArgument>("to_hrpb", "panel_rows is ", options.panel_rows, ", it can be 16 or 32");
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<HrpbMatrix, Matrix> hrpb_from_crs(const ExecutionSpace& exec, const Matrix& A, const HrpbOptions& options) {
  using Format            = FormatOf<HrpbMatrix, Matrix>;
  using Scalar            = typename Format::Scalar;
  using Ordinal           = typename Format::Ordinal;
  using Offset            = typename Format::Offset;
  constexpr auto function = "to_hrpb";
  check_options(options);
  const auto crs      = arrays_of(A);
  const auto nonzeros = static_cast<std::int64_t>(crs.nonzeros);
  const HrpbLayout layout{options.panel_rows / Format::brick_m};
  Format hrpb;
  hrpb.rows            = crs.rows;
  hrpb.columns         = crs.columns;
  hrpb.stored_nonzeros = crs.nonzeros;
  hrpb.TM              = options.panel_rows;
  const PanelRows<Ordinal> rows{static_cast<std::int64_t>(crs.rows), hrpb.panels(), options.panel_rows, nullptr,
                                nullptr};
  std::size_t bytes = static_cast<std::size_t>(nonzeros) * (sizeof(Scalar) + sizeof(Offset)) +
                      static_cast<std::size_t>(rows.panels + 1) * sizeof(Offset);
  const std::size_t begins = static_cast<std::size_t>(rows.panels + 1) * sizeof(Offset);
  const auto panels        = number_panels<16, 32>(function, exec, A, rows, Format::TK, begins, options.memory_limit);
  const auto blocks        = panels.steps;
  const auto temporary     = bytes_of(panels.numbers, panels.sorted_entries, panels.sorted_source) +
                         static_cast<std::size_t>(blocks) * static_cast<std::size_t>(layout.bricks()) * sizeof(Counter);
  bytes += static_cast<std::size_t>(blocks) * Format::TK * sizeof(Ordinal) +
           static_cast<std::size_t>(blocks + 1) * sizeof(std::int64_t);
  check_memory(function, bytes + temporary, options.memory_limit);
  hrpb.blockedRowPtr = panels.panel_begin;
  hrpb.activeCols =
      allocate<decltype(hrpb.activeCols)>(function, exec, "Lacuna::to_hrpb::activeCols", blocks * Format::TK);
  hrpb.sizePtr        = allocate<decltype(hrpb.sizePtr)>(function, exec, "Lacuna::to_hrpb::sizePtr", blocks + 1);
  const auto patterns = allocate<Kokkos::View<Counter*, typename Format::Device>>(
      function, exec, "Lacuna::to_hrpb::patterns", blocks * layout.bricks());
  Kokkos::deep_copy(exec, hrpb.activeCols, Ordinal(-1));
  Kokkos::deep_copy(exec, patterns, Counter{0});
  const Ordinal* entries = panels.sorted_entries.extent(0) > 0 ? panels.sorted_entries.data() : crs.entries;
  for_each_nonzero(exec, "Lacuna::to_hrpb::mark", crs.rows, crs.nonzeros, crs.row_map,
                   MarkHrpb<Ordinal, Offset>{rows, hrpb.blockedRowPtr.data(), entries, panels.numbers.data(),
                                             patterns.data(), hrpb.activeCols.data()});
  for_each_index(exec, "Lacuna::to_hrpb::pad", rows.panels,
                 PadLastBlock<Ordinal, Offset>{hrpb.blockedRowPtr.data(), hrpb.activeCols.data(), Format::TK});
  const auto size = scan_lengths(exec, "Lacuna::to_hrpb::sizePtr", blocks, hrpb.sizePtr.data(),
                                 BytesOfBlock{patterns.data(), layout, static_cast<int>(sizeof(Scalar))});
  if (static_cast<std::uint64_t>(size) / sizeof(Scalar) >
      static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
    raise<NotSupported>(function, size, " bytes of packedBlocks do not fit the offset type of ", 8 * sizeof(Offset),
                        " bits");
  check_memory(function,
               bytes + temporary + static_cast<std::size_t>(size) - static_cast<std::size_t>(nonzeros) * sizeof(Scalar),
               options.memory_limit);
  hrpb.packedBlocks = allocate<decltype(hrpb.packedBlocks)>(function, exec, "Lacuna::to_hrpb::packedBlocks", size);
  hrpb.slots        = allocate<decltype(hrpb.slots)>(function, exec, "Lacuna::to_hrpb::slots", nonzeros);
  for_each_index(exec, "Lacuna::to_hrpb::metadata", blocks,
                 WriteMetadata<Scalar>{patterns.data(), layout, hrpb.sizePtr.data(), hrpb.packedBlocks.data()});
  for_each_nonzero(exec, "Lacuna::to_hrpb::fill", crs.rows, crs.nonzeros, crs.row_map,
                   FillHrpb<Scalar, Ordinal, Offset>{
                       rows, hrpb.blockedRowPtr.data(), panels.numbers.data(), patterns.data(), hrpb.sizePtr.data(),
                       panels.sorted_source.extent(0) > 0 ? panels.sorted_source.data() : nullptr, crs.values,
                       reinterpret_cast<Scalar*>(hrpb.packedBlocks.data()), hrpb.slots.data()});
  return hrpb;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const HrpbMatrix<S, O, D, F>& hrpb) {
  for_each_index(
      exec, "Lacuna::update_values::hrpb", static_cast<std::int64_t>(hrpb.nonzeros()),
      ScatterToSlots<S, F>{A.values.data(), hrpb.slots.data(), reinterpret_cast<S*>(hrpb.packedBlocks.data())});
}

/// Walks the nonzeros of a row in the order of its columns, from the packed blocks alone: visit(column, value).
template <class Scalar, class Ordinal, class Offset>
struct HrpbRow {
  int panel_rows;
  const Offset* blocked_row_ptr;
  const Ordinal* active_columns;
  const std::int64_t* size_ptr;
  const unsigned char* packed;

  template <class Visitor>
  KOKKOS_FUNCTION void for_each(std::int64_t row, const Visitor& visit) const {
    const HrpbLayout layout{panel_rows / 16};
    const std::int64_t panel = row / panel_rows;
    const int brick_row      = static_cast<int>(row % panel_rows / 16);
    const int first_bit      = static_cast<int>(row % 16) * 4;
    const auto last          = static_cast<std::int64_t>(blocked_row_ptr[panel + 1]);
    for (auto b = static_cast<std::int64_t>(blocked_row_ptr[panel]); b < last; ++b) {
      const HrpbBlock<const Scalar> block(layout, packed + size_ptr[b], size_ptr[b + 1] - size_ptr[b]);
      int before = 0;
      for (int column = 0; column < HrpbLayout::brick_columns; ++column)
        for (std::uint32_t j = block.colPtr[column]; j < block.colPtr[column + 1]; ++j) {
          const std::uint64_t pattern = block.patterns[j];
          if (static_cast<int>(block.rows[j]) == brick_row)
            for (int i = 0; i < 4; ++i)
              if ((pattern >> (first_bit + i) & 1u) != 0)
                visit(active_columns[b * 16 + column * 4 + i],
                      block.nnz_array[before + bits_below(pattern, first_bit + i)]);
          before += count_bits(pattern);
        }
    }
  }
};

template <class Scalar, class Ordinal, class Offset>
struct HrpbRowLength {
  HrpbRow<Scalar, Ordinal, Offset> rows;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    std::int64_t length = 0;
    rows.for_each(row, [&](Ordinal, const Scalar&) { ++length; });
    return length;
  }
};

template <class Scalar, class Ordinal, class Offset>
struct CrsRowFromHrpb {
  HrpbRow<Scalar, Ordinal, Offset> rows;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    auto k = static_cast<std::int64_t>(row_map[row]);
    rows.for_each(row, [&](Ordinal column, const Scalar& value) {
      entries[k] = column;
      values[k]  = value;
      ++k;
    });
  }
};

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename HrpbMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const HrpbMatrix<S, O, D, F>& hrpb) {
  using Crs = typename HrpbMatrix<S, O, D, F>::Crs;
  const HrpbRow<S, O, F> rows{hrpb.TM, hrpb.blockedRowPtr.data(), hrpb.activeCols.data(), hrpb.sizePtr.data(),
                              hrpb.packedBlocks.data()};
  const auto crs = new_crs<Crs>("to_crs", exec, hrpb.rows, hrpb.columns, HrpbRowLength<S, O, F>{rows});
  for_each_index(exec, "Lacuna::to_crs::hrpb", static_cast<std::int64_t>(hrpb.rows),
                 CrsRowFromHrpb<S, O, F>{rows, crs.row_map.data(), crs.entries.data(), crs.values.data()});
  return crs.matrix("Lacuna::to_crs");
}

}  // namespace lacuna::Impl

#endif
