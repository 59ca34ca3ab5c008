// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMSUMPRODUCTS_HPP
#define LACUNA_SPGEMMSUMPRODUCTS_HPP

#include <backends/Lacuna_Launch.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductRuns.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Writes the values of C by the places of products. A team takes a window. The order of additions depends on the plan
/// alone: the same bits on every run.
///
/// Bound: bytes, a product reads a place (2) and an element of B, along rows; a run 16 and an element of A; a nonzero
/// of C takes 6 and a store. Where caches hold B: instructions (40 in the loop for a warp of products), their latency.
/// Evidence: kernels/spgemm/tuning.md.
template <class Operands>
struct SpgemmSumProducts {
  using Scalar = typename Operands::Scalar;

  static constexpr int team_size = 256;
  static constexpr int teams     = 5;  ///< minimum on a multiprocessor
  /// Products that a lane works on at once.
  static constexpr int in_flight  = 4;
  static constexpr int most_warps = 8;

  Operands operands;
  SpgemmProductRuns runs;
  Scalar* values;

  /// Hosts add to C.
  template <class ExecutionSpace>
  std::size_t scratch_bytes() const {
    if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) return 0;
    return static_cast<std::size_t>(runs.scratch + most_warps) * sizeof(Scalar) + 64;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const SpgemmProductWindow window = runs.windows[team.league_rank()];
    const SpgemmProductWindow next   = runs.windows[team.league_rank() + 1];
    const int count                  = static_cast<int>(next.nonzero - window.nonzero);
    if (count == 0) return;
    if constexpr (Team::lane_width == 1) {
      add_in_order(window, count, next.run);
    } else {
      Scalar* const products = team.template scratch<Scalar>(runs.scratch);
      Scalar* const of_warps = team.template scratch<Scalar>(most_warps);
      Scalar* const sums     = products + window.places;
      const Scalar alone     = multiply(team, window, next.place, products);
      team.barrier();
      add_products(team, window, count, products, sums);
      if (window.is_alone != 0) add_alone(team, alone, of_warps, sums + count - 1);
      team.barrier();
      for (int i = team.thread(); i < count; i += team_size) values[window.nonzero + i] = sums[i];
    }
  }

 private:
  /// A thread alone, run by run.
  KOKKOS_FORCEINLINE_FUNCTION void add_in_order(const SpgemmProductWindow& window, int count, std::int64_t end) const {
    const SpgemmProductRuns own = runs;  // compilers see that no store to C changes it
    Scalar* const sums          = values + window.nonzero;
    for (int i = 0; i < count; ++i) sums[i] = operands.zero();
    for (std::int64_t r = window.run; r < end; ++r) {
      const SpgemmRun run       = own.runs[r];
      const Scalar factor       = operands.factor(operands.A.values[run.a]);
      const Scalar* const b     = operands.B.values + run.b;
      const SpgemmPlace* places = own.places + window.place + run.place;
      for (std::uint32_t i = 0; i < run.length; ++i)
        if (places[i] < SpgemmPlaceBits::first_none) operands.add(sums[places[i]], operands.product(factor, b[i]));
    }
  }

  /// Puts products where they belong. Returns the thread's sum of those that have no place. A warp takes a warp of
  /// places: how many runs begin up to a lane tells its run. Loads do not depend on what a place says, and addresses
  /// take one instruction: those would else be what bounds the kernel.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Scalar multiply(const Team& team, const SpgemmProductWindow& window, std::int64_t end,
                                              Scalar* products) const {
    using lanes              = typename Team::lanes;
    constexpr int lane_width = Team::lane_width;
    constexpr int warps      = team_size / lane_width;
    const auto places_here   = static_cast<int>(end - window.place);
    const auto after_first   = static_cast<typename lanes::Mask>((typename lanes::Mask(2) << team.lane()) - 2);
    const char* const in     = lanes::keep(reinterpret_cast<const char*>(runs.runs + window.run));
    const SpgemmPlace* own   = runs.places + window.place + team.thread();
    const std::uint32_t* run = runs.run_of_warp + window.place / lane_width + team.warp();
    Scalar alone             = operands.zero();
    for (int from = team.thread(); from < places_here; from += in_flight * team_size) {
      SpgemmPlace place[in_flight];
      SpgemmRun of[in_flight];
      Scalar a[in_flight], b[in_flight];
      LACUNA_UNROLL
      for (int i = 0; i < in_flight; ++i) {
        const bool is_here = from + i * team_size < places_here;  // or not, for a whole warp
        const int word     = is_here ? own[i * team_size] : SpgemmPlaceBits::left_out;
        const auto begins  = lanes::ballot((word & SpgemmPlaceBits::begins_run) != 0);
        const int at       = (is_here ? static_cast<int>(run[i * warps]) : 0) + count_bits(begins & after_first);
        place[i]           = static_cast<SpgemmPlace>(word & SpgemmPlaceBits::place);
        of[i]              = load_run<lanes>(lanes::strided(in, at, sizeof(SpgemmRun)));
      }
      LACUNA_UNROLL
      for (int i = 0; i < in_flight; ++i) {
        const auto position   = static_cast<std::uint32_t>(from + i * team_size);
        const std::uint32_t k = place[i] == SpgemmPlaceBits::left_out ? of[i].b : of[i].b + (position - of[i].place);
        a[i]                  = lanes::load_cached(operands.A.values + of[i].a);
        b[i]                  = lanes::load_cached(operands.B.values + k);
      }
      LACUNA_UNROLL
      for (int i = 0; i < in_flight; ++i) {
        const Scalar product = operands.product(operands.factor(a[i]), b[i]);
        if (place[i] < SpgemmPlaceBits::first_none) products[place[i]] = product;
        if (window.is_alone != 0 && place[i] == SpgemmPlaceBits::alone) operands.add(alone, product);
      }
      own += in_flight * team_size;
      run += in_flight * warps;
    }
    return alone;
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static SpgemmRun load_run(const char* at) {
    return Lanes::load_cached(reinterpret_cast<const Pack<SpgemmRun, 1>*>(at)).value[0];
  }

  /// Adds up the products of each nonzero of C: of short sums, a lane takes one.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(const Team& team, const SpgemmProductWindow& window, int count,
                                                const Scalar* products, Scalar* sums) const {
    const SpgemmSum* const own = runs.sums + window.nonzero;
    const int long_sums        = window.long_sums;
    for (int i = window.is_alone + team.warp(); i < long_sums; i += team_size / Team::lane_width) {
      const SpgemmSum of = own[i];
      Scalar sum         = operands.zero();
      for (int p = team.lane(); p < of.length; p += Team::lane_width) operands.add(sum, products[of.place + p]);
      sum = first_of_warp<Team>(sum);
      if (team.lane() == 0) sums[of.nonzero] = sum;
    }
    for (int i = long_sums + team.thread(); i < count; i += team_size) {
      const SpgemmSum of   = own[i];
      Scalar sum           = operands.zero();
      const Scalar* of_sum = products + of.place;
      int left             = of.length;
      for (; left >= 4; left -= 4, of_sum += 4 * Team::lane_width) {
        Scalar some[4];
        LACUNA_UNROLL
        for (int p = 0; p < 4; ++p) some[p] = of_sum[p * Team::lane_width];
        LACUNA_UNROLL
        for (int p = 0; p < 4; ++p) operands.add(sum, some[p]);
      }
      for (; left > 0; --left, of_sum += Team::lane_width) operands.add(sum, *of_sum);
      sums[of.nonzero] = sum;
    }
  }

  /// The sum over a warp, in its first lane.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Scalar first_of_warp(Scalar sum) const {
    for (int distance = Team::lane_width / 2; distance > 0; distance /= 2) {
      const Scalar other = Team::lanes::shuffle_down(sum, distance, Team::lane_width);
      operands.add(sum, other);
    }
    return sum;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_alone(const Team& team, const Scalar& own, Scalar* of_warps,
                                             Scalar* alone) const {
    const Scalar sum = first_of_warp<Team>(own);
    if (team.lane() == 0) of_warps[team.warp()] = sum;
    team.barrier();
    if (team.thread() != 0) return;
    Scalar total = of_warps[0];
    for (int warp = 1; warp < team_size / Team::lane_width; ++warp) operands.add(total, of_warps[warp]);
    *alone = total;
  }
};

}  // namespace lacuna::Impl

#endif
