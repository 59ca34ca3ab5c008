// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SELLLAYOUT_HPP
#define LACUNA_SELLLAYOUT_HPP

#include <Lacuna_SellMatrix.hpp>
#include <core/base/impl/Lacuna_RelaxedAccess.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/Lacuna_FormatPolicy.hpp>
#include <formats/impl/sell/Lacuna_UniformSlices.hpp>

#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief How large the slices of a `SellMatrix` become: counted in a pass over the columns, before anything is stored.

namespace lacuna::Impl {

/// The nonzeros of one slot, and the steps between their columns.
template <class Arrays>
struct SellSlot {
  using Offset  = typename Arrays::Offset;
  using Ordinal = typename Arrays::Ordinal;

  static constexpr int slots = 32;
  static constexpr int hop   = 65535;

  Offset begin, end;

  /// Slot `slot` of slice `slice`; empty behind the last row. A row is cut into segments of equally many chunks.
  KOKKOS_INLINE_FUNCTION static SellSlot of(const Arrays& A, int segments, int chunk, std::int64_t slice, int slot) {
    const int rows_per_slice = slots / segments;
    const std::int64_t row   = slice * rows_per_slice + slot % rows_per_slice;
    if (row >= static_cast<std::int64_t>(A.rows)) return {Offset(0), Offset(0)};
    // In 64 bits: the last share may end behind the largest offset.
    const auto row_begin          = static_cast<std::int64_t>(A.row_map[row]);
    const auto row_end            = static_cast<std::int64_t>(A.row_map[row + 1]);
    const std::int64_t row_chunks = (row_end - row_begin + chunk - 1) / chunk;
    const std::int64_t share      = (row_chunks + segments - 1) / segments * chunk;
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
  int segments;
  int chunk;
  bool with_deltas;
  Kokkos::View<std::int32_t*, MemorySpace> widths;  // one a slice; must be zero
  Kokkos::View<SellFindings, MemorySpace> findings;

  /// One call a slot.
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const std::int64_t slice = i / Slot::slots;
    const Slot slot          = Slot::of(A, segments, chunk, slice, static_cast<int>(i % Slot::slots));
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
      if (!sorted) relaxed_store(&findings().unsorted, 1);
      if (hops > 0) relaxed_store(&findings().hops, 1);
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
SellLayout<Sell> count_sell(const ExecutionSpace& exec, const Arrays& A, int segments, int chunk, bool has_deltas,
                            SellFindings& findings) {
  using Memory = typename Sell::memory_space;
  using Widths = Kokkos::View<std::int32_t*, Memory>;
  SellLayout<Sell> layout;
  Sell& sell                = layout.sell;
  sell.rows                 = A.rows;
  sell.columns              = A.columns;
  sell.stored_nonzeros      = A.nonzeros;
  sell.segments             = segments;
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
                 SellWidths<Arrays, Memory>{A, segments, chunk, has_deltas, widths, found});
  Kokkos::parallel_scan("Lacuna::to_sell::scan", index_range(exec, slices + 1),
                        SellScan<Memory>{widths, sell.slice_begin, slices}, layout.chunks);
  Kokkos::deep_copy(exec, Kokkos::View<SellFindings, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&findings), found);
  exec.fence("Lacuna::to_sell: size of the result");
  make_uniform(exec, layout, widths);
  return layout;
}

/// The layout that `columns` asks for; automatic takes deltas where rows are sorted and they need fewer bytes.
template <class Sell, class ExecutionSpace, class Arrays>
SellLayout<Sell> sell_layout(const ExecutionSpace& exec, const Arrays& A, int segments, int chunk,
                             SellColumns columns) {
  if (segments != 1 && segments != 2 && segments != 4 && segments != 8 && segments != 16)
    raise<InvalidArgument>("to_sell", "segments is ", segments, ", it can be 1, 2, 4, 8 or 16");
  if (chunk != 2 && chunk != 4) raise<InvalidArgument>("to_sell", "chunk is ", chunk, ", it can be 2 or 4");
  const auto fitting = [](const SellLayout<Sell>& layout) {
    if (!layout.fits()) raise<OutOfMemory>("to_sell", layout.chunks, " chunks, at most 2147483646 are supported");
    return layout;
  };
  SellFindings findings{};
  if (columns == SellColumns::absolute) return fitting(count_sell<Sell>(exec, A, segments, chunk, false, findings));
  const SellLayout<Sell> layout = count_sell<Sell>(exec, A, segments, chunk, true, findings);
  if (findings.unsorted != 0 && columns == SellColumns::deltas)
    raise<InvalidMatrix>("to_sell", "columns cannot be stored as deltas, a row of the ", shape_text(A.rows, A.columns),
                         " matrix is not sorted");
  if (columns == SellColumns::deltas || (findings.unsorted == 0 && findings.hops == 0)) return fitting(layout);
  const bool possible             = findings.unsorted == 0 && layout.fits();
  const SellLayout<Sell> absolute = count_sell<Sell>(exec, A, segments, chunk, false, findings);
  return possible && layout.bytes() <= absolute.bytes() ? layout : fitting(absolute);
}

}  // namespace lacuna::Impl

#endif
