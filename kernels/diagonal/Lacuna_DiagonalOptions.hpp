// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALOPTIONS_HPP
#define LACUNA_DIAGONALOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <array>
#include <cstddef>
#include <string_view>

/// \file
/// \brief The algorithms of C = alpha op(A) op(B) + beta C in diagonal storage, and what a product can be asked for.
/// "003" is Haque, Parvez and Hossain, GPU Algorithms for Structured Sparse Matrix Multiplication with Diagonal Storage
/// Schemes (Algorithms 17(1):31, 2024).

namespace lacuna {

enum class DiagonalAlgorithm {
  automatic,  ///< the least estimated time of those that serve the product
  gather,     ///< a work item a team, rows of a diagonal of C: c_d[i] = sum of a_e[i] b_(d-e)[i+e], without atomics
  window,     ///< narrow bands: a thread a row of C, a window of its diagonals in registers; A and B in scratch
  band,       ///< a team some rows of C with all of its diagonals; A and B in scratch, C in registers
  strips,     ///< for many diagonals: a team some rows, A in scratch, pairs of diagonals listed beforehand
  tiles,      ///< 003, 6.1, algorithm 1: CDM, 16 x 16 elements of C a team, tiles of A through scratch
  entries,    ///< 003, 6.2, algorithm 2: HM, a thread an element of A, thirteen cases, atomics into C
  entries_by_case  ///< 003, 6.2, its last paragraph: the same with threads of their own for each group of cases
};

inline constexpr std::array diagonal_algorithms{DiagonalAlgorithm::automatic, DiagonalAlgorithm::gather,
                                                DiagonalAlgorithm::window,    DiagonalAlgorithm::band,
                                                DiagonalAlgorithm::strips,    DiagonalAlgorithm::tiles,
                                                DiagonalAlgorithm::entries,   DiagonalAlgorithm::entries_by_case};

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

/// \brief What a product in diagonal storage can be asked for. Use designated initialisers; the order of the members is
/// part of the contract.
struct DiagonalOptions {
  DiagonalAlgorithm algorithm = DiagonalAlgorithm::automatic;
  /// The same bits from run to run. `automatic` gives them anyway; `entries` and `entries_by_case` add in any order and
  /// are refused then.
  bool deterministic = false;
  /// Bytes of the memory of the execution space that a product may allocate: C where it is allocated, and workspace.
  std::size_t memory_limit = unlimited;
};

}  // namespace lacuna

#endif
