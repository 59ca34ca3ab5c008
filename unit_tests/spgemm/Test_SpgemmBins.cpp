// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spgemm/Test_SpgemmProducts.hpp>
#include <tools/Tools_Recorder.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief Paper 001 by the letter, through a plan: which rows are in which group, and which kernels run for them.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using testing::HasSubstr;

/// B has rows of these lengths, the identity on the left makes them the products of rows of C.
Matrix rows_of(const std::vector<std::int64_t>& products) {
  return make_crs<Matrix>(rows_of_lengths<double>(products, 3000));
}
Matrix identity(std::size_t n) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t i = 0; i < n; ++i) rows.push_back({static_cast<std::int64_t>(i)});
  return make_crs<Matrix>(from_rows<double>(static_cast<std::int64_t>(n), rows));
}

/// The labels of stage 3 and 4 of a plan and a product with new values.
std::multiset<std::string> kernels_of(const std::vector<std::int64_t>& products, SpgemmAlgorithm algorithm) {
  const Matrix A = identity(products.size()), B = rows_of(products);
  const Exec exec;
  const SpgemmPlan plan(exec, A, B, {.algorithm = algorithm});
  const auto C = plan.allocate();
  Recorder recorder;
  spgemm(exec, plan, 1, A, B, C);
  recorder.stop();
  exec.fence();
  std::multiset<std::string> labels;
  for (const auto& kernel : recorder.kernels())
    for (const std::string step : {"heap", "bitonic", "sort_rows", "merge", "copy"})
      if (kernel.label == "Lacuna::spgemm::" + step) labels.insert(step);
  return labels;
}

std::string groups_of(const std::vector<std::int64_t>& products) {
  const SpgemmPlan plan(identity(products.size()), rows_of(products), {.algorithm = SpgemmAlgorithm::bins});
  return plan.report();
}

TEST(SpgemmBins, RowsAreInTheGroupsOfThePaper) {
  EXPECT_THAT(groups_of({0, 0, 0, 1, 1, 2}),
              HasSubstr("3 empty, 2 of one product, 1 by heap, 0 by bitonic sort, 0 by"));
  EXPECT_THAT(groups_of({2, 3, 31, 32}), HasSubstr("0 of one product, 4 by heap, 0 by bitonic sort, 0 by merge"));
  EXPECT_THAT(groups_of({33, 64, 65, 128, 129, 256, 257, 512}), HasSubstr("0 by heap, 8 by bitonic sort, 0 by merge"));
  EXPECT_THAT(groups_of({32, 33, 512, 513, 2000}), HasSubstr("1 by heap, 2 by bitonic sort, 2 by merge"));
}

/// A launch for each bin of groups 2 to 4 that has rows, whatever their number.
TEST(SpgemmBins, EachBinHasALaunchOfItsOwn) {
  using Labels = std::multiset<std::string>;
  EXPECT_EQ(kernels_of({1, 1, 1}, SpgemmAlgorithm::bins), (Labels{"heap", "copy"}));
  EXPECT_EQ(kernels_of({2, 3, 3, 32}, SpgemmAlgorithm::bins), (Labels{"heap", "heap", "heap", "copy"}));
  EXPECT_EQ(kernels_of({33, 64}, SpgemmAlgorithm::bins), (Labels{"bitonic", "copy"}));
  EXPECT_EQ(kernels_of({33, 65, 129, 257, 512}, SpgemmAlgorithm::bins),
            (Labels{"bitonic", "bitonic", "bitonic", "bitonic", "copy"}));
  EXPECT_EQ(kernels_of({513}, SpgemmAlgorithm::bins), (Labels{"merge", "copy"}));
  // Rows of group 2 are copied by a lane each, others by a work group: two launches.
  EXPECT_EQ(kernels_of({1, 32, 512, 513}, SpgemmAlgorithm::bins),
            (Labels{"heap", "heap", "bitonic", "merge", "copy", "copy", "copy"}));
  EXPECT_EQ(kernels_of({1, 33, 512}, SpgemmAlgorithm::bins_by_subwarps),
            (Labels{"heap", "sort_rows", "sort_rows", "copy"}));
}

/// The same bits from a plan's own values and from a call with them.
TEST(SpgemmBins, VariantsAgree) {
  std::vector<std::int64_t> products;
  for (std::int64_t n = 0; n < 600; n += 7) products.push_back(n);
  const Matrix A = identity(products.size()), B = rows_of(products);
  const auto C = to_host(spgemm(A, B, {.algorithm = SpgemmAlgorithm::bins}));
  const auto D = to_host(spgemm(A, B, {.algorithm = SpgemmAlgorithm::bins_by_subwarps}));
  EXPECT_EQ(C.row_map, D.row_map);
  EXPECT_EQ(C.entries, D.entries);
  EXPECT_EQ(C.values, D.values) << "one product each: nothing is added";
}

}  // namespace
}  // namespace lacuna::Test
