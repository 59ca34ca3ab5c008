// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSBYLENGTH_HPP
#define LACUNA_ROWSBYLENGTH_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_ArrivingValue.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief A list of rows, longest first, for the row kernel on uneven rows. Neighbouring rows of a warp have about the
/// same length. Long rows take a warp or a team of their own and start first.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

/// Row-length limits in nonzeros: up to `subwarp` a subwarp takes a row, up to `warp` a warp, above that a team. Where
/// rows are cut, a row of more than two segments takes one team for each segment.
struct RowLimits {
  std::int64_t subwarp = 32;
  std::int64_t warp    = 256;
  std::int64_t segment = std::numeric_limits<std::int64_t>::max() / 2;

  KOKKOS_INLINE_FUNCTION std::int64_t segments(std::int64_t length) const {
    return length <= 2 * segment ? 1 : ceiling_quotient(length, segment);
  }
};

/// Rows counted by kind: kind 0 takes a team for each row or segment, kind 1 a warp, all other kinds a subwarp. Rows of
/// the last kind are empty. A segment counts as a row.
struct RowKinds {
  static constexpr int count = 11;

  KOKKOS_INLINE_FUNCTION static int of(std::int64_t length, const RowLimits& limits) {
    if (length > limits.warp) return 0;
    if (length > limits.subwarp) return 1;
    return count - 1 - static_cast<int>((length * (count - 3) + limits.subwarp - 1) / limits.subwarp);
  }

  std::int64_t rows[count] = {};

  KOKKOS_INLINE_FUNCTION std::int64_t sum() const {
    std::int64_t all = 0;
    for (const std::int64_t of_kind : rows) all += of_kind;
    return all;
  }
  KOKKOS_INLINE_FUNCTION void join(const RowKinds& other) {
    for (int kind = 0; kind < count; ++kind) rows[kind] += other.rows[kind];
  }
};

/// A row of the list with its position in the matrix, in one load. With the row's number alone a lane would
/// also wait for the row map.
template <class Arrays>
struct alignas(16) ListedRow {
  typename Arrays::Offset begin;
  typename Arrays::Ordinal length, row;
};

/// The first segment of a row in the list, and how many the row has. A whole row is one segment.
struct RowSegments {
  int first, count;
};

/// The list in the form that the kernel takes.
template <class Arrays>
struct SortedRowList {
  const ListedRow<Arrays>* rows = nullptr;  ///< longest first
  std::int64_t count            = 0;
  std::int64_t by_team          = 0;  ///< the first `by_team` rows take a team each
  std::int64_t by_warp          = 0;  ///< the next `by_warp` rows take a warp each
};

/// The list, and the memory for segments of rows. A default object stands for rows in their own order.
template <class Arrays>
struct SortedRows : SortedRowList<Arrays> {
  using Arithmetic = typename ArithmeticOf<typename Arrays::Scalar>::type;

  const RowSegments* segments = nullptr;  ///< for each entry that takes a team; null where no row is cut
  Arithmetic* partial         = nullptr;  ///< an `ArrivingValue` of each segment
  int* arrived                = nullptr;  ///< segments that have arrived, at the first segment of each row
};

template <class Arrays, class MemorySpace>
struct RowsByLength {
  using Arithmetic = typename SortedRows<Arrays>::Arithmetic;

  Kokkos::View<ListedRow<Arrays>*, MemorySpace> rows;
  std::int64_t by_team = 0;
  std::int64_t by_warp = 0;
  Kokkos::View<RowSegments*, MemorySpace> segments;
  Kokkos::View<Arithmetic*, MemorySpace> partial;
  Kokkos::View<int*, MemorySpace> arrived;

  std::size_t bytes() const { return bytes_of(rows, segments, partial, arrived); }
  bool cuts_rows() const { return segments.extent(0) > 0; }
  SortedRows<Arrays> order() const {
    return {{rows.data(), static_cast<std::int64_t>(rows.extent(0)), by_team, by_warp},
            segments.data(),
            partial.data(),
            arrived.data()};
  }
};

/// Bytes of a list of `entries` entries.
template <class Arrays>
std::size_t row_list_bytes(std::int64_t entries) {
  return static_cast<std::size_t>(entries) * sizeof(ListedRow<Arrays>);
}

/// Bytes that `make_rows_by_length` allocates.
template <class Arrays>
std::size_t rows_by_length_bytes(const Arrays& A, const RowKinds& kinds) {
  constexpr std::size_t segment = sizeof(RowSegments) + sizeof(typename SortedRows<Arrays>::Arithmetic) + sizeof(int);
  const bool cuts               = kinds.sum() > static_cast<std::int64_t>(A.rows);
  return row_list_bytes<Arrays>(kinds.sum()) + (cuts ? static_cast<std::size_t>(kinds.rows[0]) * segment : 0);
}

/// Writes the list. Rows of one kind keep their order.
template <class Arrays>
struct PlaceRowsByLength {
  using value_type = RowKinds;
  static_assert(sizeof(value_type) <= largest_scanned_value);
  Arrays A;
  RowLimits limits;
  RowKinds begin;  // where each kind begins in the list
  ListedRow<Arrays>* list;
  RowSegments* segments;

  KOKKOS_FUNCTION void init(value_type& before) const { before = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& before, const bool is_final) const {
    const auto first          = static_cast<std::int64_t>(A.row_map[row]);
    const std::int64_t length = static_cast<std::int64_t>(A.row_map[row + 1]) - first;
    const std::int64_t count  = limits.segments(length);
    const int kind            = RowKinds::of(length, limits);
    if (is_final) place(begin.rows[kind] + before.rows[kind], row, first, length, count, kind == 0);
    before.rows[kind] += count;
  }

 private:
  KOKKOS_FUNCTION void place(std::int64_t at, std::int64_t row, std::int64_t first, std::int64_t length,
                             std::int64_t count, bool by_team) const {
    using Offset               = typename Arrays::Offset;
    using Ordinal              = typename Arrays::Ordinal;
    const std::int64_t segment = count == 1 ? length : limits.segment;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t done = i * segment;
      const std::int64_t here = i + 1 < count ? segment : length - done;
      list[at + i] = {static_cast<Offset>(first + done), static_cast<Ordinal>(here), static_cast<Ordinal>(row)};
      if (by_team && segments != nullptr) segments[at + i] = {static_cast<int>(at), static_cast<int>(count)};
    }
  }
};

/// \param kinds how many rows there are of each kind, by `limits`. \throws OutOfMemory. Does not fence.
template <class ExecutionSpace, class Arrays>
auto make_rows_by_length(const ExecutionSpace& exec, const Arrays& A, const RowKinds& kinds, const RowLimits& limits) {
  constexpr auto where = "SpmmPlan";
  RowsByLength<Arrays, typename ExecutionSpace::memory_space> sorted;
  const auto rows = static_cast<std::int64_t>(A.rows);
  sorted.by_team  = kinds.rows[0];
  sorted.by_warp  = kinds.rows[1];
  sorted.rows     = allocate<decltype(sorted.rows)>(where, exec, "Lacuna::spmm::rows_by_length", kinds.sum());
  if (kinds.sum() > rows) {
    using Segment   = ArrivingValue<ExecutionSpace, typename decltype(sorted)::Arithmetic>;
    sorted.segments = allocate<decltype(sorted.segments)>(where, exec, "Lacuna::spmm::segments", sorted.by_team);
    sorted.partial  = allocate<decltype(sorted.partial)>(where, exec, "Lacuna::spmm::partial", sorted.by_team);
    sorted.arrived  = allocate<decltype(sorted.arrived)>(where, exec, "Lacuna::spmm::arrived", sorted.by_team);
    Kokkos::deep_copy(exec, sorted.arrived, 0);
    Segment::clear(exec, sorted.partial);
  }
  RowKinds begin;
  for (int kind = 1; kind < RowKinds::count; ++kind) begin.rows[kind] = begin.rows[kind - 1] + kinds.rows[kind - 1];
  Kokkos::parallel_scan("Lacuna::spmm::rows_by_length", index_range(exec, rows),
                        PlaceRowsByLength<Arrays>{A, limits, begin, sorted.rows.data(), sorted.segments.data()});
  return sorted;
}

}  // namespace lacuna::Impl

#endif
