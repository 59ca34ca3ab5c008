// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <reference/Reference_Spmm.hpp>
#include <spmm/Spmm_Plans.hpp>
#include <tools/Tools_Recorder.hpp>

#include <optional>
#include <set>

namespace lacuna::Test {
namespace {

using Exec  = Kokkos::DefaultExecutionSpace;
using Right = Kokkos::LayoutRight;
using Left  = Kokkos::LayoutLeft;

template <class Scalar>
using MatrixOf = KokkosSparse::CrsMatrix<Scalar, int, Exec::device_type, void, int>;
template <class Scalar, class Layout>
using BlockOf = Kokkos::View<Scalar**, Layout, Exec::device_type>;

/// A product: the rules, no fence, and no allocation. The call before it may have had Kokkos enlarge its scratch, or
/// the plan allocate its workspace.
template <class Product>
void check_product(const Exec& exec, const std::string& what, const Product& product) {
  product();
  exec.fence();
  Recorder recorder;
  product();
  recorder.stop();
  exec.fence();
  EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty()) << what;
  EXPECT_THAT(recorder.allocations(), testing::IsEmpty()) << what;
  EXPECT_THAT(recorder.kernels(), testing::Not(testing::IsEmpty())) << what;
  EXPECT_THAT(recorder.fence_labels(), testing::IsEmpty()) << what;
}

/// Short rows, long ones that are cut, blocks that engines like.
template <class Scalar>
std::vector<NamedMatrix<Scalar>> matrices() {
  return {{"banded", banded_matrix<Scalar>(200, 190, 2, 3)},
          {"dense row", dense_row_matrix<Scalar>(300, 3000, 7)},
          {"blocks", block_matrix<Scalar>(60, 70, 4, 20)}};
}

template <class Scalar, class Layout>
void check_plans() {
  const Exec exec = another_instance<Exec>();
  std::set<SpmmAlgorithm> served;
  for (const auto& [sample, source] : matrices<Scalar>()) {
    const auto A = make_crs<MatrixOf<Scalar>>(source);
    for (const SpmmAlgorithm algorithm : spmm_algorithms)
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        SCOPED_TRACE(sample + ", " + std::string(name(algorithm)) + ", op " + std::string(name(op)));
        std::optional<SpmmPlan<MatrixOf<Scalar>>> plan;
        Recorder recorder;
        try {
          plan.emplace(exec, A, SpmmOptions{.op = op, .columns = 31, .algorithm = algorithm});
        } catch (const NotSupported&) {
          continue;
        }
        recorder.stop();
        served.insert(algorithm);
        EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty()) << "plan";
        for (const std::size_t columns : {31, 70}) {
          const BlockOf<Scalar, Layout> B("B", static_cast<std::size_t>(plan->columns()), columns);
          const BlockOf<Scalar, Layout> C("C", static_cast<std::size_t>(plan->rows()), columns);
          check_product(exec, "spmm", [&] { spmm(exec, *plan, 2.0, B, 0.5, C); });
          check_product(exec, "spmm, beta 0", [&] { spmm(exec, *plan, 1, B, 0, C); });
          check_product(exec, "spmm, alpha 0", [&] { spmm(exec, *plan, 0, B, 3, C); });
        }
        // The same matrix in other arrays, so that the patterns are compared.
        const auto other = make_crs<MatrixOf<Scalar>>(source);
        check_annotations(exec, "update_values", [&] { plan->update_values(exec, other); });
      }
  }
  EXPECT_TRUE(served.count(SpmmAlgorithm::automatic) == 1 && served.count(SpmmAlgorithm::row_split) == 1);
}

TEST(SpmmAnnotations, PlansAndTheirProducts) {
  check_plans<float, Right>();
  check_plans<Kokkos::complex<double>, Left>();  // conjugation is a kernel of its own
}

TEST(SpmmAnnotations, OneShotProducts) {
  const Exec exec = another_instance<Exec>();
  for (const auto& [sample, source] : matrices<double>()) {
    const auto A = make_crs<MatrixOf<double>>(source);
    const BlockOf<double, Right> B("B", static_cast<std::size_t>(source.columns), 9);
    const BlockOf<double, Left> C("C", static_cast<std::size_t>(source.rows), 9);
    check_product(exec, sample, [&] { spmm(exec, 2.0, A, B, 0.5, C); });
    check_product(exec, sample + ", beta 0", [&] { spmm(exec, 1, A, B, 0, C); });
    check_product(exec, sample + ", alpha 0", [&] { spmm(exec, 0, A, B, 3, C); });
  }
}

TEST(SpmmAnnotations, RegionsNameTheAlgorithmAndThePrecision) {
  const Exec exec;
  const auto A = make_crs<MatrixOf<float>>(banded_matrix<float>(40, 40, 1, 1));
  const BlockOf<float, Right> B("B", 40, 4), C("C", 40, 4);
  const SpmmPlan plan(exec, A, {.columns = 4, .algorithm = SpmmAlgorithm::row_split});
  Recorder recorder;
  spmm(exec, plan, 1, B, 0, C);
  spmm(exec, 1, A, B, 0, C);
  recorder.stop();
  EXPECT_THAT(recorder.regions(), testing::ElementsAre("Lacuna::spmm[row_split,full]", "Lacuna::spmm[one_shot,full]"));
}

}  // namespace
}  // namespace lacuna::Test
