// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPRODUCTLISTS_HPP
#define LACUNA_SPGEMMPRODUCTLISTS_HPP

#include <Kokkos_Core.hpp>

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief For every nonzero of C the list of products that it is the sum of, as kernels see it.
///
/// Nonzeros of C are cut into windows, one a team. In a window lists are sorted by length, the longest first, and
/// stored in chunks. A long list is a chunk of its own. Of the others a chunk has one for each lane of a warp,
/// interleaved, so that lanes that take one list each load consecutive products.

namespace lacuna::Impl {

/// Positions of its factors in the values of A and of B.
struct alignas(8) SpgemmProduct {
  std::uint32_t a, b;
};

/// How lists are cut and who adds them.
struct SpgemmListWay {
  /// What a window costs at most, but for its last list: a product costs 1, a nonzero of C `nonzero_cost`.
  std::int64_t window_cost;
  /// Longer lists are added by all lanes of a warp, or by a team.
  std::uint32_t longest_of_lane;

  static constexpr std::int64_t nonzero_cost     = 8;
  static constexpr std::uint32_t longest_of_warp = 2048;
  constexpr std::int64_t windows(std::int64_t products, std::int64_t nonzeros) const {
    return ceiling_quotient(products + nonzero_cost * nonzeros, window_cost);
  }
  /// Lists of a window, at most.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int most_lists() const { return static_cast<int>(window_cost / nonzero_cost); }
};

/// H200, 26 November 2026, double, in graphs, by a driver. Lists of more products than lanes by a warp in place
/// of four times as many: pubmed 38 to 25 us, ca-CondMat 69 to 48, HEP-th-new 98 to 80, orani678 52 to 41, meshes the
/// same, bcsstk32 445 to 461. Where lists are long, twice as many and windows twice as large: the 27-point mesh of 30^3
/// points with 3 unknowns 2251 to 1788 us, pkustk06 841 to 600, bcsstk32 445 to 355, pkustk01 240 to 186, viscorocks
/// 157 to 143; too few of them, R (A P) of the 27-point mesh of 40^3 points 16 to 20, bcsstk13 29 to 31. Where lists
/// are short, windows as large are up to 1.3 times slower (copter2 75 to 81 us, obstclae 8 to 11), and windows half as
/// large 1.3 times.
struct SpgemmListPolicy {
  static constexpr double long_lists = 8;  ///< products of a nonzero of C, on average
  static constexpr int index_bits    = 11;
  /// Of the sums of a window, at most. Those of complex doubles would take 32 KiB: more than hosts have beside the
  /// rest, and than GPUs have for eight teams.
  static constexpr std::size_t most_bytes = std::size_t{16} << 10;
  static constexpr SpgemmListWay large_windows(std::uint32_t lanes) { return {16384, 2 * lanes}; }
  /// `teams`: that the device has room for.
  static constexpr SpgemmListWay way(std::int64_t products, std::int64_t nonzeros, int lane_width,
                                     std::size_t scalar_bytes, std::int64_t teams) {
    const auto lanes      = static_cast<std::uint32_t>(lane_width);
    const bool are_long   = static_cast<double>(products) >= long_lists * static_cast<double>(nonzeros);
    const auto large      = large_windows(lanes);
    const bool are_enough = large.windows(products, nonzeros) >= teams;
    const bool fit        = static_cast<std::size_t>(large.most_lists()) * scalar_bytes <= most_bytes;
    return {are_long && are_enough && fit ? large.window_cost : large.window_cost / 2, are_long ? 2 * lanes : lanes};
  }
};
static_assert(SpgemmListPolicy::large_windows(32).most_lists() <= 1 << SpgemmListPolicy::index_bits);

/// The place of a list's sum in the window, and how long the list is where it is short.
struct SpgemmListRecord {
  std::uint32_t bits;

  KOKKOS_FORCEINLINE_FUNCTION static SpgemmListRecord of(std::uint32_t index, std::uint32_t length) {
    return {index | length << SpgemmListPolicy::index_bits};
  }
  KOKKOS_FORCEINLINE_FUNCTION int index() const {
    return static_cast<int>(bits & ((1U << SpgemmListPolicy::index_bits) - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t length() const { return bits >> SpgemmListPolicy::index_bits; }
};

/// How many lists of a window are added by the team, and how many by the team or a warp.
struct alignas(8) SpgemmLongLists {
  std::int32_t of_team, all;
};

struct SpgemmProductLists {
  int most_lists                   = 0;        ///< of a window
  const std::int64_t* first        = nullptr;  ///< nonzero of C of each window, and one behind the last
  const std::int64_t* segment      = nullptr;  ///< the first of each window
  const SpgemmLongLists* long_ones = nullptr;  ///< of each window
  const SpgemmListRecord* records  = nullptr;  ///< of the nonzeros of C, in the order of their windows' lists
  const std::int64_t* begin        = nullptr;  ///< of each chunk, and behind the last
  const SpgemmProduct* products    = nullptr;
};

}  // namespace lacuna::Impl

#endif
