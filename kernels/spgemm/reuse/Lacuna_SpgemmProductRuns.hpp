// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPRODUCTRUNS_HPP
#define LACUNA_SPGEMMPRODUCTRUNS_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief For every product of A and B where it goes, as kernels see it.
///
/// Nonzeros of C are cut into windows of about equal work, and a team takes a window. Its products come in runs: an
/// element of A times neighbours in a row of B, so that B is read along its rows. A number of 16 bits a product tells
/// its place. On GPUs that is one in the team's scratch: products of a nonzero of C stand in the order of A, side by
/// side or, of short sums, a warp's width apart, and are added up when all are there. Hosts add a product at once to
/// the nonzero of C that its place names.

namespace lacuna::Impl {

/// Products of an element of A with neighbouring elements of B.
struct alignas(16) SpgemmRun {
  std::uint32_t a, b;  ///< positions in the values of A and, of the first factor, in those of B
  std::uint32_t length;
  std::uint32_t place;  ///< of its places the first, counted from those of the window
};

/// Where a product goes. On GPUs the first of a run has a bit more, and a window a multiple of the warp's width.
using SpgemmPlace = std::uint16_t;

struct SpgemmPlaceBits {
  static constexpr SpgemmPlace begins_run = 0x8000;
  static constexpr SpgemmPlace place      = 0x7fff;
  static constexpr SpgemmPlace left_out   = 0x7fff;  ///< a mask does not want the product, or another window has it
  static constexpr SpgemmPlace alone      = 0x7ffe;  ///< see `SpgemmProductWindow`
  static constexpr SpgemmPlace first_none = alone;
};

/// A nonzero of C on a GPU. Products of a sum of a lane stand the width of a warp apart, others side by side.
struct SpgemmSum {
  std::uint16_t nonzero;  ///< counted from the first of the window
  std::uint16_t length;   ///< products that have a place
  SpgemmPlace place;      ///< of the first of them
};

struct SpgemmProductWindow {
  std::int64_t nonzero;     ///< of C, the first
  std::int64_t run;         ///< the first
  std::int64_t place;       ///< the first
  std::uint16_t places;     ///< in scratch
  std::uint16_t long_sums;  ///< first sums, which warps add, the one alone among them
  std::uint16_t is_alone;   ///< the last nonzero has more products than scratch: threads add them as they come
  std::uint16_t unused = 0;
};

/// How C is cut.
struct SpgemmWindowPolicy {
  /// Bytes of scratch that a window takes, but for its last sum. See tuning.md.
  static constexpr std::size_t bytes = std::size_t{32} << 10;
  static constexpr std::int64_t most = 4096;
  /// Places that stay free at most, where sums of a group are not of one length. Not tuned.
  static constexpr std::int64_t gaps = 2048;
  /// Upper bound of what a window costs less its last nonzero: a product costs 1, a nonzero of C 1, and one of A 1. A
  /// sum of more products than that is alone. So products, gaps and sums of a window fit `scratch` bytes.
  static constexpr std::int64_t cost(std::size_t scalar_bytes, std::size_t scratch) {
    const auto fit = (static_cast<std::int64_t>(scratch / scalar_bytes) - gaps - 64) / 3;
    return std::min({fit, static_cast<std::int64_t>(bytes / scalar_bytes), most});
  }
  /// Products of a sum that a lane adds.
  KOKKOS_INLINE_FUNCTION static constexpr int most_of_lane(int lane_width) {
    return static_cast<int>(gaps) / lane_width;
  }
};
static_assert(2 * SpgemmWindowPolicy::most + SpgemmWindowPolicy::gaps < SpgemmPlaceBits::first_none);

struct SpgemmProductRuns {
  int scratch                        = 0;        ///< places and sums of a window, at most
  const SpgemmProductWindow* windows = nullptr;  ///< and one behind the last
  const SpgemmRun* runs              = nullptr;
  const SpgemmPlace* places          = nullptr;  ///< of products. Of hosts: the nonzero of C in the window
  /// Of GPUs, for each warp of places: the run of the first, counted from the first of the window.
  const std::uint32_t* run_of_warp = nullptr;
  const SpgemmSum* sums            = nullptr;  ///< of the nonzeros of C, sorted in each window; hosts have none
};

}  // namespace lacuna::Impl

#endif
