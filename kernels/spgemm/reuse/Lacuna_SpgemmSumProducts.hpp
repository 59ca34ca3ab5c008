// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMSUMPRODUCTS_HPP
#define LACUNA_SPGEMMSUMPRODUCTS_HPP

#include <backends/Lacuna_Launch.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductLists.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Writes the values of C, each the sum of its list. A team takes a window. The order of additions depends on the lists
/// alone: the same bits on every run.
template <class Operands>
struct SpgemmSumProducts {
  using Scalar = typename Operands::Scalar;

  static constexpr int team = 256;
  /// Products that a lane loads at once, and minimum teams on a multiprocessor.
  static constexpr int in_flight  = 2;
  static constexpr int teams      = 8;
  static constexpr int most_warps = 8;

  Operands operands;
  SpgemmProductLists lists;
  Scalar* values;

  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(lists.most_lists + most_warps) * sizeof(Scalar) + 64;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t window = team.league_rank();
    const std::int64_t first  = lists.first[window];
    const int count           = static_cast<int>(lists.first[window + 1] - first);
    if (count == 0) return;
    const SpgemmLongLists long_ones   = lists.long_ones[window];
    const std::int64_t* const begin   = lists.begin + lists.segment[window];
    const SpgemmListRecord* const own = lists.records + first;
    Scalar* const sums                = team.template scratch<Scalar>(lists.most_lists);
    Scalar* const of_warps            = team.template scratch<Scalar>(most_warps);
    for (int list = 0; list < long_ones.of_team; ++list) add_by_team(team, begin, own, list, sums, of_warps);
    for (int list = long_ones.of_team + team.warp(); list < long_ones.all; list += team.warps()) {
      const Scalar sum = sum_of_warp(team, begin[list], begin[list + 1], team.lane(), Team::lane_width);
      if (team.lane() == 0) sums[own[list].index()] = sum;
    }
    // A lane takes a list.
    for (int list = long_ones.all + team.thread(); list < count; list += team.threads()) {
      const std::int64_t segment    = long_ones.all + (list - long_ones.all) / Team::lane_width;
      const SpgemmListRecord record = own[list];
      sums[record.index()]          = sum_of<Team>(lists.products + begin[segment] + team.lane(), record.length(),
                                          static_cast<std::uint32_t>(Team::lane_width));
    }
    team.barrier();
    for (int i = team.thread(); i < count; i += team.threads()) values[first + i] = sums[i];
  }

 private:
  /// The sum of `count` products that stand `stride` apart, in their order.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Scalar sum_of(const SpgemmProduct* product, std::uint32_t count,
                                            std::uint32_t stride) const {
    using lanes = typename Team::lanes;
    // A host reorders loads itself, and at -O2 its compiler unrolls nothing: two at once would go through memory.
    constexpr std::uint32_t at_once = Team::lane_width > 1 ? in_flight : 1;
    Scalar sum                      = operands.zero();
    for (std::uint32_t done = 0; done < count; done += at_once, product += at_once * stride) {
      SpgemmProduct products[at_once];
      Scalar a[at_once], b[at_once];
      LACUNA_UNROLL
      for (std::uint32_t i = 0; i < at_once; ++i)
        if (done + i < count)
          products[i] =
              lanes::load_streaming(reinterpret_cast<const Pack<SpgemmProduct, 1>*>(product + i * stride)).value[0];
      LACUNA_UNROLL
      for (std::uint32_t i = 0; i < at_once; ++i)
        if (done + i < count) {
          a[i] = lanes::load_cached(operands.A.values + products[i].a);
          b[i] = lanes::load_cached(operands.B.values + products[i].b);
        }
      LACUNA_UNROLL
      for (std::uint32_t i = 0; i < at_once; ++i)
        if (done + i < count) operands.add(sum, operands.product(operands.factor(a[i]), b[i]));
    }
    return sum;
  }

  /// The sum of the products of a long list that thread `rank` of `threads` threads takes, added up over the warp. The
  /// first lane has the result.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Scalar sum_of_warp(const Team& /*team*/, std::int64_t begin, std::int64_t end, int rank,
                                                 int threads) const {
    const std::int64_t left = end - begin - rank;
    const auto count        = static_cast<std::uint32_t>(left > 0 ? (left + threads - 1) / threads : 0);
    Scalar sum              = sum_of<Team>(lists.products + begin + rank, count, static_cast<std::uint32_t>(threads));
    for (int distance = Team::lane_width / 2; distance > 0; distance /= 2) {
      const Scalar other = Team::lanes::shuffle_down(sum, distance, Team::lane_width);
      operands.add(sum, other);
    }
    return sum;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_by_team(const Team& team, const std::int64_t* begin, const SpgemmListRecord* own,
                                               int list, Scalar* sums, Scalar* of_warps) const {
    const Scalar sum = sum_of_warp(team, begin[list], begin[list + 1], team.thread(), team.threads());
    if (team.lane() == 0) of_warps[team.warp()] = sum;
    team.barrier();
    if (team.thread() == 0) {
      Scalar total = of_warps[0];
      for (int warp = 1; warp < team.warps(); ++warp) operands.add(total, of_warps[warp]);
      sums[own[list].index()] = total;
    }
    team.barrier();
  }
};

}  // namespace lacuna::Impl

#endif
