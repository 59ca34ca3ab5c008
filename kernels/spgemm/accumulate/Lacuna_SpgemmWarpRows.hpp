// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMWARPROWS_HPP
#define LACUNA_SPGEMMWARPROWS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmBitmapCache.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmRowSums.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmInodesOfB.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmWords.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief Rows of C by a warp each, in scratch. A row's pattern is a bitmap of two levels: a bit for every word
/// of 32 columns of the row's window, and the words that are not empty, one behind the other. Rows of FEM matrices have
/// 10 to 30 of those in windows of up to 1,500, so that scratch is left to the sums, and warps are many. The bits
/// in front of a column are its place in the sorted row: values are added where they belong, without hashing and
/// without sorting.
///
/// Of a run of rows of B (Lacuna_SpgemmInodesOfB.hpp) columns are looked up once, and the products of all its rows are
/// added to a sum in registers. On bcsstk32 a run has 2.7 rows, on pkustk06 six.

namespace lacuna::Impl {

/// Not `Numeric`: counts nonzeros and words that are not empty, and reads no values. `InodeRows`: adds as many equal
/// rows of A at once, see Lacuna_SpgemmInodes.hpp; counting always does. Not under a mask, whose rows differ.
template <bool Numeric, class Operands, int InodeRows = 1>
struct SpgemmWarpRows {
  static_assert(InodeRows == 1 || (Numeric && !Operands::is_masked));
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  /// Under a mask `bits` are those of products and `rank` those of the mask, until both are one.
  static constexpr bool is_masked = Operands::is_masked;
  using Word                      = std::conditional_t<Numeric || is_masked, SpgemmWord, std::uint32_t>;
  using Pattern                   = SpgemmPattern<Word, Ordinal, is_masked>;
  using Sums                      = SpgemmRowSums<Scalar, Ordinal, Offset>;
  /// Whether runs are looked for, and how many rows of one a lane loads at once.
  static constexpr bool fuses_inodes = !Numeric || InodeRows > 1;
  static constexpr int deep          = fuses_inodes && Numeric ? 3 : 1;
  /// Whether rows of B that are added at once have sums of their own each. Else lanes add to one sum, which takes
  /// atomics where they are fewer a row than the warp. H100, 27 November 2026, by a driver, memory kept: where
  /// these rows were sorted before, R (A P) of the 7-point mesh of 100^3 points and linear interpolation 588 to 389 us,
  /// of the 27-point mesh of 60^3 points 188 to 152, bcsstk18 66 to 55, copter2 202 to 190.
  static constexpr bool has_subwarps = Numeric && InodeRows == 1;
  /// Whether short runs have a loop of their own. H200, 25 November 2026, the 27-point mesh of 60^3 points: counting
  /// 349 to 332 us, adding 1034 to 975; where equal rows are added together it gains nothing.
  static constexpr bool short_inodes = InodeRows == 1;

  /// What a row of B is multiplied by: a nonzero of each of the equal rows of A.
  struct Factor {
    Scalar of[InodeRows];
  };
  /// Elements of rows of a run, in one column.
  struct Item {
    Ordinal column;
    Scalar values[deep];
  };
  /// What rows of B have of 32 columns.
  struct Mark {
    Ordinal word;
    std::uint32_t bits;
  };

  Operands operands;
  SpgemmPackedRows<Ordinal, Offset> packed;
  const unsigned char* repeats_of_b;  ///< 1 for a row of B with the columns of the row before, or nullptr
  const ColumnRange<Ordinal>* ranges;
  const Counter* products;  ///< of each row of C
  const Ordinal* rows;
  std::int64_t count;
  const unsigned char* inode_sizes;  ///< from each row of `rows` on
  Ordinal* nonempty_words;           ///< words of each row that are not empty: what counting leaves
  int scratch;                       ///< bytes a row
  int lanes_b;                       ///< lanes a row of B; subwarps have their own
  int lanes_packed;                  ///< lanes a row of words of B
  int flat_words;                    ///< windows of so many words have one level
  bool has_duplicates;               ///< rows of B may have a column twice
  bool ignores_inodes;               ///< equal rows are not added together
  SpgemmTarget<Scalar, Ordinal, Offset> target;
  SpgemmBitmapCache bitmap_cache = {};  ///< not under a mask

  /// Scratch of a warp beside that of its row.
  static constexpr std::size_t factor_bytes(int lane_width) {
    return Numeric ? static_cast<std::size_t>(lane_width) * sizeof(Factor) : 0;
  }
  /// Whether a bitmap has one level: where the second would save little.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_flat(std::int64_t words, std::int64_t at_most, int flat_words) {
    return words <= flat_words || words <= 2 * at_most;
  }
  /// Rows of B that `lanes` lanes add at once, each subwarp of lanes to sums of its own, where rows of A are added one
  /// by one: as many as their mean length and the row of A leave lanes for, while the sums take no more than
  /// `most_of_subwarps` bytes. A power of two.
  KOKKOS_FORCEINLINE_FUNCTION static int subwarps_of(std::int64_t products, std::int64_t factors, std::int64_t nonzeros,
                                                     int lanes) {
    int subwarps = 1;
    while (2 * subwarps <= lanes && subwarps < factors && 2 * subwarps * products <= lanes * factors &&
           2 * subwarps * nonzeros * static_cast<std::int64_t>(sizeof(Scalar)) <= most_of_subwarps)
      subwarps *= 2;
    return subwarps;
  }
  static constexpr std::int64_t most_of_subwarps = 4096;  // not tuned: a fourth of a warp's most

  /// Bytes that a row with a window of `words` words, `at_most` of them not empty, and `nonzeros` nonzeros takes, or
  /// several equal ones. `sums`: for each nonzero, of the rows or of the subwarps.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t bytes(std::int64_t words, std::int64_t at_most, std::int64_t nonzeros,
                                                        int sums, int flat_words) {
    constexpr std::int64_t top = sizeof(SpgemmWord), word = sizeof(Word);
    const std::int64_t bitmap =
        is_flat(words, at_most, flat_words) ? words * word : (words + 31) / 32 * top + at_most * word;
    if constexpr (!Numeric) return bitmap;
    return (bitmap + 15) / 16 * 16 + Sums::column_bytes(words, nonzeros) +
           sums * nonzeros * static_cast<std::int64_t>(sizeof(Scalar));
  }
  /// How many of the `words` words of a row's window are not empty at most. `nonzeros`: of the row, where counted.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t most_nonempty_words(const Operands& operands, std::int64_t row,
                                                                      const Ordinal* nonempty_words, std::int64_t words,
                                                                      std::int64_t nonzeros) {
    std::int64_t at_most = nonempty_words == nullptr ? words : static_cast<std::int64_t>(nonempty_words[row]);
    if constexpr (is_masked) {
      // Those of the mask, be they empty or not.
      nonzeros = words;
      if (!operands.mask.complemented) at_most = operands.mask.end(row) - operands.mask.begin(row);
    }
    at_most = at_most < nonzeros ? at_most : nonzeros;
    return at_most < words ? at_most : words;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Factor* factors = nullptr;
    if constexpr (Numeric) factors = team.template warp_scratch<Factor>(Team::lane_width);
    char* const block        = team.template warp_scratch<char>(static_cast<std::size_t>(scratch));
    const std::int64_t index = static_cast<std::int64_t>(team.league_rank()) * team.warps() + team.warp();
    if (index < count) work_on(team, rows[index], block, factors);
  }

 private:
  using InodesOfB = SpgemmInodesOfB<Arrays, fuses_inodes>;
  using Inode     = typename InodesOfB::Inode;
  template <class Loaded>
  using Step = typename InodesOfB::template Step<Loaded>;

  KOKKOS_FORCEINLINE_FUNCTION InodesOfB inodes() const { return {operands.A, repeats_of_b}; }
  KOKKOS_FORCEINLINE_FUNCTION SpgemmRowSpans<Ordinal, Offset> columns_of_b() const { return {operands.B.row_map}; }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void work_on(const Team& team, Ordinal row, char* block, Factor* factors) const {
    constexpr int wide               = Team::lane_width;
    const int lane                   = team.lane();
    const ColumnRange<Ordinal> range = ranges[row];
    const std::int64_t nonzeros =
        Numeric ? static_cast<std::int64_t>(target.begin[row + 1] - target.begin[row]) : range.width();
    const std::int64_t at_most = most_nonempty_words(operands, row, nonempty_words, range.words(), nonzeros);
    Pattern pattern{};
    pattern.first              = range.first / 32;
    pattern.window             = static_cast<int>(range.words());
    const std::uint32_t cached = Numeric && !is_masked ? bitmap_cache.offset(row) : SpgemmBitmapCache::not_cached;
    const bool is_cached       = cached != SpgemmBitmapCache::not_cached;
    const int tops             = (pattern.window + 31) / 32;
    const int inode_rows       = !is_masked && fuses_inodes && !ignores_inodes ? inode_sizes[row] : 1;
    int subwarps               = 1;
    if constexpr (has_subwarps)
      subwarps =
          subwarps_of(static_cast<std::int64_t>(products[row]),
                      static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]), nonzeros, wide);
    const int width = has_subwarps ? wide / subwarps : lanes_b;
    if (is_flat(range.words(), at_most, flat_words)) {
      pattern.words        = reinterpret_cast<Word*>(block);
      pattern.stored_words = pattern.window;
    } else {
      pattern.tops = reinterpret_cast<SpgemmWord*>(block);
      for (int t = lane; t < tops; t += wide) pattern.tops[t] = SpgemmWord{};
      pattern.words = reinterpret_cast<Word*>(pattern.tops + tops);
      team.warp_barrier();
      if (!is_cached) {
        mark_words(team, row, width, pattern);
        team.warp_barrier();
        pattern.stored_words = static_cast<int>(rank_words_in_scratch<Team>(lane, pattern.tops, tops));
      }
    }
    if (!is_cached)
      for (int w = lane; w < pattern.stored_words; w += wide) pattern.words[w] = Word{};
    Sums sums;
    if constexpr (Numeric) {
      const Offset length        = target.begin[row + 1] - target.begin[row];
      char* const behind         = block + static_cast<std::size_t>(bytes(pattern.window, at_most, 0, 0, flat_words));
      const std::int64_t columns = Sums::column_bytes(pattern.window, static_cast<std::int64_t>(length));
      sums                       = {behind,
                                    reinterpret_cast<Scalar*>(behind + columns),
                                    length,
                                    inode_rows,
                                    subwarps,
                                    pattern.window <= Sums::narrow_window,
                                    32 * pattern.first};
      for (auto i = static_cast<Offset>(lane); i < sums.all_values(); i += static_cast<Offset>(wide))
        sums.values[i] = operands.zero();
    }
    team.warp_barrier();
    if (!is_cached)
      mark_columns(team, row, width, pattern);
    else if constexpr (Numeric)
      bitmap_cache.load(team, cached, static_cast<int>(nonempty_words[row]), pattern);
    team.warp_barrier();
    if constexpr (is_masked) {
      for (int w = lane; w < pattern.stored_words; w += wide) {
        Word& word = pattern.words[w];
        word.bits &= operands.mask.complemented ? ~word.rank : word.rank;
      }
      team.warp_barrier();
    }
    if constexpr (!Numeric) {
      const auto counted = SpgemmBitmapCount::of<Team>(lane, pattern.words, pattern.stored_words);
      for (int r = lane; r < inode_rows; r += wide) {
        target.counts[row + r] = static_cast<Ordinal>(counted.bits);
        if constexpr (!is_masked)
          nonempty_words[row + r] = static_cast<Ordinal>(counted.all);  // a mask empties words, too late
      }
      if constexpr (!is_masked) bitmap_cache.store(team, row, inode_rows, pattern, counted);
    } else {
      if (!is_cached)
        rank_words_in_scratch<Team>(lane, pattern.words, pattern.stored_words);
      else if (pattern.tops != nullptr)
        rank_words_in_scratch<Team>(lane, pattern.tops, tops);
      team.warp_barrier();
      add(team, row, width, pattern, sums, factors);
      team.warp_barrier();
      sums.template write<has_subwarps>(lane, wide, operands, target, target.begin[row]);
    }
  }

  /// use(word, bits) for all that the rows of B have, runs once.
  template <class Team, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_mark(const Team& team, Ordinal row, int width, const Use& use) const {
    using lanes         = typename Team::lanes;
    const bool in_words = packed.words != nullptr;
    inodes().template walk<false, short_inodes, Mark>(
        team, row, in_words ? packed.spans : columns_of_b(), in_words ? lanes_packed : width, [](Offset, Offset) {},
        [&](const Inode&, Offset at) {
          if (in_words) {
            const SpgemmPackedWord word = lanes::load_cached(packed.words + at);
            return Mark{static_cast<Ordinal>(word.word), word.mask};
          }
          // Only the column is loaded: what is made of it must wait until it is used.
          return Mark{lanes::load_cached(operands.B.entries + at), 0};
        },
        [&](const Step<Mark>& step) {
          if (in_words)
            use(step.item.word, step.item.bits);
          else
            use(step.item.word / 32, bit_of(step.item.word));
        });
  }

  /// Sets the bit of every word that will not be empty: of products, but under a mask that is not complemented, whose
  /// own words they are.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark_words(const Team& team, Ordinal row, int width, const Pattern& pattern) const {
    const auto mark = [&](Ordinal word, std::uint32_t) {
      if (!pattern.has(word)) return;
      pattern.set_top(static_cast<int>(word - pattern.first));
    };
    if constexpr (is_masked) {
      if (!operands.mask.complemented) {
        for_each_of_mask(team, row, mark);
        return;
      }
    }
    for_each_mark(team, row, width, mark);
  }

  /// Sets the bits of every column in the words that are not empty.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark_columns(const Team& team, Ordinal row, int width,
                                                const Pattern& pattern) const {
    if constexpr (is_masked)
      for_each_of_mask(team, row, [&](Ordinal word, std::uint32_t bits) {
        if (const int index = pattern.index_of_word(word); index >= 0) set_bits(&pattern.words[index].rank, bits);
      });
    for_each_mark(team, row, width, [&](Ordinal word, std::uint32_t bits) {
      const int index = pattern.index_of_word(word);
      if (is_masked && index < 0) return;
      if constexpr (Numeric || is_masked)
        set_bits(&pattern.words[index].bits, bits);
      else
        set_bits(&pattern.words[index], bits);
    });
  }

  template <class Team, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_of_mask(const Team& team, Ordinal row, const Use& use) const {
    const std::int64_t end = operands.mask.end(row);
    for (std::int64_t m = operands.mask.begin(row) + team.lane(); m < end; m += Team::lane_width)
      use(operands.mask.entries[m] / 32, bit_of(operands.mask.entries[m]));
  }

  /// Adds every product where its column has its place.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, Ordinal row, int width, const Pattern& pattern,
                                       const Sums& sums, Factor* factors) const {
    using lanes          = typename Team::lanes;
    const Arrays& A      = operands.A;
    const Offset a_width = A.row_map[row + 1] - A.row_map[row];
    const int inode_rows = sums.rows;
    const bool is_shared = has_duplicates || (!has_subwarps && width < Team::lane_width);
    Scalar* const own =
        sums.values + (has_subwarps ? static_cast<Offset>(team.lane() / width) * sums.length : Offset(0));
    inodes().template walk<true, short_inodes, Item>(
        team, row, columns_of_b(), width,
        [&](Offset base, Offset end) {
          team.warp_barrier();  // the factors before are read
          if (const Offset k = base + static_cast<Offset>(team.lane()); k < end) {
            LACUNA_UNROLL
            for (int r = 0; r < InodeRows; ++r)
              if (r == 0 || r < inode_rows)
                factors[team.lane()].of[r] = operands.factor(A.values[k + static_cast<Offset>(r) * a_width]);
          }
          team.warp_barrier();
        },
        [&](const Inode& inode, Offset at) {
          Item item;
          item.column = lanes::load_cached(operands.B.entries + at);
          load_values<Team>(inode, at, 0, item.values);
          return item;
        },
        [&](const Step<Item>& step) {
          const int index = pattern.index_of_column(step.item.column);
          if (is_masked && index < 0) return;
          Scalar total[InodeRows];
          total_of<Team>(step, factors + step.inode.first, total);
          sums.set_column(index, step.item.column);
          add_to(own + index, sums.length, inode_rows, is_shared, total);
        });
  }

  /// Elements at `at` of rows `row` … of a run; what does not exist is another one.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void load_values(const Inode& inode, Offset at, int row, Scalar (&values)[deep]) const {
    const Scalar* const from = operands.B.values + at;
    LACUNA_UNROLL
    for (int i = 0; i < deep; ++i)
      values[i] = Team::lanes::load_cached(
          from + (row + i < inode.rows ? static_cast<Offset>(row + i) * inode.length : Offset(0)));
  }

  /// Products of a column of a run, added up.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void total_of(const Step<Item>& step, const Factor* factors,
                                            Scalar (&total)[InodeRows]) const {
    multiply(total, factors, step.inode.rows, step.item.values, true);
    if constexpr (fuses_inodes) {
      for (int row = deep; row < step.inode.rows; row += deep) {
        Scalar values[deep];
        load_values<Team>(step.inode, step.inode.from + step.p, row, values);
        multiply(total, factors + row, step.inode.rows - row, values, false);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to(Scalar* sum, Offset length, int inode_rows, bool is_shared,
                                          Scalar (&total)[InodeRows]) const {
    if (is_shared) {
      LACUNA_UNROLL
      for (int r = 0; r < InodeRows; ++r)
        if (r == 0 || r < inode_rows) operands.add_shared(sum + static_cast<Offset>(r) * length, total[r]);
      return;
    }
    // All sums are read before the first is written: they might be the same, for all that a compiler knows.
    LACUNA_UNROLL
    for (int r = 0; r < InodeRows; ++r)
      if (r == 0 || r < inode_rows) operands.add(total[r], sum[static_cast<Offset>(r) * length]);
    LACUNA_UNROLL
    for (int r = 0; r < InodeRows; ++r)
      if (r == 0 || r < inode_rows) sum[static_cast<Offset>(r) * length] = total[r];
  }

  /// total (+)= factors times up to `deep` elements.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Scalar (&total)[InodeRows], const Factor* factors, int rows,
                                            const Scalar (&values)[deep], bool is_first) const {
    LACUNA_UNROLL
    for (int i = 0; i < deep; ++i) {
      if (i > 0 && i >= rows) continue;
      const Factor factor = factors[i];
      LACUNA_UNROLL
      for (int r = 0; r < InodeRows; ++r) {
        const Scalar product = operands.product(factor.of[r], values[i]);
        if (i == 0 && is_first)
          total[r] = product;
        else
          operands.add(total[r], product);
      }
    }
  }
};

}  // namespace lacuna::Impl

#endif
