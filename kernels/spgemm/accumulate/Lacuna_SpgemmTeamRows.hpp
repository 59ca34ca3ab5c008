// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMTEAMROWS_HPP
#define LACUNA_SPGEMMTEAMROWS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmRowsOfB.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmWords.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief Rows of many products by a team each: a bit for every column of the row's window. The bits in front of a
/// column are its place in the sorted row, so that values are added where they belong, without hashing and without
/// sorting.

namespace lacuna::Impl {

/// Where a team adds. `in_place`: in C itself, because GPUs add doubles to memory by one instruction, to scratch by a
/// loop (H200, November 2026: hub rows 5 to 20 % faster), and scratch is left to the bitmap. `in_scratch`: where most
/// products come from long rows of B, which the team adds one after the other without atomics.
enum class SpgemmTeamSums { in_place, in_scratch };

/// Bitmaps that do not fit scratch are in memory, one a team, behind `workspace`.
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, SpgemmTeamSums Sums, class Operands>
struct SpgemmTeamRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  /// Under a mask `bits` are the mask's and `rank` those of products, until both are one.
  static constexpr bool is_masked = Operands::is_masked;
  using Word                      = std::conditional_t<Numeric || is_masked, SpgemmWord, std::uint32_t>;

  static constexpr bool in_scratch    = Sums == SpgemmTeamSums::in_scratch;
  static constexpr int most_long_rows = in_scratch ? 256 : 64;

  /// A long row of B, which the whole team adds.
  struct LongRow {
    Scalar factor;
    Offset begin;
    Offset end;
  };
  using Spans = SpgemmRowSpans<Ordinal, Offset>;
  /// What the groups of a team tell each other.
  struct Shared {
    LongRow long_rows[most_long_rows];
    std::uint32_t totals[64];
    int long_count;
  };

  Operands operands;
  SpgemmPackedRows<Ordinal, Offset> packed;
  const ColumnRange<Ordinal>* ranges;
  const Ordinal* rows;
  std::int64_t count;
  const unsigned char* inode_sizes;  ///< from each row of `rows` on, or nullptr
  int scratch;                       ///< bytes a row
  int lanes_b;                       ///< lanes a row of B
  int lanes_packed;                  ///< lanes a row of words of B
  bool has_duplicates;               ///< rows of B may have a column twice
  bool in_order;                     ///< one row of B after the other
  Word* workspace;                   ///< or nullptr
  std::int64_t longest;              ///< words of it for each team
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  static constexpr std::size_t shared_bytes = sizeof(Shared) + 32;
  /// Bytes that a row of a window of `words` words and `nonzeros` nonzeros takes.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t bytes(std::int64_t words, std::int64_t nonzeros) {
    const std::int64_t bitmap = words * static_cast<std::int64_t>(sizeof(Word));
    return Numeric ? (bitmap + 15) / 16 * 16 + nonzeros * static_cast<std::int64_t>(sizeof(Scalar)) : bitmap;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const shared = team.template scratch<Shared>(1);
    auto* const block  = team.template scratch<char>(static_cast<std::size_t>(scratch));
    for (std::int64_t index = team.league_rank(); index < count; index += team.league_size())
      work_on(team, rows[index], block, shared);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void work_on(const Team& team, Ordinal row, char* block, Shared* shared) const {
    const ColumnRange<Ordinal> range = ranges[row];
    const auto words                 = static_cast<int>(range.words());
    const Ordinal first              = range.first / 32;  // word of the window
    Word* const bitmap =
        workspace != nullptr ? workspace + team.league_rank() * longest : reinterpret_cast<Word*>(block);
    for (int w = team.thread(); w < words; w += team.threads()) bitmap[w] = Word{};
    Scalar* sums  = nullptr;
    Offset begin  = 0;
    Offset length = 0;
    if constexpr (Numeric) {
      begin  = target.begin[row];
      length = target.begin[row + 1] - begin;
      if constexpr (in_scratch)
        sums = reinterpret_cast<Scalar*>(block + bytes(words, 0));
      else
        sums = target.values + begin;
      for (auto i = static_cast<Offset>(team.thread()); i < length; i += static_cast<Offset>(team.threads()))
        sums[i] = operands.zero();
    }
    if (team.thread() == 0) shared->long_count = 0;
    team.barrier();
    if constexpr (is_masked) {
      mark_mask(team, row, first, bitmap, words);
      team.barrier();
    }
    mark(team, row, first, bitmap, words, shared);
    team.barrier();
    if constexpr (is_masked) {
      for (int w = team.thread(); w < words; w += team.threads())
        bitmap[w].bits = bitmap[w].rank & (operands.mask.complemented ? ~bitmap[w].bits : bitmap[w].bits);
      team.barrier();
    }
    const std::uint32_t total = rank_all(team, bitmap, words, shared);
    if constexpr (!Numeric) {
      const int inode_rows = !is_masked && inode_sizes != nullptr ? inode_sizes[row] : 1;
      for (int r = team.thread(); r < inode_rows; r += team.threads())
        target.counts[row + r] = static_cast<Ordinal>(total);
    } else {
      team.barrier();
      add(team, row, first, bitmap, words, sums, shared);
      team.barrier();
      write_words(
          team.thread(), team.threads(), bitmap, words, static_cast<std::int64_t>(length),
          [&](int w) { return 32 * (first + static_cast<Ordinal>(w)); },
          [&](std::uint32_t index, Ordinal column) { target.entries[begin + static_cast<Offset>(index)] = column; });
      if constexpr (in_scratch)
        for (auto i = static_cast<Offset>(team.thread()); i < length; i += static_cast<Offset>(team.threads()))
          target.values[begin + i] = sums[i];
    }
    team.barrier();
  }

  /// Sets the bit of every column that the mask names.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark_mask(const Team& team, Ordinal row, Ordinal first, Word* bitmap,
                                             int words) const {
    const std::int64_t end = operands.mask.end(row);
    for (std::int64_t m = operands.mask.begin(row) + team.thread(); m < end; m += team.threads()) {
      const Ordinal column = operands.mask.entries[m];
      const auto word      = static_cast<std::int64_t>(column / 32) - static_cast<std::int64_t>(first);
      if (word >= 0 && word < words) Kokkos::atomic_or(&bitmap[word].bits, bit_of(column));
    }
  }

  /// Sets the bit of every column; under a mask those that it has too, but for a complemented one.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark(const Team& team, Ordinal row, Ordinal first, Word* bitmap,
                                        [[maybe_unused]] int words, Shared* shared) const {
    using lanes    = typename Team::lanes;
    const auto set = [&](Ordinal word, std::uint32_t mask) {
      if constexpr (is_masked) {
        if (word < first || word - first >= static_cast<Ordinal>(words)) return;
        Word& here = bitmap[word - first];
        if (!operands.mask.complemented) mask &= here.bits;
        if (mask != 0) Kokkos::atomic_or(&here.rank, mask);
      } else if constexpr (Numeric)
        Kokkos::atomic_or(&bitmap[word - first].bits, mask);
      else
        Kokkos::atomic_or(&bitmap[word - first], mask);
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

  /// A nonzero of B.
  struct Nonzero {
    Ordinal column;
    Scalar value;
  };

  /// Adds every product where its column has its place.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, Ordinal row, Ordinal first, const Word* bitmap,
                                       [[maybe_unused]] int words, Scalar* sums, Shared* shared) const {
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
          const Ordinal at = nonzero.column / 32 - first;
          if constexpr (is_masked)
            if (at < 0 || at >= static_cast<Ordinal>(words)) return;
          const SpgemmWord word   = bitmap[at];
          const std::uint32_t bit = bit_of(nonzero.column);
          if (is_masked && (word.bits & bit) == 0) return;
          Scalar* const sum = sums + word.rank + static_cast<std::uint32_t>(count_bits(word.bits & (bit - 1)));
          if (atomically && !alone)
            operands.add_shared(sum, operands.product(factor, nonzero.value));
          else
            operands.add(*sum, operands.product(factor, nonzero.value));
        });
  }

  /// use(factor, load(b), alone) for every b of the rows of B that A names, at their `spans`, by `width` lanes. What
  /// the next row begins with is loaded before this one is used. `alone`: nobody else adds to the row while the team
  /// works on b's row of B.
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
    const int step    = wide / width;  // rows of B at once
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
        if (to - from > static_cast<Offset>(8 * wide)) leave_for_team(shared, factor, from, to);
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

  /// One long row of B after the other by the whole team; the beginning of the next is loaded before this one is used.
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

  /// use(factor, load(b), alone) for b, b + step … below `end`; several are loaded before the first is used.
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

  /// Leaves in every word how many bits are set in front of it; all of them in every thread.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rank_all(const Team& team, Word* bitmap, int words, Shared* shared) const {
    constexpr int wide = Team::lane_width;
    const int warps    = team.warps();
    const int warp     = team.warp();
    const int stretch  = ((words + warps - 1) / warps + wide - 1) / wide * wide;
    const int begin    = stretch * warp < words ? stretch * warp : words;
    const int end      = begin + stretch < words ? begin + stretch : words;
    std::uint32_t own  = 0;
    for (int w = begin + team.lane(); w < end; w += wide)
      own += static_cast<std::uint32_t>(count_bits(bits_of(bitmap[w])));
    own = Team::sum_lanes(own, wide);
    if (team.lane() == 0) shared->totals[warp] = own;
    team.barrier();
    std::uint32_t before = 0, total = 0;
    for (int g = 0; g < warps; ++g) {
      if (g == warp) before = total;
      total += shared->totals[g];
    }
    if constexpr (Numeric) rank_words<Team>(team.lane(), bitmap + begin, end - begin, before);
    return total;
  }
};

}  // namespace lacuna::Impl

#endif
