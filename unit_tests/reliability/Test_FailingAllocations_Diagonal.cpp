// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>
#include <Lacuna_Diagonal.hpp>

#include <string>
#include <vector>

#include "FailingAllocations.hpp"

/// \file
/// \brief Products in diagonal storage of which each allocation fails once: C is untouched then.

namespace lacuna::Test {
namespace {

/// Runs `product()`, which writes all of C, as above.
template <class Format, class Product>
std::int64_t check_untouched(const std::string& what, const Exec& exec, const Format& C, const Product& product) {
  product();
  exec.fence();
  std::vector<double> expected(C.list.data(), C.list.data() + C.list.extent(0));
  return fail_each_allocation(
      what,
      [&] {
        for (std::size_t k = 0; k < expected.size(); ++k) C.list(k) = -7.0;
        product();
      },
      [&](bool has_thrown) {
        exec.fence();
        for (std::size_t k = 0; k < expected.size(); ++k)
          if (has_thrown) {
            ASSERT_EQ(C.list(k), -7.0) << what << ", written to, element " << k;
          } else {
            ASSERT_NEAR(C.list(k), expected[k], 1e-12) << what << ", element " << k;
          }
      });
}

template <class Format>
void check_products(const Exec& exec, const Format& A) {
  constexpr Op n = Op::none, t = Op::transpose;
  EXPECT_GT(fail_each_allocation("product_diagonals", [&] { product_diagonals(n, A, t, A); }), 0);
  EXPECT_GT(fail_each_allocation("syrk_diagonals", [&] { syrk_diagonals(n, A); }), 0);
  EXPECT_GT(fail_each_allocation("syr2k_diagonals", [&] { syr2k_diagonals(n, A, A); }), 0);
  EXPECT_GT(fail_each_allocation("gemm", [&] { gemm(exec, n, A, t, A); }), 0);
  EXPECT_GT(fail_each_allocation("syrk", [&] { syrk(exec, n, A); }), 0);
  EXPECT_GT(fail_each_allocation("syr2k", [&] { syr2k(exec, n, A, A); }), 0);
  const Format C = gemm(exec, n, A, t, A), D = syr2k(exec, n, A, A);
  int served = 0;
  for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
    SCOPED_TRACE(std::string(name(algorithm)));
    const DiagonalOptions options{.algorithm = algorithm};
    try {
      gemm(exec, n, A, t, A, C, options);
    } catch (const NotSupported&) {
      continue;
    }
    ++served;
    EXPECT_GT(check_untouched("gemm", exec, C, [&] { gemm(exec, n, A, t, A, C, options); }), 0);
    EXPECT_GT(check_untouched("syr2k", exec, D, [&] { syr2k(exec, 1.0, n, A, A, 0.0, D, options); }), 0);
    EXPECT_GT(fail_each_allocation("a plan", [&] { DiagonalPlan<Format>(exec, n, A, t, A, C, options); }), 0);
    const DiagonalPlan<Format> plan(exec, n, A, t, A, C, options);
    check_untouched("gemm with a plan", exec, C, [&] { gemm(exec, plan, 1.0, A, A, 0.0, C); });
  }
  EXPECT_GE(served, 3);
}

TEST(DiagonalFailingAllocations, Products) {
  const Exec exec;
  const auto A = make_crs<Matrix>(banded_matrix<double>(90, 90, 12, 12));
  check_products(exec, to_hm(exec, A));
  check_products(exec, to_cdm(exec, A));
}

}  // namespace
}  // namespace lacuna::Test
