// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_MemoryPool.hpp>

#include <gmock/gmock.h>
#include <spgemm/Test_SpgemmProducts.hpp>
#include <tools/Tools_Recorder.hpp>

#include <cstddef>

/// \file
/// \brief Whole calls that work in the memory of calls before. All other tests of SpGEMM on a GPU do too.

namespace lacuna::Test {
namespace {

using KeptExec   = Kokkos::DefaultExecutionSpace;
using KeptMatrix = KokkosSparse::CrsMatrix<double, int, KeptExec::device_type, void, int>;

constexpr bool keeps = Impl::keeps_memory<KeptExec::memory_space>;

class SpgemmMemoryPool : public testing::Test {
 protected:
  SpgemmMemoryPool() { set_memory_pool_bound(share_of_device); }
  ~SpgemmMemoryPool() override {
    keep_memory_of_results(false);
    set_memory_pool_bound(share_of_device);
  }

  KeptMatrix call() const { return spgemm(exec, A, A, {.op_b = Op::transpose}); }

  KeptExec exec;
  HostMatrix<double> source        = banded_matrix<double>(20000, 19000, 9, 7);
  KeptMatrix A                     = make_crs<KeptMatrix>(source);
  SpgemmReference<double> expected = reference_spgemm(1.0, Op::none, source, Op::transpose, source);
};

TEST_F(SpgemmMemoryPool, IsThatOfPlans) {
  EXPECT_TRUE(matches(expected, to_host(call())));
  const std::size_t once = memory_pool_bytes();
  EXPECT_EQ(once > 0, keeps);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(matches(expected, to_host(call())));
  EXPECT_EQ(memory_pool_bytes(), once) << "later calls take what the first one had";
}

TEST_F(SpgemmMemoryPool, IsNotThatOfResults) {
  KeptMatrix C             = call();
  const std::size_t before = memory_pool_bytes();
  auto values              = C.values;
  C                        = {};
  EXPECT_EQ(values.use_count(), 1);
  values = {};
  EXPECT_EQ(memory_pool_bytes(), before);
}

TEST_F(SpgemmMemoryPool, IsThatOfResultsWhereAskedFor) {
  keep_memory_of_results(true);
  const KeptMatrix first = call();
  KeptMatrix second      = call();
  EXPECT_NE(first.values.data(), second.values.data());
  const double* const values   = second.values.data();
  const int* const entries     = second.graph.entries.data();
  const int* const row_map     = second.graph.row_map.data();
  const std::size_t in_between = memory_pool_bytes();
  const std::size_t bytes      = Impl::bytes_of(second.values, second.graph.entries, second.graph.row_map);
  Kokkos::deep_copy(exec, second.values, 7.0);
  second = {};
  EXPECT_GE(memory_pool_bytes(), keeps ? in_between + bytes : 0);
  EXPECT_LT(memory_pool_bytes(), keeps ? in_between + bytes + 1024 : 1);  // each array is aligned
  const KeptMatrix third = call();
  if (keeps) {
    EXPECT_EQ(third.values.data(), values);
    EXPECT_EQ(third.graph.row_map.data(), row_map);
    EXPECT_EQ(third.graph.entries.data(), entries);
  }
  EXPECT_TRUE(matches(expected, to_host(first)));
  EXPECT_TRUE(matches(expected, to_host(third)));
  EXPECT_EQ(third.values.extent(0), first.values.extent(0));
}

TEST_F(SpgemmMemoryPool, IsNotThatOfCallsThatMayKeepNone) {
  if (Impl::spgemm_lent_bytes<KeptMatrix>(exec, {}, Impl::spgemm_inspection(Op::none, A, Op::none, A)) == 0)
    GTEST_SKIP() << "on hosts nothing is lent";
  const auto source_b = banded_matrix<double>(19000, 300, 5, 8);
  const auto B        = make_crs<KeptMatrix>(source_b);
  Recorder recorder;  // keeps nothing
  KeptMatrix C = spgemm(exec, A, B);
  recorder.stop();
  EXPECT_THAT(recorder.allocations(), testing::ElementsAre("Lacuna::spgemm::call", "Lacuna::spgemm::C"));
  // What is left of C keeps its memory.
  const auto values = C.values;
  C                 = {};
  const auto host   = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  double sum = 0, expected_sum = 0;
  for (std::size_t i = 0; i < host.extent(0); ++i) sum += host(i);
  for (const auto& row : reference_spgemm(1.0, Op::none, source, Op::none, source_b).rows)
    for (const auto& [column, element] : row) expected_sum += static_cast<double>(element.value);
  EXPECT_NEAR(sum, expected_sum, 1e-9 * static_cast<double>(host.extent(0)));
}

}  // namespace
}  // namespace lacuna::Test
