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
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, SpgemmRowBy By, class Arrays>
struct SpgemmBitmapRows {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Word    = std::conditional_t<Numeric, SpgemmWord, std::uint32_t>;

  static constexpr ScratchNeed scratch_need = ScratchNeed::large;
  static constexpr bool OneGroup            = By == SpgemmRowBy::group;
  static constexpr bool in_scratch          = By != SpgemmRowBy::team;  ///< the sums
  static constexpr int most_long_rows       = By == SpgemmRowBy::team_in_scratch ? 256 : 64;

  /// A long row of B, which the whole team adds.
  struct LongRow {
    Scalar factor;
    Offset begin;
    Offset end;
  };
  /// What the groups of a team tell each other.
  struct Shared {
    LongRow long_rows[most_long_rows];
    std::uint32_t totals[64];
    int long_count;
  };

  SpgemmOperands<Arrays> operands;
  SpgemmPackedRows<Offset> packed;
  const ColumnRange<Ordinal>* ranges;
  const Ordinal* rows;
  std::int64_t count;
  int scratch;           ///< bytes a row
  int lanes_b;           ///< lanes a row of B
  int lanes_packed;      ///< lanes a row of words of B
  bool is_shared;        ///< lanes may add to the same column at once
  bool in_order;         ///< one row of B after the other
  Word* workspace;       ///< or nullptr
  std::int64_t longest;  ///< words of it for each team
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  static constexpr std::size_t shared_bytes = OneGroup ? 0 : sizeof(Shared) + 32;
  /// Bytes that a row of a window of `words` words and `nonzeros` nonzeros takes.
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
    Scalar* sums  = nullptr;
    Offset begin  = 0;
    Offset length = 0;
    if constexpr (Numeric) {
      begin  = target.begin[row];
      length = target.begin[row + 1] - begin;
      if constexpr (in_scratch)
        sums = reinterpret_cast<Scalar*>(block + (static_cast<std::size_t>(words) * sizeof(Word) + 15) / 16 * 16);
      else
        sums = target.values + begin;
      for (auto i = static_cast<Offset>(rank(team)); i < length; i += static_cast<Offset>(size(team)))
        sums[i] = Scalar(0);
    }
    if constexpr (!OneGroup) {
      if (team.thread() == 0) shared->long_count = 0;
    }
    barrier(team);
    mark(team, row, first, bitmap, shared);
    barrier(team);
    const std::uint32_t total = rank_words(team, bitmap, words, shared);
    if constexpr (!Numeric) {
      if (rank(team) == 0) target.counts[row] = static_cast<Ordinal>(total);
    } else {
      barrier(team);
      add(team, row, first, bitmap, sums, shared);
      barrier(team);
      for (int w = rank(team); w < words; w += size(team)) {
        std::uint32_t bits   = bitmap[w].bits;
        Offset at            = begin + static_cast<Offset>(bitmap[w].rank);
        const Ordinal column = 32 * (first + static_cast<Ordinal>(w));
        for (; bits != 0; bits &= bits - 1) target.entries[at++] = column + static_cast<Ordinal>(lowest_bit(bits));
      }
      if constexpr (in_scratch)
        for (auto i = static_cast<Offset>(rank(team)); i < length; i += static_cast<Offset>(size(team)))
          target.values[begin + i] = sums[i];
    }
    barrier(team);
  }

  /// Sets the bit of every column.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void mark(const Team& team, Ordinal row, Ordinal first, Word* bitmap,
                                        Shared* shared) const {
    using lanes    = typename Team::lanes;
    const auto set = [&](Ordinal word, std::uint32_t mask) {
      if constexpr (Numeric)
        Kokkos::atomic_or(&bitmap[word - first].bits, mask);
      else
        Kokkos::atomic_or(&bitmap[word - first], mask);
    };
    if (packed.words != nullptr) {
      const SpgemmPackedWord* const all = packed.words;
      for_each_product<false>(
          team, row, shared, packed.begin, lanes_packed, false, [all](Offset b) { return lanes::load_cached(all + b); },
          [&](const Scalar&, const SpgemmPackedWord& word, bool) { set(static_cast<Ordinal>(word.word), word.mask); });
    } else {
      const Ordinal* const columns = operands.B.entries;
      for_each_product<false>(
          team, row, shared, operands.B.row_map, lanes_b, false,
          [columns](Offset b) { return lanes::load_cached(columns + b); },
          [&](const Scalar&, Ordinal column, bool) {
            set(column / 32, std::uint32_t(1) << static_cast<std::uint32_t>(column % 32));
          });
    }
  }

  /// A nonzero of B.
  struct Nonzero {
    Ordinal column;
    Scalar value;
  };

  /// Adds every product where its column has its place.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Team& team, Ordinal row, Ordinal first, const Word* bitmap, Scalar* sums,
                                       Shared* shared) const {
    using lanes                  = typename Team::lanes;
    const Ordinal* const columns = operands.B.entries;
    const Scalar* const values   = operands.B.values;
    const bool atomically        = is_shared || (!OneGroup && !in_order);
    for_each_product<true>(
        team, row, shared, operands.B.row_map, lanes_b, !atomically || in_order,
        [columns, values](Offset b) {
          return Nonzero{lanes::load_cached(columns + b), lanes::load_cached(values + b)};
        },
        [&](const Scalar& factor, const Nonzero& nonzero, bool alone) {
          const SpgemmWord word   = bitmap[nonzero.column / 32 - first];
          const auto lower        = (std::uint32_t(1) << static_cast<std::uint32_t>(nonzero.column % 32)) - 1;
          const std::uint32_t own = word.rank + static_cast<std::uint32_t>(count_bits(word.bits & lower));
          if (atomically && !alone)
            add_shared(&sums[own], factor * nonzero.value);
          else
            sums[own] += factor * nonzero.value;
        });
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
        const Scalar factor = operands.alpha * A.values[k];
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
      Scalar factor(0);
      if (lane < n) {
        const Ordinal inner = A.entries[base + static_cast<Offset>(lane)];
        from                = map[inner];
        to                  = map[inner + 1];
        if constexpr (WithValues) factor = operands.alpha * A.values[base + static_cast<Offset>(lane)];
        if constexpr (!OneGroup)
          if (to - from > static_cast<Offset>(8 * wide)) leave_for_team(shared, factor, from, to);
      }
      Offset b = lanes::shuffle(from, lane / width, wide) + static_cast<Offset>(lane % width);
      Offset e = lanes::shuffle(to, lane / width, wide);
      Item item{};
      if (b < e) item = load(b);
      for (int t = 0; t < n; t += step) {
        const int ahead     = t + step + lane / width;  // below the lane width where t + step < n
        const bool has_next = t + step < n;
        Offset next_b = 0, next_e = 0;
        Item next_item{};
        if (has_next) {
          next_b = lanes::shuffle(from, ahead, wide) + static_cast<Offset>(lane % width);
          next_e = lanes::shuffle(to, ahead, wide);
          if (next_b < next_e) next_item = load(next_b);
        }
        Scalar f(0);
        if constexpr (WithValues) f = lanes::shuffle(factor, t + lane / width, wide);
        if (b < e) use(f, item, false);
        for_row(b + static_cast<Offset>(width), e, width, f, load, use, false);
        if (separate) team.group_barrier();
        b    = next_b;
        e    = next_e;
        item = next_item;
      }
    }
    if constexpr (!OneGroup) {
      team.barrier();
      const int left   = shared->long_count < most_long_rows ? shared->long_count : most_long_rows;
      const bool alone = WithValues && By == SpgemmRowBy::team_in_scratch && !is_shared;
      for (int i = 0; i < left; ++i) {
        const LongRow& here = shared->long_rows[i];
        for_row(here.begin + static_cast<Offset>(team.thread()), here.end, team.threads(), here.factor, load, use,
                alone);
        if (alone) team.barrier();
      }
      team.barrier();
      if (team.thread() == 0) shared->long_count = 0;
    }
  }

  /// use(factor, load(b), alone) for b, b + step … below `end`; several are loaded before the first is used.
  template <class Load, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void for_row(Offset b, Offset end, int step, const Scalar& factor,
                                                  const Load& load, const Use& use, bool alone) {
    constexpr int batch = OneGroup ? 1 : (sizeof(Scalar) > 8 ? 2 : 4);  // lane groups have enough neighbours
    const auto stride   = static_cast<Offset>(step);
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

  KOKKOS_FORCEINLINE_FUNCTION static void leave_for_team(Shared* shared, const Scalar& factor, Offset from,
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
