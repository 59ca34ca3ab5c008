// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWTILE_HPP
#define LACUNA_ROWTILE_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_RowsShape.hpp>

#include <cstdint>

/// \file
/// \brief Shared by all kernels without a matrix engine: how a subwarp stands along a row of C, reads nonzeros and rows
/// of B, multiplies and writes.

namespace lacuna::Impl {

/// A load takes `vector` neighbouring columns, and a lane `lane_vectors` loads for each nonzero. `fixed_lanes`: lanes
/// of a subwarp, where they are known when compiling and tiles fill N. A lane then needs one address for all of its
/// vectors, and no column has to be compared with N.
template <class ExecutionSpace, class Arrays, class Output, int vector, int lane_vectors, int fixed_lanes = 0>
class RowTile {
 public:
  using Scalar     = typename Arrays::Scalar;
  using Ordinal    = typename Arrays::Ordinal;
  using Arguments  = BlockArguments<Scalar, Output>;
  using Arithmetic = typename Arguments::Arithmetic;
  using lanes      = typename ExecutionTraits<ExecutionSpace>::lanes;
  using Sums       = Arithmetic[lane_vectors][vector];

  static constexpr int lane_width   = ExecutionTraits<ExecutionSpace>::lane_width;
  static constexpr bool whole_tiles = fixed_lanes > 0;
  static constexpr int addresses    = whole_tiles ? 1 : lane_vectors;

  /// The position of a lane along the columns.
  struct LanePosition {
    int tile, lane;                // of N, and of the subwarp
    int column;                    // the first column of the lane
    const char* first[addresses];  // where its columns start in B
  };

  RowTile(const Arguments& arguments, const RowsShape& shape)
      : m_arguments(arguments),
        m_lanes(shape.lanes),
        m_columns(static_cast<int>(arguments.C.columns)),
        m_b_data(reinterpret_cast<const char*>(arguments.B.data)),
        m_column_bytes(
            static_cast<std::int32_t>(arguments.B.column_stride * static_cast<std::int64_t>(sizeof(Scalar)))),
        m_row_bytes(static_cast<std::int32_t>(arguments.B.row_stride * static_cast<std::int64_t>(sizeof(Scalar)))),
        m_stores_vectors(arguments.C.rows_aligned(vector * static_cast<int>(sizeof(Output))) &&
                         arguments.C.columns % vector == 0) {}

  KOKKOS_FORCEINLINE_FUNCTION int lanes_of_subwarp() const { return whole_tiles ? fixed_lanes : m_lanes; }
  KOKKOS_FORCEINLINE_FUNCTION int tile_columns() const { return lanes_of_subwarp() * vector * lane_vectors; }
  KOKKOS_FORCEINLINE_FUNCTION int columns() const { return m_columns; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_inside(const LanePosition& position) const { return has_column(position.column); }
  KOKKOS_FORCEINLINE_FUNCTION const Arguments& arguments() const { return m_arguments; }
  /// The position of the sum `element` of a lane (vector of the lane, then position in the vector) among the sums of
  /// its tile. Lanes are contiguous.
  KOKKOS_FORCEINLINE_FUNCTION int position_of_sum(int element, int lane) const {
    return element * lanes_of_subwarp() + lane;
  }

  /// `lane` counts in the subwarp.
  KOKKOS_FORCEINLINE_FUNCTION LanePosition position(int tile, int lane) const {
    LanePosition position;
    position.tile   = tile;
    position.lane   = lane;
    position.column = tile * tile_columns() + lane * vector;
    for (int c = 0; c < addresses; ++c) {
      // A lane behind the last column reads the first column and stores nothing. The address is computed here, since
      // the compiler would otherwise compute it for each nonzero, which costs more than the product.
      const int column = column_of(position, c);
      position.first[c] =
          lanes::keep(m_b_data + static_cast<std::int64_t>(has_column(column) ? column : 0) * m_column_bytes);
    }
    return position;
  }

  /// The columns of vector `c` of a lane in one row of B.
  KOKKOS_FORCEINLINE_FUNCTION Pack<Scalar, vector> row_of_b(const LanePosition& position, int c, Ordinal row) const {
    constexpr int lane_vector_bytes = whole_tiles ? fixed_lanes * vector * static_cast<int>(sizeof(Scalar)) : 0;
    const char* const source        = row_address(position.first[whole_tiles ? 0 : c], row) + c * lane_vector_bytes;
    if constexpr (vector == 1)
      return {*reinterpret_cast<const Scalar*>(source)};
    else
      return lanes::load_cached(reinterpret_cast<const Pack<Scalar, vector>*>(source));
  }
  /// One product by itself.
  KOKKOS_FORCEINLINE_FUNCTION void add_product(const Scalar& value, Ordinal column, const LanePosition& position,
                                               Sums& sum) const {
    for (int c = 0; c < lane_vectors; ++c) {
      const auto row = row_of_b(position, c, column);
      for (int v = 0; v < vector; ++v)
        sum[c][v] += static_cast<Arithmetic>(value) * static_cast<Arithmetic>(row.value[v]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add_product(const Scalar& value,
                                                      const Pack<Scalar, vector> (&row)[lane_vectors], Sums& sum) {
    for (int c = 0; c < lane_vectors; ++c)
      for (int v = 0; v < vector; ++v)
        sum[c][v] += static_cast<Arithmetic>(value) * static_cast<Arithmetic>(row[c].value[v]);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void clear(Sums& sum) {
    for (int c = 0; c < lane_vectors; ++c)
      for (int v = 0; v < vector; ++v) sum[c][v] = Arithmetic(0);
  }

  /// Whether `store` is enough.
  KOKKOS_FORCEINLINE_FUNCTION bool stores_plainly() const {
    return m_stores_vectors && m_arguments.beta == Arithmetic(0);
  }
  /// C = alpha sum.
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t row, const LanePosition& position, const Sums& sum) const {
    for (int c = 0; c < lane_vectors; ++c) {
      const int column = column_of(position, c);
      if (!has_column(column)) continue;
      Pack<Output, vector> stored;
      for (int v = 0; v < vector; ++v) stored.value[v] = static_cast<Output>(m_arguments.alpha * sum[c][v]);
      lanes::store_streaming(target_of(row, column), stored);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const LanePosition& position, const Sums& sum) const {
    m_stores_vectors ? store_vectors(row, position, sum) : store_elements(row, position, sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_vectors(std::int64_t row, const LanePosition& position,
                                                 const Sums& sum) const {
    for (int c = 0; c < lane_vectors; ++c) {
      const int column = column_of(position, c);
      if (!has_column(column)) continue;
      auto* const target          = target_of(row, column);
      Pack<Output, vector> stored = {};
      if (m_arguments.beta != Arithmetic(0)) stored = *target;
      for (int v = 0; v < vector; ++v)
        stored.value[v] = static_cast<Output>(m_arguments.result(sum[c][v], stored.value[v]));
      lanes::store_streaming(target, stored);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store_elements(std::int64_t row, const LanePosition& position,
                                                  const Sums& sum) const {
    for (int c = 0; c < lane_vectors; ++c)
      for (int v = 0; v < vector; ++v) {
        const int column = column_of(position, c) + v;
        if (has_column(column)) m_arguments.write(row, column, sum[c][v]);
      }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int column_of(const LanePosition& position, int lane_vector) const {
    return position.column + lane_vector * lanes_of_subwarp() * vector;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has_column(int column) const { return whole_tiles || column < m_columns; }
  KOKKOS_FORCEINLINE_FUNCTION const char* row_address(const char* first, Ordinal row) const {
    if constexpr (sizeof(Ordinal) == sizeof(std::int32_t))
      return lanes::strided(first, row, m_row_bytes);
    else
      return first + static_cast<std::int64_t>(row) * m_row_bytes;
  }
  KOKKOS_FORCEINLINE_FUNCTION Pack<Output, vector>* target_of(std::int64_t row, int column) const {
    return reinterpret_cast<Pack<Output, vector>*>(m_arguments.C.data + row * m_arguments.C.row_stride + column);
  }

  Arguments m_arguments;
  int m_lanes;                  // lanes of a subwarp along the columns
  int m_columns;                // N
  const char* m_b_data;         // B
  std::int32_t m_column_bytes;  // bytes from one column of B to the next
  std::int32_t m_row_bytes;     // bytes from one row of B to the next
  bool m_stores_vectors;        // rows of C allow stores of `vector` elements
};

}  // namespace lacuna::Impl

#endif
