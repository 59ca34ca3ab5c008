// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKSCHEDULE_HPP
#define LACUNA_BRICKSCHEDULE_HPP

#include <Lacuna_BrickMatrix.hpp>
#include <Lacuna_Launch.hpp>
#include <Lacuna_Options.hpp>
#include <core/impl/Lacuna_Arena.hpp>
#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBrickPolicy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief The schedule of the SpMM kernel on bricks: which panels, or pieces of panels, each team takes.
///
/// A piece is a panel, or where that has many steps a part of it. The pieces are cut, in the order of their steps, into
/// shares of equal work; a team takes consecutive shares, its lane groups take pieces from a counter. Where each group
/// does a few pieces only, those of a share stand longest first, so that all groups end at about the same time.

namespace lacuna::Impl {

/// Bricks as the kernel sees them: raw arrays, so that one instantiation serves every View.
template <class ScalarType, class OrdinalType, class OffsetType>
struct BrickArrays {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;

  Ordinal rows;
  std::int64_t panels;
  std::int64_t steps;
  const Offset* panel_begin;
  const Ordinal* step_columns;
  const std::uint32_t* patterns;
  const Offset* value_begin;
  const Scalar* values;
  const Ordinal* row_list;  // null: panels are consecutive rows
};

template <class Scalar, class Ordinal, class Device, class Offset>
BrickArrays<Scalar, Ordinal, Offset> arrays_of(const BrickMatrix<Scalar, Ordinal, Device, Offset>& bricks) {
  return {bricks.rows,
          bricks.panels(),
          bricks.steps(),
          bricks.panel_begin.data(),
          bricks.step_columns.data(),
          bricks.patterns.data(),
          bricks.value_begin.data(),
          bricks.values.data(),
          bricks.row_list.extent(0) > 0 ? bricks.row_list.data() : nullptr};
}

/// What one lane group does at a time.
template <class Ordinal, class Offset>
struct alignas(16) BrickPiece {
  Offset first_step;
  Offset first_value;
  Ordinal panel;
  std::int32_t steps;
  std::int32_t place;          ///< which piece of its panel
  std::int32_t pieces;         ///< of the panel: more than 1 where their sums must be added
  std::int64_t first_partial;  ///< where the first of them leaves its sums, counted in panels
};

/// \brief What is made once for a matrix and a number of columns, and serves every product.
///
/// Holds the partial sums of panels that are cut, so one product with it must be complete before the next one begins.
template <class Scalar, class Ordinal, class Offset, class MemorySpace>
struct BrickSchedule {
  using Piece = BrickPiece<Ordinal, Offset>;

  template <class T>
  using Array = typename Arena<MemorySpace>::template Array<T>;

  std::int64_t partial_columns = 0;  ///< row length of the partial sums
  std::int64_t shares          = 0;
  std::int64_t pieces          = 0;
  Arena<MemorySpace> arena;  ///< holds the arrays
  Array<Piece> piece;
  Array<std::int64_t> share_begin;  ///< shares + 1: first piece of each
  Array<Scalar> partial;            ///< of all cut panels, panel_rows * partial_columns a piece
  Array<std::int32_t> arrived;      ///< pieces that have left their sums, by panel and columns

  std::size_t bytes() const { return arena.bytes(); }
};

template <class Bricks>
struct PiecesOfPanels {
  const Bricks bricks;
  std::int64_t longest;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t panel) const {
    const auto steps = static_cast<std::int64_t>(bricks.panel_begin[panel + 1] - bricks.panel_begin[panel]);
    return steps <= longest ? 1 : (steps + longest - 1) / longest;
  }
};

/// Sums of the pieces of all panels, and of those of panels that are cut, before each panel.
template <class Bricks>
struct ScanPieces {
  PiecesOfPanels<Bricks> pieces;
  std::int64_t* first_piece;
  std::int64_t* first_partial;

  struct value_type {
    std::int64_t pieces, cut;
  };
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = {0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.pieces += from.pieces;
    into.cut += from.cut;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t panel, value_type& sum, bool final) const {
    if (final) {
      first_piece[panel]   = sum.pieces;
      first_partial[panel] = sum.cut;
    }
    const std::int64_t count = pieces(panel);
    sum.pieces += count;
    if (count > 1) sum.cut += count;
  }
};

template <class Bricks>
struct FillPieces {
  using Ordinal = typename Bricks::Ordinal;
  using Offset  = typename Bricks::Offset;
  Bricks bricks;
  PiecesOfPanels<Bricks> pieces;
  const std::int64_t* first_piece;  // null: no panel is cut
  const std::int64_t* first_partial;
  BrickPiece<Ordinal, Offset>* piece;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const auto begin         = static_cast<std::int64_t>(bricks.panel_begin[panel]);
    const auto end           = static_cast<std::int64_t>(bricks.panel_begin[panel + 1]);
    const std::int64_t count = first_piece != nullptr ? pieces(panel) : 1;
    const std::int64_t place = first_piece != nullptr ? first_piece[panel] : panel;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = begin + (end - begin) * i / count;
      const std::int64_t last  = begin + (end - begin) * (i + 1) / count;
      auto& result             = piece[place + i];
      result.first_step        = static_cast<Offset>(first);
      result.first_value       = bricks.steps > 0 ? bricks.value_begin[first] : Offset(0);
      result.panel             = static_cast<Ordinal>(panel);
      result.steps             = static_cast<std::int32_t>(last - first);
      result.place             = static_cast<std::int32_t>(i);
      result.pieces            = static_cast<std::int32_t>(count);
      result.first_partial     = count > 1 ? first_partial[panel] : 0;
    }
  }
};

/// Share s begins at the first piece before which there is s / shares of all work.
template <class Piece>
struct FillShares {
  const Piece* piece;
  std::int64_t pieces;
  std::int64_t steps;
  std::int64_t shares;
  std::int64_t* share_begin;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    const std::int64_t overhead = SpmmBrickPolicy::piece_overhead;
    const double wanted =
        static_cast<double>(steps + overhead * pieces) * static_cast<double>(share) / static_cast<double>(shares);
    std::int64_t low = 0, high = share < shares ? pieces : 0;
    if (share == shares) low = pieces;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (static_cast<double>(static_cast<std::int64_t>(piece[middle].first_step) + overhead * middle) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    share_begin[share] = low;
  }
};

/// Copies the pieces of each share, longest first.
template <class Piece>
struct SortShares {
  const Piece* piece;
  const std::int64_t* share_begin;
  std::int64_t shares;
  Piece* sorted;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t share = 0;
    for (std::int64_t next = shares; next - share > 1;) {
      const std::int64_t middle                 = share + (next - share) / 2;
      (share_begin[middle] <= i ? share : next) = middle;
    }
    const std::int64_t begin = share_begin[share], end = share_begin[share + 1];
    std::int64_t before = 0;
    for (std::int64_t j = begin; j < end; ++j)
      if (piece[j].steps > piece[i].steps || (piece[j].steps == piece[i].steps && j < i)) ++before;
    sorted[begin + before] = piece[i];
  }
};

/// \brief Lists the pieces of `bricks`. A product may have any number of columns; where panels are cut and it has more
/// than `columns`, it takes several launches. `longest_piece`: steps of a panel that are not cut, 0 for the tuned
/// number. `longest_panel`: steps of the longest panel, -1 where it is not known. Waits for `exec` where panels may be
/// cut. \throws OutOfMemory where more than `memory_limit` bytes would be allocated.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
auto make_brick_schedule(const ExecutionSpace& exec, const BrickMatrix<Scalar, Ordinal, Device, Offset>& bricks,
                         std::int64_t columns, std::int64_t longest_piece = 0, std::int64_t longest_panel = -1,
                         std::size_t memory_limit = unlimited) {
  using MemorySpace   = typename ExecutionSpace::memory_space;
  using Schedule      = BrickSchedule<Scalar, Ordinal, Offset, MemorySpace>;
  using Tuning        = SpmmBrickPolicy;
  using Arrays        = BrickArrays<Scalar, Ordinal, Offset>;
  using Piece         = typename Schedule::Piece;
  using Room          = Arena<MemorySpace>;
  const Arrays arrays = arrays_of(bricks);
  Schedule schedule;
  schedule.partial_columns =
      round_up(std::max<std::int64_t>(1, columns), Tuning::Wide::bytes / static_cast<std::int64_t>(sizeof(Scalar)));
  if (arrays.panels == 0) return schedule;

  if (longest_piece <= 0) {
    const std::int64_t tiles =
        schedule.partial_columns * static_cast<std::int64_t>(sizeof(Scalar)) / Tuning::Wide::bytes;
    const std::int64_t wanted = processors(exec) * Tuning::Wide::groups(bricks.brick_rows()) * Tuning::pieces_per_group;
    longest_piece = std::clamp(arrays.steps * tiles / wanted, Tuning::shortest_piece, Tuning::longest_piece);
  }
  const PiecesOfPanels<Arrays> pieces{arrays, longest_piece};
  const std::int64_t* first_piece   = nullptr;
  const std::int64_t* first_partial = nullptr;
  Room temporary;
  std::int64_t cut = 0;
  schedule.pieces  = arrays.panels;
  if (longest_panel < 0 || longest_panel > longest_piece) {
    const std::size_t room = Room::template bytes_for<std::int64_t, std::int64_t>(arrays.panels, arrays.panels);
    check_memory("spmm", room, memory_limit);
    temporary = Room("spmm", exec, "Lacuna::spmm::first_pieces", room);
    const ScanPieces<Arrays> scan{pieces, temporary.template take<std::int64_t>(arrays.panels).data(),
                                  temporary.template take<std::int64_t>(arrays.panels).data()};
    typename ScanPieces<Arrays>::value_type total{0, 0};
    Kokkos::parallel_scan("Lacuna::spmm::count_pieces", IndexRange<ExecutionSpace>(exec, 0, arrays.panels), scan,
                          total);
    schedule.pieces = total.pieces;
    cut             = total.cut;
    if (cut > 0) {
      first_piece   = scan.first_piece;
      first_partial = scan.first_partial;
    }
  }
  // A host's threads take several shares each, for balance; on a GPU the lane groups of a team balance its share.
  schedule.shares             = processors(exec) * (ExecutionTraits<ExecutionSpace>::is_gpu ? 1 : 8);
  const std::int64_t partial  = checked_product("spmm", cut * bricks.panel_rows, schedule.partial_columns);
  const std::int64_t counters = cut * (schedule.partial_columns / 16);
  const bool is_sorted =
      ExecutionTraits<ExecutionSpace>::is_gpu && schedule.pieces <= schedule.shares * Tuning::most_sorted_pieces;
  const std::size_t kept = Room::template bytes_for<Piece, std::int64_t, Scalar, std::int32_t>(
      schedule.pieces, schedule.shares + 1, partial, counters);
  const std::size_t in_order_bytes = is_sorted ? Room::template bytes_for<Piece>(schedule.pieces) : 0;
  check_memory("spmm", temporary.bytes() + kept + in_order_bytes, memory_limit);
  schedule.arena       = Room("spmm", exec, "Lacuna::spmm::schedule", kept);
  schedule.piece       = schedule.arena.template take<Piece>(schedule.pieces);
  schedule.share_begin = schedule.arena.template take<std::int64_t>(schedule.shares + 1);
  schedule.partial     = schedule.arena.template take<Scalar>(partial);
  schedule.arrived     = schedule.arena.template take<std::int32_t>(counters);
  if (counters > 0) Kokkos::deep_copy(exec, schedule.arrived, 0);
  Room in_order;
  if (is_sorted) in_order = Room("spmm", exec, "Lacuna::spmm::pieces_in_order", in_order_bytes);
  Piece* piece = is_sorted ? in_order.template take<Piece>(schedule.pieces).data() : schedule.piece.data();
  for_each_index(exec, "Lacuna::spmm::list_pieces", arrays.panels,
                 FillPieces<Arrays>{arrays, pieces, first_piece, first_partial, piece});
  for_each_index(exec, "Lacuna::spmm::cut_shares", schedule.shares + 1,
                 FillShares<Piece>{piece, schedule.pieces, arrays.steps, schedule.shares, schedule.share_begin.data()});
  if (is_sorted)
    for_each_index(exec, "Lacuna::spmm::sort_shares", schedule.pieces,
                   SortShares<Piece>{piece, schedule.share_begin.data(), schedule.shares, schedule.piece.data()});
  return schedule;
}

}  // namespace lacuna::Impl

#endif
