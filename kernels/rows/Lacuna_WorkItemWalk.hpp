// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_WORKITEMWALK_HPP
#define LACUNA_WORKITEMWALK_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <kernels/rows/Lacuna_RowPartition.hpp>
#include <kernels/rows/Lacuna_RowTile.hpp>
#include <kernels/rows/Lacuna_SharedRowSums.hpp>

#include <cstdint>

/// \file
/// \brief C = alpha A B + beta C from CSR cut into work items of about equally many nonzeros: for
/// short and for uneven rows.
///
/// A team takes a work item, and every subwarp an equal share of its nonzeros, wherever rows begin and end. A subwarp
/// stands along the columns of C and walks its share from row to row without a break: rows of B for the next row are in
/// flight while the current row is added up. So short rows have no latency of their own, and the time of a long row
/// only grows with its nonzeros. Columns of A are read one pack ahead, values together with rows of B. One bit for each
/// nonzero says where rows end. Tiles of N are outermost.
///
/// Subwarps that share a row join it in scratch: each leaves its sum of the row that was open when its share began, and
/// the subwarp in which the row began adds these. Only rows longer than most of a work item lie in several work items:
/// Lacuna_SharedRowSums.hpp adds these, in an order that does not depend on the order in which teams run.
///
/// Bound: bytes of B from the second-level cache, one row for each nonzero. On small matrices it is the latency of a
/// share, so work items are as short as still fills the device once (`work_item_nonzeros`).
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

/// Four nonzeros: pack q holds the nonzeros [4 q, 4 q + 4), aligned whatever the rows are.
template <class Arrays>
class NonzeroPacks {
 public:
  using Offset = typename Arrays::Offset;

  static constexpr int width = 4;
  using Values               = Pack<typename Arrays::Scalar, width>;
  using Columns              = Pack<typename Arrays::Ordinal, width>;

  explicit NonzeroPacks(const Arrays& A)
      : m_values(reinterpret_cast<const Values*>(A.values)), m_columns(reinterpret_cast<const Columns*>(A.entries)) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(A.values) % alignof(Values) == 0 &&
                         reinterpret_cast<std::uintptr_t>(A.entries) % alignof(Columns) == 0;
    m_whole_packs = aligned ? static_cast<Offset>(A.nonzeros / width) : Offset(0);
  }

  /// Packs that can be read; none where the arrays are not aligned.
  KOKKOS_FORCEINLINE_FUNCTION Offset whole() const { return m_whole_packs; }
  KOKKOS_FORCEINLINE_FUNCTION Values values(Offset pack) const { return m_values[pack]; }
  KOKKOS_FORCEINLINE_FUNCTION Columns columns(Offset pack) const { return m_columns[pack]; }

 private:
  const Values* m_values;
  const Columns* m_columns;
  Offset m_whole_packs;
};

/// `fixed_lanes`: lanes of a subwarp, where they are known when compiling and tiles fill N (`RowTile`).
template <class ExecutionSpace, class Arrays, class Output, int vector, int lane_vectors, int fixed_lanes = 0>
struct WorkItemWalk {
  using Tile         = RowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors, fixed_lanes>;
  using Ordinal      = typename Arrays::Ordinal;
  using Offset       = typename Arrays::Offset;
  using Arithmetic   = typename Tile::Arithmetic;
  using Packs        = NonzeroPacks<Arrays>;
  using LanePosition = typename Tile::LanePosition;
  using Sums         = typename Tile::Sums;
  using WorkItems    = RowWorkItems<Arrays>;
  using Begin        = typename WorkItems::Begin;
  using lanes_of     = typename Tile::lanes;
  using SharedRows   = SharedRowSums<Tile, WorkItems>;
  using Share        = typename SharedRows::Share;

  static constexpr int width = Packs::width;

  Arrays A;
  Packs packs;
  Tile tile;
  WorkItems items;
  int lanes_of_subwarp;
  int subwarps_of_warp;
  int teams_per_tile;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int lanes     = fixed_lanes > 0 ? fixed_lanes : lanes_of_subwarp;
    const int subwarps  = fixed_lanes > 0 ? Tile::lane_width / lanes : subwarps_of_warp;
    const int n_tile    = team.league_rank() / teams_per_tile;
    const int item      = team.league_rank() - n_tile * teams_per_tile;
    const int within    = team.lane() / lanes;
    const int subwarp   = within < subwarps ? team.warp() * subwarps + within : -1;  // -1: lanes that are left over
    const auto position = tile.position(n_tile, team.lane() % lanes);
    const Heads heads{team.template scratch<Arithmetic>(static_cast<std::size_t>(team.warps() * subwarps) *
                                                        static_cast<std::size_t>(tile.tile_columns())),
                      team.template scratch<int>(static_cast<std::size_t>(team.warps() * subwarps))};

    const Shares shares(items.begin[item].nonzero, items.begin[item + 1].nonzero, team.warps() * subwarps);
    const Offset from = shares.begin(subwarp), end = shares.end(subwarp);
    Sums sum = {};
    OpenRow open{};
    const bool exists = subwarp >= 0 && from < end;
    if (exists) {
      open = row_at(item, subwarp, from);
      walk(from, end, open, subwarp, heads, position, sum);
      if (open.is_share) leave_head(heads, subwarp, false, position, sum);
    }
    team.barrier();
    const bool goes_on = exists && !open.is_share && !ends_at(end);
    const bool has_end = add_heads(goes_on, subwarp + 1, shares, heads, position, sum);
    if (has_end) tile.write(items.row(open.rank), position, sum);
    const bool has_tail = goes_on && !has_end;
    if (items.partial != nullptr) arrive(item, subwarp, has_tail, team.lane(), shares, heads, position, sum);
    if (items.empty_count == 0 || subwarp < 0) return;
    Tile::clear(sum);
    for (std::int64_t i = static_cast<std::int64_t>(item) * team.warps() * subwarps + subwarp; i < items.empty_count;
         i += static_cast<std::int64_t>(teams_per_tile) * team.warps() * subwarps)
      tile.write(items.empty_rows[i], position, sum);
  }

  std::size_t scratch_bytes(int threads) const {
    const auto team_subwarps = static_cast<std::size_t>(threads / Tile::lane_width * subwarps_of_warp);
    return team_subwarps * (sizeof(int) + static_cast<std::size_t>(tile.tile_columns()) * sizeof(Arithmetic)) + 64;
  }

 private:
  /// The shares of subwarps in a work item: whole packs, except at its ends.
  struct Shares {
    Offset from, to;
    Offset size;

    KOKKOS_FORCEINLINE_FUNCTION Shares(Offset from, Offset to, int subwarps) : from(from), to(to) {
      const Offset packs = (to + width - 1) / width - from / width;
      size               = (packs + static_cast<Offset>(subwarps) - 1) / static_cast<Offset>(subwarps) * width;
    }
    KOKKOS_FORCEINLINE_FUNCTION Offset begin(int subwarp) const {
      const Offset start = from / width * width + static_cast<Offset>(subwarp) * size;
      return start > from ? start : from;
    }
    KOKKOS_FORCEINLINE_FUNCTION Offset end(int subwarp) const {
      const Offset stop = from / width * width + static_cast<Offset>(subwarp + 1) * size;
      return stop < to ? stop : to;
    }
  };

  /// Each subwarp's sums of the row that was open when its share began, and whether the row ended in the share.
  struct Heads {
    Arithmetic* sums;
    int* has_ended;
  };

  /// The row that a subwarp adds up.
  struct OpenRow {
    Ordinal rank;
    bool is_share;  ///< the row began in an earlier share
    bool is_plain;  ///< the row only has to be stored
  };

  KOKKOS_FORCEINLINE_FUNCTION OpenRow row_at(int item, int subwarp, Offset nonzero) const {
    OpenRow open;
    if (subwarp == 0) {
      open.rank     = items.begin[item].rank;
      open.is_share = items.begin[item].first_item >= 0;
    } else {
      const auto bit            = static_cast<unsigned>(nonzero % 32);
      const std::uint32_t marks = items.row_ends[nonzero / 32];
      open.rank     = items.ranks[nonzero / 32] + static_cast<Ordinal>(count_bits(marks & ((2u << bit) - 2)));
      open.is_share = (marks >> bit & 1u) == 0;
    }
    open.is_plain = !open.is_share && tile.stores_plainly();
    return open;
  }

  /// Writes rows that end in [from, end). Leaves the sums of the row that was open before. Returns in `sum` the
  /// sums of the row that goes on.
  KOKKOS_FORCEINLINE_FUNCTION void walk(Offset from, Offset end, OpenRow& open, int subwarp, const Heads& heads,
                                        const LanePosition& position, Sums& sum) const {
    const Offset whole = packs.whole() * width;  // the rest, at the end of the last work item, is no whole pack
    if (from < whole) walk_packs(from, end < whole ? end : whole, open, subwarp, heads, position, sum);
    for (Offset k = from < whole ? whole : from; k < end; ++k) {
      if (k > from && ends_at(k)) close(open, subwarp, heads, position, sum);
      tile.add_product(A.values[k], A.entries[k], position, sum);
    }
    if (ends_at(end)) close(open, subwarp, heads, position, sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION bool ends_at(Offset nonzero) const {
    return (items.row_ends[nonzero / 32] >> static_cast<unsigned>(nonzero % 32) & 1u) != 0;
  }

  /// Adds the nonzeros [from, end) and closes the rows that end between them.
  KOKKOS_FORCEINLINE_FUNCTION void walk_packs(Offset from, Offset end, OpenRow& open, int subwarp, const Heads& heads,
                                              const LanePosition& position, Sums& sum) const {
    Offset pack       = from / width;
    Offset rest       = end - pack * width;                               // nonzeros from the pack on
    unsigned in_front = (2u << static_cast<unsigned>(from % width)) - 1;  // row ends that lie outside (from, end)
    auto ahead        = packs.columns(pack);
    while (true) {
      const auto column         = ahead;
      const auto value          = packs.values(pack);
      const std::uint32_t marks = items.row_ends[pack / 8];
      bool is_mine[width];
      for (int i = 0; i < width; ++i) is_mine[i] = (in_front >> 1 & 1u << i) == 0 && static_cast<Offset>(i) < rest;
      RowsOfB rows;
      load(column, is_mine, position, rows);
      const bool goes_on = rest > static_cast<Offset>(width);
      if (goes_on) ahead = packs.columns(pack + 1);
      // From here on the kernel waits for its loads.
      const unsigned ends = marks >> static_cast<unsigned>(pack % 8 * width) & ~in_front;
      if (open.is_plain)
        add_and_store(value, rows, is_mine, ends, position, open, sum);
      else
        add_and_close(value, rows, is_mine, ends, subwarp, heads, position, open, sum);
      if (!goes_on) return;
      ++pack;
      rest -= static_cast<Offset>(width);
      in_front = 0;
    }
  }

  /// Rows of B that a pack needs. Nonzeros that are not `is_mine` are not multiplied, not even by zero. With double
  /// their rows are read all the same: nvcc 13.0 would wait for a conditional load before it starts the next.
  using RowsOfB = Pack<typename Arrays::Scalar, vector>[width][lane_vectors];
  KOKKOS_FORCEINLINE_FUNCTION void load(const typename Packs::Columns& column, const bool (&is_mine)[width],
                                        const LanePosition& position, RowsOfB& rows) const {
    constexpr bool reads_all = sizeof(typename Arrays::Scalar) > sizeof(float);
    for (int i = 0; i < width; ++i)
      if (reads_all || is_mine[i])
        for (int c = 0; c < lane_vectors; ++c) rows[i][c] = tile.row_of_b(position, c, column.value[i]);
  }

  /// Adds the products of a pack. Rows that end in it are only stored: this is little enough code to be
  /// repeated for each nonzero.
  KOKKOS_FORCEINLINE_FUNCTION void add_and_store(const typename Packs::Values& value, const RowsOfB& rows,
                                                 const bool (&is_mine)[width], unsigned ends,
                                                 const LanePosition& position, OpenRow& open, Sums& sum) const {
    for (int i = 0; i < width; ++i)
      if (is_mine[i]) {
        if ((ends & (1u << i)) != 0) {
          tile.store(items.row(open.rank), position, sum);
          ++open.rank;
          Tile::clear(sum);
        }
        Tile::add_product(value.value[i], rows[i], sum);
      }
  }

  /// Adds the products of a pack, and does all that the end of a row may need: adds up to the next end, closes
  /// the row, goes on from there.
  KOKKOS_FORCEINLINE_FUNCTION void add_and_close(const typename Packs::Values& value, const RowsOfB& rows,
                                                 const bool (&is_mine)[width], unsigned ends, int subwarp,
                                                 const Heads& heads, const LanePosition& position, OpenRow& open,
                                                 Sums& sum) const {
    for (int i = 0; i < width; ++i)
      if (!is_mine[i]) ends &= ~(1u << i);
    ends &= (1u << width) - 1;
    int from = 0;
    while (true) {
      const int to = ends != 0 ? count_bits(~ends & (ends - 1)) : width;
      for (int i = 0; i < width; ++i)
        if (is_mine[i] && i >= from && i < to) Tile::add_product(value.value[i], rows[i], sum);
      if (to == width) return;
      close(open, subwarp, heads, position, sum);
      ends &= ends - 1;
      from = to;
    }
  }

  /// A row ends.
  KOKKOS_FORCEINLINE_FUNCTION void close(OpenRow& open, int subwarp, const Heads& heads, const LanePosition& position,
                                         Sums& sum) const {
    if (open.is_share)
      leave_head(heads, subwarp, true, position, sum);
    else
      tile.write(items.row(open.rank), position, sum);
    open.is_share = false;
    open.is_plain = tile.stores_plainly();
    ++open.rank;
    Tile::clear(sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void leave_head(const Heads& heads, int subwarp, bool has_ended,
                                              const LanePosition& position, const Sums& sum) const {
    Arithmetic* const mine = heads.sums + subwarp * tile.tile_columns() + position.lane;
    for (int c = 0; c < lane_vectors; ++c)
      for (int v = 0; v < vector; ++v) mine[tile.position_of_sum(c * vector + v, 0)] = sum[c][v];
    if (position.lane == 0) heads.has_ended[subwarp] = has_ended ? 1 : 0;
  }
  /// Adds the sums of the open row that the subwarps from `subwarp` on hold, for lanes with `adds`. Returns whether the
  /// row ends in this work item. Every lane of the warp takes part.
  KOKKOS_FORCEINLINE_FUNCTION bool add_heads(bool adds, int subwarp, const Shares& shares, const Heads& heads,
                                             const LanePosition& position, Sums& sum) const {
    bool has_ended = false;
    for (bool goes_on = adds && shares.begin(subwarp) < shares.to; lanes_of::ballot(goes_on) != 0;) {
      if (goes_on) {
        const Arithmetic* const other = heads.sums + subwarp * tile.tile_columns() + position.lane;
        for (int c = 0; c < lane_vectors; ++c)
          for (int v = 0; v < vector; ++v) sum[c][v] += other[tile.position_of_sum(c * vector + v, 0)];
        has_ended = heads.has_ended[subwarp] != 0;
      }
      ++subwarp;
      goes_on = goes_on && !has_ended && shares.begin(subwarp) < shares.to;
    }
    return has_ended;
  }

  /// Leaves this work item's sums of the row that was open when it began (subwarp 0) and of the row that goes on behind
  /// it (the subwarp with `has_tail`, in `sum`). The last arriver adds up. Every lane of the warp takes part.
  KOKKOS_FORCEINLINE_FUNCTION void arrive(int item, int subwarp, bool has_tail, int group_lane, const Shares& shares,
                                          const Heads& heads, const LanePosition& position, Sums& sum) const {
    const bool has_head = subwarp == 0 && items.begin[item].first_item >= 0;
    if (lanes_of::ballot(has_head || has_tail) == 0) return;
    const int leader = group_lane - position.lane;
    const SharedRows shared{tile, items};
    Share head{false, 0, 0, 1, 0}, tail{false, 0, 0, 1, 0};
    if (has_tail) {
      const Begin next = items.begin[item + 1];
      tail             = {true, items.slots[item + 1] - 1, 0, next.shares, next.rank};
      shared.leave(tail.first, position, sum);
    }
    Tile::clear(sum);
    add_heads(has_head, 0, shares, heads, position, sum);
    if (has_head) {
      const Begin begin = items.begin[item];
      const int slot = items.slots[item], index = item - begin.first_item;
      head = {true, slot - index, index, begin.shares, begin.rank};
      shared.leave(slot, position, sum);
    }
    shared.arrive(head, tail, leader, position, sum);
  }
};

}  // namespace lacuna::Impl

#endif
