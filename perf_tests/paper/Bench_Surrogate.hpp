// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SURROGATE_HPP
#define LACUNA_BENCH_SURROGATE_HPP

#include <support/Bench_MatrixSource.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// \brief Matrices that stand for ones that cannot be had: the same rows, columns and nonzeros, to the last one, and
/// the same class of pattern.

namespace lacuna::bench {

/// \brief What a pattern is like.
struct PatternClass {
  enum class Kind {
    runs,  ///< runs of neighbouring columns, most of them near the diagonal
    grid,  ///< a node of a 2-D grid and three of its neighbours: transitions of an epidemic
    mesh   ///< the nodes near a node of a mesh: products of rows meet in few columns, which are far from each other
  };
  Kind kind      = Kind::runs;
  int block      = 1;     ///< rows that share their columns; runs start at multiples of it (unknowns a node)
  int run        = 1;     ///< columns in a run, a multiple of `block`
  double spread  = 0;     ///< standard deviation of the logarithm of the row length
  double reach   = 0.01;  ///< how far from the diagonal runs start, as a part of the columns
  int grid_width = 0;
  // What SpGEMM wants told: what its products are, and how many of them meet.
  int dimensions   = 3;     ///< of a mesh
  double looseness = 1;     ///< a row takes its nodes from this many times as many nearest ones
  int regions      = 0;     ///< row lengths are drawn for this many parts of the rows, not for each row
  int longest      = 0;     ///< one row has this many nonzeros, none has more; 0: it is not told
  bool diagonal    = true;  ///< the columns of a row begin with its own
};

HostPattern make_surrogate(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, const PatternClass& pattern);

/// \brief What the name of a surrogate ends with in the names of cases.
inline constexpr std::string_view surrogate_ending = "-surrogate";

/// \brief The matrix of that name from LACUNA_MATRIX_DIR; where there is none, a surrogate, which its name says.
MatrixSource source_or_surrogate(const std::string& name, std::int64_t rows, std::int64_t columns,
                                 std::int64_t nonzeros, const PatternClass& pattern);

}  // namespace lacuna::bench

#endif
