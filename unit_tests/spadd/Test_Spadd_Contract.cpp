// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spadd.hpp>

#include <formats/Test_Conversions.hpp>
#include <support/Test_Messages.hpp>
#include <tools/Tools_MemoryMeter.hpp>

#include <limits>

namespace {

using namespace lacuna::Test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using Matrix = KokkosSparse::CrsMatrix<double, int, DefaultSpace, void, int>;

/// [10 11  0  0; 0 0 0 0; 0 21 22 23] and [0 1 2 0; 3 0 0 0; 0 4 0 5].
HostMatrix<double> other_matrix() {
  HostMatrix<double> B;
  B.rows    = 3;
  B.columns = 4;
  B.row_map = {0, 2, 3, 5};
  B.entries = {1, 2, 0, 1, 3};
  B.values  = {1, 2, 3, 4, 5};
  return B;
}

TEST(SpaddContract, SmallMatrices) {
  const auto C = lacuna::spadd(2, make_crs<Matrix>(small_matrix()), -1.0F, make_crs<Matrix>(other_matrix()));
  EXPECT_EQ(C.numRows(), 3);
  EXPECT_EQ(C.numCols(), 4);
  EXPECT_THAT(to_vector(C.graph.row_map), ElementsAre(0, 3, 4, 7));
  EXPECT_THAT(to_vector(C.graph.entries), ElementsAre(0, 1, 2, 0, 1, 2, 3));
  EXPECT_THAT(to_vector(C.values), ElementsAre(20, 21, -2, -3, 38, 44, 41));
}

/// What cancels stays stored: the pattern does not depend on values.
TEST(SpaddContract, ZerosStay) {
  const auto A = make_crs<Matrix>(small_matrix());
  const auto C = lacuna::spadd(1, A, -1, A);
  EXPECT_THAT(to_vector(C.graph.entries), ElementsAre(0, 1, 1, 2, 3));
  EXPECT_THAT(to_vector(C.values), Each(0.0));
}

/// As in BLAS: a factor of 0 keeps NaN out.
TEST(SpaddContract, ValuesAreNotReadWhereTheirFactorIsZero) {
  const DefaultSpace exec;
  auto poisoned = small_matrix();
  for (auto& value : poisoned.values) value = std::numeric_limits<double>::quiet_NaN();
  const auto A = make_crs<Matrix>(poisoned), B = make_crs<Matrix>(other_matrix());
  const lacuna::SpaddPlan plan(exec, A, B);
  const auto C = plan.allocate(exec);
  lacuna::spadd(exec, plan, 0, A, 1, B, C);
  exec.fence();
  EXPECT_THAT(to_vector(C.values), ElementsAre(0, 1, 2, 3, 4, 0, 5));
  EXPECT_THAT(to_vector(lacuna::spadd(exec, 0, A, 1, B).values), ElementsAre(0, 1, 2, 3, 4, 0, 5));
}

TEST(SpaddContract, SameBitsOnEveryRun) {
  const DefaultSpace exec;
  const auto A     = make_crs<Matrix>(shuffled(with_duplicates(uneven_matrix<double>(900, 700, 60))));
  const auto B     = make_crs<Matrix>(uneven_matrix<double>(900, 700, 50, 3));
  const auto first = to_vector(lacuna::spadd(exec, 0.3, A, 0.7, B).values);
  const lacuna::SpaddPlan plan(exec, A, B);
  const auto C = plan.allocate(exec);
  lacuna::spadd(exec, plan, 0.3, A, 0.7, B, C);
  exec.fence();
  const auto planned = to_vector(C.values);
  for (int run = 0; run < 5; ++run) {
    EXPECT_EQ(to_vector(lacuna::spadd(exec, 0.3, A, 0.7, B).values), first);
    lacuna::spadd(exec, plan, 0.3, A, 0.7, B, C);
    exec.fence();
    EXPECT_EQ(to_vector(C.values), planned);
  }
}

TEST(SpaddContract, MatricesOfConstAndOfOtherInstances) {
  using Space     = Kokkos::DefaultExecutionSpace;
  using Const     = KokkosSparse::CrsMatrix<const double, const int, Space, Kokkos::MemoryUnmanaged, const int>;
  const auto exec = Kokkos::Experimental::partition_space(Space(), 1, 1)[1];
  const auto A = make_crs<Matrix>(small_matrix()), B = make_crs<Matrix>(other_matrix());
  const Const a("A", 3, 4, 5, A.values, A.graph.row_map, A.graph.entries);
  const Const b("B", 3, 4, 5, B.values, B.graph.row_map, B.graph.entries);
  const lacuna::SpaddPlan plan(exec, a, b);
  const lacuna::CrsOf<Const> C = plan.allocate(exec);
  lacuna::spadd(exec, plan, 1, a, 1, b, C);
  exec.fence();
  EXPECT_THAT(to_vector(C.values), ElementsAre(10, 12, 2, 3, 25, 22, 28));
}

TEST(SpaddContract, EmptyRowMap) {
  const auto A = matrix_without_row_map<Matrix>();
  const auto C = lacuna::spadd(1, A, 1, A);
  EXPECT_EQ(C.numRows(), 0);
  EXPECT_EQ(C.numCols(), 5);
  EXPECT_THAT(to_vector(C.graph.row_map), ElementsAre(0));
}

TEST(SpaddContract, RefusalsTouchNothing) {
  const DefaultSpace exec;
  const auto A = make_crs<Matrix>(small_matrix()), B = make_crs<Matrix>(other_matrix());
  const auto wide = make_crs<Matrix>(from_rows<double>(5, {{0}, {1}, {2}}));
  const auto less = make_crs<Matrix>(from_rows<double>(4, {{0}, {1}, {2}}));
  EXPECT_THAT(error_of<lacuna::DimensionMismatch>([&] { lacuna::spadd(1, A, 1, wide); }),
              HasSubstr("spadd: A is 3x4, B is 3x5"));
  EXPECT_THROW(lacuna::SpaddPlan(exec, wide, B), lacuna::DimensionMismatch);

  const lacuna::SpaddPlan plan(exec, A, B, {.check_pattern = lacuna::PatternCheck::on});
  const auto C = plan.allocate(exec);
  Kokkos::deep_copy(C.values, 7.0);
  EXPECT_THROW(lacuna::spadd(exec, plan, 1, wide, 1, B, C), lacuna::DimensionMismatch);
  EXPECT_THAT(error_of<lacuna::InvalidArgument>([&] { lacuna::spadd(exec, plan, 1, A, 1, less, C); }),
              HasSubstr("B has 3 nonzeros"));
  EXPECT_THAT(error_of<lacuna::InvalidArgument>([&] { lacuna::spadd(exec, plan, 1, B, 1, A, C); }),
              HasSubstr("the pattern of A"));
  EXPECT_THAT(error_of<lacuna::InvalidArgument>([&] { lacuna::spadd(exec, plan, 1, A, 1, B, A); }),
              HasSubstr("not allocated by this plan"));
  Kokkos::fence();
  EXPECT_THAT(to_vector(C.values), Each(7.0));

  // C of a sum as A of the next: its own values cannot be both.
  const lacuna::SpaddPlan next(exec, C, C);
  const auto D = next.allocate(exec);
  lacuna::spadd(exec, next, 1, C, 1, C, D);
  const lacuna::CrsOf<Matrix> aliased("A", 3, 4, 7, D.values, C.graph.row_map, C.graph.entries);
  EXPECT_THAT(error_of<lacuna::InvalidArgument>([&] { lacuna::spadd(exec, next, 1, aliased, 1, C, D); }),
              HasSubstr("share memory"));
  Kokkos::fence();
  EXPECT_THAT(to_vector(D.values), Each(14.0));
}

/// A limit of what the meter sees suffices, less is refused before it is exceeded.
TEST(SpaddContract, MemoryLimit) {
  const DefaultSpace exec;
  const auto B = make_crs<Matrix>(uneven_matrix<double>(900, 700, 50, 3));
  for (const auto& host : {uneven_matrix<double>(900, 700, 60), shuffled(uneven_matrix<double>(900, 700, 60))}) {
    const auto A     = make_crs<Matrix>(host);
    std::size_t of_c = 0;
    {
      const auto C = lacuna::spadd(exec, 1, A, 1, B);
      of_c         = lacuna::Impl::bytes_of(C.values, C.graph.entries);
    }
    for (const std::size_t limit :
         {std::size_t{1} << 12, std::size_t{1} << 16, std::size_t{1} << 18, std::size_t{1} << 22}) {
      const MemoryMeter meter;
      try {
        lacuna::spadd(exec, 1, A, 1, B, {.memory_limit = limit});
        EXPECT_LE(meter.peak(), limit + of_c) << meter.at_peak();
      } catch (const lacuna::OutOfMemory& failure) {
        EXPECT_THAT(failure.what(), HasSubstr("memory_limit is " + std::to_string(limit)));
        EXPECT_LE(meter.peak(), limit) << meter.at_peak();
        EXPECT_LT(limit, std::size_t{1} << 22);
      }
      EXPECT_EQ(meter.live(), 0U);
    }
  }
}

TEST(SpaddContract, ReportTellsWhatThePlanIs) {
  const DefaultSpace exec;
  const lacuna::SpaddPlan plan(exec, make_crs<Matrix>(shuffled(with_duplicates(small_matrix()))),
                               make_crs<Matrix>(other_matrix()));
  EXPECT_THAT(plan.report(), HasSubstr("3x4 sum with 7 nonzeros"));
  EXPECT_THAT(plan.report(), HasSubstr("and B with 5\n"));
  EXPECT_GT(plan.persistent_bytes(), 7U * 12);
}

}  // namespace
