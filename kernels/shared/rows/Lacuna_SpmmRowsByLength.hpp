// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWSBYLENGTH_HPP
#define LACUNA_SPMMROWSBYLENGTH_HPP

#include <core/impl/Lacuna_ArrivingValue.hpp>
#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmArguments.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief A list of rows, longest first, with which the row kernel serves uneven rows: those that stand side by side in
/// a lane group are about as long as each other, long ones get a lane group or a team of their own and start first.

namespace lacuna::Impl {

/// Up to how many nonzeros a row is for a sub-group, and for a lane group; longer ones take a team, and those of more
/// than two pieces, where rows are cut, a team for each piece.
struct SpmmRowLimits {
  std::int64_t sub_group = 32;
  std::int64_t group     = 256;
  std::int64_t piece     = std::numeric_limits<std::int64_t>::max() / 2;

  KOKKOS_INLINE_FUNCTION std::int64_t pieces(std::int64_t length) const {
    return length <= 2 * piece ? 1 : ceiling_quotient(length, piece);
  }
};

/// Kinds of rows by length: 0 takes a team each or one for each piece, 1 a lane group, the others a sub-group; in the
/// last all are empty. Pieces count as rows.
struct SpmmRowKinds {
  static constexpr int count = 11;

  KOKKOS_INLINE_FUNCTION static int of(std::int64_t length, const SpmmRowLimits& limits) {
    if (length > limits.group) return 0;
    if (length > limits.sub_group) return 1;
    return count - 1 - static_cast<int>((length * (count - 3) + limits.sub_group - 1) / limits.sub_group);
  }

  std::int64_t rows[count] = {};

  KOKKOS_INLINE_FUNCTION std::int64_t sum() const {
    std::int64_t all = 0;
    for (const std::int64_t of_kind : rows) all += of_kind;
    return all;
  }
  KOKKOS_INLINE_FUNCTION void join(const SpmmRowKinds& other) {
    for (int kind = 0; kind < count; ++kind) rows[kind] += other.rows[kind];
  }
};

/// A row of the list with its place in the matrix, in one load: behind the row's number alone a lane would wait for the
/// row map. SpMV by a driver, in graphs, H100, 26 November 2026: HEP-th-new 4.8 us for 5.2, orani678 2.6 for 2.7,
/// memplus 3.5 for 3.6.
template <class Arrays>
struct alignas(16) SpmmListedRow {
  typename Arrays::Offset begin;
  typename Arrays::Ordinal length, row;
};

/// The pieces of the row that an entry of the list is a piece of; 1 where it is the whole row.
struct SpmmRowPieces {
  int first, count;
};

/// The list as the kernel takes it.
template <class Arrays>
struct SpmmRowList {
  const SpmmListedRow<Arrays>* rows = nullptr;  ///< longest first
  std::int64_t count                = 0;
  std::int64_t by_team              = 0;  ///< so many of them take a team each,
  std::int64_t by_group             = 0;  ///< and so many behind those a lane group
};

/// The same with what pieces of rows need. A default object stands for rows in their own order.
template <class Arrays>
struct SpmmRowOrder : SpmmRowList<Arrays> {
  using Arithmetic = typename ArithmeticOf<typename Arrays::Scalar>::type;

  const SpmmRowPieces* pieces = nullptr;  ///< of each that takes a team; null where no row is cut
  Arithmetic* partial         = nullptr;  ///< an `ArrivingValue` of each piece
  int* arrived                = nullptr;  ///< pieces of the row whose first this is
};

template <class Arrays, class MemorySpace>
struct SpmmRowsByLength {
  using Arithmetic = typename SpmmRowOrder<Arrays>::Arithmetic;

  Kokkos::View<SpmmListedRow<Arrays>*, MemorySpace> rows;
  std::int64_t by_team  = 0;
  std::int64_t by_group = 0;
  Kokkos::View<SpmmRowPieces*, MemorySpace> pieces;
  Kokkos::View<Arithmetic*, MemorySpace> partial;
  Kokkos::View<int*, MemorySpace> arrived;

  std::size_t bytes() const { return bytes_of(rows, pieces, partial, arrived); }
  bool cuts_rows() const { return pieces.extent(0) > 0; }
  SpmmRowOrder<Arrays> order() const {
    return {{rows.data(), static_cast<std::int64_t>(rows.extent(0)), by_team, by_group},
            pieces.data(),
            partial.data(),
            arrived.data()};
  }
};

/// Bytes of a list of so many entries.
template <class Arrays>
std::size_t spmm_row_list_bytes(std::int64_t entries) {
  return static_cast<std::size_t>(entries) * sizeof(SpmmListedRow<Arrays>);
}

/// Bytes that `make_spmm_rows_by_length` allocates for so many rows and pieces.
template <class Arrays>
std::size_t spmm_rows_by_length_bytes(const Arrays& A, const SpmmRowKinds& kinds) {
  constexpr std::size_t piece = sizeof(SpmmRowPieces) + sizeof(typename SpmmRowOrder<Arrays>::Arithmetic) + sizeof(int);
  const bool cuts             = kinds.sum() > static_cast<std::int64_t>(A.rows);
  return spmm_row_list_bytes<Arrays>(kinds.sum()) + (cuts ? static_cast<std::size_t>(kinds.rows[0]) * piece : 0);
}

/// Rows of a kind stay in their order.
template <class Arrays>
struct PlaceRowsByLength {
  using value_type = SpmmRowKinds;
  static_assert(sizeof(value_type) <= largest_scanned_value);
  Arrays A;
  SpmmRowLimits limits;
  SpmmRowKinds begin;  // of each kind in the list
  SpmmListedRow<Arrays>* list;
  SpmmRowPieces* pieces;

  KOKKOS_FUNCTION void init(value_type& before) const { before = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }
  KOKKOS_FUNCTION void operator()(const std::int64_t row, value_type& before, const bool is_final) const {
    const auto first          = static_cast<std::int64_t>(A.row_map[row]);
    const std::int64_t length = static_cast<std::int64_t>(A.row_map[row + 1]) - first;
    const std::int64_t count  = limits.pieces(length);
    const int kind            = SpmmRowKinds::of(length, limits);
    if (is_final) place(begin.rows[kind] + before.rows[kind], row, first, length, count, kind == 0);
    before.rows[kind] += count;
  }

 private:
  KOKKOS_FUNCTION void place(std::int64_t at, std::int64_t row, std::int64_t first, std::int64_t length,
                             std::int64_t count, bool by_team) const {
    using Offset             = typename Arrays::Offset;
    using Ordinal            = typename Arrays::Ordinal;
    const std::int64_t piece = count == 1 ? length : limits.piece;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t done = i * piece;
      const std::int64_t here = i + 1 < count ? piece : length - done;
      list[at + i] = {static_cast<Offset>(first + done), static_cast<Ordinal>(here), static_cast<Ordinal>(row)};
      if (by_team && pieces != nullptr) pieces[at + i] = {static_cast<int>(at), static_cast<int>(count)};
    }
  }
};

/// \param kinds how many rows there are of each, by `limits`. \throws OutOfMemory. Does not fence.
template <class ExecutionSpace, class Arrays>
auto make_spmm_rows_by_length(const ExecutionSpace& exec, const Arrays& A, const SpmmRowKinds& kinds,
                              const SpmmRowLimits& limits) {
  constexpr auto where = "SpmmPlan";
  SpmmRowsByLength<Arrays, typename ExecutionSpace::memory_space> sorted;
  const auto rows = static_cast<std::int64_t>(A.rows);
  sorted.by_team  = kinds.rows[0];
  sorted.by_group = kinds.rows[1];
  sorted.rows     = allocate<decltype(sorted.rows)>(where, exec, "Lacuna::spmm::rows_by_length", kinds.sum());
  if (kinds.sum() > rows) {
    using Piece    = ArrivingValue<ExecutionSpace, typename decltype(sorted)::Arithmetic>;
    sorted.pieces  = allocate<decltype(sorted.pieces)>(where, exec, "Lacuna::spmm::pieces", sorted.by_team);
    sorted.partial = allocate<decltype(sorted.partial)>(where, exec, "Lacuna::spmm::partial", sorted.by_team);
    sorted.arrived = allocate<decltype(sorted.arrived)>(where, exec, "Lacuna::spmm::arrived", sorted.by_team);
    Kokkos::deep_copy(exec, sorted.arrived, 0);
    Piece::clear(exec, sorted.partial);
  }
  SpmmRowKinds begin;
  for (int kind = 1; kind < SpmmRowKinds::count; ++kind) begin.rows[kind] = begin.rows[kind - 1] + kinds.rows[kind - 1];
  Kokkos::parallel_scan("Lacuna::spmm::rows_by_length", IndexRange<ExecutionSpace>(exec, 0, rows),
                        PlaceRowsByLength<Arrays>{A, limits, begin, sorted.rows.data(), sorted.pieces.data()});
  return sorted;
}

}  // namespace lacuna::Impl

#endif
