// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Diagonal.hpp>

#include <diagonal/Diagonal_Check.hpp>
#include <support/Test_Messages.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <string>

/// \file
/// \brief One more algorithm for products in diagonal storage: a type and an entry in a list, and it is chosen, run,
/// reported and refused.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Hm     = HmMatrix<double, int, Exec::device_type, int>;
using testing::AllOf;
using testing::HasSubstr;

constexpr auto is_new = static_cast<DiagonalAlgorithm>(100);

class SevensStorage : public Impl::DiagonalStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    context.budget.take("sevens", 1000);
    m_diagonals = context.arguments.C.dg;
  }
  std::size_t bytes() const { return 1000; }
  std::string describe() const { return "  sevens      on " + std::to_string(m_diagonals) + " diagonals\n"; }
  template <class ExecutionSpace, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arguments& arguments) const {
    const Kokkos::View<double*, Exec::device_type, Kokkos::MemoryUnmanaged> list(
        arguments.C.list, static_cast<std::size_t>(arguments.C.rows));
    Kokkos::deep_copy(exec, list, 7.0);
  }

 private:
  std::int64_t m_diagonals = 0;
};

/// Fills a square diagonal C with sevens, in no time.
struct Sevens {
  static constexpr DiagonalAlgorithm id = is_new;

  static Impl::Support supports(const Device&, const Impl::DiagonalRequest& request) {
    if (request.rows == 13) return {"sevens do not come in thirteens"};
    return {};
  }
  static Impl::Estimate estimate(const Device&, const Impl::NothingToInspect&, const Impl::DiagonalRequest&) {
    return {.bytes = 1000, .reason = "seven is a good number"};
  }
  template <class MemorySpace>
  using Storage = SevensStorage;
};

using Operation = Impl::DiagonalOperationOf<Impl::AlgorithmList<Impl::DiagonalGather, Sevens>>;
using Plan      = DiagonalPlan<Hm, Operation>;

Hm diagonal(std::int64_t n) { return to_hm(make_crs<Matrix>(diagonal_matrix<double>(n, n, {0}, 3))); }

Plan plan_of(const Hm& A, const Hm& C, const DiagonalOptions& options = {}) {
  return Plan(Exec(), Op::none, A, Op::none, A, C, options);
}

TEST(DiagonalNewAlgorithm, IsChosenRunAndReported) {
  const Hm A = diagonal(70), C = diagonal(70);
  const Plan plan = plan_of(A, C);
  EXPECT_EQ(plan.algorithm(), is_new);
  EXPECT_EQ(plan.persistent_bytes(), 1000u);
  EXPECT_TRUE(plan.shareable());
  gemm(plan, 1, A, A, 0, C);
  EXPECT_THAT(to_vector(C.list), testing::Each(7.0));
  EXPECT_THAT(plan.report(), AllOf(HasSubstr("seven is a good number"), HasSubstr("sevens      on 1 diagonals"),
                                   HasSubstr("not         gather: reads A and B anew")));
}

TEST(DiagonalNewAlgorithm, IsAskedForByName) {
  const Hm A = diagonal(70), C = diagonal(70);
  EXPECT_EQ(plan_of(A, C, {.algorithm = is_new}).algorithm(), is_new);
  EXPECT_THAT(error_of<NotSupported>([&] { plan_of(A, C, {.algorithm = DiagonalAlgorithm::band}); }),
              HasSubstr("algorithm band does not exist"));
}

TEST(DiagonalNewAlgorithm, IsRefusedWhereItDoesNotServe) {
  const Hm A = diagonal(13), C = diagonal(13);
  const Plan plan = plan_of(A, C);
  EXPECT_EQ(plan.algorithm(), DiagonalAlgorithm::gather);
  EXPECT_THAT(plan.report(), HasSubstr("sevens do not come in thirteens"));
  EXPECT_THAT(error_of<NotSupported>([&] { plan_of(A, C, {.algorithm = is_new}); }),
              HasSubstr("sevens do not come in thirteens"));
}

TEST(DiagonalNewAlgorithm, IsHeldToTheMemoryLimit) {
  const Hm A = diagonal(70), C = diagonal(70);
  EXPECT_EQ(plan_of(A, C, {.memory_limit = 1000}).algorithm(), is_new);
  EXPECT_EQ(plan_of(A, C, {.memory_limit = 999}).algorithm(), DiagonalAlgorithm::gather);
  EXPECT_THAT(error_of<OutOfMemory>([&] { plan_of(A, C, {.algorithm = is_new, .memory_limit = 999}); }),
              AllOf(HasSubstr("needs 1000 bytes"), HasSubstr("999 are left of memory_limit")));
}

}  // namespace
}  // namespace lacuna::Test
