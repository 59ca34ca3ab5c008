// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_SELL_HPP
#define LACUNA_CONVERT_SELL_HPP

#include <Lacuna_ExecutionTraits.hpp>
#include <Lacuna_SellMatrix.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/Lacuna_FormatPolicy.hpp>
#include <formats/impl/sell/Lacuna_UniformSlices.hpp>

#include <cstdint>
#include <limits>
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

/// The nonzeros of one slot, and the steps between their columns.
template <class Arrays>
struct SellSlot {
  using Offset  = typename Arrays::Offset;
  using Ordinal = typename Arrays::Ordinal;

  static constexpr int slots = 32;
  static constexpr int hop   = 65535;

  Offset begin, end;

  /// Slot `slot` of slice `slice`; empty behind the last row. A row is cut into parts of equally many chunks.
  KOKKOS_INLINE_FUNCTION static SellSlot of(const Arrays& A, int parts, int chunk, std::int64_t slice, int slot) {
    const int rows_per_slice = slots / parts;
    const std::int64_t row   = slice * rows_per_slice + slot % rows_per_slice;
    if (row >= static_cast<std::int64_t>(A.rows)) return {Offset(0), Offset(0)};
    // In 64 bits: the last share may end behind the largest offset.
    const auto row_begin          = static_cast<std::int64_t>(A.row_map[row]);
    const auto row_end            = static_cast<std::int64_t>(A.row_map[row + 1]);
    const std::int64_t row_chunks = (row_end - row_begin + chunk - 1) / chunk;
    const std::int64_t share      = (row_chunks + parts - 1) / parts * chunk;
    const std::int64_t begin      = row_begin + share * (slot / rows_per_slice);
    const std::int64_t end        = begin + share;
    return {static_cast<Offset>(begin < row_end ? begin : row_end), static_cast<Offset>(end < row_end ? end : row_end)};
  }

  /// Hops needed before the entry that lies `gap` columns behind the one before it.
  KOKKOS_INLINE_FUNCTION static std::int64_t hops(std::int64_t gap) { return gap / hop; }
};

/// What the count found beside widths.
struct SellFindings {
  int unsorted;  ///< some row is not sorted
  int hops;      ///< some columns lie too far apart for one delta
};

/// Chunks that every slice needs.
template <class Arrays, class MemorySpace>
struct SellWidths {
  using Slot = SellSlot<Arrays>;
  Arrays A;
  int parts;
  int chunk;
  bool with_deltas;
  Kokkos::View<std::int32_t*, MemorySpace> widths;  // one a slice; must be zero
  Kokkos::View<SellFindings, MemorySpace> findings;

  /// One call a slot.
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const std::int64_t slice = i / Slot::slots;
    const Slot slot          = Slot::of(A, parts, chunk, slice, static_cast<int>(i % Slot::slots));
    std::int64_t entries     = static_cast<std::int64_t>(slot.end - slot.begin);
    if (with_deltas && slot.begin < slot.end) {
      bool sorted       = true;
      std::int64_t hops = 0;
      auto previous     = static_cast<std::int64_t>(A.entries[slot.begin]);
      for (auto k = slot.begin + 1; k < slot.end; ++k) {
        const auto column      = static_cast<std::int64_t>(A.entries[k]);
        const std::int64_t gap = column - previous;
        if (gap < 0)
          sorted = false;
        else if (gap >= Slot::hop)
          hops += Slot::hops(gap);
        previous = column;
      }
      if (!sorted) findings().unsorted = 1;
      if (hops > 0) findings().hops = 1;
      entries += hops;
    }
    if (entries > 0) {
      // Hops may be more than a slice can hold: the largest width stands for all of those, and is refused.
      const std::int64_t chunks = (entries + chunk - 1) / chunk;
      Kokkos::atomic_max(&widths(slice), chunks < INT32_MAX ? static_cast<std::int32_t>(chunks) : INT32_MAX);
    }
  }
};

template <class MemorySpace>
struct SellScan {
  Kokkos::View<const std::int32_t*, MemorySpace> widths;
  Kokkos::View<std::int32_t*, MemorySpace> begin;
  std::int64_t slices;

  KOKKOS_FUNCTION void operator()(const std::int64_t slice, std::int64_t& sum, const bool is_final) const {
    if (is_final) begin(slice) = static_cast<std::int32_t>(sum);
    if (slice < slices) sum += widths(slice);
  }
};

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
    const Slot slot          = Slot::of(A, sell.parts, ChunkSize, slice, lane);
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
    const std::int64_t place = chunk * Slot::slots + lane;
    if (sell.has_deltas) {
      Pack<typename Sell::Delta, ChunkSize> deltas;
      for (int e = 0; e < ChunkSize; ++e) deltas.value[e] = open.deltas[e];
      reinterpret_cast<Pack<typename Sell::Delta, ChunkSize>*>(sell.deltas.data())[place] = deltas;
    } else {
      for (int e = 0; e < ChunkSize; ++e) sell.column_indices(place * ChunkSize + e) = open.columns[e];
    }
  }
};

/// How large the slices of a matrix are: what has to be known before anything is stored.
template <class Sell>
struct SellLayout {
  Sell sell;  ///< everything but the arrays of entries
  std::int64_t chunks = 0;

  /// Whether slice_begin can count the chunks.
  bool fits() const { return chunks < std::numeric_limits<std::int32_t>::max(); }
  std::size_t entries() const { return static_cast<std::size_t>(chunks * Sell::slots_per_slice * sell.chunk); }
  std::size_t bytes() const {
    const std::size_t slots = static_cast<std::size_t>(sell.slices()) * Sell::slots_per_slice;
    return entries() * (sizeof(typename Sell::Scalar) +
                        (sell.has_deltas ? sizeof(typename Sell::Delta) : sizeof(typename Sell::Ordinal))) +
           (sell.has_deltas ? slots * sizeof(typename Sell::Ordinal) : 0) +
           sell.slice_begin.span() * sizeof(std::int32_t);
  }
};

template <class Widths>
struct FindWidestSlice {
  Widths widths;
  KOKKOS_FUNCTION void operator()(const std::int64_t slice, std::int32_t& widest) const {
    if (widths(slice) > widest) widest = widths(slice);
  }
};

/// Gives all slices the width of the widest one where they have few entries and this costs little: reading a width
/// takes longer than reading few entries. Fences.
template <class ExecutionSpace, class Sell, class Widths>
void make_uniform(const ExecutionSpace& exec, SellLayout<Sell>& layout, const Widths& widths) {
  const std::int64_t slices = layout.sell.slices();
  if (layout.chunks == 0 || layout.chunks * layout.sell.chunk > FormatTuning::uniform_entries * slices) return;
  std::int32_t widest = 0;
  Kokkos::parallel_reduce("Lacuna::to_sell::widest", index_range(exec, slices), FindWidestSlice<Widths>{widths},
                          Kokkos::Max<std::int32_t>(widest));
  exec.fence("Lacuna::to_sell: widest slice");
  if (static_cast<double>(slices) * widest > FormatTuning::uniform_growth * static_cast<double>(layout.chunks)) return;
  layout.chunks              = slices * widest;
  layout.sell.uniform_chunks = widest;
  if (!layout.fits()) return;  // is refused
  for_each_index(exec, "Lacuna::to_sell::uniform", slices + 1,
                 PlaceUniformSlices<decltype(layout.sell.slice_begin)>{layout.sell.slice_begin, widest});
}

/// One way to store columns, counted. Fences.
template <class Sell, class ExecutionSpace, class Arrays>
SellLayout<Sell> count_sell(const ExecutionSpace& exec, const Arrays& A, int parts, int chunk, bool has_deltas,
                            SellFindings& findings) {
  using Memory = typename Sell::memory_space;
  using Widths = Kokkos::View<std::int32_t*, Memory>;
  SellLayout<Sell> layout;
  Sell& sell                = layout.sell;
  sell.rows                 = A.rows;
  sell.columns              = A.columns;
  sell.stored_nonzeros      = A.nonzeros;
  sell.parts                = parts;
  sell.chunk                = chunk;
  sell.has_deltas           = has_deltas;
  const std::int64_t slices = sell.slices();
  const auto widths         = allocate<Widths>("to_sell", exec, "Lacuna::to_sell::widths", slices);
  const std::string label   = "Lacuna::to_sell::findings";
  using Found               = Kokkos::View<SellFindings, Memory>;
  const auto found =
      allocated_by("to_sell", label, sizeof(SellFindings), [&] { return Found(Kokkos::view_alloc(exec, label)); });
  sell.slice_begin = allocate<decltype(sell.slice_begin)>("to_sell", exec, "Lacuna::to_sell::slice_begin", slices + 1);
  Kokkos::deep_copy(exec, widths, 0);
  for_each_index(exec, "Lacuna::to_sell::widths", slices * Sell::slots_per_slice,
                 SellWidths<Arrays, Memory>{A, parts, chunk, has_deltas, widths, found});
  Kokkos::parallel_scan("Lacuna::to_sell::scan", index_range(exec, slices + 1),
                        SellScan<Memory>{widths, sell.slice_begin, slices}, layout.chunks);
  Kokkos::deep_copy(exec, Kokkos::View<SellFindings, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&findings), found);
  exec.fence("Lacuna::to_sell: size of the result");
  make_uniform(exec, layout, widths);
  return layout;
}

/// The layout that `columns` asks for; automatic takes deltas where rows are sorted and they need fewer bytes.
template <class Sell, class ExecutionSpace, class Arrays>
SellLayout<Sell> sell_layout(const ExecutionSpace& exec, const Arrays& A, int parts, int chunk, SellColumns columns) {
  if (parts != 1 && parts != 2 && parts != 4 && parts != 8 && parts != 16)
    raise<InvalidArgument>("to_sell", "parts is ", parts, ", it can be 1, 2, 4, 8 or 16");
  if (chunk != 2 && chunk != 4) raise<InvalidArgument>("to_sell", "chunk is ", chunk, ", it can be 2 or 4");
  const auto fitting = [](const SellLayout<Sell>& layout) {
    if (!layout.fits()) raise<OutOfMemory>("to_sell", layout.chunks, " chunks, at most 2147483646 are supported");
    return layout;
  };
  SellFindings findings{};
  if (columns == SellColumns::absolute) return fitting(count_sell<Sell>(exec, A, parts, chunk, false, findings));
  const SellLayout<Sell> layout = count_sell<Sell>(exec, A, parts, chunk, true, findings);
  if (findings.unsorted != 0 && columns == SellColumns::deltas)
    raise<InvalidMatrix>("to_sell", "columns cannot be stored as deltas, a row of the ", shape_text(A.rows, A.columns),
                         " matrix is not sorted");
  if (columns == SellColumns::deltas || (findings.unsorted == 0 && findings.hops == 0)) return fitting(layout);
  const bool possible             = findings.unsorted == 0 && layout.fits();
  const SellLayout<Sell> absolute = count_sell<Sell>(exec, A, parts, chunk, false, findings);
  return possible && layout.bytes() <= absolute.bytes() ? layout : fitting(absolute);
}

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
  const auto layout = sell_layout<Sell>(exec, arrays, options.parts, options.chunk, options.columns);
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
    const int rows_per_slice = Sell::slots_per_slice / sell.parts;
    const int pack           = Sell::pack_of(sell.chunk);
    const std::int64_t slice = row / rows_per_slice;
    for (int part = 0; part < sell.parts; ++part) {
      const std::int64_t slot = part * rows_per_slice + row % rows_per_slice;
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
