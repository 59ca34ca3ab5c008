// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_STAGEDROWS_HPP
#define LACUNA_STAGEDROWS_HPP

#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/rows/Lacuna_RowTile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief C = alpha A B + beta C from CSR for long rows of about equal length and an N of whole tiles, with the
/// nonzeros brought to scratch: the kernel of Gale et al. (Sparse GPU Kernels for Deep Learning, 2020, Sputnik),
/// without its alignment of rows and its sorting of them.
///
/// A subwarp of `policy.lanes` lanes takes a row. Each lane loads one of its next nonzeros, the next time while these
/// are used; they go to scratch, and all lanes read four columns or 16 bytes of values back at once.
///
/// Bound: as of the row kernel (Lacuna_RowKernel.hpp), wavefronts of the first-level cache. There a column and a
/// value that all lanes load take two for each nonzero, four by one load too. Read back from scratch, four of both take
/// four (ncu, H100), so a nonzero takes five with its four of B where it took six.

namespace lacuna::Impl {

template <class ExecutionSpace, class Arrays, class Output, int vector, EvenRowsPolicy policy>
struct StagedRows {
  static constexpr int lanes        = policy.lanes_within(ExecutionTraits<ExecutionSpace>::lane_width);
  static constexpr int lane_vectors = policy.lane_vectors, unroll = policy.unroll;
  static constexpr int chunk    = std::max(lanes, unroll);  ///< nonzeros of a row in scratch
  static constexpr int per_lane = chunk / lanes;
  static_assert(policy.split_k == 1 && unroll % 4 == 0 && chunk % unroll == 0);

  using Tile    = RowTile<ExecutionSpace, Arrays, Output, vector, lane_vectors, lanes>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Place   = typename Tile::Place;
  using Sums    = typename Tile::Sums;
  using Row     = std::make_unsigned_t<Ordinal>;

  static constexpr int subwarps = Tile::lane_width / lanes;  ///< in a warp, with a row each

  Arrays A;
  Tile tile;
  std::int32_t teams_per_tile;

  static std::size_t scratch_bytes(int threads) {
    return static_cast<std::size_t>(threads / lanes) * sizeof(Chunk) + alignof(Chunk);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto team_number = static_cast<std::uint32_t>(team.league_rank());
    const auto n_tile      = team_number / static_cast<std::uint32_t>(teams_per_tile);
    const auto rank        = team_number - n_tile * static_cast<std::uint32_t>(teams_per_tile);
    const auto warp        = static_cast<Row>(rank) * static_cast<Row>(team.warps()) + static_cast<Row>(team.warp());
    const int subwarp = team.lane() / lanes, lane = team.lane() % lanes;
    const Row row     = warp * static_cast<Row>(subwarps) + static_cast<Row>(subwarp);
    const bool exists = row < static_cast<Row>(A.rows);
    Chunk* const line = team.template scratch<Chunk>(static_cast<std::size_t>(team.warps() * subwarps)) +
                        team.warp() * subwarps + subwarp;
    const Place place = tile.place(static_cast<int>(n_tile), lane);
    Sums sum;
    Tile::clear(sum);
    Offset k         = exists ? A.row_map[row] : Offset(0);
    const Offset end = exists ? A.row_map[row + 1] : Offset(0);
    Own own;
    load(own, k, end, lane);
    while (Team::lanes::any(k < end)) {
      team.warp_barrier();  // nobody reads the chunk before any more
      LACUNA_UNROLL
      for (int i = 0; i < per_lane; ++i) {
        line->columns[lane + i * lanes] = own.columns[i];
        line->values[lane + i * lanes]  = own.values[i];
      }
      team.warp_barrier();
      const auto left = end - k;
      const int count = k < end ? (left < static_cast<Offset>(chunk) ? static_cast<int>(left) : chunk) : 0;
      k += static_cast<Offset>(chunk);
      load(own, k, end, lane);
      int i = 0;
      LACUNA_NO_UNROLL
      for (; i + unroll <= count; i += unroll) add_round<true>(*line, i, unroll, place, sum);
      if (i < count) add_round<false>(*line, i, count - i, place, sum);
    }
    if (exists) tile.write(static_cast<std::int64_t>(row), place, sum);
  }

 private:
  struct alignas(16) Chunk {
    Ordinal columns[chunk];
    Scalar values[chunk];
  };
  /// What a lane brings.
  struct Own {
    Ordinal columns[per_lane];
    Scalar values[per_lane];
  };

  KOKKOS_FORCEINLINE_FUNCTION void load(Own& own, Offset k, Offset end, int lane) const {
    LACUNA_UNROLL
    for (int i = 0; i < per_lane; ++i) {
      const Offset at = k + static_cast<Offset>(lane + i * lanes);
      own.columns[i]  = at < end ? A.entries[at] : Ordinal(0);
      own.values[i]   = at < end ? A.values[at] : Scalar(0);
    }
  }

  /// `count` nonzeros from `first` on. All loads of B are on their way before the first product; what does not exist is
  /// neither read nor multiplied.
  template <bool whole>
  KOKKOS_FORCEINLINE_FUNCTION void add_round(const Chunk& line, int first, int count, const Place& place,
                                             Sums& sum) const {
    Ordinal column[unroll];
    Scalar value[unroll];
    Pack<Scalar, vector> row_of_b[unroll][lane_vectors];
    read(column, line.columns + first);
    read(value, line.values + first);
    LACUNA_UNROLL
    for (int i = 0; i < unroll; ++i)
      if (whole || i < count)
        for (int c = 0; c < lane_vectors; ++c) row_of_b[i][c] = tile.row_of_b(place, c, column[i]);
    LACUNA_UNROLL
    for (int i = 0; i < unroll; ++i)
      if (whole || i < count) Tile::add_product(value[i], row_of_b[i], sum);
  }

  /// By 16 bytes.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void read(T (&to)[unroll], const T* from) {
    constexpr int fits = sizeof(T) < 16 ? 16 / static_cast<int>(sizeof(T)) : 1, in_load = fits < unroll ? fits : unroll;
    LACUNA_UNROLL
    for (int i = 0; i < unroll; i += in_load) {
      const auto pack = *reinterpret_cast<const Pack<T, in_load>*>(from + i);
      LACUNA_UNROLL
      for (int j = 0; j < in_load; ++j) to[i + j] = pack.value[j];
    }
  }
};

}  // namespace lacuna::Impl

#endif
