// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMWARPSCRATCH_HPP
#define LACUNA_SPGEMMWARPSCRATCH_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmRowSums.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmWords.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief The scratch of a warp that computes a row of C, or an inode: how many bytes it takes, and what lies where.

namespace lacuna::Impl {

/// Upper bound of the nonempty words among the `words` words of a row's window. `nonempty_words`: the bounds of all
/// rows, or nullptr. `nonzeros`: of the row, where they are counted.
template <class Operands>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t most_nonempty_words([[maybe_unused]] const Operands& operands,
                                                             std::int64_t row,
                                                             const typename Operands::Arrays::Ordinal* nonempty_words,
                                                             std::int64_t words, std::int64_t nonzeros) {
  std::int64_t at_most = nonempty_words == nullptr ? words : static_cast<std::int64_t>(nonempty_words[row]);
  if constexpr (Operands::is_masked) {
    // All words of the mask are stored, even those that stay empty.
    nonzeros = words;
    if (!operands.mask.complemented) at_most = operands.mask.end(row) - operands.mask.begin(row);
  }
  at_most = at_most < nonzeros ? at_most : nonzeros;
  return at_most < words ? at_most : words;
}

/// \brief The layout, from the front:
///
///     tops      SpgemmWord for 32 words of the window, where the bitmap has two levels
///     words     Word for each word of the window, or (two levels) for each that is not empty
///     columns   2 or 4 bytes for each nonzero, from a multiple of 16 on       (`Numeric`)
///     sums      Scalar for each nonzero of each row of the inode, or of each  (`Numeric`)
///               subwarp, from a multiple of 16 on
template <bool Numeric, class Operands>
struct SpgemmWarpScratch {
  using Scalar  = typename Operands::Arrays::Scalar;
  using Ordinal = typename Operands::Arrays::Ordinal;
  using Offset  = typename Operands::Arrays::Offset;
  using Word    = std::conditional_t<Numeric || Operands::is_masked, SpgemmWord, std::uint32_t>;
  using Pattern = SpgemmPattern<Word, Ordinal, Operands::is_masked>;
  using Sums    = SpgemmRowSums<Scalar, Ordinal, Offset>;

  /// bytes of sums; not tuned: a quarter of the most that a warp has
  static constexpr std::int64_t most_of_subwarps = 4096;

  /// Whether a bitmap has one level, because a second level would save little.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_flat(std::int64_t words, std::int64_t at_most, int flat_words) {
    return words <= flat_words || words <= 2 * at_most;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t bitmap_bytes(std::int64_t words, std::int64_t at_most,
                                                               int flat_words) {
    constexpr std::int64_t top = sizeof(SpgemmWord), word = sizeof(Word);
    return is_flat(words, at_most, flat_words) ? words * word : (words + 31) / 32 * top + at_most * word;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t columns_at(std::int64_t words, std::int64_t at_most, int flat_words) {
    return (bitmap_bytes(words, at_most, flat_words) + 15) / 16 * 16;
  }
  /// Bytes of a row of `nonzeros` nonzeros whose window has `words` words, `at_most` of them not empty. `sums`: how
  /// many sums each nonzero has, one for each row of the inode or for each subwarp.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t bytes(std::int64_t words, std::int64_t at_most, std::int64_t nonzeros,
                                                        int sums, int flat_words) {
    if constexpr (!Numeric)
      return bitmap_bytes(words, at_most, flat_words);
    else
      return columns_at(words, at_most, flat_words) + Sums::column_bytes(words, nonzeros) +
             sums * nonzeros * static_cast<std::int64_t>(sizeof(Scalar));
  }
  /// How many subwarps add a row: each takes a row of B and has sums of its own. A power of two, as large as the mean
  /// length of the rows of B and the row of A leave lanes for, while the sums take at most `most_of_subwarps` bytes.
  KOKKOS_FORCEINLINE_FUNCTION static int subwarps_of(std::int64_t products, std::int64_t factors, std::int64_t nonzeros,
                                                     int lanes) {
    int subwarps = 1;
    while (2 * subwarps <= lanes && subwarps < factors && 2 * subwarps * products <= lanes * factors &&
           2 * subwarps * nonzeros * static_cast<std::int64_t>(sizeof(Scalar)) <= most_of_subwarps)
      subwarps *= 2;
    return subwarps;
  }

  /// Places a bitmap of one level, of which all words are stored.
  KOKKOS_FORCEINLINE_FUNCTION static void place_flat(char* scratch, Pattern& pattern) {
    pattern.words        = reinterpret_cast<Word*>(scratch);
    pattern.stored_words = pattern.window;
  }
  /// Places a bitmap of two levels. `stored_words` is not known yet.
  KOKKOS_FORCEINLINE_FUNCTION static void place_two_levels(char* scratch, int tops, Pattern& pattern) {
    pattern.tops  = reinterpret_cast<SpgemmWord*>(scratch);
    pattern.words = reinterpret_cast<Word*>(pattern.tops + tops);
  }
  /// Places columns and sums of rows of `length` nonzeros behind the bitmap.
  KOKKOS_FORCEINLINE_FUNCTION static Sums place_sums(char* scratch, const Pattern& pattern, std::int64_t at_most,
                                                     int flat_words, Offset length, int inode_rows, int subwarps) {
    char* const columns = scratch + static_cast<std::size_t>(columns_at(pattern.window, at_most, flat_words));
    const std::int64_t column_bytes = Sums::column_bytes(pattern.window, static_cast<std::int64_t>(length));
    return {.columns   = columns,
            .values    = reinterpret_cast<Scalar*>(columns + column_bytes),
            .length    = length,
            .rows      = inode_rows,
            .subwarps  = subwarps,
            .is_narrow = pattern.window <= Sums::narrow_window,
            .first     = static_cast<Ordinal>(32 * pattern.first)};
  }
};

}  // namespace lacuna::Impl

#endif
