// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSCANWORKSPACE_HPP
#define LACUNA_SPMVSCANWORKSPACE_HPP

#include <core/impl/memory/Lacuna_Allocate.hpp>
#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// \brief What the two SpMV by segmented scan share (002, section 5.1): an array of products, a segmented scan of it in
/// tiles with the tiles' carries scanned the same way, level by level, and the gather of each row's last element.
/// Only the scan of a tile differs: scan_flat/Lacuna_TreeScanTile.hpp and scan_matrix/Lacuna_MatrixScanTile.hpp.

namespace lacuna::Impl {

/// Elements of a tile, which one team scans in scratch.
inline constexpr int scan_tile = 1024;

/// One level of the scan. Level 0 holds the products, level l + 1 what the tiles of level l carry over their end.
template <class Scalar, class ExecutionSpace>
struct ScanLevel {
  using Memory = typename ExecutionSpace::memory_space;

  Kokkos::View<Scalar*, Memory> values;
  Kokkos::View<std::uint8_t*, Memory> heads;       ///< 1 where a segment begins
  Kokkos::View<std::int32_t*, Memory> first_head;  ///< per tile: the position of its first head, its size if none
};

/// What SpMV by segmented scan needs besides CSR. It depends on the pattern alone and is overwritten by every call.
template <class ScalarType, class ExecutionSpace>
struct SpmvScanWorkspace {
  using Scalar = ScalarType;

  std::vector<ScanLevel<Scalar, ExecutionSpace>> levels;  ///< none where there are no nonzeros

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& level : levels)
      sum += level.values.span() * sizeof(Scalar) + level.heads.span() + level.first_head.span() * sizeof(std::int32_t);
    return sum;
  }
  /// Of those, what products write to.
  std::size_t value_bytes() const {
    std::size_t sum = 0;
    for (const auto& level : levels) sum += level.values.span() * sizeof(Scalar);
    return sum;
  }
};

/// Bytes that `make_spmv_scan_workspace` would allocate.
template <class Scalar>
std::size_t spmv_scan_workspace_bytes(std::int64_t nonzeros) {
  std::size_t sum = 0;
  for (std::int64_t count = nonzeros; count > 0;) {
    const std::int64_t tiles = ceiling_quotient(count, scan_tile);
    sum += static_cast<std::size_t>(count) * (sizeof(Scalar) + 1) + static_cast<std::size_t>(tiles) * 4;
    count = tiles > 1 ? tiles : 0;
  }
  return sum;
}

/// Marks the first nonzero of every row that has one.
template <class Arrays, class Heads>
struct MarkRowHeads {
  Arrays A;
  Heads heads;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (A.row_map[row] < A.row_map[row + 1]) heads(A.row_map[row]) = 1;
  }
};

/// Finds the first head of every tile. Where a level follows, the tile is one element of it: a head where the tile has
/// one, since its carry then starts afresh.
template <class Level>
struct FindFirstHeads {
  Level level, next;
  bool has_next;
  KOKKOS_FUNCTION void operator()(std::int64_t tile) const {
    const std::int64_t begin = tile * scan_tile;
    const std::int64_t left  = static_cast<std::int64_t>(level.heads.extent(0)) - begin;
    const int size           = left < scan_tile ? static_cast<int>(left) : scan_tile;
    int position             = 0;
    while (position < size && level.heads(begin + position) == 0) ++position;
    level.first_head(tile) = position;
    if (has_next) next.heads(tile) = position < size ? 1 : 0;
  }
};

/// Allocates and fills the workspace of `A`. Does not fence. \throws OutOfMemory.
template <class ExecutionSpace, class Arrays>
SpmvScanWorkspace<typename Arrays::Scalar, ExecutionSpace> make_spmv_scan_workspace(const ExecutionSpace& exec,
                                                                                    const Arrays& A) {
  using Scalar = typename Arrays::Scalar;
  using Level  = ScanLevel<Scalar, ExecutionSpace>;
  using Range  = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;

  SpmvScanWorkspace<Scalar, ExecutionSpace> workspace;
  for (std::int64_t count = static_cast<std::int64_t>(A.nonzeros); count > 0;) {
    const std::int64_t tiles = ceiling_quotient(count, scan_tile);
    Level level;
    level.values     = allocate<decltype(level.values)>("SpmvPlan", exec, "Lacuna::spmv::scan_values", count);
    level.heads      = allocate<decltype(level.heads)>("SpmvPlan", exec, "Lacuna::spmv::scan_heads", count);
    level.first_head = allocate<decltype(level.first_head)>("SpmvPlan", exec, "Lacuna::spmv::scan_first_head", tiles);
    workspace.levels.push_back(level);
    count = tiles > 1 ? tiles : 0;
  }
  if (workspace.levels.empty()) return workspace;

  const auto& heads = workspace.levels.front().heads;
  Kokkos::deep_copy(exec, heads, std::uint8_t(0));
  Kokkos::parallel_for("Lacuna::spmv::scan_mark_heads", Range(exec, 0, static_cast<std::int64_t>(A.rows)),
                       MarkRowHeads<Arrays, std::decay_t<decltype(heads)>>{A, heads});
  for (std::size_t l = 0; l < workspace.levels.size(); ++l) {
    const bool has_next = l + 1 < workspace.levels.size();
    const Level& level  = workspace.levels[l];
    Kokkos::parallel_for("Lacuna::spmv::scan_first_heads",
                         Range(exec, 0, static_cast<std::int64_t>(level.first_head.extent(0))),
                         FindFirstHeads<Level>{level, has_next ? workspace.levels[l + 1] : Level(), has_next});
  }
  return workspace;
}

/// Step 1: the products.
template <class Arrays, class Lanes>
struct ScanProducts {
  Arrays A;
  StridedVector<const typename Arrays::Scalar> x;
  typename Arrays::Scalar* products;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    products[k] = A.values[k] * read_vector<VectorRead::cached, Lanes>(x, A.entries[k]);
  }
};

/// A tile scan gets this and replaces `values` by its inclusive scan that starts afresh at every head. Where `carries`
/// is set, it puts there the last element of each tile.
template <class ScalarType>
struct ScanTiles {
  using Scalar = ScalarType;

  Scalar* values;
  const std::uint8_t* heads;
  std::int64_t count;
  Scalar* carries;

  KOKKOS_FORCEINLINE_FUNCTION int size(std::int64_t tile) const {
    const std::int64_t left = count - tile * scan_tile;
    return left < scan_tile ? static_cast<int>(left) : scan_tile;
  }
};

/// Adds to the elements before the first head of a tile what the tiles before it carry.
template <class Scalar>
struct AddCarries {
  Scalar* values;
  const Scalar* carries;
  const std::int32_t* first_head;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t tile = static_cast<std::int64_t>(team.league_rank()) + 1;
    const Scalar carry      = carries[tile - 1];
    const int size          = first_head[tile];
    for (int i = team.thread(); i < size; i += team.threads()) values[tile * scan_tile + i] += carry;
  }
};

/// Step 3: the last element of each row is its sum.
template <class Arrays>
struct GatherRowEnds {
  using Scalar = typename Arrays::Scalar;

  Arrays A;
  VectorArguments<Scalar> arguments;
  const Scalar* scan;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const bool empty = A.row_map[row] == A.row_map[row + 1];
    arguments.write(row, empty ? Scalar(0) : scan[A.row_map[row + 1] - 1]);
  }
};

/// The three steps. `launch_tiles(ScanTiles, number of tiles)` starts the scan of all tiles of a level.
template <class ExecutionSpace, class Arrays, class Workspace, class LaunchTiles>
void spmv_by_scan(const ExecutionSpace& exec, const Arrays& A,
                  const VectorArguments<typename Arrays::Scalar>& arguments, int threads, const Workspace& workspace,
                  const LaunchTiles& launch_tiles) {
  using Scalar       = typename Arrays::Scalar;
  using Range        = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  using Lanes        = typename ExecutionTraits<ExecutionSpace>::lanes;
  const auto& levels = workspace.levels;
  Scalar* scan       = nullptr;
  if (!levels.empty()) {
    scan = levels.front().values.data();
    Kokkos::parallel_for("Lacuna::spmv::scan_products", Range(exec, 0, static_cast<std::int64_t>(A.nonzeros)),
                         ScanProducts<Arrays, Lanes>{A, arguments.x, scan});
  }
  const auto tiles = [&levels](std::size_t l) { return static_cast<std::int64_t>(levels[l].first_head.extent(0)); };
  for (std::size_t l = 0; l < levels.size(); ++l) {
    Scalar* const carries = l + 1 < levels.size() ? levels[l + 1].values.data() : nullptr;
    launch_tiles(ScanTiles<Scalar>{levels[l].values.data(), levels[l].heads.data(),
                                   static_cast<std::int64_t>(levels[l].values.extent(0)), carries},
                 tiles(l));
  }
  for (std::size_t l = levels.size(); l-- > 1;)
    launch_teams(
        exec, "Lacuna::spmv::scan_add_carries", {tiles(l - 1) - 1, threads}, 0,
        AddCarries<Scalar>{levels[l - 1].values.data(), levels[l].values.data(), levels[l - 1].first_head.data()});
  Kokkos::parallel_for("Lacuna::spmv::scan_gather", Range(exec, 0, static_cast<std::int64_t>(A.rows)),
                       GatherRowEnds<Arrays>{A, arguments, scan});
}

}  // namespace lacuna::Impl

#endif
