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
/// Nonzeros of C are cut into windows, and a team takes a window. The lists of a window are sorted by length, the
/// longest first, and stored in segments. A long list is a segment of its own. A segment of short lists has one list
/// for each lane of a warp, interleaved, so that lanes that take one list each load consecutive products.

namespace lacuna::Impl {

/// Positions of the factors of a product in the values of A and of B.
struct alignas(8) SpgemmProduct {
  std::uint32_t a, b;
};

/// How lists are cut, and who adds them.
struct SpgemmListWay {
  /// Upper bound of the cost of a window without its last list: a product costs 1, a nonzero of C costs `nonzero_cost`.
  std::int64_t window_cost;
  /// Products of a list that a lane adds. All lanes of a warp, or a team, add longer lists.
  std::uint32_t longest_of_lane;

  static constexpr std::int64_t nonzero_cost     = 8;     ///< in products; not tuned
  static constexpr std::uint32_t longest_of_warp = 2048;  ///< products of a list; a team adds longer ones; not tuned
  constexpr std::int64_t windows(std::int64_t products, std::int64_t nonzeros) const {
    return ceiling_quotient(products + nonzero_cost * nonzeros, window_cost);
  }
  /// Upper bound of the lists of a window.
  KOKKOS_FORCEINLINE_FUNCTION constexpr int most_lists() const { return static_cast<int>(window_cost / nonzero_cost); }
};

/// The numbers of the lists, see tuning.md.
struct SpgemmListPolicy {
  static constexpr double long_lists = 8;   ///< mean products of a nonzero of C from which lists are long
  static constexpr int index_bits    = 11;  ///< of a list's index in its window
  /// Upper bound of the bytes of the sums of a window. Not tuned: twice as much leaves a GPU no scratch for eight
  /// teams.
  static constexpr std::size_t most_bytes = std::size_t{16} << 10;
  /// The largest windows, and the longest lists that a lane adds: those of matrices with long lists.
  static constexpr SpgemmListWay large_windows(std::uint32_t lanes) { return {16384, 2 * lanes}; }
  /// `teams`: how many the device holds.
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

/// The index of a list's sum in the window, and the length of a short list.
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

/// How many lists of a window the team adds, and how many the team or a warp adds.
struct alignas(8) SpgemmLongLists {
  std::int32_t of_team, all;
};

struct SpgemmProductLists {
  int most_lists                   = 0;        ///< of a window, at most
  const std::int64_t* first        = nullptr;  ///< the first nonzero of C of each window, and one behind the last
  const std::int64_t* segment      = nullptr;  ///< the first segment of each window
  const SpgemmLongLists* long_ones = nullptr;  ///< of each window
  const SpgemmListRecord* records  = nullptr;  ///< of the nonzeros of C, in the order of lists in their window
  const std::int64_t* begin        = nullptr;  ///< of each segment, and behind the last
  const SpgemmProduct* products    = nullptr;
};

}  // namespace lacuna::Impl

#endif
