// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMVPLAN_PRODUCTS_HPP
#define LACUNA_TEST_SPMVPLAN_PRODUCTS_HPP

#include <Lacuna_Spmv.hpp>

#include <reference/Reference_Spmv.hpp>
#include <support/Spmv_Algorithms.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Every algorithm of a plan against the serial reference. One translation unit per type combination.

namespace lacuna::Test {

template <class Matrix>
using ScalarOf = typename Matrix::non_const_value_type;

template <class Matrix>
using VectorOf = Kokkos::View<ScalarOf<Matrix>*, typename Matrix::device_type>;

/// Whether the default execution space has an algorithm.
inline bool is_served(SpmvAlgorithm algorithm) {
  const std::vector<SpmvAlgorithm> here = spmv_algorithms_here();
  return std::find(here.begin(), here.end(), algorithm) != here.end();
}

/// Whether an algorithm may refuse a matrix because storage would be mostly padding.
inline bool may_be_too_full(SpmvAlgorithm algorithm) {
  return algorithm == SpmvAlgorithm::dia || algorithm == SpmvAlgorithm::ell || algorithm == SpmvAlgorithm::diagonals;
}

/// Whether an algorithm may refuse a matrix because its rows are not sorted, or hold a column twice.
inline bool may_need_order(SpmvAlgorithm algorithm, const std::string& matrix) {
  return algorithm == SpmvAlgorithm::sliced_dia && matrix.ends_with(", messy");
}

/// y = alpha op(A) x + beta y by one plan, compared with the reference. y starts as NaN where beta == 0.
template <class Matrix>
void check_product(const NamedMatrix<ScalarOf<Matrix>>& sample, const SpmvOptions& options, ScalarOf<Matrix> alpha,
                   ScalarOf<Matrix> beta) {
  using Scalar        = ScalarOf<Matrix>;
  using Exec          = typename Matrix::execution_space;
  const auto& host    = sample.matrix;
  const bool straight = options.op == Op::none;
  const auto x        = random_vector<Scalar>(straight ? host.columns : host.rows);
  const auto size     = static_cast<std::size_t>(straight ? host.rows : host.columns);
  const Scalar nan    = Scalar(std::numeric_limits<typename RealOf<Scalar>::type>::quiet_NaN());
  const auto y =
      beta == Scalar(0) ? std::vector<Scalar>(size, nan) : random_vector<Scalar>(static_cast<std::int64_t>(size), 17);
  const auto reference = reference_spmv(options.op, alpha, host, x, beta, y);

  const auto A  = make_crs<Matrix>(host);
  const auto dx = make_view<VectorOf<Matrix>>("x", x);
  const auto dy = make_view<VectorOf<Matrix>>("y", y);
  const Exec exec;
  const SpmvPlan plan(exec, A, options);
  EXPECT_TRUE(options.algorithm == SpmvAlgorithm::automatic || plan.algorithm() == options.algorithm);
  // Twice: what a call leaves in the plan must not disturb the next.
  const auto before = make_view<VectorOf<Matrix>>("before", y);
  spmv(exec, plan, alpha, dx, beta, before);
  spmv(exec, plan, alpha, dx, beta, dy);
  exec.fence();
  EXPECT_TRUE(matches(reference, to_vector(dy))) << sample.name << ", " << name(options.algorithm) << ", op "
                                                 << name(options.op) << ", lanes " << options.lanes_per_row;
  const auto first = to_vector(before), second = to_vector(dy);
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(first[i], second[i]) << sample.name << " row " << i;
}

template <class Matrix>
void check_all_products(const std::vector<SpmvAlgorithm>& algorithms,
                        const std::vector<NamedMatrix<ScalarOf<Matrix>>>& samples, Op op = Op::none) {
  using Scalar = ScalarOf<Matrix>;
  for (const SpmvAlgorithm algorithm : algorithms)
    for (const auto& sample : samples) {
      if (!is_served(algorithm)) continue;
      try {
        check_product<Matrix>(sample, {.op = op, .algorithm = algorithm}, Scalar(1), Scalar(0));
        check_product<Matrix>(sample, {.op = op, .algorithm = algorithm}, Scalar(-2.5), Scalar(0.75));
      } catch (const NotSupported& error) {
        EXPECT_TRUE(may_be_too_full(algorithm)) << sample.name << ", " << name(algorithm) << ": " << error.what();
        EXPECT_THAT(error.what(), testing::HasSubstr("fill_limit"));
      } catch (const InvalidMatrix& error) {
        EXPECT_TRUE(may_need_order(algorithm, sample.name))
            << sample.name << ", " << name(algorithm) << ": " << error.what();
      }
    }
}

/// A plan that takes new values of its pattern multiplies with them.
template <class Matrix>
void check_new_values(SpmvAlgorithm algorithm, Op op) {
  if (!is_served(algorithm)) return;
  using Scalar         = ScalarOf<Matrix>;
  const auto host      = banded_matrix<Scalar>(70, 70, 3, 2);
  const auto fresh     = with_new_values(host);
  const auto x         = random_vector<Scalar>(70);
  const auto reference = reference_spmv(op, Scalar(1), fresh, x, Scalar(0), {});
  SpmvPlan plan(make_crs<Matrix>(host), {.op = op, .algorithm = algorithm});
  const typename Matrix::execution_space exec;
  plan.update_values(exec, make_crs<Matrix>(fresh));
  const auto y = make_view<VectorOf<Matrix>>("y", std::vector<Scalar>(70));
  spmv(exec, plan, Scalar(1), make_view<VectorOf<Matrix>>("x", x), Scalar(0), y);
  exec.fence();
  EXPECT_TRUE(matches(reference, to_vector(y))) << name(algorithm) << ", op " << name(op);
}

/// Rows longer than any work item of nonzero_split, so that teams share them; several in a row, with short ones
/// between.
template <class Scalar>
NamedMatrix<Scalar> long_rows() {
  Random random(3);
  std::vector<std::vector<std::int64_t>> rows;
  for (const std::int64_t length : {5, 9000, 0, 4096, 4097, 2, 1, 20000, 0, 0, 3, 1024, 1023, 2049, 6})
    rows.push_back(random.distinct(length, 30000));
  return {"long rows", from_rows<Scalar>(30000, rows)};
}

/// Rows that end exactly where work items do, one entry in front and one behind, for work items of any power of two;
/// and rows of no more than an entry, so that every entry ends a row.
template <class Scalar>
std::vector<NamedMatrix<Scalar>> rows_at_edges_of_items() {
  std::vector<NamedMatrix<Scalar>> samples;
  Random random(4);
  for (const int off : {-1, 0, 1}) {
    std::vector<std::vector<std::int64_t>> rows;
    for (const std::int64_t length : {64, 64, 128, 256, 512, 512 + off, 1024, 1024 + off, 2048 + off, 512, 1})
      rows.push_back(random.distinct(length + off, 5000));
    samples.push_back({"rows of 2^k + " + std::to_string(off), from_rows<Scalar>(5000, rows)});
  }
  std::vector<std::vector<std::int64_t>> single(5003);
  for (std::size_t i = 0; i < single.size(); ++i)
    if (i % 7 != 3 && i > 40 && i < 4900) single[i] = {static_cast<std::int64_t>(i * 37 % 900)};
  samples.push_back({"rows of one entry or none", from_rows<Scalar>(900, single)});
  return samples;
}

}  // namespace lacuna::Test

#endif
