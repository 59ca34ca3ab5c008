// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TILEDMATRIX_HPP
#define LACUNA_TILEDMATRIX_HPP

#include <core/impl/Lacuna_MemoryBudget.hpp>
#include <formats/impl/Lacuna_Convert_Gcoo.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief A matrix cut into tiles of rows and columns, each with its nonzeros by rows: what a team takes through
/// scratch beside the rows of B that the columns of the tile name.

namespace lacuna::Impl {

/// One load of nonzeros: as many as 16 bytes hold, at least one. Places are columns within the tile.
template <class Scalar>
struct alignas(16) TiledEntries {
  static constexpr int count = sizeof(Scalar) <= 4 ? 2 : 1;
  Scalar value[count];
  std::uint32_t place[count];
};

/// How a matrix is cut.
struct TileShape {
  std::int64_t rows    = 1;  ///< of a tile
  std::int64_t columns = 1;

  /// Numbers kept for the rows of a tile, so that they can be copied by 16 bytes.
  KOKKOS_FUNCTION std::int64_t begins() const { return (rows + 1 + 3) / 4 * 4; }
};

/// Row r of tile (i, j), the tiles of a block of rows one after the other, has the loads [begins[s], begins[s + 1]) of
/// `entries`, s = (i * tiles_per_row + j) * shape.begins() + r. Its last load is filled up by zeros at the place
/// `shape.columns`, behind the tile, where B is zero.
template <class Scalar>
struct TiledArrays {
  TileShape shape;
  std::int64_t rows                   = 0;
  std::int64_t columns                = 0;
  std::int64_t tiles_per_row          = 0;
  const std::int32_t* begins          = nullptr;
  const TiledEntries<Scalar>* entries = nullptr;
};

/// Loads of a row of a tile. Rows are sorted.
template <class Scalar, class Ordinal, class Offset>
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
    const std::int64_t tile = s / shape.begins(), place = s % shape.begins();
    const std::int64_t row = tile / tiles_per_row * shape.rows + place, j = tile % tiles_per_row;
    if (place >= shape.rows || row >= rows) return 0;
    constexpr int count = TiledEntries<Scalar>::count;
    return (cut(row, j + 1) - cut(row, j) + count - 1) / count;
  }
};

/// The most loads of a tile.
struct LargestTile {
  const std::int32_t* begins;
  std::int64_t step;
  KOKKOS_FUNCTION void operator()(std::int64_t tile, std::int64_t& most) const {
    const std::int64_t loads = static_cast<std::int64_t>(begins[(tile + 1) * step]) - begins[tile * step];
    if (loads > most) most = loads;
  }
};

/// Writes the nonzeros of a row of a tile, or with `with_places` false their values alone. `source` tells where sorted
/// nonzeros come from; nullptr where they stand so.
template <class Scalar, class Ordinal, class Offset>
struct FillTiles {
  TiledLength<Scalar, Ordinal, Offset> length;
  const Scalar* values;
  const Offset* source;
  const std::int32_t* begins;
  TiledEntries<Scalar>* entries;
  bool with_places;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    constexpr int count      = TiledEntries<Scalar>::count;
    const TileShape& shape   = length.shape;
    const auto column        = static_cast<std::int64_t>(length.entries[k]);
    const std::int64_t j     = column / shape.columns;
    const auto own           = static_cast<std::int64_t>(row);
    const std::int64_t tile  = own / shape.rows * length.tiles_per_row + j;
    const std::int64_t slot  = static_cast<std::int64_t>(k) - length.cut(own, j);
    auto& load               = entries[begins[tile * shape.begins() + own % shape.rows] + slot / count];
    const Offset from        = source != nullptr ? source[k] : k;
    load.value[slot % count] = values[from];
    if (with_places) load.place[slot % count] = static_cast<std::uint32_t>(column - j * shape.columns);
    // The last of a row in a tile fills up the load.
    if (!with_places || slot % count == count - 1) return;
    const Offset next = k + 1;
    if (next < length.row_map[row + 1] && static_cast<std::int64_t>(length.entries[next]) / shape.columns == j) return;
    for (int i = static_cast<int>(slot % count) + 1; i < count; ++i) {
      load.value[i] = Scalar(0);
      load.place[i] = static_cast<std::uint32_t>(shape.columns);
    }
  }
};

/// The tiles of a matrix in the memory of a device.
template <CrsMatrixType Matrix, class MemorySpace>
class TiledMatrix {
 public:
  using Scalar  = typename Matrix::non_const_value_type;
  using Ordinal = typename Matrix::non_const_ordinal_type;
  using Offset  = typename Matrix::non_const_size_type;
  using Load    = TiledEntries<Scalar>;
  using Order   = Reorder<SharedCrs<Matrix>>;

  TiledArrays<Scalar> arrays() const {
    return {m_shape, m_rows, m_columns, m_tiles_per_row, m_begins.data(), m_entries.data()};
  }
  const TileShape& shape() const { return m_shape; }
  std::int64_t tiles() const { return m_tiles; }
  std::int64_t largest_tile() const { return m_largest; }  ///< in loads
  std::int64_t padding(std::int64_t nonzeros) const {
    return static_cast<std::int64_t>(m_entries.extent(0)) * Load::count - nonzeros;
  }
  std::size_t bytes() const { return bytes_of(m_begins, m_entries, m_source, m_sorted_entries); }

  /// Cuts `A`. `fits(shape, loads)` says whether a tile of so many loads can be worked through; else tiles get fewer
  /// columns, down to `least_columns`. Waits for `exec` a few times. \throws OutOfMemory, NotSupported.
  template <class ExecutionSpace, class Fits>
  void make(const ExecutionSpace& exec, const SharedCrs<Matrix>& A, TileShape shape, std::int64_t least_columns,
            MemoryBudget& budget, const Fits& fits) {
    const auto crs = arrays_of(A);
    m_rows         = static_cast<std::int64_t>(crs.rows);
    m_columns      = static_cast<std::int64_t>(crs.columns);
    sort_where_needed(exec, A, budget);
    for (;; shape.columns = std::max(least_columns, shape.columns / 2)) {
      const std::int64_t loads = cut(exec, crs, shape, budget);
      if (fits(shape, m_largest)) {
        budget.take("tiles", static_cast<std::size_t>(loads) * sizeof(Load));
        m_entries = allocate<decltype(m_entries)>("SpmmPlan", exec, "Lacuna::spmm::tiles", loads);
        break;
      }
      if (shape.columns <= least_columns)
        raise<NotSupported>("SpmmPlan", "tiled: ", m_largest * Load::count, " nonzeros in ", shape.columns,
                            " columns of ", shape.rows, " rows do not fit the scratch of a team");
      budget.give_back(bytes_of(m_begins));
      m_begins = {};
    }
    fill(exec, crs, true);
  }

  /// Takes the values of `A`, which has the same pattern.
  template <class ExecutionSpace>
  void update_values(const ExecutionSpace& exec, const SharedCrs<Matrix>& A) {
    fill(exec, arrays_of(A), false);
  }

 private:
  using Arrays = CrsArraysOf<Matrix>;

  template <class ExecutionSpace>
  void sort_where_needed(const ExecutionSpace& exec, const SharedCrs<Matrix>& A, MemoryBudget& budget) {
    const auto crs = arrays_of(A);
    if (rows_are_sorted("Lacuna::spmm::order_of_tiles", exec, crs)) return;
    budget.check("sorting rows", Order::template order_bytes<ExecutionSpace>(crs));
    m_source         = Order::order_of_sorted_rows("SpmmPlan", exec, A);
    m_sorted_entries = Order::template gathered<typename Order::Indices>("SpmmPlan", exec, crs.entries, m_source);
    budget.take("sorted rows", bytes_of(m_source, m_sorted_entries));
  }

  TiledLength<Scalar, Ordinal, Offset> lengths(const Arrays& crs) const {
    return {crs.row_map, m_sorted_entries.extent(0) > 0 ? m_sorted_entries.data() : crs.entries, m_rows, m_shape,
            m_tiles_per_row};
  }

  /// Counts, and leaves where rows of tiles begin. Returns the loads of all.
  template <class ExecutionSpace>
  std::int64_t cut(const ExecutionSpace& exec, const Arrays& crs, const TileShape& shape, MemoryBudget& budget) {
    m_shape              = shape;
    m_tiles_per_row      = std::max<std::int64_t>(1, ceiling_quotient(m_columns, shape.columns));
    m_tiles              = ceiling_quotient(m_rows, shape.rows) * m_tiles_per_row;
    const std::int64_t n = checked_product("SpmmPlan", m_tiles, shape.begins());
    budget.take("the rows of tiles", static_cast<std::size_t>(n + 1) * sizeof(std::int32_t));
    m_begins                 = allocate<decltype(m_begins)>("SpmmPlan", exec, "Lacuna::spmm::tile_rows", n + 1);
    const std::int64_t loads = scan_lengths(exec, "Lacuna::spmm::tile_rows", n, m_begins.data(), lengths(crs));
    m_largest                = 0;
    Kokkos::parallel_reduce("Lacuna::spmm::largest_tile", IndexRange<ExecutionSpace>(exec, 0, m_tiles),
                            LargestTile{m_begins.data(), shape.begins()}, Kokkos::Max<std::int64_t>(m_largest));
    m_largest = std::max<std::int64_t>(0, m_largest);
    return loads;
  }

  template <class ExecutionSpace>
  void fill(const ExecutionSpace& exec, const Arrays& crs, bool with_places) {
    for_each_nonzero(
        exec, "Lacuna::spmm::fill_tiles", crs.rows, crs.nonzeros, crs.row_map,
        FillTiles<Scalar, Ordinal, Offset>{lengths(crs), crs.values, m_source.extent(0) > 0 ? m_source.data() : nullptr,
                                           m_begins.data(), m_entries.data(), with_places});
  }

  TileShape m_shape;
  std::int64_t m_rows = 0, m_columns = 0, m_tiles_per_row = 0, m_tiles = 0, m_largest = 0;
  Kokkos::View<std::int32_t*, MemorySpace> m_begins;
  Kokkos::View<Load*, MemorySpace> m_entries;
  typename Order::Source m_source;  ///< where rows were not sorted
  typename Order::Indices m_sorted_entries;
};

}  // namespace lacuna::Impl

#endif
