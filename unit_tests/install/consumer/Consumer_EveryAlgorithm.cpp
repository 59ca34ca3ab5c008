// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

int every_algorithm();

/// For sanitizers: every algorithm of every operation works on meshes, graphs and nothing at all. Results are compared
/// with those of the first algorithm.
namespace {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Values    = Kokkos::View<double*, Device>;

int wrong = 0;

/// Counts what differs from `expected`, which is made of the first `actual`.
void compare(Values& expected, const Values& actual, const std::string& what) {
  const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), actual);
  if (expected.data() == nullptr) {
    expected = Values("expected", actual.extent(0));
    Kokkos::deep_copy(expected, actual);
  }
  const auto e      = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  bool is_different = a.extent(0) != e.extent(0);
  for (std::size_t i = 0; i < a.extent(0) && !is_different; ++i) is_different = !(std::abs(a(i) - e(i)) < 1e-10);
  if (is_different) std::printf("%s differs\n", what.c_str());
  wrong += is_different ? 1 : 0;
}

/// `work()`, unless the algorithm does not serve the matrix.
template <class Work>
void where_supported(const Work& work) {
  try {
    work();
  } catch (const lacuna::NotSupported&) {
  } catch (const lacuna::InvalidMatrix&) {
  }
}

void vectors(const Matrix& A) {
  const Values x("x", static_cast<std::size_t>(A.numCols())), y("y", static_cast<std::size_t>(A.numRows()));
  Kokkos::deep_copy(x, 0.5);
  Values expected;
  for (const lacuna::SpmvAlgorithm algorithm : lacuna::spmv_algorithms)
    where_supported([&] {
      const lacuna::SpmvPlan<Matrix> plan(A, {.algorithm = algorithm});
      lacuna::spmv(plan, 1.0, x, 0.0, y);
      compare(expected, y, "spmv " + std::string(name(algorithm)) + plan.report());
    });
}

void blocks(const Matrix& A) {
  constexpr std::size_t columns = 5;
  const auto rows = static_cast<std::size_t>(A.numRows()), depth = static_cast<std::size_t>(A.numCols());
  const Kokkos::View<double**, Kokkos::LayoutRight, Device> B("B", depth, columns), C("C", rows, columns);
  Kokkos::deep_copy(B, 0.5);
  Values expected;
  for (const lacuna::SpmmAlgorithm algorithm : lacuna::spmm_algorithms)
    where_supported([&] {
      const lacuna::SpmmPlan<Matrix> plan(A, {.columns = columns, .algorithm = algorithm});
      lacuna::spmm(plan, 1.0, B, 0.0, C);
      compare(expected, Values(C.data(), rows * columns), "spmm " + std::string(name(algorithm)) + plan.report());
    });
}

void squares(const Matrix& A) {
  Values expected;
  for (const auto keep : {lacuna::KeepProducts::no, lacuna::KeepProducts::yes})
    for (const lacuna::SpgemmAlgorithm algorithm : lacuna::spgemm_algorithms)
      where_supported([&] {
        const lacuna::SpgemmPlan<Matrix> plan(A, A, {.algorithm = algorithm, .keep_products = keep});
        const auto C = plan.allocate();
        lacuna::spgemm(plan, 1.0, A, A, C);
        compare(expected, C.values, "spgemm " + std::string(name(algorithm)) + plan.report());
      });
}

void diagonals(const Matrix& A) {
  const Execution exec;
  const auto H = lacuna::to_hm(exec, A, {.fill_limit = 0});
  const auto C = lacuna::gemm(exec, lacuna::Op::none, H, lacuna::Op::transpose, H);
  Values expected;
  for (const lacuna::DiagonalAlgorithm algorithm : lacuna::diagonal_algorithms)
    where_supported([&] {
      const lacuna::DiagonalPlan plan(exec, lacuna::Op::none, H, lacuna::Op::transpose, H, C, {.algorithm = algorithm});
      lacuna::gemm(exec, plan, 1.0, H, H, 0.0, C);
      exec.fence();
      compare(expected, C.list, "gemm " + std::string(name(algorithm)) + plan.report());
    });
}

}  // namespace

int every_algorithm() {
  for (const char* matrix : {"mesh7:n=7", "mesh27:n=4,b=3", "power:rows=300,nnz=3000,longest=200", "diagonal:n=1"}) {
    const auto A = lacuna::generate<Matrix>(matrix);
    lacuna::row_statistics(Execution(), A);
    vectors(A);
    blocks(A);
    squares(A);
  }
  diagonals(lacuna::generate<Matrix>("mesh7:n=5"));
  const Matrix nothing;
  vectors(nothing);
  blocks(nothing);
  squares(nothing);
  return wrong;
}
