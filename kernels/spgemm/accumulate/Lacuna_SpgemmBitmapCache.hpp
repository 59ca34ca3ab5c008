// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMBITMAPCACHE_HPP
#define LACUNA_SPGEMMBITMAPCACHE_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmWords.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief Cached row bitmaps: what counts a row of C stores its bitmap, and what adds the row loads it, so that the
/// columns of B are not marked twice.

namespace lacuna::Impl {

/// What a lane knows about the bitmap of a row, of which it counted consecutive words.
struct SpgemmBitmapCount {
  int bits;              ///< set in all words
  int all;               ///< nonempty words of the row
  int begin, end;        ///< the words that the lane counted
  int before;            ///< nonempty words in front of them
  std::uint32_t filled;  ///< bit i: word `begin` + i is not empty; of the first 32

  /// Counts `count` words in scratch. A lane takes an odd number of words, so that lanes read from different banks.
  template <class Team, class Word>
  KOKKOS_FORCEINLINE_FUNCTION static SpgemmBitmapCount of(int lane, const Word* words, int count) {
    using lanes        = typename Team::lanes;
    constexpr int wide = Team::lane_width;
    const int share    = ((count + wide - 1) / wide) | 1;
    SpgemmBitmapCount own{};
    own.begin     = lane * share < count ? lane * share : count;
    own.end       = own.begin + share < count ? own.begin + share : count;
    int not_empty = 0;
    for (int w = own.begin; w < own.end; ++w) {
      const std::uint32_t word = bits_of(words[w]);
      own.bits += count_bits(word);
      if (word == 0) continue;
      ++not_empty;
      if (w - own.begin < 32) own.filled |= std::uint32_t(1) << static_cast<unsigned>(w - own.begin);
    }
    const int up_to = Team::sum_lanes_up_to(not_empty, lane, Team::lane_width);
    own.bits        = lanes::shuffle(Team::sum_lanes(own.bits, wide), 0, wide);
    own.all         = lanes::shuffle(up_to, wide - 1, wide);
    own.before      = up_to - not_empty;
    return own;
  }
};

/// The nonempty words of rows of C, in order. Their numbers count from the first word of the row's window. Safe without
/// synchronisation: only the warp that counts a row writes its words and its offset, and only a later launch reads
/// them.
struct SpgemmBitmapCache {
  static constexpr std::uint32_t not_cached = spgemm_not_cached;

  SpgemmPackedWord* words     = nullptr;
  std::uint32_t* offsets      = nullptr;  ///< of each row's first word; or nullptr: nothing is cached
  Counter* used               = nullptr;  ///< words that are taken from each segment
  std::uint32_t segment_words = 0;        ///< size of a segment in words

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t offset(std::int64_t row) const {
    return offsets == nullptr ? not_cached : offsets[row];
  }

  /// Stores the bitmap of `inode_rows` equal rows from `row` on, if a segment has space.
  template <class Team, class Pattern>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Team& team, std::int64_t row, int inode_rows, const Pattern& pattern,
                                         const SpgemmBitmapCount& counted) const {
    constexpr int wide = Team::lane_width;
    const bool is_flat = pattern.tops == nullptr;
    if (offsets == nullptr || (is_flat && pattern.stored_words > 31 * wide)) return;
    const std::uint32_t to = reserve(team, counted.all);
    for (int r = team.lane(); r < inode_rows; r += wide) offsets[row + r] = to;
    if (to == not_cached) return;
    if (is_flat) {
      std::uint32_t at = to + static_cast<std::uint32_t>(counted.before);
      for (std::uint32_t left = counted.filled; left != 0; left &= left - 1) {
        const int w = counted.begin + lowest_bit(left);
        words[at++] = {static_cast<std::uint32_t>(w), bits_of(pattern.words[w])};
      }
      return;
    }
    for (int t = team.lane(); 32 * t < pattern.window; t += wide) {
      const SpgemmWord top = pattern.tops[t];
      std::uint32_t offset = top.rank;
      for (std::uint32_t left = top.bits; left != 0; left &= left - 1, ++offset)
        words[to + offset] = {static_cast<std::uint32_t>(32 * t + lowest_bit(left)), bits_of(pattern.words[offset])};
    }
  }

  /// Loads `count` words from offset `from` on to where `pattern` has them, with how many bits are set in front of
  /// each. In a bitmap of two levels the tops then have their bits, but not their ranks.
  template <class Team, class Pattern>
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team& team, std::uint32_t from, int count, const Pattern& pattern) const {
    using lanes          = typename Team::lanes;
    constexpr int wide   = Team::lane_width;
    const int lane       = team.lane();
    std::uint32_t before = 0;
    for (int base = 0; base < count; base += wide) {
      const int i = base + lane;
      SpgemmPackedWord word{0, 0};
      if (i < count) word = words[from + static_cast<std::uint32_t>(i)];
      const auto own = static_cast<std::uint32_t>(count_bits(word.mask));
      const auto sum = Team::sum_lanes_up_to(own, lane, Team::lane_width);
      if (i < count) {
        const auto w                                   = static_cast<int>(word.word);
        pattern.words[pattern.tops == nullptr ? w : i] = {word.mask, before + sum - own};
        if (pattern.tops != nullptr) pattern.set_top(w);
      }
      before += lanes::shuffle(sum, wide - 1, wide);
    }
  }

 private:
  /// The offset of `count` words that are free, or `not_cached`; the same in all lanes.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t reserve(const Team& team, int count) const {
    std::uint32_t to = not_cached;
    if (team.lane() == 0) {
      const auto mine   = static_cast<std::uint32_t>(team.league_rank() % bitmap_cache_segments);
      const auto before = Kokkos::atomic_fetch_add(used + mine, static_cast<Counter>(count));
      if (before + static_cast<Counter>(count) <= segment_words)
        to = mine * segment_words + static_cast<std::uint32_t>(before);
    }
    return Team::lanes::shuffle(to, 0, Team::lane_width);
  }
};

}  // namespace lacuna::Impl

#endif
