// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMSORTROWS_HPP
#define LACUNA_SPGEMMSORTROWS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief Rows of few products: expand, sort, compress (001, stage 3, bitonic ESC). Lanes keep the keys in registers;
/// scratch has the products, and at the end the sorted keys.

namespace lacuna::Impl {

/// Rows of at most `capacity` products: a power of two from 4 to 512.
template <class Ordinal>
struct SpgemmSortClass {
  const Ordinal* rows     = nullptr;
  std::int64_t count      = 0;
  int capacity            = 0;
  int width               = 1;  ///< lanes a row
  std::int64_t first_team = 0;  ///< the first team of the launch that takes this class
};

/// Classes that one launch may take: 8, 16 … 512 products.
inline constexpr int most_sort_classes = 7;

/// Rows of one class after the other, each by `width` lanes. A key is a column with the number of the product below it,
/// so that equal columns are added in the order of A: the same bits on every run.
/// Not `Numeric`: counts nonzeros and reads no values.
///
/// Bound: instructions, above all additions and comparisons. A hash table in scratch, of which only the nonzeros of C
/// are sorted, was slower however it was filled.
template <bool Numeric, class KeyType, class Operands, class Position>
struct SpgemmSortRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Key     = KeyType;

  static constexpr int index_bits = 9;
  static constexpr Key none       = ~Key(0);
  /// Keys that a lane holds. There are two numbers only, so that keys stay in registers.
  static constexpr int few = 8, many = 16;
  /// The capacity from which rows that fill the device are counted with `many`.
  static constexpr int counted_by_many = 64;

  Operands operands;
  const ColumnRange<Ordinal>* ranges;
  SpgemmSortClass<Ordinal> classes[most_sort_classes];  ///< unused ones have no rows
  SpgemmTarget<Scalar, Ordinal, Position> target;

  /// `fills`: there are enough rows to fill the device with fewer lanes a row.
  static constexpr int lanes_of(int capacity, int lane_width, bool fills) {
    if (lane_width == 1) return 1;
    return capacity / (capacity > few * 32 || (!Numeric && fills && capacity >= counted_by_many) ? many : few);
  }
  /// Scratch of a team whose rows have `products` products together.
  static constexpr std::size_t scratch_bytes(int products, int lane_width) {
    const auto n           = static_cast<std::size_t>(products);
    const std::size_t keys = padded(products) * sizeof(Key);
    if constexpr (Numeric) return keys + n * (sizeof(Scalar) + sizeof(std::uint16_t)) + 64;
    return lane_width == 1 ? keys + 64 : 0;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const SpgemmSortClass<Ordinal> here = class_of(team.league_rank());
    const int subwarps = team.threads() / here.width, subwarp = team.thread() / here.width;
    const std::int64_t index = (team.league_rank() - here.first_team) * subwarps + subwarp;
    const bool exists        = index < here.count;
    const Subwarp own{exists, exists ? here.rows[index] : Ordinal(0), team.thread() % here.width, here.width};
    Scratch scratch;
    if (Numeric || Team::lane_width == 1) {
      const auto all = static_cast<std::size_t>(here.capacity * subwarps);
      scratch.keys   = team.template scratch<Key>(padded(here.capacity * subwarps)) + padded(here.capacity * subwarp);
      if constexpr (Numeric) {
        scratch.values = team.template scratch<Scalar>(all) + here.capacity * subwarp;
        scratch.begins = team.template scratch<std::uint16_t>(all) + here.capacity * subwarp;
      }
    }
    if constexpr (Team::lane_width == 1)
      by_one(own, scratch);
    else if (here.capacity == few * here.width)
      by_lanes<few>(team, own, scratch);
    else
      by_lanes<many>(team, own, scratch);
  }

 private:
  /// The lanes of a row.
  struct Subwarp {
    bool exists;
    Ordinal row;
    int rank;
    int width;
  };
  /// The scratch of a row.
  struct Scratch {
    Key* keys             = nullptr;  ///< sorted, at `padded` indices
    Scalar* values        = nullptr;  ///< of products, not sorted
    std::uint16_t* begins = nullptr;  ///< of the nonzeros of C, as indices of keys
  };
  /// The index of key i: lanes that write `few` or `many` consecutive keys each use different banks.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int padded(int i) { return i + i / 32; }
  KOKKOS_FORCEINLINE_FUNCTION static Key column_of(Key key) { return key >> index_bits; }
  KOKKOS_FORCEINLINE_FUNCTION static int product_of(Key key) {
    return static_cast<int>(key & ((Key(1) << index_bits) - 1));
  }

  /// The class of a team. All classes are compared, because a variable index would move the array to local memory.
  KOKKOS_FORCEINLINE_FUNCTION SpgemmSortClass<Ordinal> class_of(std::int64_t launched) const {
    SpgemmSortClass<Ordinal> result = classes[0];
    LACUNA_UNROLL
    for (int c = 1; c < most_sort_classes; ++c)
      if (classes[c].count > 0 && launched >= classes[c].first_team) result = classes[c];
    return result;
  }

  KOKKOS_FORCEINLINE_FUNCTION Key key_of(const Subwarp& subwarp, Ordinal column, int index) const {
    if (Operands::is_masked && !operands.mask.allows(subwarp.row, column)) return none;
    return static_cast<Key>(column - ranges[subwarp.row].first) << index_bits | static_cast<Key>(index);
  }

  template <int PerLane, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void by_lanes(const Team& team, const Subwarp& subwarp, const Scratch& scratch) const {
    Key keys[PerLane];
    LACUNA_UNROLL
    for (Key& key : keys) key = none;
    expand<PerLane, Team>(subwarp, keys, scratch.values);
    sort<PerLane, Team>(subwarp, keys);
    compress<PerLane>(team, subwarp, keys, scratch);
  }

  /// Expands product p of the row to lane p % width, as its key p / width: neighbouring lanes read neighbouring
  /// elements, and all lanes have as many products, however long rows of B are.
  template <int PerLane, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void expand(const Subwarp& subwarp, Key (&keys)[PerLane], Scalar* values) const {
    using lanes      = typename Team::lanes;
    const Arrays& A  = operands.A;
    const Arrays& B  = operands.B;
    const int width  = subwarp.width;
    const Offset end = subwarp.exists ? A.row_map[subwarp.row + 1] : Offset(0);
    int filled       = 0;
    for (Offset base = subwarp.exists ? A.row_map[subwarp.row] : Offset(0); lanes::any(base < end);
         base += static_cast<Offset>(width)) {
      // Each lane has a row of B; `sum` products come up to the end of it.
      const Offset k = base + static_cast<Offset>(subwarp.rank);
      Offset from    = 0;
      int length     = 0;
      if (k < end) {
        const Ordinal inner = A.entries[k];
        from                = B.row_map[inner];
        length              = static_cast<int>(B.row_map[inner + 1] - from);
      }
      const int sum      = Team::sum_lanes_up_to(length, subwarp.rank, width);
      const int all      = lanes::shuffle(sum, width - 1, width);
      const Offset shift = from - static_cast<Offset>(filled + sum - length);
      LACUNA_UNROLL
      for (int i = 0; i < PerLane; ++i) {
        const int p      = i * width + subwarp.rank;
        const int q      = p - filled;
        const bool is_in = q >= 0 && q < all;
        if (!lanes::any(is_in)) continue;
        int owner = 0;
        for (int step = width / 2; step > 0; step /= 2)
          if (lanes::shuffle(sum, owner + step - 1, width) <= q) owner += step;
        const Offset b = static_cast<Offset>(p) + lanes::shuffle(shift, owner, width);
        if (!is_in) continue;
        keys[i] = key_of(subwarp, lanes::load_cached(B.entries + b), p);
        if constexpr (Numeric)
          values[p] =
              operands.product(operands.factor(lanes::load_cached(A.values + base + static_cast<Offset>(owner))),
                               lanes::load_cached(B.values + b));
      }
      filled += all;
    }
  }

  /// Bitonic sort: key i of lane r has index PerLane * r + i. A sorted run is first compared with the mirror image of
  /// the next one, so that all runs ascend: choosing the direction of each comparison would cost as much as comparing.
  template <int PerLane, class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void sort(const Subwarp& subwarp, Key (&keys)[PerLane]) {
    using lanes = typename Team::lanes;
    LACUNA_UNROLL
    for (int run = 2; run <= PerLane; run *= 2) {
      LACUNA_UNROLL
      for (int i = 0; i < PerLane; ++i)
        if ((i & (run / 2)) == 0) order(keys[i], keys[i ^ (run - 1)]);
      halve(keys, run / 4);
    }
    for (int run = 2; run <= subwarp.width; run *= 2) {  // in lanes
      const bool is_lower = (subwarp.rank & (run / 2)) == 0;
      const int mirror    = subwarp.rank ^ (run - 1);
      LACUNA_UNROLL
      for (int i = 0; i < PerLane / 2; ++i) {
        Key& key          = keys[i];
        Key& last         = keys[PerLane - 1 - i];
        const Key of_key  = lanes::shuffle(last, mirror, subwarp.width);
        const Key of_last = lanes::shuffle(key, mirror, subwarp.width);
        key               = (key < of_key) == is_lower ? key : of_key;
        last              = (last < of_last) == is_lower ? last : of_last;
      }
      for (int distance = run / 4; distance > 0; distance /= 2) {
        const bool is_least = (subwarp.rank & distance) == 0;
        LACUNA_UNROLL
        for (Key& key : keys) {
          const Key other = lanes::shuffle(key, subwarp.rank ^ distance, subwarp.width);
          key             = (key < other) == is_least ? key : other;
        }
      }
      halve(keys, PerLane / 2);
    }
  }
  /// Sorts each bitonic sequence of 2 * `distance` keys of a lane.
  template <int PerLane>
  KOKKOS_FORCEINLINE_FUNCTION static void halve(Key (&keys)[PerLane], int distance) {
    LACUNA_UNROLL
    for (; distance > 0; distance /= 2) {
      LACUNA_UNROLL
      for (int i = 0; i < PerLane; ++i)
        if ((i & distance) == 0) order(keys[i], keys[i + distance]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void order(Key& a, Key& b) {
    const Key low = a < b ? a : b;
    b             = a < b ? b : a;
    a             = low;
  }

  /// Counts columns, or adds the products of each column in the order of A. Nonzeros of C are shared out among the
  /// lanes.
  template <int PerLane, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compress(const Team& team, const Subwarp& subwarp, const Key (&keys)[PerLane],
                                            const Scratch& scratch) const {
    using lanes         = typename Team::lanes;
    const Key before    = lanes::shuffle_up(keys[PerLane - 1], 1, subwarp.width);
    std::uint32_t heads = 0, keys_in_all = 0;
    LACUNA_UNROLL
    for (int i = 0; i < PerLane; ++i) {
      const bool is_key = keys[i] != none;
      const bool is_new = i == 0 ? subwarp.rank == 0 || column_of(before) != column_of(keys[0])
                                 : column_of(keys[i > 0 ? i - 1 : 0]) != column_of(keys[i]);
      const auto bit    = std::uint32_t(1) << i;
      heads |= is_key && is_new ? bit : 0;
      keys_in_all += is_key ? 1 : 0;
    }
    const int own  = count_bits(heads);
    const int sum  = Team::sum_lanes_up_to(own, subwarp.rank, subwarp.width);
    const int rows = lanes::shuffle(sum, subwarp.width - 1, subwarp.width);
    if (target.counts != nullptr && subwarp.exists && subwarp.rank == 0)
      target.counts[subwarp.row] = static_cast<Ordinal>(rows);
    if constexpr (Numeric) {
      const int up_to = Team::sum_lanes_up_to(static_cast<int>(keys_in_all), subwarp.rank, subwarp.width);
      const int all   = lanes::shuffle(up_to, subwarp.width - 1, subwarp.width);
      int next        = sum - own;
      LACUNA_UNROLL
      for (int i = 0; i < PerLane; ++i) {
        const int number             = subwarp.rank * PerLane + i;
        scratch.keys[padded(number)] = keys[i];
        if ((heads >> i & 1) != 0) scratch.begins[next++] = static_cast<std::uint16_t>(number);
      }
      team.warp_barrier();
      if (subwarp.exists)
        for (int n = subwarp.rank; n < rows; n += subwarp.width)
          write(subwarp.row, n, scratch.values, scratch.begins[n], n + 1 < rows ? scratch.begins[n + 1] : all,
                [&](int i) { return scratch.keys[padded(i)]; });
    }
  }

  /// Writes nonzero n of a row of C, from sorted keys [begin, end).
  template <class KeyAt>
  KOKKOS_FORCEINLINE_FUNCTION void write(Ordinal row, int n, const Scalar* values, int begin, int end,
                                         const KeyAt& key_at) const {
    const Key first = key_at(begin);
    Scalar total    = values[product_of(first)];
    for (int i = begin + 1; i < end; ++i) operands.add(total, values[product_of(key_at(i))]);
    const Position at  = target.begin[row] + static_cast<Position>(n);
    target.entries[at] = static_cast<Ordinal>(column_of(first)) + ranges[row].first;
    target.values[at]  = total;
  }

  /// A row by one thread of a host.
  KOKKOS_FORCEINLINE_FUNCTION void by_one(const Subwarp& subwarp, const Scratch& scratch) const {
    if (!subwarp.exists) return;
    const Arrays& A = operands.A;
    const Arrays& B = operands.B;
    Key* const keys = scratch.keys;  // without padding
    int filled = 0, all = 0;
    for (Offset k = A.row_map[subwarp.row]; k < A.row_map[subwarp.row + 1]; ++k)
      for (Offset b = B.row_map[A.entries[k]]; b < B.row_map[A.entries[k] + 1]; ++b, ++filled) {
        const Key key = key_of(subwarp, B.entries[b], filled);
        if (key == none) continue;
        keys[all++] = key;
        if constexpr (Numeric) scratch.values[filled] = operands.product(operands.factor(A.values[k]), B.values[b]);
      }
    KOKKOS_IF_ON_HOST((std::sort(keys, keys + all);))
    int rows = 0;
    for (int begin = 0, end = 0; begin < all; begin = end, ++rows) {
      while (end < all && column_of(keys[end]) == column_of(keys[begin])) ++end;
      if constexpr (Numeric) write(subwarp.row, rows, scratch.values, begin, end, [&](int i) { return keys[i]; });
    }
    if (target.counts != nullptr) target.counts[subwarp.row] = static_cast<Ordinal>(rows);
  }
};

/// Launches `count` classes; those that come first start first. Does not fence.
template <bool Numeric, class Key, class ExecutionSpace, class Operands, class Position>
void spgemm_sort_rows_by(
    IndependentLaunches<ExecutionSpace>& launches, const Operands& operands,
    const ColumnRange<typename Operands::Arrays::Ordinal>* ranges,
    const SpgemmSortClass<typename Operands::Arrays::Ordinal>* classes, int count,
    const SpgemmTarget<typename Operands::Arrays::Scalar, typename Operands::Arrays::Ordinal, Position>& target) {
  using Body              = SpgemmSortRows<Numeric, Key, Operands, Position>;
  constexpr int whole     = ExecutionTraits<ExecutionSpace>::lane_width;
  const int threads       = team_threads<ExecutionSpace>(128);
  const std::int64_t wave = processors(launches.exec()) * static_cast<std::int64_t>(largest_scratch(launches.exec()));
  const std::int64_t wave_of_threads = 2048 * static_cast<std::int64_t>(processors(launches.exec()));
  for (int c = 0; c < count;) {
    Body body{operands, ranges, {}, target};
    std::int64_t teams  = 0;
    std::size_t scratch = 0;
    // A launch takes the next class along where it needs as much scratch, or where the launch does not fill the device.
    for (int n = 0; c < count && n < most_sort_classes; ++c, ++n) {
      SpgemmSortClass<typename Operands::Arrays::Ordinal> next = classes[c];
      const bool fills        = next.count * (next.capacity / Body::many) >= wave_of_threads;
      next.width              = Body::lanes_of(next.capacity, whole, fills);
      next.first_team         = teams;
      const int subwarps      = threads / next.width;
      const std::size_t bytes = Body::scratch_bytes(next.capacity * subwarps, whole);
      const std::int64_t more = teams + ceiling_quotient(next.count, subwarps);
      if (n > 0 && bytes != scratch && more * static_cast<std::int64_t>(scratch) > wave) break;
      scratch         = bytes > scratch ? bytes : scratch;
      teams           = more;
      body.classes[n] = next;
    }
    launches.template launch<128, 8>(Numeric ? "Lacuna::spgemm::sort_rows" : "Lacuna::spgemm::count_by_sort",
                                     {teams, threads}, scratch, body);
  }
}

/// The same with the shortest keys that hold the columns of B and the numbers of products.
template <bool Numeric, class ExecutionSpace, class Operands, class Position>
void spgemm_sort_rows(
    IndependentLaunches<ExecutionSpace>& launches, const Operands& operands,
    const ColumnRange<typename Operands::Arrays::Ordinal>* ranges,
    const SpgemmSortClass<typename Operands::Arrays::Ordinal>* classes, int count,
    const SpgemmTarget<typename Operands::Arrays::Scalar, typename Operands::Arrays::Ordinal, Position>& target) {
  // The largest key means none.
  constexpr std::int64_t most = (std::int64_t{1} << (32 - 9)) - 1;
  if (static_cast<std::int64_t>(operands.B.columns) <= most)
    spgemm_sort_rows_by<Numeric, std::uint32_t>(launches, operands, ranges, classes, count, target);
  else
    spgemm_sort_rows_by<Numeric, std::uint64_t>(launches, operands, ranges, classes, count, target);
}

}  // namespace lacuna::Impl

#endif
