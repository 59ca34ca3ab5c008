// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBASES_HPP
#define LACUNA_DIAGONALBASES_HPP

#include <formats/impl/diagonals/Lacuna_DiagonalStructure.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalBands.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief Where the diagonals of two bands and of their product begin, found on the host: the formats say in which
/// order diagonals are stored, and that nothing lies between them.

namespace lacuna::Impl {

/// \brief The bases of up to `Most` diagonals as distances in bytes, small enough to travel with a kernel.
///
/// A kernel that reads them from its arguments requests its first elements at once. Bases in scratch would need
/// a barrier and a read before each copy. Bases in memory would be slower still, since the copies evict them
/// from the first-level cache.
/// Evidence: kernels/diagonal/tuning.md.
template <int Most>
struct DiagonalBases {
  static constexpr int most = Most;

  std::int64_t distance[Most];

  void set(int position, std::int64_t bytes) { distance[position] = bytes; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator[](int position) const { return distance[position]; }
};

/// \brief The same of more diagonals, in two reads: 48 bits.
template <int Most>
struct PackedDiagonalBases {
  static constexpr int most = Most;

  std::uint32_t low[Most];
  std::int16_t high[Most];

  void set(int position, std::int64_t bytes) {
    low[position]  = static_cast<std::uint32_t>(bytes & 0xffffffff);
    high[position] = static_cast<std::int16_t>(bytes >> 32);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator[](int position) const {
    return static_cast<std::int64_t>(high[position]) * (std::int64_t{1} << 32) +
           static_cast<std::int64_t>(low[position]);
  }
};

/// Calls set(d, base) for diagonals first … first + width - 1 of a matrix in HM that they are all of, those that cross
/// it, in the order of the format; `base` as `base_in` has it. Of a transpose the stored matrix is turned.
template <class Set>
void set_bases_in_hm(std::int64_t rows, std::int64_t columns, bool transposed, std::int64_t first, int width,
                     const Set& set) {
  const std::int64_t sign = transposed ? -1 : 1;
  const std::int64_t last = first + width - 1;
  std::int64_t start      = 0;
  const auto next         = [&](std::int64_t offset) {
    const std::int64_t length = diagonal_length(rows, columns, offset);
    if (length == 0) return;
    set(static_cast<int>(offset - first), start - (offset < 0 ? -offset : 0));
    start += length;
  };
  const std::int64_t least = transposed ? -last : first, greatest = transposed ? -first : last;  // as they are stored
  for (std::int64_t stored = std::max(least, std::int64_t{0}); stored <= greatest; ++stored) next(sign * stored);
  for (std::int64_t stored = std::min(greatest, std::int64_t{-1}); stored >= least; --stored) next(sign * stored);
}

/// The same of a symmetric matrix that is stored by half: a band of it is as wide to either side.
template <class Set>
void set_bases_in_half(std::int64_t n, std::int64_t first, const Set& set) {
  std::int64_t start = 0;
  for (std::int64_t offset = 0; offset <= -first; ++offset) {
    set(static_cast<int>(offset - first), start);
    if (offset > 0) set(static_cast<int>(-offset - first), start - offset);
    start += diagonal_length(n, n, offset);
  }
}

/// The same in CDM of n rows: compact diagonals ascend.
template <class Set>
void set_bases_in_cdm(std::int64_t n, bool transposed, std::int64_t first, int width, const Set& set) {
  const std::int64_t last   = first + width - 1;
  const std::int64_t lowest = modulo(transposed ? -last : first, n);  // of the stored ones, which may wrap around
  const std::int64_t behind = std::max(lowest + width - n, std::int64_t{0});  // n - 1, and stand first
  for (int k = 0; k < width; ++k) {
    const std::int64_t position = k < width - behind ? behind + k : k - (width - behind);
    const std::int64_t offset   = transposed ? last - k : first + k;
    set(static_cast<int>(offset - first), position * n + (transposed ? offset : 0));
  }
}

/// The bases of A, then of B, then of C; 0 of a diagonal that C has not.
template <class Bases, class Arguments>
Bases diagonal_bases(const Arguments& arguments, const DiagonalBands& bands) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(typename Arguments::Scalar));
  Bases bases{};
  int position   = 0;
  const auto set = [&](int d, std::int64_t base) { bases.set(position + d, base * bytes); };
  const auto &A = arguments.A, &B = arguments.B;
  const auto& C = arguments.C;
  const auto of = [&](const auto& X, bool transposed, std::int64_t first, int width) {
    if constexpr (Arguments::Operand::wraps)
      set_bases_in_cdm(X.rows, transposed, first, width, set);
    else
      set_bases_in_hm(X.rows, X.columns, transposed, first, width, set);
    position += width;
  };
  const auto of_factor = [&](const auto& X, std::int64_t first, int width) {
    if constexpr (!Arguments::Operand::wraps)
      if (X.symmetric) {
        set_bases_in_half(X.rows, first, set);
        position += width;
        return;
      }
    of(X, X.transposed, first, width);
  };
  of_factor(A, bands.first_a, bands.width_a);
  of_factor(B, bands.first_b, bands.width_b);
  of(C, false, bands.first_a + bands.first_b, bands.width_c());
  return bases;
}

}  // namespace lacuna::Impl

#endif
