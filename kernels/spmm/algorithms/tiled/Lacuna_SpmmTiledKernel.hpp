// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTILEDKERNEL_HPP
#define LACUNA_SPMMTILEDKERNEL_HPP

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_TileCopies.hpp>
#include <kernels/rows/Lacuna_PlainSums.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_SpmmTiledPolicy.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_TileStage.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief SpMM by tiles: a team holds a block of rows of C in registers and goes through the tiles of these rows. While
/// it works on one tile, the next comes to scratch: its nonzeros, and the rows of B that its columns name.
///
/// Bound: the data path of scratch. For each nonzero it takes one access that all lanes of a warp share, and
/// the accesses to its row of B, where row_split reads as much from the second-level cache. With few nonzeros
/// the bound is what a processor takes in by copies, not the cache behind them: teams that shared tiles by
/// multicast would be slower.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

/// \tparam Scalar     of A; B has the elements of `Arguments`, which may be rounded
/// \tparam PlainSums  PlainSums where they are
/// \tparam form       of a row of C: bytes that a lane reads of B at once, and how often
template <class ExecutionSpace, class Scalar, class ArgumentsType, class PlainSums, TileForm form>
struct SpmmTiledKernel {
  static constexpr bool stays_in_place = true;

  using Copies     = TileCopiesFor<ExecutionSpace>;
  using Arguments  = ArgumentsType;
  using Element    = typename Arguments::Scalar;
  using Output     = typename Arguments::Output;
  using Arithmetic = typename Arguments::Arithmetic;
  using Entry      = TiledEntry<Scalar>;

  static constexpr int lane_width   = ExecutionTraits<ExecutionSpace>::lane_width;
  static constexpr TileTeam members = SpmmTiledPolicy::team_of(Copies::has_engine);
  static constexpr int packs        = form.packs;
  static constexpr TiledScalars scalars{sizeof(Scalar), sizeof(Element)};
  static constexpr int per_lane   = form.elements(scalars);
  static constexpr int rows       = form.rows(members, scalars);
  static constexpr int record     = TileShape::record_for(rows);
  static constexpr int pack_width = lane_width * per_lane;  ///< columns
  static constexpr int width      = packs * pack_width;
  using Columns                   = Pack<Element, per_lane>;  // of B, in one load
  static constexpr int in_store   = std::min(per_lane, std::max(1, 16 / static_cast<int>(sizeof(Output))));
  using Store                     = Pack<Output, in_store>;  // of C
  using Sums                      = Arithmetic[rows][packs][per_lane];
  static_assert(sizeof(Entry) == tiled_entry_bytes(sizeof(Scalar)),
                "lacuna: stages are laid out for entries of that size");
  static_assert(sizeof(Arithmetic) == scalars.sum(), "lacuna: rows are counted for sums of that size");

  TiledArrays<Scalar> A;
  Arguments arguments;
  std::int64_t blocks;  ///< of rows
  TileStage stage;
  PlainSums plain;
  typename Copies::Map map;  ///< of B

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    // Teams that run at once share columns of B.
    const std::int64_t block        = team.league_rank() % blocks;
    const std::int64_t first_column = team.league_rank() / blocks * width;
    Sums sums;
    LACUNA_UNROLL
    for (int i = 0; i < rows; ++i) {
      LACUNA_UNROLL
      for (int q = 0; q < packs; ++q) {
        LACUNA_UNROLL
        for (int c = 0; c < per_lane; ++c) sums[i][q][c] = Arithmetic(0);
      }
    }
    using stages       = typename Team::stages;
    const auto scratch = stages::address(team.template scratch<TileStage::Line>(stage.lines()));
    if constexpr (Copies::has_engine) {
      if (by_engine(team, scratch, block, first_column, sums)) return;
    } else {
      by_threads(team, scratch, block, first_column, sums);
    }
    if constexpr (!std::is_same_v<PlainSums, NoPlainSums>)
      if (Team::lanes::any(has_no_finite(sums))) return write_plain_sums(team, block, first_column);
    write(team, block * A.shape.rows, first_column + team.lane() * per_lane, sums);
  }

 private:
  static constexpr int stages_of_ring = TileStage::count;

  /// One warp asks for tiles and those that have rows use them. Returns whether the thread is of another.
  template <class Team, class Address>
  KOKKOS_FORCEINLINE_FUNCTION bool by_engine(const Team& team, Address scratch, std::int64_t block,
                                             std::int64_t first_column, Sums& sums) const {
    const Address full = scratch + stage.barriers(), free = full + 8 * stages_of_ring;
    const int asker = team.warps() - 1, users = asker < A.shape.groups ? asker : A.shape.groups;
    if (team.thread() == 0) {
      for (int s = 0; s < stages_of_ring; ++s) {
        Copies::init(full + 8 * s, 1);
        Copies::init(free + 8 * s, users);
      }
      Copies::visible();
    }
    team.barrier();
    if (team.warp() >= users) {
      if (team.warp() == asker && team.lane() == 0) ask_for_tiles(scratch, full, free, block, first_column);
      return true;
    }
    for (std::int64_t j = 0; j < A.tiles_per_row; ++j) {
      const int s = static_cast<int>(j % stages_of_ring), phase = static_cast<int>(j / stages_of_ring % 2);
      Copies::wait(full + 8 * s, phase);
      add_tile<typename Team::stages>(team, scratch + s * stage.bytes(), sums);
      team.warp_barrier();
      if (team.lane() == 0) Copies::arrive(free + 8 * s);
    }
    return false;
  }

  template <class Address>
  KOKKOS_FORCEINLINE_FUNCTION void ask_for_tiles(Address scratch, Address full, Address free, std::int64_t block,
                                                 std::int64_t first_column) const {
    const std::int64_t first_tile = block * A.tiles_per_row;
    const int fixed               = stage.B_bytes() + stage.record_bytes();
    LACUNA_NO_UNROLL
    for (std::int64_t j = 0; j < A.tiles_per_row; ++j) {
      const int s             = static_cast<int>(j % stages_of_ring);
      const Address to        = scratch + s * stage.bytes();
      const std::int64_t tile = first_tile + j, from = A.first(tile);
      const int entry_bytes = static_cast<int>(A.end(tile) - from) * static_cast<int>(sizeof(Entry));
      if (j >= stages_of_ring) Copies::wait(free + 8 * s, static_cast<int>((j / stages_of_ring - 1) % 2));
      Copies::arrive_for(full + 8 * s, fixed + entry_bytes);
      Copies::bytes(to + stage.records(), A.records + tile * A.shape.numbers(), stage.record_bytes(), full + 8 * s);
      if (entry_bytes > 0) Copies::bytes(to + stage.entries(), A.entries + from, entry_bytes, full + 8 * s);
      LACUNA_NO_UNROLL
      for (int q = 0; q < packs; ++q) LACUNA_NO_UNROLL
      for (int box = 0; box < stage.boxes; ++box)
        Copies::template box<Element>(to + q * stage.pack_bytes() + box * stage.box_bytes(), map,
                                      j * A.shape.columns + box * stage.box_rows, first_column + q * pack_width,
                                      full + 8 * s);
    }
  }

  template <class Team, class Address>
  KOKKOS_FORCEINLINE_FUNCTION void by_threads(const Team& team, Address scratch, std::int64_t block,
                                              std::int64_t first_column, Sums& sums) const {
    using stages             = typename Team::stages;
    const std::int64_t first = block * A.tiles_per_row;
    copy_tile<stages>(team, scratch, first, 0, first_column);
    stages::commit();
    for (std::int64_t j = 0; j < A.tiles_per_row; ++j) {
      if (j + 1 < A.tiles_per_row)
        copy_tile<stages>(team, scratch + (j + 1) % stages_of_ring * stage.bytes(), first + j + 1, j + 1, first_column);
      stages::commit();
      stages::template wait<stages_of_ring - 1>();
      team.barrier();
      if (team.warp() < A.shape.groups) add_tile<stages>(team, scratch + j % stages_of_ring * stage.bytes(), sums);
      team.barrier();
    }
  }

  /// Starts the copies of tile `tile`, the `j`th of its rows.
  template <class Stages, class Team, class Address>
  KOKKOS_FORCEINLINE_FUNCTION void copy_tile(const Team& team, Address to, std::int64_t tile, std::int64_t j,
                                             std::int64_t first_column) const {
    constexpr int in_load = 16 / static_cast<int>(sizeof(Element));  // elements of 16 bytes
    constexpr int in_pack = pack_width / in_load, in_row = width / in_load;
    const auto& B            = arguments.B;
    const std::int64_t first = j * A.shape.columns, left = A.columns - first;
    const int depth = static_cast<int>(left < A.shape.columns ? left : A.shape.columns);
    for (int i = team.thread(); i < depth * in_row; i += team.threads()) {
      const int k = i / in_row, load = i % in_row;
      const std::int64_t column = first_column + load * in_load;
      const auto position       = to + (load / in_pack) * stage.pack_bytes() + (k * in_pack + load % in_pack) * 16;
      const std::int64_t there  = B.columns - column;
      const auto* const source  = B.data + (first + k) * B.row_stride + column;
      if (there >= in_load) {
        Stages::template copy<16>(position, source);
      } else {
        LACUNA_UNROLL
        for (int c = 0; c < in_load; ++c)  // what is behind B is zero
          Stages::store(position + c * static_cast<int>(sizeof(Element)), c < there ? source[c] : Element{});
      }
    }
    copy_bytes<Stages>(team, to + stage.records(), A.records + tile * A.shape.numbers(), stage.record_bytes());
    const std::int64_t from = A.first(tile);
    copy_bytes<Stages>(team, to + stage.entries(), A.entries + from,
                       static_cast<int>(A.end(tile) - from) * static_cast<int>(sizeof(Entry)));
  }
  template <class Stages, class Team, class Address>
  KOKKOS_FORCEINLINE_FUNCTION static void copy_bytes(const Team& team, Address to, const void* source, int bytes) {
    for (int i = 16 * team.thread(); i < bytes; i += 16 * team.threads())
      Stages::template copy<16>(to + i, static_cast<const char*>(source) + i);
  }

  /// Adds what the rows of the thread's warp have in a tile.
  template <class Stages, class Team, class Address>
  KOKKOS_FORCEINLINE_FUNCTION void add_tile(const Team& team, Address tile, Sums& sums) const {
    using Load                  = Pack<std::uint32_t, 4>;
    constexpr int loads         = record / 8;
    constexpr int row_bytes     = pack_width * static_cast<int>(sizeof(Element));
    const Address own           = tile + team.lane() * static_cast<int>(sizeof(Columns));
    const Address first         = tile + stage.entries();
    const Address record_begins = tile + stage.records() + team.warp() * (record * 2);
    const int pack_bytes        = stage.pack_bytes();
    Load begins[loads];
    LACUNA_UNROLL
    for (int i = 0; i < loads; ++i) begins[i] = Stages::template load<Load>(record_begins + 16 * i);
    const auto begin_of = [&](int i) {
      return first + static_cast<int>((begins[i / 8].value[i % 8 / 2] >> (i % 2 * 16) & 0xffff) * sizeof(Entry));
    };
    LACUNA_UNROLL
    for (int i = 0; i < rows; ++i) {
      const Address end = begin_of(i + 1);
      LACUNA_NO_UNROLL
      for (Address at = begin_of(i); at < end; at += sizeof(Entry)) {
        const Entry entry = Stages::template load<Entry>(at);
        const Address b   = own + static_cast<int>(entry.column) * row_bytes;
        LACUNA_UNROLL
        for (int q = 0; q < packs; ++q) {
          const auto pack = Stages::template load<Columns>(b + q * pack_bytes);
          LACUNA_UNROLL
          for (int c = 0; c < per_lane; ++c)
            sums[i][q][c] += static_cast<Arithmetic>(entry.value) * static_cast<Arithmetic>(pack.value[c]);
        }
      }
    }
  }

  /// Whether a sum of this lane is Inf or NaN.
  KOKKOS_FORCEINLINE_FUNCTION static bool has_no_finite(const Sums& sums) {
    Arithmetic zero(0);
    LACUNA_UNROLL
    for (int i = 0; i < rows; ++i) {
      LACUNA_UNROLL
      for (int q = 0; q < packs; ++q) {
        LACUNA_UNROLL
        for (int c = 0; c < per_lane; ++c) zero += sums[i][q][c] * Arithmetic(0);
      }
    }
    return !(zero == Arithmetic(0));
  }

  /// All sums of the warp once more.
  template <class Team>
  KOKKOS_FUNCTION void write_plain_sums(const Team& team, std::int64_t block, std::int64_t first_column) const {
    const std::int64_t own   = A.shape.rows_of_group();
    const std::int64_t first = team.warp() * own, end = first + own;
    const std::int64_t row = block * A.shape.rows;
    plain.write(team, row + first, row + (end < A.shape.rows ? end : A.shape.rows), first_column, first_column + width);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Team& team, std::int64_t first_row, std::int64_t first_column,
                                         const Sums& sums) const {
    const auto& C                = arguments.C;
    const std::int64_t own       = A.shape.rows_of_group();
    const std::int64_t of_groups = team.warp() * own;
    LACUNA_UNROLL
    for (int i = 0; i < rows; ++i) {
      const std::int64_t row = of_groups + i;
      if (i >= own || row >= A.shape.rows || first_row + row >= C.rows) break;
      LACUNA_UNROLL
      for (int q = 0; q < packs; ++q) write_pack(first_row + row, first_column + q * pack_width, sums[i][q]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_pack(std::int64_t row, std::int64_t column,
                                              const Arithmetic (&sums)[per_lane]) const {
    const auto& C = arguments.C;
    if (C.rows_aligned(sizeof(Store)) && column + per_lane <= C.columns) {
      LACUNA_UNROLL
      for (int first = 0; first < per_lane; first += in_store) {
        auto* const target = reinterpret_cast<Store*>(C.at(row, column + first));
        Store result{};
        if (arguments.beta != Arithmetic(0)) result = *target;
        LACUNA_UNROLL
        for (int c = 0; c < in_store; ++c)
          result.value[c] = static_cast<Output>(arguments.result(sums[first + c], result.value[c]));
        *target = result;
      }
    } else {
      LACUNA_UNROLL
      for (int c = 0; c < per_lane; ++c)
        if (column + c < C.columns) arguments.write(row, column + c, sums[c]);
    }
  }
};

template <TileForm form, class ExecutionSpace, class Tiled, class Arguments, class PlainSums>
void launch_tiled(const ExecutionSpace& exec, const Tiled& tiled, const Arguments& arguments, const PlainSums& plain) {
  using Kernel       = SpmmTiledKernel<ExecutionSpace, typename Tiled::Scalar, Arguments, PlainSums, form>;
  constexpr int size = Kernel::members.all();
  const char* label  = "Lacuna::spmm::tiled";
  const auto arrays  = tiled.arrays();
  const auto blocks  = ceiling_quotient(arrays.rows, arrays.shape.rows);
  const auto tiles   = ceiling_quotient(arguments.C.columns, Kernel::width);
  const TileStage stage(arrays.shape, form, Kernel::lane_width, Kernel::scalars, tiled.largest_tile());
  Kernel kernel{arrays, arguments, blocks, stage, plain, {}};
  if constexpr (Kernel::Copies::has_engine) {
    const auto& B = arguments.B;
    // The stride of a single row may be anything.
    const std::int64_t row_stride = B.rows > 1 ? B.row_stride : round_up(B.columns, 16);
    kernel.map = Kernel::Copies::map(label, B.data, B.rows, B.columns, row_stride, stage.box_rows, Kernel::pack_width);
  }
  launch_teams<size, 1>(exec, label, {checked_product("spmm", blocks, tiles), size},
                        static_cast<std::size_t>(stage.all_bytes()), kernel);
}

/// C = alpha A B + beta C for arguments that hold a product. B is row-major with rows that start at multiples of 16
/// bytes; C has any strides. Where B is rounded, `plain` has A and B as they were. The same bits on every run. Does not
/// fence.
template <class ExecutionSpace, class Tiled, class Element, class Output, class PlainSums = NoPlainSums>
void spmm_tiled(const ExecutionSpace& exec, const Tiled& tiled, const TileForm& form,
                const BlockArguments<Element, Output>& arguments, const PlainSums& plain = {}) {
  static_for_each_form([&]<TileForm one>() {
    constexpr TiledScalars scalars{sizeof(typename Tiled::Scalar), sizeof(Element)};
    if constexpr (one.is_possible(ExecutionTraits<ExecutionSpace>::lane_width, scalars))
      if (form == one) launch_tiled<one>(exec, tiled, arguments, plain);
  });
}

}  // namespace lacuna::Impl

#endif
