// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ENGINETILESOURCE_HPP
#define LACUNA_ENGINETILESOURCE_HPP

#include <backends/Lacuna_Stages.hpp>
#include <backends/Lacuna_TileCopies.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_EngineWorkItems.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief How tiles of B come to scratch, and how they lie there, for SpMM on engine tiles.
///
/// `ldmatrix` reads 16 bytes of eight rows at once where these lie in eight different groups of banks. The rows of a
/// packed step differ modulo 8, eight by eight, where they can: so the same 16 bytes of eight neighbouring rows must
/// lie in different groups. Where threads copy, rows lie 16 bytes further apart than they are wide. A copy engine
/// leaves no gaps; it permutes the 16 bytes of a row by the row's number (its swizzle), for rows of 64 or 128 bytes:
/// 128 columns are two panels.

namespace lacuna::Impl {

/// B in an engine's elements, row-major, rows start at multiples of 16 bytes. `readable`: elements of a row, a multiple
/// of 8.
template <class Element>
struct PackedRows {
  const Element* data     = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t readable   = 0;
};

/// \brief A tile of `width` columns of B and any depth in scratch: panels of rows, behind each eight rows of zeros.
struct EngineStage {
  int width;
  bool by_engine;  ///< a copy engine brings it

  static constexpr int stages       = 2;     ///< of a team: while one is used the other fills
  static constexpr int alignment    = 1024;  ///< of panels that a copy engine fills: its permutation begins anew there
  static constexpr int most_columns = 64;    ///< of a panel, there
  static constexpr int zero_rows    = EngineTileShape::classes;
  static constexpr int most_box     = 256;  ///< rows that a copy engine brings at once

  KOKKOS_FUNCTION constexpr int panel() const { return by_engine && width > most_columns ? most_columns : width; }
  KOKKOS_FUNCTION constexpr int panels() const { return width / panel(); }
  KOKKOS_FUNCTION constexpr int row_bytes() const { return 2 * panel() + (by_engine ? 0 : 16); }
  KOKKOS_FUNCTION constexpr int panel_bytes(std::int64_t depth) const {
    const std::int64_t rows = (depth + zero_rows) * row_bytes();
    return static_cast<int>(by_engine ? round_up(rows, alignment) : rows);
  }
  KOKKOS_FUNCTION constexpr int bytes(std::int64_t depth) const { return panels() * panel_bytes(depth); }

  /// Scratch of a team: behind the stages the barriers of a copy engine, and what alignment takes.
  constexpr std::int64_t scratch(std::int64_t depth) const {
    return std::int64_t{stages} * bytes(depth) + (by_engine ? 2 * alignment : 64);
  }
  /// The most rows of a tile, not rounded; below 8: none.
  constexpr std::int64_t most_depth(std::int64_t scratch_bytes) const {
    const std::int64_t stage = (scratch_bytes - (by_engine ? 2 * alignment : 64)) / stages;
    const std::int64_t panel = by_engine ? stage / panels() / alignment * alignment : stage;
    return panel / row_bytes() - zero_rows;
  }
  /// Rows of a tile are multiples of that: of 8 for the packing, of 64 for boxes of about equal size.
  constexpr std::int64_t granule(std::int64_t depth) const { return by_engine && depth > most_box ? 64 : 8; }

  /// Rows that a copy engine brings at once: equal parts of a tile, multiples of 8.
  static int box_rows(std::int64_t depth) {
    std::int64_t boxes = ceiling_quotient(depth, most_box);
    while (depth % (8 * boxes) != 0) ++boxes;
    return static_cast<int>(depth / boxes);
  }
};

/// Writes the rows of zeros of all stages.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION void clear_zero_rows(const Team& team, char* scratch, const EngineStage& stage,
                                                 std::int64_t depth) {
  const int zeros = EngineStage::zero_rows * stage.row_bytes() / 16;  // of 16 bytes
  for (int i = team.thread(); i < EngineStage::stages * stage.panels() * zeros; i += team.threads())
    *reinterpret_cast<Pack<std::uint32_t, 4>*>(scratch + i / zeros * stage.panel_bytes(depth) +
                                               static_cast<int>(depth) * stage.row_bytes() + i % zeros * 16) =
        Pack<std::uint32_t, 4>{};
}

/// Tiles by a copy engine, two ahead. Warps go on to the next tile each on its own, and who is the last to leave
/// a stage asks for the tile after the next, of the same work item or of a later one.
template <class Team, class Copies, class Element, int tiles>
class EngineTilesByEngine {
  using Stages = typename Team::stages;
  using Map    = typename Copies::Map;
  KOKKOS_FUNCTION static constexpr EngineStage stage() { return {16 * tiles, true}; }

 public:
  using Address = typename Stages::Address;

  /// Every thread of the team calls it. `map` is of B, `box_rows` what is asked for at once.
  KOKKOS_FORCEINLINE_FUNCTION EngineTilesByEngine(const Team& team, std::int64_t depth,
                                                  const EngineWorkItems& work_items, const Map& map, int box_rows)
      : m_team(team),
        m_work_items(work_items),
        m_map(map),
        m_depth(static_cast<int>(depth)),
        m_box_rows(box_rows),
        m_asked(work_items, team.league_rank(), team.league_size()) {
    struct alignas(EngineStage::alignment) Line {
      char bytes[EngineStage::alignment];
    };
    constexpr int count = EngineStage::stages;
    const int bytes     = stage().bytes(depth);
    Line* const lines   = team.template scratch<Line>(static_cast<std::size_t>(count * bytes) / sizeof(Line) + 1);
    m_first             = Stages::address(lines->bytes);
    m_full              = m_first + count * bytes;
    m_left              = m_full + 8 * count;
    clear_zero_rows(team, lines->bytes, stage(), depth);
    if (team.thread() == 0) {
      for (int s = 0; s < count; ++s) {
        Copies::init(m_full + 8 * s, 1);
        Stages::store(m_left + 4 * s, 0);
      }
      Copies::visible();
    }
    team.barrier();
    for (int s = 0; s < count; ++s) {
      if (team.thread() == 0) ask(s);
      if (m_asked.is_there()) m_asked.next();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void begin(int) {}
  KOKKOS_FORCEINLINE_FUNCTION void meanwhile() {}
  /// Waits for the next tile.
  KOKKOS_FORCEINLINE_FUNCTION void enter() {
    m_tile = m_first + m_stage * stage().bytes(m_depth);
    Copies::wait(m_full + 8 * m_stage, m_phase);
  }
  KOKKOS_FORCEINLINE_FUNCTION void leave() {
    m_team.warp_barrier();
    if (m_team.lane() == 0 && Copies::is_last(m_left + 4 * m_stage, m_team.warps())) ask(m_stage);
    if (m_asked.is_there()) m_asked.next();
    if (++m_stage == EngineStage::stages) {
      m_stage = 0;
      m_phase ^= 1;
    }
  }

  /// What a lane reads of row `position` for the first 16 columns: their left or right half.
  KOKKOS_FORCEINLINE_FUNCTION Address row(int position, int half) const {
    const int swizzle = stage().row_bytes() == 128 ? position & 7 : position >> 1 & 3;
    return m_tile + (position * stage().row_bytes() + ((half ^ swizzle) << 4));
  }
  /// And for the 16 columns `tile`, with `offset(tile)`.
  KOKKOS_FORCEINLINE_FUNCTION static Address at(Address row, int tile) {
    return row ^ static_cast<Address>(tile % (stage().panel() / 16) * 32);
  }
  KOKKOS_FORCEINLINE_FUNCTION int offset(int tile) const {
    return tile / (stage().panel() / 16) * stage().panel_bytes(m_depth);
  }

 private:
  /// Asks for the tile `m_asked`, where there is one, to stage `s`.
  KOKKOS_FORCEINLINE_FUNCTION void ask(int s) const {
    if (!m_asked.is_there()) return;
    const Address to = m_first + s * stage().bytes(m_depth), full = m_full + 8 * s;
    const int row = m_asked.tile() * m_depth, column = m_work_items.panel(m_asked.item()) * stage().width;
    Copies::arrive_for(full, stage().panels() * m_depth * stage().row_bytes());
    LACUNA_NO_UNROLL
    for (int panel = 0; panel < stage().panels(); ++panel) LACUNA_NO_UNROLL
    for (int i = 0; i < m_depth; i += m_box_rows)
      Copies::template box<Element>(to + panel * stage().panel_bytes(m_depth) + i * stage().row_bytes(), m_map, row + i,
                                    column + panel * stage().panel(), full);
  }

  const Team& m_team;
  const EngineWorkItems& m_work_items;
  const Map& m_map;
  int m_depth, m_box_rows;
  EngineCursor m_asked;
  Address m_first, m_full, m_left, m_tile{};
  int m_stage = 0, m_phase = 0;
};

/// Tiles that all threads of a team copy, the next one to the other stage while they work on one, a few copies with
/// every step: all at once they would fill the queue that the gathers stand in too. One barrier of the team a tile. A
/// team does one work item.
template <class Team, class Element, int tiles>
class EngineTilesByThreads {
  using Stages = typename Team::stages;
  KOKKOS_FUNCTION static constexpr EngineStage stage() { return {16 * tiles, false}; }

 public:
  using Address = typename Stages::Address;

  /// `rows` of B; `copies` of 16 bytes that a thread starts with every step.
  KOKKOS_FORCEINLINE_FUNCTION EngineTilesByThreads(const Team& team, std::int64_t depth,
                                                   const EngineWorkItems& work_items, const PackedRows<Element>& B,
                                                   std::int64_t rows, int copies)
      : m_team(team), m_work_items(work_items), m_B(B), m_depth(depth), m_rows(rows), m_copies(copies) {
    const int bytes = stage().bytes(depth);
    char* scratch   = team.template scratch<char>(static_cast<std::size_t>(EngineStage::stages * bytes));
    clear_zero_rows(team, scratch, stage(), depth);
    m_tile  = Stages::address(scratch);
    m_other = m_tile + bytes;
  }

  KOKKOS_FORCEINLINE_FUNCTION void begin(int item) {
    m_range        = m_work_items.range(item);
    m_first_column = std::int64_t{m_work_items.panel(item)} * stage().width;
    start_copies();
  }
  KOKKOS_FORCEINLINE_FUNCTION void meanwhile() {
    for (int c = 0; c < m_copies; ++c) copy_a_load();
  }
  /// Goes on to the tile that the copies were made for, and starts those for the one behind it.
  KOKKOS_FORCEINLINE_FUNCTION void enter() {
    while (m_load < m_last_load) copy_a_load();
    Stages::commit();
    Stages::template wait<0>();
    m_team.barrier();
    const auto tile = m_tile;
    m_tile          = m_other;
    m_other         = tile;
    ++m_range.first;
    start_copies();
  }
  KOKKOS_FORCEINLINE_FUNCTION void leave() {}

  KOKKOS_FORCEINLINE_FUNCTION Address row(int position, int half) const {
    return m_tile + (position * stage().row_bytes() + half * 16);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Address at(Address row, int) { return row; }
  KOKKOS_FORCEINLINE_FUNCTION static int offset(int tile) { return 32 * tile; }

 private:
  static constexpr int loads = 2 * tiles;  ///< of 16 bytes, of a row of a tile

  /// Starts the thread's copies of the first tile of the range, to the stage that nobody reads.
  KOKKOS_FORCEINLINE_FUNCTION void start_copies() {
    m_load = m_last_load = 0;
    if (m_range.first >= m_range.end) return;
    const std::int64_t first = m_range.first * m_depth, left = m_rows - first;
    m_load      = m_team.thread();
    m_last_load = static_cast<int>(left < m_depth ? left : m_depth) * loads;
    m_source    = m_B.data + first * m_B.row_stride + m_first_column;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_a_load() {
    if (m_load >= m_last_load) return;
    const int row = m_load / loads, column = m_load % loads * 8;
    const bool is_there = m_first_column + column < m_B.readable;
    Stages::template copy<16>(m_other + (row * stage().row_bytes() + 2 * column),
                              m_source + row * m_B.row_stride + column, is_there ? 16 : 0);
    m_load += m_team.threads();
  }

  const Team& m_team;
  const EngineWorkItems& m_work_items;
  const PackedRows<Element>& m_B;
  std::int64_t m_depth, m_rows;
  int m_copies;
  EngineTileRange m_range;  ///< from the tile on that copies are made of
  std::int64_t m_first_column = 0;
  Address m_tile, m_other;
  int m_load = 0, m_last_load = 0;
  const Element* m_source = nullptr;
};

}  // namespace lacuna::Impl

#endif
