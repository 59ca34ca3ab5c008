// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SLICEDDIASAMPLE_HPP
#define LACUNA_SLICEDDIASAMPLE_HPP

#include <backends/Lacuna_Launch.hpp>
#include <formats/impl/Lacuna_FormatPolicy.hpp>
#include <formats/impl/sliced_dia/Lacuna_SlicedDiaWalk.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

/// \file
/// \brief How many diagonals the slices of a matrix have, for each number of unknowns a node that is considered:
/// counted for some slices only, so that it costs next to nothing where the format does not suit the matrix.

namespace lacuna::Impl {

/// Statistics of the sampled slices.
struct SlicedDiaSample {
  static constexpr std::array groups{1, 2, 3, 4, 6};

  std::int64_t entries = 0;
  std::int64_t diagonals[groups.size()]{};  ///< for each group; at least these, where a walk was given up
  std::int64_t widest[groups.size()]{};     ///< the same of one slice
  int defects = 0;

  /// The group with the fewest diagonals.
  int best_group() const { return groups[static_cast<std::size_t>(best())]; }
  /// The most that a slice has with it.
  std::int64_t best_widest() const { return widest[best()]; }
  /// Entries that exist as a share of those that it would store.
  double best_fill() const {
    const auto stored = static_cast<double>(diagonals[best()]) * sliced_dia_rows;
    return stored > 0 ? static_cast<double>(entries) / stored : 0.0;
  }

 private:
  std::ptrdiff_t best() const {
    return std::min_element(std::begin(diagonals), std::end(diagonals)) - std::begin(diagonals);
  }
};

/// The same of one slice, as the device writes it.
struct SlicedDiaSampled {
  std::int64_t entries;
  std::int32_t diagonals[SlicedDiaSample::groups.size()];
  std::int32_t defects;
};

/// One slice and one group a warp of 32. Slices are spread evenly, with the first and the last.
template <class Arrays>
struct SampleSlicedDia {
  static constexpr auto groups = static_cast<int>(SlicedDiaSample::groups.size());

  Arrays A;
  std::int64_t slices;
  std::int64_t samples;
  int capacity;  ///< see SlicedDiaTeams
  SlicedDiaSampled* sampled;

  /// The number of sampled slices.
  static std::int64_t samples_of(std::int64_t slices) { return std::min(slices, FormatTuning::sliced_dia_samples); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr bool is_gpu     = Team::traits::is_gpu;
    const int parts           = is_gpu ? team.threads() / sliced_dia_rows : 1;
    const std::int64_t task   = static_cast<std::int64_t>(team.league_rank()) * parts + team.thread() / sliced_dia_rows;
    const std::int64_t sample = task / groups;
    const int choice          = static_cast<int>(task % groups);
    const std::int64_t slice =
        sample >= samples ? slices : (samples > 1 ? sample * (slices - 1) / (samples - 1) : std::int64_t{0});
    const int group = choice < 4 ? choice + 1 : 6;
    int defects = 0, count = 0;
    std::int64_t entries = 0;
    if constexpr (is_gpu) {
      using Ordinal = typename Arrays::Ordinal;
      SlicedDiaLane<Team, Arrays> lane(team, A, slice, capacity);
      entries           = static_cast<std::int64_t>(lane.last - lane.first);
      const auto length = static_cast<Ordinal>(lane.end - lane.begin);
      const auto longest =
          static_cast<std::int64_t>(-Team::lanes::minimum(static_cast<Ordinal>(-length), sliced_dia_rows));
      // A slice has no fewer diagonals than its longest row has entries: where those are too many it is not walked.
      const bool hopeless = longest > most(entries);
      if (hopeless) lane.is_staged = false;
      const auto* staged = lane.stage(team, A.entries, capacity);
      count              = lane.walk(A, group, staged, hopeless ? 0 : most(entries), defects, [](auto...) {});
      if (hopeless) count = static_cast<int>(longest);
      defects = lane.ballot((defects & SlicedDiaDefect::unsorted) != 0) != 0    ? SlicedDiaDefect::unsorted
                : lane.ballot((defects & SlicedDiaDefect::duplicate) != 0) != 0 ? SlicedDiaDefect::duplicate
                                                                                : 0;
      if (lane.lane > 0) return;
    } else if (sample < samples) {
      const std::int64_t last = (slice + 1) * sliced_dia_rows;
      const auto rows         = static_cast<std::int64_t>(A.rows);
      entries                 = static_cast<std::int64_t>(A.row_map[last < rows ? last : rows]) -
                static_cast<std::int64_t>(A.row_map[slice * sliced_dia_rows]);
      count = walk_slice_of_rows(A, group, slice, most(entries), defects, [](auto...) {});
    }
    if (sample >= samples) return;
    sampled[sample].diagonals[choice] = count;
    if (choice > 0) return;  // the same for every group
    sampled[sample].entries = entries;
    sampled[sample].defects = defects;
  }

  /// Diagonals after which a slice is given up: it is too empty for the format.
  KOKKOS_FUNCTION static int most(std::int64_t entries) {
    const double few = static_cast<double>(entries) / sliced_dia_rows * FormatTuning::sliced_dia_give_up + 16;
    return few < 2e9 ? static_cast<int>(few) : INT32_MAX;
  }

  /// Does not fence. `into` holds `samples_of(slices)` elements.
  template <class ExecutionSpace>
  static void start(const ExecutionSpace& exec, const Arrays& A, SlicedDiaSampled* into) {
    const std::int64_t slices  = ceiling_quotient(static_cast<std::int64_t>(A.rows), sliced_dia_rows);
    const std::int64_t samples = samples_of(slices);
    if (samples == 0) return;
    const auto teams = sliced_dia_teams<ExecutionSpace>(
        samples * groups, static_cast<std::int64_t>(A.nonzeros) / slices * samples * groups,
        sizeof(typename Arrays::Ordinal));
    launch_teams(exec, "Lacuna::sliced_dia::sample", teams.shape, teams.scratch_bytes,
                 SampleSlicedDia{A, slices, samples, teams.capacity, into});
  }

  /// What all slices say together.
  static SlicedDiaSample sum_up(const SlicedDiaSampled* sampled, std::int64_t samples) {
    SlicedDiaSample sum;
    for (std::int64_t i = 0; i < samples; ++i) {
      sum.entries += sampled[i].entries;
      sum.defects |= sampled[i].defects;
      for (int c = 0; c < groups; ++c) {
        sum.diagonals[c] += sampled[i].diagonals[c];
        sum.widest[c] = std::max<std::int64_t>(sum.widest[c], sampled[i].diagonals[c]);
      }
    }
    return sum;
  }
};

/// Fences.
template <class ExecutionSpace, class Arrays>
SlicedDiaSample sample_sliced_dia(const ExecutionSpace& exec, const Arrays& A) {
  using Sampler = SampleSlicedDia<Arrays>;
  using Device  = Kokkos::View<SlicedDiaSampled*, typename ExecutionSpace::memory_space>;
  const auto n  = Sampler::samples_of(ceiling_quotient(static_cast<std::int64_t>(A.rows), sliced_dia_rows));
  if (n == 0) return {};
  const auto sampled = allocate<Device>("to_sliced_dia", exec, "Lacuna::to_sliced_dia::sample", n);
  Sampler::start(exec, A, sampled.data());
  std::vector<SlicedDiaSampled> host(static_cast<std::size_t>(n));
  Kokkos::deep_copy(
      exec, Kokkos::View<SlicedDiaSampled*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()),
      sampled);
  exec.fence("Lacuna::to_sliced_dia: sample to the host");
  return Sampler::sum_up(host.data(), n);
}

}  // namespace lacuna::Impl

#endif
