// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERATOR_HPP
#define LACUNA_GENERATOR_HPP

#include <core/impl/generators/Lacuna_GeneratorPattern.hpp>

#include <cstdint>
#include <string>

namespace lacuna {

/// \brief A matrix that can be built: a sparsity pattern and a seed.
///
/// Rows are sorted and free of duplicates. Values are random in (-1, 1), of both parts where complex, and never 0. The
/// same generator gives the same indices and, for a given scalar type, the same bits on every backend. The functions
/// that make one throw InvalidArgument where a size is negative, does not fit in 64 bits, or contradicts another.
class Generator {
 public:
  /// \brief nx × ny × nz nodes of a hexahedral mesh, each coupled to its up to 27 neighbours, `unknowns` a node in
  /// dense blocks. Row (x + nx (y + ny z)) unknowns + u.
  static Generator mesh27(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t unknowns = 1);
  /// \brief The 7-point stencil of a 3-D grid.
  static Generator mesh7(std::int64_t nx, std::int64_t ny, std::int64_t nz);
  /// \brief The 5-point stencil of a 2-D grid.
  static Generator mesh5(std::int64_t nx, std::int64_t ny);
  /// \brief Square, all entries with |row - column| ≤ half.
  static Generator banded(std::int64_t n, std::int64_t half);
  /// \brief `per_row` distinct random columns in every row, spread over strata of about 32 entries.
  static Generator random(std::int64_t rows, std::int64_t columns, std::int64_t per_row);
  /// \brief Square; row lengths follow longest · rank^-a with the a that gives `nonzeros` exactly (in steps of half an
  /// octave of the rank), the rows in random order, the columns random.
  static Generator power(std::int64_t rows, std::int64_t nonzeros, std::int64_t longest);
  /// \brief Square; every block row holds `per_row` dense blocks of `size` × `size` at random. n is a multiple of size.
  static Generator block(std::int64_t n, std::int64_t size, std::int64_t per_row);
  /// \brief The first `width` rows and columns dense, and the diagonal.
  static Generator arrow(std::int64_t n, std::int64_t width);
  /// \brief Square, `per_row` random columns a row, but row n / 2 is dense.
  static Generator dense_row(std::int64_t n, std::int64_t per_row);
  /// \brief Square, `per_row` random columns a row; every `period`-th row (period - 1, 2 period - 1, …) and the last
  /// `trailing` ones are empty.
  static Generator empty_rows(std::int64_t n, std::int64_t per_row, std::int64_t period, std::int64_t trailing = 0);
  /// \brief Every entry is there by itself with the chance `density`, from 0 to 1, so that the lengths of rows and of
  /// columns are binomially distributed. Densities below 1e-6 are met to 1 %, and none but 0 is below 1e-8.
  static Generator uniform(std::int64_t rows, std::int64_t columns, double density);
  /// \brief Square, `per_row` nonzeros in every row, with a chosen synergy (Xiang et al., cuTeSpMM): panels of 16 rows
  /// whose bricks of 16 × 4 hold a share `alpha` of nonzeros, from 1/16 to 1. The rows of a panel share per_row / alpha
  /// active columns, rounded to a multiple of 4, in clusters of 16 neighbours at random, and every one of them holds a
  /// nonzero: where that is no rounding, alpha is met exactly. `rows` is a multiple of 16.
  static Generator synergy(std::int64_t rows, double alpha, std::int64_t per_row);
  static Generator diagonal(std::int64_t n) { return banded(n, 0); }
  /// \brief Every entry present.
  static Generator dense(std::int64_t rows, std::int64_t columns);

  /// \brief Reads `name:key=value,key=value`; [default]:
  /// `mesh27:n|nx,ny,nz,b[1]`, `mesh7:n|nx,ny,nz`, `mesh5:n|nx,ny`, `banded:n,half`, `random:rows,cols[rows],per_row`,
  /// `power:rows,nnz,longest`, `block:n,size,per_row`, `arrow:n,width`, `dense_row:n,per_row`,
  /// `empty_rows:n,per_row,period[2],trailing[0]`, `diagonal:n`, `dense:rows,cols[rows]`,
  /// `uniform:rows,cols[rows],density` (0.05, 5e-4), `synergy:rows,alpha,per_row` (0.0625 to 1); every one takes
  /// `seed[1]`.
  /// \throws InvalidArgument naming what exists, for an unknown name or key, a missing key, or what is not a number.
  static Generator parse(const std::string& spec);

  Generator with_seed(std::uint64_t seed) const;

  std::int64_t rows() const { return m_pattern.rows; }
  std::int64_t columns() const { return m_pattern.columns; }
  const Impl::Pattern& pattern() const { return m_pattern; }

 private:
  explicit Generator(const Impl::Pattern& pattern) : m_pattern(pattern) {}
  Impl::Pattern m_pattern;
};

/// \brief Whether `text` is `<name of a generator>` or `<name of a generator>:…`, and so not meant as the name of a
/// file.
bool is_generator_spec(const std::string& text);

}  // namespace lacuna

#endif
