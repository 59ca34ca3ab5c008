// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMBRICKKERNEL_HPP
#define LACUNA_SPMMBRICKKERNEL_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickEngine.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickResult.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickRing.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickSchedule.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickStream.hpp>

#include <cstdint>

/// \file
/// \brief C = alpha A B + beta C with A in bricks, on matrix engines.
///
/// A warp owns a panel (or a segment of a long panel) and up to 128 columns of C, which it keeps in its accumulators.
/// The steps of its panels come through a private ring of stages without a break; it never waits for another warp.
/// Warps of a team share a run of panels, so that rows of B which neighbouring panels use are fetched while they are
/// in the second-level cache.
///
/// Bound: the rows of B that are staged, `steps * 8 * columns` elements, from the second-level cache. On meshes with 3
/// unknowns a node, panels of 16 rows and `full` precision it is also the latency of the engine.
///
/// Each sum is formed in an order that depends on nothing but A and the schedule: results are the same from run
/// to run. A value that is not finite (Inf or NaN in A or B, or overflow) shows in the sums of a column in
/// every row of its panel, with or without a nonzero there. Such panels are computed again in plain arithmetic,
/// which gives the final result.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

template <class EngineType, class ShapeType, class ArraysType>
struct SpmmBrickKernel {
  using Engine  = EngineType;
  using Shape   = ShapeType;
  using Arrays  = ArraysType;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Segment = BrickSegment<Ordinal, Offset>;
  using Ring    = BrickRing<Segment, Scalar, Ordinal, Shape>;

  static constexpr int tiles     = Shape::columns / 16;
  static constexpr int row_atoms = (Shape::panel_rows + Engine::Mma::n - 1) / Engine::Mma::n;

  Arrays bricks;
  BlockArguments<Scalar> arguments;
  const Segment* segment;
  const std::int64_t* share_begin;
  std::int64_t shares;
  int runs;                            // of consecutive shares, one a team
  int tiles_of_c;                      // of Shape::columns, in turn
  int tile_runs;                       // teams that share the tiles of a run of shares
  std::int64_t first_column, columns;  // those that this launch is for
  std::int64_t partial_begin;          // the column that partial sums begin with
  Scalar* partial;
  std::int32_t* arrived;
  std::int64_t partial_columns;
  bool pairs;  // C takes pairs of neighbouring columns at once

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const;
};

/// One warp at work.
template <class Team, class Kernel>
class BrickGroup {
 public:
  using Engine = typename Kernel::Engine;
  using Mma    = typename Engine::Mma;
  using Shape  = typename Kernel::Shape;
  using Scalar = typename Kernel::Scalar;
  using Ring   = typename Kernel::Ring;
  using Map    = BrickMap<Mma, Shape::is_shifted>;
  using Sum    = typename Engine::Sum;
  using stages = typename Team::stages;

  static constexpr int tiles     = Kernel::tiles;
  static constexpr int row_atoms = Kernel::row_atoms;
  /// Tiles at once: four chains of products then run side by side.
  static constexpr int tiles_at_once = tiles < 4 / row_atoms ? tiles : 4 / row_atoms;

  KOKKOS_FORCEINLINE_FUNCTION BrickGroup(const Team& team, const Kernel& kernel, BrickSharedState& shared,
                                         const Ring& ring)
      : m_team(team), m_kernel(kernel), m_ring(ring), m_stream(team, kernel, shared, ring), m_lane(team.lane()) {}

  KOKKOS_FORCEINLINE_FUNCTION void run() {
    if (!m_stream.start()) return;
    Sum sums[tiles * row_atoms];
    clear(sums);
    int left   = static_cast<int>(m_stream.current().steps);
    int filled = 0, current = Ring::stage_bytes;  // stages; `ahead` iterations on, the latter is at stage 0 too
    LACUNA_NO_UNROLL
    for (int iteration = -Ring::ahead;; ++iteration) {
      stages::template wait<Ring::ahead - 1>();
      m_team.warp_barrier();
      m_stream.fill(iteration, filled);
      stages::commit();
      if (iteration >= 0) {
        if (left > 0) multiply(m_ring.data + current, sums);
        if (--left <= 0) {
          const auto columns = m_stream.current_columns();
          BrickResult<Team, Kernel>(m_team, m_kernel, m_stream.current(), columns).take(sums);
          if (!m_stream.advance()) return;
          clear(sums);
          left = static_cast<int>(m_stream.current().steps);
        }
      }
      filled  = Ring::next_stage(filled);
      current = Ring::next_stage(current);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void clear(Sum* sums) const {
    for_each_lane<Mma>(m_lane, [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < tiles * row_atoms; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) sums[i](lane, reg) = Scalar(0);
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(const char* stage, Sum* sums) const {
    typename Engine::Sparse sparse[Map::products][row_atoms];
    const auto* values = reinterpret_cast<const Scalar*>(stage + Ring::values_at);
    LACUNA_UNROLL
    for (int product = 0; product < Map::products; ++product) {
      LACUNA_UNROLL
      for (int atom = 0; atom < row_atoms; ++atom) {
        typename Engine::SparseValues raw;
        for_each_lane<Mma>(m_lane, [&](int lane) {
          LACUNA_UNROLL
          for (int reg = 0; reg < Mma::b_registers; ++reg) {
            const bool is_row = Shape::panel_rows % Mma::n == 0 || Map::sparse_row(atom, lane, reg) < Shape::panel_rows;
            raw(lane, reg)    = is_row ? values[Map::sparse_slot(product, atom, lane, reg)] : Scalar(0);
          }
        });
        Engine::prepare(m_lane, raw, sparse[product][atom]);
      }
    }
    LACUNA_UNROLL
    for (int first = 0; first < tiles; first += tiles_at_once) {
      LACUNA_UNROLL
      for (int product = 0; product < Map::products; ++product) {
        typename Engine::Dense dense[tiles_at_once];
        for_each_lane<Mma>(m_lane, [&](int lane) {
          LACUNA_UNROLL
          for (int i = 0; i < tiles_at_once; ++i) read_dense(stage, first + i, product, lane, dense[i]);
        });
        Engine::template multiply<tiles_at_once, row_atoms>(m_lane, dense, sparse[product], sums + first * row_atoms);
      }
    }
  }

  template <class Dense>
  KOKKOS_FORCEINLINE_FUNCTION static void read_dense(const char* stage, int tile, int product, int lane, Dense& dense) {
    using Pair         = Pack<Scalar, 2>;
    const auto element = [&](int reg) {
      const int position = Map::dense_place(product, lane, reg);
      int column         = tile * 16 + Map::dense_column(lane, reg);
      if constexpr (Shape::is_shifted)
        column += reinterpret_cast<const std::int32_t*>(stage + Ring::shifts_at)[position] / Ring::size;
      return stage + position * Ring::row_bytes + column * Ring::size;
    };
    if constexpr (Map::has_pairs) {
      LACUNA_UNROLL
      for (int i = 0; i < Map::dense_pairs; ++i) {
        const Pair pair                   = *reinterpret_cast<const Pair*>(element(Map::dense_first(i)));
        dense(lane, Map::dense_first(i))  = pair.value[0];
        dense(lane, Map::dense_second(i)) = pair.value[1];
      }
    } else {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::a_registers; ++reg)
        dense(lane, reg) = *reinterpret_cast<const Scalar*>(element(reg));
    }
  }

  const Team& m_team;
  const Kernel& m_kernel;
  Ring m_ring;
  BrickStream<Team, Kernel> m_stream;
  int m_lane;
};

template <class EngineType, class ShapeType, class ArraysType>
template <class Team>
KOKKOS_FUNCTION void SpmmBrickKernel<EngineType, ShapeType, ArraysType>::operator()(const Team& team) const {
  auto& shared = *team.template scratch<BrickSharedState>(1);
  const Ring ring{team.template warp_scratch<char>(Ring::bytes)};
  if (team.thread() == 0) {
    const int run     = team.league_rank() % runs;
    shared.first_tile = team.league_rank() / runs;
    const auto begin  = [&](std::int64_t r) { return share_begin[runs == shares ? r : shares * r / runs]; };
    shared.begin      = static_cast<int>(begin(run));
    shared.count      = static_cast<int>(begin(run + 1)) - shared.begin;
    shared.total      = shared.count * ((tiles_of_c - shared.first_tile + tile_runs - 1) / tile_runs);
    shared.next       = 2 * team.warps();  // two segments for each group are given out already
  }
  team.barrier();
  BrickGroup<Team, SpmmBrickKernel>(team, *this, shared, ring).run();
}

}  // namespace lacuna::Impl

#endif
