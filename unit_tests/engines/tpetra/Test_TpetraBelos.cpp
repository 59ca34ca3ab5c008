// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Tpetra_Solve.hpp"

#include <Lacuna_Tpetra.hpp>
#include <lacuna_tpetra_plans.hpp>

#include <gmock/gmock.h>

namespace lacuna::Test {
namespace {

RCP<TpetraMatrix> mesh_on(const RCP<const TpetraMap>& map, Global n) { return make_matrix(map, map, map, mesh_row(n)); }

/// Not symmetric: the mesh with a wind in x.
RCP<TpetraMatrix> windy_mesh(const RCP<const TpetraMap>& map, Global n) {
  return make_matrix(map, map, map, [n](Global row) {
    auto entries = mesh_row(n)(row);
    for (Entry& entry : entries) entry.value += entry.column == row + 1 ? 0.4 : entry.column == row - 1 ? -0.3 : 0.0;
    return entries;
  });
}

void compare(const std::string& method, const RCP<TpetraMatrix>& A, std::size_t vectors) {
  for (const bool reads : {true, false}) {
    SCOPED_TRACE(method + ", " + std::to_string(vectors) + " vectors, reads values " + std::to_string(reads));
    TpetraVectors B(A->getRangeMap(), vectors);
    fill_vectors(B, 31);
    const auto op = rcp(new TpetraOperator(A, {.columns = static_cast<int>(vectors), .reads_values_of_A = reads}));
    expect_same_solve(solve(method, A, op, B), solve(method, A, A, B));
  }
}

TEST(TpetraBelos, ConjugateGradientsAsWithTheMatrix) {
  for (const auto& map : {even_map(1000), cyclic_map(1000), last_rank_map(1000)}) {
    compare("Block CG", mesh_on(map, 10), 1);
    compare("Block CG", mesh_on(map, 10), 3);
    compare("Pseudoblock CG", mesh_on(map, 10), 3);
  }
}

TEST(TpetraBelos, GmresAsWithTheMatrix) {
  for (const auto& map : {even_map(1000), cyclic_map(1000), last_rank_map(1000)}) {
    compare("Block GMRES", windy_mesh(map, 10), 1);
    compare("Block GMRES", windy_mesh(map, 10), 3);
    compare("Pseudoblock GMRES", windy_mesh(map, 10), 4);
  }
}

// The same operator, from one system to the next.
TEST(TpetraBelos, NewValuesBetweenSolves) {
  const auto A  = mesh_on(even_map(1000), 10);
  const auto op = rcp(new TpetraOperator(A));
  TpetraVectors B(A->getRangeMap(), 1);
  fill_vectors(B, 32);
  const auto first = solve("Block CG", A, op, B);
  expect_same_solve(first, solve("Block CG", A, A, B));
  const auto values = A->getLocalMatrixHost().values;
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) *= values(k) > 0 ? 1.5 : 1.0;
  const auto second = solve("Block CG", A, op, B);
  expect_same_solve(second, solve("Block CG", A, A, B));
  EXPECT_LT(second.iterations, first.iterations);
}

}  // namespace
}  // namespace lacuna::Test
