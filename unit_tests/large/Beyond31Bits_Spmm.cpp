// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <cstdint>
#include <cstdio>

#include "Beyond31Bits.hpp"

namespace lacuna::Test {
namespace {

using Dense = Kokkos::View<float**, Kokkos::LayoutRight, LargeDevice>;

struct FillB {
  Dense B;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (std::size_t j = 0; j < B.extent(1); ++j)
      B(row, j) = static_cast<float>(Strided::of_b(row, static_cast<std::int64_t>(j)));
  }
};

/// C was 1: 2 A B + C.
struct CountWrongC {
  Strided pattern;
  Dense C;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& wrong) const {
    for (std::size_t j = 0; j < C.extent(1); ++j)
      if (C(row, j) != static_cast<float>(2 * pattern.sum(row, static_cast<std::int64_t>(j)) + 1)) ++wrong;
  }
};

std::int64_t wrong_elements(const LargeExec& exec, const Strided& pattern, const Dense& C) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("check C", LargeRange(exec, 0, pattern.rows), CountWrongC{pattern, C}, wrong);
  exec.fence();
  return wrong;
}

}  // namespace

bool check_spmm(const LargeSizes& sizes) {
  const LargeExec exec;
  const Strided pattern = large_pattern(sizes);
  const LargeMatrix A   = make_large(exec, pattern);
  const auto nonzeros   = static_cast<std::int64_t>(A.nnz());
  const auto columns    = static_cast<std::size_t>(sizes.columns);
  const Dense B("B", static_cast<std::size_t>(pattern.columns), columns),
      C("C", static_cast<std::size_t>(pattern.rows), columns);
  Kokkos::parallel_for("fill B", LargeRange(exec, 0, pattern.columns), FillB{B});
  exec.fence();

  Kokkos::deep_copy(exec, C, 1.0f);
  Kokkos::Timer timer;
  spmm(exec, 2.0f, A, B, 1.0f, C);
  exec.fence();
  double seconds = timer.seconds();
  bool is_right  = report("spmm without a plan", nonzeros, wrong_elements(exec, pattern, C), seconds);

  const SpmmPlan plan(exec, A, {.columns = sizes.columns});
  Kokkos::deep_copy(exec, C, 1.0f);
  exec.fence();
  timer.reset();
  spmm(exec, plan, 2.0f, B, 1.0f, C);
  exec.fence();
  seconds  = timer.seconds();
  is_right = report("spmm with a plan", nonzeros, wrong_elements(exec, pattern, C), seconds) && is_right;
  std::printf("%s", plan.report().c_str());
  return is_right;
}

}  // namespace lacuna::Test
