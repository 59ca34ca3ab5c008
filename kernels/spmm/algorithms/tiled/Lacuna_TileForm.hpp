// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TILEFORM_HPP
#define LACUNA_TILEFORM_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace lacuna::Impl {

/// The team of a tile: threads that hold sums, with those of a warp that asks a copy engine for tiles where
/// there is one.
struct TileTeam {
  int threads;    ///< that hold sums
  int askers;     ///< beside them
  int sum_bytes;  ///< of a thread

  constexpr int all() const { return threads + askers; }
  /// Of lanes that hold sums; a host has one of one lane.
  constexpr int groups(int lane_width) const { return lane_width > 1 ? threads / lane_width : 1; }
};

/// Bytes of a value of A, and of an element of B as it comes to scratch.
struct TiledScalars {
  std::size_t A;
  std::size_t B;

  constexpr TiledScalars(std::size_t both) : A(both), B(both) {}
  constexpr TiledScalars(std::size_t of_A, std::size_t of_B) : A(of_A), B(of_B) {}

  constexpr bool rounds_B() const { return B < A; }
  /// Bytes of a sum: half precision is summed in float.
  constexpr std::size_t sum() const { return std::max<std::size_t>(A, 4); }
};

/// How a row of C is shared out: bytes that a lane reads of a row of B at once, and how many such packs it has.
struct TileForm {
  int load  = 0;  ///< none: no form fits
  int packs = 1;

  constexpr bool operator==(const TileForm&) const = default;

  /// Of B in a pack, and their bytes.
  constexpr int elements(TiledScalars scalars) const { return std::max(1, load / static_cast<int>(scalars.B)); }
  constexpr int lane_bytes(TiledScalars scalars) const { return elements(scalars) * static_cast<int>(scalars.B); }
  /// Rows of C that a warp holds.
  constexpr int rows(const TileTeam& team, TiledScalars scalars) const {
    return team.sum_bytes / (packs * elements(scalars) * static_cast<int>(scalars.sum()));
  }
  /// A pack is copied by 16 bytes, and no other form does the same. Packs of 4 bytes are for half precision.
  constexpr bool is_possible(int lane_width, TiledScalars scalars) const {
    return lane_bytes(scalars) == load && lane_width * load >= 16 && (load > 4 || scalars.B == 2);
  }
};

/// Calls use.template operator()<form>() for every form there is. Twice the packs serve twice the columns for one read
/// of a nonzero, on half the rows; half a load the other way round.
template <class Use>
void static_for_each_form(const Use& use) {
  use.template operator()<TileForm{4, 1}>();
  use.template operator()<TileForm{8, 1}>();
  use.template operator()<TileForm{16, 1}>();
  use.template operator()<TileForm{16, 2}>();
}

}  // namespace lacuna::Impl

#endif
