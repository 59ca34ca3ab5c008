// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_COOTILE_HPP
#define LACUNA_COOTILE_HPP

#include <Lacuna_CooMatrix.hpp>
#include <core/impl/memory/Lacuna_Allocate.hpp>
#include <kernels/spmv/published/shared/Lacuna_OpenSegment.hpp>
#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// \brief SpMV in coordinate storage (002, section 5.1, after Bell and Garland): a segmented sum over nonzeros, so that
/// row lengths do not matter.
///
/// A team sums a tile of nonzeros by rows. A row that lies wholly in one tile is added to y at once; of a row that goes
/// on in the next tile, each tile leaves its part in a list of carries, two places a tile, which is summed by rows the
/// same way, level by level. Every row is added to y once, by one thread: no atomics, the same bits on every run.

namespace lacuna::Impl {

/// Elements of a tile, which one team sums in scratch.
inline constexpr int coo_tile = 512;

/// The parts that tiles leave of rows that they share with a neighbour. Position 2 t is the row that tile t shares with
/// the tile before it, position 2 t + 1 with the tile after it; row -1 where there is none.
template <class Scalar, class Ordinal, class ExecutionSpace>
struct CooCarries {
  using Memory = typename ExecutionSpace::memory_space;

  Kokkos::View<Ordinal*, Memory> rows;
  Kokkos::View<Scalar*, Memory> values;
};

/// What SpMV in coordinate storage needs besides the matrix: a list of carries a level but the last. Overwritten by
/// every call.
template <class ScalarType, class OrdinalType, class ExecutionSpace>
struct SpmvCooWorkspace {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;

  std::vector<CooCarries<Scalar, Ordinal, ExecutionSpace>> levels;

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& level : levels) sum += level.rows.extent(0) * (sizeof(Ordinal) + sizeof(Scalar));
    return sum;
  }
};

/// Bytes that `make_spmv_coo_workspace` would allocate.
template <class Scalar, class Ordinal>
std::size_t spmv_coo_workspace_bytes(std::int64_t nonzeros) {
  std::int64_t positions = 0;
  for (std::int64_t count = nonzeros; count > coo_tile; positions += count)
    count = 2 * ceiling_quotient(count, coo_tile);
  return static_cast<std::size_t>(positions) * (sizeof(Ordinal) + sizeof(Scalar));
}

/// Allocates the workspace for `nonzeros` nonzeros. Does not fence. \throws OutOfMemory.
template <class Scalar, class Ordinal, class ExecutionSpace>
SpmvCooWorkspace<Scalar, Ordinal, ExecutionSpace> make_spmv_coo_workspace(const ExecutionSpace& exec,
                                                                          std::int64_t nonzeros) {
  SpmvCooWorkspace<Scalar, Ordinal, ExecutionSpace> workspace;
  for (std::int64_t count = nonzeros; count > coo_tile;) {
    count = 2 * ceiling_quotient(count, coo_tile);
    CooCarries<Scalar, Ordinal, ExecutionSpace> level;
    level.rows   = allocate<decltype(level.rows)>("SpmvPlan", exec, "Lacuna::spmv::coo_carry_rows", count);
    level.values = allocate<decltype(level.values)>("SpmvPlan", exec, "Lacuna::spmv::coo_carry_values", count);
    workspace.levels.push_back(level);
  }
  return workspace;
}

/// What level 0 sums: the products of the nonzeros.
template <class Scalar, class Ordinal, class Lanes, VectorRead read>
struct CooProducts {
  const Ordinal* rows;
  const Ordinal* columns;
  const Scalar* values;
  StridedVector<const Scalar> x;
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(std::int64_t k) const {
    return values[k] * read_vector<read, Lanes>(x, columns[k]);
  }
};

/// What the other levels sum: carries.
template <class Scalar, class Ordinal>
struct CooCarried {
  const Ordinal* rows;
  const Scalar* values;
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(std::int64_t k) const { return values[k]; }
};

/// Sums a tile by rows. As in the matrix-based scan each thread walks consecutive elements in scratch, an odd number
/// apart from the next thread's.
template <class Scalar, class Ordinal, class Source>
struct CooTile {
  Source source;
  std::int64_t count;
  Scalar alpha;
  StridedVector<Scalar> y;
  Ordinal* carry_rows;  ///< null on the last level, which has one tile
  Scalar* carry_values;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int width(int threads) { return (coo_tile + threads - 1) / threads; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int pitch(int threads) { return width(threads) | 1; }

  static constexpr std::size_t scratch_bytes(int threads) {
    return threads * (pitch(threads) * (sizeof(Scalar) + sizeof(Ordinal)) + sizeof(Scalar) + 1) + 64;
  }

  /// The rows that the tile shares with its neighbours, -1 where none.
  struct Shared {
    Ordinal before = -1;
    Ordinal after  = -1;
  };

  KOKKOS_FORCEINLINE_FUNCTION Shared shared_rows(std::int64_t begin, std::int64_t end) const {
    Shared shared;
    if (begin > 0 && source.rows[begin - 1] == source.rows[begin]) shared.before = source.rows[begin];
    if (end < count && source.rows[end - 1] == source.rows[end]) shared.after = source.rows[end];
    return shared;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int threads        = team.threads();
    const int columns        = width(threads);
    const int stride         = pitch(threads);
    Scalar* const value      = team.template scratch<Scalar>(threads * stride);
    Ordinal* const row       = team.template scratch<Ordinal>(threads * stride);
    Scalar* const open_sum   = team.template scratch<Scalar>(threads);
    auto* const has_head     = team.template scratch<std::uint8_t>(threads);
    const std::int64_t tile  = team.league_rank();
    const std::int64_t begin = tile * coo_tile;
    const std::int64_t end   = begin + coo_tile < count ? begin + coo_tile : count;
    const Shared shared      = shared_rows(begin, end);
    for (int i = team.thread(); i < threads * columns; i += threads) {
      const int position = i / columns * stride + i % columns;
      const bool exists  = begin + i < end;
      value[position]    = exists ? source.value(begin + i) : Scalar(0);
      row[position]      = exists ? source.rows[begin + i] : Ordinal(-1);
    }
    if (team.thread() == 0 && carry_rows != nullptr) {
      carry_rows[2 * tile]       = shared.before;
      carry_rows[2 * tile + 1]   = shared.after;
      carry_values[2 * tile]     = Scalar(0);
      carry_values[2 * tile + 1] = Scalar(0);
    }
    team.barrier();

    const int first     = team.thread() * stride;
    const Ordinal ahead = team.thread() == 0 ? row[0] : row[first - stride + columns - 1];
    OpenSegment<Scalar> segment;
    Ordinal previous = ahead;
    for (int position = first; position < first + columns; ++position) {
      segment.append(value[position], row[position] != previous);
      previous = row[position];
    }
    open_sum[team.thread()] = segment.sum;
    has_head[team.thread()] = static_cast<std::uint8_t>(segment.has_head);
    team.barrier();

    if (team.warp() == 0) scan_open_segments(team, open_sum, has_head, threads);
    team.barrier();

    Scalar sum = open_sum[team.thread()];
    previous   = ahead;
    for (int position = first; position < first + columns; ++position) {
      if (row[position] != previous) {
        finish(tile, shared, previous, sum);
        sum      = Scalar(0);
        previous = row[position];
      }
      sum += value[position];
    }
    if (team.thread() == threads - 1) finish(tile, shared, previous, sum);
  }

  /// All of the tile's nonzeros in `row` make `sum`. Rows ascend, so that a row shared with a neighbour is the one at
  /// that end of the tile.
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t tile, const Shared& shared, Ordinal row,
                                          const Scalar& sum) const {
    if (row < 0) return;
    if (row == shared.before)
      carry_values[2 * tile] = sum;
    else if (row == shared.after)
      carry_values[2 * tile + 1] = sum;
    else
      y[row] += alpha * sum;
  }
};

/// y += alpha A x.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
void add_coo_product(const ExecutionSpace& exec, const CooMatrix<Scalar, Ordinal, Device, Offset>& A,
                     const VectorArguments<Scalar>& arguments, SpmvShape shape,
                     const SpmvCooWorkspace<Scalar, Ordinal, ExecutionSpace>& workspace) {
  using Lanes        = typename ExecutionTraits<ExecutionSpace>::lanes;
  const int threads  = team_threads<ExecutionSpace>(shape.team_size > 0 ? std::min(shape.team_size, coo_tile) : 128);
  const auto& levels = workspace.levels;
  const auto sum     = [&](const auto& source, std::int64_t count, std::size_t level) {
    using Tile      = CooTile<Scalar, Ordinal, std::decay_t<decltype(source)>>;
    const bool last = level == levels.size();
    launch_teams(exec, "Lacuna::spmv::coo", {ceiling_quotient(count, coo_tile), threads}, Tile::scratch_bytes(threads),
                     Tile{source, count, arguments.alpha, arguments.y, last ? nullptr : levels[level].rows.data(),
                      last ? nullptr : levels[level].values.data()});
  };
  const auto sum_products = [&]<VectorRead read>(std::integral_constant<VectorRead, read>) {
    sum(CooProducts<Scalar, Ordinal, Lanes, read>{A.row_indices.data(), A.column_indices.data(), A.values.data(),
                                                  arguments.x},
        static_cast<std::int64_t>(A.nonzeros()), 0);
  };
  if (shape.x_past_cache)
    sum_products(std::integral_constant<VectorRead, VectorRead::l2_only>());
  else
    sum_products(std::integral_constant<VectorRead, VectorRead::cached>());
  for (std::size_t l = 0; l < levels.size(); ++l)
    sum(CooCarried<Scalar, Ordinal>{levels[l].rows.data(), levels[l].values.data()},
        static_cast<std::int64_t>(levels[l].rows.extent(0)), l + 1);
}

/// y = alpha A x + beta y. The rows of `A` ascend. `workspace` was made for its number of nonzeros; calls that share it
/// must not overlap. `shape.lanes_per_row` is not used. Deterministic for a given shape. Does not fence.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
void spmv_coo(const ExecutionSpace& exec, const CooMatrix<Scalar, Ordinal, Device, Offset>& A,
              const VectorArguments<Scalar>& arguments, SpmvShape shape,
              const SpmvCooWorkspace<Scalar, Ordinal, ExecutionSpace>& workspace) {
  Kokkos::parallel_for(
      "Lacuna::spmv::coo_scale",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(A.rows)),
      ScaleVector<Scalar>{arguments.beta, arguments.y});
  add_coo_product(exec, A, arguments, shape, workspace);
}

}  // namespace lacuna::Impl

#endif
