// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_SELL_HPP
#define LACUNA_CONVERT_SELL_HPP

#include <Lacuna_ExecutionTraits.hpp>
#include <Lacuna_SellMatrix.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/sell/Lacuna_SellLayout.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief CSR to `SellMatrix` and back. Work: two passes over the columns, one over the values.

namespace lacuna::Impl {

/// Runs body(std::integral_constant<int, chunk>) for the chunk sizes that there are.
template <class Body>
void for_sell_chunk(int chunk, const Body& body) {
  if (chunk == 2)
    body(std::integral_constant<int, 2>());
  else
    body(std::integral_constant<int, 4>());
}

/// Writes values, and columns unless only values are wanted.
template <int ChunkSize, class Arrays, class Sell>
struct SellFill {
  using Slot    = SellSlot<Arrays>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;

  static constexpr int pack   = Sell::pack_of(ChunkSize);
  static constexpr int planes = ChunkSize / pack;
  using Values                = Pack<Scalar, pack>;

  Arrays A;
  Sell sell;
  bool only_values;

  /// The chunk that is being filled: entries gather in registers, so that each store is a whole pack.
  struct Chunk {
    Scalar values[ChunkSize];
    typename Sell::Delta deltas[ChunkSize];
    Ordinal columns[ChunkSize];
    int filled = 0;
  };

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const std::int64_t slice = i / Slot::slots;
    const int lane           = static_cast<int>(i % Slot::slots);
    const Slot slot          = Slot::of(A, sell.segments, ChunkSize, slice, lane);
    std::int64_t chunk       = sell.slice_begin(slice);
    const std::int64_t end   = sell.slice_begin(slice + 1);
    Chunk open;
    Ordinal previous = slot.begin < slot.end ? A.entries[slot.begin] : Ordinal(0);
    if (sell.has_deltas && !only_values) sell.first_column(i) = previous;
    for (auto k = slot.begin; k < slot.end; ++k) {
      const Ordinal column = A.entries[k];
      if (sell.has_deltas) {
        std::int64_t gap = static_cast<std::int64_t>(column) - static_cast<std::int64_t>(previous);
        for (; gap >= Slot::hop; gap -= Slot::hop)
          push(open, chunk, lane, Scalar(0), Sell::void_delta, Sell::void_column);
        push(open, chunk, lane, A.values[k], static_cast<int>(gap), column);
        previous = column;
      } else {
        push(open, chunk, lane, A.values[k], 0, column);
      }
    }
    while (chunk < end) push(open, chunk, lane, Scalar(0), Sell::void_delta, Sell::void_column);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void push(Chunk& open, std::int64_t& chunk, int lane, const Scalar& value, int delta,
                                        Ordinal column) const {
    // Selected by comparison, not by index: the arrays stay in registers.
    for (int e = 0; e < ChunkSize; ++e) {
      if (e != open.filled) continue;
      open.values[e]  = value;
      open.deltas[e]  = static_cast<typename Sell::Delta>(delta);
      open.columns[e] = column;
    }
    if (++open.filled < ChunkSize) return;
    store(open, chunk, lane);
    open.filled = 0;
    ++chunk;
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Chunk& open, std::int64_t chunk, int lane) const {
    for (int plane = 0; plane < planes; ++plane) {
      Values values;
      for (int e = 0; e < pack; ++e) values.value[e] = open.values[plane * pack + e];
      reinterpret_cast<Values*>(sell.values.data())[(chunk * planes + plane) * Slot::slots + lane] = values;
    }
    if (only_values) return;
    const std::int64_t position = chunk * Slot::slots + lane;
    if (sell.has_deltas) {
      Pack<typename Sell::Delta, ChunkSize> deltas;
      for (int e = 0; e < ChunkSize; ++e) deltas.value[e] = open.deltas[e];
      reinterpret_cast<Pack<typename Sell::Delta, ChunkSize>*>(sell.deltas.data())[position] = deltas;
    } else {
      for (int e = 0; e < ChunkSize; ++e) sell.column_indices(position * ChunkSize + e) = open.columns[e];
    }
  }
};

/// Allocates and fills the slices of a layout. Does not fence.
template <class Sell, class ExecutionSpace, class Arrays>
Sell fill_sell(const ExecutionSpace& exec, const Arrays& A, const SellLayout<Sell>& layout) {
  Sell sell                = layout.sell;
  const std::int64_t slots = sell.slices() * Sell::slots_per_slice;
  const auto entries       = static_cast<std::int64_t>(layout.entries());
  sell.values              = allocate<decltype(sell.values)>("to_sell", exec, "Lacuna::to_sell::values", entries);
  if (sell.has_deltas) {
    sell.first_column = allocate<decltype(sell.first_column)>("to_sell", exec, "Lacuna::to_sell::first_column", slots);
    sell.deltas       = allocate<decltype(sell.deltas)>("to_sell", exec, "Lacuna::to_sell::deltas", entries);
  } else {
    sell.column_indices = allocate<decltype(sell.column_indices)>("to_sell", exec, "Lacuna::to_sell::columns", entries);
  }
  for_sell_chunk(sell.chunk, [&](auto chunk) {
    for_each_index(exec, "Lacuna::to_sell::fill", slots, SellFill<chunk(), Arrays, Sell>{A, sell, false});
  });
  return sell;
}

template <class ExecutionSpace, CrsMatrixType Matrix>
auto sell_from_crs(const ExecutionSpace& exec, const Matrix& A, const SellOptions& options) {
  using Sell        = FormatOf<SellMatrix, Matrix>;
  const auto arrays = arrays_of(A);
  const auto layout = sell_layout<Sell>(exec, arrays, options.segments, options.chunk, options.columns);
  if (layout.bytes() > options.memory_limit)
    raise<OutOfMemory>("to_sell", "the ", shape_text(arrays.rows, arrays.columns), " matrix of ", arrays.nonzeros,
                       " nonzeros needs ", layout.bytes(), " bytes, memory_limit is ", options.memory_limit);
  return fill_sell(exec, arrays, layout);
}

template <class ExecutionSpace, CrsMatrixType Matrix, class Scalar, class Ordinal, class Device, class Offset>
void refresh(const ExecutionSpace& exec, const Matrix& A, const SellMatrix<Scalar, Ordinal, Device, Offset>& sell) {
  using Sell = SellMatrix<Scalar, Ordinal, Device, Offset>;
  for_sell_chunk(sell.chunk, [&](auto chunk) {
    for_each_index(exec, "Lacuna::update_values::sell", sell.slices() * Sell::slots_per_slice,
                   SellFill<chunk(), CrsArraysOf<Matrix>, Sell>{arrays_of(A), sell, true});
  });
}

/// Walks the entries of a row that exist, in order: visit(column, value).
template <class Sell>
struct SellRow {
  Sell sell;

  template <class Visitor>
  KOKKOS_FUNCTION void for_each(std::int64_t row, const Visitor& visit) const {
    using Column             = std::make_unsigned_t<typename Sell::Ordinal>;
    const int rows_per_slice = Sell::slots_per_slice / sell.segments;
    const int pack           = Sell::pack_of(sell.chunk);
    const std::int64_t slice = row / rows_per_slice;
    for (int segment = 0; segment < sell.segments; ++segment) {
      const std::int64_t slot = segment * rows_per_slice + row % rows_per_slice;
      Column column =
          sell.has_deltas ? static_cast<Column>(sell.first_column(slice * Sell::slots_per_slice + slot)) : Column(0);
      for (std::int64_t chunk = sell.slice_begin(slice); chunk < sell.slice_begin(slice + 1); ++chunk)
        for (int e = 0; e < sell.chunk; ++e) {
          const std::int64_t at = (chunk * Sell::slots_per_slice + slot) * sell.chunk + e;
          bool exists           = true;
          if (sell.has_deltas) {
            column += sell.deltas(at);
            exists = sell.deltas(at) != Sell::void_delta;
          } else {
            exists = sell.column_indices(at) != Sell::void_column;
            column = static_cast<Column>(sell.column_indices(at));
          }
          if (exists)
            visit(static_cast<typename Sell::Ordinal>(column),
                  sell.values(((chunk * (sell.chunk / pack) + e / pack) * Sell::slots_per_slice + slot) * pack +
                              e % pack));
        }
    }
  }
};

template <class Sell>
struct SellRowLength {
  SellRow<Sell> rows;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    std::int64_t length = 0;
    rows.for_each(row, [&](typename Sell::Ordinal, const typename Sell::Scalar&) { ++length; });
    return length;
  }
};

template <class Sell, class Crs>
struct SellRowCopy {
  SellRow<Sell> rows;
  NewCrs<Crs> result;
  KOKKOS_FUNCTION void operator()(const std::int64_t row) const {
    auto at = result.row_map(row);
    rows.for_each(row, [&](typename Sell::Ordinal column, const typename Sell::Scalar& value) {
      result.entries(at) = column;
      result.values(at)  = value;
      ++at;
    });
  }
};

template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
auto crs_from(const ExecutionSpace& exec, const SellMatrix<Scalar, Ordinal, Device, Offset>& sell) {
  using Sell = SellMatrix<Scalar, Ordinal, Device, Offset>;
  using Crs  = typename Sell::Crs;
  const SellRow<Sell> rows{sell};
  const auto result = new_crs<Crs>("to_crs", exec, sell.rows, sell.columns, SellRowLength<Sell>{rows});
  for_each_index(exec, "Lacuna::to_crs::sell", static_cast<std::int64_t>(sell.rows),
                 SellRowCopy<Sell, Crs>{rows, result});
  return result.matrix("A");
}

}  // namespace lacuna::Impl

#endif
