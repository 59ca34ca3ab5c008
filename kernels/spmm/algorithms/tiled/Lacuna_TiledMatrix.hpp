// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TILEDMATRIX_HPP
#define LACUNA_TILEDMATRIX_HPP

#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <formats/impl/gcoo/Lacuna_Convert_Gcoo.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_TileShape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief A matrix cut into tiles of rows and columns, each with its nonzeros by rows: what a team takes through
/// scratch beside the rows of B that the columns of the tile name.

namespace lacuna::Impl {

/// Bytes of a nonzero of a tile: a power of two below 16, else a multiple of that, by which tiles are copied.
constexpr std::int64_t tiled_entry_bytes(std::size_t scalar_bytes) {
  return scalar_bytes <= 2 ? 4 : scalar_bytes <= 4 ? 8 : round_up(static_cast<std::int64_t>(scalar_bytes) + 4, 16);
}

/// A nonzero of a tile. `column` is its column within the tile.
template <class Scalar>
struct alignas(std::min<std::int64_t>(16, tiled_entry_bytes(sizeof(Scalar)))) TiledEntry {
  using Column = std::conditional_t<sizeof(Scalar) <= 2, std::uint16_t, std::uint32_t>;
  /// Entries in 16 bytes.
  static constexpr std::int64_t together = std::max<std::int64_t>(1, 16 / tiled_entry_bytes(sizeof(Scalar)));

  Scalar value;
  Column column;
};

/// What a number of a record can say.
inline constexpr std::int64_t most_entries_of_a_tile = std::numeric_limits<std::uint16_t>::max();

/// Tile (i, j), the tiles of a block of rows one after the other, is tile t = i * tiles_per_row + j. Its nonzeros are
/// `entries` from begins[t] on; copies go from first(t) to end(t), which are multiples of 16 bytes, so that they take
/// some of a neighbour's along, or behind the last tile what nobody reads. Group g of its rows has
/// the record from records[t * shape.numbers() + g * shape.record] on: number r says where the group's row r begins,
/// and where the one before it ends, counted from first(t).
template <class Scalar>
struct TiledArrays {
  using Entry = TiledEntry<Scalar>;

  TileShape shape;
  std::int64_t rows            = 0;
  std::int64_t columns         = 0;
  std::int64_t tiles_per_row   = 0;
  const std::int32_t* begins   = nullptr;
  const std::uint16_t* records = nullptr;
  const Entry* entries         = nullptr;

  KOKKOS_FUNCTION std::int64_t first(std::int64_t tile) const {
    return begins[tile] / Entry::together * Entry::together;
  }
  KOKKOS_FUNCTION std::int64_t end(std::int64_t tile) const { return round_up(begins[tile + 1], Entry::together); }
};

/// Nonzeros of a row of a tile. Rows are sorted.
template <class Ordinal, class Offset>
struct TiledLength {
  const Offset* row_map;
  const Ordinal* entries;
  std::int64_t rows;
  TileShape shape;
  std::int64_t tiles_per_row;

  /// The first nonzero of `row` in tile column `j` or behind it.
  KOKKOS_FUNCTION std::int64_t cut(std::int64_t row, std::int64_t j) const {
    const auto begin = static_cast<std::int64_t>(row_map[row]), end = static_cast<std::int64_t>(row_map[row + 1]);
    if (j == 0) return begin;
    if (j >= tiles_per_row) return end;
    return lower_bound(entries, begin, end, j * shape.columns);
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const {
    const std::int64_t tile = s / shape.rows;
    const std::int64_t row = tile / tiles_per_row * shape.rows + s % shape.rows, j = tile % tiles_per_row;
    return row < rows ? cut(row, j + 1) - cut(row, j) : 0;
  }
};

/// Takes where tiles begin from where their rows do.
struct BeginTiles {
  const std::int32_t* row_begins;
  std::int32_t* begins;
  std::int64_t rows;  ///< of a tile
  KOKKOS_FUNCTION void operator()(std::int64_t tile) const { begins[tile] = row_begins[tile * rows]; }
};

/// The most entries that are copied for a tile.
template <class Scalar>
struct LargestTile {
  TiledArrays<Scalar> tiles;
  KOKKOS_FUNCTION void operator()(std::int64_t tile, std::int64_t& most) const {
    const std::int64_t entries = tiles.end(tile) - tiles.first(tile);
    if (entries > most) most = entries;
  }
};

/// Writes number `i` of all records. A group with fewer rows than the record has numbers ends in empty rows.
template <class Scalar>
struct WriteRecords {
  TiledArrays<Scalar> tiles;
  const std::int32_t* row_begins;
  std::uint16_t* records;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const TileShape& shape  = tiles.shape;
    const std::int64_t tile = i / shape.numbers(), number = i % shape.record;
    const std::int64_t own   = shape.rows_of_group();
    const std::int64_t group = i % shape.numbers() / shape.record;
    std::int64_t row         = group * own + (number < own ? number : own);
    if (row > shape.rows) row = shape.rows;
    records[i] = static_cast<std::uint16_t>(row_begins[tile * shape.rows + row] - tiles.first(tile));
  }
};

/// Writes a nonzero to its tile, or with `with_columns` false its value alone. `source` tells where sorted nonzeros
/// come from; nullptr where they stand so.
template <class Scalar, class Ordinal, class Offset>
struct FillTiles {
  TiledLength<Ordinal, Offset> length;
  TiledArrays<Scalar> tiles;
  TiledEntry<Scalar>* entries;
  const Scalar* values;
  const Offset* source;
  bool with_columns;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    const TileShape& shape    = tiles.shape;
    const auto column         = static_cast<std::int64_t>(length.entries[k]);
    const auto whole_row      = static_cast<std::int64_t>(row);
    const std::int64_t j      = column / shape.columns;
    const std::int64_t tile   = whole_row / shape.rows * length.tiles_per_row + j;
    const std::int64_t of_row = whole_row % shape.rows, own = shape.rows_of_group();
    const std::int64_t record = tile * shape.numbers() + of_row / own * shape.record + of_row % own;
    auto& entry =
        entries[tiles.first(tile) + tiles.records[record] + static_cast<std::int64_t>(k) - length.cut(whole_row, j)];
    entry.value = values[source != nullptr ? source[k] : k];
    if (with_columns) entry.column = static_cast<typename TiledEntry<Scalar>::Column>(column - j * shape.columns);
  }
};

/// The tiles of a matrix in the memory of a device.
template <CrsMatrixType Matrix, class MemorySpace>
class TiledMatrix {
 public:
  using Scalar  = typename Matrix::non_const_value_type;
  using Ordinal = typename Matrix::non_const_ordinal_type;
  using Offset  = typename Matrix::non_const_size_type;
  using Entry   = TiledEntry<Scalar>;
  using Order   = Reorder<SharedCrs<Matrix>>;

  TiledArrays<Scalar> arrays() const {
    return {m_shape, m_rows, m_columns, m_tiles_per_row, m_begins.data(), m_records.data(), m_entries.data()};
  }
  const TileShape& shape() const { return m_shape; }
  std::int64_t tiles() const { return m_tiles; }
  std::int64_t largest_tile() const { return m_largest; }  ///< in entries, as they are copied
  std::size_t bytes() const { return bytes_of(m_begins, m_records, m_entries, m_source, m_sorted_entries); }

  /// Cuts `A`. `fits(shape, entries)` says whether a team can process a tile of `entries` entries; otherwise tiles get
  /// fewer columns, down to `least_columns`. Waits for `exec` a few times. \throws OutOfMemory, NotSupported.
  template <class ExecutionSpace, class Fits>
  void make(const ExecutionSpace& exec, const SharedCrs<Matrix>& A, TileShape shape, std::int64_t least_columns,
            MemoryBudget& budget, const Fits& fits) {
    const auto crs = arrays_of(A);
    m_rows         = static_cast<std::int64_t>(crs.rows);
    m_columns      = static_cast<std::int64_t>(crs.columns);
    sort_where_needed(exec, A, budget);
    for (;; shape.columns = std::max(least_columns, shape.columns / 2)) {
      const RowBegins row_begins = cut(exec, crs, shape, budget);
      if (m_largest <= most_entries_of_a_tile && fits(shape, m_largest)) {
        allocate_rest(exec, budget, row_begins);
        break;
      }
      budget.give_back(bytes_of(m_begins));
      m_begins = {};
      if (shape.columns <= least_columns)
        raise<NotSupported>("SpmmPlan", "tiled: ", m_largest, " nonzeros in ", shape.columns, " columns of ",
                            shape.rows, " rows do not fit the scratch of a team");
    }
    fill(exec, crs, true);
  }

  /// Takes the values of `A`, which has the same pattern.
  template <class ExecutionSpace>
  void update_values(const ExecutionSpace& exec, const SharedCrs<Matrix>& A) {
    fill(exec, arrays_of(A), false);
  }

 private:
  using Arrays    = CrsArraysOf<Matrix>;
  using RowBegins = Kokkos::View<std::int32_t*, MemorySpace>;  ///< of the rows of all tiles: known while these are made

  template <class ExecutionSpace>
  void sort_where_needed(const ExecutionSpace& exec, const SharedCrs<Matrix>& A, MemoryBudget& budget) {
    const auto crs = arrays_of(A);
    if (rows_are_sorted("Lacuna::spmm::order_of_tiles", exec, crs)) return;
    budget.check("sorting rows", Order::template order_bytes<ExecutionSpace>(crs));
    m_source         = Order::order_of_sorted_rows("SpmmPlan", exec, A);
    m_sorted_entries = Order::template gathered<typename Order::Indices>("SpmmPlan", exec, crs.entries, m_source);
    budget.take("sorted rows", bytes_of(m_source, m_sorted_entries));
  }

  TiledLength<Ordinal, Offset> lengths(const Arrays& crs) const {
    return {crs.row_map, m_sorted_entries.extent(0) > 0 ? m_sorted_entries.data() : crs.entries, m_rows, m_shape,
            m_tiles_per_row};
  }

  /// Counts: where the rows of tiles begin, and the tiles.
  template <class ExecutionSpace>
  RowBegins cut(const ExecutionSpace& exec, const Arrays& crs, const TileShape& shape, MemoryBudget& budget) {
    m_shape              = shape;
    m_tiles_per_row      = std::max<std::int64_t>(1, ceiling_quotient(m_columns, shape.columns));
    m_tiles              = ceiling_quotient(m_rows, shape.rows) * m_tiles_per_row;
    const std::int64_t n = checked_product("SpmmPlan", m_tiles, shape.rows);
    budget.take("where tiles begin", static_cast<std::size_t>(m_tiles + 1) * sizeof(std::int32_t));
    budget.check("counting the rows of tiles", static_cast<std::size_t>(n + 1) * sizeof(std::int32_t));
    m_begins              = allocate<RowBegins>("SpmmPlan", exec, "Lacuna::spmm::tiles_begin", m_tiles + 1);
    const auto row_begins = allocate<RowBegins>("SpmmPlan", exec, "Lacuna::spmm::tile_rows", n + 1);
    m_nonzeros            = scan_lengths(exec, "Lacuna::spmm::tile_rows", n, row_begins.data(), lengths(crs));
    for_each_index(exec, "Lacuna::spmm::tiles_begin", m_tiles + 1,
                   BeginTiles{row_begins.data(), m_begins.data(), shape.rows});
    m_largest = 0;
    Kokkos::parallel_reduce("Lacuna::spmm::largest_tile", index_range(exec, m_tiles), LargestTile<Scalar>{arrays()},
                            Kokkos::Max<std::int64_t>(m_largest));
    m_largest = std::max<std::int64_t>(0, m_largest);
    return row_begins;
  }

  template <class ExecutionSpace>
  void allocate_rest(const ExecutionSpace& exec, MemoryBudget& budget, const RowBegins& row_begins) {
    const std::int64_t numbers = checked_product("SpmmPlan", m_tiles, m_shape.numbers());
    const std::int64_t entries = round_up(m_nonzeros, Entry::together);
    budget.take("tiles", static_cast<std::size_t>(entries) * sizeof(Entry) +
                             static_cast<std::size_t>(numbers) * sizeof(std::uint16_t));
    m_records = allocate<decltype(m_records)>("SpmmPlan", exec, "Lacuna::spmm::tile_records", numbers);
    m_entries = allocate<decltype(m_entries)>("SpmmPlan", exec, "Lacuna::spmm::tiles", entries);
    for_each_index(exec, "Lacuna::spmm::tile_records", numbers,
                   WriteRecords<Scalar>{arrays(), row_begins.data(), m_records.data()});
  }

  template <class ExecutionSpace>
  void fill(const ExecutionSpace& exec, const Arrays& crs, bool with_columns) {
    for_each_nonzero(
        exec, "Lacuna::spmm::fill_tiles", crs.rows, crs.nonzeros, crs.row_map,
        FillTiles<Scalar, Ordinal, Offset>{lengths(crs), arrays(), m_entries.data(), crs.values,
                                           m_source.extent(0) > 0 ? m_source.data() : nullptr, with_columns});
  }

  TileShape m_shape;
  std::int64_t m_rows = 0, m_columns = 0, m_tiles_per_row = 0, m_tiles = 0, m_largest = 0, m_nonzeros = 0;
  RowBegins m_begins;
  Kokkos::View<std::uint16_t*, MemorySpace> m_records;
  Kokkos::View<Entry*, MemorySpace> m_entries;
  typename Order::Source m_source;  ///< where rows were not sorted
  typename Order::Indices m_sorted_entries;
};

}  // namespace lacuna::Impl

#endif
