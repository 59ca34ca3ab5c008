// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALPAIRS_HPP
#define LACUNA_DIAGONALPAIRS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStripsPolicy.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

#include <cstdint>

/// \file
/// \brief For every diagonal of C the pairs of diagonals of A and B that meet there, in the order of A's: a pair is
/// A's position in the low half of a word and B's in the high half. A's diagonals are taken in passes, each of which
/// has lists of its own, and positions are those within the pass. Lists are filled up to a multiple of the pairs that
/// are taken at once, with pairs that name a diagonal behind the pass's last.

namespace lacuna::Impl {

struct DiagonalPairs {
  const std::int64_t* map;  ///< the list of pass p and diagonal q of C begins at map[p * diagonals + q]
  const std::uint32_t* pairs;

  static constexpr std::uint32_t low = 0xffffu;  ///< A's half
  static constexpr std::int64_t most = 0xfffe;   ///< diagonals of an operand
};

/// A warp a list: counts the pairs (`Fill` = false), or writes them.
template <class ArgumentsType, bool Fill>
struct DiagonalPairSearch {
  using Arguments = ArgumentsType;

  Arguments arguments;
  std::int64_t* counts;  ///< filled up
  const std::int64_t* map;
  std::uint32_t* pairs;
  std::int64_t of_pass;  ///< diagonals of A in a pass
  std::int64_t lists;
  int at_once;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes               = typename Team::lanes;
    const std::int64_t unroll = at_once;
    const std::int64_t list   = static_cast<std::int64_t>(team.league_rank()) * team.warps() + team.warp();
    const auto& A             = arguments.A;
    if (list >= lists) return;
    const std::int64_t d     = arguments.C.offset(list % arguments.C.dg);
    const std::int64_t begin = list / arguments.C.dg * of_pass;
    const std::int64_t end   = begin + of_pass < A.dg ? begin + of_pass : A.dg;
    std::int64_t count       = 0;
    for (std::int64_t first = begin; first < end; first += Team::lane_width) {
      const std::int64_t p = first + team.lane();
      std::int64_t start   = -1;
      if (p < end) start = start_of(d - A.offset(p));
      const auto mask = lanes::ballot(start >= 0);
      if constexpr (Fill) {
        const auto below = (static_cast<typename lanes::Mask>(1) << team.lane()) - 1;
        if (start >= 0)
          pairs[map[list] + count + count_bits(mask & below)] = word(p - begin, position_of(start, d - A.offset(p)));
      }
      count += count_bits(mask);
    }
    const std::int64_t whole = (count + unroll - 1) / unroll * unroll;
    if constexpr (Fill) {
      for (std::int64_t k = count + team.lane(); k < whole; k += Team::lane_width)
        pairs[map[list] + k] = word(of_pass, 0);
    } else {
      if (team.lane() == 0) counts[list] = whole;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t word(std::int64_t p, std::int64_t q) {
    return static_cast<std::uint32_t>(p) | static_cast<std::uint32_t>(q) << 16;
  }
  /// Where the diagonal f of B begins in `list`, -1.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t start_of(std::int64_t f) const {
    if constexpr (Arguments::Operand::wraps) f += f < 0 ? arguments.A.rows : 0;
    const std::int64_t base = arguments.B.base(f);
    if (base == not_stored) return -1;
    return base + (Arguments::Operand::wraps || f >= 0 ? 0 : -f);
  }
  /// The position of the diagonal f, which begins there.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t position_of(std::int64_t start, [[maybe_unused]] std::int64_t f) const {
    const auto& B = arguments.B;
    if constexpr (Arguments::Operand::wraps) {
      return start / B.rows;
    } else {
      const std::int64_t below    = B.symmetric ? B.dg / 2 : 0;  // diagonals that begin where others do
      const std::int64_t position = upper_bound(B.starts, 0, B.dg - below, start) - 1;
      return B.symmetric && (B.transposed ? f > 0 : f < 0) ? position + below : position;
    }
  }
};

struct ListLength {
  const std::int64_t* counts;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t q) const { return counts[q]; }
};

/// Elements of `map` and of the counts that it is made from, and of `pairs`, at most.
inline std::int64_t diagonal_map_elements(std::int64_t lists) { return 2 * lists + 1; }
inline std::int64_t diagonal_pair_elements(std::int64_t dg_a, std::int64_t dg_b, std::int64_t lists) {
  return dg_a * dg_b + lists * (DiagonalStripsPolicy::most_pairs_at_once - 1);
}

/// Lists the pairs in memory of the sizes above, for passes of `of_pass` diagonals of A. Does not fence.
template <class ExecutionSpace, class Arguments>
void list_diagonal_pairs(const ExecutionSpace& exec, const Arguments& arguments, std::int64_t* map,
                         std::uint32_t* pairs, std::int64_t passes, std::int64_t of_pass, int at_once) {
  const std::int64_t lists   = passes * arguments.C.dg;
  std::int64_t* const counts = map + lists + 1;
  constexpr int groups       = 8;
  const int threads          = team_threads<ExecutionSpace>(groups * ExecutionTraits<ExecutionSpace>::lane_width);
  const TeamShape shape{ceiling_quotient(lists, ExecutionTraits<ExecutionSpace>::is_gpu ? groups : 1), threads};
  launch_teams(exec, "Lacuna::diagonal::count_pairs", shape, 0,
               DiagonalPairSearch<Arguments, false>{arguments, counts, nullptr, nullptr, of_pass, lists, at_once});
  Kokkos::parallel_scan("Lacuna::diagonal::map_pairs", index_range(exec, lists + 1),
                        LengthScan<std::int64_t, ListLength>{lists, map, ListLength{counts}});
  launch_teams(exec, "Lacuna::diagonal::list_pairs", shape, 0,
               DiagonalPairSearch<Arguments, true>{arguments, nullptr, map, pairs, of_pass, lists, at_once});
}

}  // namespace lacuna::Impl

#endif
