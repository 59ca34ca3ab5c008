// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Tpetra_Matrices.hpp"

#include <Lacuna_Tpetra.hpp>
#include <lacuna_tpetra_plans.hpp>

#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <utility>

namespace lacuna::Test {
namespace {

/// By global row and column: what this rank has.
std::map<std::pair<Global, Global>, double> entries_of(const TpetraMatrix& A) {
  std::map<std::pair<Global, Global>, double> entries;
  const auto local = A.getLocalMatrixHost();
  for (int row = 0; row < local.numRows(); ++row)
    for (std::size_t k = local.graph.row_map(row); k < local.graph.row_map(row + 1); ++k)
      entries[{A.getRowMap()->getGlobalElement(row), A.getColMap()->getGlobalElement(local.graph.entries(k))}] +=
          local.values(k);
  return entries;
}

/// The same places, and values that differ by the order of sums.
void expect_same(const TpetraMatrix& ours, const TpetraMatrix& theirs) {
  const auto mine = entries_of(ours), expected = entries_of(theirs);
  EXPECT_EQ(mine.size(), expected.size());
  EXPECT_EQ(mine.size(), ours.getLocalNumEntries());
  for (const auto& [place, value] : expected) {
    const auto found = mine.find(place);
    ASSERT_NE(found, mine.end()) << place.first << ", " << place.second;
    EXPECT_NEAR(found->second, value, 1e-13 * (10 + std::abs(value))) << place.first << ", " << place.second;
  }
  EXPECT_TRUE(ours.isFillComplete());
  EXPECT_TRUE(ours.getRowMap()->isSameAs(*theirs.getRowMap()));
  EXPECT_TRUE(ours.getDomainMap()->isSameAs(*theirs.getDomainMap()));
  EXPECT_TRUE(ours.getRangeMap()->isSameAs(*theirs.getRangeMap()));
  TpetraVectors X(ours.getDomainMap(), 2), Y(ours.getRangeMap(), 2), expected_y(ours.getRangeMap(), 2);
  fill_vectors(X, 51);
  ours.apply(X, Y);
  theirs.apply(X, expected_y);
  Teuchos::Array<double> largest(2);
  expected_y.normInf(largest());
  EXPECT_LE(difference(Y, expected_y), 1e-13 * (10 + largest[0] + largest[1]));
}

RCP<TpetraMatrix> multiplied_by_tpetra(const TpetraMatrix& A, const TpetraMatrix& B) {
  const auto C = rcp(new TpetraMatrix(A.getRowMap(), 0));
  Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C);
  return C;
}

/// P' A P. With an R that is not P itself, MultiplyRAP of Trilinos 16.1 takes the rows of the product for the columns
/// of P: it throws, or reads beyond.
RCP<TpetraMatrix> coarsened_by_tpetra(const TpetraMatrix& A, const TpetraMatrix& P) {
  const auto C = rcp(new TpetraMatrix(P.getDomainMap(), 0));
  Tpetra::TripleMatrixMultiply::MultiplyRAP(P, true, A, false, P, false, *C);
  return C;
}

struct Pair {
  std::string name;
  RCP<TpetraMatrix> A, B;
};

std::vector<Pair> pairs() {
  const auto mesh = even_map(343), scattered = cyclic_map(343), last = last_rank_map(343), wide = even_map(500),
             thin = even_map(3), coarse = even_map(60);
  const auto A = make_matrix(mesh, mesh, mesh, mesh_row(7));
  return {
      {"mesh twice", A, A},
      {"mesh and random", A, make_matrix(mesh, wide, mesh, random_row(500, 8, 61))},
      {"cyclic", make_matrix(scattered, scattered, scattered, mesh_row(7)),
       make_matrix(scattered, coarse, scattered, random_row(60, 3, 62))},
      {"all on the last rank", make_matrix(last, last, last, mesh_row(7)), make_matrix(last, last, last, mesh_row(7))},
      {"A on the last rank, B on all", make_matrix(last, wide, last, random_row(500, 9, 63)),
       make_matrix(wide, mesh, wide, random_row(343, 9, 64))},
      {"A on all, B on the last rank", make_matrix(wide, last, wide, random_row(343, 9, 65)),
       make_matrix(last, wide, last, random_row(500, 9, 66))},
      {"few rows", make_matrix(thin, wide, thin, random_row(500, 200, 67)),
       make_matrix(wide, thin, wide, random_row(3, 3, 68))},
      {"other orders of rows and of columns", make_matrix(mesh, scattered, scattered, random_row(343, 9, 69)),
       make_matrix(scattered, last, scattered, random_row(343, 9, 70))},
      {"columns that no row of A needs",
       make_matrix(mesh, mesh, mesh,
                   [](Global) {
                     return std::vector<Entry>{{0, 2.0}};
                   }),
       make_matrix(mesh, wide, mesh, random_row(500, 8, 71))},
      {"an empty A", make_matrix(mesh, mesh, mesh, [](Global) { return std::vector<Entry>{}; }), A}};
}

TEST(TpetraProduct, MultipliesAsTpetraDoes) {
  for (const Pair& pair : pairs()) {
    SCOPED_TRACE(pair.name);
    const TpetraProduct product(RCP<const TpetraMatrix>(pair.A), RCP<const TpetraMatrix>(pair.B));
    expect_same(*product.result(), *multiplied_by_tpetra(*pair.A, *pair.B));
  }
}

TEST(TpetraProduct, TakesNewValues) {
  for (const Pair& pair : pairs())
    for (const KeepProducts keep : {KeepProducts::no, KeepProducts::yes}) {
      SCOPED_TRACE(pair.name + ", keep products " + std::string(name(keep)));
      TpetraProduct<> product(pair.A, pair.B, {.keep_products = keep});
      const auto C = product.result();
      const TpetraMatrix before(*C, Teuchos::Copy);
      change_values(*pair.A, 1.5);
      if (pair.A != pair.B) change_values(*pair.B, -2.0);
      product.multiply();
      expect_same(*C, *multiplied_by_tpetra(*pair.A, *pair.B));
      EXPECT_EQ(product.result().getRawPtr(), C.getRawPtr());
      pair.B->resumeFill();
      pair.B->scale(0.5);
      pair.B->fillComplete(pair.B->getDomainMap(), pair.B->getRangeMap());
      product.multiply();
      product.multiply();
      expect_same(*C, *multiplied_by_tpetra(*pair.A, *pair.B));
    }
}

/// Aggregates of `size` neighbours in a row, smoothed by one more entry.
RowOf prolongator_row(Global size, Global aggregates) {
  return [=](Global row) {
    const Global own = row / size;
    std::vector<Entry> entries{{own, 1.0}};
    if (own + 1 < aggregates) entries.push_back({own + 1, 0.25});
    return entries;
  };
}

TEST(TpetraTripleProduct, MultipliesAsTpetraDoesAndTakesNewValues) {
  const auto even = even_map(512), last = last_rank_map(512), cyclic = cyclic_map(512);
  const auto coarse_even = even_map(128), coarse_few = even_map(3);
  for (const auto& fine : {even, last, cyclic})
    for (const auto& coarse : {coarse_even, coarse_few}) {
      const auto aggregates = static_cast<Global>(coarse->getGlobalNumElements());
      SCOPED_TRACE(std::to_string(fine->getLocalNumElements()) + " rows here, " + std::to_string(aggregates) +
                   " aggregates");
      const auto A = make_matrix(fine, fine, fine, mesh_row(8));
      const auto P = make_matrix(fine, coarse, fine, prolongator_row((511 + aggregates) / aggregates, aggregates));
      const RCP<TpetraMatrix> R = Tpetra::RowMatrixTransposer<>(P).createTranspose();
      TpetraTripleProduct<> product(R, A, P);
      const auto C = product.result();
      expect_same(*C, *coarsened_by_tpetra(*A, *P));
      change_values(*A, 3.0);
      product.multiply();
      expect_same(*C, *coarsened_by_tpetra(*A, *P));
      change_values(*P, 0.5);
      change_values(*R, 0.5);
      product.multiply();
      expect_same(*C, *multiplied_by_tpetra(*R, *multiplied_by_tpetra(*A, *P)));
      EXPECT_THAT(product.report(), testing::HasSubstr("lacuna::SpgemmPlan"));
    }
}

// Tpetra leaves out what a zero of A would give; here the pattern does not depend on values.
TEST(TpetraProduct, KeepsThePlacesOfZeros) {
  const auto map = even_map(343);
  const auto A   = make_matrix(map, map, map, mesh_row(7));
  const auto all = TpetraProduct<>(A, A).result();
  A->resumeFill();
  A->setAllToScalar(0.0);
  A->fillComplete();
  TpetraProduct<> product(A, A);
  EXPECT_EQ(product.result()->getGlobalNumEntries(), all->getGlobalNumEntries());
  change_values(*A, 1.0);
  product.multiply();
  expect_same(*product.result(), *TpetraProduct<>(A, A).result());
}

TEST(TpetraProduct, KeepsItsFactors) {
  const auto map = even_map(343);
  auto A         = make_matrix(map, map, map, mesh_row(7));
  const auto C   = multiplied_by_tpetra(*A, *A);
  TpetraProduct<> product(A, A);
  A = Teuchos::null;
  product.multiply();
  expect_same(*product.result(), *C);
}

template <class Expected, class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const Expected& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(TpetraProduct, RefusesWhatCannotBeMultiplied) {
  using testing::HasSubstr;
  const auto map = even_map(343), wide = even_map(500);
  const auto A = make_matrix(map, map, map, mesh_row(7)), B = make_matrix(wide, map, wide, random_row(343, 9, 81));
  const RCP<TpetraMatrix> none, open                        = rcp(new TpetraMatrix(map, 3));
  EXPECT_THAT(thrown<InvalidArgument>([&] { TpetraProduct<>(none, A); }), HasSubstr("TpetraProduct: A is a null RCP"));
  EXPECT_THAT(thrown<InvalidArgument>([&] { TpetraProduct<>(A, none); }), HasSubstr("TpetraProduct: B is a null RCP"));
  EXPECT_THAT(thrown<InvalidArgument>([&] { TpetraProduct<>(A, open); }), HasSubstr("B is not fill complete"));
  EXPECT_THAT(thrown<DimensionMismatch>([&] { TpetraProduct<>(A, B); }), HasSubstr("A is 343x343, B is 500x343"));
  EXPECT_THAT(thrown<InvalidArgument>([&] { TpetraProduct<>(A, A, {.op_a = Op::transpose}); }),
              HasSubstr("op_a and op_b must be none"));

  // As many rows, but not those that A names.
  std::vector<Global> others;
  for (const Global row : map->getLocalElementList()) others.push_back(row + 5);
  const auto shifted = rcp(new TpetraMap(343, Teuchos::ArrayView<const Global>(others), 0, world()));
  const auto S       = make_matrix(shifted, wide, shifted, random_row(500, 9, 82));
  EXPECT_THAT(thrown<DimensionMismatch>([&] { TpetraProduct<>(A, S); }), HasSubstr("lacks rows"));
}

TEST(TpetraProduct, RefusesANewPattern) {
  using testing::HasSubstr;
  const auto map = even_map(343);
  const auto A   = make_matrix(map, map, map, mesh_row(7));
  const auto B   = rcp(new TpetraMatrix(*A, Teuchos::Copy));
  TpetraProduct<> product(A, B);
  *B = *make_matrix(map, map, map, random_row(343, 9, 83));
  EXPECT_THAT(thrown<InvalidArgument>([&] { product.multiply(); }), HasSubstr("B, with"));
  *B = *A;
  product.result()->resumeFill();
  EXPECT_THAT(thrown<InvalidArgument>([&] { product.multiply(); }), HasSubstr("multiply"));
}

}  // namespace
}  // namespace lacuna::Test
