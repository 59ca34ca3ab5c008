// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spgemm.hpp>

#include <cstdint>
#include <cstdio>

#include "Beyond31Bits.hpp"

namespace lacuna::Test {
namespace {

/// Two neighbours in each row.
struct Pairs {
  std::int64_t rows, per_row, columns;
  KOKKOS_FUNCTION std::int64_t column(std::int64_t row, std::int64_t place) const {
    return row % (columns - 1) + place;
  }
  KOKKOS_FUNCTION static int value(std::int64_t row, std::int64_t place) {
    return 1 + static_cast<int>((row + place) % 3);
  }
};

/// A run in each row, which begins half its length behind that of the row before: rows of C are unions of two.
struct Runs {
  std::int64_t rows, per_row, columns;
  KOKKOS_FUNCTION std::int64_t column(std::int64_t row, std::int64_t place) const {
    return row * (per_row / 2) + place;
  }
  KOKKOS_FUNCTION static int value(std::int64_t row, std::int64_t place) {
    return 1 + static_cast<int>((row + 3 * place) % 5);
  }
};

struct CountWrongRows {
  std::int64_t per_row;
  Kokkos::View<const std::size_t*, LargeDevice> row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& wrong) const {
    if (row_map(row) != static_cast<std::size_t>(row) * static_cast<std::size_t>(per_row)) ++wrong;
  }
};

/// Place `place` of row `row` of C is column `place` of the run, in both rows of B or one of them.
struct CountWrongEntries {
  Pairs a;
  Runs b;
  std::int64_t per_row;
  Kokkos::View<const int*, LargeDevice> entries;
  Kokkos::View<const float*, LargeDevice> values;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& wrong) const {
    const std::int64_t row = k / per_row, place = k % per_row, half = b.per_row / 2;
    const std::int64_t first = a.column(row, 0);
    int sum                  = 0;
    if (place < b.per_row) sum += a.value(row, 0) * b.value(first, place);
    if (place >= half) sum += a.value(row, 1) * b.value(first + 1, place - half);
    if (entries(k) != static_cast<int>(first * half + place) || values(k) != static_cast<float>(sum)) ++wrong;
  }
};

std::int64_t wrong_elements(const LargeExec& exec, const Pairs& a, const Runs& b, const LargeMatrix& C) {
  const std::int64_t per_row = b.per_row + b.per_row / 2;
  const auto nonzeros        = static_cast<std::int64_t>(C.nnz());
  if (nonzeros != a.rows * per_row) return a.rows * per_row;
  std::int64_t wrong_rows = 0, wrong_entries = 0;
  Kokkos::parallel_reduce("check rows", LargeRange(exec, 0, a.rows + 1), CountWrongRows{per_row, C.graph.row_map},
                          wrong_rows);
  Kokkos::parallel_reduce("check entries", LargeRange(exec, 0, nonzeros),
                          CountWrongEntries{a, b, per_row, C.graph.entries, C.values}, wrong_entries);
  exec.fence();
  return wrong_rows + wrong_entries;
}

}  // namespace

bool check_spgemm(const LargeSizes& sizes) {
  const LargeExec exec;
  const std::int64_t inner = 1001;
  const Pairs a{sizes.c_rows, 2, inner};
  const Runs b{inner, sizes.width, inner * (sizes.width / 2) + sizes.width};
  const LargeMatrix A = make_large(exec, a), B = make_large(exec, b);
  exec.fence();
  bool is_right = true;
  Kokkos::Timer timer;
  {
    const auto C = spgemm(exec, A, B);
    exec.fence();
    const double seconds = timer.seconds();
    is_right =
        report("spgemm without a plan", static_cast<std::int64_t>(C.nnz()), wrong_elements(exec, a, b, C), seconds);
  }
  const SpgemmPlan plan(exec, A, B);
  const auto C = plan.allocate(exec);
  exec.fence();
  timer.reset();
  spgemm(exec, plan, 1.0f, A, B, C);
  exec.fence();
  const double seconds = timer.seconds();
  is_right = report("spgemm with a plan", static_cast<std::int64_t>(C.nnz()), wrong_elements(exec, a, b, C), seconds) &&
             is_right;
  std::printf("%s", plan.report().c_str());
  return is_right;
}

}  // namespace lacuna::Test
