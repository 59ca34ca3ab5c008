// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_SELL_HPP
#define LACUNA_VALIDATE_SELL_HPP

#include <formats/impl/Lacuna_FormatDefects.hpp>
#include <formats/impl/sell/Lacuna_Convert_Sell.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief The rules of `SellMatrix` beyond those of CSR.

namespace lacuna::Impl {

/// Counts the entries of a slot that exist. Values of the others do not matter.
template <class Sell>
struct CheckSellSlot {
  Sell sell;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(const std::int64_t i, std::int64_t& existing) const {
    using Ordinal            = typename Sell::Ordinal;
    const int rows_per_slice = Sell::slots_per_slice / sell.segments;
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
          if (column < 0 || column >= static_cast<std::int64_t>(sell.columns)) findings.add(0, row);
        } else {
          const Ordinal absolute = sell.column_indices(at);
          if (absolute == Sell::void_column) continue;
          if (absolute < 0 || absolute >= sell.columns) findings.add(0, row);
        }
        ++count;
      }
    if (count > 0 && row >= static_cast<std::int64_t>(sell.rows)) findings.add(1, row);
    existing += count;
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const SellMatrix<S, O, D, F>& sell, Defects& defects) {
  using Sell = SellMatrix<S, O, D, F>;
  if (sell.segments != 1 && sell.segments != 2 && sell.segments != 4 && sell.segments != 8 && sell.segments != 16) {
    defects.push_back(std::to_string(sell.segments) + " segments");
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

}  // namespace lacuna::Impl

#endif
