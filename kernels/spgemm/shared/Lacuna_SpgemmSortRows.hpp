// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMSORTROWS_HPP
#define LACUNA_SPGEMMSORTROWS_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief Rows of few products: expand, sort, compress in scratch (001, stage 3, bitonic ESC).

namespace lacuna::Impl {

/// Rows of at most `capacity` products, a power of two up to 512.
template <class Ordinal>
struct SpgemmSortClass {
  const Ordinal* rows     = nullptr;
  std::int64_t count      = 0;
  int capacity            = 0;
  int width               = 1;  ///< lanes a row
  int lanes_b             = 1;  ///< of those, lanes a row of B
  std::int64_t first_team = 0;  ///< of a launch
};

/// What one launch may hold: 8, 16 … 512 products.
inline constexpr int most_sort_classes = 7;

/// Rows of one class after the other, each by `width` lanes. Keys are columns with the place of the product behind, so
/// that equal columns are added in the order of A: the same bits on every run.
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, class KeyType, class Operands, class Position>
struct SpgemmSortRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Key     = KeyType;

  static constexpr LaunchKind launch_kind = LaunchKind::native;
  static constexpr int place_bits         = 9;
  static constexpr Key none               = ~Key(0);

  Operands operands;
  const ColumnRange<Ordinal>* ranges;
  SpgemmSortClass<Ordinal> classes[most_sort_classes];  ///< those behind the last have no rows
  SpgemmTarget<Scalar, Ordinal, Position> target;

  static constexpr std::size_t bytes_per_product = sizeof(Key) + (Numeric ? sizeof(Scalar) : 0);

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const SpgemmSortClass<Ordinal> here = class_of(team.league_rank());
    const int capacity = here.capacity, width = here.width;
    const int crews = team.threads() / width;
    const int crew  = team.thread() / width;
    const int rank  = team.thread() % width;
    Key* const keys = team.template scratch<Key>(static_cast<std::size_t>(capacity * crews)) + capacity * crew;
    Scalar* values  = nullptr;
    if constexpr (Numeric)
      values = team.template scratch<Scalar>(static_cast<std::size_t>(capacity * crews)) + capacity * crew;
    const std::int64_t place = (team.league_rank() - here.first_team) * crews + crew;
    const bool exists        = place < here.count;
    const Ordinal row        = exists ? here.rows[place] : Ordinal(0);

    const int filled = expand(team, exists, row, rank, width, here.lanes_b, keys, values);
    for (int i = filled + rank; i < capacity; i += width) keys[i] = none;
    team.group_barrier();
    if (Team::lane_width > 1 && capacity == 2 * width) {
      sort_pairs<Team>(rank, width, keys);
      team.group_barrier();
    } else {
      sort(team, rank, width, capacity, keys);
    }
    compress(team, exists, row, rank, width, capacity, filled, keys, values);
  }

 private:
  /// Every class is compared: an index that is not known would bring all of them into local memory.
  KOKKOS_FORCEINLINE_FUNCTION SpgemmSortClass<Ordinal> class_of(std::int64_t launched) const {
    SpgemmSortClass<Ordinal> found = classes[0];
    LACUNA_UNROLL
    for (int c = 1; c < most_sort_classes; ++c)
      if (classes[c].count > 0 && launched >= classes[c].first_team) found = classes[c];
    return found;
  }

  /// Every row of B by `lanes_b` lanes; the number of products.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION int expand(const Team&, bool exists, Ordinal row, int rank, int width, int lanes_b,
                                         Key* keys, Scalar* values) const {
    using lanes         = typename Team::lanes;
    const Arrays& A     = operands.A;
    const Arrays& B     = operands.B;
    const Offset end    = exists ? A.row_map[row + 1] : Offset(0);
    const Ordinal first = exists ? ranges[row].first : Ordinal(0);
    int filled          = 0;
    for (Offset base = exists ? A.row_map[row] : Offset(0); lanes::any(base < end);
         base += static_cast<Offset>(width / lanes_b)) {
      const Offset k = base + static_cast<Offset>(rank / lanes_b);
      Offset from = 0, to = 0;
      Scalar factor(0);
      if (k < end) {
        const Ordinal inner = A.entries[k];
        from                = B.row_map[inner];
        to                  = B.row_map[inner + 1];
        if constexpr (Numeric) factor = operands.factor(A.values[k]);
      }
      const int length = static_cast<int>(to - from);
      int sum          = length;
      for (int distance = lanes_b; distance < width; distance *= 2) {
        const int before = lanes::shuffle_up(sum, distance, width);
        if (rank >= distance) sum += before;
      }
      const int start = filled + sum - length;
      for (int i = rank % lanes_b; i < length; i += lanes_b) {
        const Offset b  = from + static_cast<Offset>(i);
        const int place = start + i;
        keys[place]     = static_cast<Key>(B.entries[b] - first) << place_bits | static_cast<Key>(place);
        if constexpr (Operands::is_masked)
          if (!operands.mask.allows(row, B.entries[b])) keys[place] = none;
        if constexpr (Numeric) values[place] = operands.product(factor, B.values[b]);
      }
      filled += lanes::shuffle(sum, width - 1, width);
    }
    return filled;
  }

  /// Bitonic, two keys a lane, in registers.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sort_pairs(int rank, int width, Key* keys) const {
    using lanes = typename Team::lanes;
    Key a = keys[2 * rank], b = keys[2 * rank + 1];
    for (int run = 2; run <= 2 * width; run *= 2) {
      const bool up = (2 * rank & run) == 0;
      for (int distance = run / 4; distance > 0; distance /= 2) {
        const Key other_a = lanes::shuffle(a, rank ^ distance, width);
        const Key other_b = lanes::shuffle(b, rank ^ distance, width);
        const bool least  = ((rank & distance) == 0) == up;
        a                 = (a < other_a) == least ? a : other_a;
        b                 = (b < other_b) == least ? b : other_b;
      }
      if ((a > b) == up) {
        const Key larger = a;
        a                = b;
        b                = larger;
      }
    }
    keys[2 * rank]     = a;
    keys[2 * rank + 1] = b;
  }

  /// Bitonic, all of `capacity`.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sort(const Team& team, int rank, int width, int capacity, Key* keys) const {
    for (int run = 2; run <= capacity; run *= 2) {
      for (int distance = run / 2; distance > 0; distance /= 2) {
        for (int pair = rank; pair < capacity / 2; pair += width) {
          const int low  = 2 * pair - (pair & (distance - 1));
          const int high = low + distance;
          const Key a = keys[low], b = keys[high];
          if ((a > b) == ((low & run) == 0)) {
            keys[low]  = b;
            keys[high] = a;
          }
        }
        team.group_barrier();
      }
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compress(const Team&, bool exists, Ordinal row, int rank, int width, int capacity,
                                            int filled, const Key* keys, const Scalar* values) const {
    using lanes         = typename Team::lanes;
    const Ordinal first = exists ? ranges[row].first : Ordinal(0);
    int written         = 0;
    for (int base = 0; base < capacity; base += width) {
      const int i       = base + rank;
      const bool is_one = i < filled && (!Operands::is_masked || keys[i] != none) &&
                          (i == 0 || keys[i - 1] >> place_bits != keys[i] >> place_bits);
      int sum = is_one ? 1 : 0;
      for (int distance = 1; distance < width; distance *= 2) {
        const int before = lanes::shuffle_up(sum, distance, width);
        if (rank >= distance) sum += before;
      }
      if constexpr (Numeric) {
        if (is_one) {
          const Position at    = target.begin[row] + static_cast<Position>(written + sum - 1);
          const Key column     = keys[i] >> place_bits;
          constexpr Key in_row = (Key(1) << place_bits) - 1;
          Scalar total         = values[keys[i] & in_row];
          for (int next = i + 1; next < filled && keys[next] >> place_bits == column; ++next)
            operands.add(total, values[keys[next] & in_row]);
          target.entries[at] = static_cast<Ordinal>(column) + first;
          target.values[at]  = total;
        }
      }
      written += lanes::shuffle(sum, width - 1, width);
    }
    if (target.counts != nullptr && exists && rank == 0) target.counts[row] = static_cast<Ordinal>(written);
  }
};

/// `count` classes, in the order in which their teams shall start. Does not fence.
template <bool Numeric, class Key, class ExecutionSpace, class Operands, class Position>
void spgemm_sort_rows_by(
    const ExecutionSpace& exec, const Operands& operands, const ColumnRange<typename Operands::Arrays::Ordinal>* ranges,
    const SpgemmSortClass<typename Operands::Arrays::Ordinal>* classes, int count,
    const SpgemmTarget<typename Operands::Arrays::Scalar, typename Operands::Arrays::Ordinal, Position>& target) {
  using Body              = SpgemmSortRows<Numeric, Key, Operands, Position>;
  constexpr int whole     = ExecutionTraits<ExecutionSpace>::lane_width;
  const int threads       = team_threads<ExecutionSpace>(128);
  const std::int64_t wave = processors(exec) * static_cast<std::int64_t>(largest_scratch(exec));
  for (int c = 0; c < count;) {
    Body body{operands, ranges, {}, target};
    std::int64_t teams  = 0;
    std::size_t scratch = 0;
    // The next class comes along where it needs as much scratch, or where the launch does not fill the device.
    for (int n = 0; c < count && n < most_sort_classes; ++c, ++n) {
      SpgemmSortClass<typename Operands::Arrays::Ordinal> next = classes[c];
      next.width                                               = next.capacity / 2 < whole ? next.capacity / 2 : whole;
      next.lanes_b                                             = lanes_for(mean_length(operands.B), next.width);
      next.first_team                                          = teams;
      const int crews                                          = threads / next.width;
      const std::size_t bytes =
          static_cast<std::size_t>(next.capacity) * static_cast<std::size_t>(crews) * Body::bytes_per_product + 64;
      const std::int64_t more = teams + ceiling_quotient(next.count, crews);
      if (n > 0 && bytes != scratch && more * static_cast<std::int64_t>(scratch) > wave) break;
      scratch         = bytes > scratch ? bytes : scratch;
      teams           = more;
      body.classes[n] = next;
    }
    launch_teams<128, 8>(exec, Numeric ? "Lacuna::spgemm::sort_rows" : "Lacuna::spgemm::count_by_sort",
                         {teams, threads}, scratch, body);
  }
}

/// The same with the shortest keys that hold the columns of B and the places of products.
template <bool Numeric, class ExecutionSpace, class Operands, class Position>
void spgemm_sort_rows(
    const ExecutionSpace& exec, const Operands& operands, const ColumnRange<typename Operands::Arrays::Ordinal>* ranges,
    const SpgemmSortClass<typename Operands::Arrays::Ordinal>* classes, int count,
    const SpgemmTarget<typename Operands::Arrays::Scalar, typename Operands::Arrays::Ordinal, Position>& target) {
  // The largest key stands for none.
  constexpr std::int64_t most = (std::int64_t{1} << (32 - 9)) - 1;
  if (static_cast<std::int64_t>(operands.B.columns) <= most)
    spgemm_sort_rows_by<Numeric, std::uint32_t>(exec, operands, ranges, classes, count, target);
  else
    spgemm_sort_rows_by<Numeric, std::uint64_t>(exec, operands, ranges, classes, count, target);
}

}  // namespace lacuna::Impl

#endif
