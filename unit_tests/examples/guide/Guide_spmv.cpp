// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "Guide_Check.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_MemoryPool.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_Validate.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;
using Matrix    = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Vector    = Kokkos::View<double*, Device>;

/// Every entry 1 on a mesh of 8 × 8 × 8 nodes.
Matrix mesh_of_ones() {
  const auto A = lacuna::generate<Matrix>("mesh27:n=8");
  Kokkos::deep_copy(A.values, 1.0);
  return A;
}

void with_and_without_a_plan() {
  const auto A = mesh_of_ones();
  const Vector x("x", 512), y("y", 512), z("z", 512);
  Kokkos::deep_copy(x, 1.0);

  //! [one-shot]
  const Execution exec;
  lacuna::spmv(exec, 2.0, A, x, 0.0, y);  // y = 2 A x: no set-up, no allocation, no fence
  //! [one-shot]

  //! [plan]
  const lacuna::SpmvPlan plan(exec, A, {.expected_calls = 500});
  for (int step = 0; step < 3; ++step) lacuna::spmv(exec, plan, 2.0, x, 0.0, z);
  exec.fence();
  //! [plan]
  const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto then  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
  for (int i = 0; i < 512; ++i) check(std::abs(first(i) - then(i)) < 1e-12, "a plan computes what a call computes");
}

void beta_stores() {
  const auto A = mesh_of_ones();
  const Vector x("x", 512), y("y", 512);
  //! [beta]
  Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
  lacuna::spmv(1.0, A, x, 0.0, y);  // without exec: on the default instance, fenced before and after
  //! [beta]
  check(all_are(y, 0.0), "beta == 0 stores");
}

void new_values() {
  auto A = mesh_of_ones();
  const Vector x("x", 512), y("y", 512);
  Kokkos::deep_copy(x, 1.0);
  const Execution exec;
  //! [new-values]
  lacuna::SpmvPlan plan(exec, A);
  Kokkos::deep_copy(exec, A.values, 0.0);  // other values, the same pattern
  plan.update_values(exec, A);             // one pass, where the plan has storage of its own
  lacuna::spmv(exec, plan, 1.0, x, 0.0, y);
  //! [new-values]
  exec.fence();
  check(all_are(y, 0.0), "new values count");
}

void limits_and_errors() {
  const auto A = mesh_of_ones();
  const Execution exec;
  const Vector x("x", 512), y("y", 500);
  Kokkos::deep_copy(y, 7.0);
  //! [errors]
  try {
    lacuna::spmv(exec, 1.0, A, x, 0.0, y);
  } catch (const lacuna::DimensionMismatch& error) {
    std::printf("%s\n", error.what());  // lacuna::spmv: ..., with both extents; y is as it was
  }
  //! [errors]
  check(all_are(y, 7.0), "an exception leaves y untouched");

  //! [memory]
  const lacuna::SpmvPlan plan(exec, A, {.memory_limit = std::size_t{1} << 20});  // 1 MiB, temporary bytes included
  std::printf("keeps %zu bytes, writes to %zu during a product\n", plan.persistent_bytes(), plan.temporary_bytes());
  lacuna::set_memory_pool_bound(0);  // on GPUs: nothing is kept for the next plan
  //! [memory]
  lacuna::set_memory_pool_bound(lacuna::share_of_device);
  check(plan.persistent_bytes() + plan.temporary_bytes() <= std::size_t{1} << 20, "memory_limit holds");
}

void unknown_origin() {
  const auto A = mesh_of_ones();
  //! [validate]
  const lacuna::ValidationReport found = lacuna::validate(A);
  if (!found.valid) std::printf("%s", found.text().c_str());
  //! [validate]
  check(found.valid && !found.unsorted_rows && !found.duplicates, "a generated matrix is valid");
}

void reports() {
  const auto A = mesh_of_ones();
  //! [report]
  const lacuna::SpmvPlan plan(A, {.expected_calls = 100});
  std::printf("%s", plan.report().c_str());
  std::printf("%s pays from %g products on\n", std::string(name(plan.algorithm())).c_str(),
              static_cast<double>(plan.break_even()));
  //! [report]
  check(!plan.report().empty(), "a plan has a report");
}

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  with_and_without_a_plan();
  beta_stores();
  new_values();
  limits_and_errors();
  unknown_origin();
  reports();
  return guide_failures;
}
