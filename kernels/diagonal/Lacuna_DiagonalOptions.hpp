// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALOPTIONS_HPP
#define LACUNA_DIAGONALOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <array>
#include <cstddef>
#include <string_view>

/// \file
/// \brief The algorithms of products in diagonal storage, and the options of a product.
///
/// "003" stands for Haque, Parvez and Hossain, GPU Algorithms for Structured Sparse Matrix Multiplication with Diagonal
/// Storage Schemes (Algorithms 17(1):31, 2024). The number after it is the section.

namespace lacuna {

/// \brief How a product in diagonal storage is computed. `automatic` never takes an algorithm marked 003.
enum class DiagonalAlgorithm {
  automatic,       ///< the least estimated time of the algorithms that serve the product
  gather,          ///< by rows of a diagonal of C: c_d[i] = sum over e of a_e[i] b_(d-e)[i+e], without atomics
  window,          ///< narrow bands: one thread for each row of C, a window of its diagonals in registers
  band,            ///< bands: one team for some rows of C and all of its diagonals, A and B in scratch, C in registers
  strips,          ///< many diagonals: one team for some rows, A in scratch, a list of the pairs of diagonals that meet
  tiles,           ///< 003, 6.1, algorithm 1: CDM, T x T elements of C for each team (`tile`), tiles of A in scratch
  entries,         ///< 003, 6.2, algorithm 2: HM, one thread for each element of A, thirteen cases, atomics into C
  entries_by_case  ///< 003, 6.2, last paragraph: `entries` with `threads_per_entry` threads for groups of cases
};

/// \brief Every enumerator of `DiagonalAlgorithm`.
inline constexpr std::array diagonal_algorithms{DiagonalAlgorithm::automatic, DiagonalAlgorithm::gather,
                                                DiagonalAlgorithm::window,    DiagonalAlgorithm::band,
                                                DiagonalAlgorithm::strips,    DiagonalAlgorithm::tiles,
                                                DiagonalAlgorithm::entries,   DiagonalAlgorithm::entries_by_case};

/// \brief The name of the enumerator, as `lacuna-bench` and reports spell it.
constexpr std::string_view name(DiagonalAlgorithm algorithm) {
  switch (algorithm) {
    case DiagonalAlgorithm::automatic: return "automatic";
    case DiagonalAlgorithm::gather: return "gather";
    case DiagonalAlgorithm::window: return "window";
    case DiagonalAlgorithm::band: return "band";
    case DiagonalAlgorithm::strips: return "strips";
    case DiagonalAlgorithm::tiles: return "tiles";
    case DiagonalAlgorithm::entries: return "entries";
    case DiagonalAlgorithm::entries_by_case: return "entries_by_case";
  }
  return "unknown";
}

/// \brief Options of a product in diagonal storage. Use designated initialisers; the order of the members is part of
/// the interface.
struct DiagonalOptions {
  DiagonalAlgorithm algorithm = DiagonalAlgorithm::automatic;
  /// Whether the result must have the same bits on every run. It has them with `automatic` anyway. `entries` and
  /// `entries_by_case` add in any order, so products with them throw where this is set.
  bool deterministic = false;
  /// The most bytes that a product may allocate in the memory of the execution space: a new C, and the workspace.
  std::size_t memory_limit = unlimited;
  int tile                 = 16;  ///< T of `tiles`: 4, 8 or 16
  /// k of `entries_by_case`, threads an element of A, 2 to 13: each has some of the thirteen cases to itself, of three
  /// one has those of the main diagonal of C, one those of superdiagonals, one those of subdiagonals.
  int threads_per_entry = 3;
};

}  // namespace lacuna

#endif
