// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spgemm.hpp>

#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <optional>

/// \file
/// \brief More nonzeros than 32 bits count: on GPUs alone, where that takes a second and 20 GB.

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class Offset>
using Matrix = KokkosSparse::CrsMatrix<float, int, Exec::device_type, void, Offset>;

constexpr std::int64_t n = 48000;  // 2,304,000,000 nonzeros

/// 1, 2, 3, … as a column, or as a row.
HostMatrix<float> numbers(bool as_column) {
  HostMatrix<float> x{as_column ? n : 1, as_column ? 1 : n, {0}, {}, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    x.entries.push_back(as_column ? 0 : i);
    x.values.push_back(static_cast<float>(i % 1000 + 1));
    if (as_column) x.row_map.push_back(i + 1);
  }
  if (!as_column) x.row_map.push_back(n);
  return x;
}

template <class Offset>
struct CountWrong {
  const Offset* row_map;
  const int* entries;
  const float* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong) const {
    const std::int64_t row = i / n, column = i % n;
    if (row_map[row] + static_cast<Offset>(column) != static_cast<Offset>(i) || entries[i] != column ||
        values[i] != static_cast<float>((row % 1000 + 1) * (column % 1000 + 1)))
      ++wrong;
  }
};

TEST(SpgemmLarge, IntOffsetsAreRefusedBeforeCIsAllocated) {
  const auto a = make_crs<Matrix<int>>(numbers(true)), b = make_crs<Matrix<int>>(numbers(false));
  try {
    const SpgemmPlan plan(a, b);
    ADD_FAILURE() << "2304000000 nonzeros do not fit";
  } catch (const NotSupported& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("2304000000"), testing::HasSubstr("type int"),
                                             testing::HasSubstr("std::int64_t or std::size_t")));
  }
}

TEST(SpgemmLarge, WiderOffsetsServe) {
  using Offset = std::size_t;
  const auto a = make_crs<Matrix<Offset>>(numbers(true)), b = make_crs<Matrix<Offset>>(numbers(false));
  const SpgemmPlan plan(a, b);
  ASSERT_EQ(plan.nonzeros(), n * n);
  std::optional<Matrix<Offset>> C;
  try {
    C = plan.allocate();
  } catch (const OutOfMemory& error) {
    GTEST_SKIP() << error.what();
  }
  spgemm(plan, 1, a, b, *C);
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce("wrong", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n * n),
                          CountWrong<Offset>{C->graph.row_map.data(), C->graph.entries.data(), C->values.data()},
                          wrong);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace lacuna::Test
