// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_BRICKS_HPP
#define LACUNA_CONVERT_BRICKS_HPP

#include <Lacuna_BrickMatrix.hpp>
#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/bricks/Lacuna_FillBricks.hpp>
#include <formats/impl/clustering/Lacuna_RowList.hpp>
#include <formats/impl/panels/Lacuna_PanelColumns.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief CSR to `BrickMatrix` and back. The rows of panels are merged twice: once to count their columns, see
/// Lacuna_PanelColumns.hpp, and once to write bricks.

namespace lacuna::Impl {

/// Where element (position in the panels, number of the active column) of a `BrickMatrix` stands.
template <class Offset>
struct BrickSlot {
  std::int64_t step;
  std::int64_t pattern;  ///< index of the pattern
  std::int64_t of_step;  ///< index of the first pattern of the step
  int bit;

  KOKKOS_FORCEINLINE_FUNCTION static BrickSlot of(const Offset* panel_begin, int panel_rows, std::int64_t position,
                                                  std::int64_t number) {
    const std::int64_t panel = position / panel_rows;
    const int row            = static_cast<int>(position % panel_rows);
    BrickSlot slot;
    slot.step    = static_cast<std::int64_t>(panel_begin[panel]) + number / 8;
    slot.of_step = slot.step * (panel_rows / 8) * 2;
    slot.pattern = slot.of_step + row / 8 * 2 + number % 8 / 4;
    slot.bit     = row % 8 * 4 + static_cast<int>(number % 4);
    return slot;
  }

  /// Values of the step before this one.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t before(const std::uint32_t* patterns) const {
    std::int64_t count = 0;
    for (std::int64_t other = of_step; other < pattern; ++other) count += count_bits(patterns[other]);
    return count + count_bits(patterns[pattern] & ((std::uint32_t{1} << bit) - 1));
  }
};

inline void check_options(const BrickOptions& options) {
  if (options.panel_rows != 8 && options.panel_rows != 16)
    raise<InvalidArgument>("to_bricks", "panel_rows is ", options.panel_rows, ", it can be 8 or 16");
}

/// \brief What `to_bricks` does, with what is known of the columns. `row_list` of extent 0: consecutive rows. `columns`
/// may be what was counted of this very pattern in panels of the height asked for and of this very list, which is not
/// counted again; such a list is taken as it is, it must hold every row once. Else `columns` takes what is counted
/// here. `memory_limit` bounds both.
template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<BrickMatrix, Matrix> bricks_from_crs(const ExecutionSpace& exec, const Matrix& A,
                                              const RowListOf<Matrix>& row_list, const BrickOptions& options,
                                              PanelColumnsOf<Matrix>& columns) {
  using Format            = FormatOf<BrickMatrix, Matrix>;
  using Scalar            = typename Format::Scalar;
  using Ordinal           = typename Format::Ordinal;
  using Offset            = typename Format::Offset;
  constexpr auto function = "to_bricks";
  check_options(options);
  const auto crs      = arrays_of(A);
  const auto nonzeros = static_cast<std::int64_t>(crs.nonzeros);
  Format bricks;
  bricks.rows            = crs.rows;
  bricks.columns         = crs.columns;
  bricks.stored_nonzeros = crs.nonzeros;
  bricks.panel_rows      = options.panel_rows;
  std::size_t bytes      = static_cast<std::size_t>(nonzeros) * (sizeof(Scalar) + sizeof(Offset)) +
                      Format::value_padding * sizeof(Scalar) + row_list.extent(0) * sizeof(Ordinal);
  using List                 = RowList<typename Format::Device, Ordinal>;
  const auto count           = static_cast<std::int64_t>(crs.rows);
  const Ordinal* const given = row_list.extent(0) > 0 ? row_list.data() : nullptr;
  const bool is_counted      = columns.height == options.panel_rows && columns.row_list == given;
  const std::size_t limit    = options.memory_limit;
  const List list            = is_counted && given != nullptr
                                   ? List(count, options.panel_rows, row_list)
                                   : List(function, exec, count, options.panel_rows, row_list, bytes, limit);
  bricks.row_list            = list.row_list;
  const auto rows            = list.panel_rows();
  bytes += static_cast<std::size_t>(rows.panels + 1) * sizeof(Offset);
  if (!is_counted) {
    const std::size_t kept = bytes_of(list.row_list) + list.temporary_bytes();
    columns                = {};
    columns = options.panel_rows == 8 ? count_panel_columns<8>(function, exec, A, rows, kept, options.memory_limit)
                                      : count_panel_columns<16>(function, exec, A, rows, kept, options.memory_limit);
  }
  const auto steps            = columns.totals.steps;
  const auto patterns_of_step = 2 * bricks.brick_rows();
  // What has the same type is one allocation.
  constexpr std::int64_t aligned = 256 / sizeof(Offset);
  const std::int64_t begin_at[]  = {0, round_up(rows.panels + 1, aligned),
                                    round_up(rows.panels + 1, aligned) + round_up(steps + 1, aligned)};
  bytes += static_cast<std::size_t>(steps) * (Format::step_width * sizeof(Ordinal) +
                                              sizeof(std::uint32_t) * static_cast<std::size_t>(patterns_of_step)) +
           static_cast<std::size_t>(begin_at[2] - rows.panels - 1) * sizeof(Offset);
  check_memory(function, bytes + list.temporary_bytes() + columns.bytes(), options.memory_limit);
  const auto offsets =
      allocate<decltype(bricks.source)>(function, exec, "Lacuna::to_bricks::offsets", begin_at[2] + nonzeros);
  const auto part = [&](int i, std::int64_t count) {
    return Kokkos::subview(offsets, Kokkos::pair<std::int64_t, std::int64_t>(begin_at[i], begin_at[i] + count));
  };
  bricks.panel_begin  = part(0, rows.panels + 1);
  bricks.value_begin  = part(1, steps + 1);
  bricks.source       = part(2, nonzeros);
  bricks.step_columns = allocate<decltype(bricks.step_columns)>(function, exec, "Lacuna::to_bricks::step_columns",
                                                                steps * Format::step_width);
  // Kernels copy patterns by 16 bytes. Of the last ones they ask for the first 8 alone, but memory checkers take that
  // for a read of 16.
  bricks.patterns =
      Kokkos::subview(allocate<decltype(bricks.patterns)>(function, exec, "Lacuna::to_bricks::patterns",
                                                          round_up(steps * patterns_of_step, std::int64_t{4})),
                      Kokkos::pair<std::int64_t, std::int64_t>(0, steps * patterns_of_step));
  bricks.values =
      allocate<decltype(bricks.values)>(function, exec, "Lacuna::to_bricks::values", nonzeros + Format::value_padding);
  if (steps == 0) {
    Kokkos::deep_copy(exec, offsets, Offset(0));
    Kokkos::deep_copy(exec, bricks.values, Scalar(0));
    return bricks;
  }
  const bool sorts = columns.sorted_entries.extent(0) > 0;
  const PanelSegments<Ordinal, Offset> segments{rows, crs.row_map, sorts ? columns.sorted_entries.data() : crs.entries,
                                                columns.segment_begin};
  const auto fill = [&]<int Height>(std::integral_constant<int, Height>) {
    merge_segments<Height>("Lacuna::to_bricks::fill", exec, segments, columns.totals.segments, nullptr,
                           FillBricks<Scalar, Ordinal, Offset, Height>{{},
                                                                       rows,
                                                                       crs.row_map,
                                                                       columns.columns_of_segment,
                                                                       columns.panel_begin,
                                                                       columns.value_begin,
                                                                       sorts ? columns.sorted_source.data() : nullptr,
                                                                       crs.values,
                                                                       nonzeros,
                                                                       Format::value_padding,
                                                                       bricks.panel_begin.data(),
                                                                       bricks.step_columns.data(),
                                                                       bricks.patterns.data(),
                                                                       bricks.value_begin.data(),
                                                                       bricks.values.data(),
                                                                       bricks.source.data()});
  };
  if (options.panel_rows == 8)
    fill(std::integral_constant<int, 8>{});
  else
    fill(std::integral_constant<int, 16>{});
  return bricks;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<BrickMatrix, Matrix> bricks_from_crs(const ExecutionSpace& exec, const Matrix& A,
                                              const RowListOf<Matrix>& row_list, const BrickOptions& options) {
  PanelColumnsOf<Matrix> columns;
  return bricks_from_crs(exec, A, row_list, options, columns);
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const BrickMatrix<S, O, D, F>& bricks) {
  for_each_index(exec, "Lacuna::update_values::bricks", static_cast<std::int64_t>(bricks.nonzeros()),
                 Gather<S, F>{A.values.data(), bricks.source.data(), bricks.values.data()});
}

/// Walks the nonzeros of a row in the order of its columns: visit(column, index of the value).
template <class Ordinal, class Offset>
struct BrickRow {
  PanelRows<Ordinal> rows;
  const Offset* panel_begin;
  const Ordinal* step_columns;
  const std::uint32_t* patterns;
  const Offset* value_begin;

  template <class Visitor>
  KOKKOS_FUNCTION void for_each(std::int64_t row, const Visitor& visit) const {
    const std::int64_t position = rows.position(row);
    const std::int64_t panel    = position / rows.height;
    const auto last             = static_cast<std::int64_t>(panel_begin[panel + 1]);
    for (auto step = static_cast<std::int64_t>(panel_begin[panel]); step < last; ++step)
      for (std::int64_t i = 0; i < 8; ++i) {
        const auto number = (step - static_cast<std::int64_t>(panel_begin[panel])) * 8 + i;
        const auto slot   = BrickSlot<Offset>::of(panel_begin, rows.height, position, number);
        if ((patterns[slot.pattern] >> slot.bit & 1u) == 0) continue;
        visit(step_columns[step * 8 + i], static_cast<std::int64_t>(value_begin[step]) + slot.before(patterns));
      }
  }
};

template <class Ordinal, class Offset>
struct BrickRowLength {
  BrickRow<Ordinal, Offset> rows;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    std::int64_t length = 0;
    rows.for_each(row, [&](Ordinal, std::int64_t) { ++length; });
    return length;
  }
};

template <class Scalar, class Ordinal, class Offset>
struct CrsRowFromBricks {
  BrickRow<Ordinal, Offset> rows;
  const Scalar* from;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    auto k = static_cast<std::int64_t>(row_map[row]);
    rows.for_each(row, [&](Ordinal column, std::int64_t value) {
      entries[k] = column;
      values[k]  = from[value];
      ++k;
    });
  }
};

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename BrickMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const BrickMatrix<S, O, D, F>& bricks) {
  using Crs = typename BrickMatrix<S, O, D, F>::Crs;
  const RowList<D, O> list("to_crs", exec, static_cast<std::int64_t>(bricks.rows), bricks.panel_rows, bricks.row_list,
                           0, unlimited);
  const BrickRow<O, F> rows{list.panel_rows(), bricks.panel_begin.data(), bricks.step_columns.data(),
                            bricks.patterns.data(), bricks.value_begin.data()};
  const auto crs = new_crs<Crs>("to_crs", exec, bricks.rows, bricks.columns, BrickRowLength<O, F>{rows});
  for_each_index(
      exec, "Lacuna::to_crs::bricks", static_cast<std::int64_t>(bricks.rows),
      CrsRowFromBricks<S, O, F>{rows, bricks.values.data(), crs.row_map.data(), crs.entries.data(), crs.values.data()});
  return crs.matrix("Lacuna::to_crs");
}

}  // namespace lacuna::Impl

#endif
