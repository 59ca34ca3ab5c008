// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spgemm.hpp>
#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>

#include <gmock/gmock.h>
#include <spmm/Spmm_Plans.hpp>
#include <support/Test_Matrices.hpp>

#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "Allocations.hpp"

/// \file
/// \brief Ten thousand plans, each with a product and new values, leave as much memory behind as ten.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = SharedPlanMatrix<float>;

/// Bytes of the process in memory, where the system tells it.
std::int64_t resident_bytes() {
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

struct Inputs {
  Matrix A = make_crs<Matrix>(banded_matrix<float>(40, 40, 2, 1));
  Matrix R = make_crs<Matrix>(uneven_matrix<float>(40, 40, 7));
  Kokkos::View<float*, Exec> x{"x", 40}, y{"y", 40};
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> B{"B", 40, 8}, C{"C", 40, 8};
};

/// The plans of one round, four of them.
void make_plans(const Exec& exec, const Inputs& in, int round) {
  {
    constexpr auto some =
        std::to_array({SpmvAlgorithm::automatic, SpmvAlgorithm::row_split, SpmvAlgorithm::sell, SpmvAlgorithm::dia});
    SpmvPlan plan(exec, in.A, {.algorithm = some[static_cast<std::size_t>(round) % some.size()]});
    spmv(exec, plan, 1.0f, in.x, 0.0f, in.y);
    plan.update_values(exec, in.A);
  }
  {
    SpmmPlan plan(exec, in.R, {.op = round % 2 == 0 ? Op::none : Op::transpose, .columns = 8});
    spmm(exec, plan, 1.0f, in.B, 0.0f, in.C);
    plan.update_values(exec, in.R);
  }
  {
    const SpgemmPlan plan(exec, in.A, in.R);
    const auto product = plan.allocate(exec);
    spgemm(exec, plan, 1.0f, in.A, in.R, product);
  }
  spgemm(exec, in.R, in.A);  // makes a plan of its own
}

TEST(ManyPlans, LeaveNothingBehind) {
  const Exec exec;
  const Inputs in;
  for (int round = 0; round < 10; ++round) make_plans(exec, in, round);
  exec.fence();
  const std::int64_t allocated = allocated_bytes(), resident = resident_bytes();
  for (int round = 0; round < 2500; ++round) make_plans(exec, in, round);
  exec.fence();
  EXPECT_EQ(allocated_bytes(), allocated);
  // Sanitizers keep what was freed.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(resident_bytes() - resident, std::int64_t{1} << 20);
#endif
}

}  // namespace
}  // namespace lacuna::Test
