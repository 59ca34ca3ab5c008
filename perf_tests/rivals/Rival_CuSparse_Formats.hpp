// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_FORMATS_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_FORMATS_HPP

#include <spmv/Bench_SpmvProblem.hpp>

#include <core/impl/matrix/Lacuna_Crs.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief CSR to the other storages that cuSPARSE multiplies with, on the device. Written for the benchmark alone, so
/// that nothing of Lacuna stands between a rival and its data.

namespace lacuna::bench {

template <class T>
using DeviceArray = Kokkos::View<T*, Device>;

using Rows = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;

/// The row of each nonzero, by bisection of the row map.
template <class Arrays>
struct RowOfNonzero {
  Arrays A;
  DeviceArray<typename Arrays::Ordinal> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t low = 0, high = A.rows;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      if (static_cast<std::int64_t>(A.row_map[middle]) <= k)
        low = middle;
      else
        high = middle;
    }
    rows(k) = static_cast<typename Arrays::Ordinal>(low);
  }
};

template <class Problem>
struct SlicedEll {
  using Ordinal                   = typename Problem::Ordinal;
  static constexpr int slice_size = 32;
  DeviceArray<Ordinal> offsets;
  DeviceArray<Ordinal> columns;
  DeviceArray<typename Problem::Scalar> values;
};

template <class Arrays>
struct SliceOffsets {
  Arrays A;
  std::int64_t slices;
  int slice_size;
  DeviceArray<typename Arrays::Ordinal> offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t slice, std::int64_t& offset, bool last) const {
    if (last) offsets(slice) = static_cast<typename Arrays::Ordinal>(offset);
    if (slice == slices) return;
    std::int64_t width = 0;
    for (std::int64_t row = slice * slice_size; row < (slice + 1) * slice_size && row < A.rows; ++row)
      width = Kokkos::max(width, static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]));
    offset += width * slice_size;
  }
};

template <class Arrays, class Storage>
struct FillSlices {
  Arrays A;
  Storage sell;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t slice = row / Storage::slice_size;
    const std::int64_t width = (sell.offsets(slice + 1) - sell.offsets(slice)) / Storage::slice_size;
    const std::int64_t first = row < A.rows ? static_cast<std::int64_t>(A.row_map[row]) : 0;
    const std::int64_t count = row < A.rows ? static_cast<std::int64_t>(A.row_map[row + 1]) - first : 0;
    for (std::int64_t k = 0; k < width; ++k) {
      const std::int64_t place = sell.offsets(slice) + k * Storage::slice_size + row % Storage::slice_size;
      sell.columns(place)      = k < count ? A.entries[first + k] : typename Arrays::Ordinal(-1);
      sell.values(place)       = k < count ? A.values[first + k] : typename Arrays::Scalar(0);
    }
  }
};

/// \throws NotSupported where padding would more than quadruple the matrix.
template <class Problem>
SlicedEll<Problem> to_sliced_ell(const Problem& problem) {
  using Storage         = SlicedEll<Problem>;
  const auto A          = Impl::arrays_of(problem.A);
  const auto rows       = static_cast<std::int64_t>(A.rows);
  const auto slices     = (rows + Storage::slice_size - 1) / Storage::slice_size;
  using Arrays          = std::remove_cv_t<decltype(A)>;
  const auto& exec      = problem.exec;
  std::int64_t elements = 0;
  Storage sell;
  sell.offsets = decltype(sell.offsets)(Kokkos::view_alloc(exec, "Lacuna::bench::sell_offsets"), slices + 1);
  Kokkos::parallel_scan("Lacuna::bench::sell_offsets", Rows(exec, 0, slices + 1),
                        SliceOffsets<Arrays>{A, slices, Storage::slice_size, sell.offsets}, elements);
  exec.fence("Lacuna::bench: the size of the slices is on the host");
  if (elements > 4 * static_cast<std::int64_t>(A.nonzeros) + Storage::slice_size * slices ||
      elements > std::numeric_limits<typename Problem::Ordinal>::max())
    throw NotSupported("padding makes the matrix more than four times as large");
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  sell.columns = decltype(sell.columns)(view_alloc(exec, WithoutInitializing, "Lacuna::bench::sell_columns"), elements);
  sell.values  = decltype(sell.values)(view_alloc(exec, WithoutInitializing, "Lacuna::bench::sell_values"), elements);
  Kokkos::parallel_for("Lacuna::bench::sell_fill", Rows(exec, 0, slices * Storage::slice_size),
                       FillSlices<Arrays, Storage>{A, sell});
  return sell;
}

template <class Problem>
struct BlockRows {
  int size = 0;
  DeviceArray<typename Problem::Offset> row_map;
  DeviceArray<typename Problem::Ordinal> columns;
  DeviceArray<typename Problem::Scalar> values;
};

/// Counts the rows that do not fit a pattern of aligned dense blocks with sorted columns.
template <class Arrays>
struct RowsOffTheBlocks {
  Arrays A;
  int size;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const {
    const auto head   = A.row_map[row - row % size];
    const auto first  = A.row_map[row];
    const auto length = A.row_map[row + 1] - first;
    bool fits         = length == A.row_map[row - row % size + 1] - head && length % size == 0;
    for (decltype(A.nonzeros + 0) k = 0; fits && k < length; ++k) {
      const auto column = A.entries[first + k];
      fits = column == A.entries[head + k] && column % size == static_cast<decltype(column % size)>(k % size) &&
             (k % size == 0 || column == A.entries[first + k - 1] + 1);
    }
    if (!fits) ++count;
  }
};

template <class Arrays, class Storage>
struct FillBlocks {
  Arrays A;
  Storage bsr;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t size = bsr.size, block_row = row / size, r = row % size;
    const auto head   = static_cast<std::int64_t>(A.row_map[block_row * size]);
    const auto first  = static_cast<std::int64_t>(A.row_map[row]);
    const auto length = static_cast<std::int64_t>(A.row_map[row + 1]) - first;
    for (std::int64_t k = 0; k < length; ++k) {
      const std::int64_t block = head / (size * size) + k / size;
      if (r == 0 && k % size == 0) bsr.columns(block) = A.entries[first + k] / static_cast<int>(size);
      bsr.values(block * size * size + r * size + k % size) = A.values[first + k];
    }
    if (r == 0) bsr.row_map(block_row) = head / (size * size);
    if (row + 1 == A.rows) bsr.row_map(block_row + 1) = A.nonzeros / (size * size);
  }
};

/// \throws NotSupported where the pattern is not made of dense blocks of 2 to 8.
template <class Problem>
BlockRows<Problem> to_block_rows(const Problem& problem) {
  const auto A     = Impl::arrays_of(problem.A);
  using Arrays     = std::remove_cv_t<decltype(A)>;
  const auto& exec = problem.exec;
  BlockRows<Problem> bsr;
  for (int size = A.nonzeros > 0 ? 8 : 0; size >= 2 && bsr.size == 0; --size) {
    if (A.rows % size != 0 || A.columns % size != 0) continue;
    std::int64_t off = 0;
    Kokkos::parallel_reduce("Lacuna::bench::bsr_detect", Rows(exec, 0, A.rows), RowsOffTheBlocks<Arrays>{A, size}, off);
    if (off == 0) bsr.size = size;
  }
  if (bsr.size == 0) throw NotSupported("the pattern is not made of aligned dense blocks");
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  bsr.row_map =
      decltype(bsr.row_map)(view_alloc(exec, WithoutInitializing, "Lacuna::bench::bsr_row_map"), A.rows / bsr.size + 1);
  bsr.columns = decltype(bsr.columns)(view_alloc(exec, WithoutInitializing, "Lacuna::bench::bsr_columns"),
                                      A.nonzeros / (bsr.size * bsr.size));
  bsr.values  = decltype(bsr.values)(view_alloc(exec, WithoutInitializing, "Lacuna::bench::bsr_values"), A.nonzeros);
  Kokkos::parallel_for("Lacuna::bench::bsr_fill", Rows(exec, 0, A.rows),
                       FillBlocks<Arrays, BlockRows<Problem>>{A, bsr});
  return bsr;
}

}  // namespace lacuna::bench

#endif
