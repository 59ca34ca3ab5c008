// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CRSWORKITEMS_HPP
#define LACUNA_CRSWORKITEMS_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief The nonzeros of a matrix cut into work items, and marks where rows end: what a balanced kernel keeps in a
/// plan.
///
/// Work item p begins at nonzero p T where that lies in a long row (more than L nonzeros), else at the next row. So
/// only long rows are shared between work items. Rows without nonzeros are kept apart: they end nowhere.

namespace lacuna::Impl {

template <class Arrays>
struct CrsWorkItems {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  struct Begin {
    Offset nonzero;
    Ordinal rank;             ///< of the row that holds `nonzero`, among rows with nonzeros
    std::int32_t first_item;  ///< where that row began, if it did so in an earlier work item; else -1
    std::int32_t shares;      ///< work items of that row
  };

  std::int64_t count            = 0;
  const Begin* begin            = nullptr;  ///< one a work item, and one behind
  const std::uint32_t* row_ends = nullptr;  ///< bit i: a row with nonzeros ends in front of nonzero i
  const Ordinal* filled_rows    = nullptr;  ///< the rows with nonzeros; null where all have some
  const Ordinal* empty_rows     = nullptr;
  std::int64_t empty_count      = 0;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal rank) const {
    return filled_rows == nullptr ? rank : filled_rows[rank];
  }
};

/// Nonzeros of a work item (T) and of the longest row that is never shared (L).
struct CrsWorkItemSize {
  std::int64_t item, longest;
};

template <class Arrays>
struct MarkRowEnds {
  Arrays A;
  std::uint32_t* row_ends;
  KOKKOS_FUNCTION void operator()(const std::int64_t row) const {
    const auto end = static_cast<std::uint64_t>(A.row_map[row + 1]);
    if (A.row_map[row] < A.row_map[row + 1])
      Kokkos::atomic_or(row_ends + end / 32, std::uint32_t{1} << static_cast<unsigned>(end % 32));
  }
};

/// Lists rows with and without nonzeros.
template <class Arrays>
struct SortOutRows {
  using value_type = std::int64_t;
  Arrays A;
  typename Arrays::Ordinal* filled_rows;
  typename Arrays::Ordinal* empty_rows;
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& filled, const bool is_final) const {
    const bool is_filled = A.row_map[row] < A.row_map[row + 1];
    if (is_final)
      (is_filled ? filled_rows[filled] : empty_rows[row - filled]) = static_cast<typename Arrays::Ordinal>(row);
    filled += is_filled ? 1 : 0;
  }
};

template <class Arrays>
struct FindWorkItems {
  using Ordinal = typename Arrays::Ordinal;
  using Begin   = typename CrsWorkItems<Arrays>::Begin;
  Arrays A;
  CrsWorkItemSize size;
  const Ordinal* filled_rows;  // null where all rows are
  std::int64_t filled;
  Begin* begin;

  KOKKOS_FUNCTION void operator()(const std::int64_t item) const {
    const std::int64_t nonzero = item * size.item;
    const auto rows            = static_cast<std::int64_t>(A.rows);
    if (nonzero >= static_cast<std::int64_t>(A.nonzeros)) {
      begin[item] = {A.nonzeros, static_cast<Ordinal>(filled), -1, 0};
      return;
    }
    // The last row that begins at or in front of the nonzero: it holds it.
    const std::int64_t row  = upper_bound(A.row_map, 0, rows, nonzero) - 1;
    const std::int64_t rank = filled_rows == nullptr ? row : lower_bound(filled_rows, 0, filled, row);
    const auto row_begin    = static_cast<std::int64_t>(A.row_map[row]);
    const auto row_end      = static_cast<std::int64_t>(A.row_map[row + 1]);
    if (row_begin == nonzero)
      begin[item] = {A.row_map[row], static_cast<Ordinal>(rank), -1, 0};
    else if (row_end - row_begin <= size.longest)
      begin[item] = {A.row_map[row + 1], static_cast<Ordinal>(rank + 1), -1, 0};
    else
      begin[item] = {static_cast<typename Arrays::Offset>(nonzero), static_cast<Ordinal>(rank),
                     static_cast<std::int32_t>(row_begin / size.item),
                     static_cast<std::int32_t>((row_end - 1) / size.item - row_begin / size.item + 1)};
  }
};

template <class Arrays, class MemorySpace>
struct CrsWorkItemStorage {
  using WorkItems = CrsWorkItems<Arrays>;
  using Ordinal   = typename Arrays::Ordinal;
  template <class T>
  using View = Kokkos::View<T*, MemorySpace>;

  View<typename WorkItems::Begin> begin;
  View<std::uint32_t> row_ends;
  View<Ordinal> filled_rows;
  View<Ordinal> empty_rows;

  std::size_t bytes() const { return bytes_of(begin, row_ends, filled_rows, empty_rows); }
  WorkItems items() const {
    return {static_cast<std::int64_t>(begin.extent(0)) - 1,
            begin.data(),
            row_ends.data(),
            filled_rows.extent(0) > 0 ? filled_rows.data() : nullptr,
            empty_rows.data(),
            static_cast<std::int64_t>(empty_rows.extent(0))};
  }
};

/// Numbers of elements in the storage of work items.
struct CrsWorkItemExtents {
  std::int64_t items, words, filled, empty;

  CrsWorkItemExtents(CrsWorkItemSize size, std::int64_t rows, std::int64_t nonzeros, std::int64_t empty_rows)
      : items(ceiling_quotient(nonzeros, size.item)),
        words((nonzeros / 512 + 1) * 16),  // whole steps of any warp
        filled(empty_rows > 0 ? rows - empty_rows : 0),
        empty(empty_rows) {}

  template <class Arrays>
  std::size_t bytes() const {
    return static_cast<std::size_t>(items + 1) * sizeof(typename CrsWorkItems<Arrays>::Begin) +
           static_cast<std::size_t>(words) * sizeof(std::uint32_t) +
           static_cast<std::size_t>(filled + empty) * sizeof(typename Arrays::Ordinal);
  }
};

/// Cuts a matrix with `empty_rows` rows without nonzeros. `where`: who asks for memory. Does not fence.
template <class ExecutionSpace, class Arrays>
auto make_crs_items(const ExecutionSpace& exec, const char* where, const Arrays& A, CrsWorkItemSize size,
                    std::int64_t empty_rows) {
  const auto rows     = static_cast<std::int64_t>(A.rows);
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros);
  const CrsWorkItemExtents n(size, rows, nonzeros, empty_rows);
  CrsWorkItemStorage<Arrays, typename ExecutionSpace::memory_space> storage;
  const auto make = [&](auto& view, const char* label, std::int64_t count) {
    if (count > 0) view = allocate<std::remove_reference_t<decltype(view)>>(where, exec, label, count);
  };
  make(storage.begin, "Lacuna::work_items::begin", n.items + 1);
  make(storage.row_ends, "Lacuna::work_items::row_ends", n.words);
  make(storage.filled_rows, "Lacuna::work_items::filled_rows", n.filled);
  make(storage.empty_rows, "Lacuna::work_items::empty_rows", n.empty);
  Kokkos::deep_copy(exec, storage.row_ends, 0u);
  for_each_index(exec, "Lacuna::work_items::row_ends", rows, MarkRowEnds<Arrays>{A, storage.row_ends.data()});
  if (n.empty > 0)
    Kokkos::parallel_scan("Lacuna::work_items::filled_rows", index_range(exec, rows),
                          SortOutRows<Arrays>{A, storage.filled_rows.data(), storage.empty_rows.data()});
  for_each_index(
      exec, "Lacuna::work_items::begin", n.items + 1,
      FindWorkItems<Arrays>{A, size, storage.items().filled_rows, n.empty > 0 ? n.filled : rows, storage.begin.data()});
  return storage;
}

}  // namespace lacuna::Impl

#endif
