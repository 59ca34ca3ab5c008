// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmv.hpp>

#include <support/Spmv_Algorithms.hpp>
#include <support/Test_Matrices.hpp>
#include <tools/Tools_Recorder.hpp>

#include <optional>
#include <set>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Scalar = Kokkos::complex<double>;  // conjugation is a kernel of its own
using Matrix = KokkosSparse::CrsMatrix<Scalar, int, Exec::device_type, void, int>;
using Vector = Kokkos::View<Scalar*, Exec::device_type>;
using Plan   = SpmvPlan<Matrix>;

/// Short rows, long ones that teams share, columns that need hops.
std::vector<NamedMatrix<Scalar>> matrices() {
  return {{"banded", banded_matrix<Scalar>(200, 190, 2, 3)},
          {"dense row", dense_row_matrix<Scalar>(300, 20000, 7)},
          far_columns<Scalar>()};
}

/// A product: the rules, no fence, and no allocation. The call before it may have had Kokkos enlarge its scratch.
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

TEST(SpmvAnnotations, PlansAndTheirProducts) {
  const Exec exec = another_instance<Exec>();
  std::set<SpmvAlgorithm> served;
  for (const auto& [sample, source] : matrices()) {
    const auto A = make_crs<Matrix>(source);
    for (const SpmvAlgorithm algorithm : spmv_algorithms_here())
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        SCOPED_TRACE(sample + ", " + std::string(name(algorithm)) + ", op " + std::string(name(op)));
        std::optional<Plan> plan;
        Recorder recorder;
        try {
          plan.emplace(exec, A, SpmvOptions{.op = op, .algorithm = algorithm});
        } catch (const NotSupported&) {
          continue;
        }
        recorder.stop();
        served.insert(algorithm);
        EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty()) << "plan";
        const Vector x("x", static_cast<std::size_t>(plan->columns())), y("y", static_cast<std::size_t>(plan->rows()));
        check_product(exec, "spmv", [&] { spmv(exec, *plan, 2.0, x, 0.5, y); });
        check_product(exec, "spmv, beta 0", [&] { spmv(exec, *plan, 1, x, 0, y); });
        check_product(exec, "spmv, alpha 0", [&] { spmv(exec, *plan, 0, x, 3, y); });
        // The same matrix in other arrays, so that the patterns are compared.
        const auto B = make_crs<Matrix>(source);
        check_annotations(exec, "update_values", [&] { plan->update_values(exec, B); });
      }
  }
  EXPECT_EQ(served.size(), spmv_algorithms_here().size());
}

TEST(SpmvAnnotations, OneShotProducts) {
  const Exec exec = another_instance<Exec>();
  for (const auto& [sample, source] : matrices()) {
    const auto A = make_crs<Matrix>(source);
    const Vector x("x", static_cast<std::size_t>(source.columns)), y("y", static_cast<std::size_t>(source.rows));
    check_product(exec, sample, [&] { spmv(exec, 2.0, A, x, 0.5, y); });
    check_product(exec, sample + ", beta 0", [&] { spmv(exec, 1, A, x, 0, y); });
    check_product(exec, sample + ", alpha 0", [&] { spmv(exec, 0, A, x, 3, y); });
  }
}

TEST(SpmvAnnotations, WithoutNonzeros) {
  const Exec exec = another_instance<Exec>();
  const auto A    = make_crs<Matrix>(from_rows<Scalar>(30, std::vector<std::vector<std::int64_t>>(40)));
  const Vector x("x", 30), y("y", 40);
  for (const SpmvAlgorithm algorithm : spmv_algorithms_here()) {
    SCOPED_TRACE(name(algorithm));
    const Plan plan(exec, A, {.algorithm = algorithm});
    check_product(exec, "spmv", [&] { spmv(exec, plan, 2.0, x, 0.5, y); });
  }
  check_product(exec, "one shot", [&] { spmv(exec, 2.0, A, x, 0.5, y); });
}

}  // namespace
}  // namespace lacuna::Test
