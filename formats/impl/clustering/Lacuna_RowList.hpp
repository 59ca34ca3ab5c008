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
  Ordinal* place_of;  ///< -1 where nothing was found yet
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const auto row = static_cast<std::int64_t>(row_list[place]);
    if (row == -1) return;
    if (row < 0 || row >= rows)
      found.add(0, place);
    else if (Kokkos::atomic_compare_exchange(&place_of[row], Ordinal(-1), static_cast<Ordinal>(place)) != Ordinal(-1))
      found.add(2, -1);
  }
};

/// Counts the rows that no place holds.
template <class Ordinal>
struct FindMissingRows {
  const Ordinal* place_of;
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (place_of[row] < 0) found.add(1, row);
  }
};

template <class Device, class Ordinal>
struct RowList {
  using View = Kokkos::View<Ordinal*, Device>;

  std::int64_t rows;
  int height;
  View row_list;  ///< a copy, or what is known; empty: consecutive rows
  View place_of;

  /// A list that is known to hold every row once, with no copy and no inverse: panels can be merged in it.
  RowList(std::int64_t row_count, int panel_height, const View& known)
      : rows(row_count), height(panel_height), row_list(known) {}

  /// `kept`: bytes that the caller has or will have allocated by now. Waits for `exec` where there is a list. \throws
  /// InvalidArgument where it does not hold every row once.
  template <class ExecutionSpace>
  RowList(const char* function, const ExecutionSpace& exec, std::int64_t row_count, int panel_height, const View& given,
          std::size_t kept, std::size_t memory_limit)
      : rows(row_count), height(panel_height) {
    const auto places = static_cast<std::int64_t>(given.extent(0));
    if (places == 0) return;
    if (places % height != 0)
      raise<InvalidArgument>(function, "row_list has ", places, " elements, no multiple of ", height);
    if (places > static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()))
      raise<NotSupported>(function, "row_list has ", places, " elements, more than an index can count");
    const auto label = std::string("Lacuna::") + function;
    check_memory(function, kept + static_cast<std::size_t>(rows) * sizeof(Ordinal), memory_limit);
    row_list = allocate<View>(function, exec, label + "::row_list", places);
    place_of = allocate<View>(function, exec, label + "::place_of", rows);
    Kokkos::deep_copy(exec, row_list, given);
    Kokkos::deep_copy(exec, place_of, Ordinal(-1));
    const FindingStore<Device> store(function, exec, 3);
    for_each_index(exec, label + "::invert_row_list", places,
                   InvertRowList<Ordinal>{rows, row_list.data(), place_of.data(), store.counters()});
    for_each_index(exec, label + "::find_missing_rows", rows,
                   FindMissingRows<Ordinal>{place_of.data(), store.counters()});
    const auto found = store.read(exec);
    if (found.count(0) > 0) raise<InvalidArgument>(function, "row_list(", found.first_row(0), ") is out of range");
    if (found.count(2) > 0) raise<InvalidArgument>(function, "row_list holds a row more than once");
    if (found.count(1) > 0)
      raise<InvalidArgument>(function, "row_list lacks rows of the matrix: ", found.count(1), " of ", rows,
                             ", the first is row ", found.first_row(1));
  }

  PanelRows<Ordinal> panel_rows() const {
    const bool listed = row_list.extent(0) > 0;
    const auto places = listed ? static_cast<std::int64_t>(row_list.extent(0)) : rows;
    return {rows, (places + height - 1) / height, height, listed ? row_list.data() : nullptr,
            listed ? place_of.data() : nullptr};
  }
  std::size_t temporary_bytes() const { return bytes_of(place_of); }
};

}  // namespace lacuna::Impl

#endif
