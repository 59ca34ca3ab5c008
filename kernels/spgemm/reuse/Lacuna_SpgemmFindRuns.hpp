// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMFINDRUNS_HPP
#define LACUNA_SPGEMMFINDRUNS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductRuns.hpp>

#include <cstdint>
#include <limits>

/// \file
/// \brief Cuts C into windows, and finds the runs of products of each.

namespace lacuna::Impl {

/// C, and what was counted of it.
template <class Ordinal, class Offset>
struct SpgemmCountedC {
  std::int64_t rows, nonzeros;
  const Offset* row_map;
  const Ordinal* entries;         ///< sorted in each row
  const std::uint32_t* products;  ///< of each nonzero
  Counter* before;                ///< products of all nonzeros in front of each

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_of(std::int64_t nonzero) const {
    return upper_bound(row_map, 0, rows + 1, static_cast<Offset>(nonzero)) - 1;
  }
};

/// Finds the first nonzero of a window: the first in front of which all cost at least as much as the windows before.
template <class Ordinal, class Offset>
struct SpgemmFindWindows {
  SpgemmCountedC<Ordinal, Offset> C;
  const Offset* row_map_of_a;
  std::int64_t cost;  ///< of a window
  std::int64_t* first;

  KOKKOS_FUNCTION void operator()(std::int64_t window) const {
    const std::int64_t wanted = window * cost;
    std::int64_t c            = 0;
    for (std::int64_t end = C.nonzeros; c < end;) {
      const std::int64_t middle = c + (end - c) / 2;
      if (cost_before(middle) < wanted)
        c = middle + 1;
      else
        end = middle;
    }
    first[window] = c;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t cost_before(std::int64_t nonzero) const {
    return static_cast<std::int64_t>(C.before[nonzero]) + nonzero +
           static_cast<std::int64_t>(row_map_of_a[C.row_of(nonzero)]);
  }
};

/// Counts the rows of B whose columns descend somewhere.
template <class Arrays>
struct SpgemmCountDescending {
  Arrays B;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& count) const {
    for (auto b = B.row_map[row]; b + 1 < B.row_map[row + 1]; ++b)
      if (B.entries[b + 1] < B.entries[b]) {
        ++count;
        return;
      }
  }
};

/// Nonzeros of C and of A that a window sees. Of its first and last row it may have a part: columns from `low` to
/// `high`.
template <class Arrays>
struct SpgemmWindowExtents {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr Ordinal highest = std::numeric_limits<Ordinal>::max();

  std::int64_t first, end;          ///< nonzeros of C
  std::int64_t first_row, end_row;  ///< of C and A
  std::int64_t first_a, end_a;      ///< nonzeros of A
  Ordinal low, high;

  KOKKOS_FORCEINLINE_FUNCTION SpgemmWindowExtents(const Arrays& A, const SpgemmCountedC<Ordinal, Offset>& C,
                                                  std::int64_t first_nonzero, std::int64_t end_nonzero)
      : first(first_nonzero),
        end(end_nonzero),
        first_row(C.row_of(first)),
        end_row(C.row_of(end - 1) + 1),
        first_a(static_cast<std::int64_t>(A.row_map[first_row])),
        end_a(static_cast<std::int64_t>(A.row_map[end_row])),
        low(static_cast<std::int64_t>(C.row_map[first_row]) < first ? C.entries[first] : Ordinal(0)),
        high(static_cast<std::int64_t>(C.row_map[end_row]) > end ? C.entries[end - 1] : highest) {}
};

/// How many runs and places windows have.
struct SpgemmWindowSizes {
  std::int64_t* runs;
  std::int64_t* places;
};

/// Where they are written.
struct SpgemmRunTarget {
  const std::int64_t* first_run   = nullptr;  ///< of each window, and behind the last
  const std::int64_t* first_place = nullptr;
  SpgemmProductWindow* windows    = nullptr;
  SpgemmRun* runs                 = nullptr;
  SpgemmPlace* places             = nullptr;
  std::uint32_t* run_of_warp      = nullptr;
};

/// A warp takes a window, and its lanes neighbouring nonzeros of A. `Writes`: writes windows and runs; without, counts
/// them. Rows of B whose columns do not ascend are taken element by element where a window has a part of them.
template <bool Writes, class Arrays>
struct SpgemmFindRuns {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Extents = SpgemmWindowExtents<Arrays>;

  static constexpr int team = 256;

  Arrays A, B;
  SpgemmCountedC<Ordinal, Offset> C;
  const std::int64_t* first;  ///< nonzero of each window, and of one behind the last
  std::int64_t windows;
  bool ascending;  ///< columns of all rows of B
  SpgemmWindowSizes sizes;
  SpgemmRunTarget to;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t window = static_cast<std::int64_t>(team.league_rank()) * team.warps() + team.warp();
    if constexpr (Writes)
      if (window == windows && team.lane() == 0)
        to.windows[window] = {first[window], to.first_run[window], to.first_place[window], 0, 0, 0};
    if (window >= windows) return;
    const bool is_empty = first[window] == first[window + 1];
    if constexpr (Writes) {
      if (team.lane() == 0) to.windows[window] = {first[window], to.first_run[window], to.first_place[window], 0, 0, 0};
    } else if (is_empty && team.lane() == 0) {
      sizes.runs[window] = sizes.places[window] = 0;
    }
    if (!is_empty) find<Team>(window, Extents(A, C, first[window], first[window + 1]), team.lane());
  }

 private:
  struct Sizes {
    std::int64_t runs = 0, places = 0;
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void find(std::int64_t window, const Extents& extents, int lane) const {
    constexpr int lanes = Team::lane_width;
    Sizes all;
    for (std::int64_t from = extents.first_a; from < extents.end_a; from += lanes) {
      Sizes own;
      const bool exists = from + lane < extents.end_a;
      if (exists) own = visit(extents, from + lane, [](std::int64_t, std::int64_t, const Sizes&) {});
      const Sizes up_to{Team::sum_lanes_up_to(own.runs, lane, lanes), Team::sum_lanes_up_to(own.places, lane, lanes)};
      if constexpr (Writes)
        if (exists) {
          const Sizes before{all.runs + up_to.runs - own.runs, all.places + up_to.places - own.places};
          visit(extents, from + lane, [&](std::int64_t b, std::int64_t length, const Sizes& done) {
            write_run<Team>(
                window, before.runs + done.runs,
                {static_cast<std::uint32_t>(from + lane), static_cast<std::uint32_t>(b),
                 static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(before.places + done.places)});
          });
        }
      all.runs += Team::lanes::shuffle(up_to.runs, lanes - 1, lanes);
      all.places += Team::lanes::shuffle(up_to.places, lanes - 1, lanes);
    }
    // Whole warps of places.
    const std::int64_t places = (all.places + lanes - 1) / lanes * lanes;
    if constexpr (Writes) {
      if (all.places + lane < places) to.places[to.first_place[window] + all.places + lane] = SpgemmPlaceBits::left_out;
    } else if (lane == 0) {
      sizes.runs[window]   = all.runs;
      sizes.places[window] = places;
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void write_run(std::int64_t window, std::int64_t index, const SpgemmRun& run) const {
    to.runs[to.first_run[window] + index] = run;
    if constexpr (Team::lane_width > 1) {
      constexpr std::uint32_t lanes   = Team::lane_width;
      std::uint32_t* const of_windows = to.run_of_warp + to.first_place[window] / lanes;
      for (std::uint32_t warp = (run.place + lanes - 1) / lanes; warp * lanes < run.place + run.length; ++warp)
        of_windows[warp] = static_cast<std::uint32_t>(index);
    }
  }

  /// Calls `run(b, length, what came before)` for the runs of nonzero a of A. Returns how much they are.
  template <class Run>
  KOKKOS_FORCEINLINE_FUNCTION Sizes visit(const Extents& extents, std::int64_t a, const Run& run) const {
    const Ordinal inner     = A.entries[a];
    auto begin              = static_cast<std::int64_t>(B.row_map[inner]);
    auto end                = static_cast<std::int64_t>(B.row_map[inner + 1]);
    const bool is_first_row = a < static_cast<std::int64_t>(A.row_map[extents.first_row + 1]);
    const bool is_last_row  = a >= static_cast<std::int64_t>(A.row_map[extents.end_row - 1]);
    const Ordinal low       = is_first_row ? extents.low : Ordinal(0);
    const Ordinal high      = is_last_row ? extents.high : Extents::highest;
    const bool is_cut       = low > 0 || high < Extents::highest;
    Sizes done;
    if (is_cut && !ascending) {
      for (; begin < end; ++begin)
        if (B.entries[begin] >= low && B.entries[begin] <= high) add_run(begin, 1, run, done);
      return done;
    }
    if (low > 0) begin = lower_bound(B.entries, begin, end, low);
    if (high < Extents::highest) end = upper_bound(B.entries, begin, end, high);
    if (begin < end) add_run(begin, end - begin, run, done);
    return done;
  }
  template <class Run>
  KOKKOS_FORCEINLINE_FUNCTION static void add_run(std::int64_t b, std::int64_t length, const Run& run, Sizes& done) {
    run(b, length, done);
    ++done.runs;
    done.places += length;
  }
};

struct SpgemmFindLargest {
  const std::int64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& largest) const {
    if (numbers[i] > largest) largest = numbers[i];
  }
};

/// Scratch elements of the window that needs most.
struct SpgemmFindScratch {
  const SpgemmProductWindow* windows;
  KOKKOS_FUNCTION void operator()(std::int64_t window, std::int64_t& most) const {
    const std::int64_t own = windows[window].places + windows[window + 1].nonzero - windows[window].nonzero;
    if (own > most) most = own;
  }
};

}  // namespace lacuna::Impl

#endif
