// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Tpetra_Solve.hpp"

#include <Lacuna_Tpetra.hpp>
#include <lacuna_tpetra_plans.hpp>

#include <MueLu_CreateTpetraPreconditioner.hpp>

#include <gmock/gmock.h>

namespace lacuna::Test {
namespace {

RCP<TpetraOperatorBase> multigrid(const RCP<TpetraMatrix>& A) {
  Teuchos::ParameterList parameters;
  parameters.set("verbosity", "none");
  parameters.set("coarse: max size", 50);
  parameters.set("smoother: type", "CHEBYSHEV");
  const RCP<TpetraOperatorBase> matrix = A;
  return MueLu::CreateTpetraPreconditioner(matrix, parameters);
}

// Belos takes products from the operator, multigrid its levels from the matrix.
TEST(TpetraMueLu, PreconditionsAsWithTheMatrix) {
  constexpr Global n = 16;
  for (const auto& map : {even_map(n * n * n), last_rank_map(n * n * n)})
    for (const char* method : {"Block CG", "Block GMRES"})
      for (const std::size_t vectors : {1, 2}) {
        SCOPED_TRACE(std::string(method) + ", " + std::to_string(vectors) + " vectors");
        const auto A              = make_matrix(map, map, map, mesh_row(n));
        const auto preconditioner = multigrid(A);
        const auto op             = rcp(new TpetraOperator(A, {.columns = static_cast<int>(vectors)}));
        TpetraVectors B(map, vectors);
        fill_vectors(B, 41);
        const auto plain = solve(method, A, A, B), theirs = solve(method, A, A, B, preconditioner);
        expect_same_solve(solve(method, A, op, B, preconditioner), theirs);
        EXPECT_LT(theirs.iterations, plain.iterations);
      }
}

}  // namespace
}  // namespace lacuna::Test
