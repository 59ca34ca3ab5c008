// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Check.hpp>

#include <gmock/gmock.h>

#include <string>

/// \file
/// \brief When `automatic` takes the dense product, what reports say of it, and its lower precisions.

namespace lacuna::Test {
namespace {

using Impl::Inspection;
using Impl::SpmmRequest;
using List = Impl::SpmmAlgorithms;

/// A random matrix, every row as long as the others.
Inspection uniform(std::int64_t rows, std::int64_t columns, double density) {
  Inspection A;
  A.rows            = rows;
  A.columns         = columns;
  A.lengths.longest = static_cast<std::int64_t>(density * static_cast<double>(columns));
  A.nonzeros        = rows * A.lengths.longest;
  for (auto& sum : A.lengths.group_span) sum = A.nonzeros;
  return A;
}

SpmmRequest request(std::int64_t columns, Precision precision = Precision::full, bool allow = true) {
  SpmmRequest asked;
  asked.columns     = columns;
  asked.precision   = precision;
  asked.allow_dense = allow;
  asked.scalar      = {Impl::ScalarKind::real, 4};
  return asked;
}

struct Chosen {
  bool is_dense = false;
  std::string said;  // of dense
};

Chosen chosen(const Inspection& A, const SpmmRequest& asked, const Device& device = Device::h200(),
              std::size_t left = unlimited) {
  const auto choice = Impl::choose<List>(device, A, asked, left);
  Chosen result;
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (Algorithm::id != SpmmAlgorithm::dense) return;
    result.is_dense = choice.index == i;
    result.said     = choice.candidates[i].estimate.reason;
  });
  return result;
}

TEST(SpmmDenseChoice, TakenWhereItIsAllowedAndFaster) {
  // Measured, 4096 × 4096, N = 512: cuBLAS 365 us in float and 51 in TF32; our row kernels 218 at 90 %, 435 at 80 %.
  EXPECT_TRUE(chosen(uniform(4096, 4096, 0.4), request(512)).is_dense);
  EXPECT_FALSE(chosen(uniform(4096, 4096, 0.01), request(512)).is_dense);
  EXPECT_TRUE(chosen(uniform(4096, 4096, 0.2), request(512, Precision::tf32)).is_dense);
  EXPECT_FALSE(chosen(uniform(4096, 4096, 0.001), request(512, Precision::tf32)).is_dense);
  EXPECT_TRUE(chosen(uniform(14500, 14500, 0.2), request(14500, Precision::tf32)).is_dense);
}

TEST(SpmmDenseChoice, NeverUnasked) {
  for (const double density : {0.001, 0.1, 0.5, 1.0})
    for (const Precision precision : {Precision::full, Precision::tf32})
      EXPECT_FALSE(chosen(uniform(4096, 4096, density), request(512, precision, false)).is_dense) << density;
}

TEST(SpmmDenseChoice, SaysWhatItWouldGain) {
  const std::string dear = chosen(uniform(4096, 4096, 0.5), request(512, Precision::full, false)).said;
  EXPECT_THAT(dear, testing::ContainsRegex("as a dense matrix of 67.* about [0-9.]+ us a product, [0-9.]+ times faster "
                                           "than row_split: SpmmOptions::allow_dense takes it"));
  const std::string cheap = chosen(uniform(4096, 4096, 0.001), request(512, Precision::full, false)).said;
  EXPECT_THAT(cheap, testing::HasSubstr("as a dense matrix of"));
  EXPECT_THAT(cheap, testing::Not(testing::HasSubstr("allow_dense")));
}

TEST(SpmmDenseChoice, MemoryCallsAndDevicesWithoutIt) {
  const Inspection A    = uniform(4096, 4096, 0.4);
  constexpr auto copy   = std::size_t{4096} * 4096 * 4;
  const SpmmRequest ask = request(512);
  EXPECT_TRUE(chosen(A, ask, Device::h200(), copy).is_dense);
  EXPECT_FALSE(chosen(A, ask, Device::h200(), copy - 1).is_dense);
  SpmmRequest hasty    = ask;
  hasty.expected_calls = 1;
  EXPECT_FALSE(chosen(A, hasty).is_dense) << "the copy is never paid back";
  Device without   = Device::h200();
  without.has_gemm = false;
  EXPECT_FALSE(chosen(A, ask, without).is_dense);
  EXPECT_THAT(chosen(A, ask, without).said, testing::HasSubstr("no library for dense products"));
  SpmmRequest named = request(512, Precision::tf32);
  named.algorithm   = SpmmAlgorithm::dense;
  EXPECT_TRUE(Impl::SpmmDense::supports(Device::h200(), named));
  EXPECT_THAT(Impl::SpmmDense::supports(Device::mi300x(), named).why_not,
              testing::HasSubstr("precision tf32 by dense"));
  named           = request(512);
  named.algorithm = SpmmAlgorithm::dense;
  named.row_order = RowOrder::clustered;
  EXPECT_THAT(Impl::SpmmDense::supports(Device::h200(), named).why_not, testing::HasSubstr("clustered by dense"));
  // Sizes that no memory holds do not overflow.
  const Inspection huge = uniform(std::int64_t{1} << 40, std::int64_t{1} << 40, 0);
  EXPECT_FALSE(chosen(huge, ask).is_dense);
}

using Exec      = Kokkos::DefaultExecutionSpace;
using Space     = Exec::device_type;
using Floats    = KokkosSparse::CrsMatrix<float, int, Space, void, int>;
using Operation = Impl::SpmmOperationOf<Impl::AlgorithmList<Impl::SpmmRowSplit, Impl::SpmmDense>>;
using Plan      = SpmmPlan<Floats, Exec, Operation>;

TEST(SpmmDensePlan, AllowDense) {
  if (!ExecutionTraits<Exec>::has_gemm) GTEST_SKIP() << "this build has no library for dense products";
  const NamedMatrix<float> sample{"half full", random_matrix<float>(600, 600, 300)};
  const auto A = make_crs<Floats>(sample.matrix);
  const Plan asked_for_nothing(A, {.columns = 600});
  EXPECT_EQ(asked_for_nothing.algorithm(), SpmmAlgorithm::row_split);
  EXPECT_THAT(asked_for_nothing.report(), testing::HasSubstr("not         dense: as a dense matrix of 1.44 MB"));
  const Plan plan(A, {.columns = 600, .expected_calls = 1000000000, .allow_dense = true});
  // On hosts there is a plain loop, which is never the faster one.
  EXPECT_EQ(plan.algorithm(), ExecutionTraits<Exec>::is_gpu ? SpmmAlgorithm::dense : SpmmAlgorithm::row_split);
  check_spmm<Space>(sample, SpmmCase<float>{.columns = 600}, "allowed",
                    [&](const auto&, const auto& B, const auto& C) { spmm(plan, 1, B, 0, C); });
  const Plan named(A, {.columns = 600, .algorithm = SpmmAlgorithm::dense});
  EXPECT_EQ(named.algorithm(), SpmmAlgorithm::dense) << "a name is permission enough";
  EXPECT_THAT(named.report(), testing::HasSubstr("rows of 608 elements"));
}

TEST(SpmmDensePlan, LowerPrecisions) {
  if (!ExecutionTraits<Exec>::has_gemm || !device_of(Exec()).has_reduced_gemm)
    GTEST_SKIP() << "full precision alone here";
  const NamedMatrix<float> sample{"random", random_matrix<float>(256, 512, 40)};
  const auto A = make_crs<Floats>(sample.matrix);
  // Both factors cut to 11 bits (8 in bf16): the library may cut where we round.
  for (const auto [precision, unit] :
       {std::pair{Precision::tf32, 0x1p-10}, {Precision::fp16, 0x1p-10}, {Precision::bf16, 0x1p-7}}) {
    const Plan plan(A, {.columns = 64, .algorithm = SpmmAlgorithm::dense, .precision = precision});
    EXPECT_EQ(plan.precision(), precision);
    for (const Storage b : {Storage::rows, Storage::columns})
      check_spmm<Space>(sample, SpmmCase<float>{.columns = 64, .beta = 0.5f, .b = b, .relative = 2.1 * unit},
                        std::string(name(precision)),
                        [&](const auto& call, const auto& B, const auto& C) { spmm(plan, 1, B, call.beta, C); });
  }
}

}  // namespace
}  // namespace lacuna::Test
