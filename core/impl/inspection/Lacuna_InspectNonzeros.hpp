// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_INSPECTNONZEROS_HPP
#define LACUNA_INSPECTNONZEROS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/base/impl/Lacuna_RelaxedAccess.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief One pass over the nonzeros for all statistics of columns.
///
/// Bound: the pass reads values, columns and row map once, as SpMV does, and writes at most a byte for each row. Other
/// reads hit the first-level cache: the mark of a diagonal, and up to 7 rows above, which are searched for the column
/// until one has it. A search takes a load of the row map, then one or two loads of columns where rows are alike, and 2
/// log2(length) at worst. A warp searches until its last lane is done. So the pass is bound by instructions.
/// Evidence: core/tuning.md.

namespace lacuna::Impl {

/// What comes to the host: three greatest values, sums over nonzeros, sums over marks.
struct ColumnCounters {
  enum {
    lower,
    upper,
    largest_gap,
    zeros,
    duplicates,
    wide_gaps,
    first_block,
    panel_columns = first_block + 4,
    unsorted_rows,
    equal_rows,
    diagonals,
    count
  };
  static constexpr int first_sum      = zeros;
  static constexpr int first_of_marks = unsorted_rows;

  /// Whether a number depends on the order of the nonzeros in their rows, and is meant for sorted ones.
  static constexpr bool needs_order(int counter) {
    return counter == largest_gap || (counter >= duplicates && counter <= panel_columns);
  }
};

/// Nonzeros are cut into equal stretches, one a warp, so that long rows cost no more than short ones. Blocks and
/// panels (blocks of 8 rows and 1 column) are counted where their first nonzero is: that with no other of the block
/// before it in its row, nor in the rows above. What needs sorted rows is wrong where they are not; nothing else is.
template <class Scalar, class Ordinal, class Offset>
struct InspectNonzeros {
  using C     = ColumnCounters;
  using Index = std::make_signed_t<Offset>;  ///< of nonzeros

  static constexpr int choices = 5;  ///< blocks of 2, 3, 4, 6, and panels
  static constexpr int tallest = 8;
  static constexpr int widest  = 6;

  CrsArrays<Scalar, Ordinal, Offset> crs;
  std::int64_t stretch;           ///< nonzeros a warp
  unsigned char* row_marks;       ///< two a row: it is not sorted; it has another column than the row above
  unsigned char* diagonal_marks;  ///< mark 0: the diagonal of the lower left corner
  Counter* counters;

  /// What a thread has seen.
  struct Seen {
    Ordinal most[C::first_sum]            = {};
    std::uint32_t sums[C::first_of_marks] = {};  ///< from `C::first_sum` on

    KOKKOS_FORCEINLINE_FUNCTION void raise(int counter, Ordinal value) {
      if (value > most[counter]) most[counter] = value;
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Counter* totals = team.template scratch<Counter>(C::first_of_marks);
    for (int c = team.thread(); c < C::first_of_marks; c += team.threads()) totals[c] = 0;
    team.barrier();
    Seen seen;
    walk(static_cast<std::int64_t>(team.league_rank()) * team.warps() + team.warp(), team.lane(), Team::lane_width,
         seen);
    add_up(team, seen, totals);
    team.barrier();
    for (int c = team.thread(); c < C::first_of_marks; c += team.threads()) {
      if (totals[c] == 0) continue;
      if (c < C::first_sum)
        Kokkos::atomic_max(&counters[c], totals[c]);
      else
        Kokkos::atomic_add(&counters[c], totals[c]);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t number, int lane, int lanes, Seen& seen) const {
    const auto nonzeros      = static_cast<std::int64_t>(crs.nonzeros);
    const std::int64_t first = number * stretch + lane;
    const std::int64_t last  = (number + 1) * stretch < nonzeros ? (number + 1) * stretch : nonzeros;
    if (first >= last) return;
    auto row = static_cast<Ordinal>(
        upper_bound(crs.row_map + 1, 0, static_cast<std::int64_t>(crs.rows), static_cast<Offset>(first)));
    for (std::int64_t k = first; k < last; k += lanes) {
      row = row_of(static_cast<Offset>(k), row);
      inspect(row, static_cast<Index>(k), seen);
    }
  }

  /// The row of nonzero k, which is not before `row`.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_of(Offset k, Ordinal row) const {
    const Offset* const ends = crs.row_map + 1;
    if (k < ends[row]) return row;
    if (k < ends[++row]) return row;
    ++row;
    return static_cast<Ordinal>(lower_bound_near(ends, row, crs.rows, row, static_cast<Offset>(k + 1)));
  }

  KOKKOS_FORCEINLINE_FUNCTION void inspect(Ordinal row, Index k, Seen& seen) const {
    const Ordinal column = crs.entries[k];
    const auto begin     = static_cast<Index>(crs.row_map[row]);
    const Ordinal offset = column - row;
    seen.raise(C::upper, offset);
    seen.raise(C::lower, -offset);
    if (crs.values[k] == Scalar(0)) ++seen.sums[C::zeros];
    unsigned char* const diagonal = diagonal_marks + (static_cast<std::int64_t>(offset) + crs.rows - 1);
    if (relaxed_load(diagonal) == 0) mark(diagonal);
    const Ordinal left = k > begin ? crs.entries[k - 1] : Ordinal(-1);
    if (k > begin) inspect_gap(row, column - left, seen);
    inspect_above(row, k, begin, column, left, seen);
  }

  /// No atomics: lanes of a warp that mark neighbouring diagonals, as they do in a mesh, do so in one access.
  KOKKOS_FORCEINLINE_FUNCTION static void mark(unsigned char* position) {
    relaxed_store(position, static_cast<unsigned char>(1));
  }

  KOKKOS_FORCEINLINE_FUNCTION void inspect_gap(Ordinal row, Ordinal gap, Seen& seen) const {
    if (gap < 0) mark(row_marks + 2 * static_cast<std::int64_t>(row));
    if (gap == 0) ++seen.sums[C::duplicates];
    if (gap > 65535) ++seen.sums[C::wide_gaps];
    seen.raise(C::largest_gap, gap);
  }

  /// Where a row or column stands in its blocks of 2, 3, 4, 6.
  struct BlockPosition {
    int of[4];
    KOKKOS_FORCEINLINE_FUNCTION explicit BlockPosition(Ordinal index) {
      const auto number = static_cast<std::make_unsigned_t<Ordinal>>(index);
      of[0]             = static_cast<int>(number & 1u);
      of[2]             = static_cast<int>(number & 3u);
      of[3]             = static_cast<int>(number % 6u);
      of[1]             = of[3] < 3 ? of[3] : of[3] - 3;
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int width(int choice) {
    return choice < 2 ? choice + 2 : choice == 2 ? 4 : choice == 3 ? widest : 1;
  }

  /// Compares with the row above, and searches nonzeros of the same blocks in the rows above, the nearest first.
  KOKKOS_FORCEINLINE_FUNCTION void inspect_above(Ordinal row, Index k, Index begin, Ordinal column, Ordinal left,
                                                 Seen& seen) const {
    const Index length = static_cast<Index>(crs.row_map[row + 1]) - begin;
    const BlockPosition depth(row), before(column);
    const int depth_of_panel = static_cast<int>(row & 7);
    unsigned open            = 0;  // the blocks that have had no nonzero yet
    LACUNA_UNROLL
    for (int c = 0; c < choices; ++c)
      if (left < column - (c < 4 ? before.of[c % 4] : 0)) open |= 1u << c;
    Index end = begin;
    LACUNA_NO_UNROLL
    for (int up = 1; up < tallest && up <= row; ++up) {
      unsigned reached = 0;
      LACUNA_UNROLL
      for (int c = 0; c < choices; ++c)
        if ((c < 4 ? depth.of[c % 4] : depth_of_panel) >= up) reached |= 1u << c;
      reached &= open;
      if (reached == 0 && up > 1) break;
      const auto above     = static_cast<Index>(crs.row_map[row - up]);
      const Index existing = end - above;
      const bool compared  = up == 1 && existing == length;
      if (existing > 0 && (reached != 0 || compared)) {
        const Index near    = above + guess(k - begin, length, existing);
        const Ordinal found = crs.entries[near];
        if (compared && found != column) mark(row_marks + 2 * static_cast<std::int64_t>(row) + 1);
        if (found == column) {
          open &= ~reached;
        } else if (reached != 0) {
          const Around around = find(column, above, end, near, found);
          LACUNA_UNROLL
          for (int c = 0; c < choices; ++c) {
            const int inside = c < 4 ? before.of[c % 4] : 0;
            if (around.before <= inside || around.behind < width(c) - inside) open &= ~(reached & 1u << c);
          }
        }
      }
      end = above;
    }
    LACUNA_UNROLL
    for (int c = 0; c < choices; ++c) seen.sums[C::first_block + c] += open >> c & 1u;
  }

  /// How far the neighbours of a column are in another row; `widest` stands for none.
  struct Around {
    Ordinal before, behind;
  };

  /// `found` stands at `near` and is another column.
  KOKKOS_FORCEINLINE_FUNCTION Around find(Ordinal column, Index begin, Index end, Index near, Ordinal found) const {
    if (found < column) {
      if (near + 1 == end) return {Ordinal(column - found), widest};
      const Ordinal next = crs.entries[near + 1];
      if (next >= column) return {Ordinal(column - found), Ordinal(next - column)};
    } else {
      if (near == begin) return {widest, Ordinal(found - column)};
      const Ordinal last = crs.entries[near - 1];
      if (last < column) return {Ordinal(column - last), Ordinal(found - column)};
    }
    const std::int64_t position = lower_bound_near(crs.entries, begin, end, near, column);
    return {position > begin ? Ordinal(column - crs.entries[position - 1]) : Ordinal(widest),
            position < end ? Ordinal(crs.entries[position] - column) : Ordinal(widest)};
  }

  /// Where in a row of `existing` nonzeros a column may be that is at `position` of `length`.
  KOKKOS_FORCEINLINE_FUNCTION static Index guess(Index position, Index length, Index existing) {
    if (existing != length)
      position = static_cast<Index>(static_cast<float>(position) *
                                    (static_cast<float>(existing) / static_cast<float>(length)));
    return position < existing ? position : existing - 1;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void add_up(const Team& team, const Seen& seen, Counter* totals) {
    LACUNA_UNROLL
    for (int c = 0; c < C::first_sum; ++c) {
      auto value = static_cast<Counter>(seen.most[c]);
      for (int delta = Team::lane_width / 2; delta > 0; delta /= 2) {
        const Counter other = Team::lanes::shuffle_down(value, delta, Team::lane_width);
        if (other > value) value = other;
      }
      if (team.lane() == 0) Kokkos::atomic_max(&totals[c], value);
    }
    LACUNA_UNROLL
    for (int c = C::first_sum; c < C::first_of_marks; ++c) {
      const Counter sum = Team::sum_lanes(static_cast<Counter>(seen.sums[c]), Team::lane_width);
      if (team.lane() == 0 && sum > 0) Kokkos::atomic_add(&totals[c], sum);
    }
  }
};

/// What `CountMarks` finds, as it stands among the counters.
struct MarkCounts {
  Counter unsorted_rows = 0;
  Counter equal_rows    = 0;
  Counter diagonals     = 0;
};

/// Row i, and diagonals 4 i … 4 i + 3.
template <class Offset>
struct CountMarks {
  using value_type = MarkCounts;
  std::int64_t rows;
  std::int64_t words;
  const Offset* row_map;
  const unsigned char* row_marks;
  const std::uint32_t* diagonal_marks;

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const {
    into.unsorted_rows += from.unsorted_rows;
    into.equal_rows += from.equal_rows;
    into.diagonals += from.diagonals;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sum) const {
    if (i < words) sum.diagonals += static_cast<Counter>(count_bits(diagonal_marks[i]));
    if (i >= rows) return;
    sum.unsorted_rows += row_marks[2 * i];
    if (i == 0 || row_marks[2 * i + 1] != 0) return;
    const Offset length = row_map[i + 1] - row_map[i];
    if (length > 0 && length == row_map[i] - row_map[i - 1]) ++sum.equal_rows;
  }
};

/// The marks of an inspection.
struct InspectionMarks {
  unsigned char* rows;
  std::uint32_t* diagonals;  ///< a byte each
  std::int64_t diagonal_words;
};

/// Does not fence. Marks and counters are zero.
template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void inspect_nonzeros(const ExecutionSpace& exec, const CrsArrays<Scalar, Ordinal, Offset>& crs,
                      const InspectionMarks& marks, Counter* counters) {
  using C     = ColumnCounters;
  using Lanes = ExecutionTraits<ExecutionSpace>;
  // 16 teams a processor, so that a slow stretch does not matter; long enough ones, so that their ends do not.
  constexpr int threads          = team_threads<ExecutionSpace>(256);
  constexpr int groups           = threads / Lanes::lane_width;
  constexpr std::int64_t least   = Lanes::is_gpu ? 8 * Lanes::lane_width : 16384;
  constexpr std::int64_t largest = std::int64_t{1} << 30;  // counts of a thread have 32 bits
  const auto nonzeros            = static_cast<std::int64_t>(crs.nonzeros);
  const std::int64_t wanted      = ceiling_quotient(nonzeros, std::int64_t{16} * processors(exec) * groups);
  const std::int64_t stretch     = round_up(std::clamp(wanted, least, largest), Lanes::lane_width);
  launch_teams<256, 4>(exec, "Lacuna::row_statistics::inspect_nonzeros",
                       {ceiling_quotient(nonzeros, stretch * groups), threads},
                       C::first_of_marks * sizeof(Counter) + 32,
                       InspectNonzeros<Scalar, Ordinal, Offset>{
                           crs, stretch, marks.rows, reinterpret_cast<unsigned char*>(marks.diagonals), counters});
  using Result    = Kokkos::View<MarkCounts, typename ExecutionSpace::memory_space, Kokkos::MemoryUnmanaged>;
  const auto rows = static_cast<std::int64_t>(crs.rows);
  Kokkos::parallel_reduce("Lacuna::row_statistics::count_marks",
                          index_range(exec, std::max(rows, marks.diagonal_words)),
                          CountMarks<Offset>{rows, marks.diagonal_words, crs.row_map, marks.rows, marks.diagonals},
                          Result(reinterpret_cast<MarkCounts*>(counters + C::first_of_marks)));
}

}  // namespace lacuna::Impl

#endif
