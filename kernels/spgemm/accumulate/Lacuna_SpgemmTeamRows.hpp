// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMTEAMROWS_HPP
#define LACUNA_SPGEMMTEAMROWS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmTeamScratch.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmRowsOfB.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief Rows of C of many products, by a team each, with a bitmap in scratch or in memory.
///
/// Invariant: the bits set in front of a column's bit are the column's position in the sorted row. So values are added
/// where they belong, without hashing and without sorting.
///
/// A row goes through these phases, with a barrier of the team between them:
///
///     mark   sets a bit for every column of the mask, then for every column of products
///     mask   leaves what the mask allows
///     rank   finds how many bits stand in front of each word, and in all: the count of the row
///     add    adds every product to its sum, in C or in scratch       (`Numeric`)
///     write  writes columns, and sums that stand in scratch, to C    (`Numeric`)
///
/// Bound, by construction and not measured: a product reads a column and a value of B and a word of the bitmap, and
/// adds to C atomically in L2 (`in_place`), or in scratch, where long rows of B need no atomics.
///
/// Launch: teams of `Policy::team_threads` threads, whose warps take rows of B in turns; rows of B that are long are
/// left for the whole team. As many teams as rows, or as bitmaps in memory. Scratch: `SpgemmTeamScratch`; see
/// `team_bytes`.

namespace lacuna::Impl {

/// \brief Counts the nonzeros of rows, and reads no values; or (`Numeric`) adds.
template <bool Numeric, SpgemmTeamSums TeamSums, class Operands>
struct SpgemmTeamRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Layout  = SpgemmTeamScratch<Numeric, TeamSums, Operands>;
  using Word    = typename Layout::Word;
  using LongRow = typename Layout::LongRow;
  using Shared  = typename Layout::Shared;
  using Spans   = SpgemmRowSpans<Ordinal, Offset>;

  static constexpr bool is_masked      = Operands::is_masked;
  static constexpr bool in_scratch     = Layout::in_scratch;
  static constexpr int most_long_rows  = Layout::most_long_rows;
  static constexpr int longest_of_warp = 8;  ///< steps of a warp; longer rows of B are left for the team; not tuned

  Operands operands;
  SpgemmPackedRows<Ordinal, Offset> packed;
  const ColumnRange<Ordinal>* ranges;
  const Ordinal* rows;
  std::int64_t count;
  const unsigned char* inode_sizes;  ///< of the inode that begins with a row, or nullptr
  int scratch;                       ///< bytes of a row
  int lanes_b;                       ///< of a row of B
  int lanes_packed;                  ///< of a row of words of B
  bool has_duplicates;               ///< rows of B may have a column twice
  bool in_order;                     ///< one row of B after the other: the same bits on every run
  Word* workspace;                   ///< bitmaps in memory, one for each team; or nullptr
  std::int64_t longest;              ///< words of `workspace` for each team
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  /// Scratch of a team, `row_bytes` for the row.
  static constexpr std::size_t team_bytes(std::size_t row_bytes) { return row_bytes + Layout::shared_bytes + 64; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const shared = team.template scratch<Shared>(1);
    auto* const of_row = team.template scratch<char>(static_cast<std::size_t>(scratch));
    for (std::int64_t index = team.league_rank(); index < count; index += team.league_size())
      compute(team, rows[index], of_row, shared);
  }

 private:
  /// The words of the row's window.
  struct Bitmap {
    Word* words;
    int count;
    Ordinal first;  ///< number of the first word
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compute(const Team& team, Ordinal row, char* of_row, Shared* shared) const {
    const ColumnRange<Ordinal> range = ranges[row];
    Bitmap bitmap;
    bitmap.count = static_cast<int>(range.words());
    bitmap.first = range.first / 32;
    bitmap.words = workspace != nullptr ? workspace + team.league_rank() * longest : Layout::words(of_row);
    for (int w = team.thread(); w < bitmap.count; w += team.threads()) bitmap.words[w] = Word{};
    Scalar* sums  = nullptr;
    Offset begin  = 0;
    Offset length = 0;
    if constexpr (Numeric) {
      begin  = target.begin[row];
      length = target.begin[row + 1] - begin;
      sums   = in_scratch ? Layout::sums(of_row, bitmap.count) : target.values + begin;
      for (auto i = static_cast<Offset>(team.thread()); i < length; i += static_cast<Offset>(team.threads()))
        sums[i] = operands.zero();
    }
    if (team.thread() == 0) shared->long_count = 0;
    team.barrier();
    if constexpr (is_masked) {
      mark_mask(team, row, bitmap);
      team.barrier();
    }
    mark(team, row, bitmap, shared);
    team.barrier();
    if constexpr (is_masked) {
      mask(team, bitmap);
      team.barrier();
    }
    const std::uint32_t total = rank(team, bitmap, shared);
    if constexpr (!Numeric) {
      write_count(team, row, total);
    } else {
      team.barrier();
      add(team, row, bitmap, sums, shared);
      team.barrier();
      write(team, bitmap, sums, begin, length);
    }
    team.barrier();
  }

  /// Sets the bit of every column that the mask names.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark_mask(const Team& team, Ordinal row, const Bitmap& bitmap) const {
    const std::int64_t end = operands.mask.end(row);
    for (std::int64_t m = operands.mask.begin(row) + team.thread(); m < end; m += team.threads()) {
      const Ordinal column = operands.mask.entries[m];
      const auto word      = static_cast<std::int64_t>(column / 32) - static_cast<std::int64_t>(bitmap.first);
      if (word >= 0 && word < bitmap.count) Kokkos::atomic_or(&SpgemmMarks{bitmap.words[word]}.mask(), bit_of(column));
    }
  }

  /// Sets the bit of every column that products have. Columns that the mask does not have are left out here; those that
  /// a complemented mask has are left out by `mask`.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark(const Team& team, Ordinal row, const Bitmap& bitmap, Shared* shared) const {
    using lanes    = typename Team::lanes;
    const auto set = [&](Ordinal word, std::uint32_t bits) {
      if constexpr (is_masked) {
        if (word < bitmap.first || word - bitmap.first >= static_cast<Ordinal>(bitmap.count)) return;
        const SpgemmMarks marks{bitmap.words[word - bitmap.first]};
        if (!operands.mask.complemented) bits &= marks.mask();
        if (bits != 0) Kokkos::atomic_or(&marks.products(), bits);
      } else if constexpr (Numeric)
        Kokkos::atomic_or(&bitmap.words[word - bitmap.first].bits, bits);
      else
        Kokkos::atomic_or(&bitmap.words[word - bitmap.first], bits);
    };
    if (packed.words != nullptr) {
      const SpgemmPackedWord* const all = packed.words;
      for_each_product<false>(
          team, row, shared, packed.spans, lanes_packed, [all](Offset b) { return lanes::load_cached(all + b); },
          [&](const Scalar&, const SpgemmPackedWord& word, bool) { set(static_cast<Ordinal>(word.word), word.mask); });
    } else {
      const Ordinal* const columns = operands.B.entries;
      for_each_product<false>(
          team, row, shared, Spans{operands.B.row_map}, lanes_b,
          [columns](Offset b) { return lanes::load_cached(columns + b); },
          [&](const Scalar&, Ordinal column, bool) { set(column / 32, bit_of(column)); });
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mask(const Team& team, const Bitmap& bitmap) const {
    for (int w = team.thread(); w < bitmap.count; w += team.threads())
      SpgemmMarks{bitmap.words[w]}.apply(operands.mask.complemented);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void write_count(const Team& team, Ordinal row, std::uint32_t total) const {
    const int inode_rows = !is_masked && inode_sizes != nullptr ? inode_sizes[row] : 1;
    for (int r = team.thread(); r < inode_rows; r += team.threads())
      target.counts[row + r] = static_cast<Ordinal>(total);
  }

  /// Writes columns to C, and sums that stand in scratch.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Team& team, const Bitmap& bitmap, [[maybe_unused]] const Scalar* sums,
                                         Offset begin, Offset length) const {
    write_words(
        team.thread(), team.threads(), bitmap.words, bitmap.count, static_cast<std::int64_t>(length),
        [&](int w) { return 32 * (bitmap.first + static_cast<Ordinal>(w)); },
        [&](std::uint32_t index, Ordinal column) { target.entries[begin + static_cast<Offset>(index)] = column; });
    if constexpr (in_scratch)
      for (auto i = static_cast<Offset>(team.thread()); i < length; i += static_cast<Offset>(team.threads()))
        target.values[begin + i] = sums[i];
  }

  /// A nonzero of B.
  struct Nonzero {
    Ordinal column;
    Scalar value;
  };

  /// Adds every product to the sum of its column.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, Ordinal row, const Bitmap& bitmap, Scalar* sums,
                                       Shared* shared) const {
    using lanes                  = typename Team::lanes;
    const Ordinal* const columns = operands.B.entries;
    const Scalar* const values   = operands.B.values;
    const bool atomically        = has_duplicates || !in_order;
    for_each_product<true>(
        team, row, shared, Spans{operands.B.row_map}, lanes_b,
        [columns, values](Offset b) {
          return Nonzero{lanes::load_cached(columns + b), lanes::load_cached(values + b)};
        },
        [&](const Scalar& factor, const Nonzero& nonzero, bool alone) {
          const Ordinal at = nonzero.column / 32 - bitmap.first;
          if constexpr (is_masked)
            if (at < 0 || at >= static_cast<Ordinal>(bitmap.count)) return;
          const SpgemmWord word   = bitmap.words[at];
          const std::uint32_t bit = bit_of(nonzero.column);
          if (is_masked && (word.bits & bit) == 0) return;
          Scalar* const sum = sums + word.rank + static_cast<std::uint32_t>(count_bits(word.bits & (bit - 1)));
          if (atomically && !alone)
            operands.add_shared(sum, operands.product(factor, nonzero.value));
          else
            operands.add(*sum, operands.product(factor, nonzero.value));
        });
  }

  /// use(factor, load(b), alone) for every b of the rows of B that A names, at their `spans`, by `width` lanes. The
  /// first item of the next row is loaded before this row is used. `alone`: no other row of B is added meanwhile.
  template <bool WithValues, class Team, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_product(const Team& team, Ordinal row, Shared* shared, const Spans& spans,
                                                    int width, const Load& load, const Use& use) const {
    using lanes        = typename Team::lanes;
    using Item         = decltype(load(Offset(0)));
    constexpr int wide = Team::lane_width;
    const Arrays& A    = operands.A;
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    if (WithValues && in_order) {
      for (Offset k = begin; k < end; ++k) {
        Offset from = 0, length = 0;
        spans.find(A.entries[k], from, length);
        const Scalar factor = operands.factor(A.values[k]);
        for_row(from + static_cast<Offset>(team.thread()), from + length, team.threads(), factor, load, use, false);
        team.barrier();
      }
      return;
    }
    const int lane    = team.lane();
    const int step    = wide / width;  // rows of B that a warp adds at once
    const int warps   = team.warps();
    const int warp    = team.warp();
    const auto share  = static_cast<std::int64_t>((end - begin) / static_cast<Offset>(warps));
    const int at_once = share < 1 ? 1 : (share < wide ? static_cast<int>(share) : wide);
    for (Offset base = begin + static_cast<Offset>(warp * at_once); base < end;
         base += static_cast<Offset>(warps * at_once)) {
      const int n = end - base < static_cast<Offset>(at_once) ? static_cast<int>(end - base) : at_once;
      Offset from = 0, to = 0;
      Scalar factor{};
      if (lane < n) {
        spans.find(A.entries[base + static_cast<Offset>(lane)], from, to);
        to += from;
        if constexpr (WithValues) factor = operands.factor(A.values[base + static_cast<Offset>(lane)]);
        if (to - from > static_cast<Offset>(longest_of_warp * wide)) leave_for_team(shared, factor, from, to);
      }
      Offset b = lanes::shuffle(from, lane / width, wide) + static_cast<Offset>(lane % width);
      Offset e = lanes::shuffle(to, lane / width, wide);
      Item item{};
      if (b < e) item = load(b);
      for (int t = 0; t < n; t += step) {
        const int next      = t + step + lane / width;  // below the lane width where t + step < n
        const bool has_next = t + step < n;
        Offset next_b = 0, next_e = 0;
        Item next_item{};
        if (has_next) {
          next_b = lanes::shuffle(from, next, wide) + static_cast<Offset>(lane % width);
          next_e = lanes::shuffle(to, next, wide);
          if (next_b < next_e) next_item = load(next_b);
        }
        Scalar f{};
        if constexpr (WithValues) f = lanes::shuffle(factor, t + lane / width, wide);
        if (b < e) use(f, item, false);
        for_row(b + static_cast<Offset>(width), e, width, f, load, use, false);
        b    = next_b;
        e    = next_e;
        item = next_item;
      }
    }
    team.barrier();
    const int left = shared->long_count < most_long_rows ? shared->long_count : most_long_rows;
    if (WithValues && in_scratch && !has_duplicates) {
      long_rows_apart(team, shared->long_rows, left, load, use);
    } else {
      for (int i = 0; i < left; ++i) {
        const LongRow& here = shared->long_rows[i];
        for_row(here.begin + static_cast<Offset>(team.thread()), here.end, team.threads(), here.factor, load, use,
                false);
      }
    }
    team.barrier();
    if (team.thread() == 0) shared->long_count = 0;
  }

  /// Adds long rows of B one after the other, each by the whole team. The beginning of the next row is loaded before
  /// this row is used.
  template <class Team, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void long_rows_apart(const Team& team, const LongRow* rows, int count,
                                                          const Load& load, const Use& use) {
    constexpr int ahead = 2;
    const auto rank     = static_cast<Offset>(team.thread());
    const auto step     = static_cast<Offset>(team.threads());
    decltype(load(rank)) items[ahead], next[ahead];
    const auto begin_of = [&](int i, auto& first) {
      LACUNA_UNROLL
      for (int n = 0; n < ahead; ++n)
        if (const Offset b = rows[i].begin + rank + static_cast<Offset>(n) * step; b < rows[i].end) first[n] = load(b);
    };
    if (count > 0) begin_of(0, items);
    for (int i = 0; i < count; ++i) {
      const LongRow here = rows[i];
      if (i + 1 < count) begin_of(i + 1, next);
      LACUNA_UNROLL
      for (int n = 0; n < ahead; ++n)
        if (here.begin + rank + static_cast<Offset>(n) * step < here.end) use(here.factor, items[n], true);
      for_row(here.begin + rank + ahead * step, here.end, team.threads(), here.factor, load, use, true);
      LACUNA_UNROLL
      for (int n = 0; n < ahead; ++n) items[n] = next[n];
      team.barrier();
    }
  }

  /// use(factor, load(b), alone) for b, b + step … below `end`. Several items are loaded before the first is used.
  template <class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void for_row(Offset b, Offset end, int step, const Scalar& factor,
                                                  const Load& load, const Use& use, bool alone) {
    constexpr int unroll = sizeof(Scalar) > 8 || in_scratch ? 2 : 4;
    const auto stride    = static_cast<Offset>(step);
    while (b < end) {
      decltype(load(b)) items[unroll];
      LACUNA_UNROLL
      for (int i = 0; i < unroll; ++i)
        if (b + static_cast<Offset>(i) * stride < end) items[i] = load(b + static_cast<Offset>(i) * stride);
      LACUNA_UNROLL
      for (int i = 0; i < unroll; ++i)
        if (b + static_cast<Offset>(i) * stride < end) use(factor, items[i], alone);
      b += unroll * stride;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void leave_for_team(Shared* shared, const Scalar& factor, Offset from,
                                                         Offset& to) {
    const int index = Kokkos::atomic_fetch_add(&shared->long_count, 1);
    if (index >= most_long_rows) return;
    shared->long_rows[index] = {factor, from, to};
    to                       = from;
  }

  /// Leaves in every word how many bits are set in front of it (`Numeric`). Returns how many are set in all, to every
  /// thread.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rank(const Team& team, const Bitmap& bitmap, Shared* shared) const {
    const int words    = bitmap.count;
    constexpr int wide = Team::lane_width;
    const int warps    = team.warps();
    const int warp     = team.warp();
    const int stretch  = ((words + warps - 1) / warps + wide - 1) / wide * wide;
    const int begin    = stretch * warp < words ? stretch * warp : words;
    const int end      = begin + stretch < words ? begin + stretch : words;
    std::uint32_t own  = 0;
    for (int w = begin + team.lane(); w < end; w += wide)
      own += static_cast<std::uint32_t>(count_bits(bits_of(bitmap.words[w])));
    own = Team::sum_lanes(own, wide);
    if (team.lane() == 0) shared->totals[warp] = own;
    team.barrier();
    std::uint32_t before = 0, total = 0;
    for (int g = 0; g < warps; ++g) {
      if (g == warp) before = total;
      total += shared->totals[g];
    }
    if constexpr (Numeric) rank_words<Team>(team.lane(), bitmap.words + begin, end - begin, before);
    return total;
  }
};

}  // namespace lacuna::Impl

#endif
