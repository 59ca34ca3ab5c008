// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWGRAPH_HPP
#define LACUNA_ROWGRAPH_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief The graph that row clustering matches: rows, or groups of them, with the heaviest of their edges; how it is
/// made from a pattern, matched and contracted.
///
/// The graph has an edge (i, j) where row i has a nonzero in column j, weighed by the columns that both rows hold; a
/// group is joined to others by the sums of its rows' edges. In each round of matching every vertex points at its
/// heaviest edge, and two that point at each other are matched.

namespace lacuna::Impl {

/// An edge of a vertex; to -1: none.
struct alignas(8) RowEdge {
  std::int32_t to     = -1;
  std::int32_t weight = 0;
};

/// The edges of vertex i are at i * slots; behind the last of less than `slots` stands one that is none.
struct RowGraph {
  static constexpr int slots       = 24;
  static constexpr int longest_row = 256;  ///< longer rows stay alone: they share too little for their length
  static constexpr int rounds      = 6;    ///< of matching
};

/// How many vertices there are. A GPU need not tell the host: passes run over a bound then, and end at the true number.
struct VertexCount {
  std::int64_t bound;
  const std::int32_t* exact;  ///< null: the bound is exact

  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t vertex) const {
    return vertex < bound && (exact == nullptr || vertex < *exact);
  }
};

/// Whether `vertex` prefers an edge to another, which may be none. What decides between equal weights decides how well
/// groups fit together later: on a mesh in natural order all groups must grow in the same direction and in step. So the
/// shorter edge wins, and of those with the same length d = |i - j| that with even min(i, j) / d: with i and j
/// neighbours along a line, plane or brick of the mesh, that is every other one.
KOKKOS_INLINE_FUNCTION bool prefers(std::int32_t vertex, const RowEdge& edge, const RowEdge& other) {
  if (edge.to < 0 || other.to < 0) return edge.to >= 0;
  if (edge.weight != other.weight) return edge.weight > other.weight;
  const std::int32_t length       = vertex < edge.to ? edge.to - vertex : vertex - edge.to;
  const std::int32_t other_length = vertex < other.to ? other.to - vertex : vertex - other.to;
  if (length != other_length) return length < other_length;
  const std::int32_t first       = vertex < edge.to ? vertex : edge.to;
  const std::int32_t other_first = vertex < other.to ? vertex : other.to;
  const bool even = first / length % 2 == 0, other_even = other_first / length % 2 == 0;
  return even != other_even ? even : first < other_first;
}

/// Whether a vertex and the one that it points at are matched.
KOKKOS_FORCEINLINE_FUNCTION bool is_matched(const std::int32_t* best, std::int32_t vertex) {
  const std::int32_t mate = best[vertex];
  return mate >= 0 && best[mate] == vertex;
}

/// One vertex' list, while one thread makes it. Slot s is at s * stride.
struct RowEdgeList {
  RowEdge* edges;
  int stride;
  int used = 0;

  /// Adds to the edge that goes there, or makes it; where the list is full, in place of the lightest if that is
  /// lighter.
  KOKKOS_FUNCTION void add(const RowEdge& edge) {
    for (int slot = 0; slot < used; ++slot)
      if (edges[slot * stride].to == edge.to) {
        edges[slot * stride].weight += edge.weight;
        return;
      }
    if (used < RowGraph::slots) {
      edges[used * stride] = edge;
      ++used;
      return;
    }
    int lightest = 0;
    for (int slot = 1; slot < used; ++slot)
      if (edges[slot * stride].weight < edges[lightest * stride].weight) lightest = slot;
    if (edges[lightest * stride].weight < edge.weight) edges[lightest * stride] = edge;
  }
  /// Writes the list of `vertex`, and what it points at first.
  KOKKOS_FUNCTION void write(std::int64_t vertex, RowEdge* graph, std::int32_t* best) const {
    RowEdge* const to = graph + vertex * RowGraph::slots;
    RowEdge preferred;
    for (int slot = 0; slot < used; ++slot) {
      const RowEdge edge = edges[slot * stride];
      to[slot]           = edge;
      if (prefers(static_cast<std::int32_t>(vertex), edge, preferred)) preferred = edge;
    }
    if (used < RowGraph::slots) to[used] = RowEdge();
    best[vertex] = preferred.to;
  }
};

/// Edges between rows, with the number of columns that both hold, and the first round of matching: every row points at
/// its best edge. Rows should be sorted; others get fewer edges. A warp makes the list of a row: it holds the row
/// in scratch, where every lane searches columns of the other row; the list is in registers, a slot a lane.
template <class Ordinal, class Offset>
struct WeighRows {
  std::int64_t rows;
  const Offset* row_map;
  const Ordinal* entries;
  int rows_of_team;
  RowEdge* graph;
  std::int32_t* best;

  static constexpr int longest           = RowGraph::longest_row;
  static constexpr std::int32_t heaviest = std::numeric_limits<std::int32_t>::max();
  static constexpr Ordinal none          = std::numeric_limits<Ordinal>::max();

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t first = static_cast<std::int64_t>(team.league_rank()) * rows_of_team;
    const std::int64_t last  = first + rows_of_team < rows ? first + rows_of_team : rows;
    if constexpr (Team::lane_width == 1) {
      auto* const edges = team.template scratch<RowEdge>(RowGraph::slots);
      for (std::int64_t i = first; i < last; ++i) weigh_alone(i, edges);
    } else {
      static_assert(Team::lane_width >= RowGraph::slots, "lacuna: a slot a lane");
      auto* const row = team.template warp_scratch<Ordinal>(longest);
      for (std::int64_t i = first + team.warp(); i < last; i += team.warps()) {
        weigh_together(team, i, row);
        team.warp_barrier();
      }
    }
  }

 private:
  KOKKOS_FUNCTION void weigh_alone(std::int64_t i, RowEdge* edges) const {
    RowEdgeList list{edges, 1};
    const auto begin = static_cast<std::int64_t>(row_map[i]), end = static_cast<std::int64_t>(row_map[i + 1]);
    if (end - begin <= longest)
      for (std::int64_t k = begin; k < end; ++k) {
        const auto j = static_cast<std::int64_t>(entries[k]);
        if (j == i || j >= rows || (k > begin && entries[k] == entries[k - 1])) continue;
        const auto other = static_cast<std::int64_t>(row_map[j]), other_end = static_cast<std::int64_t>(row_map[j + 1]);
        if (other_end - other > longest) continue;
        const std::int32_t common = merged(begin, end, other, other_end);
        if (common > 0) list.add({static_cast<std::int32_t>(j), common});
      }
    list.write(i, graph, best);
  }

  /// Columns that two rows hold, by merging them.
  KOKKOS_FUNCTION std::int32_t merged(std::int64_t a, std::int64_t a_end, std::int64_t b, std::int64_t b_end) const {
    std::int32_t count = 0;
    while (a < a_end && b < b_end) {
      const Ordinal left = entries[a], right = entries[b];
      if (left == right) ++count;
      if (left <= right) ++a;
      if (right <= left) ++b;
    }
    return count;
  }

  template <class Team>
  KOKKOS_FUNCTION void weigh_together(const Team& team, std::int64_t i, Ordinal* row) const {
    using lanes         = typename Team::lanes;
    constexpr int width = Team::lane_width;
    const int lane      = team.lane();
    const auto begin    = static_cast<std::int64_t>(row_map[i]);
    const auto all      = static_cast<std::int64_t>(row_map[i + 1]) - begin;
    const int length    = all <= longest ? static_cast<int>(all) : 0;
    int padded          = 1;
    while (padded < length) padded *= 2;
    bool falls = false;
    for (int k = lane; k < padded; k += width) {
      row[k] = k < length ? entries[begin + k] : none;
      falls  = falls || (k > 0 && k < length && entries[begin + k - 1] > row[k]);
    }
    const bool sorted = !lanes::any(falls);
    team.warp_barrier();

    RowEdge own;  // slot `lane` of the list
    int used = 0;
    for (int chunk = 0; chunk < length; chunk += width) {
      std::int32_t to    = -1;
      std::int64_t other = 0;
      int other_length   = 0;
      const int k        = chunk + lane;
      if (k < length && (k == 0 || row[k] != row[k - 1])) {
        const auto j = static_cast<std::int64_t>(row[k]);
        if (j != i && j < rows) {
          other                = static_cast<std::int64_t>(row_map[j]);
          const auto of_column = static_cast<std::int64_t>(row_map[j + 1]) - other;
          other_length         = static_cast<int>(of_column <= longest ? of_column : 0);
          if (other_length > 0) to = static_cast<std::int32_t>(j);
        }
      }
      const int turns = length - chunk < width ? length - chunk : width;
      for (int turn = 0; turn < turns; ++turn) {
        RowEdge edge;
        edge.to = lanes::shuffle(to, turn, width);
        if (edge.to < 0) continue;
        const std::int64_t from = lanes::shuffle(other, turn, width);
        const int count         = lanes::shuffle(other_length, turn, width);
        edge.weight             = sorted ? looked_up<lanes, width>(row, padded, from, count, lane) : -1;
        if (edge.weight < 0) edge.weight = merged(begin, begin + length, from, from + count);
        if (edge.weight > 0) add<lanes, width>(own, used, edge, lane);
      }
    }
    if (lane < RowGraph::slots) graph[i * RowGraph::slots + lane] = own;
    for (int delta = width / 2; delta > 0; delta /= 2) {
      const RowEdge other{lanes::shuffle(own.to, lane ^ delta, width), lanes::shuffle(own.weight, lane ^ delta, width)};
      if (prefers(static_cast<std::int32_t>(i), other, own)) own = other;
    }
    if (lane == 0) best[i] = own.to;
  }

  /// Columns of another row that `row` holds, which is sorted and filled up to `padded`, a power of two. -1 where the
  /// other row is not sorted or holds a column twice.
  template <class lanes, int width>
  KOKKOS_FORCEINLINE_FUNCTION std::int32_t looked_up(const Ordinal* row, int padded, std::int64_t from, int count,
                                                     int lane) const {
    std::int32_t common = 0;
    for (int first = 0; first < count; first += width) {
      const int k          = first + lane;
      const bool exists    = k < count;
      const Ordinal column = exists ? entries[from + k] : none;
      const bool rises     = !exists || k == 0 || entries[from + k - 1] < column;
      if (lanes::any(!rises)) return -1;
      int at = 0;
      for (int half = padded / 2; half > 0; half /= 2)
        if (row[at + half - 1] < column) at += half;
      common += lanes::count(exists && row[at] == column);
    }
    return common;
  }

  /// `RowEdgeList::add`, by all lanes together.
  template <class lanes, int width>
  KOKKOS_FORCEINLINE_FUNCTION static void add(RowEdge& own, int& used, const RowEdge& edge, int lane) {
    const bool is_there = own.to == edge.to;
    if (lanes::any(is_there)) {
      if (is_there) own.weight += edge.weight;
      return;
    }
    if (used < RowGraph::slots) {
      if (lane == used) own = edge;
      ++used;
      return;
    }
    std::int32_t least = lane < RowGraph::slots ? own.weight : heaviest;
    int slot           = lane;
    for (int delta = width / 2; delta > 0; delta /= 2) {
      const std::int32_t weight = lanes::shuffle(least, lane ^ delta, width);
      const int other           = lanes::shuffle(slot, lane ^ delta, width);
      if (weight > least || (weight == least && other > slot)) continue;
      least = weight;
      slot  = other;
    }
    if (lane == slot && least < edge.weight) own = edge;
  }
};

template <class ExecutionSpace, class Ordinal, class Offset>
void weigh_rows(const std::string& label, const ExecutionSpace& exec, std::int64_t rows, const Offset* row_map,
                const Ordinal* entries, RowEdge* graph, std::int32_t* best) {
  using traits           = ExecutionTraits<ExecutionSpace>;
  constexpr bool alone   = traits::lane_width == 1;
  const int threads      = team_threads<ExecutionSpace>(128);
  const int groups       = threads / traits::lane_width;
  const int rows_of_team = alone ? 64 : groups;
  const auto scratch     = alone ? RowGraph::slots * sizeof(RowEdge)
                                 : static_cast<std::size_t>(groups) * RowGraph::longest_row * sizeof(Ordinal);
  launch_teams<128>(exec, label, {ceiling_quotient(rows, rows_of_team), threads}, scratch + 64,
                    WeighRows<Ordinal, Offset>{rows, row_map, entries, rows_of_team, graph, best});
}

/// A round of matching behind the first. Who is matched stays so, and who points at a vertex that is still free points
/// at the best one there is.
struct PointAgain {
  VertexCount vertices;
  const RowEdge* graph;
  const std::int32_t* best;
  std::int32_t* now;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (!vertices.has(i)) return;
    const auto vertex       = static_cast<std::int32_t>(i);
    const std::int32_t last = best[i];
    const bool stays        = last < 0 || best[last] == vertex || !is_matched(best, last);
    now[i]                  = stays ? last : best_free(vertex);
  }
  KOKKOS_FUNCTION std::int32_t best_free(std::int32_t vertex) const {
    const RowEdge* const edges = graph + static_cast<std::int64_t>(vertex) * RowGraph::slots;
    RowEdge found;
    for (int slot = 0; slot < RowGraph::slots; ++slot) {
      const RowEdge edge = edges[slot];
      if (edge.to < 0) break;
      if (prefers(vertex, edge, found) && !is_matched(best, edge.to)) found = edge;
    }
    return found.to;
  }
};

/// The graph of the groups, and the first round of matching them. A thread makes the list of a group in scratch.
struct ContractGraph {
  VertexCount groups;
  const RowEdge* graph;
  const std::int32_t* group;  ///< of a vertex, `group_stride` from one to the next
  int group_stride;
  const std::int32_t* left;
  const std::int32_t* right;  ///< -1: none
  int groups_of_team;
  RowEdge* coarse;
  std::int32_t* best;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const edges = team.template scratch<RowEdge>(static_cast<std::size_t>(RowGraph::slots) * team.threads());
    const std::int64_t first = static_cast<std::int64_t>(team.league_rank()) * groups_of_team;
    const std::int64_t last  = first + groups_of_team;
    for (std::int64_t g = first + team.thread(); g < last && groups.has(g); g += team.threads()) {
      RowEdgeList list{edges + team.thread(), team.threads()};
      add(list, g, left[g]);
      if (right[g] >= 0) add(list, g, right[g]);
      list.write(g, coarse, best);
    }
  }

 private:
  KOKKOS_FUNCTION void add(RowEdgeList& list, std::int64_t g, std::int32_t vertex) const {
    const RowEdge* const of_vertex = graph + static_cast<std::int64_t>(vertex) * RowGraph::slots;
    for (int slot = 0; slot < RowGraph::slots; ++slot) {
      const RowEdge edge = of_vertex[slot];
      if (edge.to < 0) break;
      const std::int32_t to = group[static_cast<std::int64_t>(edge.to) * group_stride];
      if (to != g) list.add({to, edge.weight});
    }
  }
};

template <class ExecutionSpace>
void contract_graph(const std::string& label, const ExecutionSpace& exec, const VertexCount& groups,
                    const RowEdge* graph, const std::int32_t* group, int group_stride, const std::int32_t* left,
                    const std::int32_t* right, RowEdge* coarse, std::int32_t* best) {
  const int threads        = team_threads<ExecutionSpace>(128);
  const int groups_of_team = threads == 1 ? 256 : threads;
  launch_teams<128>(exec, label, {ceiling_quotient(groups.bound, groups_of_team), threads},
                    RowGraph::slots * sizeof(RowEdge) * static_cast<std::size_t>(threads) + 64,
                    ContractGraph{groups, graph, group, group_stride, left, right, groups_of_team, coarse, best});
}

/// The `bound` vertices at most whose number will be at `exact`, on the device; waits for it where the bound is not
/// below `least_counted`.
template <class Device, class ExecutionSpace>
VertexCount counted_vertices(const ExecutionSpace& exec, std::int64_t bound, const std::int32_t* exact,
                             std::int64_t least_counted) {
  if (bound < least_counted) return {bound, exact};
  std::int32_t count = 0;
  Kokkos::deep_copy(exec, Kokkos::View<std::int32_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&count),
                    Kokkos::View<const std::int32_t, Device, Kokkos::MemoryUnmanaged>(exact));
  exec.fence("Lacuna::cluster_rows: how many groups");
  return {count, nullptr};
}

}  // namespace lacuna::Impl

#endif
