// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_TripleProductPlan.hpp>

#include <spgemm/Test_SpgemmProducts.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief R A P in one call. Values are small integers, so that sums are exact in any order.

namespace lacuna::Test {
namespace {

using TripleExec   = Kokkos::DefaultExecutionSpace;
using TripleMatrix = KokkosSparse::CrsMatrix<double, int, TripleExec::device_type, void, int>;

struct Factors {
  HostMatrix<double> R, A, P;
};

HostMatrix<double> transposed(const HostMatrix<double>& A) {
  return to_host(transpose(make_crs<TripleMatrix>(A)).matrix);
}

HostMatrix<double> with_integers(HostMatrix<double> A) {
  for (double& value : A.values) value = std::round(8 * value);
  return A;
}

Factors galerkin(const HostMatrix<double>& A, const HostMatrix<double>& P) { return {transposed(P), A, P}; }

/// Both orders, against each other and serial sums.
void check(const Factors& given, const SpgemmOptions& options = {}) {
  const TripleExec exec;
  const Factors host{with_integers(given.R), with_integers(given.A), with_integers(given.P)};
  const auto R = make_crs<TripleMatrix>(host.R), A = make_crs<TripleMatrix>(host.A), P = make_crs<TripleMatrix>(host.P);
  const auto left  = to_host(triple_product(exec, R, A, P, options, TripleOrder::left_first));
  const auto right = to_host(triple_product(exec, R, A, P, options, TripleOrder::right_first));
  EXPECT_TRUE(matches(reference_spgemm(1.0, Op::none, to_host(spgemm(R, A)), Op::none, host.P), left));
  EXPECT_TRUE(matches(reference_spgemm(1.0, Op::none, host.R, Op::none, to_host(spgemm(A, P))), right));
  EXPECT_EQ(left.entries, right.entries);
  EXPECT_EQ(left.values, right.values);
  const auto chosen = to_host(triple_product(R, A, P, options));
  EXPECT_EQ(chosen.entries, left.entries);
  EXPECT_EQ(chosen.values, left.values);
}

TEST(TripleProduct, OfMeshesAndAggregates) {
  check(galerkin(banded_matrix<double>(3000, 3000, 1, 1), random_matrix<double>(3000, 500, 2)));
  check(galerkin(banded_matrix<double>(3000, 3000, 12, 12), random_matrix<double>(3000, 500, 2)));
  check(galerkin(block_matrix<double>(300, 300, 3, 5), random_matrix<double>(900, 90, 1)));
}

TEST(TripleProduct, OfUnevenRowsAndWithoutAny) {
  check({power_law_matrix<double>(500, 700), power_law_matrix<double>(700, 900), uneven_matrix<double>(900, 300, 200)});
  check({random_matrix<double>(10, 20, 3), random_matrix<double>(20, 30, 0), random_matrix<double>(30, 40, 3)});
  check({random_matrix<double>(0, 20, 3), random_matrix<double>(20, 30, 2), random_matrix<double>(30, 40, 3)});
}

/// More nonzeros than the product between is guessed to have, and fewer.
TEST(TripleProduct, OfProductsBetweenOtherThanGuessed) {
  const auto A = random_matrix<double>(3000, 3000, 40);
  check(galerkin(A, random_matrix<double>(3000, 3000, 1)));
  check(galerkin(A, random_matrix<double>(3000, 20, 1)));
}

TEST(TripleProduct, WithOptions) {
  const Factors factors = galerkin(random_matrix<double>(900, 900, 11), random_matrix<double>(900, 100, 2));
  check(factors, {.algorithm = SpgemmAlgorithm::bins});
  check(factors, {.deterministic = true});
  check(factors, {.memory_limit = std::size_t(100) << 20});
  EXPECT_THROW(check(factors, {.memory_limit = 100}), OutOfMemory);
  EXPECT_THROW(check(factors, {.op_a = Op::transpose}), InvalidArgument);
  EXPECT_THROW(check({factors.P, factors.A, factors.P}), DimensionMismatch);
}

TEST(TripleProduct, OrderOfFewerMultiplications) {
  const TripleExec exec;
  const auto order = [&](const HostMatrix<double>& R, const HostMatrix<double>& A, const HostMatrix<double>& P) {
    return triple_product_order(exec, make_crs<TripleMatrix>(R), make_crs<TripleMatrix>(A), make_crs<TripleMatrix>(P));
  };
  const auto A = random_matrix<double>(2000, 2000, 5);
  EXPECT_EQ(order(random_matrix<double>(20, 2000, 2), A, random_matrix<double>(2000, 900, 4)), TripleOrder::left_first);
  EXPECT_EQ(order(random_matrix<double>(2000, 2000, 9), A, random_matrix<double>(2000, 30, 1)),
            TripleOrder::right_first);
  const auto P = random_matrix<double>(2000, 200, 2);
  EXPECT_EQ(order(transposed(P), A, P),
            Impl::runs_lane_kernels<TripleMatrix::execution_space> ? TripleOrder::right_first : TripleOrder::left_first)
      << "short rows of A";
  EXPECT_EQ(order(transposed(P), random_matrix<double>(2000, 2000, 40), P), TripleOrder::left_first)
      << "long rows of A";
}

TEST(TripleProduct, IsTheSameFromRunToRunWhereAskedFor) {
  const TripleExec exec;
  const auto P = random_matrix<double>(900, 100, 3);
  const auto R = make_crs<TripleMatrix>(transposed(P)), A = make_crs<TripleMatrix>(power_law_matrix<double>(900, 900));
  const auto once  = to_host(triple_product(exec, R, A, make_crs<TripleMatrix>(P), {.deterministic = true}));
  const auto again = to_host(triple_product(exec, R, A, make_crs<TripleMatrix>(P), {.deterministic = true}));
  EXPECT_EQ(once.values, again.values);
}

TEST(TripleProduct, PlansTakeNewValues) {
  const TripleExec exec;
  const Factors first = galerkin(banded_matrix<double>(300, 300, 2, 2), random_matrix<double>(300, 60, 2));
  const Factors then{with_new_values(first.R), with_new_values(first.A), with_new_values(first.P)};
  const auto crs = [](const HostMatrix<double>& A) { return make_crs<TripleMatrix>(with_integers(A)); };
  const auto R = crs(first.R), A = crs(first.A), P = crs(first.P);
  for (const TripleOrder order : {TripleOrder::left_first, TripleOrder::right_first})
    for (const KeepProducts keep : {KeepProducts::no, KeepProducts::yes}) {
      const TripleProductPlan plan(exec, R, A, P, {.keep_products = keep}, order);
      EXPECT_EQ(plan.order(), order);
      EXPECT_THAT(plan.report(), testing::HasSubstr(std::string(name(order))));
      const auto C = plan.allocate(exec);
      for (const Factors* now : {&first, &then}) {
        const auto r = crs(now->R), a = crs(now->A), p = crs(now->P);
        Kokkos::deep_copy(C.values, std::nan(""));
        triple_product(exec, plan, r, a, p, C);
        const auto expected = to_host(triple_product(exec, r, a, p)), found = to_host(C);
        EXPECT_EQ(found.row_map, expected.row_map);
        EXPECT_EQ(found.entries, expected.entries);
        EXPECT_EQ(found.values, expected.values);
      }
      EXPECT_THAT([&] { triple_product(exec, plan, R, A, crs(random_matrix<double>(300, 60, 3)), C); },
                  testing::ThrowsMessage<InvalidArgument>(testing::AllOf(
                      testing::HasSubstr("P has 900 nonzeros"), testing::HasSubstr("300x60 matrix with 600"))));
      EXPECT_THROW(triple_product(exec, plan, P, A, P, C), DimensionMismatch);
      EXPECT_THROW(triple_product(exec, plan, R, A, P, spgemm(R, A)), InvalidArgument);
    }
  const TripleProductPlan plan(R, A, P);
  const auto C = plan.allocate();
  triple_product(plan, R, A, P, C);
  EXPECT_EQ(to_host(C).values, to_host(triple_product(R, A, P)).values);
  EXPECT_EQ(TripleProductPlan(exec, R, A, P).order(), triple_product_order(exec, R, A, P));
  EXPECT_THROW(TripleProductPlan(exec, R, A, P, SpgemmOptions{.op_a = Op::transpose}), InvalidArgument);
  EXPECT_THROW(TripleProductPlan(exec, P, A, P), DimensionMismatch);
}

}  // namespace
}  // namespace lacuna::Test
