// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FILLBRICKS_HPP
#define LACUNA_FILLBRICKS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <formats/impl/panels/Lacuna_PanelMerge.hpp>

#include <cstdint>

/// \file
/// \brief The kernel that packs bricks: everything of a `BrickMatrix` in one walk over the columns.

namespace lacuna::Impl {

/// Writes bricks while the rows of a panel are merged. A segment writes the steps that begin in it, so it starts in the
/// middle of a step of the segment before it, and ends in the segment behind it.
template <class Scalar, class Ordinal, class Offset, int Height>
struct FillBricks : PanelVisitor {
  static constexpr bool runs_on    = true;
  static constexpr int least_teams = Height == 8 && sizeof(Scalar) <= 8 ? 8 : 6;
  static constexpr int groups      = Height / 8;

  template <int Own, int Width>
  struct State {
    static_assert(Own == 1 || Width == 1, "lacuna: a lane has a row, or one thread all of them");
    static constexpr int own         = Own;
    static constexpr int width       = Width;
    static constexpr int own_columns = Width < 8 ? 8 / Width : 1;
    std::int64_t panel_step          = 0;  ///< first step of the panel
    std::int64_t panel_value         = 0;  ///< first value of the panel
    std::uint32_t step               = 0;  ///< of the panel
    std::uint32_t first_step = 0, last_step = 0;
    int filled                  = 0;   ///< columns of the step by now
    Ordinal last_column         = 0;   ///< of those
    Ordinal column[own_columns] = {};  ///< that the lane writes
    std::int64_t row_begin[Own] = {};
    std::uint32_t before[Own]   = {};  ///< nonzeros of the row before the step
    std::uint32_t taken[Own]    = {};  ///< a bit for each column of the step: whether the row has it

    KOKKOS_FORCEINLINE_FUNCTION bool writes() const { return step >= first_step && step < last_step; }
  };

  PanelRows<Ordinal> rows;
  const Offset* row_map;
  const std::uint32_t* columns_of_segment;
  const Offset* counted_begin;        ///< first step of each panel
  const Offset* counted_value_begin;  ///< nonzeros before each panel; null: those before its first row
  const Offset* sorted_source;        ///< null: rows were sorted
  const Scalar* from;
  std::int64_t nonzeros;
  int padding;  ///< zeros behind all values
  Offset* panel_begin;
  Ordinal* step_columns;
  std::uint32_t* patterns;
  Offset* value_begin;
  Scalar* values;
  Offset* source;

  template <class State, class Segment>
  KOKKOS_FORCEINLINE_FUNCTION bool begin(State& state, int lane, std::int64_t number, const Segment& segment) const {
    std::uint32_t first = 0;
    for (std::int64_t other = number - segment.number; other < number; ++other) first += columns_of_segment[other];
    const std::uint32_t last = first + columns_of_segment[number];
    state.panel_step         = static_cast<std::int64_t>(counted_begin[segment.panel]);
    state.panel_value = counted_value_begin != nullptr ? static_cast<std::int64_t>(counted_value_begin[segment.panel])
                                                       : static_cast<std::int64_t>(row_map[segment.panel * Height]);
    state.step        = first / 8;
    state.filled      = static_cast<int>(first % 8);
    state.first_step  = (first + 7) / 8;
    state.last_step   = (last + 7) / 8;
    if (lane == 0 && segment.number == 0) write_ends(segment.panel);
    return state.first_step < state.last_step;
  }
  template <class State, class Range>
  KOKKOS_FORCEINLINE_FUNCTION void row(State& state, int i, const Range& range) const {
    state.row_begin[i] = range.row_begin;
    state.before[i]    = static_cast<std::uint32_t>(range.begin - range.row_begin);
  }
  template <class State>
  KOKKOS_FORCEINLINE_FUNCTION bool done(const State& state) const {
    return state.step >= state.last_step;
  }

  template <class lanes, class State, class Window>
  KOKKOS_FORCEINLINE_FUNCTION void window(State& state, int lane, const Window& window) const {
    std::uint32_t rest = window.all;
    while (lanes::any(rest != 0)) {
      for (; rest != 0 && state.filled < 8; ++state.filled) {
        const int bit = lowest_bit(rest);
        rest &= rest - 1;
        for (int i = 0; i < State::own; ++i) state.taken[i] |= (window.own[i] >> bit & 1u) << state.filled;
        state.last_column = static_cast<Ordinal>(window.base + bit);
        set_column(state, lane);
      }
      const bool full   = state.filled == 8;
      const bool writes = full && state.writes();
      if (lanes::any(writes)) write_step<lanes>(state, lane, writes);
      if (!full) continue;
      for (int i = 0; i < State::own; ++i) {
        state.before[i] += static_cast<std::uint32_t>(count_bits(state.taken[i]));
        state.taken[i] = 0;
      }
      state.filled = 0;
      ++state.step;
    }
  }

  /// The last step of a panel need not be full: its last column stands in the positions left.
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void finish(State& state, int lane, std::int64_t, std::uint32_t) const {
    const bool writes = state.filled > 0 && state.writes();
    if (!lanes::any(writes)) return;
    for (; state.filled < 8; ++state.filled) set_column(state, lane);
    write_step<lanes>(state, lane, writes);
  }

 private:
  /// Where the panel begins, and what stands behind the last.
  KOKKOS_FORCEINLINE_FUNCTION void write_ends(std::int64_t panel) const {
    panel_begin[panel] = counted_begin[panel];
    if (panel + 1 < rows.panels) return;
    const Offset steps                            = counted_begin[rows.panels];
    panel_begin[rows.panels]                      = steps;
    value_begin[static_cast<std::int64_t>(steps)] = static_cast<Offset>(nonzeros);
    for (int i = 0; i < padding; ++i) values[nonzeros + i] = Scalar(0);
  }

  /// Keeps the last column where the lane is the one that will write it.
  template <class State>
  KOKKOS_FORCEINLINE_FUNCTION static void set_column(State& state, int lane) {
    if constexpr (State::width == 1)
      state.column[state.filled] = state.last_column;
    else if (state.filled == lane)
      state.column[0] = state.last_column;
  }

  /// All threads of the warp take part; those write whose panel `writes`.
  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void write_step(const State& state, int lane, bool writes) const {
    if constexpr (State::width == 1)
      write_step_alone(state);
    else
      write_step_together<lanes>(state, lane, writes);
  }

  template <class State>
  KOKKOS_FORCEINLINE_FUNCTION void write_step_alone(const State& state) const {
    const std::int64_t step           = state.panel_step + state.step;
    std::int64_t value                = state.panel_value;
    std::uint32_t pattern[2 * groups] = {};
    for (int i = 0; i < Height; ++i) {
      value += state.before[i];
      pattern[i / 8 * 2] |= (state.taken[i] & 15u) << i % 8 * 4;
      pattern[i / 8 * 2 + 1] |= (state.taken[i] >> 4) << i % 8 * 4;
    }
    value_begin[step] = static_cast<Offset>(value);
    for (int i = 0; i < 8; ++i) step_columns[step * 8 + i] = state.column[i];
    for (int brick = 0; brick < 2 * groups; ++brick) patterns[step * 2 * groups + brick] = pattern[brick];
    for (int i = 0; i < Height; ++i) {
      const std::uint32_t* of_group = pattern + i / 8 * 2;
      move_row(state.row_begin[i] + state.before[i], state.taken[i], value, of_group[0], of_group[1], i % 8);
      if (i % 8 == 7) value += count_bits(of_group[0]) + count_bits(of_group[1]);
    }
  }

  template <class lanes, class State>
  KOKKOS_FORCEINLINE_FUNCTION void write_step_together(const State& state, int lane, bool writes) const {
    constexpr int width       = State::width;
    const int row             = lane % 8;
    const bool odd            = lane % 2 == 1;
    const std::uint32_t first = (state.taken[0] & 15u) << row * 4, second = (state.taken[0] >> 4) << row * 4;
    // Even lanes gather the pattern of the first brick of their group of rows, odd lanes that of the second.
    std::uint32_t pattern = odd ? second : first;
    pattern |= lanes::shuffle(odd ? first : second, lane ^ 1, width);
    pattern |= lanes::shuffle(pattern, lane ^ 2, width);
    pattern |= lanes::shuffle(pattern, lane ^ 4, width);
    const std::uint32_t other = lanes::shuffle(pattern, lane ^ 1, width);
    std::uint32_t before      = state.before[0];
    for (int delta = width / 2; delta > 0; delta /= 2) before += lanes::shuffle(before, lane ^ delta, width);
    int of_groups_before = 0;
    if constexpr (groups == 2) {
      const int of_other = lanes::shuffle(count_bits(pattern) + count_bits(other), lane ^ 8, width);
      of_groups_before   = lane < 8 ? 0 : of_other;
    }
    if (!writes) return;
    const std::int64_t step  = state.panel_step + state.step;
    const std::int64_t value = state.panel_value + before;
    if (lane == 0) value_begin[step] = static_cast<Offset>(value);
    if (lane < 8) step_columns[step * 8 + lane] = state.column[0];
    if (row < 2) patterns[(step * groups + lane / 8) * 2 + row] = pattern;
    move_row(state.row_begin[0] + state.before[0], state.taken[0], value + of_groups_before, odd ? other : pattern,
             odd ? pattern : other, row);
  }

  /// The nonzeros of a row in a step, from `nonzero` on; the values of the row's group begin at `to`.
  KOKKOS_FORCEINLINE_FUNCTION void move_row(std::int64_t nonzero, std::uint32_t taken, std::int64_t to,
                                            std::uint32_t first, std::uint32_t second, int row) const {
    const std::uint32_t lower    = (std::uint32_t{1} << row * 4) - 1;
    const int in_first           = count_bits(taken & 15u);
    const int in_second          = count_bits(taken >> 4);
    const std::int64_t to_first  = to + count_bits(first & lower);
    const std::int64_t to_second = to + count_bits(first) + count_bits(second & lower);
    if (sorted_source != nullptr) {
      for (int i = 0; i < in_first + in_second; ++i) {
        const std::int64_t position = i < in_first ? to_first + i : to_second + (i - in_first);
        source[position]            = sorted_source[nonzero + i];
        values[position]            = from[sorted_source[nonzero + i]];
      }
      return;
    }
    // All loads before the stores, which a compiler does not let them pass.
    Scalar of_first[4], of_second[4];
    load(of_first, from + nonzero, in_first);
    load(of_second, from + nonzero + in_first, in_second);
    store(of_first, nonzero, to_first, in_first);
    store(of_second, nonzero + in_first, to_second, in_second);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void load(Scalar (&moved)[4], const Scalar* nonzeros, int count) {
    for (int i = 0; i < 4; ++i) moved[i] = i < count ? nonzeros[i] : Scalar(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Scalar (&moved)[4], std::int64_t nonzero, std::int64_t to,
                                         int count) const {
    Scalar* const to_values  = values + to;
    Offset* const to_sources = source + to;
    const auto first         = static_cast<Offset>(nonzero);
    for (int i = 0; i < 4; ++i)
      if (i < count) to_values[i] = moved[i];
    for (int i = 0; i < 4; ++i)
      if (i < count) to_sources[i] = first + static_cast<Offset>(i);
  }
};

}  // namespace lacuna::Impl

#endif
