// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPRODUCTLISTS_HPP
#define LACUNA_SPGEMMPRODUCTLISTS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief For every nonzero of C the list of products that it is the sum of, as kernels see it.
///
/// Nonzeros of C are cut into windows, one a team. In a window lists are sorted by length, the longest first, and
/// stored in chunks. A long list is a chunk of its own. Of the others a chunk has one for each lane of a lane group,
/// interleaved, so that lanes that take one list each load consecutive products.

namespace lacuna::Impl {

/// Positions of its factors in the values of A and of B.
struct alignas(8) SpgemmProduct {
  std::uint32_t a, b;
};

/// How lists are cut and who adds them.
struct SpgemmListPolicy {
  /// What a window costs at most, but for its last list: a product costs 1, a nonzero of C `nonzero_cost`.
  static constexpr std::int64_t window_cost  = 8192;
  static constexpr std::int64_t nonzero_cost = 8;
  static constexpr int most_lists            = static_cast<int>(window_cost / nonzero_cost);  ///< of a window
  static constexpr int place_bits            = 10;
  static_assert(most_lists <= (1 << place_bits));
  /// Longer lists are added by all lanes of a lane group, or by a team.
  template <int lane_width>
  static constexpr std::uint32_t longest_of_lane  = 4 * static_cast<std::uint32_t>(lane_width);
  static constexpr std::uint32_t longest_of_group = 2048;
};

/// The place of a list's sum in the window, and how long the list is where it is short.
struct SpgemmListRecord {
  std::uint32_t bits;

  KOKKOS_FORCEINLINE_FUNCTION static SpgemmListRecord of(std::uint32_t place, std::uint32_t length) {
    return {place | length << SpgemmListPolicy::place_bits};
  }
  KOKKOS_FORCEINLINE_FUNCTION int place() const {
    return static_cast<int>(bits & ((1U << SpgemmListPolicy::place_bits) - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t length() const { return bits >> SpgemmListPolicy::place_bits; }
};

/// How many lists of a window are added by the team, and how many by the team or a lane group.
struct alignas(8) SpgemmLongLists {
  std::int32_t of_team, all;
};

struct SpgemmProductLists {
  const std::int64_t* first        = nullptr;  ///< nonzero of C of each window, and one behind the last
  const std::int64_t* chunk        = nullptr;  ///< the first of each window
  const SpgemmLongLists* long_ones = nullptr;  ///< of each window
  const SpgemmListRecord* records  = nullptr;  ///< of the nonzeros of C, in the order of their windows' lists
  const std::int64_t* begin        = nullptr;  ///< of each chunk, and behind the last
  const SpgemmProduct* products    = nullptr;
};

}  // namespace lacuna::Impl

#endif
