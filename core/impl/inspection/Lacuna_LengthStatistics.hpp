// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_LENGTHSTATISTICS_HPP
#define LACUNA_LENGTHSTATISTICS_HPP

#include <core/base/impl/Lacuna_RelaxedAccess.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

/// \file
/// \brief What is known of a matrix from its row map alone: one kernel and one wait for everything that statistics and
/// plans ask of row lengths.

namespace lacuna::Impl {

/// Row lengths, counted: whole numbers, the same on every run and backend.
struct LengthStatistics {
  static constexpr int slice_rows      = 32;
  static constexpr int chunk_choices   = 2;  ///< chunks of 4 and of 2 entries
  static constexpr int segment_choices = 5;  ///< 1, 2, 4, 8, 16 slots a row
  static constexpr int group_choices   = 6;  ///< 1, 2, 4, 8, 16, 32 neighbouring rows
  static constexpr int octave_choices  = 64;

  std::int64_t rows     = 0;
  std::int64_t nonzeros = 0;
  std::int64_t longest  = 0;
  std::int64_t shortest = 0;
  std::int64_t empty    = 0;  ///< rows without nonzeros
  std::int64_t squares  = 0;  ///< sum of the lengths' squares
  /// octaves[0]: empty rows; octaves[b]: rows of 2^(b-1) … 2^b - 1 nonzeros.
  std::array<std::int64_t, octave_choices> octaves{};
  /// Lengths that 50, 90, 99 % of the rows do not exceed: exact up to 256, above at most 1/16 too high.
  std::int64_t median      = 0;
  std::int64_t quantile_90 = 0;
  std::int64_t quantile_99 = 0;
  /// Entries a slot, summed over the slices of 32 slots that chunks of 4 >> c entries and 2^i slots a row make.
  std::int64_t slice_widths[chunk_choices][segment_choices] = {};
  /// Sum over groups of 2^i neighbouring rows of 2^i times their longest.
  std::int64_t group_span[group_choices] = {};

  KOKKOS_INLINE_FUNCTION static constexpr int chunk(int c) { return 4 >> c; }

  double mean() const { return rows > 0 ? static_cast<double>(nonzeros) / static_cast<double>(rows) : 0.0; }
  double standard_deviation() const {
    if (rows == 0) return 0;
    const double variance = static_cast<double>(squares) / static_cast<double>(rows) - mean() * mean();
    return variance > 0 ? std::sqrt(variance) : 0.0;
  }
};

/// Bins for lengths: exact for short rows, 16 an octave for long ones.
struct LengthBins {
  static constexpr std::int64_t exact = 256;  ///< lengths below it have a bin each
  static constexpr int per_octave     = 16;
  static constexpr int count          = 256 + 55 * 16;

  KOKKOS_INLINE_FUNCTION static constexpr int bin(std::int64_t length) {
    if (length < exact) return static_cast<int>(length);
    int octave = 8;
    while (length >> (octave + 1) != 0) ++octave;
    return 256 + (octave - 8) * per_octave + static_cast<int>((length >> (octave - 4)) & (per_octave - 1));
  }
  /// The greatest length of a bin.
  static constexpr std::int64_t last_of(int bin) {
    if (bin < exact) return bin;
    const int octave        = 8 + (bin - 256) / per_octave;
    const std::int64_t step = std::int64_t{1} << (octave - 4);
    return (per_octave + (bin - 256) % per_octave) * step + (step - 1);  // the last bin ends at INT64_MAX
  }
};

/// What comes to the host: two greatest values, then sums.
struct LengthCounters {
  enum {
    longest,
    complement_of_shortest,
    squares,
    first_width,
    first_span = first_width + 10,
    first_bin  = first_span + 6
  };
  static constexpr int first_sum = squares;
  static constexpr int count     = first_bin + LengthBins::count;

  KOKKOS_INLINE_FUNCTION static constexpr int width(int c, int i) {
    return first_width + c * LengthStatistics::segment_choices + i;
  }
};

/// Slices of 32 rows, dealt to the warps in turn: 4 or 8 bytes a row are read once, and nothing depends on what
/// was read before. A thread keeps the bin of its last row and adds to the team's bins only when it changes: most
/// matrices have a few lengths. On a host one thread takes the 32 rows, on a GPU 32 lanes do.
template <class Offset>
struct CountLengths {
  using S = LengthStatistics;
  using C = LengthCounters;

  std::int64_t rows;
  std::int64_t slices;
  const Offset* row_map;
  Counter* counters;

  /// What a thread has seen.
  struct Seen {
    Counter longest = 0, complement = 0;
    Counter sums[C::first_bin] = {};  ///< from `C::first_sum` on
    int bin                    = 0;
    unsigned of_bin            = 0;

    KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t length, unsigned* bins) {
      const auto size = static_cast<Counter>(length);
      const int next  = LengthBins::bin(length);
      if (next != bin) flush(bins);
      bin = next;
      ++of_bin;
      if (INT64_MAX - size > complement) complement = INT64_MAX - size;
      sums[C::squares] += size * size;
    }
    KOKKOS_FORCEINLINE_FUNCTION void flush(unsigned* bins) {
      if (of_bin > 0) Kokkos::atomic_add(&bins[bin], of_bin);
      of_bin = 0;
    }
    /// The longest of 2^level rows. All widths grow with the length: that of a slice is that of its longest row.
    KOKKOS_FORCEINLINE_FUNCTION void add_group(int level, Counter most) {
      sums[C::first_span + level] += most << level;
      if (level == 0) return;
      const int i = S::segment_choices - level;
      for (int c = 0; c < S::chunk_choices; ++c) {
        const auto chunk = static_cast<unsigned>(S::chunk(c));
        sums[C::width(c, i)] += (((most + chunk - 1) / chunk + (1u << i) - 1) >> i) * chunk;
      }
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int width = Team::lane_width < S::slice_rows ? 1 : S::slice_rows;
    unsigned* bins      = team.template scratch<unsigned>(LengthBins::count);
    Counter* totals     = team.template scratch<Counter>(C::first_bin);
    for (int b = team.thread(); b < LengthBins::count; b += team.threads()) bins[b] = 0;
    for (int c = team.thread(); c < C::first_bin; c += team.threads()) totals[c] = 0;
    team.barrier();
    const std::int64_t at_once = team.threads() / width;
    Seen seen;
    for (std::int64_t s = team.league_rank() * at_once + team.thread() / width; s < slices;
         s += team.league_size() * at_once)
      add_slice<Team, width>(s, team.thread() % width, seen, bins);
    seen.flush(bins);
    add_up(team, seen, totals);
    team.barrier();
    for (int b = team.thread(); b < LengthBins::count; b += team.threads())
      if (bins[b] > 0) Kokkos::atomic_add(&counters[C::first_bin + b], static_cast<Counter>(bins[b]));
    for (int c = team.thread(); c < C::first_bin; c += team.threads()) {
      if (c < C::first_sum)
        Kokkos::atomic_max(&counters[c], totals[c]);
      else if (totals[c] > 0)
        Kokkos::atomic_add(&counters[c], totals[c]);
    }
  }

 private:
  template <class Team, int width>
  KOKKOS_FORCEINLINE_FUNCTION void add_slice(std::int64_t slice, int lane, Seen& seen, unsigned* bins) const {
    constexpr int own = S::slice_rows / width;
    Counter most[own];  // of 2^level rows each, those of this lane
    for (int i = 0; i < own; ++i) {
      const std::int64_t row = slice * S::slice_rows + lane * own + i;
      most[i]                = 0;
      if (row >= rows) continue;
      const auto length = static_cast<std::int64_t>(row_map[row + 1]) - static_cast<std::int64_t>(row_map[row]);
      seen.add(length, bins);
      most[i] = static_cast<Counter>(length);
    }
    int left = own, lanes = 1;  // of a group: its positions in `most`, or the lanes that share it
    LACUNA_UNROLL
    for (int level = 0; level < S::group_choices; ++level) {
      if (lane % lanes == 0)
        for (int i = 0; i < left; ++i) seen.add_group(level, most[i]);
      if (left > 1) {
        left /= 2;
        for (int i = 0; i < left; ++i) most[i] = most[2 * i] > most[2 * i + 1] ? most[2 * i] : most[2 * i + 1];
      } else if (lanes < width) {
        const Counter other = Team::lanes::shuffle_down(most[0], lanes, width);
        most[0]             = other > most[0] ? other : most[0];
        lanes *= 2;
      }
    }
    if (lane == 0 && most[0] > seen.longest) seen.longest = most[0];
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void add_up(const Team& team, const Seen& seen, Counter* totals) {
    if (seen.longest > 0) Kokkos::atomic_max(&totals[C::longest], seen.longest);
    if (seen.complement > relaxed_load(&totals[C::complement_of_shortest]))
      Kokkos::atomic_max(&totals[C::complement_of_shortest], seen.complement);
    LACUNA_UNROLL
    for (int c = C::first_sum; c < C::first_bin; ++c) {
      const Counter sum = Team::sum_lanes(seen.sums[c], Team::lane_width);
      if (team.lane() == 0 && sum > 0) Kokkos::atomic_add(&totals[c], sum);
    }
  }
};

/// The length that `share` of the rows do not exceed.
inline std::int64_t length_quantile(const std::vector<Counter>& counters, std::int64_t rows, std::int64_t longest,
                                    double share) {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(rows)));
  std::int64_t seen = 0;
  for (int b = 0; b < LengthBins::count; ++b) {
    seen += static_cast<std::int64_t>(counters[static_cast<std::size_t>(LengthCounters::first_bin + b)]);
    if (seen >= wanted) return std::min(LengthBins::last_of(b), longest);
  }
  return longest;
}

/// Counts the rows of A, which has some, into `counters` (`LengthCounters::count`, all zero). Does not fence.
template <class ExecutionSpace, class Arrays>
void count_lengths(const ExecutionSpace& exec, const Arrays& A, Counter* counters) {
  const auto rows           = static_cast<std::int64_t>(A.rows);
  const std::int64_t slices = ceiling_quotient(rows, LengthStatistics::slice_rows);
  // Enough teams to fill a device, few enough that emptying their bins costs nothing.
  const std::int64_t most = ExecutionTraits<ExecutionSpace>::is_gpu ? 8 * processors(exec) : 64;
  launch_teams<256>(exec, "Lacuna::length_statistics::count",
                    {std::min(most, ceiling_quotient(slices, 32)), team_threads<ExecutionSpace>(256)},
                    LengthBins::count * sizeof(unsigned) + LengthCounters::first_bin * sizeof(Counter) + 32,
                    CountLengths<typename Arrays::Offset>{rows, slices, A.row_map, counters});
}

/// What `count_lengths` left in `counters`, which are on the host now.
template <class Arrays>
LengthStatistics lengths_from_counters(const Arrays& A, const std::vector<Counter>& counters) {
  using S = LengthStatistics;
  using C = LengthCounters;
  S statistics;
  statistics.rows     = static_cast<std::int64_t>(A.rows);
  statistics.nonzeros = static_cast<std::int64_t>(A.nonzeros);
  const auto number   = [&](int c) { return static_cast<std::int64_t>(counters[static_cast<std::size_t>(c)]); };
  statistics.longest  = number(C::longest);
  statistics.shortest = INT64_MAX - number(C::complement_of_shortest);
  statistics.empty    = number(C::first_bin);
  statistics.squares  = number(C::squares);
  for (int c = 0; c < S::chunk_choices; ++c)
    for (int i = 0; i < S::segment_choices; ++i) statistics.slice_widths[c][i] = number(C::width(c, i));
  for (int i = 0; i < S::group_choices; ++i) statistics.group_span[i] = number(C::first_span + i);
  for (int b = 0; b < LengthBins::count; ++b)
    statistics.octaves[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(LengthBins::last_of(b))))] +=
        number(C::first_bin + b);
  statistics.median      = length_quantile(counters, statistics.rows, statistics.longest, 0.50);
  statistics.quantile_90 = length_quantile(counters, statistics.rows, statistics.longest, 0.90);
  statistics.quantile_99 = length_quantile(counters, statistics.rows, statistics.longest, 0.99);
  return statistics;
}

/// One pass over the row map. Waits for `exec` once. \throws OutOfMemory.
template <class ExecutionSpace, class Arrays>
LengthStatistics length_statistics(const ExecutionSpace& exec, const Arrays& A) {
  if (A.rows == 0) return {};
  const auto counters = allocate<Kokkos::View<Counter*, typename ExecutionSpace::memory_space>>(
      "length_statistics", exec, "Lacuna::length_statistics::counters", LengthCounters::count);
  Kokkos::deep_copy(exec, counters, Counter{0});
  count_lengths(exec, A, counters.data());
  return lengths_from_counters(
      A, read_back(exec, "Lacuna::length_statistics: the statistics are read on the host", counters));
}

/// A functor, as all bodies in headers: CUDA 13.0 gives a KOKKOS_LAMBDA in a function template that two translation
/// units of a program use a null pointer in one of them.
template <class Offset>
struct FindLongestRow {
  const Offset* row_map;
  KOKKOS_FUNCTION void operator()(const std::int64_t row, std::int64_t& longest) const {
    const auto length = static_cast<std::int64_t>(row_map[row + 1]) - static_cast<std::int64_t>(row_map[row]);
    if (length > longest) longest = length;
  }
};

/// The longest row, where nothing else is wanted: no memory, one reduction, one wait.
template <class ExecutionSpace, class Ordinal, class Offset>
std::int64_t longest_row(const ExecutionSpace& exec, const std::string& label, Ordinal rows, const Offset* row_map) {
  std::int64_t longest = 0;
  if (rows <= 0) return 0;
  Kokkos::parallel_reduce(label, index_range(exec, static_cast<std::int64_t>(rows)), FindLongestRow<Offset>{row_map},
                          Kokkos::Max<std::int64_t>(longest));
  return longest;
}

}  // namespace lacuna::Impl

#endif
