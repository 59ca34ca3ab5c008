// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMBITMAPROWS_HPP
#define LACUNA_SPGEMMBITMAPROWS_HPP

#include <core/impl/Lacuna_Bits.hpp>
#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmWordsOfB.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief Rows of many products: a bit for every column of the row's window. The bits in front of a column are its
/// place in the sorted row, so that values are added where they belong, without hashing and without sorting.

namespace lacuna::Impl {

/// 32 columns of a window, and how many bits are set in front of them.
struct SpgemmWord {
  std::uint32_t bits;
  std::uint32_t rank;
};

/// Who adds a row, and where. `group`: a lane group in scratch. `team`: a team in C itself, because GPUs add doubles to
/// memory by one instruction, to scratch by a loop (H200, November 2026: hub rows 5 to 20 % faster), and scratch is
/// left to the bitmap. `team_in_scratch`: a team in scratch, where most products come from long rows of B, which it
/// adds one after the other without atomics.
enum class SpgemmRowBy { group, team, team_in_scratch };

/// Bitmaps that do not fit scratch are in memory, one a team, behind `workspace`.
/// Not `Numeric`: counts nonzeros and reads no values. `Together`: adds as many equal rows of A at once, see
/// Lacuna_SpgemmEqualRows.hpp; counting always does. Not under a mask, whose rows differ.
template <bool Numeric, SpgemmRowBy By, class Operands, int Together = 1>
struct SpgemmBitmapRows {
  static_assert(Together == 1 || (Numeric && By == SpgemmRowBy::group && !Operands::is_masked));
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  /// Under a mask `bits` are the mask's and `rank` those of products, until both are one.
  static constexpr bool is_masked = Operands::is_masked;
  using Word                      = std::conditional_t<Numeric || is_masked, SpgemmWord, std::uint32_t>;

  static constexpr ScratchNeed scratch_need = ScratchNeed::large;
  static constexpr bool OneGroup            = By == SpgemmRowBy::group;
  static constexpr bool in_scratch          = By != SpgemmRowBy::team;  ///< the sums
  /// Elements of a row of B that a lane loads before it needs them.
  static constexpr int ahead = OneGroup ? 2 : 1;
  /// Words with more bits than this on average are written by a thread a bit.
  static constexpr int dense_word     = 4;
  static constexpr int most_long_rows = By == SpgemmRowBy::team_in_scratch ? 256 : 64;

  /// What a row of B is multiplied by: a nonzero of each row of A.
  struct Factor {
    Scalar of[Together];
  };
  /// A long row of B, which the whole team adds.
  struct LongRow {
    Factor factor;
    Offset begin;
    Offset end;
  };
  /// What the groups of a team tell each other.
  struct Shared {
    LongRow long_rows[most_long_rows];
    std::uint32_t totals[64];
    int long_count;
  };

  Operands operands;
  SpgemmPackedRows<Offset> packed;
  const ColumnRange<Ordinal>* ranges;
  const Ordinal* rows;
  std::int64_t count;
  const unsigned char* equal_rows;  ///< from each row of `rows` on
  int scratch;                      ///< bytes a row
  int lanes_b;                      ///< lanes a row of B
  int lanes_packed;                 ///< lanes a row of words of B
  bool is_mixed;                    ///< rows of B may have a column twice
  bool is_shared;                   ///< lanes may add to the same column at once
  bool in_order;                    ///< one row of B after the other
  Word* workspace;                  ///< or nullptr
  std::int64_t longest;             ///< words of it for each team
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  static constexpr std::size_t shared_bytes = OneGroup ? 0 : sizeof(Shared) + 32;
  /// Bytes that rows of a window of `words` words and `nonzeros` nonzeros in all take.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t bytes(std::int64_t words, std::int64_t nonzeros) {
    const std::int64_t bitmap = words * static_cast<std::int64_t>(sizeof(Word));
    return Numeric ? (bitmap + 15) / 16 * 16 + nonzeros * static_cast<std::int64_t>(sizeof(Scalar)) : bitmap;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Shared* shared = nullptr;
    char* block    = nullptr;
    if constexpr (OneGroup) {
      block                    = team.template group_scratch<char>(static_cast<std::size_t>(scratch));
      const std::int64_t index = static_cast<std::int64_t>(team.league_rank()) * team.groups() + team.group();
      if (index < count) work_on(team, rows[index], block, shared);
    } else {
      shared = team.template scratch<Shared>(1);
      block  = team.template scratch<char>(static_cast<std::size_t>(scratch));
      for (std::int64_t index = team.league_rank(); index < count; index += team.league_size())
        work_on(team, rows[index], block, shared);
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static int rank(const Team& team) {
    return OneGroup ? team.lane() : team.thread();
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static int size(const Team& team) {
    return OneGroup ? Team::lane_width : team.threads();
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void barrier(const Team& team) {
    if constexpr (OneGroup)
      team.group_barrier();
    else
      team.barrier();
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void work_on(const Team& team, Ordinal row, char* block, Shared* shared) const {
    const ColumnRange<Ordinal> range = ranges[row];
    const auto words                 = static_cast<int>(range.words());
    const Ordinal first              = range.first / 32;  // word of the window
    Word* bitmap                     = reinterpret_cast<Word*>(block);
    if constexpr (!OneGroup)
      if (workspace != nullptr) bitmap = workspace + team.league_rank() * longest;
    for (int w = rank(team); w < words; w += size(team)) bitmap[w] = Word{};
    const int equal = !is_masked && (Together > 1 || !Numeric) ? equal_rows[row] : 1;
    Scalar* sums    = nullptr;
    Offset begin    = 0;
    Offset length   = 0;
    if constexpr (Numeric) {
      begin  = target.begin[row];
      length = target.begin[row + 1] - begin;
      if constexpr (in_scratch)
        sums = reinterpret_cast<Scalar*>(block + (static_cast<std::size_t>(words) * sizeof(Word) + 15) / 16 * 16);
      else
        sums = target.values + begin;
      for (auto i = static_cast<Offset>(rank(team)); i < static_cast<Offset>(equal) * length;
           i += static_cast<Offset>(size(team)))
        sums[i] = operands.zero();
    }
    if constexpr (!OneGroup) {
      if (team.thread() == 0) shared->long_count = 0;
    }
    barrier(team);
    if constexpr (is_masked) {
      mark_mask(team, row, first, bitmap, words);
      barrier(team);
    }
    mark(team, row, first, bitmap, words, shared);
    barrier(team);
    if constexpr (is_masked) {
      for (int w = rank(team); w < words; w += size(team))
        bitmap[w].bits = bitmap[w].rank & (operands.mask.complemented ? ~bitmap[w].bits : bitmap[w].bits);
      barrier(team);
    }
    const std::uint32_t total = rank_words(team, bitmap, words, shared);
    if constexpr (!Numeric) {
      for (int r = rank(team); r < equal; r += size(team)) target.counts[row + r] = static_cast<Ordinal>(total);
    } else {
      barrier(team);
      add(team, row, equal, first, bitmap, words, sums, length, shared);
      barrier(team);
      write_columns(team, bitmap, words, first, begin, length, equal);
      if constexpr (in_scratch)
        for (auto i = static_cast<Offset>(rank(team)); i < static_cast<Offset>(equal) * length;
             i += static_cast<Offset>(size(team)))
          target.values[begin + i] = sums[i];
    }
    barrier(team);
  }

  /// The columns whose bits are set, in order, to `equal` rows behind each other.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void write_columns(const Team& team, const Word* bitmap, int words, Ordinal first,
                                                 Offset begin, Offset length, int equal) const {
    const auto write = [&](Offset place, Ordinal column) {
      for (int r = 0; r < equal; ++r) target.entries[begin + place + static_cast<Offset>(r) * length] = column;
    };
    if (length <= static_cast<Offset>(dense_word * words)) {
      for (int w = rank(team); w < words; w += size(team)) {
        std::uint32_t bits   = bitmap[w].bits;
        auto place           = static_cast<Offset>(bitmap[w].rank);
        const Ordinal column = 32 * (first + static_cast<Ordinal>(w));
        for (; bits != 0; bits &= bits - 1) write(place++, column + static_cast<Ordinal>(lowest_bit(bits)));
      }
      return;
    }
    // A thread a bit, so that neighbours write beside each other.
    for (int c = rank(team); c < 32 * words; c += size(team)) {
      const SpgemmWord word = bitmap[c / 32];
      const auto bit        = std::uint32_t(1) << static_cast<std::uint32_t>(c % 32);
      if ((word.bits & bit) == 0) continue;
      write(static_cast<Offset>(word.rank + static_cast<std::uint32_t>(count_bits(word.bits & (bit - 1)))),
            32 * first + static_cast<Ordinal>(c));
    }
  }

  /// Sets the bit of every column that the mask names.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark_mask(const Team& team, Ordinal row, Ordinal first, Word* bitmap,
                                             int words) const {
    const std::int64_t end = operands.mask.end(row);
    for (std::int64_t m = operands.mask.begin(row) + rank(team); m < end; m += size(team)) {
      const Ordinal column = operands.mask.entries[m];
      const auto word      = static_cast<std::int64_t>(column / 32) - static_cast<std::int64_t>(first);
      if (word >= 0 && word < words)
        Kokkos::atomic_or(&bitmap[word].bits, std::uint32_t(1) << static_cast<std::uint32_t>(column % 32));
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
          team, row, shared, packed.begin, lanes_packed, false, [all](Offset b) { return lanes::load_cached(all + b); },
          [&](const Factor&, const SpgemmPackedWord& word, bool) { set(static_cast<Ordinal>(word.word), word.mask); });
    } else {
      const Ordinal* const columns = operands.B.entries;
      for_each_product<false>(
          team, row, shared, operands.B.row_map, lanes_b, false,
          [columns](Offset b) { return lanes::load_cached(columns + b); },
          [&](const Factor&, Ordinal column, bool) {
            set(column / 32, std::uint32_t(1) << static_cast<std::uint32_t>(column % 32));
          });
    }
  }

  /// A nonzero of B.
  struct Nonzero {
    Ordinal column;
    Scalar value;
  };

  /// Adds every product where its column has its place; the sums of `equal` rows are `length` apart.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, Ordinal row, int equal, Ordinal first, const Word* bitmap,
                                       [[maybe_unused]] int words, Scalar* sums, Offset length, Shared* shared) const {
    using lanes                  = typename Team::lanes;
    const Ordinal* const columns = operands.B.entries;
    const Scalar* const values   = operands.B.values;
    const bool atomically        = is_shared || (!OneGroup && !in_order);
    for_each_product<true>(
        team, row, shared, operands.B.row_map, lanes_b, !atomically || in_order,
        [columns, values](Offset b) {
          return Nonzero{lanes::load_cached(columns + b), lanes::load_cached(values + b)};
        },
        [&](const Factor& factor, const Nonzero& nonzero, bool alone) {
          if constexpr (is_masked) {
            const Ordinal at = nonzero.column / 32;
            if (at < first || at - first >= static_cast<Ordinal>(words)) return;
            if ((bitmap[at - first].bits >> static_cast<std::uint32_t>(nonzero.column % 32) & 1u) == 0) return;
          }
          const SpgemmWord word = bitmap[nonzero.column / 32 - first];
          const auto lower      = (std::uint32_t(1) << static_cast<std::uint32_t>(nonzero.column % 32)) - 1;
          Scalar* sum           = sums + word.rank + static_cast<std::uint32_t>(count_bits(word.bits & lower));
          if (atomically && !alone) {
            LACUNA_UNROLL
            for (int r = 0; r < Together; ++r)
              if (r == 0 || r < equal)
                operands.add_shared(sum + static_cast<Offset>(r) * length,
                                    operands.product(factor.of[r], nonzero.value));
            return;
          }
          // All sums are read before the first is written: they might be the same, for all that a compiler knows.
          Scalar total[Together];
          LACUNA_UNROLL
          for (int r = 0; r < Together; ++r)
            if (r == 0 || r < equal) total[r] = sum[static_cast<Offset>(r) * length];
          LACUNA_UNROLL
          for (int r = 0; r < Together; ++r) {
            if (r > 0 && r >= equal) continue;
            operands.add(total[r], operands.product(factor.of[r], nonzero.value));
            sum[static_cast<Offset>(r) * length] = total[r];
          }
        });
  }

  /// alpha times nonzero k of `row`, and those of the equal rows behind it.
  KOKKOS_FORCEINLINE_FUNCTION Factor factor_at(Ordinal row, Offset k) const {
    const Arrays& A = operands.A;
    Factor factor{};
    factor.of[0] = operands.factor(A.values[k]);
    if constexpr (Together > 1) {
      const Offset length = A.row_map[row + 1] - A.row_map[row];
      const int equal     = equal_rows[row];
      LACUNA_UNROLL
      for (int r = 1; r < Together; ++r)
        if (r < equal) factor.of[r] = operands.factor(A.values[k + static_cast<Offset>(r) * length]);
    }
    return factor;
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Factor shuffle(const Factor& factor, int source) {
    Factor other;
    LACUNA_UNROLL
    for (int r = 0; r < Together; ++r) other.of[r] = Team::lanes::shuffle(factor.of[r], source, Team::lane_width);
    return other;
  }

  /// use(factor, load(b), alone) for every b of the rows of B that A names; row i of B is [map[i], map[i + 1]), by
  /// `width` lanes. What the next row begins with is loaded before this one is used. `separate`: lanes of a group wait
  /// for each other after each row of B, so that nothing is added to a column at the same time. `alone`: nobody else
  /// adds to the row while the team works on b's row of B.
  template <bool WithValues, class Team, class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_product(const Team& team, Ordinal row, Shared* shared, const Offset* map,
                                                    int width, bool separate, const Load& load, const Use& use) const {
    using lanes        = typename Team::lanes;
    using Item         = decltype(load(Offset(0)));
    constexpr int wide = Team::lane_width;
    const Arrays& A    = operands.A;
    const Offset begin = A.row_map[row], end = A.row_map[row + 1];
    if (!OneGroup && WithValues && in_order) {
      for (Offset k = begin; k < end; ++k) {
        const Ordinal inner = A.entries[k];
        const Factor factor = factor_at(row, k);
        for_row(map[inner] + static_cast<Offset>(team.thread()), map[inner + 1], team.threads(), factor, load, use,
                false);
        team.barrier();
      }
      return;
    }
    const int lane   = team.lane();
    const int step   = wide / width;  // rows of B at once
    const int groups = OneGroup ? 1 : team.groups();
    const int group  = OneGroup ? 0 : team.group();
    int at_once      = wide;
    if constexpr (!OneGroup) {
      const auto share = static_cast<std::int64_t>((end - begin) / static_cast<Offset>(groups));
      at_once          = share < 1 ? 1 : (share < wide ? static_cast<int>(share) : wide);
    }
    for (Offset base = begin + static_cast<Offset>(group * at_once); base < end;
         base += static_cast<Offset>(groups * at_once)) {
      const int n = end - base < static_cast<Offset>(at_once) ? static_cast<int>(end - base) : at_once;
      Offset from = 0, to = 0;
      Factor factor{};
      if (lane < n) {
        const Ordinal inner = A.entries[base + static_cast<Offset>(lane)];
        from                = map[inner];
        to                  = map[inner + 1];
        if constexpr (WithValues) factor = factor_at(row, base + static_cast<Offset>(lane));
        if constexpr (!OneGroup)
          if (to - from > static_cast<Offset>(8 * wide)) leave_for_team(shared, factor, from, to);
      }
      Offset b = lanes::shuffle(from, lane / width, wide) + static_cast<Offset>(lane % width);
      Offset e = lanes::shuffle(to, lane / width, wide);
      Item items[ahead]{};
      load_first(b, e, width, load, items);
      for (int t = 0; t < n; t += step) {
        const int next      = t + step + lane / width;  // below the lane width where t + step < n
        const bool has_next = t + step < n;
        Offset next_b = 0, next_e = 0;
        Item next_items[ahead]{};
        if (has_next) {
          next_b = lanes::shuffle(from, next, wide) + static_cast<Offset>(lane % width);
          next_e = lanes::shuffle(to, next, wide);
          load_first(next_b, next_e, width, load, next_items);
        }
        Factor f{};
        if constexpr (WithValues) f = shuffle<Team>(factor, t + lane / width);
        LACUNA_UNROLL
        for (int i = 0; i < ahead; ++i)
          if (b + static_cast<Offset>(i * width) < e) use(f, items[i], false);
        for_row(b + static_cast<Offset>(ahead * width), e, width, f, load, use, false);
        if (separate) team.group_barrier();
        b = next_b;
        e = next_e;
        LACUNA_UNROLL
        for (int i = 0; i < ahead; ++i) items[i] = next_items[i];
      }
    }
    if constexpr (!OneGroup) {
      team.barrier();
      const int left = shared->long_count < most_long_rows ? shared->long_count : most_long_rows;
      if (WithValues && By == SpgemmRowBy::team_in_scratch && !is_mixed) {
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
  }

  /// What the lanes of a row of B begin with.
  template <class Load, class Item>
  KOKKOS_FORCEINLINE_FUNCTION static void load_first(Offset b, Offset end, int width, const Load& load,
                                                     Item (&items)[ahead]) {
    LACUNA_UNROLL
    for (int i = 0; i < ahead; ++i)
      if (b + static_cast<Offset>(i * width) < end) items[i] = load(b + static_cast<Offset>(i * width));
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
  KOKKOS_FORCEINLINE_FUNCTION static void for_row(Offset b, Offset end, int step, const Factor& factor,
                                                  const Load& load, const Use& use, bool alone) {
    constexpr int batch =
        OneGroup ? 1 : (sizeof(Scalar) > 8 || in_scratch ? 2 : 4);  // lane groups have enough neighbours
    const auto stride = static_cast<Offset>(step);
    while (b < end) {
      decltype(load(b)) items[batch];
      LACUNA_UNROLL
      for (int i = 0; i < batch; ++i)
        if (b + static_cast<Offset>(i) * stride < end) items[i] = load(b + static_cast<Offset>(i) * stride);
      LACUNA_UNROLL
      for (int i = 0; i < batch; ++i)
        if (b + static_cast<Offset>(i) * stride < end) use(factor, items[i], alone);
      b += batch * stride;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void leave_for_team(Shared* shared, const Factor& factor, Offset from,
                                                         Offset& to) {
    const int place = Kokkos::atomic_fetch_add(&shared->long_count, 1);
    if (place >= most_long_rows) return;
    shared->long_rows[place] = {factor, from, to};
    to                       = from;
  }

  /// Leaves in every word how many bits are set in front of it; all of them in every thread.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rank_words(const Team& team, Word* bitmap, int words,
                                                       Shared* shared) const {
    using lanes          = typename Team::lanes;
    constexpr int wide   = Team::lane_width;
    const int groups     = OneGroup ? 1 : team.groups();
    const int group      = OneGroup ? 0 : team.group();
    const int lane       = team.lane();
    const int stretch    = ((words + groups - 1) / groups + wide - 1) / wide * wide;
    const int begin      = stretch * group < words ? stretch * group : words;
    const int end        = begin + stretch < words ? begin + stretch : words;
    std::uint32_t before = 0;
    if (!OneGroup || !Numeric) {
      std::uint32_t own = 0;
      for (int w = begin + lane; w < end; w += wide) own += static_cast<std::uint32_t>(count_bits(bits_of(bitmap[w])));
      own = lanes::shuffle(Team::sum_lanes(own, wide), 0, wide);
      if constexpr (OneGroup) return own;
      if constexpr (!OneGroup) {
        if (lane == 0) shared->totals[group] = own;
        team.barrier();
        std::uint32_t total = 0;
        for (int g = 0; g < groups; ++g) {
          if (g == group) before = total;
          total += shared->totals[g];
        }
        if constexpr (!Numeric) return total;
      }
    }
    if constexpr (Numeric) {
      for (int base = begin; base < end; base += wide) {
        const int w             = base + lane;
        const std::uint32_t own = w < end ? static_cast<std::uint32_t>(count_bits(bitmap[w].bits)) : 0;
        std::uint32_t sum       = own;
        for (int distance = 1; distance < wide; distance *= 2) {
          const std::uint32_t lower = lanes::shuffle_up(sum, distance, wide);
          if (lane >= distance) sum += lower;
        }
        if (w < end) bitmap[w].rank = before + sum - own;
        before += lanes::shuffle(sum, wide - 1, wide);
      }
    }
    return before;
  }

  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t bits_of(const SpgemmWord& word) { return word.bits; }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t bits_of(std::uint32_t word) { return word; }
};

}  // namespace lacuna::Impl

#endif
