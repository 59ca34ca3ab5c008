// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHRPBKERNEL_HPP
#define LACUNA_SPMMHRPBKERNEL_HPP

#include <backends/Lacuna_Launch.hpp>
#include <formats/impl/hrpb/Lacuna_HrpbBlock.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbEngine.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbSchedule.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief SpMM on HRPB as published (cuTeSpMM, Algorithm 1), with any N, strides and precision.
///
/// A team owns a row panel (or a panel segment of a heavy one) and up to 4 × 32 columns of C, 32 a warp. It walks
/// the blocks of the panel: the packed block and the rows of B that its active columns name are staged in scratch, then
/// every warp decodes the bricks, a lane its elements by the number of bits before its own, and multiplies each
/// with the 32 columns. Beyond the paper: blocks are staged one ahead by asynchronous copies, `full` precision, sums of
/// cut panels may be added by the last arriver in fixed order, and what is not finite is done again in plain
/// arithmetic, because an engine multiplies the zeros of a brick too.
///
/// Bound: rows of B from L2, `blocks * 16 * columns` elements, and two team barriers' worth of waiting a block.

namespace lacuna::Impl {

/// HRPB as the kernel sees it.
template <class ScalarType, class OrdinalType, class OffsetType>
struct HrpbArrays {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;
  using Offset  = OffsetType;

  std::int64_t rows;
  const Offset* blocked_row_ptr;
  const Ordinal* active_columns;
  const std::int64_t* size_ptr;
  const unsigned char* packed;
};

/// `BrickRows`: TM / 16.
template <class ExecutionSpace, class EngineType, int BrickRows, class Arrays>
struct SpmmHrpbKernel {
  using Engine  = EngineType;
  using Mma     = typename Engine::Mma;
  using Sum     = typename Engine::Sum;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using lanes   = typename ExecutionTraits<ExecutionSpace>::lanes;

  static constexpr int size          = sizeof(Scalar);
  static constexpr int panel_rows    = 16 * BrickRows;
  static constexpr int group_columns = 32;  ///< of C, that a warp has
  static constexpr int tiles         = group_columns / Mma::n;
  static constexpr int halves        = 16 / Mma::m;  ///< atoms that a brick is high
  static constexpr int row_padding   = 32;  ///< bytes behind a row of B: the lanes of an atom meet no bank twice
  static constexpr int block_bytes   = 16 * panel_rows * size + HrpbLayout{BrickRows}.metadata_bytes();

  static_assert(Mma::k == 4 && group_columns % Mma::n == 0, "lacuna: an atom that bricks of 16 x 4 do not fit");

  Arrays hrpb;
  BlockArguments<Scalar> arguments;
  const HrpbSegment<Offset>* segment;  // null: every panel is one
  std::int64_t segments;
  std::int64_t first_column, columns;  // those that this launch is for
  int tile_columns;                    // of a team: 32, 64 or 128
  int copies_log2;                     // copies that a row of B takes
  bool wide_copies;                    // of 16 bytes, else of one element
  HrpbReduction reduction;
  Scalar* partial;
  std::int32_t* arrived;
  std::int64_t partial_columns;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t stage_bytes(int columns) {
    return static_cast<std::size_t>(block_bytes + 16 * (columns * size + row_padding));
  }
  static constexpr std::size_t column_bytes = 16 * sizeof(Ordinal);
  static constexpr std::size_t scratch_bytes(int columns) { return 2 * (stage_bytes(columns) + column_bytes) + 64; }

  /// What a team holds while it is at work.
  struct Job {
    HrpbSegment<Offset> segment;
    std::int64_t tile_begin;  // first column of the team
    char* stages;
    Ordinal* active;  // 2 × 16
    KOKKOS_FORCEINLINE_FUNCTION char* stage(std::int64_t n, int tile_columns) const {
      return stages + static_cast<std::size_t>(n % 2) * stage_bytes(tile_columns);
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Job job;
    const std::int64_t number = team.league_rank() % segments;
    if (segment != nullptr) {
      job.segment = segment[number];
    } else {
      const Offset begin = hrpb.blocked_row_ptr[number];
      job.segment = {number, 0, begin, static_cast<std::int32_t>(hrpb.blocked_row_ptr[number + 1] - begin), 0, 1};
    }
    job.tile_begin = first_column + team.league_rank() / segments * tile_columns;
    job.stages     = team.template scratch<char>(2 * stage_bytes(tile_columns));
    job.active     = team.template scratch<Ordinal>(2 * 16);

    Sum sums[BrickRows * halves * tiles];
    for_each_lane<Mma>(team.lane(), [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < BrickRows * halves * tiles; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) sums[i](lane, reg) = Scalar(0);
      }
    });
    using stages_of = typename Team::stages;
    int bytes       = 0;  // of the block that is multiplied next
    if (job.segment.blocks > 0) {
      copy_active(team, job, 0);
      stages_of::commit();
      stages_of::template wait<0>();
      team.barrier();
      bytes = fill(team, job, 0);
      stages_of::commit();
    }
    for (std::int32_t n = 0; n < job.segment.blocks; ++n) {
      stages_of::template wait<0>();
      team.barrier();  // all copies have come, and nobody reads the stage before any more
      const int next_bytes = n + 1 < job.segment.blocks ? fill(team, job, n + 1) : 0;
      stages_of::commit();
      multiply_block(team, job, n, bytes, sums);
      bytes = next_bytes;
    }
    if (group_first(team, job) >= first_column + columns) return;
    if (lanes::any(!is_finite_everywhere(team.lane(), sums))) sum_plainly(team, job, sums);
    store(team, job, sums);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t group_first(const Team& team, const Job& job) const {
    return job.tile_begin + team.warp() * group_columns;
  }

  /// The active columns of block n of the segment, 16 bytes a thread.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void copy_active(const Team& team, const Job& job, std::int32_t n) const {
    using stages_of        = typename Team::stages;
    constexpr int per_copy = 16 / static_cast<int>(sizeof(Ordinal));
    const auto* from       = hrpb.active_columns + (static_cast<std::int64_t>(job.segment.first_block) + n) * 16;
    const auto to          = stages_of::address(job.active + n % 2 * 16);
    for (int i = team.thread(); i < 16 / per_copy; i += team.threads())
      stages_of::template copy<16>(to + 16 * i, from + i * per_copy);
  }

  /// Starts the copies of block n, whose active columns have come, and of the active columns after it. Returns the
  /// bytes of the block.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION int fill(const Team& team, const Job& job, std::int32_t n) const {
    using stages_of          = typename Team::stages;
    const auto block         = static_cast<std::int64_t>(job.segment.first_block) + n;
    const std::int64_t begin = hrpb.size_ptr[block];
    const int bytes          = static_cast<int>(hrpb.size_ptr[block + 1] - begin);
    if (n + 1 < job.segment.blocks) copy_active(team, job, n + 1);
    if (wide_copies)
      copy_rows<16>(team, job, n);
    else
      copy_rows<size>(team, job, n);
    const auto to = stages_of::address(job.stage(n, tile_columns));
    for (int at = 16 * team.thread(); at < bytes; at += 16 * team.threads())
      stages_of::template copy<16>(to + at, hrpb.packed + begin + at);
    return bytes;
  }

  template <int Bytes, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void copy_rows(const Team& team, const Job& job, std::int32_t n) const {
    using stages_of        = typename Team::stages;
    constexpr int elements = Bytes / size;
    const Ordinal* active  = job.active + n % 2 * 16;
    const auto to          = stages_of::address(job.stage(n, tile_columns) + block_bytes);
    const int row_bytes    = tile_columns * size + row_padding;
    const int last         = 16 << copies_log2;
    for (int i = team.thread(); i < last; i += team.threads()) {
      const int row             = i >> copies_log2;
      const int place           = i - (row << copies_log2);
      const std::int64_t column = job.tile_begin + place * elements;
      const std::int64_t left   = (first_column + columns - column) * size;
      const int valid           = left >= Bytes ? Bytes : left > 0 ? static_cast<int>(left) : 0;
      const Scalar* from =
          valid > 0 ? arguments.B.at(static_cast<std::int64_t>(active[row]), column) : arguments.B.data;
      const auto at = to + (row * row_bytes + place * Bytes);
      if constexpr (Bytes == 16)
        copy_first<stages_of, size>(at, reinterpret_cast<const char*>(from), valid);
      else
        stages_of::template copy<Bytes>(at, from, valid);
    }
  }

  /// sums += block n of the segment times its rows of B, for the columns of the warp.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_block(const Team& team, const Job& job, std::int32_t n, int bytes,
                                                  Sum* sums) const {
    // Columns that do not exist cost nothing on an engine, but they cost time in its emulation.
    const std::int64_t left = first_column + columns - group_first(team, job);
    if (left <= 0) return;
    const int in_use  = Mma::lanes_held > 1 && left < group_columns ? static_cast<int>((left - 1) / Mma::n + 1) : tiles;
    const char* stage = job.stage(n, tile_columns);
    const int row_bytes = tile_columns * size + row_padding;
    const char* rows    = stage + block_bytes + team.warp() * group_columns * size;
    const HrpbBlock<const Scalar> block(HrpbLayout{BrickRows}, reinterpret_cast<const unsigned char*>(stage), bytes);
    const Scalar* nonzeros = block.nnz_array;
    for (int column = 0; column < HrpbLayout::brick_columns; ++column) {
      const std::uint32_t first = block.colPtr[column], last = block.colPtr[column + 1];
      if (first == last) break;  // only the end of the last block has no bricks
      typename Engine::B b[tiles];
      for_each_lane<Mma>(team.lane(), [&](int lane) {
        LACUNA_UNROLL
        for (int tile = 0; tile < tiles; ++tile) {
          LACUNA_UNROLL
          for (int reg = 0; reg < Mma::b_registers; ++reg) {
            const char* row = rows + (4 * column + Mma::b_row(lane, reg)) * row_bytes;
            const int place = tile * Mma::n + Mma::b_column(lane, reg);
            Engine::set_b(b[tile], lane, reg, reinterpret_cast<const Scalar*>(row)[place]);
          }
        }
      });
      for (std::uint32_t j = first; j < last; ++j) {
        const std::uint64_t pattern = block.patterns[j];
        const auto at               = BrickRows == 1 ? 0 : static_cast<int>(block.rows[j]);
        LACUNA_UNROLL
        for (int half = 0; half < halves; ++half) {
          typename Engine::A a;
          decode(team.lane(), half, pattern, nonzeros, a);
          // A comparison for each place, not an index: sums stay in registers.
          LACUNA_UNROLL
          for (int brick_row = 0; brick_row < BrickRows; ++brick_row) {
            if (at != brick_row) continue;
            LACUNA_UNROLL
            for (int tile = 0; tile < tiles; ++tile)
              if (tile < in_use)
                Engine::multiply(team.lane(), a, b[tile], sums[(brick_row * halves + half) * tiles + tile]);
          }
        }
        nonzeros += count_bits(pattern);
      }
    }
  }

  /// The lane's elements of a brick: each stands behind as many nonzeros as there are bits before its own.
  KOKKOS_FORCEINLINE_FUNCTION static void decode(int own, int half, std::uint64_t pattern, const Scalar* nonzeros,
                                                 typename Engine::A& a) {
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int reg = 0; reg < Mma::a_registers; ++reg) {
        const int bit = (half * Mma::m + Mma::a_row(lane, reg)) * 4 + Mma::a_column(lane, reg);
        const bool is = (pattern >> bit & 1u) != 0;
        Engine::set_a(a, lane, reg, is ? nonzeros[bits_below(pattern, bit)] : Scalar(0));
      }
    });
  }

  /// Runs visit(row of the panel, column of C, sum) over the sums of this thread.
  template <class Visitor>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_sum(int own, std::int64_t first, Sum* sums, const Visitor& visit) const {
    for_each_lane<Mma>(own, [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < BrickRows * halves * tiles; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg)
          visit(i / tiles * Mma::m + Mma::c_row(lane, reg), first + i % tiles * Mma::n + Mma::c_column(lane, reg),
                sums[i](lane, reg));
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_finite_everywhere(int own, Sum* sums) const {
    Scalar zero(0);
    for_each_sum(own, 0, sums, [&](int, std::int64_t, const Scalar& sum) { zero += sum * Scalar(0); });
    return zero == Scalar(0);
  }

  /// The same sums without the engine, from memory: products with the nonzeros alone.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_plainly(const Team& team, const Job& job, Sum* sums) const {
    const std::int64_t end = first_column + columns;
    for_each_sum(team.lane(), group_first(team, job), sums, [&](int row, std::int64_t column, Scalar& sum) {
      if (column < end) sum = plain_sum(job.segment, row, column);
    });
  }
  KOKKOS_FUNCTION Scalar plain_sum(const HrpbSegment<Offset>& of, int row, std::int64_t column) const {
    Scalar sum(0);
    for (std::int32_t n = 0; n < of.blocks; ++n) {
      const auto number = static_cast<std::int64_t>(of.first_block) + n;
      const HrpbBlock<const Scalar> block(HrpbLayout{BrickRows}, hrpb.packed + hrpb.size_ptr[number],
                                          hrpb.size_ptr[number + 1] - hrpb.size_ptr[number]);
      int before = 0;
      for (int i = 0; i < HrpbLayout::brick_columns; ++i)
        for (std::uint32_t j = block.colPtr[i]; j < block.colPtr[i + 1]; ++j) {
          const std::uint64_t pattern = block.patterns[j];
          if (static_cast<int>(block.rows[j]) == row / 16)
            for (int bit = row % 16 * 4; bit < row % 16 * 4 + 4; ++bit)
              if ((pattern >> bit & 1u) != 0)
                sum +=
                    block.nnz_array[before + bits_below(pattern, bit)] *
                    arguments.B(static_cast<std::int64_t>(hrpb.active_columns[number * 16 + 4 * i + bit % 4]), column);
          before += count_bits(pattern);
        }
    }
    return sum;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team, const Job& job, Sum* sums) const {
    const std::int64_t first_row = job.segment.panel * panel_rows;
    const std::int64_t first     = group_first(team, job);
    const std::int64_t end       = first_column + columns;
    const bool is_cut            = job.segment.segments > 1;
    const bool adds              = is_cut && reduction == HrpbReduction::atomics;
    Scalar* own =
        is_cut && !adds
            ? partial + (job.segment.first_partial + job.segment.place) * panel_rows * partial_columns - first_column
            : nullptr;
    for_each_sum(team.lane(), first, sums, [&](int row, std::int64_t column, const Scalar& sum) {
      if (first_row + row >= hrpb.rows || column >= end) return;
      if (!is_cut)
        arguments.write(first_row + row, column, sum);
      else if (adds)
        Kokkos::atomic_add(arguments.C.at(first_row + row, column), arguments.alpha * sum);
      else
        own[row * partial_columns + column] = sum;
    });
    if (is_cut && !adds) arrive(team, job, sums);
  }

  /// The warp that leaves the last sums of a panel's 32 columns adds all of them, in the order of the segments.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void arrive(const Team& team, const Job& job, Sum* sums) const {
    const std::int64_t first = group_first(team, job);
    std::int32_t* counter    = arrived + job.segment.first_partial * (partial_columns / group_columns) +
                            (first - first_column) / group_columns;
    team.warp_barrier();
    std::int32_t before = 0;
    if (team.lane() == 0) before = lanes::arrive(counter);
    before = lanes::shuffle(before, 0, Team::lane_width);
    if (before + 1 != job.segment.segments) return;
    team.warp_barrier();
    const std::int64_t first_row = job.segment.panel * panel_rows, end = first_column + columns;
    for_each_sum(team.lane(), first, sums, [&](int row, std::int64_t column, const Scalar&) {
      if (first_row + row < hrpb.rows && column < end)
        arguments.write(first_row + row, column, sum_of_segments(job.segment, row, column));
    });
    if (team.lane() == 0) *counter = 0;  // for the next product
  }
  KOKKOS_FUNCTION Scalar sum_of_segments(const HrpbSegment<Offset>& of, int row, std::int64_t column) const {
    const Scalar* all = partial + of.first_partial * panel_rows * partial_columns;
    Scalar sum(0);
    for (std::int64_t other = 0; other < of.segments; ++other)
      sum += lanes::load_l2_only(all + (other * panel_rows + row) * partial_columns + column - first_column);
    return sum;
  }
};

}  // namespace lacuna::Impl

#endif
