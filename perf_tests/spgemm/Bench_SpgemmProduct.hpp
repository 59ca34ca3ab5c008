// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPGEMMPRODUCT_HPP
#define LACUNA_BENCH_SPGEMMPRODUCT_HPP

#include <support/Bench_MatrixSource.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// \file
/// \brief The products that `lacuna-bench spgemm` is asked for: `A` (A times itself), `A@B`, `A@A^T`, `R@A@P`, and
/// `rap-linear:mesh27:n=60`. Knows nothing of Kokkos.

namespace lacuna::bench {

struct SpgemmFactor {
  MatrixSource source;
  bool transposed = false;
};

/// \brief Factors that are multiplied from left to right, two or more.
struct SpgemmProduct {
  std::string name;  ///< as it stands in the names of cases
  std::vector<SpgemmFactor> factors;

  bool has_transposes() const;
};

/// \brief The matrix squared.
SpgemmProduct square_of(MatrixSource source);

/// \brief The nodes of a generated mesh, `unknowns` rows each.
struct Mesh {
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::int64_t unknowns = 1;
};

/// \brief How a coarser mesh comes out of a mesh.
enum class Coarsening {
  linear,     ///< every second node stays; the others interpolate between those next to them, up to 8
  aggregates  ///< cubes of 3 × 3 × 3 nodes become one
};

/// \brief P, from the coarse mesh to the fine one: a column for each unknown of a coarse node.
HostPattern prolongation(const Mesh& fine, Coarsening coarsening);

/// \brief Aᵀ with sorted rows.
HostPattern transposed(const HostPattern& pattern);

/// \brief The product that a command line argument means: factors between `@`, each with `^T` behind it where it is
/// transposed; a lone factor is squared. `rap-linear:SPEC` and `rap-aggregates:SPEC` are R A P of a generated mesh A,
/// R = Pᵀ being a matrix of its own. `find` turns a factor into a source, `mesh` reads a generator spec.
/// \throws std::runtime_error (or what `find` and `mesh` throw) where it means none.
SpgemmProduct parse_spgemm_product(const std::string& argument,
                                   const std::function<MatrixSource(const std::string&)>& find,
                                   const std::function<Mesh(const std::string&)>& mesh);

}  // namespace lacuna::bench

#endif
