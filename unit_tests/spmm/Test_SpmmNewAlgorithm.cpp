// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Check.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <string>

/// \file
/// \brief One more algorithm: a type and an entry in a list, and it is chosen, run, reported and refused.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Block  = Kokkos::View<double**, Kokkos::LayoutRight, Device>;

constexpr auto is_new = static_cast<SpmmAlgorithm>(100);

template <class Output>
struct FillWithSeven {
  Impl::DenseBlock<Output> C;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const { C(i / C.columns, i % C.columns) = Output(7); }
};

template <class ExecutionSpace>
class SevensStorage {
 public:
  template <class Context>
  void build(const Context& context) {
    context.budget.take("sevens", 1000);
    m_longest = context.inspector.inspection().lengths.longest;
  }
  std::size_t bytes() const { return 1000; }
  std::size_t temporary_bytes() const { return 24; }
  bool shareable() const { return false; }
  template <class A>
  void update_values(const ExecutionSpace&, const A&) {
    ++m_updates;
  }
  std::string describe() const {
    return "  sevens      longest " + std::to_string(m_longest) + ", updates " + std::to_string(m_updates) + "\n";
  }
  template <class Arrays, class Arguments>
  void multiply(const ExecutionSpace& exec, const Arrays&, const Arguments& arguments) const {
    const auto& C = arguments.C;
    Impl::for_each_index(exec, "Lacuna::spmm::sevens", C.rows * C.columns,
                         FillWithSeven<typename Arguments::Output>{C});
  }

 private:
  std::int64_t m_longest = 0;
  int m_updates          = 0;
};

/// Fills C with sevens, in no time.
struct Sevens {
  static constexpr SpmmAlgorithm id  = is_new;
  static constexpr bool on_engine    = false;
  static constexpr Impl::Stage needs = Impl::Stage::lengths;

  static Impl::Support supports(const lacuna::Device&, const Impl::SpmmRequest& request) {
    if (request.columns == 13) return {"sevens do not come in thirteens"};
    return {};
  }
  static Impl::Estimate estimate(const lacuna::Device&, const Impl::Inspection&, const Impl::SpmmRequest&) {
    return {.bytes = 1000, .reason = "seven is a good number"};
  }
  static Impl::OptimisticBound optimistic_bound(const lacuna::Device&, const Impl::Inspection&,
                                                const Impl::SpmmRequest&, Impl::Stage) {
    return {};
  }
  template <Impl::CrsMatrixType, class ExecutionSpace>
  using Storage = SevensStorage<ExecutionSpace>;
};

/// What serves otherwise: chosen as ever, but no plan here multiplies by it, so that its kernels need not be compiled.
struct RowSplitWithoutKernels : Impl::SpmmRowSplit {
  template <Impl::CrsMatrixType, class ExecutionSpace>
  using Storage = Impl::NoStorage<Impl::SpmmRowSplit>;
};

using Operation = Impl::SpmmOperationOf<Impl::AlgorithmList<RowSplitWithoutKernels, Sevens>>;
using Plan      = SpmmPlan<Matrix, Exec, Operation>;

Matrix sample() { return make_crs<Matrix>(banded_matrix<double>(70, 90, 3, 4)); }

TEST(SpmmNewAlgorithm, IsChosenRunAndReported) {
  Plan plan(sample(), {.columns = 5});
  EXPECT_EQ(plan.algorithm(), is_new);
  EXPECT_EQ(plan.persistent_bytes(), 1000u);
  EXPECT_EQ(plan.temporary_bytes(), 24u);
  EXPECT_FALSE(plan.shareable());
  const Block B("B", 90, 5), C("C", 70, 5);
  spmm(plan, 1, B, 0, C);
  EXPECT_THAT(to_row_major(C), testing::Each(7.0));
  plan.update_values(sample());
  EXPECT_THAT(plan.report(),
              testing::AllOf(testing::HasSubstr("seven is a good number"), testing::HasSubstr("longest 8, updates 1"),
                             testing::HasSubstr("not         row_split: rows of 7.91 nonzeros")));
}

TEST(SpmmNewAlgorithm, IsRefusedWhereItDoesNotServe) {
  const Plan plan(sample(), {.columns = 13});
  EXPECT_EQ(plan.algorithm(), SpmmAlgorithm::row_split);
  EXPECT_THAT(plan.report(), testing::HasSubstr("sevens do not come in thirteens"));
  EXPECT_THAT(error_of<NotSupported>([] { Plan(sample(), {.columns = 13, .algorithm = is_new}); }),
              testing::HasSubstr("sevens do not come in thirteens"));
}

TEST(SpmmNewAlgorithm, IsHeldToTheMemoryLimit) {
  const auto with_limit = [](std::size_t limit, SpmmAlgorithm algorithm) {
    return Plan(sample(), {.columns = 5, .algorithm = algorithm, .memory_limit = limit});
  };
  EXPECT_EQ(with_limit(1000, SpmmAlgorithm::automatic).algorithm(), is_new);
  EXPECT_EQ(with_limit(999, SpmmAlgorithm::automatic).algorithm(), SpmmAlgorithm::row_split);
  EXPECT_EQ(with_limit(1000, is_new).algorithm(), is_new);
  EXPECT_THAT(error_of<OutOfMemory>([&] { with_limit(999, is_new); }),
              testing::AllOf(testing::HasSubstr("sevens needs 1000 bytes"), testing::HasSubstr("memory_limit is 999")));
}

}  // namespace
}  // namespace lacuna::Test
