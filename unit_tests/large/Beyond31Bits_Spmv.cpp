// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmv.hpp>

#include <cstdint>
#include <cstdio>

#include "Beyond31Bits.hpp"

namespace lacuna::Test {
namespace {

using Vector = Kokkos::View<float*, LargeDevice>;

struct FillX {
  Vector x;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const { x(row) = static_cast<float>(Strided::of_b(row, 0)); }
};

/// y was 1: 2 A x + y.
struct CountWrongY {
  Strided pattern;
  Vector y;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& wrong) const {
    if (y(row) != static_cast<float>(2 * pattern.sum(row, 0) + 1)) ++wrong;
  }
};

std::int64_t wrong_elements(const LargeExec& exec, const Strided& pattern, const Vector& y) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("check y", LargeRange(exec, 0, pattern.rows), CountWrongY{pattern, y}, wrong);
  exec.fence();
  return wrong;
}

}  // namespace

bool check_spmv(const LargeSizes& sizes) {
  const LargeExec exec;
  const Strided pattern = large_pattern(sizes);
  const LargeMatrix A   = make_large(exec, pattern);
  const auto nonzeros   = static_cast<std::int64_t>(A.nnz());
  const Vector x("x", static_cast<std::size_t>(pattern.columns)), y("y", static_cast<std::size_t>(pattern.rows));
  Kokkos::parallel_for("fill x", LargeRange(exec, 0, pattern.columns), FillX{x});
  exec.fence();

  Kokkos::deep_copy(exec, y, 1.0f);
  Kokkos::Timer timer;
  spmv(exec, 2.0f, A, x, 1.0f, y);
  exec.fence();
  double seconds = timer.seconds();
  bool is_right  = report("spmv without a plan", nonzeros, wrong_elements(exec, pattern, y), seconds);

  const SpmvPlan plan(exec, A);
  Kokkos::deep_copy(exec, y, 1.0f);
  exec.fence();
  timer.reset();
  spmv(exec, plan, 2.0f, x, 1.0f, y);
  exec.fence();
  seconds  = timer.seconds();
  is_right = report("spmv with a plan", nonzeros, wrong_elements(exec, pattern, y), seconds) && is_right;
  std::printf("%s", plan.report().c_str());
  return is_right;
}

}  // namespace lacuna::Test
