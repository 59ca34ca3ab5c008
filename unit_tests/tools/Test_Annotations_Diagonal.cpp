// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Diagonal.hpp>

#include <support/Test_Matrices.hpp>
#include <tools/Tools_Recorder.hpp>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;

/// Into a C that is there: the rules, no fence, and no allocation but that of the lists of `strips`.
template <class Format>
void check_products(const Exec& exec, const std::string& what, const Format& A) {
  const Format C = gemm(exec, Op::none, A, Op::transpose, A);
  exec.fence();
  for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
    SCOPED_TRACE(what + ", " + std::string(name(algorithm)));
    const auto product = [&] { gemm(exec, 2.0, Op::none, A, Op::transpose, A, 0.5, C, {.algorithm = algorithm}); };
    try {
      product();
    } catch (const NotSupported&) {
      continue;
    }
    exec.fence();
    Recorder recorder;
    product();
    recorder.stop();
    exec.fence();
    EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty());
    EXPECT_THAT(recorder.kernels(), testing::Not(testing::IsEmpty()));
    if (algorithm != DiagonalAlgorithm::strips) EXPECT_THAT(recorder.allocations(), testing::IsEmpty());
    const DiagonalPlan<Format> plan(exec, Op::none, A, Op::transpose, A, C, {.algorithm = algorithm});
    exec.fence();
    Recorder planned;
    gemm(exec, plan, 2.0, A, A, 0.5, C);
    planned.stop();
    exec.fence();
    EXPECT_THAT(broken_rules(exec, planned), testing::IsEmpty());
    EXPECT_THAT(planned.allocations(), testing::IsEmpty());
    EXPECT_THAT(planned.fence_labels(), testing::IsEmpty());
  }
}

TEST(DiagonalAnnotations, Products) {
  const Exec exec = another_instance<Exec>();
  const auto A    = make_crs<Matrix>(banded_matrix<double>(200, 200, 5, 3));
  check_products(exec, "HM", to_hm(exec, A));
  check_products(exec, "CDM", to_cdm(exec, A));
  Recorder recorder;
  syr2k(exec, Op::transpose, to_hm(exec, A), to_hm(exec, A));
  recorder.stop();
  EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty());
}

}  // namespace
}  // namespace lacuna::Test
