// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWLIST_HPP
#define LACUNA_ROWLIST_HPP

#include <core/impl/inspection/Lacuna_Findings.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/panels/Lacuna_PanelMerge.hpp>

#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief Panels of rows in an order that the caller gives: a copy of the list, checked, and its inverse.

namespace lacuna::Impl {

/// Writes the inverse of a row list; counts rows out of range and rows that stand in it twice.
template <class Ordinal>
struct InvertRowList {
  std::int64_t rows;
  const Ordinal* row_list;
  Ordinal* position_of;  ///< -1 where nothing was found yet
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t position) const {
    const auto row = static_cast<std::int64_t>(row_list[position]);
    if (row == -1) return;
    if (row < 0 || row >= rows)
      findings.add(0, position);
    else if (Kokkos::atomic_compare_exchange(&position_of[row], Ordinal(-1), static_cast<Ordinal>(position)) !=
             Ordinal(-1))
      findings.add(2, -1);
  }
};

/// Counts the rows that no position holds.
template <class Ordinal>
struct FindMissingRows {
  const Ordinal* position_of;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (position_of[row] < 0) findings.add(1, row);
  }
};

template <class Device, class Ordinal>
struct RowList {
  using View = Kokkos::View<Ordinal*, Device>;

  std::int64_t rows;
  int height;
  View row_list;  ///< a copy, or what is known; empty: consecutive rows
  View position_of;

  /// A list that is known to hold every row once, with no copy and no inverse: panels can be merged in it.
  RowList(std::int64_t row_count, int panel_height, const View& known)
      : rows(row_count), height(panel_height), row_list(known) {}

  /// `kept`: bytes that the caller has or will have allocated by now. Waits for `exec` where there is a list. \throws
  /// InvalidArgument where it does not hold every row once.
  template <class ExecutionSpace>
  RowList(const char* function, const ExecutionSpace& exec, std::int64_t row_count, int panel_height, const View& given,
          std::size_t kept, std::size_t memory_limit)
      : rows(row_count), height(panel_height) {
    const auto positions = static_cast<std::int64_t>(given.extent(0));
    if (positions == 0) return;
    if (positions % height != 0)
      raise<InvalidArgument>(function, "row_list has ", positions, " elements, no multiple of ", height);
    if (positions > static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()))
      raise<NotSupported>(function, "row_list has ", positions, " elements, more than an index can count");
    const auto label = std::string("Lacuna::") + function;
    check_memory(function, kept + static_cast<std::size_t>(rows) * sizeof(Ordinal), memory_limit);
    row_list    = allocate<View>(function, exec, label + "::row_list", positions);
    position_of = allocate<View>(function, exec, label + "::position_of", rows);
    Kokkos::deep_copy(exec, row_list, given);
    Kokkos::deep_copy(exec, position_of, Ordinal(-1));
    const FindingStore<Device> store(function, exec, 3);
    for_each_index(exec, label + "::invert_row_list", positions,
                   InvertRowList<Ordinal>{rows, row_list.data(), position_of.data(), store.counters()});
    for_each_index(exec, label + "::find_missing_rows", rows,
                   FindMissingRows<Ordinal>{position_of.data(), store.counters()});
    const auto findings = store.read(exec);
    if (findings.count(0) > 0)
      raise<InvalidArgument>(function, "row_list(", findings.first_row(0), ") is out of range");
    if (findings.count(2) > 0) raise<InvalidArgument>(function, "row_list holds a row more than once");
    if (findings.count(1) > 0)
      raise<InvalidArgument>(function, "row_list lacks rows of the matrix: ", findings.count(1), " of ", rows,
                             ", the first is row ", findings.first_row(1));
  }

  PanelRows<Ordinal> panel_rows() const {
    const bool listed    = row_list.extent(0) > 0;
    const auto positions = listed ? static_cast<std::int64_t>(row_list.extent(0)) : rows;
    return {rows, (positions + height - 1) / height, height, listed ? row_list.data() : nullptr,
            listed ? position_of.data() : nullptr};
  }
  std::size_t temporary_bytes() const { return bytes_of(position_of); }
};

}  // namespace lacuna::Impl

#endif
