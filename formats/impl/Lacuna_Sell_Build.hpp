// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SELL_BUILD_HPP
#define LACUNA_SELL_BUILD_HPP

#include <Lacuna_SellMatrix.hpp>
#include <Lacuna_ExecutionTraits.hpp>
#include <core/impl/Lacuna_Crs.hpp>

#include <limits>

/// \file
/// \brief CSR to `SellMatrix` and back. Work: two passes over the columns, one over the values.

namespace lacuna {

namespace Impl {

/// The nonzeros of one slot, and the steps between their columns.
template <class Arrays>
struct SellSlot {
  using Offset  = typename Arrays::Offset;
  using Ordinal = typename Arrays::Ordinal;

  static constexpr int slots = 32;
  static constexpr int chunk = 4;
  static constexpr int hop   = 65535;

  Offset begin, end;

  /// Slot `slot` of slice `slice`; empty behind the last row. A row is cut into parts of equally many chunks.
  KOKKOS_INLINE_FUNCTION static SellSlot of(const Arrays& A, int parts, std::int64_t slice, int slot) {
    const int rows_per_slice = slots / parts;
    const std::int64_t row   = slice * rows_per_slice + slot % rows_per_slice;
    if (row >= static_cast<std::int64_t>(A.rows)) return {Offset(0), Offset(0)};
    const Offset row_begin = A.row_map[row], row_end = A.row_map[row + 1];
    const Offset row_chunks = (row_end - row_begin + chunk - 1) / chunk;
    const Offset share      = (row_chunks + parts - 1) / parts * chunk;
    const Offset begin      = row_begin + share * static_cast<Offset>(slot / rows_per_slice);
    const Offset end        = begin + share;
    return {begin < row_end ? begin : row_end, end < row_end ? end : row_end};
  }

  /// Hops needed before the entry that lies `gap` columns behind the one before it.
  KOKKOS_INLINE_FUNCTION static std::int64_t hops(std::int64_t gap) { return gap / hop; }
};

/// Chunks that every slice needs, and whether some row is not sorted.
template <class Arrays, class MemorySpace>
struct SellWidths {
  using Slot = SellSlot<Arrays>;
  Arrays A;
  int parts;
  bool with_deltas;
  Kokkos::View<std::int32_t*, MemorySpace> widths;  // one a slice; must be zero
  Kokkos::View<int, MemorySpace> unsorted;

  /// One call a slot.
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const std::int64_t slice = i / Slot::slots;
    const Slot slot          = Slot::of(A, parts, slice, static_cast<int>(i % Slot::slots));
    std::int64_t entries     = static_cast<std::int64_t>(slot.end - slot.begin);
    if (with_deltas && slot.begin < slot.end) {
      bool sorted   = true;
      auto previous = static_cast<std::int64_t>(A.entries[slot.begin]);
      for (auto k = slot.begin + 1; k < slot.end; ++k) {
        const auto column      = static_cast<std::int64_t>(A.entries[k]);
        const std::int64_t gap = column - previous;
        if (gap < 0)
          sorted = false;
        else if (gap >= Slot::hop)
          entries += Slot::hops(gap);
        previous = column;
      }
      if (!sorted) unsorted() = 1;
    }
    if (entries > 0)
      Kokkos::atomic_max(&widths(slice), static_cast<std::int32_t>((entries + Slot::chunk - 1) / Slot::chunk));
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
template <class Arrays, class Sell>
struct SellFill {
  using Slot    = SellSlot<Arrays>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Values  = Pack<Scalar, Sell::pack>;

  Arrays A;
  Sell sell;
  bool only_values;

  /// The chunk that is being filled: entries gather in registers, so that each store is a whole pack.
  struct Chunk {
    Scalar values[Sell::chunk];
    typename Sell::delta_type deltas[Sell::chunk];
    Ordinal columns[Sell::chunk];
    int filled = 0;
  };

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const std::int64_t slice = i / Slot::slots;
    const int lane           = static_cast<int>(i % Slot::slots);
    const Slot slot          = Slot::of(A, sell.parts, slice, lane);
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
    for (int e = 0; e < Sell::chunk; ++e) {
      if (e != open.filled) continue;
      open.values[e]  = value;
      open.deltas[e]  = static_cast<typename Sell::delta_type>(delta);
      open.columns[e] = column;
    }
    if (++open.filled < Sell::chunk) return;
    store(open, chunk, lane);
    open.filled = 0;
    ++chunk;
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Chunk& open, std::int64_t chunk, int lane) const {
    for (int plane = 0; plane < Sell::planes; ++plane) {
      Values values;
      for (int e = 0; e < Sell::pack; ++e) values.value[e] = open.values[plane * Sell::pack + e];
      reinterpret_cast<Values*>(sell.values.data())[(chunk * Sell::planes + plane) * Slot::slots + lane] = values;
    }
    if (only_values) return;
    const std::int64_t place = chunk * Slot::slots + lane;
    if (sell.has_deltas) {
      Pack<typename Sell::delta_type, Sell::chunk> deltas;
      for (int e = 0; e < Sell::chunk; ++e) deltas.value[e] = open.deltas[e];
      reinterpret_cast<Pack<typename Sell::delta_type, Sell::chunk>*>(sell.deltas.data())[place] = deltas;
    } else {
      for (int e = 0; e < Sell::chunk; ++e) sell.entry_columns(place * Sell::chunk + e) = open.columns[e];
    }
  }
};

template <class ExecutionSpace>
using WideRange = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;

}  // namespace Impl

/// \brief `A` in slices, built on `exec`. Fences once, to bring the size to the host.
///
/// Rows keep the order of their entries; duplicates stay. \throws InvalidArgument for `parts` other than 1, 2, 4, 8,
/// 16; InvalidMatrix where deltas are asked for and a row is not sorted; OutOfMemory beyond `memory_limit`.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix>
auto to_sell(const ExecutionSpace& exec, const Matrix& A, const SellOptions& options = {}) {
  using Arrays = Impl::CrsArraysOf<Matrix>;
  using Sell   = SellMatrix<typename Arrays::Scalar, typename Arrays::Ordinal, typename Matrix::device_type>;
  using Memory = typename Sell::memory_space;
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  const int parts = options.parts;
  if (parts != 1 && parts != 2 && parts != 4 && parts != 8 && parts != 16)
    Impl::raise<InvalidArgument>("to_sell", "parts is ", parts, ", it can be 1, 2, 4, 8 or 16");

  const Arrays arrays = Impl::arrays_of(A);
  Sell sell;
  sell.rows                 = arrays.rows;
  sell.columns              = arrays.columns;
  sell.nonzeros             = static_cast<std::int64_t>(arrays.nonzeros);
  sell.parts                = parts;
  sell.has_deltas           = options.columns != SellColumns::absolute;
  const std::int64_t slices = sell.slices();
  const std::int64_t slots  = slices * Sell::slots_per_slice;

  const Kokkos::View<std::int32_t*, Memory> widths(view_alloc(exec, "Lacuna::to_sell::widths"), slices);
  const Kokkos::View<int, Memory> unsorted(view_alloc(exec, "Lacuna::to_sell::unsorted"));
  sell.slice_begin =
      decltype(sell.slice_begin)(view_alloc(exec, WithoutInitializing, "Lacuna::to_sell::slice_begin"), slices + 1);
  std::int64_t chunks = 0;
  const auto count    = [&] {
    Kokkos::parallel_for("Lacuna::to_sell::widths", Impl::WideRange<ExecutionSpace>(exec, 0, slots),
                            Impl::SellWidths<Arrays, Memory>{arrays, parts, sell.has_deltas, widths, unsorted});
    Kokkos::parallel_scan("Lacuna::to_sell::scan", Impl::WideRange<ExecutionSpace>(exec, 0, slices + 1),
                             Impl::SellScan<Memory>{widths, sell.slice_begin, slices}, chunks);
  };
  count();
  if (sell.has_deltas) {
    int any_unsorted = 0;
    Kokkos::deep_copy(exec, any_unsorted, unsorted);
    exec.fence("Lacuna::to_sell: size of the result");
    if (any_unsorted != 0) {
      if (options.columns == SellColumns::deltas)
        Impl::raise<InvalidMatrix>("to_sell", "columns cannot be stored as deltas, a row of the ",
                                   Impl::shape_text(sell.rows, sell.columns), " matrix is not sorted");
      sell.has_deltas = false;
      Kokkos::deep_copy(exec, widths, 0);
      count();
    }
  }
  exec.fence("Lacuna::to_sell: size of the result");
  if (chunks > std::numeric_limits<std::int32_t>::max())
    Impl::raise<OutOfMemory>("to_sell", chunks, " chunks, at most 2147483647 are supported");
  const std::size_t entries = static_cast<std::size_t>(chunks) * Sell::slots_per_slice * Sell::chunk;
  const std::size_t bytes =
      entries * (sizeof(typename Sell::value_type) +
                 (sell.has_deltas ? sizeof(typename Sell::delta_type) : sizeof(typename Sell::ordinal_type))) +
      static_cast<std::size_t>(slots) * sizeof(typename Sell::ordinal_type);
  if (bytes > options.memory_limit)
    Impl::raise<OutOfMemory>("to_sell", "the ", Impl::shape_text(sell.rows, sell.columns), " matrix of ", sell.nonzeros,
                             " nonzeros needs ", bytes, " bytes, memory_limit is ", options.memory_limit);

  sell.values = decltype(sell.values)(view_alloc(exec, WithoutInitializing, "Lacuna::to_sell::values"), entries);
  if (sell.has_deltas) {
    sell.first_column =
        decltype(sell.first_column)(view_alloc(exec, WithoutInitializing, "Lacuna::to_sell::first_column"), slots);
    sell.deltas = decltype(sell.deltas)(view_alloc(exec, WithoutInitializing, "Lacuna::to_sell::deltas"), entries);
  } else {
    sell.entry_columns =
        decltype(sell.entry_columns)(view_alloc(exec, WithoutInitializing, "Lacuna::to_sell::columns"), entries);
  }
  Kokkos::parallel_for("Lacuna::to_sell::fill", Impl::WideRange<ExecutionSpace>(exec, 0, slots),
                       Impl::SellFill<Arrays, Sell>{arrays, sell, false});
  return sell;
}

/// \brief Takes new values of the same pattern from `A`. Does not fence.
template <class ExecutionSpace, Impl::CrsMatrixType Matrix, class Scalar, class Ordinal, class Device>
void update_values(const ExecutionSpace& exec, const Matrix& A, const SellMatrix<Scalar, Ordinal, Device>& sell) {
  using Arrays        = Impl::CrsArraysOf<Matrix>;
  const Arrays arrays = Impl::arrays_of(A);
  if (arrays.rows != sell.rows || arrays.columns != sell.columns ||
      static_cast<std::int64_t>(arrays.nonzeros) != sell.nonzeros)
    Impl::raise<InvalidArgument>("update_values", "the matrix is ", Impl::shape_text(arrays.rows, arrays.columns),
                                 " with ", arrays.nonzeros, " nonzeros, its slices ",
                                 Impl::shape_text(sell.rows, sell.columns), " with ", sell.nonzeros);
  Kokkos::parallel_for("Lacuna::update_values::sell", Impl::WideRange<ExecutionSpace>(exec, 0, sell.slices() * 32),
                       Impl::SellFill<Arrays, SellMatrix<Scalar, Ordinal, Device>>{arrays, sell, true});
}

}  // namespace lacuna

#endif
