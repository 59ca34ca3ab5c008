// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_GCOO_HPP
#define LACUNA_CONVERT_GCOO_HPP

#include <Lacuna_GcooMatrix.hpp>
#include <Lacuna_Transpose.hpp>
#include <formats/impl/coo/Lacuna_Convert_Coo.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

/// \file
/// \brief CSR to `GcooMatrix` and back. Groups of rows of a matrix whose rows are sorted are merged by rank in one
/// pass; everything else is a stable sort.

namespace lacuna::Impl {

/// Nonzeros that lie left of the one before them in their row: the descents of the whole array, less those at the first
/// nonzeros of rows.
template <class Ordinal, class Offset>
struct CountDescents {
  std::int64_t rows;
  std::int64_t nonzeros;
  const Offset* row_map;
  const Ordinal* entries;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    if (i > 0 && i < nonzeros && entries[i] < entries[i - 1]) ++count;
    if (i >= rows) return;
    const auto first = static_cast<std::int64_t>(row_map[i]);
    if (first > 0 && first < static_cast<std::int64_t>(row_map[i + 1]) && entries[first] < entries[first - 1]) --count;
  }
};

/// Waits for `exec`.
template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
bool rows_are_sorted(const std::string& label, const ExecutionSpace& exec,
                     const CrsArrays<Scalar, Ordinal, Offset>& crs) {
  const auto rows = static_cast<std::int64_t>(crs.rows), nonzeros = static_cast<std::int64_t>(crs.nonzeros);
  std::int64_t descents = 0;
  if (nonzeros > 1)
    Kokkos::parallel_reduce(label, index_range(exec, std::max(rows, nonzeros)),
                            CountDescents<Ordinal, Offset>{rows, nonzeros, crs.row_map, crs.entries}, descents);
  return descents == 0;
}

template <class Scalar, class Ordinal, class Offset>
struct GcooArrays {
  std::int64_t group_size;
  Scalar* values;
  Ordinal* rows;
  Ordinal* cols;
  Offset* gIdxes;
  Offset* nnzPerGroup;
  Offset* source;
};

template <class S, class O, class D, class F>
GcooArrays<S, O, F> gcoo_arrays(const GcooMatrix<S, O, D, F>& gcoo) {
  return {gcoo.group_size,    gcoo.values.data(),      gcoo.rows.data(),  gcoo.cols.data(),
          gcoo.gIdxes.data(), gcoo.nnzPerGroup.data(), gcoo.source.data()};
}

/// Groups of rows begin where their first row does.
template <class Scalar, class Ordinal, class Offset>
struct GroupsOfRows {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  GcooArrays<Scalar, Ordinal, Offset> gcoo;
  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    const std::int64_t first = group * gcoo.group_size, last = first + gcoo.group_size;
    const auto rows         = static_cast<std::int64_t>(crs.rows);
    gcoo.gIdxes[group]      = crs.row_map[first];
    gcoo.nnzPerGroup[group] = crs.row_map[last < rows ? last : rows] - crs.row_map[first];
  }
};

/// Rows of a group up to which each nonzero is searched in all of them. Beyond, sorting costs less. Not tuned.
inline constexpr std::int64_t most_merged_rows = 64;

/// The position of a nonzero in its group of sorted rows: how many of each row come before it.
template <class Scalar, class Ordinal, class Offset>
struct MergeRows {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  GcooArrays<Scalar, Ordinal, Offset> gcoo;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    const auto own           = static_cast<std::int64_t>(row);
    const std::int64_t first = own / gcoo.group_size * gcoo.group_size;
    std::int64_t last        = first + gcoo.group_size;
    if (last > static_cast<std::int64_t>(crs.rows)) last = static_cast<std::int64_t>(crs.rows);
    const Ordinal column    = crs.entries[k];
    const auto own_begin    = static_cast<std::int64_t>(crs.row_map[own]);
    const std::int64_t rank = static_cast<std::int64_t>(k) - own_begin;
    std::int64_t position   = static_cast<std::int64_t>(crs.row_map[first]) + rank;
    for (std::int64_t other = first; other < last; ++other) {
      const auto begin = static_cast<std::int64_t>(crs.row_map[other]);
      const auto end   = static_cast<std::int64_t>(crs.row_map[other + 1]);
      if (other == own || begin == end) continue;
      // Rows of a group are often alike: the same rank is a good guess. Equal columns of rows before come before.
      const std::int64_t near  = begin + (rank < end - begin ? rank : end - begin - 1);
      const std::int64_t least = static_cast<std::int64_t>(column) + (other < own ? 1 : 0);
      position += lower_bound_near(crs.entries, begin, end, near, least) - begin;
    }
    gcoo.values[position] = crs.values[k];
    gcoo.rows[position]   = row;
    gcoo.cols[position]   = column;
    gcoo.source[position] = k;
  }
};

/// Keys of elements become those of their groups.
template <class Ordinal>
struct GroupOfKey {
  Ordinal* keys;
  std::int64_t group_size;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { keys[k] = static_cast<Ordinal>(keys[k] / group_size); }
};

/// Where groups begin among the sorted groups of all elements.
template <class Ordinal, class Offset>
struct GroupsOfKeys {
  const Ordinal* keys;
  std::int64_t count;
  Offset* gIdxes;
  Offset* nnzPerGroup;
  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    const std::int64_t begin = lower_bound(keys, 0, count, group);
    gIdxes[group]            = static_cast<Offset>(begin);
    nnzPerGroup[group]       = static_cast<Offset>(upper_bound(keys, begin, count, group) - begin);
  }
};

template <class Format>
Format new_gcoo(const char* function, typename Format::Ordinal rows, typename Format::Ordinal columns,
                const GcooOptions& options) {
  if (options.group_size < 1)
    raise<InvalidArgument>(function, "group_size is ", options.group_size, ", at least 1 is needed");
  Format gcoo;
  gcoo.row_count    = rows;
  gcoo.column_count = columns;
  gcoo.grouping     = options.grouping;
  const auto extent = static_cast<std::int64_t>(options.grouping == GcooGrouping::rows ? rows : columns);
  gcoo.group_size   = std::min(options.group_size, std::max<std::int64_t>(1, extent));
  return gcoo;
}

/// `counts` elements for each of several arrays, in one allocation: each costs tens of microseconds on a GPU. The
/// arrays share it; it goes with the last of them.
template <class View, std::size_t size, class ExecutionSpace>
std::array<View, size> allocate_together(const char* function, const ExecutionSpace& exec, const std::string& label,
                                         const std::array<std::int64_t, size>& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  const auto all = allocate<View>(function, exec, label, sum);
  std::array<View, size> views;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t end = begin + static_cast<std::size_t>(counts[i]);
    views[i]              = Kokkos::subview(all, std::pair(begin, end));
    begin                 = end;
  }
  return views;
}

/// Offsets and indices: in one allocation where they have one type.
template <class Offsets, class Indices, std::size_t offsets, std::size_t indices, class ExecutionSpace>
std::pair<std::array<Offsets, offsets>, std::array<Indices, indices>> allocate_offsets_and_indices(
    const char* function, const ExecutionSpace& exec, const std::string& label,
    const std::array<std::int64_t, offsets>& offset_counts, const std::array<std::int64_t, indices>& index_counts) {
  if constexpr (std::is_same_v<Offsets, Indices>) {
    std::array<std::int64_t, offsets + indices> counts{};
    std::copy(offset_counts.begin(), offset_counts.end(), counts.begin());
    std::copy(index_counts.begin(), index_counts.end(), counts.begin() + offsets);
    const auto all = allocate_together<Offsets>(function, exec, label, counts);
    std::pair<std::array<Offsets, offsets>, std::array<Indices, indices>> views;
    std::copy(all.begin(), all.begin() + offsets, views.first.begin());
    std::copy(all.begin() + offsets, all.end(), views.second.begin());
    return views;
  } else {
    return {allocate_together<Offsets>(function, exec, label, offset_counts),
            allocate_together<Indices>(function, exec, label, index_counts)};
  }
}

/// Bytes that `sort_into_groups` has at most before it gathers.
template <class Reorder, class ExecutionSpace, class Arrays, class Format>
std::size_t grouping_bytes(const Arrays& crs, const Format& gcoo, bool sorted) {
  const auto sort = [&](std::int64_t keys) { return Reorder::template sort_bytes<ExecutionSpace>(crs, keys); };
  const std::size_t by_groups = sort(gcoo.groups());
  if (gcoo.grouping == GcooGrouping::rows) {
    const auto gathering = static_cast<std::size_t>(crs.nonzeros) *
                           (3 * sizeof(typename Format::Ordinal) + sizeof(typename Format::Offset));
    return std::max({sort(static_cast<std::int64_t>(crs.columns)), gathering, by_groups});
  }
  return sorted ? by_groups : std::max(Reorder::template order_bytes<ExecutionSpace>(crs), by_groups);
}

/// Sorts until elements stand by groups; `source` tells where each comes from.
template <class Reorder, class ExecutionSpace, class Matrix, class Format>
void sort_into_groups(const ExecutionSpace& exec, const Matrix& A, Format& gcoo, bool sorted) {
  using Ordinal      = typename Format::Ordinal;
  using Indices      = typename Reorder::Indices;
  const auto crs     = arrays_of(A);
  const auto count   = static_cast<std::int64_t>(crs.nonzeros);
  const bool by_rows = gcoo.grouping == GcooGrouping::rows;
  typename Reorder::Source source;
  Indices keys;
  if (by_rows) {
    source = Reorder::order_of_columns("to_gcoo", exec, A, keys);
    keys =
        Reorder::template gathered<Indices>("to_gcoo", exec, Reorder::row_indices("to_gcoo", exec, crs).data(), source);
  } else if (!sorted) {
    source = Reorder::order_of_sorted_rows("to_gcoo", exec, A);
    keys   = Reorder::template gathered<Indices>("to_gcoo", exec, crs.entries, source);
  } else {
    source = allocate<typename Reorder::Source>("to_gcoo", exec, "Lacuna::to_gcoo::source", count);
    keys   = allocate<Indices>("to_gcoo", exec, "Lacuna::to_gcoo::keys", count);
    Kokkos::deep_copy(exec, keys, A.graph.entries);
  }
  for_each_index(exec, "Lacuna::to_gcoo::group_of_key", count, GroupOfKey<Ordinal>{keys.data(), gcoo.group_size});
  stable_sort("to_gcoo", exec, keys, source, std::max<std::int64_t>(1, gcoo.groups()), !by_rows && sorted);
  for_each_index(
      exec, "Lacuna::to_gcoo::groups", gcoo.groups(),
      GroupsOfKeys<Ordinal, typename Format::Offset>{keys.data(), count, gcoo.gIdxes.data(), gcoo.nnzPerGroup.data()});
  keys        = Indices();
  gcoo.source = source;
  gcoo.rows =
      Reorder::template gathered<Indices>("to_gcoo", exec, Reorder::row_indices("to_gcoo", exec, crs).data(), source);
  gcoo.cols   = Reorder::template gathered<Indices>("to_gcoo", exec, crs.entries, source);
  gcoo.values = Reorder::template gathered<typename Reorder::Values>("to_gcoo", exec, crs.values, source);
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<GcooMatrix, Matrix> gcoo_from_crs(const ExecutionSpace& exec, const Matrix& A, const GcooOptions& options) {
  using Format     = FormatOf<GcooMatrix, Matrix>;
  using Scalar     = typename Format::Scalar;
  using Ordinal    = typename Format::Ordinal;
  using Offset     = typename Format::Offset;
  using Order      = Reorder<Matrix>;
  const auto crs   = arrays_of(A);
  const auto n     = static_cast<std::int64_t>(crs.nonzeros);
  Format gcoo      = new_gcoo<Format>("to_gcoo", crs.rows, crs.columns, options);
  const auto kept  = 2 * static_cast<std::size_t>(gcoo.groups()) * sizeof(Offset);
  const auto bytes = kept + static_cast<std::size_t>(n) * (sizeof(Scalar) + 2 * sizeof(Ordinal) + sizeof(Offset));
  check_memory("to_gcoo", bytes, options.memory_limit);
  const bool sorted = rows_are_sorted("Lacuna::to_gcoo::order", exec, crs);
  const bool merges = sorted && gcoo.grouping == GcooGrouping::rows && gcoo.group_size <= most_merged_rows;
  if (!merges)
    check_memory("to_gcoo", std::max(bytes, kept + grouping_bytes<Order, ExecutionSpace>(crs, gcoo, sorted)),
                 options.memory_limit);
  using Indices                 = decltype(gcoo.rows);
  using Offsets                 = decltype(gcoo.gIdxes);
  const std::int64_t merged     = merges ? n : 0;
  const auto [offsets, indices] = allocate_offsets_and_indices<Offsets, Indices>(
      "to_gcoo", exec, "Lacuna::to_gcoo::indices", std::array{gcoo.groups(), gcoo.groups(), merged},
      std::array{merged, merged});
  gcoo.gIdxes      = offsets[0];
  gcoo.nnzPerGroup = offsets[1];
  if (!merges) {
    sort_into_groups<Order>(exec, A, gcoo, sorted);
    return gcoo;
  }
  gcoo.source       = offsets[2];
  gcoo.rows         = indices[0];
  gcoo.cols         = indices[1];
  gcoo.values       = allocate<decltype(gcoo.values)>("to_gcoo", exec, "Lacuna::to_gcoo::values", n);
  const auto arrays = gcoo_arrays(gcoo);
  for_each_index(exec, "Lacuna::to_gcoo::groups", gcoo.groups(), GroupsOfRows<Scalar, Ordinal, Offset>{crs, arrays});
  for_each_nonzero(exec, "Lacuna::to_gcoo::merge", crs.rows, crs.nonzeros, crs.row_map,
                   MergeRows<Scalar, Ordinal, Offset>{crs, arrays});
  return gcoo;
}

/// Coordinates by way of CSR, which lives as long as the conversion.
template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
GcooMatrix<S, O, D, F> gcoo_by_crs(const ExecutionSpace& exec, const CooMatrix<S, O, D, F>& A, GcooOptions options) {
  const std::size_t crs = static_cast<std::size_t>(A.nonzeros()) * (sizeof(S) + sizeof(O)) +
                          (static_cast<std::size_t>(A.rows) + 1) * sizeof(F);
  check_memory("to_gcoo", crs, options.memory_limit);
  if (options.memory_limit != unlimited) options.memory_limit -= crs;
  return gcoo_from_crs(exec, crs_from(exec, A), options);
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const GcooMatrix<S, O, D, F>& gcoo) {
  if (gcoo.source.extent(0) != gcoo.values.extent(0))
    raise<InvalidArgument>("update_values", "this GCOO was not made from a CSR matrix");
  for_each_index(exec, "Lacuna::update_values::gcoo", static_cast<std::int64_t>(gcoo.nonzeros()),
                 Gather<S, F>{arrays_of(A).values, gcoo.source.data(), gcoo.values.data()});
}

/// Rows keep the order that their elements have in the groups. Waits for `exec`.
template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename GcooMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const GcooMatrix<S, O, D, F>& gcoo) {
  using Crs     = typename GcooMatrix<S, O, D, F>::Crs;
  using Order   = Reorder<Crs>;
  using Indices = typename Order::Indices;
  const auto n  = static_cast<std::int64_t>(gcoo.nonzeros());
  auto keys     = allocate<Indices>("to_crs", exec, "Lacuna::to_crs::rows", n);
  auto source   = allocate<typename Order::Source>("to_crs", exec, "Lacuna::to_crs::source", n);
  Kokkos::deep_copy(exec, keys, gcoo.rows);
  stable_sort("to_crs", exec, keys, source, std::max<std::int64_t>(1, static_cast<std::int64_t>(gcoo.row_count)), true);
  const auto rows    = static_cast<std::int64_t>(gcoo.row_count);
  const auto row_map = allocate<typename Order::RowMap>("to_crs", exec, "Lacuna::to_crs::row_map", rows + 1);
  for_each_index(exec, "Lacuna::to_crs::row_map", rows + 1, RowMapOfKeys<O, F>{n, keys.data(), row_map.data()});
  const auto entries = Order::template gathered<Indices>("to_crs", exec, gcoo.cols.data(), source);
  const auto values  = Order::template gathered<typename Order::Values>("to_crs", exec, gcoo.values.data(), source);
  return Crs("Lacuna::to_crs", gcoo.row_count, gcoo.column_count, static_cast<F>(n), values, row_map, entries);
}

}  // namespace lacuna::Impl

#endif
