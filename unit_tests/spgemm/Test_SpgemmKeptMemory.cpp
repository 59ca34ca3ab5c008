// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_KeptMemory.hpp>

#include <spgemm/Test_SpgemmProducts.hpp>

#include <cstddef>

/// \file
/// \brief Whole calls that work in the memory of calls before. All other tests of SpGEMM on a GPU do too.

namespace lacuna::Test {
namespace {

using KeptExec   = Kokkos::DefaultExecutionSpace;
using KeptMatrix = KokkosSparse::CrsMatrix<double, int, KeptExec::device_type, void, int>;

constexpr bool keeps = Impl::keeps_memory<KeptExec::memory_space>;

class SpgemmKeptMemory : public testing::Test {
 protected:
  SpgemmKeptMemory() { set_kept_memory_bound(share_of_device); }
  ~SpgemmKeptMemory() override {
    keep_memory_of_results(false);
    set_kept_memory_bound(share_of_device);
  }

  KeptMatrix call() const { return spgemm(exec, A, A, {.op_b = Op::transpose}); }

  KeptExec exec;
  HostMatrix<double> source        = banded_matrix<double>(20000, 19000, 9, 7);
  KeptMatrix A                     = make_crs<KeptMatrix>(source);
  SpgemmReference<double> expected = reference_spgemm(1.0, Op::none, source, Op::transpose, source);
};

TEST_F(SpgemmKeptMemory, IsThatOfPlans) {
  EXPECT_TRUE(matches(expected, to_host(call())));
  const std::size_t once = kept_memory_bytes();
  EXPECT_EQ(once > 0, keeps);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(matches(expected, to_host(call())));
  EXPECT_EQ(kept_memory_bytes(), once) << "later calls take what the first one had";
}

TEST_F(SpgemmKeptMemory, IsNotThatOfResults) {
  KeptMatrix C = call();
  EXPECT_EQ(C.values.use_count(), 1);
  const std::size_t before = kept_memory_bytes();
  C                        = {};
  EXPECT_EQ(kept_memory_bytes(), before);
}

TEST_F(SpgemmKeptMemory, IsThatOfResultsWhereAskedFor) {
  keep_memory_of_results(true);
  const KeptMatrix first = call();
  KeptMatrix second      = call();
  EXPECT_NE(first.values.data(), second.values.data());
  const double* const values   = second.values.data();
  const int* const entries     = second.graph.entries.data();
  const int* const row_map     = second.graph.row_map.data();
  const std::size_t in_between = kept_memory_bytes();
  const std::size_t bytes      = Impl::bytes_of(second.values, second.graph.entries, second.graph.row_map);
  Kokkos::deep_copy(exec, second.values, 7.0);
  second = {};
  EXPECT_GE(kept_memory_bytes(), keeps ? in_between + bytes : 0);
  EXPECT_LT(kept_memory_bytes(), keeps ? in_between + bytes + 256 : 1);  // columns are aligned behind the row map
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

}  // namespace
}  // namespace lacuna::Test
