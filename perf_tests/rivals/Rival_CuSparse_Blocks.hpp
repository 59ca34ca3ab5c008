// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_BLOCKS_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_BLOCKS_HPP

#include <core/impl/inspection/Lacuna_LengthStatistics.hpp>
#include <rivals/Rival_CuSparse_Formats.hpp>

#include <initializer_list>

/// \file
/// \brief CSR to square blocks that hold zeros where the pattern has none: BSR and Blocked-ELL, for any block size that
/// divides the matrix.

namespace lacuna::bench {

/// One block row: calls `visit(block column)` for each block that holds a nonzero, in ascending order. Rows are sorted.
template <int largest, class Arrays, class Visit>
KOKKOS_FUNCTION void for_each_block(const Arrays& A, std::int64_t block_row, int size, const Visit& visit) {
  std::int64_t place[largest];
  for (int r = 0; r < size; ++r) place[r] = static_cast<std::int64_t>(A.row_map[block_row * size + r]);
  while (true) {
    std::int64_t next = Kokkos::Experimental::finite_max_v<std::int64_t>;
    for (int r = 0; r < size; ++r)
      if (place[r] < static_cast<std::int64_t>(A.row_map[block_row * size + r + 1]))
        next = Kokkos::min(next, static_cast<std::int64_t>(A.entries[place[r]]) / size);
    if (next == Kokkos::Experimental::finite_max_v<std::int64_t>) return;
    visit(next);
    for (int r = 0; r < size; ++r)
      while (place[r] < static_cast<std::int64_t>(A.row_map[block_row * size + r + 1]) &&
             static_cast<std::int64_t>(A.entries[place[r]]) / size == next)
        ++place[r];
  }
}

inline constexpr int largest_block = 32;

struct CountVisits {
  std::int64_t* count;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { ++*count; }
};

template <class Arrays>
struct CountBlocks {
  Arrays A;
  int size;
  DeviceArray<std::int64_t> counts;
  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    std::int64_t count = 0;
    for_each_block<largest_block>(A, block_row, size, CountVisits{&count});
    counts(block_row) = count;
  }
};

/// A byte for each block: whether it holds a nonzero. For matrices whose blocks are not too many; rows of which are
/// long then take no time to look through.
struct BlockMarks {
  static constexpr std::int64_t most     = std::int64_t{1} << 26;
  static constexpr std::int64_t together = 32;  ///< threads that look through a row
  std::int64_t block_columns;
  DeviceArray<char> marks;
  KOKKOS_FUNCTION bool has(std::int64_t block_row, std::int64_t column) const {
    return marks(block_row * block_columns + column) != 0;
  }
};

template <class Arrays>
struct MarkBlocks {
  Arrays A;
  int size;
  BlockMarks blocks;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const std::int64_t row = thread / BlockMarks::together, first = row / size * blocks.block_columns;
    const auto end = static_cast<std::int64_t>(A.row_map[row + 1]);
    for (auto k = static_cast<std::int64_t>(A.row_map[row]) + thread % BlockMarks::together; k < end;
         k += BlockMarks::together)
      blocks.marks(first + static_cast<std::int64_t>(A.entries[k]) / size) = 1;
  }
};

struct CountMarks {
  BlockMarks blocks;
  DeviceArray<std::int64_t> counts;
  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    std::int64_t count = 0;
    for (std::int64_t column = 0; column < blocks.block_columns; ++column) count += blocks.has(block_row, column);
    counts(block_row) = count;
  }
};

template <class Ordinal, class Begin>
struct FillMarked {
  BlockMarks blocks;
  Begin begin;
  DeviceArray<Ordinal> columns;
  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    std::int64_t place = begin(block_row);
    for (std::int64_t column = 0; column < blocks.block_columns; ++column)
      if (blocks.has(block_row, column)) columns(place++) = static_cast<Ordinal>(column);
  }
};

template <class Arrays>
struct UnsortedRows {
  Arrays A;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const {
    for (auto k = A.row_map[row] + 1; k < A.row_map[row + 1]; ++k)
      if (A.entries[k - 1] >= A.entries[k]) {
        ++count;
        return;
      }
  }
};

struct LargestCount {
  DeviceArray<std::int64_t> counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& largest) const {
    if (counts(i) > largest) largest = counts(i);
  }
};

template <class Offset>
struct ScanCounts {
  DeviceArray<std::int64_t> counts;
  DeviceArray<Offset> offsets;
  std::int64_t length;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& offset, bool last) const {
    if (last) offsets(i) = static_cast<Offset>(offset);
    if (i < length) offset += counts(i);
  }
};

template <class Ordinal>
struct WriteColumn {
  Ordinal* place;
  std::int64_t* written;
  KOKKOS_FUNCTION void operator()(std::int64_t column) const { place[(*written)++] = static_cast<Ordinal>(column); }
};

/// Where each block row begins: by an offset in BSR, at a fixed width in Blocked-ELL.
template <class Offset>
struct BlockRowBegin {
  DeviceArray<Offset> offsets;  ///< empty: fixed width
  std::int64_t width;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block_row) const {
    return offsets.extent(0) > 0 ? static_cast<std::int64_t>(offsets(block_row)) : block_row * width;
  }
};

template <class Arrays, class Begin>
struct FillBlockColumns {
  Arrays A;
  int size;
  Begin begin;
  DeviceArray<typename Arrays::Ordinal> columns;
  KOKKOS_FUNCTION void operator()(std::int64_t block_row) const {
    std::int64_t written = 0;
    for_each_block<largest_block>(A, block_row, size,
                                  WriteColumn<typename Arrays::Ordinal>{columns.data() + begin(block_row), &written});
  }
};

/// A row's values, found block by block. `row_stride` apart stand the rows of a block, `block_stride` its blocks.
template <class Arrays, class Begin>
struct FillBlockValues {
  Arrays A;
  int size;
  Begin begin;
  DeviceArray<typename Arrays::Ordinal> columns;
  DeviceArray<typename Arrays::Scalar> values;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t block_row = row / size, r = row % size;
    const std::int64_t first = begin(block_row);
    const bool ell           = begin.offsets.extent(0) == 0;
    std::int64_t block       = first;
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const auto column = static_cast<std::int64_t>(A.entries[k]);
      while (static_cast<std::int64_t>(columns(block)) != column / size) ++block;
      const std::int64_t place =
          ell ? row * begin.width * size + (block - first) * size + column % size  // the rows of A, one after the other
              : (block * size + r) * size + column % size;                         // the rows of each block
      values(place) = A.values[k];
    }
  }
};

/// \brief Square blocks with zeros in them, as BSR (`row_map` set) or as Blocked-ELL (`width` blocks a block row,
/// missing ones have column -1).
template <class Problem>
struct PaddedBlocks {
  int size           = 0;
  std::int64_t width = 0;
  double fill        = 0;  ///< nonzeros per stored element
  DeviceArray<typename Problem::Offset> row_map;
  DeviceArray<typename Problem::Ordinal> columns;
  DeviceArray<typename Problem::Scalar> values;
};

/// \brief The first of `sizes` that divides the matrix and stores at most `limit` elements a nonzero.
/// \throws NotSupported where there is none, or rows are not sorted.
template <class Problem>
PaddedBlocks<Problem> to_padded_blocks(const Problem& problem, std::initializer_list<int> sizes, bool ell,
                                       double limit) {
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  using Offset       = typename Problem::Offset;
  using Ordinal      = typename Problem::Ordinal;
  const auto A       = Impl::arrays_of(problem.A);
  using Arrays       = std::remove_cv_t<decltype(A)>;
  const auto& exec   = problem.exec;
  const auto rows    = static_cast<std::int64_t>(A.rows);
  const auto columns = static_cast<std::int64_t>(A.columns);
  const auto nonzero = static_cast<double>(A.nonzeros);
  if (A.nonzeros == 0) throw NotSupported("there are no nonzeros");
  std::int64_t unsorted = 0;
  Kokkos::parallel_reduce("Lacuna::bench::unsorted_rows", Rows(exec, 0, rows), UnsortedRows<Arrays>{A}, unsorted);
  if (unsorted > 0) throw NotSupported("rows are not sorted");
  const std::int64_t longest = Impl::longest_row(exec, "Lacuna::bench::longest_row", A.rows, A.row_map);
  if (ell && static_cast<double>(longest) * static_cast<double>(rows) > limit * nonzero)
    throw NotSupported("the longest row makes every row too long");

  for (const int size : sizes) {
    if (rows % size != 0 || columns % size != 0) continue;
    const std::int64_t block_rows = rows / size;
    const DeviceArray<std::int64_t> counts(view_alloc(exec, WithoutInitializing, "Lacuna::bench::block_counts"),
                                           block_rows);
    BlockMarks marks{columns / size, {}};
    const bool has_marks = block_rows <= BlockMarks::most / marks.block_columns;
    if (has_marks) {
      marks.marks = DeviceArray<char>(view_alloc(exec, "Lacuna::bench::block_marks"), block_rows * marks.block_columns);
      Kokkos::parallel_for("Lacuna::bench::block_marks", Rows(exec, 0, rows * BlockMarks::together),
                           MarkBlocks<Arrays>{A, size, marks});
      Kokkos::parallel_for("Lacuna::bench::block_counts", Rows(exec, 0, block_rows), CountMarks{marks, counts});
    } else {
      Kokkos::parallel_for("Lacuna::bench::block_counts", Rows(exec, 0, block_rows),
                           CountBlocks<Arrays>{A, size, counts});
    }
    PaddedBlocks<Problem> blocks;
    blocks.size         = size;
    std::int64_t stored = 0;
    if (ell) {
      Kokkos::parallel_reduce("Lacuna::bench::block_width", Rows(exec, 0, block_rows), LargestCount{counts},
                              Kokkos::Max<std::int64_t>(blocks.width));
      stored = blocks.width * block_rows;
    } else {
      blocks.row_map =
          DeviceArray<Offset>(view_alloc(exec, WithoutInitializing, "Lacuna::bench::block_row_map"), block_rows + 1);
      Kokkos::parallel_scan("Lacuna::bench::block_row_map", Rows(exec, 0, block_rows + 1),
                            ScanCounts<Offset>{counts, blocks.row_map, block_rows}, stored);
    }
    exec.fence("Lacuna::bench: the number of blocks is on the host");
    const double elements = static_cast<double>(stored) * size * size;
    blocks.fill           = nonzero / elements;
    if (elements > limit * nonzero || elements > 2147483647.0) continue;
    blocks.columns = DeviceArray<Ordinal>(view_alloc(exec, "Lacuna::bench::block_columns"), stored);
    Kokkos::deep_copy(exec, blocks.columns, Ordinal(-1));
    blocks.values =
        DeviceArray<typename Problem::Scalar>(view_alloc(exec, "Lacuna::bench::block_values"), stored * size * size);
    using Begin = BlockRowBegin<Offset>;
    const Begin begin{blocks.row_map, blocks.width};
    if (has_marks)
      Kokkos::parallel_for("Lacuna::bench::block_columns", Rows(exec, 0, block_rows),
                           FillMarked<Ordinal, Begin>{marks, begin, blocks.columns});
    else
      Kokkos::parallel_for("Lacuna::bench::block_columns", Rows(exec, 0, block_rows),
                           FillBlockColumns<Arrays, Begin>{A, size, begin, blocks.columns});
    Kokkos::parallel_for("Lacuna::bench::block_values", Rows(exec, 0, rows),
                         FillBlockValues<Arrays, Begin>{A, size, begin, blocks.columns, blocks.values});
    return blocks;
  }
  throw NotSupported("no block size divides the matrix and leaves few enough zeros");
}

}  // namespace lacuna::bench

#endif
