// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALPAIRS_HPP
#define LACUNA_DIAGONALPAIRS_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStripsPolicy.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

#include <cstdint>

/// \file
/// \brief For every diagonal of C the pairs of diagonals of A and B that meet there, in the order of A's: a pair is
/// A's place in the low half of a word and B's in the high half. Lists are filled up to a multiple of
/// `DiagonalStripsPolicy::batch` with pairs that name no diagonal.

namespace lacuna::Impl {

struct DiagonalPairs {
  const std::int64_t* map;  ///< list q is [map[q], map[q + 1])
  const std::uint32_t* pairs;

  static constexpr std::uint32_t nothing = 0xffffu;  ///< in the half of A
  static constexpr std::int64_t most     = 0xffff;   ///< diagonals of an operand
};

/// The lengths of the lists, then what is in them.
template <class ArgumentsType>
struct DiagonalPairSearch {
  using Arguments                     = ArgumentsType;
  static constexpr std::int64_t batch = DiagonalStripsPolicy::batch;

  Arguments arguments;

  /// visit(place in A, where B's diagonal begins in `list`).
  template <class Visit>
  KOKKOS_FUNCTION void for_each_pair(std::int64_t q, const Visit& visit) const {
    const auto &A = arguments.A, &B = arguments.B;
    const std::int64_t d = arguments.C.offset(q);
    for (std::int64_t p = 0; p < A.dg; ++p) {
      std::int64_t f = d - A.offset(p);
      if constexpr (Arguments::Operand::wraps) f += f < 0 ? A.rows : 0;
      const std::int64_t b = B.base(f);
      if (b != not_stored) visit(p, b + (Arguments::Operand::wraps || f >= 0 ? 0 : -f));
    }
  }
  struct Count {
    std::int64_t& count;
    KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t) const { ++count; }
  };
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t q) const {
    std::int64_t count = 0;
    for_each_pair(q, Count{count});
    return (count + batch - 1) / batch * batch;
  }
};

template <class ArgumentsType>
struct DiagonalPairFill {
  using Arguments = ArgumentsType;

  DiagonalPairSearch<Arguments> search;
  const std::int64_t* map;
  std::uint32_t* pairs;

  struct Write {
    const Arguments& arguments;
    std::uint32_t* pairs;
    std::int64_t& place;
    KOKKOS_FUNCTION void operator()(std::int64_t p, std::int64_t start) const {
      const auto& B = arguments.B;
      std::int64_t b;
      if constexpr (Arguments::Operand::wraps)
        b = start / B.rows;
      else
        b = upper_bound(B.starts, 0, B.dg, start) - 1;
      pairs[place++] = static_cast<std::uint32_t>(p) | static_cast<std::uint32_t>(b) << 16;
    }
  };
  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    std::int64_t place = map[q];
    search.for_each_pair(q, Write{search.arguments, pairs, place});
    for (; place < map[q + 1]; ++place) pairs[place] = DiagonalPairs::nothing;
  }
};

/// Elements of `map` and `pairs`, at most.
inline std::int64_t diagonal_map_elements(std::int64_t dg_c) { return dg_c + 1; }
inline std::int64_t diagonal_pair_elements(std::int64_t dg_a, std::int64_t dg_b, std::int64_t dg_c) {
  return dg_a * dg_b + dg_c * (DiagonalStripsPolicy::batch - 1);
}

/// Lists the pairs in memory of the sizes above. Does not fence.
template <class ExecutionSpace, class Arguments>
void list_diagonal_pairs(const ExecutionSpace& exec, const Arguments& arguments, std::int64_t* map,
                         std::uint32_t* pairs) {
  const std::int64_t lists = arguments.C.dg;
  const DiagonalPairSearch<Arguments> search{arguments};
  Kokkos::parallel_scan("Lacuna::diagonal::count_pairs", IndexRange<ExecutionSpace>(exec, 0, lists + 1),
                        LengthScan<std::int64_t, DiagonalPairSearch<Arguments>>{lists, map, search});
  for_each_index(exec, "Lacuna::diagonal::list_pairs", lists, DiagonalPairFill<Arguments>{search, map, pairs});
}

}  // namespace lacuna::Impl

#endif
