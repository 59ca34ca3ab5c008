// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWCLUSTERING_HPP
#define LACUNA_ROWCLUSTERING_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/bricks/Lacuna_BrickStatistics.hpp>
#include <formats/impl/bricks/Lacuna_Convert_Bricks.hpp>
#include <formats/impl/clustering/Lacuna_RowGraph.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

/// \file
/// \brief Groups rows that share columns, so that a panel has fewer active ones. Algebraic: from the pattern of a
/// square matrix alone, on the device, the same on every run.
///
/// Rows are matched in pairs, pairs in pairs of pairs, until groups are as large as panels; see Lacuna_RowGraph.hpp for
/// the graph and who is matched. (Heavy-edge matching, Karypis and Kumar 1998, with an order of equal edges.) A few
/// levels more bring panels in order.

namespace lacuna::Impl {

/// What a group holds: panels that are full, and rows that are in none.
struct GroupSize {
  std::int32_t full  = 0;
  std::int32_t loose = 1;
};

/// From a vertex to its group: what the group holds before the part that the vertex is.
struct ClusterStep {
  std::int32_t group;
  GroupSize before;
};

/// Ends a level: numbers the groups in the order of their first vertices and writes all that is known of them.
struct NumberGroups {
  VertexCount vertices;
  const std::int32_t* best;
  const GroupSize* size;  ///< of vertices; null: rows
  int panel_rows;
  bool closes_panels;  ///< groups are as large as panels now
  ClusterStep* steps;
  std::int32_t* left;
  std::int32_t* right;  ///< -1: none
  GroupSize* group_size;
  GroupSize* position;  ///< what all groups before hold; null: not asked for
  std::int32_t* groups;
  std::int32_t* full_panels;  ///< with `position`

  struct value_type {
    std::int32_t groups, full, loose;
  };
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = {0, 0, 0}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.groups += from.groups;
    into.full += from.full;
    into.loose += from.loose;
  }
  /// i is below vertices.bound + 1.
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sum, bool final) const {
    if (i == vertices.bound) {
      if (final) *groups = sum.groups;
      if (final && position != nullptr) *full_panels = sum.full;
      return;
    }
    if (!vertices.has(i)) return;
    const auto vertex       = static_cast<std::int32_t>(i);
    const std::int32_t mate = is_matched(best, vertex) ? best[vertex] : -1;
    if (mate >= 0 && mate < vertex) return;
    if (final || position != nullptr) {
      const GroupSize first = size_of(vertex);
      GroupSize both        = first;
      if (mate >= 0) {
        const GroupSize second = size_of(mate);
        both.full += second.full;
        both.loose += second.loose;
      }
      if (closes_panels && both.loose == panel_rows) both = {1, 0};
      if (final) write(sum, vertex, mate, first, both);
      sum.full += both.full;
      sum.loose += both.loose;
    }
    ++sum.groups;
  }

 private:
  KOKKOS_FUNCTION GroupSize size_of(std::int32_t vertex) const { return size != nullptr ? size[vertex] : GroupSize(); }
  KOKKOS_FUNCTION void write(const value_type& sum, std::int32_t vertex, std::int32_t mate, const GroupSize& first,
                             const GroupSize& both) const {
    const std::int32_t group = sum.groups;
    steps[vertex]            = {group, {0, 0}};
    if (mate >= 0) steps[mate] = {group, first};
    left[group]       = vertex;
    right[group]      = mate;
    group_size[group] = both;
    if (position != nullptr) position[group] = {sum.full, sum.loose};
  }
};

/// Writes the row list: every row finds its position on its way up. Full panels come first, then the rows in none;
/// positions behind the last row hold -1.
template <class Ordinal>
struct ListRows {
  std::int64_t rows;
  int panel_rows;
  int panel_level;
  int level_count;
  const ClusterStep* steps;  ///< `rows` a level
  const GroupSize* panel_size;
  const GroupSize* position;
  const std::int32_t* full_panels;
  Ordinal* row_list;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i >= rows) {
      row_list[i] = Ordinal(-1);
      return;
    }
    std::int64_t in_group = 0, full = 0, loose = 0;
    auto vertex = static_cast<std::int32_t>(i);
    for (int level = 0; level < panel_level; ++level) {
      const ClusterStep step = steps[level * rows + vertex];
      in_group += step.before.loose;
      vertex = step.group;
    }
    const bool in_full = panel_size[vertex].full > 0;
    for (int level = panel_level; level < level_count; ++level) {
      const ClusterStep step = steps[level * rows + vertex];
      full += step.before.full;
      loose += step.before.loose;
      vertex = step.group;
    }
    full += position[vertex].full;
    loose += position[vertex].loose;
    const std::int64_t begin   = in_full ? full * panel_rows : std::int64_t{*full_panels} * panel_rows + loose;
    row_list[begin + in_group] = static_cast<Ordinal>(i);
  }
};

/// Groups from which on the host asks for their number. Below, passes over the largest possible number cost less than
/// the wait: not tuned. A host need not wait.
template <class ExecutionSpace>
inline constexpr std::int64_t least_counted_groups =
    ExecutionTraits<ExecutionSpace>::is_gpu ? std::int64_t{1} << 20 : 0;

/// \brief A row list for `to_bricks` with panels of `panel_rows` (8 or 16) rows that share columns. Groups that came
/// out full are panels of their own, the rest follows one after another. One allocation beside the list. Does not wait
/// for `exec`, but for matrices with at least `least_counted` rows once a level.
///
/// Empty, for natural order, where there are no rows, the matrix is not square, or is too large to number.
/// \throws OutOfMemory.
template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
RowListOf<Matrix> cluster_rows(const ExecutionSpace& exec, const Matrix& A, int panel_rows,
                               std::size_t memory_limit   = unlimited,
                               std::int64_t least_counted = least_counted_groups<ExecutionSpace>) {
  using Device               = typename Matrix::device_type;
  using Ordinal              = typename Matrix::non_const_ordinal_type;
  using Workspace            = Arena<Device>;
  using Number               = std::int32_t;
  constexpr auto function    = "cluster_rows";
  constexpr int levels_above = 3;  // on which groups as large as panels are brought in order
  const auto crs             = arrays_of(A);
  const auto rows            = static_cast<std::int64_t>(crs.rows);
  if (rows == 0 || rows != static_cast<std::int64_t>(crs.columns) || rows > std::numeric_limits<Number>::max() / 2)
    return {};
  int panel_level = 0;
  while (1 << panel_level < panel_rows) ++panel_level;
  const int level_count = panel_level + levels_above;
  // Where nothing is matched, every level has as many groups as there are rows. Graphs take turns, sizes too, but for
  // those of panels.
  const std::int64_t edges = rows * RowGraph::slots;
  const std::size_t workspace_bytes =
      Workspace::template bytes_for<RowEdge, RowEdge, ClusterStep, Number, Number, Number, Number, GroupSize, GroupSize,
                                    GroupSize, GroupSize, Number>(edges, edges, level_count * rows, rows, rows, rows,
                                                                  rows, rows, rows, rows, rows, level_count + 1);
  const std::int64_t positions = round_up(rows, panel_rows);
  check_memory(function, workspace_bytes + static_cast<std::size_t>(positions) * sizeof(Ordinal), memory_limit);
  const auto list = allocate<RowListOf<Matrix>>(function, exec, "Lacuna::cluster_rows::row_list", positions);
  Workspace arena(function, exec, "Lacuna::cluster_rows::work", workspace_bytes);
  const auto take = [&]<class T>(std::type_identity<T>, std::int64_t count) {
    return arena.template take<T>(count).data();
  };
  RowEdge* graph              = take(std::type_identity<RowEdge>(), edges);
  RowEdge* coarse             = take(std::type_identity<RowEdge>(), edges);
  ClusterStep* const steps    = take(std::type_identity<ClusterStep>(), level_count * rows);
  Number* best                = take(std::type_identity<Number>(), rows);
  Number* now                 = take(std::type_identity<Number>(), rows);
  Number* const left          = take(std::type_identity<Number>(), rows);
  Number* const right         = take(std::type_identity<Number>(), rows);
  GroupSize* const sizes[2]   = {take(std::type_identity<GroupSize>(), rows),
                                 take(std::type_identity<GroupSize>(), rows)};
  GroupSize* const panel_size = take(std::type_identity<GroupSize>(), rows);
  GroupSize* const position   = take(std::type_identity<GroupSize>(), rows);
  Number* const groups        = take(std::type_identity<Number>(), level_count + 1);
  Number* const full_panels   = groups + level_count;

  weigh_rows("Lacuna::cluster_rows::weigh", exec, rows, crs.row_map, crs.entries, graph, best);
  VertexCount vertices{rows, nullptr};
  const GroupSize* size = nullptr;
  for (int level = 0; level < level_count; ++level) {
    for (int round = 1; round < RowGraph::rounds; ++round) {
      for_each_index(exec, "Lacuna::cluster_rows::point", vertices.bound, PointAgain{vertices, graph, best, now});
      std::swap(best, now);
    }
    const bool closes_panels = level + 1 == panel_level, is_last = level + 1 == level_count;
    GroupSize* const group_size = closes_panels ? panel_size : sizes[level % 2];
    Kokkos::parallel_scan("Lacuna::cluster_rows::number", index_range(exec, vertices.bound + 1),
                          NumberGroups{vertices, best, size, panel_rows, closes_panels, steps + level * rows, left,
                                       right, group_size, is_last ? position : nullptr, groups + level, full_panels});
    if (is_last) break;
    size     = group_size;
    vertices = counted_vertices<Device>(exec, vertices.bound, groups + level, least_counted);
    contract_graph("Lacuna::cluster_rows::contract", exec, vertices, graph, &steps[level * rows].group,
                   static_cast<int>(sizeof(ClusterStep) / sizeof(Number)), left, right, coarse, best);
    std::swap(graph, coarse);
  }
  for_each_index(exec, "Lacuna::cluster_rows::list", positions,
                 ListRows<Ordinal>{rows, panel_rows, panel_level, level_count, steps, panel_size, position, full_panels,
                                   list.data()});
  return list;
}

/// A row list, and what it is worth.
template <CrsMatrixType Matrix>
struct RowClustering {
  RowListOf<Matrix> row_list;  ///< empty where natural order is as good
  BrickStatistics natural;
  BrickStatistics clustered;
  PanelColumnsOf<Matrix> columns;  ///< of the panels of `row_list`, for `bricks_from_crs`

  /// Active columns, and so rows of B that a product fetches, in units of those in natural order.
  double share_of_columns() const {
    return natural.active_columns > 0 ? BrickStatistics::ratio(clustered.active_columns, natural.active_columns) : 1.0;
  }
};

/// Clusters rows for panels of `Height` and counts the columns of both orders. Takes natural order unless clustering
/// leaves at least 1 % fewer columns. `counted` may be the count of natural order in panels of that height, which is
/// then not repeated. Clustering gains most on meshes with one unknown a node, and nothing where nodes have several
/// unknowns. Waits for `exec` once for each order that it counts. \throws OutOfMemory.
/// Evidence: formats/tuning.md.
template <int Height, ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
RowClustering<Matrix> make_row_clustering(const ExecutionSpace& exec, const Matrix& A,
                                          std::size_t memory_limit              = unlimited,
                                          const PanelColumnsOf<Matrix>& counted = {}) {
  using Ordinal       = typename Matrix::non_const_ordinal_type;
  const auto crs      = arrays_of(A);
  const auto rows     = static_cast<std::int64_t>(crs.rows);
  const auto panels   = ceiling_quotient(rows, Height);
  const auto count_of = [&](const Ordinal* row_list, std::size_t kept) {
    return count_panel_columns<Height>("brick_statistics", exec, A,
                                       PanelRows<Ordinal>{rows, panels, Height, row_list, nullptr}, kept, memory_limit);
  };
  const auto statistics_of = [&](const PanelColumnsOf<Matrix>& columns) {
    return brick_statistics_of<Height>(columns.totals, rows, static_cast<std::int64_t>(crs.nonzeros), panels);
  };
  const bool is_known = counted.height == Height && counted.row_list == nullptr;
  RowClustering<Matrix> result;
  result.natural   = statistics_of(is_known ? counted : count_of(nullptr, 0));
  result.clustered = result.natural;
  result.row_list  = cluster_rows(exec, A, Height, memory_limit);
  if (result.row_list.extent(0) == 0) return result;
  result.columns   = count_of(result.row_list.data(), bytes_of(result.row_list));
  result.clustered = statistics_of(result.columns);
  if (result.share_of_columns() > 0.99) {
    result.row_list  = {};
    result.columns   = {};
    result.clustered = result.natural;
  }
  return result;
}

}  // namespace lacuna::Impl

#endif
