// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHRPBKERNEL_HPP
#define LACUNA_SPMMHRPBKERNEL_HPP

#include <backends/Lacuna_Launch.hpp>
#include <formats/impl/hrpb/Lacuna_HrpbBlock.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbArrays.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbBricks.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbResult.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief SpMM on HRPB as published (cuTeSpMM, Algorithm 1), with any N, strides and precision.
///
/// A team owns a row panel (or a segment of a heavy one) and up to 4 × 32 columns of C, 32 a warp. Block by block,
/// packed blocks and the rows of B that they name are staged in scratch, bricks are decoded, a lane its elements by the
/// number of bits before its own, and every warp multiplies them with its columns. Beyond the paper: copies run one
/// block ahead; the warps of a team share the work of decoding; `full` precision; sums of cut panels may be added by
/// the last arriver; and what is not finite is added again without the engine, which multiplies zeros too.
///
/// Step n of a team, one barrier each:
///
///     wait until B(n), packed(n + 1) and active(n + 1) have come; barrier
///     start to copy B(n + 1), packed(n + 2), active(n + 2)
///     decode packed(n + 1) into bricks(n + 1)
///     sums += bricks(n) B(n)
///
/// Scratch: two stages of each of these four, for even and odd steps. Bound: rows of B from L2, `blocks * 16 * columns`
/// elements. Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

/// `BrickRows`: TM / 16.
template <class ExecutionSpace, class EngineType, int BrickRows, class Arrays>
struct SpmmHrpbKernel {
  using Engine  = EngineType;
  using Mma     = typename Engine::Mma;
  using Sum     = typename Engine::Sum;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Result  = HrpbResult<ExecutionSpace, Engine, BrickRows, Scalar, Offset>;
  using Columns = typename Result::Columns;
  using Bricks  = HrpbBricks<Engine, Scalar>;
  using lanes   = typename ExecutionTraits<ExecutionSpace>::lanes;

  static constexpr int size          = sizeof(Scalar);
  static constexpr int panel_rows    = 16 * BrickRows;
  static constexpr int group_columns = Columns::count;  ///< of C, that a warp has
  static constexpr int tiles         = Columns::tiles;
  static constexpr int halves        = Result::halves;
  static constexpr int row_padding   = 32;  ///< bytes behind a row of B: the lanes of an atom meet no bank twice
  static constexpr int block_bytes   = 16 * panel_rows * size + HrpbLayout{BrickRows}.metadata_bytes();
  static constexpr int block_values  = 4 * BrickRows * Bricks::values;  ///< of a block whose bricks are decoded

  Arrays hrpb;
  Result result;
  const HrpbSegment<Offset>* segment;  // null: every panel is one
  int segments;
  int column_tiles;  // teams that share a segment
  int tile_columns;  // of a team: 32, 64 or 128
  int row_bytes;     // of a row of B in scratch
  int copies_log2;   // copies that a row of B takes
  bool wide_copies;  // of 16 bytes, else of one element

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int bytes_of_row(int columns) { return columns * size + row_padding; }
  static constexpr std::size_t scratch_bytes(int columns) {
    return 2 * static_cast<std::size_t>(16 * bytes_of_row(columns) + block_bytes + block_values * size +
                                        16 * static_cast<int>(sizeof(Ordinal)) + 16);
  }

  /// What a team holds while it is at work: scratch, two stages of each, and what it copies next.
  struct Job {
    unsigned char* packed;
    Scalar* bricks;
    Ordinal* active;
    std::uint32_t* present;  // which bricks a decoded block has, where there are two rows of them
    char* rows_of_b;
    const char* own_rows;     // where this lane reads them, on a GPU
    bool is_whole;            // the usual case: copies of 16 bytes, all of whose columns exist; then, of this thread:
    const char* from;         // what it copies of row 0 of B,
    int to;                   // where to in a stage,
    int first_row;            // and its first row
    std::int64_t tile_begin;  // first column of the team
    Offset first_block;
    std::int32_t blocks;
    std::int32_t decode_bytes;  // of the packed block that is decoded next
    std::int32_t copied_bytes;  // of the one after it
    std::int64_t copy_begin;    // where the one after that stands
    std::int64_t copy_end;
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int tile   = column_tiles == 1 ? 0 : team.league_rank() / segments;
    const int number = team.league_rank() - tile * segments;
    Job job          = job_of(team, segment_of(number), tile);
    Sum sums[Result::sums];
    for_each_lane<Mma>(lane_of(team), [&](int lane) {
      LACUNA_UNROLL
      for (int i = 0; i < Result::sums; ++i) {
        LACUNA_UNROLL
        for (int reg = 0; reg < Mma::c_registers; ++reg) sums[i](lane, reg) = Scalar(0);
      }
    });
    if (job.blocks > 0) multiply_segment(team, job, sums);
    if (group_first(team, job) >= result.end_column) return;
    const HrpbSegment<Offset> done = segment_of(number);
    if (!lanes::any(!is_finite_everywhere(lane_of(team), sums)))
      result.store(team, done, group_first(team, job), sums);
    else
      result.store_values(team, done, group_first(team, job), [&](int row, std::int64_t column) {
        return hrpb.template plain_sum<BrickRows>(done, row, result.arguments.B, column);
      });
  }

 private:
  /// A number without a sign is split by one instruction each.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static int lane_of(const Team& team) {
    return static_cast<int>(static_cast<unsigned>(team.thread()) % static_cast<unsigned>(Team::lane_width));
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static int warp_of(const Team& team) {
    return static_cast<int>(static_cast<unsigned>(team.thread()) / static_cast<unsigned>(Team::lane_width));
  }
  KOKKOS_FORCEINLINE_FUNCTION HrpbSegment<Offset> segment_of(std::int64_t number) const {
    if (segment != nullptr) return segment[number];
    const Offset begin = hrpb.blocked_row_ptr[number];
    return {number, 0, begin, static_cast<std::int32_t>(hrpb.blocked_row_ptr[number + 1] - begin), 0, 1};
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Job job_of(const Team& team, const HrpbSegment<Offset>& of, int tile) const {
    Job job;
    job.first_block = of.first_block;
    job.blocks      = of.blocks;
    job.tile_begin  = result.first_column + static_cast<std::int64_t>(tile) * tile_columns;
    job.packed      = team.template scratch<unsigned char>(2 * block_bytes);
    job.bricks      = team.template scratch<Scalar>(2 * block_values);
    job.active      = team.template scratch<Ordinal>(2 * 16);
    job.present     = team.template scratch<std::uint32_t>(2);
    job.rows_of_b   = team.template scratch<char>(2 * 16 * row_bytes);  // the others stand at constants
    job.own_rows    = job.rows_of_b + warp_of(team) * group_columns * size;
    if constexpr (Mma::lanes_held == 1) job.own_rows = job.own_rows + lanes::keep(own_of_rows(lane_of(team)));
    const int position = team.thread() & ((1 << copies_log2) - 1);
    job.is_whole =
        ExecutionTraits<ExecutionSpace>::is_gpu && wide_copies && job.tile_begin + tile_columns <= result.end_column;
    job.from =
        lanes::keep(reinterpret_cast<const char*>(result.arguments.B.at(0, job.tile_begin + position * (16 / size))));
    job.first_row = lanes::keep(team.thread() >> copies_log2);
    job.to        = lanes::keep(job.first_row * row_bytes + 16 * position);
    return job;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t group_first(const Team& team, const Job& job) const {
    return job.tile_begin + warp_of(team) * group_columns;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_segment(const Team& team, Job& job, Sum* sums) const {
    using stages_of  = typename Team::stages;
    job.copy_begin   = hrpb.size_ptr[job.first_block];
    job.copy_end     = hrpb.size_ptr[job.first_block + 1];
    job.copied_bytes = 0;
    copy_active<0>(team, job, 0);
    copy_active<1>(team, job, 1);
    copy_packed<0>(team, job, 0);
    stages_of::commit();
    stages_of::template wait<0>();
    team.barrier();
    copy_rows<0>(team, job, 0);
    copy_packed<1>(team, job, 1);
    stages_of::commit();
    decode<0>(team, job, 0);
    LACUNA_NO_UNROLL
    for (std::int32_t n = 0; n < job.blocks; n += 2) {
      step<0>(team, job, n, sums);
      if (n + 1 < job.blocks) step<1>(team, job, n + 1, sums);
    }
  }
  /// Step n, where `Stage` is n % 2.
  template <int Stage, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void step(const Team& team, Job& job, std::int32_t n, Sum* sums) const {
    using stages_of = typename Team::stages;
    stages_of::template wait<0>();
    team.barrier();  // all copies have come, bricks(n) are decoded, and nobody reads the other stages any more
    copy_rows<1 - Stage>(team, job, n + 1);
    copy_packed<Stage>(team, job, n + 2);
    copy_active<Stage>(team, job, n + 2);
    stages_of::commit();
    decode<1 - Stage>(team, job, n + 1);
    multiply<Stage>(team, job, sums);
  }

  /// Of block n of the segment among all. Offsets of 32 bits stay so: an address is one instruction from them.
  KOKKOS_FORCEINLINE_FUNCTION static Offset block_number(const Job& job, std::int32_t n) {
    return job.first_block + static_cast<Offset>(n);
  }

  /// Starts to copy the active columns of block n of the segment, where there is one; so do the others for theirs.
  template <int Stage, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void copy_active(const Team& team, const Job& job, std::int32_t n) const {
    using stages_of        = typename Team::stages;
    constexpr int per_copy = 16 / static_cast<int>(sizeof(Ordinal));
    if (n >= job.blocks) return;
    const auto copy = [&](int i) {
      stages_of::template copy<16>(
          stages_of::address(job.active + Stage * 16 + i * per_copy),
          hrpb.active_columns + static_cast<std::int64_t>(block_number(job, n)) * 16 + i * per_copy);
    };
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) {
      if (team.thread() < 16 / per_copy) copy(team.thread());
    } else {
      for (int i = 0; i < 16 / per_copy; ++i) copy(i);
    }
  }

  /// Blocks are copied in their order. Where the next one ends is asked for here, and needed a step later.
  template <int Stage, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void copy_packed(const Team& team, Job& job, std::int32_t n) const {
    using stages_of  = typename Team::stages;
    job.decode_bytes = job.copied_bytes;
    if (n >= job.blocks) return;
    job.copied_bytes = static_cast<std::int32_t>(job.copy_end - job.copy_begin);
    LACUNA_NO_UNROLL
    for (int at = 16 * team.thread(); at < job.copied_bytes; at += 16 * team.threads())
      stages_of::template copy<16>(stages_of::address(job.packed + Stage * block_bytes + at),
                                   hrpb.packed + job.copy_begin + at);
    job.copy_begin = job.copy_end;
    if (n + 1 < job.blocks) job.copy_end = hrpb.size_ptr[block_number(job, n + 2)];
  }

  /// Starts to copy the rows of B that block n names.
  template <int Stage, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void copy_rows(const Team& team, const Job& job, std::int32_t n) const {
    if (n >= job.blocks) return;
    const Ordinal* active = job.active + Stage * 16;
    char* stage           = job.rows_of_b + Stage * 16 * row_bytes;
    if (job.is_whole)
      copy_whole_rows<Team>(job, active + job.first_row, stage + job.to, rows_named<Stage>(job, n) - job.first_row);
    else if (wide_copies)
      copy_part_rows<16>(team, job, active, stage);
    else
      copy_part_rows<size>(team, job, active, stage);
  }
  /// Rows of B that block n names: of the columns of bricks that it has. The rest, at the end of a panel, is padding.
  template <int Stage>
  KOKKOS_FORCEINLINE_FUNCTION int rows_named(const Job& job, std::int32_t n) const {
    if (n + 1 < job.blocks) return 16;
    const HrpbBlock<const Scalar> block(HrpbLayout{BrickRows}, job.packed + Stage * block_bytes, job.copied_bytes);
    int columns = 0;
    LACUNA_UNROLL
    for (int column = 0; column < HrpbLayout::brick_columns; ++column)
      columns += block.colPtr[column] < block.colPtr[HrpbLayout::brick_columns] ? 1 : 0;
    return 4 * columns;
  }
  /// 16 bytes a copy, all of which exist: the usual case. A team of a GPU covers `apart` rows at once, whatever its
  /// size.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void copy_whole_rows(const Job& job, const Ordinal* active, char* stage, int rows) const {
    using stages_of     = typename Team::stages;
    constexpr int apart = Team::lane_width < group_columns ? 16 : Team::lane_width / group_columns * (16 / size);
    const int bytes     = apart * row_bytes;
    Ordinal row[16 / apart];
    LACUNA_UNROLL
    for (int i = 0; i < 16 / apart; ++i) row[i] = active[i * apart];
    auto to = stages_of::address(stage);
    LACUNA_UNROLL
    for (int i = 0; i < 16 / apart; ++i) {
      stages_of::template copy<16>(to, row_of_b(job.from, row[i]), i * apart < rows ? 16 : 0);
      to = to + bytes;
    }
  }
  /// The row of B, `from` in row 0. A launch makes copies of 16 bytes only where a stride has 31 bits.
  KOKKOS_FORCEINLINE_FUNCTION const char* row_of_b(const char* from, Ordinal row) const {
    const auto stride = result.arguments.B.row_stride * size;
    if constexpr (sizeof(Ordinal) == 4)
      return lanes::strided(from, row, static_cast<std::int32_t>(stride));
    else
      return from + row * stride;
  }
  /// Any strides, and columns that do not exist, which become zeros. What stands in front of the loop is to be found
  /// anew for each block: the usual case needs the registers.
  template <int Bytes, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void copy_part_rows(const Team& team, const Job& job, const Ordinal* active,
                                                  char* stage) const {
    using stages_of = typename Team::stages;
    const auto& B   = result.arguments.B;
    const int last  = 16 << copies_log2;
    LACUNA_NO_UNROLL
    for (int i = lanes::keep(team.thread()); i < last; i += team.threads()) {
      const int row             = i >> copies_log2;
      const int position        = i - (row << copies_log2);
      const std::int64_t column = job.tile_begin + position * (Bytes / size);
      const std::int64_t left   = (result.end_column - column) * size;
      const int valid           = left >= Bytes ? Bytes : left > 0 ? static_cast<int>(left) : 0;
      const Scalar* from        = valid > 0 ? B.at(static_cast<std::int64_t>(active[row]), column) : B.data;
      const auto to             = stages_of::address(stage + row * row_bytes + position * Bytes);
      if constexpr (Bytes == 16)
        copy_first<stages_of, size>(to, reinterpret_cast<const char*>(from), valid);
      else
        stages_of::template copy<Bytes>(to, from, valid);
    }
  }

  /// The bricks of block n, dealt out to the warps. Left in scratch by position in the block. One that is not there has
  /// no bits.
  template <int Stage, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void decode(const Team& team, const Job& job, std::int32_t n) const {
    if (n >= job.blocks) return;
    const HrpbBlock<const Scalar> block(HrpbLayout{BrickRows}, job.packed + Stage * block_bytes, job.decode_bytes);
    Scalar* bricks         = job.bricks + Stage * block_values;
    const Scalar* nonzeros = block.nnz_array;
    LACUNA_UNROLL
    for (int j = 0; j < 4 * BrickRows; ++j) {
      const std::uint64_t pattern = block.patterns[j];
      const bool has_place        = BrickRows == 1 || pattern != 0;
      if (has_place && (j & (team.warps() - 1)) == warp_of(team))
        Bricks::template decode<typename Team::stages>(lane_of(team), pattern, nonzeros,
                                                       bricks + position_of(block, j) * Bricks::values);
      nonzeros += count_bits(pattern);
    }
    if constexpr (BrickRows > 1) {
      if (team.thread() != 0) return;
      std::uint32_t present = 0;
      for (int j = 0; j < 4 * BrickRows; ++j) present |= (block.patterns[j] != 0 ? 1u : 0u) << position_of(block, j);
      job.present[Stage] = present;
    }
  }
  /// Of brick j in its block: by columns, then by rows. Without a second row of bricks there are none left out.
  KOKKOS_FORCEINLINE_FUNCTION static int position_of(const HrpbBlock<const Scalar>& block, int j) {
    if constexpr (BrickRows == 1) return j;
    int column = 0;
    LACUNA_UNROLL
    for (int next = 1; next < HrpbLayout::brick_columns; ++next)
      column += static_cast<int>(block.colPtr[next]) <= j ? 1 : 0;
    return column * BrickRows + static_cast<int>(block.rows[j]);
  }

  /// sums += block n of the segment times its rows of B, for the columns of the warp.
  template <int Stage, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Team& team, const Job& job, Sum* sums) const {
    // Columns that do not exist cost nothing on an engine, but they cost time in its emulation.
    if (!ExecutionTraits<ExecutionSpace>::is_gpu && group_first(team, job) >= result.end_column) return;
    const char* rows            = job.own_rows + Stage * 16 * row_bytes;
    const Scalar* bricks        = job.bricks + Stage * block_values;
    const std::uint32_t present = BrickRows > 1 ? job.present[Stage] : 0;
    LACUNA_UNROLL
    for (int column = 0; column < HrpbLayout::brick_columns; ++column) {
      typename Engine::B b[tiles];
      load_rows(lane_of(team), rows + 4 * column * row_bytes, b);
      LACUNA_UNROLL
      for (int brick_row = 0; brick_row < BrickRows; ++brick_row) {
        // With one row of bricks only the end of the last block has none: zeros, which cost less than asking.
        if (BrickRows > 1 && (present >> (column * BrickRows + brick_row) & 1u) == 0) continue;
        LACUNA_UNROLL
        for (int half = 0; half < halves; ++half) {
          typename Engine::A a;
          Bricks::load(lane_of(team), bricks + (column * BrickRows + brick_row) * Bricks::values, half, a);
          LACUNA_UNROLL
          for (int tile = 0; tile < tiles; ++tile)
            Engine::multiply(lane_of(team), a, b[tile], sums[(brick_row * halves + half) * tiles + tile]);
        }
      }
    }
  }
  /// Four rows of B, from `rows` on (on a GPU, from what this lane has of them): all tiles of the warp.
  KOKKOS_FORCEINLINE_FUNCTION void load_rows(int own, const char* rows, typename Engine::B* b) const {
    using Elements = typename Result::Elements;
    for_each_lane<Mma>(own, [&](int lane) {
      const auto* from = reinterpret_cast<const Elements*>(Mma::lanes_held == 1 ? rows : rows + own_of_rows(lane));
      LACUNA_UNROLL
      for (int tile = 0; tile < tiles; tile += Result::pack) {
        const Elements elements = from[tile / Result::pack];
        LACUNA_UNROLL
        for (int i = 0; i < Result::pack; ++i) Engine::set_b(b[tile + i], lane, 0, elements.value[i]);
      }
    });
  }
  /// Where a lane's elements stand in four rows of B.
  KOKKOS_FORCEINLINE_FUNCTION int own_of_rows(int lane) const {
    static_assert(Mma::b_registers == 1, "lacuna: a lane has one element of four rows of B in each tile");
    return Mma::b_row(lane, 0) * row_bytes + Columns::position(0, Mma::b_column(lane, 0)) * size;
  }

  KOKKOS_FORCEINLINE_FUNCTION static bool is_finite_everywhere(int own, Sum* sums) {
    Scalar zero(0);
    Result::for_each_sum(own, sums, [&](int, int, const Scalar& sum) { zero += sum * Scalar(0); });
    return zero == Scalar(0);
  }
};

}  // namespace lacuna::Impl

#endif
