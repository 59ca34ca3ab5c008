// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TILEFORM_HPP
#define LACUNA_TILEFORM_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace lacuna::Impl {

/// Who works on a tile: threads that hold sums, with those of a lane group that asks a copy engine for tiles where
/// there is one.
struct TileTeam {
  int threads;    ///< that hold sums
  int askers;     ///< beside them
  int sum_bytes;  ///< of a thread

  constexpr int all() const { return threads + askers; }
  /// Of lanes that hold sums; a host has one of one lane.
  constexpr int groups(int lane_width) const { return lane_width > 1 ? threads / lane_width : 1; }
};

/// How a row of C is shared out: bytes that a lane reads of a row of B at once, and how many such packs it has.
struct TileForm {
  int load  = 0;  ///< none: no form fits
  int packs = 1;

  constexpr bool operator==(const TileForm&) const = default;

  constexpr int elements(std::size_t scalar_bytes) const {
    return std::max(1, load / static_cast<int>(scalar_bytes));  // of a pack
  }
  constexpr int lane_bytes(std::size_t scalar_bytes) const {
    return elements(scalar_bytes) * static_cast<int>(scalar_bytes);  // of a pack
  }
  /// Rows of C that a lane group holds.
  constexpr int rows(const TileTeam& team, std::size_t scalar_bytes, std::size_t sum_bytes) const {
    return team.sum_bytes / (packs * elements(scalar_bytes) * static_cast<int>(sum_bytes));
  }
  /// A pack is copied by 16 bytes, and no other form does the same.
  constexpr bool is_possible(int lane_width, std::size_t scalar_bytes) const {
    return lane_bytes(scalar_bytes) == load && lane_width * load >= 16;
  }
};

/// Calls use.template operator()<form>() for every form there is. Twice the packs serve twice the columns for one read
/// of a nonzero, on half the rows; half a load the other way round.
template <class Use>
void static_for_each_form(const Use& use) {
  use.template operator()<TileForm{8, 1}>();
  use.template operator()<TileForm{16, 1}>();
  use.template operator()<TileForm{16, 2}>();
}

}  // namespace lacuna::Impl

#endif
