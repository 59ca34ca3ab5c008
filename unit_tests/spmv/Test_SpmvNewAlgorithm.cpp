// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmv.hpp>

#include <support/Test_Matrices.hpp>
#include <support/Test_Messages.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <string>

/// \file
/// \brief One more algorithm of SpMV: a type and an entry in a list, and it is chosen, run, reported and refused.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
using Vector = Kokkos::View<double*, Exec::device_type>;
using testing::AllOf;
using testing::HasSubstr;

constexpr auto is_new = static_cast<SpmvAlgorithm>(100);

struct FillWithSeven {
  Impl::StridedVector<double> y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y[i] = 7; }
};

class SevensStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    context.budget.take("sevens", 1000);
    m_rows = context.inspector.inspection().rows;
  }
  std::size_t bytes() const { return 1000; }
  std::size_t temporary_bytes() const { return 24; }
  bool shareable() const { return false; }
  template <class A>
  void update_values(const Exec&, const A&) {
    ++m_updates;
  }
  std::string describe() const {
    return "  sevens      " + std::to_string(m_rows) + ", updates " + std::to_string(m_updates) + "\n";
  }
  template <class Arrays, class Arguments>
  void multiply(const Exec& exec, const Arrays&, const Arguments& arguments) const {
    Impl::for_each_index(exec, "Lacuna::spmv::sevens", m_rows, FillWithSeven{arguments.y});
  }

 private:
  std::int64_t m_rows = 0;
  int m_updates       = 0;
};

/// Fills y with sevens, in no time.
struct Sevens {
  static constexpr SpmvAlgorithm id  = is_new;
  static constexpr Impl::Stage needs = Impl::Stage::lengths;

  static Impl::Support supports(const Device&, const Impl::SpmvRequest& request) {
    if (request.expected_calls == 13) return {"sevens do not come in thirteens"};
    return {};
  }
  static Impl::Estimate estimate(const Device&, const Impl::Inspection&, const Impl::SpmvRequest&) {
    return {.bytes = 1000, .reason = "seven is a good number"};
  }
  static Impl::OptimisticBound optimistic_bound(const Device&, const Impl::Inspection&, const Impl::SpmvRequest&,
                                                Impl::Stage) {
    return {};
  }
  template <Impl::CrsMatrixType, class>
  using Storage = SevensStorage;
};

using Operation = Impl::SpmvOperationOf<Impl::AlgorithmList<Impl::SpmvNonzeroSplit, Sevens>>;
using Plan      = SpmvPlan<Matrix, Exec, Operation>;

Matrix sample() { return make_crs<Matrix>(banded_matrix<double>(70, 90, 3, 4)); }

TEST(SpmvNewAlgorithm, IsChosenRunAndReported) {
  Plan plan(sample());
  EXPECT_EQ(plan.algorithm(), is_new);
  EXPECT_EQ(plan.persistent_bytes(), 1000u);
  EXPECT_EQ(plan.temporary_bytes(), 24u);
  EXPECT_FALSE(plan.shareable());
  const Vector x("x", 90), y("y", 70);
  spmv(plan, 1, x, 0, y);
  EXPECT_THAT(to_vector(y), testing::Each(7.0));
  plan.update_values(sample());
  EXPECT_THAT(plan.report(), AllOf(HasSubstr("seven is a good number"), HasSubstr("sevens      70, updates 1"),
                                   HasSubstr("not         nonzero_split: ")));
}

TEST(SpmvNewAlgorithm, IsAskedForByName) {
  const Plan plan(sample(), {.algorithm = is_new});
  EXPECT_EQ(plan.algorithm(), is_new);
  EXPECT_THAT(plan.report(), HasSubstr("asked for"));
  EXPECT_THAT(error_of<NotSupported>([] { Plan(sample(), {.algorithm = SpmvAlgorithm::sell}); }),
              HasSubstr("algorithm sell does not exist"));
}

TEST(SpmvNewAlgorithm, IsRefusedWhereItDoesNotServe) {
  const Plan plan(sample(), {.expected_calls = 13});
  EXPECT_EQ(plan.algorithm(), SpmvAlgorithm::nonzero_split);
  EXPECT_THAT(plan.report(), HasSubstr("sevens do not come in thirteens"));
  EXPECT_THAT(error_of<NotSupported>([] { Plan(sample(), {.algorithm = is_new, .expected_calls = 13}); }),
              HasSubstr("sevens do not come in thirteens"));
}

TEST(SpmvNewAlgorithm, IsHeldToTheMemoryLimit) {
  const auto with_limit = [](std::size_t limit, SpmvAlgorithm algorithm) {
    return Plan(sample(), {.algorithm = algorithm, .memory_limit = limit});
  };
  EXPECT_EQ(with_limit(1000, SpmvAlgorithm::automatic).algorithm(), is_new);
  EXPECT_EQ(with_limit(999, SpmvAlgorithm::automatic).algorithm(), SpmvAlgorithm::nonzero_split);
  EXPECT_THAT(error_of<OutOfMemory>([&] { with_limit(999, is_new); }),
              AllOf(HasSubstr("sevens needs 1000 bytes"), HasSubstr("memory_limit is 999")));
}

}  // namespace
}  // namespace lacuna::Test
