// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_PARTITION_HPP
#define LACUNA_SPMV_PARTITION_HPP

#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Common.hpp>
#include <kernels/spmv/tuning/Lacuna_Spmv_Tuning.hpp>

#include <cstdint>

/// \file
/// \brief The nonzeros of a matrix cut into pieces, and marks where rows end: what nonzero_split keeps in a plan.
///
/// Piece p begins at nonzero p T where that lies in a long row (more than L nonzeros), else at the next row. So only
/// long rows are shared between pieces. Rows without nonzeros are kept apart: they end nowhere.

namespace lacuna::Impl {

template <class Arrays>
struct SpmvPieces {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  struct Begin {
    Offset nonzero;
    Ordinal rank;              ///< of the row that holds `nonzero`, among rows with nonzeros
    std::int32_t first_piece;  ///< where that row began, if it did so in an earlier piece; else -1
    std::int32_t shares;       ///< pieces of that row
  };

  std::int64_t count               = 0;
  const Begin* begin               = nullptr;  ///< one a piece, and one behind
  const std::uint32_t* row_ends    = nullptr;  ///< bit i: a row with nonzeros ends in front of nonzero i
  const Ordinal* filled_rows       = nullptr;  ///< the rows with nonzeros; null where all have some
  const Ordinal* empty_rows        = nullptr;
  std::int64_t empty_count         = 0;
  typename Arrays::Scalar* partial = nullptr;  ///< two a piece: of the row that goes on, of the row that begins
  int* arrived                     = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal rank) const {
    return filled_rows == nullptr ? rank : filled_rows[rank];
  }
};

/// Nonzeros of a piece (T) and of the longest row that is not shared (L).
struct SpmvPieceSize {
  std::int64_t piece, longest;
};

template <class ExecutionSpace, class Scalar>
SpmvPieceSize spmv_piece_size(const ExecutionSpace& exec, std::int64_t nonzeros) {
  std::int64_t piece        = static_cast<std::int64_t>(SpmvTuning::split_piece_bytes / sizeof(Scalar));
  const std::int64_t least  = static_cast<std::int64_t>(SpmvTuning::split_least_bytes / sizeof(Scalar));
  const std::int64_t wanted = exec.concurrency() / SpmvTuning::split_threads;
  while (piece > least && nonzeros / piece < wanted) piece /= 2;
  const auto longest = static_cast<std::int64_t>(SpmvTuning::split_longest_bytes / sizeof(Scalar));
  return {piece, longest > piece ? longest : piece};
}

template <class Arrays, class MemorySpace>
struct SpmvPartition {
  using Pieces  = SpmvPieces<Arrays>;
  using Ordinal = typename Arrays::Ordinal;
  template <class T>
  using View = Kokkos::View<T*, MemorySpace>;

  View<typename Pieces::Begin> begin;
  View<std::uint32_t> row_ends;
  View<Ordinal> filled_rows;
  View<Ordinal> empty_rows;
  View<typename Arrays::Scalar> partial;
  View<int> arrived;

  std::size_t bytes() const { return bytes_of(begin, row_ends, filled_rows, empty_rows, partial, arrived); }
  Pieces pieces() const {
    return {static_cast<std::int64_t>(begin.extent(0)) - 1,
            begin.data(),
            row_ends.data(),
            filled_rows.extent(0) > 0 ? filled_rows.data() : nullptr,
            empty_rows.data(),
            static_cast<std::int64_t>(empty_rows.extent(0)),
            partial.data(),
            arrived.data()};
  }
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
struct FindPieces {
  using Ordinal = typename Arrays::Ordinal;
  using Begin   = typename SpmvPieces<Arrays>::Begin;
  Arrays A;
  SpmvPieceSize size;
  const Ordinal* filled_rows;  // null where all rows are
  std::int64_t filled;
  Begin* begin;

  KOKKOS_FUNCTION void operator()(const std::int64_t piece) const {
    const std::int64_t nonzero = piece * size.piece;
    const auto rows            = static_cast<std::int64_t>(A.rows);
    if (nonzero >= static_cast<std::int64_t>(A.nonzeros)) {
      begin[piece] = {A.nonzeros, static_cast<Ordinal>(filled), -1, 0};
      return;
    }
    // The last row that begins at or in front of the nonzero: it holds it.
    const std::int64_t row  = upper_bound(A.row_map, 0, rows, nonzero) - 1;
    const std::int64_t rank = filled_rows == nullptr ? row : lower_bound(filled_rows, 0, filled, row);
    const auto row_begin    = static_cast<std::int64_t>(A.row_map[row]);
    const auto row_end      = static_cast<std::int64_t>(A.row_map[row + 1]);
    if (row_begin == nonzero)
      begin[piece] = {A.row_map[row], static_cast<Ordinal>(rank), -1, 0};
    else if (row_end - row_begin <= size.longest)
      begin[piece] = {A.row_map[row + 1], static_cast<Ordinal>(rank + 1), -1, 0};
    else
      begin[piece] = {static_cast<typename Arrays::Offset>(nonzero), static_cast<Ordinal>(rank),
                      static_cast<std::int32_t>(row_begin / size.piece),
                      static_cast<std::int32_t>((row_end - 1) / size.piece - row_begin / size.piece + 1)};
  }
};

/// Numbers of elements in a partition.
struct SpmvPartitionExtents {
  std::int64_t pieces, words, filled, empty, meetings;

  SpmvPartitionExtents(SpmvPieceSize size, std::int64_t rows, std::int64_t nonzeros, std::int64_t empty_rows,
                       std::int64_t longest)
      : pieces(ceiling_quotient(nonzeros, size.piece)),
        words((nonzeros / 512 + 1) * 16),  // whole steps of any lane group
        filled(empty_rows > 0 ? rows - empty_rows : 0),
        empty(empty_rows),
        meetings(longest > size.longest ? pieces : 0) {}
};

/// Bytes that `make_spmv_partition` would allocate.
template <class ExecutionSpace, class Arrays>
std::size_t spmv_partition_bytes(const ExecutionSpace& exec, const Arrays& A, std::int64_t empty_rows,
                                 std::int64_t longest) {
  using Scalar        = typename Arrays::Scalar;
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros);
  const SpmvPartitionExtents n(spmv_piece_size<ExecutionSpace, Scalar>(exec, nonzeros),
                               static_cast<std::int64_t>(A.rows), nonzeros, empty_rows, longest);
  return static_cast<std::size_t>(n.pieces + 1) * sizeof(typename SpmvPieces<Arrays>::Begin) +
         static_cast<std::size_t>(n.words) * 4 +
         static_cast<std::size_t>(n.filled + n.empty) * sizeof(typename Arrays::Ordinal) +
         static_cast<std::size_t>(n.meetings) * (2 * sizeof(Scalar) + sizeof(int));
}

/// Cuts a matrix with `empty_rows` rows without nonzeros and a longest row of `longest`. Does not fence.
template <class ExecutionSpace, class Arrays>
auto make_spmv_partition(const ExecutionSpace& exec, const Arrays& A, std::int64_t empty_rows, std::int64_t longest) {
  using Partition     = SpmvPartition<Arrays, typename ExecutionSpace::memory_space>;
  using Scalar        = typename Arrays::Scalar;
  const auto rows     = static_cast<std::int64_t>(A.rows);
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros);
  const auto size     = spmv_piece_size<ExecutionSpace, Scalar>(exec, nonzeros);
  const SpmvPartitionExtents n(size, rows, nonzeros, empty_rows, longest);
  Partition partition;
  const auto make = [&](auto& view, const char* label, std::int64_t count) {
    using View = std::remove_reference_t<decltype(view)>;
    if (count > 0) view = allocate<View>("SpmvPlan", exec, label, count);
  };
  make(partition.begin, "Lacuna::spmv::pieces", n.pieces + 1);
  make(partition.row_ends, "Lacuna::spmv::row_ends", n.words);
  make(partition.filled_rows, "Lacuna::spmv::filled_rows", n.filled);
  make(partition.empty_rows, "Lacuna::spmv::empty_rows", n.empty);
  make(partition.partial, "Lacuna::spmv::partial", 2 * n.meetings);
  make(partition.arrived, "Lacuna::spmv::arrived", n.meetings);
  Kokkos::deep_copy(exec, partition.row_ends, 0u);
  if (n.meetings > 0) Kokkos::deep_copy(exec, partition.arrived, 0);
  for_each_index(exec, "Lacuna::spmv::row_ends", rows, MarkRowEnds<Arrays>{A, partition.row_ends.data()});
  if (n.empty > 0)
    Kokkos::parallel_scan("Lacuna::spmv::filled_rows", IndexRange<ExecutionSpace>(exec, 0, rows),
                          SortOutRows<Arrays>{A, partition.filled_rows.data(), partition.empty_rows.data()});
  for_each_index(exec, "Lacuna::spmv::pieces", n.pieces + 1,
                 FindPieces<Arrays>{A, size, partition.pieces().filled_rows, n.empty > 0 ? n.filled : rows,
                                    partition.begin.data()});
  return partition;
}

}  // namespace lacuna::Impl

#endif
