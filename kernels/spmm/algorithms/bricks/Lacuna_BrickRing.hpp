// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BRICKRING_HPP
#define LACUNA_BRICKRING_HPP

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_Stages.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/algorithms/bricks/Lacuna_BrickSchedule.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief The scratch of a warp that multiplies bricks: a ring of stages, and what fills it.

namespace lacuna::Impl {

/// \brief The shape of a warp's work, known when compiling.
///
/// `Columns` of B and C at once (a multiple of 32), panels of 8 * `BrickRows` rows, `Stages` of a ring, at most
/// `Groups` warps a team. `Shifted`: rows of B do not begin at multiples of 16 bytes.
template <int Columns, int BrickRows, int Stages, int Groups, bool Shifted>
struct BrickShape {
  static constexpr int columns     = Columns;
  static constexpr int brick_rows  = BrickRows;
  static constexpr int panel_rows  = 8 * BrickRows;
  static constexpr int stages      = Stages;
  static constexpr int groups      = Groups;
  static constexpr bool is_shifted = Shifted;
  static_assert(Stages >= 2 && Stages <= 5, "lacuna: metadata comes 4 steps ahead");
};

/// \brief Where things lie in the scratch of a warp, in bytes.
///
/// A stage holds one step: 8 rows of B, padded by 32 bytes so that the four rows that a quarter of a warp reads lie in
/// different banks (and a row that does not begin at a multiple of 16 bytes fits with its surroundings); behind them
/// the elements of its bricks, zeros included, one for each bit of the patterns. Column lists and patterns come in
/// lists of 4 steps. Lists and segments wait in rings of their own: see BrickStream.
template <class SegmentType, class Scalar, class Ordinal, class Shape>
struct BrickRing {
  using Segment = SegmentType;

  static constexpr int ahead         = Shape::stages - 1;  // steps that are filled before they are multiplied
  static constexpr int size          = static_cast<int>(sizeof(Scalar));
  static constexpr int row_bytes     = Shape::columns * size + 32;
  static constexpr int values_at     = 8 * row_bytes;
  static constexpr int shifts_at     = values_at + Shape::brick_rows * 64 * size;
  static constexpr int stage_bytes   = shifts_at + (Shape::is_shifted ? 8 * 4 : 0);
  static constexpr int list_steps    = 4;
  static constexpr int lists         = ahead + 1;
  static constexpr int columns_bytes = 8 * static_cast<int>(sizeof(Ordinal));  // of a step
  static constexpr int pattern_bytes = 8 * Shape::brick_rows;
  static constexpr int patterns_at   = list_steps * columns_bytes;
  static constexpr int list_bytes    = patterns_at + list_steps * pattern_bytes;
  static constexpr int lists_at      = Shape::stages * stage_bytes;
  static constexpr int segments      = 2 * ahead + 1;
  static constexpr int segments_at   = lists_at + lists * list_bytes;
  static constexpr int tiles_at      = segments_at + segments * static_cast<int>(sizeof(Segment));
  static constexpr int bytes         = (tiles_at + segments * 4 + 31) / 32 * 32;
  static_assert(stage_bytes % 32 == 0 && list_bytes % 16 == 0);

  char* data;

  KOKKOS_FORCEINLINE_FUNCTION const Segment& segment(int slot) const {
    return reinterpret_cast<const Segment*>(data + segments_at)[slot];
  }
  /// The tile of columns that the segment in slot `slot` is done for.
  KOKKOS_FORCEINLINE_FUNCTION int& tile(int slot) const { return reinterpret_cast<int*>(data + tiles_at)[slot]; }

  /// The byte at which the stage behind that at `stage` begins.
  KOKKOS_FORCEINLINE_FUNCTION static int next_stage(int stage) {
    return stage == ahead * stage_bytes ? 0 : stage + stage_bytes;
  }
};

/// `number` brought between 0 and `most`.
template <class Integer>
KOKKOS_FORCEINLINE_FUNCTION int clamp_bytes(Integer number, int most) {
  return number < 0 ? 0 : (number < most ? static_cast<int>(number) : most);
}

/// \brief Starts the copies of one warp.
///
/// Everything comes by asynchronous copies: the rows of B, 8 lanes a row; and the elements of the bricks, each by the
/// lane whose number its bit has, which reads the value where the bit is set and zero-fills where it is not. So nothing
/// is loaded into a register but column lists and patterns, which have been in scratch for some steps.
template <class Team, class Arrays, class Shape>
class BrickFiller {
 public:
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Segment = BrickSegment<Ordinal, typename Arrays::Offset>;
  using Ring    = BrickRing<Segment, Scalar, Ordinal, Shape>;
  using stages  = typename Team::stages;
  using Address = typename stages::Address;

  KOKKOS_FORCEINLINE_FUNCTION BrickFiller(const Arrays& arrays, const Ring& ring, int lane)
      : m_arrays(arrays), m_ring(ring), m_address(stages::address(ring.data)), m_lane(lane) {}

  /// Called before the first copy by a warp that will take tiles which B does not fill. The missing columns are
  /// multiplied too, though not stored; stages must hold no NaN there, since NaN would trigger the plain sums.
  KOKKOS_FORCEINLINE_FUNCTION void clear_stages() const {
    constexpr int words = Ring::lists_at / 4;
    for (int word = m_lane; word < words; word += Team::lane_width)
      reinterpret_cast<std::uint32_t*>(m_ring.data)[word] = 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION void request_segment(const Segment* segment, int slot) const {
    constexpr int size = static_cast<int>(sizeof(Segment));
    const Address to   = m_address + (Ring::segments_at + slot * size);
    LACUNA_UNROLL
    for (int first = 0; first < size; first += 16 * Team::lane_width) {
      const int at = first + 16 * m_lane;
      if (at < size) stages::template copy<16>(to + at, reinterpret_cast<const char*>(segment) + at);
    }
  }

  /// Begins with the steps of a segment that has come. `columns_left`: of B, from `first_column` on.
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Segment& segment, const DenseBlock<const Scalar>& B,
                                         std::int64_t first_column, int columns_left) {
    m_next_value = m_arrays.values + segment.first_value;
    m_rows       = reinterpret_cast<const char*>(B.data + first_column);
    m_row_stride = static_cast<RowStride>(B.row_stride * Ring::size);
    m_row_bytes  = columns_left * Ring::size;
  }

  /// Goes to step `position` of the list in slot `slot`, which has come.
  KOKKOS_FORCEINLINE_FUNCTION void begin_list(int slot, int position) {
    const char* list = m_ring.data + Ring::lists_at + slot * Ring::list_bytes;
    m_columns        = reinterpret_cast<const Ordinal*>(list + position * Ring::columns_bytes);
    m_patterns = reinterpret_cast<const std::uint32_t*>(list + Ring::patterns_at + position * Ring::pattern_bytes);
  }

  /// Starts to copy the next step of the list to the stage at byte `stage`. Steps of a segment come one after the
  /// other.
  KOKKOS_FORCEINLINE_FUNCTION void fill(int stage) {
    std::uint32_t bits[2 * Shape::brick_rows];
    LACUNA_UNROLL
    for (int brick = 0; brick < 2 * Shape::brick_rows; ++brick) bits[brick] = m_patterns[brick];
    fill_rows(stage, m_columns);
    fill_values(stage, bits);
    m_columns += 8;
    m_patterns += 2 * Shape::brick_rows;
  }

  /// Starts to copy the column lists and patterns of steps from 4 * `list` on.
  KOKKOS_FORCEINLINE_FUNCTION void request_list(int list, int slot) const {
    constexpr int packs = Ring::list_bytes / 16, column_packs = Ring::patterns_at / 16;
    const Address to = m_address + (Ring::lists_at + slot * Ring::list_bytes);
    LACUNA_UNROLL
    for (int first = 0; first < packs; first += Team::lane_width) {
      const int pack       = first + m_lane;
      const bool is_column = pack < column_packs;
      const int step_bytes = is_column ? Ring::columns_bytes : Ring::pattern_bytes;
      const auto* source   = is_column ? reinterpret_cast<const char*>(m_arrays.step_columns)
                                       : reinterpret_cast<const char*>(m_arrays.patterns);
      const int offset     = 16 * (is_column ? pack : pack - column_packs);
      // Behind the last step there is nothing to read.
      const std::int64_t first_step = static_cast<std::int64_t>(list) * Ring::list_steps;
      const std::int64_t left       = m_arrays.steps - first_step;
      const int steps               = left < Ring::list_steps ? static_cast<int>(left) : Ring::list_steps;
      if (pack < packs)
        stages::template copy<16>(to + 16 * pack, source + first_step * step_bytes + offset,
                                  clamp_bytes(steps * step_bytes - offset, 16));
    }
  }

 private:
  using RowStride = std::conditional_t<sizeof(Ordinal) == 4, std::uint32_t, std::int64_t>;

  static constexpr int lanes_of_row = Team::lane_width < 8 ? Team::lane_width : 8;
  static constexpr int rows_at_once = Team::lane_width / lanes_of_row < 8 ? Team::lane_width / lanes_of_row : 8;

  KOKKOS_FORCEINLINE_FUNCTION void fill_values(int at, const std::uint32_t* patterns) {
    const Address stage = m_address + at;
    LACUNA_UNROLL
    for (int brick = 0; brick < 2 * Shape::brick_rows; ++brick) {
      const std::uint32_t bits = patterns[brick];
      // A wavefront of 64 takes two bricks at once, a host's thread all bits of one after the other.
      if (Team::lane_width <= 32 || m_lane / 32 == brick % 2) {
        LACUNA_UNROLL
        for (int first = 0; first < 32; first += Team::lane_width) {
          const int bit    = first + m_lane % 32;
          const int before = Kokkos::Experimental::popcount_builtin(bits & ((std::uint32_t(1) << bit) - 1));
          stages::template copy<Ring::size>(stage + (Ring::values_at + (brick * 32 + bit) * Ring::size),
                                            m_next_value + before, (bits >> bit & 1) != 0 ? Ring::size : 0);
        }
      }
      m_next_value += Kokkos::Experimental::popcount_builtin(bits);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void fill_rows(int stage, const Ordinal* columns) const {
    constexpr int copies = 8 / rows_at_once;
    const char* source[copies];
    LACUNA_UNROLL
    for (int i = 0; i < copies; ++i)
      source[i] = m_rows + row_offset(static_cast<std::make_unsigned_t<Ordinal>>(columns[row_of_lane(i)]));
    const bool is_whole = m_row_bytes >= Shape::columns * Ring::size;
    if (is_whole) {
      LACUNA_UNROLL
      for (int i = 0; i < copies; ++i) fill_row<true>(stage, row_of_lane(i), source[i]);
    } else {
      LACUNA_UNROLL
      for (int i = 0; i < copies; ++i) fill_row<false>(stage, row_of_lane(i), source[i]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION int row_of_lane(int copy) const {
    return copy * rows_at_once + m_lane / lanes_of_row % rows_at_once;
  }

  template <bool IsWhole>
  KOKKOS_FORCEINLINE_FUNCTION void fill_row(int stage, int row, const char* source) const {
    constexpr int packs = Shape::columns * Ring::size / 16;
    const int pack      = m_lane % lanes_of_row;
    const Address to    = m_address + (stage + row * Ring::row_bytes + 16 * pack);
    int left            = m_row_bytes;
    if constexpr (Shape::is_shifted) {
      // A host copies what is asked for and nothing around it.
      const int shift = ExecutionTraits<typename Team::execution_space>::is_gpu
                            ? static_cast<int>(reinterpret_cast<std::uintptr_t>(source) % 16)
                            : 0;
      source -= shift;
      left += shift;
      if (pack == 0) reinterpret_cast<std::int32_t*>(m_ring.data + stage + Ring::shifts_at)[row] = shift;
    }
    source += 16 * pack;
    LACUNA_UNROLL
    for (int c = 0; c < packs; c += lanes_of_row)
      if (IsWhole || left >= 16 * (pack + c + 1)) stages::template copy<16>(to + 16 * c, source + 16 * c);
    if constexpr (!IsWhole) {
      const int last = left / 16;  // the pack in which the columns end, if they end within one
      if (last < packs && left % 16 != 0 && pack == last % lanes_of_row)
        copy_first<stages, Ring::size>(to + 16 * (last - pack), source + 16 * (last - pack), left % 16);
    }
    if constexpr (Shape::is_shifted) {
      const int behind = clamp_bytes(left - 16 * packs, 16);
      if (pack == 0) copy_first<stages, Ring::size>(to + 16 * packs, source + 16 * packs, behind);
    }
  }

  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_offset(Column column) const {
    if constexpr (sizeof(Column) == 4)
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(column) * m_row_stride);
    else
      return static_cast<std::int64_t>(column) * m_row_stride;
  }

  const Arrays& m_arrays;
  Ring m_ring;
  Address m_address;
  int m_lane;
  const Ordinal* m_columns        = nullptr;
  const std::uint32_t* m_patterns = nullptr;
  const Scalar* m_next_value      = nullptr;
  const char* m_rows              = nullptr;
  RowStride m_row_stride          = 0;
  int m_row_bytes                 = 0;
};

}  // namespace lacuna::Impl

#endif
