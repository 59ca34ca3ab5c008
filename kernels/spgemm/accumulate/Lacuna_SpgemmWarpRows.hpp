// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMWARPROWS_HPP
#define LACUNA_SPGEMMWARPROWS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmBitmapCache.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmInodeProducts.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmWarpScratch.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmInodesOfB.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Rows of C by a warp each, with bitmap and sums in scratch.
///
/// Invariant: the bits set in front of a column's bit are the column's position in the sorted row. So values are added
/// where they belong, without hashing and without sorting.
///
/// A row goes through these phases, with a barrier of the warp between them:
///
///     mark   in bitmaps of two levels a bit for every word of 32 columns that is not empty; then a bit for every
///            column in these words. Adding takes both from the bitmap cache where it has the row
///     mask   leaves what the mask allows
///     count  writes how many nonzeros the row has, and its bitmap to the cache    (not `Numeric`)
///     rank   finds how many bits stand in front of each word                      (`Numeric`)
///     add    adds every product to the sum of its column                          (`Numeric`)
///     write  writes columns and sums to C                                         (`Numeric`)
///
/// Two levels pay where windows are sparse, as those of FEM matrices are: scratch is left for sums, and more warps fit.
///
/// Bound, by construction and not measured: a product reads a column and a value of B, which come from L2, and a word
/// of scratch; it writes a column and updates a sum in scratch. Marking reads a word or a column of B for each product.
/// The columns of an inode of B (Lacuna_SpgemmInodesOfB.hpp) are read once, and its products are added in registers.
///
/// Launch: teams of `threads` threads, in which each warp has a row or an inode of its own; at least `least_teams`
/// teams on a multiprocessor, which bounds registers. Scratch of each warp: its factors, then `SpgemmWarpScratch`; see
/// `team_bytes`.

namespace lacuna::Impl {

/// \brief Counts the nonzeros and the nonempty words of rows, and reads no values; or (`Numeric`) adds.
///
/// `InodeRows`: equal rows of A that are added together, see Lacuna_SpgemmInodes.hpp. Counting takes all rows of an
/// inode as one. Under a mask rows are taken one by one, because their rows of the mask differ.
template <bool Numeric, class Operands, int InodeRows = 1>
struct SpgemmWarpRows {
  static_assert(InodeRows == 1 || (Numeric && !Operands::is_masked));
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Layout  = SpgemmWarpScratch<Numeric, Operands>;
  using Word    = typename Layout::Word;
  using Pattern = typename Layout::Pattern;
  using Sums    = typename Layout::Sums;

  static constexpr int threads     = 128;
  static constexpr int least_teams = InodeRows > 1 ? 5 : Numeric ? 9 : 10;

  static constexpr bool is_masked = Operands::is_masked;
  /// Whether equal consecutive rows of B are fused.
  static constexpr bool fuses_inodes = !Numeric || InodeRows > 1;
  /// Whether each subwarp, which adds one row of B, has sums of its own. Without, lanes add to one sum, atomically
  /// where a row of B has fewer lanes than the warp.
  static constexpr bool has_subwarps = Numeric && InodeRows == 1;
  /// Whether inodes of B that take one step have a loop of their own.
  static constexpr bool short_inodes = InodeRows == 1;

  using Products = SpgemmInodeProducts<Operands, InodeRows, fuses_inodes && Numeric>;
  using Factor   = typename Products::Factor;
  using Item     = typename Products::Item;

  /// Bits that rows of B set in a word.
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
  const unsigned char* inode_sizes;  ///< of the inode that begins with a row
  Ordinal* nonempty_words;           ///< of each row, at most; exact when it is counted
  int scratch;                       ///< bytes of a row
  int lanes_b;                       ///< of a row of B; subwarps have their own width
  int lanes_packed;                  ///< of a row of words of B
  int flat_words;                    ///< of a window whose bitmap has one level
  bool has_duplicates;               ///< rows of B may have a column twice
  bool ignores_inodes;               ///< rows of an inode of A are taken one by one
  SpgemmTarget<Scalar, Ordinal, Offset> target;
  SpgemmBitmapCache bitmap_cache = {};  ///< not under a mask

  /// Scratch of a warp in front of that of its row.
  static constexpr std::size_t factor_bytes(int lane_width) {
    return Numeric ? static_cast<std::size_t>(lane_width) * sizeof(Factor) : 0;
  }
  /// Scratch of a team of `warps` warps, `row_bytes` for the row of each.
  static constexpr std::size_t team_bytes(int warps, int lane_width, std::size_t row_bytes) {
    return (row_bytes + factor_bytes(lane_width)) * static_cast<std::size_t>(warps) + 64;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Factor* factors = nullptr;
    if constexpr (Numeric) factors = team.template warp_scratch<Factor>(Team::lane_width);
    char* const of_row       = team.template warp_scratch<char>(static_cast<std::size_t>(scratch));
    const std::int64_t index = static_cast<std::int64_t>(team.league_rank()) * team.warps() + team.warp();
    if (index < count) compute(team, rows[index], of_row, factors);
  }

 private:
  using InodesOfB = SpgemmInodesOfB<Arrays, fuses_inodes>;
  using Inode     = typename InodesOfB::Inode;
  template <class Loaded>
  using Step = typename InodesOfB::template Step<Loaded>;

  /// What is known of a row before it is computed.
  struct Task {
    Ordinal row;
    std::int64_t window;    ///< words
    std::int64_t nonzeros;  ///< at most, where they are counted
    std::int64_t at_most;   ///< nonempty words
    std::uint32_t cached;   ///< where its bitmap begins in the cache, or `not_cached`
    int inode_rows;
    int subwarps;
    int width;  ///< lanes a row of B

    KOKKOS_FORCEINLINE_FUNCTION bool is_cached() const { return cached != SpgemmBitmapCache::not_cached; }
  };

  KOKKOS_FORCEINLINE_FUNCTION InodesOfB inodes() const { return {operands.A, repeats_of_b}; }
  KOKKOS_FORCEINLINE_FUNCTION SpgemmRowSpans<Ordinal, Offset> columns_of_b() const { return {operands.B.row_map}; }
  KOKKOS_FORCEINLINE_FUNCTION static int tops_of(const Pattern& pattern) { return (pattern.window + 31) / 32; }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compute(const Team& team, Ordinal row, char* of_row, Factor* factors) const {
    const ColumnRange<Ordinal> range = ranges[row];
    const Task task                  = task_of<Team>(row, range);
    Pattern pattern{};
    pattern.first  = range.first / 32;
    pattern.window = static_cast<int>(range.words());
    mark_words(team, task, of_row, pattern);
    Sums sums;
    if constexpr (Numeric) sums = clear_sums(team, task, of_row, pattern);
    team.warp_barrier();
    mark_columns(team, task, pattern);
    team.warp_barrier();
    if constexpr (is_masked) mask(team, pattern);
    if constexpr (!Numeric) {
      write_count(team, task, pattern);
    } else {
      rank(team, task, pattern);
      team.warp_barrier();
      add(team, task, pattern, sums, factors);
      team.warp_barrier();
      sums.template write<has_subwarps>(team.lane(), Team::lane_width, operands, target, target.begin[row]);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Task task_of(Ordinal row, const ColumnRange<Ordinal>& range) const {
    Task task{};
    task.row        = row;
    task.window     = range.words();
    task.nonzeros   = Numeric ? static_cast<std::int64_t>(target.begin[row + 1] - target.begin[row]) : range.width();
    task.at_most    = most_nonempty_words(operands, row, nonempty_words, task.window, task.nonzeros);
    task.cached     = Numeric && !is_masked ? bitmap_cache.offset(row) : SpgemmBitmapCache::not_cached;
    task.inode_rows = !is_masked && fuses_inodes && !ignores_inodes ? inode_sizes[row] : 1;
    task.subwarps   = 1;
    if constexpr (has_subwarps)
      task.subwarps =
          Layout::subwarps_of(static_cast<std::int64_t>(products[row]),
                              static_cast<std::int64_t>(operands.A.row_map[row + 1] - operands.A.row_map[row]),
                              task.nonzeros, Team::lane_width);
    task.width = has_subwarps ? Team::lane_width / task.subwarps : lanes_b;
    return task;
  }

  /// Places the bitmap, finds which words are stored, and clears them.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark_words(const Team& team, const Task& task, char* of_row,
                                              Pattern& pattern) const {
    constexpr int wide = Team::lane_width;
    const int lane     = team.lane();
    const int tops     = tops_of(pattern);
    if (Layout::is_flat(task.window, task.at_most, flat_words)) {
      Layout::place_flat(of_row, pattern);
    } else {
      Layout::place_two_levels(of_row, tops, pattern);
      for (int t = lane; t < tops; t += wide) pattern.tops[t] = SpgemmWord{};
      team.warp_barrier();
      if (!task.is_cached()) {
        set_tops(team, task, pattern);
        team.warp_barrier();
        pattern.stored_words = static_cast<int>(rank_words_in_scratch<Team>(lane, pattern.tops, tops));
      }
    }
    if (!task.is_cached())
      for (int w = lane; w < pattern.stored_words; w += wide) pattern.words[w] = Word{};
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Sums clear_sums(const Team& team, const Task& task, char* of_row,
                                              const Pattern& pattern) const {
    const Offset length = target.begin[task.row + 1] - target.begin[task.row];
    const Sums sums =
        Layout::place_sums(of_row, pattern, task.at_most, flat_words, length, task.inode_rows, task.subwarps);
    for (auto i = static_cast<Offset>(team.lane()); i < sums.all_values(); i += static_cast<Offset>(Team::lane_width))
      sums.values[i] = operands.zero();
    return sums;
  }

  /// Leaves the columns that the mask allows. Words that become empty stay stored.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mask(const Team& team, const Pattern& pattern) const {
    for (int w = team.lane(); w < pattern.stored_words; w += Team::lane_width)
      SpgemmMarks{pattern.words[w]}.apply(operands.mask.complemented);
    team.warp_barrier();
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void write_count(const Team& team, const Task& task, const Pattern& pattern) const {
    const int lane     = team.lane();
    const auto counted = SpgemmBitmapCount::of<Team>(lane, pattern.words, pattern.stored_words);
    for (int r = lane; r < task.inode_rows; r += Team::lane_width) {
      target.counts[task.row + r] = static_cast<Ordinal>(counted.bits);
      // Under a mask the bound stays, because words that become empty stay stored.
      if constexpr (!is_masked) nonempty_words[task.row + r] = static_cast<Ordinal>(counted.all);
    }
    if constexpr (!is_masked) bitmap_cache.store(team, task.row, task.inode_rows, pattern, counted);
  }

  /// The cache leaves ranks in the words, but not in the tops.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void rank(const Team& team, const Task& task, const Pattern& pattern) const {
    if (!task.is_cached())
      rank_words_in_scratch<Team>(team.lane(), pattern.words, pattern.stored_words);
    else if (pattern.tops != nullptr)
      rank_words_in_scratch<Team>(team.lane(), pattern.tops, tops_of(pattern));
  }

  /// use(word, bits) for all columns of the rows of B, once for each inode.
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
          // Only the column is loaded here: a step that computes with it would wait for it.
          return Mark{lanes::load_cached(operands.B.entries + at), 0};
        },
        [&](const Step<Mark>& step) {
          if (in_words)
            use(step.item.word, step.item.bits);
          else
            use(step.item.word / 32, bit_of(step.item.word));
        });
  }

  /// Sets the bit of every word that is to be stored: each word that products have; with a mask that is not
  /// complemented, each word of the mask.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void set_tops(const Team& team, const Task& task, const Pattern& pattern) const {
    const auto mark = [&](Ordinal word, std::uint32_t) {
      if (!pattern.has(word)) return;
      pattern.set_top(static_cast<int>(word - pattern.first));
    };
    if constexpr (is_masked) {
      if (!operands.mask.complemented) {
        for_each_of_mask(team, task.row, mark);
        return;
      }
    }
    for_each_mark(team, task.row, task.width, mark);
  }

  /// Sets the bits of every column in the words that are stored, or loads them from the cache.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark_columns(const Team& team, const Task& task, const Pattern& pattern) const {
    if (task.is_cached()) {
      if constexpr (Numeric) bitmap_cache.load(team, task.cached, static_cast<int>(nonempty_words[task.row]), pattern);
      return;
    }
    if constexpr (is_masked)
      for_each_of_mask(team, task.row, [&](Ordinal word, std::uint32_t bits) {
        if (const int index = pattern.index_of_word(word); index >= 0)
          set_bits(&SpgemmMarks{pattern.words[index]}.mask(), bits);
      });
    for_each_mark(team, task.row, task.width, [&](Ordinal word, std::uint32_t bits) {
      const int index = pattern.index_of_word(word);
      if (is_masked && index < 0) return;
      if constexpr (is_masked)
        set_bits(&SpgemmMarks{pattern.words[index]}.products(), bits);
      else if constexpr (Numeric)
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

  /// Adds every product to the sum of its column.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, const Task& task, const Pattern& pattern, const Sums& sums,
                                       Factor* factors) const {
    using lanes = typename Team::lanes;
    const Products of_inodes{operands};
    const Arrays& A      = operands.A;
    const Offset a_width = A.row_map[task.row + 1] - A.row_map[task.row];
    const int inode_rows = sums.rows;
    const bool is_shared = has_duplicates || (!has_subwarps && task.width < Team::lane_width);
    Scalar* const own =
        sums.values + (has_subwarps ? static_cast<Offset>(team.lane() / task.width) * sums.length : Offset(0));
    inodes().template walk<true, short_inodes, Item>(
        team, task.row, columns_of_b(), task.width,
        [&](Offset base, Offset end) {
          team.warp_barrier();  // the factors of the step before are read
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
          of_inodes.template load_values<Team>(inode, at, 0, item.values);
          return item;
        },
        [&](const Step<Item>& step) {
          const int index = pattern.index_of_column(step.item.column);
          if (is_masked && index < 0) return;
          Scalar total[InodeRows];
          of_inodes.template total_of<Team>(step, factors + step.inode.first, total);
          sums.set_column(index, step.item.column);
          of_inodes.add_to(own + index, sums.length, inode_rows, is_shared, total);
        });
  }
};

}  // namespace lacuna::Impl

#endif
