// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_FORMATS_HPP
#define LACUNA_VALIDATE_FORMATS_HPP

#include <Lacuna_Convert.hpp>
#include <core/impl/inspection/Lacuna_Findings.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief The rules of each format beyond those of CSR. What follows them can be converted to CSR without harm, and the
/// rest is checked there.

namespace lacuna::Impl {

using Defects = std::vector<std::string>;

/// "3 entries after padding, first in row 7" for each kind that was found.
template <std::size_t Kinds, class Device, class ExecutionSpace>
void list_findings(const ExecutionSpace& exec, const FindingStore<Device>& store,
                   const std::array<const char*, Kinds>& names, Defects& defects) {
  const auto found = store.read(exec);
  for (std::size_t kind = 0; kind < Kinds; ++kind) {
    if (found.count(kind) == 0) continue;
    const std::int64_t row = found.first_row(kind);
    defects.push_back(std::to_string(found.count(kind)) + " " + names[kind] +
                      (row >= 0 ? ", first at " + std::to_string(row) : std::string()));
  }
}

template <class View>
bool has_extent(const char* name, const View& view, std::int64_t wanted, Defects& defects) {
  if (static_cast<std::int64_t>(view.extent(0)) == wanted) return true;
  defects.push_back(std::string(name) + " has " + std::to_string(view.extent(0)) + " elements, not " +
                    std::to_string(wanted));
  return false;
}

template <class Offset>
struct CheckMap {
  const Offset* map;
  std::int64_t last;
  std::int64_t end;
  std::int64_t multiple;
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto value = static_cast<std::int64_t>(map[i]);
    if (i < last && static_cast<std::int64_t>(map[i + 1]) < value) found.add(0, i);
    if (value % multiple != 0) found.add(1, i);
    if ((i == 0 && value != 0) || (i == last && value != end)) found.add(2, i);
  }
};

/// A map of `n` ranges from 0 to `end`: never decreasing, in multiples of `multiple`.
template <class ExecutionSpace, class View>
bool check_map(const ExecutionSpace& exec, const std::string& name, const View& map, std::int64_t n, std::int64_t end,
               std::int64_t multiple, Defects& defects) {
  const std::size_t before = defects.size();
  if (!has_extent(name.c_str(), map, n + 1, defects)) return false;
  const FindingStore<typename View::device_type> store("validate", exec, 3);
  for_each_index(exec, "Lacuna::validate::map", n + 1,
                 CheckMap<typename View::non_const_value_type>{map.data(), n, end, multiple, store.counters()});
  const std::string decreasing = "decreasing elements in " + name;
  const std::string crooked    = "elements that are no multiple in " + name;
  const std::string ends       = "wrong ends of " + name;
  list_findings<3>(exec, store, {decreasing.c_str(), crooked.c_str(), ends.c_str()}, defects);
  return defects.size() == before;
}

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const CooMatrix<S, O, D, F>& coo, Defects& defects) {
  const auto n = static_cast<std::int64_t>(coo.nonzeros());
  if (!has_extent("row_indices", coo.row_indices, n, defects) ||
      !has_extent("column_indices", coo.column_indices, n, defects))
    return;
  std::int64_t misplaced = 0;
  Kokkos::parallel_reduce("Lacuna::validate::coo_rows", index_range(exec, n),
                          CountMisplacedRows<O>{static_cast<std::int64_t>(coo.rows), coo.row_indices.data()},
                          misplaced);
  if (misplaced > 0) defects.push_back(std::to_string(misplaced) + " rows out of range or out of order");
}

/// Padding of a run of entries, the same rules for every format that pads: once it begins it does not end, it is no
/// longer than `most`, and its values are 0.
template <class Index, class Scalar>
struct PaddingRules {
  static constexpr std::array<const char*, 4> names{"entries after padding", "rows padded too far",
                                                    "values of padding that are not 0", "columns below -1"};

  const Index* columns;
  const Scalar* values;
  Index padding;
  FindingCounters found;

  /// The entries first, first + step, …, `count` of them, of row `row`.
  KOKKOS_FUNCTION void check(std::int64_t row, std::int64_t first, std::int64_t step, std::int64_t count,
                             std::int64_t most) const {
    std::int64_t padded = 0;
    for (std::int64_t place = 0; place < count; ++place) {
      const std::int64_t k = first + place * step;
      if (columns[k] == padding) {
        ++padded;
        if (values[k] != Scalar(0)) found.add(2, row);
      } else {
        if (padded > 0) found.add(0, row);
        if constexpr (std::is_signed_v<Index>)
          if (columns[k] < padding) found.add(3, row);
      }
    }
    if (padded > most) found.add(1, row);
  }
};

template <class Scalar, class Ordinal>
struct CheckEllRow {
  PaddingRules<Ordinal, Scalar> rules;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    rules.check(i, i, stride, width, width);
    if (i >= rows)
      for (std::int64_t place = 0; place < width; ++place)
        if (rules.columns[place * stride + i] != rules.padding) rules.found.add(0, i);
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const EllMatrix<S, O, D, F>& ell, Defects& defects) {
  if (ell.width < 0 || ell.stride < static_cast<std::int64_t>(ell.rows)) {
    defects.push_back("width " + std::to_string(ell.width) + " and stride " + std::to_string(ell.stride));
    return;
  }
  const auto elements = checked_product("validate", ell.width, ell.stride);
  if (!has_extent("column_indices", ell.column_indices, elements, defects) ||
      !has_extent("values", ell.values, elements, defects))
    return;
  const FindingStore<D> store("validate", exec, 4);
  // Rows without a place are not looked at: a stride may be any number then.
  for_each_index(exec, "Lacuna::validate::ell_rows", ell.width > 0 ? ell.stride : 0,
                 CheckEllRow<S, O>{{ell.column_indices.data(), ell.values.data(), ell.padding, store.counters()},
                                   static_cast<std::int64_t>(ell.rows),
                                   ell.width,
                                   ell.stride});
  list_findings(exec, store, PaddingRules<O, S>::names, defects);
}

/// Rows, or rows of blocks, one after the other: padding is shorter than the multiple.
template <class Scalar, class Index, class Offset>
struct CheckPaddedRow {
  PaddingRules<Index, Scalar> rules;
  const Offset* row_map;
  std::int64_t most;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto begin = static_cast<std::int64_t>(row_map[i]);
    rules.check(i, begin, 1, static_cast<std::int64_t>(row_map[i + 1]) - begin, most);
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const PaddedRowsMatrix<S, O, D, F>& padded, Defects& defects) {
  const auto rows = static_cast<std::int64_t>(padded.rows);
  const auto size = static_cast<std::int64_t>(padded.entries.extent(0));
  if (padded.multiple < 1) {
    defects.push_back("multiple " + std::to_string(padded.multiple));
    return;
  }
  if (!has_extent("values", padded.values, size, defects) ||
      !check_map(exec, "row_map", padded.row_map, rows, size, padded.multiple, defects))
    return;
  const FindingStore<D> store("validate", exec, 4);
  for_each_index(
      exec, "Lacuna::validate::padded_rows", rows,
      CheckPaddedRow<S, O, F>{{padded.entries.data(), padded.values.data(), padded.padding, store.counters()},
                              padded.row_map.data(),
                              padded.multiple - 1});
  list_findings(exec, store, PaddingRules<O, S>::names, defects);
}

/// Row i of the coordinate part is what the map says, and has something only where the ELLPACK part is full.
template <class Ordinal, class Offset>
struct CheckHybRow {
  EllRowLength<Ordinal> length;
  const Offset* coo_row_map;
  const Ordinal* row_indices;
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (coo_row_map[i] == coo_row_map[i + 1]) return;
    if (length(i) < length.width) found.add(0, i);
    for (Offset k = coo_row_map[i]; k < coo_row_map[i + 1]; ++k)
      if (row_indices[k] != i) found.add(1, i);
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const HybMatrix<S, O, D, F>& hyb, Defects& defects) {
  const auto check_part = [&](O rows, O columns) {
    if (rows != hyb.rows || columns != hyb.columns)
      defects.push_back("a part is " + shape_text(rows, columns) + ", the matrix " + shape_text(hyb.rows, hyb.columns));
  };
  check_part(hyb.ell.rows, hyb.ell.columns);
  check_part(hyb.coo.rows, hyb.coo.columns);
  if (!defects.empty()) return;
  const auto rows = static_cast<std::int64_t>(hyb.rows);
  check_structure(exec, hyb.ell, defects);
  check_structure(exec, hyb.coo, defects);
  check_map(exec, "coo_row_map", hyb.coo_row_map, rows, static_cast<std::int64_t>(hyb.coo.nonzeros()), 1, defects);
  if (!defects.empty()) return;
  const FindingStore<D> store("validate", exec, 2);
  for_each_index(exec, "Lacuna::validate::hyb_rows", rows,
                 CheckHybRow<O, F>{{hyb.ell.width, hyb.ell.stride, hyb.ell.column_indices.data()},
                                   hyb.coo_row_map.data(),
                                   hyb.coo.row_indices.data(),
                                   store.counters()});
  list_findings<2>(exec, store,
                   {"rows in coordinates whose ELLPACK part is not full", "nonzeros that coo_row_map puts elsewhere"},
                   defects);
}

template <class Ordinal>
struct CheckOffsets {
  std::int64_t rows;
  std::int64_t columns;
  const Ordinal* offsets;
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t d) const {
    const auto offset = static_cast<std::int64_t>(offsets[d]);
    if (offset <= -rows || offset >= columns || (d > 0 && offset <= static_cast<std::int64_t>(offsets[d - 1])))
      found.add(0, d);
  }
};

template <class Scalar, class Ordinal>
struct CheckDiagonalElements {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;
  const Ordinal* offsets;
  const Scalar* values;
  const std::uint32_t* occupied;
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t element) const {
    const std::int64_t row    = element % stride;
    const std::int64_t column = row + static_cast<std::int64_t>(offsets[element / stride]);
    if (!is_occupied(occupied, element)) {
      if (values[element] != Scalar(0)) found.add(0, row);
    } else if (row >= rows || column < 0 || column >= columns) {
      found.add(1, row);
    }
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const DiaMatrix<S, O, D, F>& dia, Defects& defects) {
  const auto rows    = static_cast<std::int64_t>(dia.rows);
  const auto columns = static_cast<std::int64_t>(dia.columns);
  if (dia.stride < rows || dia.stride % 32 != 0) {
    defects.push_back("stride " + std::to_string(dia.stride));
    return;
  }
  const auto elements = checked_product("validate", dia.diagonals(), dia.stride);
  if (!has_extent("values", dia.values, elements, defects) ||
      !has_extent("occupied", dia.occupied, elements / 32, defects))
    return;
  const FindingStore<D> offsets("validate", exec, 1);
  for_each_index(exec, "Lacuna::validate::offsets", dia.diagonals(),
                 CheckOffsets<O>{rows, columns, dia.offsets.data(), offsets.counters()});
  list_findings<1>(exec, offsets, {"offsets out of range or out of order"}, defects);
  if (!defects.empty()) return;
  const FindingStore<D> store("validate", exec, 2);
  for_each_index(exec, "Lacuna::validate::diagonals", elements,
                 CheckDiagonalElements<S, O>{rows, columns, dia.stride, dia.offsets.data(), dia.values.data(),
                                             dia.occupied.data(), store.counters()});
  list_findings<2>(exec, store, {"values that are not 0 where nothing is", "nonzeros outside of the matrix"}, defects);
}

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
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    std::int64_t covered = 0;
    for (Offset block = group_map[group]; block < group_map[group + 1]; ++block) {
      const auto start = static_cast<std::int64_t>(start_columns[block]);
      if (start % 16 != 0 || start < covered || start >= columns) found.add(0, group);
      covered = start + block_columns;
      for (int r = 0; r < block_rows; ++r) {
        const std::int64_t place = static_cast<std::int64_t>(block) * block_rows + r;
        if (group * block_rows + r >= rows && row_map[place] != row_map[place + 1]) found.add(1, group);
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
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto slot = static_cast<std::int64_t>(slots[k]);
    if (slot < 0 || slot >= size || entries[slot] >= block_columns) found.add(0, k);
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
  const auto size   = static_cast<std::int64_t>(blocks.entries.extent(0));
  const auto places = blocks.blocks() * blocks.block_rows;
  if (!has_extent("values", blocks.values, size, defects) ||
      !has_extent("slots", blocks.slots, static_cast<std::int64_t>(blocks.nonzeros()), defects) ||
      !check_map(exec, "group_map", blocks.group_map, blocks.groups(), blocks.blocks(), 1, defects) ||
      !check_map(exec, "row_map", blocks.row_map, places, size, blocks.multiple, defects))
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
  for_each_index(exec, "Lacuna::validate::block_rows", places,
                 CheckPaddedRow<S, std::uint16_t, F>{
                     {blocks.entries.data(), blocks.values.data(), blocks.padding, padding.counters()},
                     blocks.row_map.data(),
                     blocks.multiple - 1});
  list_findings(exec, padding, PaddingRules<std::uint16_t, S>::names, defects);
}

/// Counts the entries of a slot that exist. Values of the others do not matter.
template <class Sell>
struct CheckSellSlot {
  Sell sell;
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(const std::int64_t i, std::int64_t& existing) const {
    using Ordinal            = typename Sell::Ordinal;
    const int rows_per_slice = Sell::slots_per_slice / sell.parts;
    const std::int64_t slice = i / Sell::slots_per_slice;
    const std::int64_t slot  = i % Sell::slots_per_slice;
    const std::int64_t row   = slice * rows_per_slice + slot % rows_per_slice;
    std::int64_t count       = 0;
    std::int64_t column      = sell.has_deltas ? static_cast<std::int64_t>(sell.first_column(i)) : 0;
    for (std::int64_t chunk = sell.slice_begin(slice); chunk < sell.slice_begin(slice + 1); ++chunk)
      for (int e = 0; e < sell.chunk; ++e) {
        const std::int64_t at = (chunk * Sell::slots_per_slice + slot) * sell.chunk + e;
        if (sell.has_deltas) {
          column += sell.deltas(at);
          if (sell.deltas(at) == Sell::void_delta) continue;
          // A sum that wraps in the index type would be taken for another column.
          if (column < 0 || column >= static_cast<std::int64_t>(sell.columns)) found.add(0, row);
        } else {
          const Ordinal absolute = sell.column_indices(at);
          if (absolute == Sell::void_column) continue;
          if (absolute < 0 || absolute >= sell.columns) found.add(0, row);
        }
        ++count;
      }
    if (count > 0 && row >= static_cast<std::int64_t>(sell.rows)) found.add(1, row);
    existing += count;
  }
};

template <class Begin>
struct CountOtherSlices {
  Begin begin;
  int width;
  KOKKOS_FUNCTION void operator()(const std::int64_t slice, std::int64_t& count) const {
    if (begin(slice) != slice * width || begin(slice + 1) != (slice + 1) * width) ++count;
  }
};

/// Whether every slice has `width` chunks or diagonals.
template <class ExecutionSpace, class Begin>
bool has_uniform_slices(const ExecutionSpace& exec, const Begin& begin, std::int64_t slices, int width) {
  std::int64_t others = 0;
  Kokkos::parallel_reduce("Lacuna::validate::slices", index_range(exec, slices), CountOtherSlices<Begin>{begin, width},
                          others);
  exec.fence("Lacuna::validate: slices to the host");
  return others == 0;
}

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const SellMatrix<S, O, D, F>& sell, Defects& defects) {
  using Sell = SellMatrix<S, O, D, F>;
  if (sell.parts != 1 && sell.parts != 2 && sell.parts != 4 && sell.parts != 8 && sell.parts != 16) {
    defects.push_back(std::to_string(sell.parts) + " parts");
    return;
  }
  if (sell.chunk != 2 && sell.chunk != 4) {
    defects.push_back("chunks of " + std::to_string(sell.chunk));
    return;
  }
  const int in_a_chunk     = Sell::slots_per_slice * sell.chunk;
  const std::int64_t slots = sell.slices() * Sell::slots_per_slice;
  const auto size          = static_cast<std::int64_t>(sell.values.extent(0));
  const auto with_deltas   = [&](std::int64_t extent) { return sell.has_deltas ? extent : 0; };
  if (!has_extent("values", sell.values, size / in_a_chunk * in_a_chunk, defects) ||
      !has_extent("deltas", sell.deltas, with_deltas(size), defects) ||
      !has_extent("first_column", sell.first_column, with_deltas(slots), defects) ||
      !has_extent("column_indices", sell.column_indices, size - with_deltas(size), defects) ||
      !check_map(exec, "slice_begin", sell.slice_begin, sell.slices(), size / in_a_chunk, 1, defects))
    return;
  if (sell.uniform_chunks > 0 && !has_uniform_slices(exec, sell.slice_begin, sell.slices(), sell.uniform_chunks))
    defects.push_back("slices that do not all have the " + std::to_string(sell.uniform_chunks) + " chunks they should");
  const FindingStore<D> store("validate", exec, 2);
  std::int64_t existing = 0;
  if (slots > 0)
    Kokkos::parallel_reduce("Lacuna::validate::sell_slots", index_range(exec, slots),
                            CheckSellSlot<Sell>{sell, store.counters()}, existing);
  list_findings<2>(exec, store, {"columns out of range", "slots below the last row that hold entries"}, defects);
  if (existing != static_cast<std::int64_t>(sell.nonzeros()))
    defects.push_back(std::to_string(existing) + " entries exist, not " + std::to_string(sell.nonzeros()));
}

/// One row of a slice of diagonals, and by its first row what the slice as a whole must keep to.
template <class Format>
struct CheckSlicedDiaRow {
  static constexpr std::array<const char*, 5> names{"offsets out of order", "diagonals behind one without entries",
                                                    "columns out of range", "entries below the last row",
                                                    "values that are not 0 where nothing is"};

  Format dia;
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(const std::int64_t row, std::int64_t& existing) const {
    using Scalar             = typename Format::Scalar;
    using Ordinal            = typename Format::Ordinal;
    const std::int64_t slice = row / Format::rows_per_slice;
    const int r              = static_cast<int>(row % Format::rows_per_slice);
    const auto base          = static_cast<std::int64_t>(sliced_dia_base<Ordinal>(row, dia.group));
    const std::int64_t begin = dia.slice_begin(slice);
    for (std::int64_t d = begin; d < dia.slice_begin(slice + 1); ++d) {
      if (r == 0 && d > begin && dia.diagonals(d).mask != 0) {
        if (dia.diagonals(d - 1).mask == 0)
          found.add(1, row);
        else if (dia.diagonals(d).offset <= dia.diagonals(d - 1).offset)
          found.add(0, row);
      }
      const bool exists = (dia.diagonals(d).mask >> r & 1u) != 0;
      if (!exists) {
        if (dia.values(d * Format::rows_per_slice + r) != Scalar(0)) found.add(4, row);
        continue;
      }
      ++existing;
      const std::int64_t column = base + static_cast<std::int64_t>(dia.diagonals(d).offset);
      if (row >= static_cast<std::int64_t>(dia.rows))
        found.add(3, row);
      else if (column < 0 || column >= static_cast<std::int64_t>(dia.columns))
        found.add(2, row);
    }
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const SlicedDiaMatrix<S, O, D, F>& dia, Defects& defects) {
  using Format = SlicedDiaMatrix<S, O, D, F>;
  if (dia.group < 1) {
    defects.push_back("group " + std::to_string(dia.group));
    return;
  }
  const std::int64_t slots = dia.slices() * Format::rows_per_slice;
  if (!has_extent("values", dia.values, checked_product("validate", dia.diagonal_count(), Format::rows_per_slice),
                  defects) ||
      !check_map(exec, "slice_begin", dia.slice_begin, dia.slices(), dia.diagonal_count(), 1, defects))
    return;
  if (dia.uniform_diagonals > 0 && !has_uniform_slices(exec, dia.slice_begin, dia.slices(), dia.uniform_diagonals))
    defects.push_back("slices that do not all have the " + std::to_string(dia.uniform_diagonals) +
                      " diagonals they should");
  const FindingStore<D> store("validate", exec, CheckSlicedDiaRow<Format>::names.size());
  std::int64_t existing = 0;
  if (slots > 0)
    Kokkos::parallel_reduce("Lacuna::validate::sliced_dia", index_range(exec, slots),
                            CheckSlicedDiaRow<Format>{dia, store.counters()}, existing);
  list_findings(exec, store, CheckSlicedDiaRow<Format>::names, defects);
  if (existing != static_cast<std::int64_t>(dia.nonzeros()))
    defects.push_back(std::to_string(existing) + " entries exist, not " + std::to_string(dia.nonzeros()));
}

}  // namespace lacuna::Impl

#endif
