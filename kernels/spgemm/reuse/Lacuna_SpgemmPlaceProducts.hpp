// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLACEPRODUCTS_HPP
#define LACUNA_SPGEMMPLACEPRODUCTS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmFindRuns.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductRuns.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Gives every product its place. A team takes a window, `width` lanes a row of it: they take run by run, so that
/// products of a nonzero of C have the order of A.
template <class Arrays>
struct SpgemmPlaceProducts {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Extents = SpgemmWindowExtents<Arrays>;

  static constexpr int team = 256;

  Arrays A, B;
  SpgemmCountedC<Ordinal, Offset> C;  ///< `before`: on GPUs the place of the next product, which is counted on
  const SpgemmProductWindow* windows;
  const SpgemmRun* runs;
  SpgemmPlace* places;
  int width;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const SpgemmProductWindow window = windows[team.league_rank()];
    const SpgemmProductWindow next   = windows[team.league_rank() + 1];
    if (window.nonzero == next.nonzero) return;
    const Extents extents(A, C, window.nonzero, next.nonzero);
    const int groups = team.threads() / width;
    std::int64_t row = extents.first_row + team.thread() / width;
    for (; Team::lanes::any(row < extents.end_row); row += groups)
      place_row<Team>(window, next, extents, row, team.thread() % width);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void place_row(const SpgemmProductWindow& window, const SpgemmProductWindow& next,
                                             const Extents& extents, std::int64_t row, int rank) const {
    const bool exists = row < extents.end_row;
    std::int64_t run  = next.run;
    Offset end_a(0);
    std::int64_t first = 0, end = 0;
    if (exists) {
      run   = first_run_of(static_cast<std::int64_t>(A.row_map[row]), window.run, next.run);
      end_a = A.row_map[row + 1];
      first = Kokkos::max(static_cast<std::int64_t>(C.row_map[row]), window.nonzero);
      end   = Kokkos::min(static_cast<std::int64_t>(C.row_map[row + 1]), next.nonzero);
    }
    const auto goes_on = [&] { return run < next.run && static_cast<Offset>(runs[run].a) < end_a; };
    for (bool is_there = goes_on(); Team::lanes::any(is_there); is_there = is_there && (++run, goes_on())) {
      std::int64_t near = first;  // columns of a run mostly ascend
      if (is_there)
        for (std::uint32_t i = static_cast<std::uint32_t>(rank); i < runs[run].length;
             i += static_cast<std::uint32_t>(width)) {
          const Ordinal column = B.entries[runs[run].b + i];
          if (first < end) near = Kokkos::min(lower_bound_near(C.entries, first, end, near, column), end - 1);
          const bool is_wanted    = first < end && C.entries[near] == column;
          const SpgemmPlace place = is_wanted ? place_of<Team>(window, next, near) : SpgemmPlaceBits::left_out;
          const bool begins_run   = Team::lane_width > 1 && i == 0;
          places[window.place + runs[run].place + i] =
              static_cast<SpgemmPlace>(place | (begins_run ? SpgemmPlaceBits::begins_run : 0));
        }
      Team::lanes::barrier();
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION SpgemmPlace place_of(const SpgemmProductWindow& window, const SpgemmProductWindow& next,
                                                   std::int64_t nonzero) const {
    if constexpr (Team::lane_width == 1) return static_cast<SpgemmPlace>(nonzero - window.nonzero);
    if (window.is_alone != 0 && nonzero == next.nonzero - 1) return SpgemmPlaceBits::alone;
    constexpr auto most = static_cast<std::uint32_t>(SpgemmWindowPolicy::most_of_lane(Team::lane_width));
    const Counter step  = C.products[nonzero] > most ? 1 : Team::lane_width;
    return static_cast<SpgemmPlace>(Kokkos::atomic_fetch_add(&C.before[nonzero], step));
  }

  /// The first run, from `run` to `end`, of an element of A from `a` on.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_run_of(std::int64_t a, std::int64_t run, std::int64_t end) const {
    while (run < end) {
      const std::int64_t middle = run + (end - run) / 2;
      if (static_cast<std::int64_t>(runs[middle].a) < a)
        run = middle + 1;
      else
        end = middle;
    }
    return run;
  }
};

}  // namespace lacuna::Impl

#endif
