// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Tpetra_Matrices.hpp"

#include <Lacuna_Tpetra.hpp>
#include <lacuna_tpetra_plans.hpp>

#include <gmock/gmock.h>

#include <type_traits>

namespace lacuna::Test {
namespace {

// What the library of plans was compiled for.
static_assert(std::is_same_v<
              TpetraMatrix::local_matrix_device_type,
              KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultExecutionSpace::device_type, void, std::size_t>>);

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::string name;
  RCP<TpetraMatrix> A;
};

RCP<TpetraMatrix> mesh(Global n) {
  const auto map = even_map(n * n * n);
  return make_matrix(map, map, map, mesh_row(n));
}

std::vector<Case> cases() {
  const auto even = even_map(200), cyclic = cyclic_map(200), last = last_rank_map(200), wide = even_map(310);
  const auto some = even_map(3);  // none on the last of four ranks
  return {{"mesh", mesh(8)},
          {"random", make_matrix(even, even, even, random_row(200, 20, 1))},
          {"cyclic", make_matrix(cyclic, cyclic, cyclic, random_row(200, 20, 2))},
          {"wide", make_matrix(even, wide, even, random_row(310, 9, 3))},
          {"an export", make_matrix(even, wide, cyclic, random_row(310, 9, 4))},
          {"all on one rank", make_matrix(last, last, last, random_row(200, 9, 5))},
          {"rows on one rank, columns on all", make_matrix(last, wide, last, random_row(310, 9, 6))},
          {"columns on one rank", make_matrix(even, last, even, random_row(200, 9, 7))},
          {"few rows", make_matrix(some, wide, some, random_row(310, 60, 8))},
          {"long row", make_matrix(even, wide, even, [](Global row) {
             return row == 7 ? random_row(310, 400, 9)(0) : random_row(310, 3, 9)(row);
           })}};
}

/// Y of Tpetra's own apply and Y of the operator, from the same X and the same first Y.
void expect_same(const TpetraMatrix& A, const TpetraOperator<>& op, const TpetraVectors& X, TpetraVectors& Y,
                 Teuchos::ETransp mode, double alpha, double beta) {
  TpetraVectors expected(Y, Teuchos::Copy);
  A.apply(X, expected, mode, alpha, beta);
  op.apply(X, Y, mode, alpha, beta);
  EXPECT_LE(difference(Y, expected), 1e-13);
}

TEST(TpetraOperator, MultipliesAsTheMatrixDoes) {
  for (const Case& c : cases())
    for (const bool reads : {true, false})
      for (const std::size_t vectors : {1, 2, 5}) {
        const TpetraOperator op(c.A, {.columns = static_cast<int>(vectors), .reads_values_of_A = reads});
        TpetraVectors X(c.A->getDomainMap(), vectors), Y(c.A->getRangeMap(), vectors);
        fill_vectors(X, 11);
        for (const double alpha : {1.0, -0.5, 0.0})
          for (const double beta : {0.0, 1.0, 2.5}) {
            SCOPED_TRACE(c.name + ", " + std::to_string(vectors) + " vectors, alpha " + std::to_string(alpha) +
                         ", beta " + std::to_string(beta));
            fill_vectors(Y, 12);
            expect_same(*c.A, op, X, Y, Teuchos::NO_TRANS, alpha, beta);
          }
      }
}

TEST(TpetraOperator, OverwritesWhatYHadWhereBetaIsZero) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const TpetraOperator op(c.A);
    for (const std::size_t vectors : {1, 3}) {
      TpetraVectors X(c.A->getDomainMap(), vectors), Y(c.A->getRangeMap(), vectors);
      fill_vectors(X, 13);
      Y.putScalar(nan_value);
      expect_same(*c.A, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    }
  }
}

TEST(TpetraOperator, TakesVectorsWithoutConstantStride) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const TpetraOperator op(c.A, {.columns = 3});
    TpetraVectors all_x(c.A->getDomainMap(), 6), all_y(c.A->getRangeMap(), 6);
    fill_vectors(all_x, 14);
    fill_vectors(all_y, 15);
    const auto x = all_x.subView(Teuchos::tuple<std::size_t>(0, 2, 5));
    const auto y = all_y.subViewNonConst(Teuchos::tuple<std::size_t>(1, 2, 4));
    ASSERT_FALSE(x->isConstantStride());
    for (const double beta : {0.0, 1.5}) expect_same(*c.A, op, *x, *y, Teuchos::NO_TRANS, 2.0, beta);
    // Other vectors are as they were, and one of several is as good.
    TpetraVectors untouched(c.A->getRangeMap(), 6);
    fill_vectors(untouched, 15);
    for (const std::size_t j : {0, 3, 5}) EXPECT_EQ(difference(*all_y.getVector(j), *untouched.getVector(j)), 0.0);
    expect_same(*c.A, op, *all_x.getVector(4), *all_y.getVectorNonConst(3), Teuchos::NO_TRANS, -1.0, 0.5);
    expect_same(*c.A, op, *x, all_y.subViewNonConst(Teuchos::Range1D(3, 5)).operator*(), Teuchos::NO_TRANS, 1.0, 1.0);
  }
}

TEST(TpetraOperator, MultipliesTransposes) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const TpetraOperator op(c.A);
    EXPECT_TRUE(op.hasTransposeApply());
    TpetraVectors X(c.A->getRangeMap(), 2), Y(c.A->getDomainMap(), 2);
    fill_vectors(X, 16);
    fill_vectors(Y, 17);
    expect_same(*c.A, op, X, Y, Teuchos::TRANS, 1.5, 0.5);
    expect_same(*c.A, op, X, Y, Teuchos::CONJ_TRANS, -1.0, 0.0);
  }
}

TEST(TpetraOperator, WritesToItsOwnArgument) {
  const auto A = mesh(6);
  const TpetraOperator op(A);
  for (const std::size_t vectors : {1, 2}) {
    TpetraVectors X(A->getDomainMap(), vectors), expected(A->getRangeMap(), vectors);
    fill_vectors(X, 18);
    A->apply(X, expected, Teuchos::NO_TRANS, 1.0, 0.0);
    op.apply(X, X);
    EXPECT_LE(difference(X, expected), 1e-13);
  }
}

TEST(TpetraOperator, SumsOverRanksWhereYIsReplicated) {
  const auto domain     = even_map(100);
  const auto replicated = Tpetra::createLocalMap<int, Global>(7, world());
  const auto mine       = domain->getLocalElementList();
  const auto A          = rcp(new TpetraMatrix(replicated, 100));
  for (Global row = 0; row < 7; ++row)
    for (const Global column : mine) {
      const double value = static_cast<double>((row * 31 + column) % 11) - 5.0;
      A->insertGlobalValues(row, Teuchos::tuple<Global>(column), Teuchos::tuple<double>(value));
    }
  A->fillComplete(domain, replicated);
  const TpetraOperator op(A);
  TpetraVectors X(domain, 2), Y(replicated, 2);
  fill_vectors(X, 19);
  fill_vectors(Y, 20);
  expect_same(*A, op, X, Y, Teuchos::NO_TRANS, 1.0, 2.0);
  Y.putScalar(nan_value);
  expect_same(*A, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
}

TEST(TpetraOperator, SeesNewValues) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const TpetraOperator op(c.A);
    TpetraVectors X(c.A->getDomainMap(), 1), Y(c.A->getRangeMap(), 1), two_x(c.A->getDomainMap(), 2),
        two_y(c.A->getRangeMap(), 2);
    fill_vectors(X, 21);
    fill_vectors(two_x, 22);
    expect_same(*c.A, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    expect_same(*c.A, op, two_x, two_y, Teuchos::NO_TRANS, 1.0, 0.0);
    change_values(*c.A, 1.75);
    expect_same(*c.A, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    expect_same(*c.A, op, two_x, two_y, Teuchos::NO_TRANS, 1.0, 0.0);
    c.A->resumeFill();
    c.A->scale(-3.0);
    c.A->fillComplete(c.A->getDomainMap(), c.A->getRangeMap());
    expect_same(*c.A, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    expect_same(*c.A, op, two_x, two_y, Teuchos::NO_TRANS, 1.0, 0.0);
  }
}

TEST(TpetraOperator, TakesNewValuesIntoCopies) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    TpetraOperator op(c.A, {.expected_calls = 100000, .reads_values_of_A = false});
    TpetraVectors X(c.A->getDomainMap(), 1), Y(c.A->getRangeMap(), 1), two_x(c.A->getDomainMap(), 2),
        two_y(c.A->getRangeMap(), 2);
    fill_vectors(X, 23);
    fill_vectors(two_x, 24);
    expect_same(*c.A, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    expect_same(*c.A, op, two_x, two_y, Teuchos::NO_TRANS, 1.0, 0.0);
    change_values(*c.A, 1.75);
    op.update_values();
    expect_same(*c.A, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    expect_same(*c.A, op, two_x, two_y, Teuchos::NO_TRANS, 1.0, 0.0);
  }
}

TEST(TpetraOperator, SeesANewPattern) {
  const auto map = even_map(150);
  const auto A   = make_matrix(map, map, map, random_row(150, 6, 25));
  for (const bool reads : {true, false}) {
    const auto changing = rcp(new TpetraMatrix(*A, Teuchos::Copy));
    const TpetraOperator op(changing, {.reads_values_of_A = reads});
    TpetraVectors X(map, 1), Y(map, 1);
    fill_vectors(X, 26);
    expect_same(*changing, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    const TpetraVectors before(Y, Teuchos::Copy);
    *changing = *make_matrix(map, map, map, random_row(150, 9, 27));
    expect_same(*changing, op, X, Y, Teuchos::NO_TRANS, 1.0, 0.0);
    EXPECT_GT(difference(Y, before), 1e-3);
  }
}

TEST(TpetraOperator, KeepsTheMatrixAndSaysWhatRuns) {
  auto A         = mesh(5);
  const auto map = A->getRangeMap();
  const TpetraOperator op(A, {.columns = 4});
  EXPECT_THAT(op.report(), testing::HasSubstr("lacuna::SpmmPlan"));
  EXPECT_EQ(op.getMatrix().getRawPtr(), A.getRawPtr());
  EXPECT_TRUE(op.getDomainMap()->isSameAs(*map));
  TpetraVectors X(map, 1), Y(map, 1), expected(map, 1);
  fill_vectors(X, 28);
  A->apply(X, expected);
  A = Teuchos::null;
  op.apply(X, Y);
  EXPECT_LE(difference(Y, expected), 1e-13);
  EXPECT_THAT(op.report(), testing::HasSubstr("lacuna::SpmvPlan"));
}

/// What `call` throws, or nothing.
template <class Expected, class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const Expected& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(TpetraOperator, RefusesWhatIsNoMatrix) {
  using testing::HasSubstr;
  RCP<TpetraMatrix> A = mesh(4);
  EXPECT_THAT(thrown<InvalidArgument>([] { TpetraOperator<> op{RCP<TpetraMatrix>()}; }),
              HasSubstr("lacuna::TpetraOperator: A is a null RCP"));
  const auto weak = mesh(4).create_weak();
  EXPECT_THAT(thrown<InvalidArgument>([&] { TpetraOperator<> op{weak}; }),
              HasSubstr("a weak RCP of a matrix that is gone"));
  const auto open = rcp(new TpetraMatrix(A->getRowMap(), 3));
  EXPECT_THAT(thrown<std::runtime_error>([&] { TpetraOperator<> op{open}; }), HasSubstr("A is not fill complete"));
  EXPECT_THAT(thrown<InvalidArgument>([&] { TpetraOperator<> op(A, {.columns = -1}); }), HasSubstr("columns"));
}

TEST(TpetraOperator, RefusesVectorsOfOtherMaps) {
  using testing::HasSubstr;
  const auto A = mesh(4);
  TpetraOperator<> op(A);
  const auto other = even_map(64 * 5);
  TpetraVectors X(A->getDomainMap(), 2), Y(A->getRangeMap(), 2), long_one(other, 2), three(A->getRangeMap(), 3);
  Y.putScalar(4.0);
  EXPECT_THAT(thrown<DimensionMismatch>([&] { op.apply(long_one, Y); }), HasSubstr("rows on this rank"));
  EXPECT_THAT(thrown<DimensionMismatch>([&] { op.apply(X, long_one); }), HasSubstr("rows on this rank"));
  EXPECT_THAT(thrown<DimensionMismatch>([&] { op.apply(X, three); }), HasSubstr("X has 2 vectors, Y has 3"));
  A->resumeFill();
  EXPECT_THAT(thrown<InvalidArgument>([&] { op.apply(X, Y); }), HasSubstr("A is not fill complete"));
  EXPECT_THAT(thrown<InvalidArgument>([&] { op.update_values(); }), HasSubstr("A is not fill complete"));
  TpetraVectors four(A->getRangeMap(), 2);
  four.putScalar(4.0);
  EXPECT_EQ(difference(Y, four), 0.0);
}

}  // namespace
}  // namespace lacuna::Test
