// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSTATISTICS_LENGTHS_HPP
#define LACUNA_ROWSTATISTICS_LENGTHS_HPP

#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

/// \file
/// \brief Row lengths: one kernel that counts them in bins, exact for short rows and 16 an octave for long ones.

namespace lacuna::Impl {

struct LengthBins {
  static constexpr std::int64_t exact = 256;  ///< lengths below it have a bin each
  static constexpr int per_octave     = 16;
  static constexpr int count          = 256 + 55 * 16;

  KOKKOS_INLINE_FUNCTION static int bin(std::int64_t length) {
    if (length < exact) return static_cast<int>(length);
    int octave = 8;
    while (length >> (octave + 1) != 0) ++octave;
    return 256 + (octave - 8) * per_octave + static_cast<int>((length >> (octave - 4)) & (per_octave - 1));
  }
  /// The greatest length of a bin.
  static std::int64_t last_of(int bin) {
    if (bin < exact) return bin;
    const int octave        = 8 + (bin - 256) / per_octave;
    const std::int64_t step = std::int64_t{1} << (octave - 4);
    return (per_octave + (bin - 256) % per_octave + 1) * step - 1;
  }
};

/// What comes to the host.
struct LengthCounters {
  enum { longest, complement_of_shortest, squares, sell_entries, total, first_bin };
  static constexpr int count = first_bin + LengthBins::count;
};

/// Slices of 32 rows, dealt to the lane groups in turn. A thread keeps the bin of its last row and adds to the team's
/// bins only when it changes: most matrices have a few lengths.
template <class Offset>
struct CountLengths {
  std::int64_t rows;
  std::int64_t slices;
  const Offset* row_map;
  Counter* counters;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int width = Team::lane_width < 32 ? 1 : 32;
    unsigned* bins      = team.template scratch<unsigned>(LengthBins::count);
    Counter* sums       = team.template scratch<Counter>(LengthCounters::first_bin);
    for (int b = team.thread(); b < LengthBins::count; b += team.threads()) bins[b] = 0;
    for (int c = team.thread(); c < LengthCounters::first_bin; c += team.threads()) sums[c] = 0;
    team.barrier();
    const int lane                   = team.thread() % width;
    const std::int64_t slice_threads = team.threads() / width;
    Counter longest = 0, complement = 0, squares = 0, entries = 0, total = 0;
    int bin        = 0;
    unsigned count = 0;
    for (std::int64_t s = team.league_rank() * slice_threads + team.thread() / width; s < slices;
         s += team.league_size() * slice_threads) {
      Counter widest = 0;
      for (std::int64_t i = s * 32 + lane; i < s * 32 + 32 && i < rows; i += width) {
        const auto length = static_cast<std::int64_t>(row_map[i + 1]) - static_cast<std::int64_t>(row_map[i]);
        const auto size   = static_cast<Counter>(length);
        const int next    = LengthBins::bin(length);
        if (next != bin && count > 0) {
          Kokkos::atomic_add(&bins[bin], count);
          count = 0;
        }
        bin = next;
        ++count;
        if (size > widest) widest = size;
        if (INT64_MAX - size > complement) complement = INT64_MAX - size;
        squares += size * size;
        total += size;
      }
      for (int delta = width / 2; delta > 0; delta /= 2) {
        const Counter other = Team::lanes::shuffle_down(widest, delta, width);
        if (other > widest) widest = other;
      }
      if (lane == 0) {
        entries += 32 * widest;
        if (widest > longest) longest = widest;
      }
    }
    if (count > 0) Kokkos::atomic_add(&bins[bin], count);
    squares = Team::sum_lanes(squares, Team::lane_width);
    entries = Team::sum_lanes(entries, Team::lane_width);
    total   = Team::sum_lanes(total, Team::lane_width);
    if (longest > 0) Kokkos::atomic_max(&sums[LengthCounters::longest], longest);
    if (complement > sums[LengthCounters::complement_of_shortest])
      Kokkos::atomic_max(&sums[LengthCounters::complement_of_shortest], complement);
    if (team.lane() == 0) {
      Kokkos::atomic_add(&sums[LengthCounters::squares], squares);
      Kokkos::atomic_add(&sums[LengthCounters::sell_entries], entries);
      Kokkos::atomic_add(&sums[LengthCounters::total], total);
    }
    team.barrier();
    for (int b = team.thread(); b < LengthBins::count; b += team.threads())
      if (bins[b] > 0) Kokkos::atomic_add(&counters[LengthCounters::first_bin + b], static_cast<Counter>(bins[b]));
    if (team.thread() != 0) return;
    for (int c = 0; c <= LengthCounters::complement_of_shortest; ++c) Kokkos::atomic_max(&counters[c], sums[c]);
    for (int c = LengthCounters::squares; c < LengthCounters::first_bin; ++c) Kokkos::atomic_add(&counters[c], sums[c]);
  }
};

/// The length that `share` of the rows do not exceed.
template <class Counters>
std::int64_t length_quantile(const Counters& counters, std::int64_t rows, std::int64_t longest, double share) {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(rows)));
  std::int64_t seen = 0;
  for (int b = 0; b < LengthBins::count; ++b) {
    seen += static_cast<std::int64_t>(counters(LengthCounters::first_bin + b));
    if (seen >= wanted) return std::min(LengthBins::last_of(b), longest);
  }
  return longest;
}

template <class Device, class ExecutionSpace, class Arrays, class Statistics>
void inspect_lengths(const ExecutionSpace& exec, const Arrays& crs, Statistics& statistics) {
  statistics.rows     = static_cast<std::int64_t>(crs.rows);
  statistics.columns  = static_cast<std::int64_t>(crs.columns);
  statistics.nonzeros = static_cast<std::int64_t>(crs.nonzeros);
  if (statistics.rows == 0) return;
  using Counters      = Kokkos::View<Counter*, Device>;
  const auto counters = allocate<Counters>("row_length_statistics", exec, "Lacuna::row_length_statistics::counters",
                                           LengthCounters::count);
  Kokkos::deep_copy(exec, counters, Counter{0});
  const std::int64_t slices = (statistics.rows + 31) / 32;
  constexpr int threads     = team_threads<ExecutionSpace>(256);
  // Enough teams to fill a device, few enough that emptying their bins costs nothing.
  const std::int64_t teams =
      std::min<std::int64_t>(ExecutionTraits<ExecutionSpace>::is_gpu ? 1056 : 64, (slices + 31) / 32);
  launch_teams<256>(exec, "Lacuna::row_length_statistics::count", {teams, threads},
                    LengthBins::count * sizeof(unsigned) + 128,
                    CountLengths<typename Arrays::Offset>{statistics.rows, slices, crs.row_map, counters.data()});
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, counters);
  Kokkos::deep_copy(exec, host, counters);
  exec.fence("Lacuna::row_length_statistics: the statistics are read on the host");

  const auto n            = static_cast<double>(statistics.rows);
  statistics.longest_row  = static_cast<std::int64_t>(host(LengthCounters::longest));
  statistics.shortest_row = INT64_MAX - static_cast<std::int64_t>(host(LengthCounters::complement_of_shortest));
  statistics.sell_entries = static_cast<std::int64_t>(host(LengthCounters::sell_entries));
  statistics.empty_rows   = static_cast<std::int64_t>(host(LengthCounters::first_bin));
  statistics.mean         = static_cast<double>(host(LengthCounters::total)) / n;
  const double variance   = static_cast<double>(host(LengthCounters::squares)) / n - statistics.mean * statistics.mean;
  statistics.standard_deviation = variance > 0 ? std::sqrt(variance) : 0.0;
  statistics.median             = length_quantile(host, statistics.rows, statistics.longest_row, 0.50);
  statistics.quantile_90        = length_quantile(host, statistics.rows, statistics.longest_row, 0.90);
  statistics.quantile_99        = length_quantile(host, statistics.rows, statistics.longest_row, 0.99);
  for (int b = 0; b < LengthBins::count; ++b)
    statistics
        .rows_by_log2[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(LengthBins::last_of(b))))] +=
        static_cast<std::int64_t>(host(LengthCounters::first_bin + b));
}

}  // namespace lacuna::Impl

#endif
