// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spgemm.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_Transpose.hpp>
#include <Lacuna_ValidateFormats.hpp>

#include <support/Reference_Space.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

/// \file
/// \brief Two threads of a program, each with an instance of its own, make plans, multiply and convert at the same
/// time, also with one plan for both where that is shareable: results are those of one thread, bit by bit.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Vector = Kokkos::View<double*, Exec>;

/// Everything that a thread computed, one number after the other.
using Results = std::vector<double>;

template <class View>
void append(const Exec& exec, const View& view, Results& results) {
  exec.fence();
  for (const auto value : to_vector(view)) results.push_back(static_cast<double>(value));
}

/// What both threads read.
struct Shared {
  Matrix A = make_crs<Matrix>(uneven_matrix<double>(150, 150, 9));
  Matrix B = make_crs<Matrix>(banded_matrix<double>(150, 150, 2, 3));
  SpmvPlan<Matrix, Exec> spmv_plan{Exec(), A};
};

/// One round of work on an instance. `x` differs from thread to thread; `sparse`, of A and B, has its own workspace.
void work(const Exec& exec, const Shared& shared, const SpgemmPlan<Matrix, Exec>& sparse, const Vector& x,
          Results& results) {
  const Vector y(Kokkos::view_alloc(exec, "y"), 150);
  spmv(exec, shared.spmv_plan, 2.0, x, 0.0, y);
  append(exec, y, results);
  SpmvPlan plan(exec, shared.B, {.op = Op::transpose});
  spmv(exec, plan, 1.0, x, 1.0, y);
  plan.update_values(exec, shared.B);
  append(exec, y, results);
  const auto C = sparse.allocate(exec);
  spgemm(exec, sparse, 1.0, shared.A, shared.B, C);
  append(exec, C.values, results);
  append(exec, spgemm(exec, shared.B, shared.A).values, results);
  append(exec, transpose(exec, shared.A).matrix.values, results);
  const auto hyb = to_hyb(exec, shared.A, {.width = 3});
  results.push_back(validate(exec, hyb).valid ? 1 : 0);
  append(exec, to_crs(exec, hyb).values, results);
}

TEST(HostThreads, EachWithAnInstanceOfItsOwn) {
#ifdef KOKKOS_ENABLE_THREADS
  if (std::is_same_v<Exec, Kokkos::Threads>) GTEST_SKIP() << "all instances of Threads are one, for the main thread";
#endif
  constexpr bool serial = has_serial && std::is_same_v<Exec, ReferenceSpace>;
  if (!serial && Exec().concurrency() < 2) GTEST_SKIP() << "one thread of the backend";
  const Shared shared;
  ASSERT_TRUE(shared.spmv_plan.shareable());
  const std::array<SpgemmPlan<Matrix, Exec>, 2> sparse{SpgemmPlan<Matrix, Exec>(Exec(), shared.A, shared.B),
                                                       SpgemmPlan<Matrix, Exec>(Exec(), shared.A, shared.B)};
  const std::array<Vector, 2> x{make_view<Vector>("x", random_vector<double>(150, 1)),
                                make_view<Vector>("x", random_vector<double>(150, 2))};
  std::array<Results, 2> expected, found;
  // Instances of one thread each: sums are shared out among as many as there are.
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  for (std::size_t t = 0; t < 2; ++t)
    for (int round = 0; round < 3; ++round) work(instances[t], shared, sparse[t], x[t], expected[t]);
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::array<std::thread, 2> threads;
    for (std::size_t t = 0; t < 2; ++t) {
      found[t].clear();
      threads[t] = std::thread([&, t] {
        for (int round = 0; round < 3; ++round) work(instances[t], shared, sparse[t], x[t], found[t]);
      });
    }
    for (auto& thread : threads) thread.join();
    for (std::size_t t = 0; t < 2; ++t) EXPECT_EQ(found[t], expected[t]) << "thread " << t << ", attempt " << attempt;
  }
}

}  // namespace
}  // namespace lacuna::Test
