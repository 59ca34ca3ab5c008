// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spgemm.hpp>

#include <support/Test_Matrices.hpp>
#include <tools/Tools_Recorder.hpp>

#include <string>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;

/// Labels and instances of plans, and products that neither fence nor allocate.
TEST(SpgemmAnnotations, PlansAndTheirProducts) {
  const Exec exec = another_instance<Exec>();
  for (const auto& source : {banded_matrix<double>(200, 200, 9, 7), dense_row_matrix<double>(800, 800, 7)}) {
    const auto A = make_crs<Matrix>(source);
    for (const SpgemmAlgorithm algorithm : spgemm_algorithms)
      for (const Op op : {Op::none, Op::transpose}) {
        SCOPED_TRACE(std::string(name(algorithm)) + ", op " + std::string(name(op)));
        const SpgemmOptions options{.op_a = op, .algorithm = algorithm};
        Recorder recorder;
        const SpgemmPlan plan(exec, A, A, options);
        const auto C = plan.allocate(exec);
        recorder.stop();
        EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty()) << "plan";
        spgemm(exec, plan, 2.0, A, A, C);
        exec.fence();
        Recorder product;
        spgemm(exec, plan, 2.0, A, A, C);
        product.stop();
        exec.fence();
        EXPECT_THAT(broken_rules(exec, product), testing::IsEmpty()) << "product";
        EXPECT_THAT(product.allocations(), testing::IsEmpty());
        EXPECT_THAT(product.kernels(), testing::Not(testing::IsEmpty()));
        EXPECT_THAT(product.fence_labels(), testing::IsEmpty());
        EXPECT_THAT(product.regions(), testing::Contains(testing::StartsWith("Lacuna::spgemm[")));
      }
  }
}

}  // namespace
}  // namespace lacuna::Test
