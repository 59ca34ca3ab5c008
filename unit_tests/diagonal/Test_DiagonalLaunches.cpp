// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/diagonal/published/entries/Lacuna_DiagonalByCaseKernel.hpp>
#include <kernels/diagonal/published/tiles/Lacuna_DiagonalTiles.hpp>

#include <diagonal/Diagonal_Check.hpp>
#include <support/Emulated_Device.hpp>
#include <support/Reference_Space.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

/// \file
/// \brief What the published products of paper 003 launch, and which thread adds what: results do not tell.

namespace lacuna::Test {
namespace {

struct Launch {
  int teams = 0, threads = 0;
};
Launch last;

struct WatchedDevice : EmulatedDevice<32> {};

}  // namespace
}  // namespace lacuna::Test

namespace lacuna {

template <>
struct ExecutionTraits<Test::WatchedDevice> : ExecutionTraits<Test::EmulatedDevice<32>> {};
namespace Impl {
template <>
struct DeviceLaunch<Test::WatchedDevice> : DeviceLaunch<Test::EmulatedDevice<32>> {
  template <int MaxThreads, int MinTeams, class Kernel>
  static void start(const Space& exec, const std::string& label, int teams, int threads, std::size_t scratch_bytes,
                    const Kernel& kernel) {
    Test::last = {teams, threads};
    DeviceLaunch<Test::EmulatedDevice<32>>::start<MaxThreads, MinTeams>(exec, label, teams, threads, scratch_bytes,
                                                                        kernel);
  }
};
}  // namespace Impl

namespace Test {
namespace {

using Matrix = KokkosSparse::CrsMatrix<double, int, ReferenceSpace::device_type, void, int>;

struct Context {
  Impl::DiagonalRequest request;
};

/// Algorithm 1: a team of T × T threads computes T rows of T compact diagonals.
TEST(DiagonalLaunches, ATeamATileOfTheSideAskedFor) {
  const ReferenceSpace exec;
  const auto A = banded_matrix<double>(70, 70, 3, 5, 3), B = banded_matrix<double>(70, 70, 2, 9, 4);
  const auto a = to_cdm(exec, make_crs<Matrix>(A)), b = to_cdm(exec, make_crs<Matrix>(B));
  const auto C         = gemm(exec, Op::none, a, Op::none, b);
  const auto arguments = Impl::diagonal_arguments(1.0, Op::none, a, Op::none, b, 0.0, C);
  EXPECT_EQ(DiagonalOptions().tile, 16) << "the paper's";
  for (const int T : {4, 8, 16}) {
    Context context;
    context.request.tile = T;
    Impl::DiagonalTilesStorage storage;
    storage.build(context);
    fill_nan(C.list);
    storage.multiply(WatchedDevice(), arguments);
    expect_near<double>(dense_of(C), DenseProduct<double>(dense(Op::none, A), dense(Op::none, B)), std::to_string(T));
    EXPECT_EQ(last.threads, std::max(T * T, 32)) << T;
    EXPECT_EQ(last.teams, (70 + T - 1) / T * ((static_cast<int>(C.dg()) + T - 1) / T)) << T;
  }
}

int sign(std::int64_t number) { return number < 0 ? -1 : number > 0 ? 1 : 0; }

/// The variant of algorithm 2: of the k threads of an entry each adds the meetings of its own cases, and no others.
TEST(DiagonalLaunches, EachThreadOfAnEntryHasItsCases) {
  const ReferenceSpace exec;
  const auto A         = diagonal_matrix<double>(9, 9, {-8, -4, -1, 0, 2, 5}, 3);
  const auto B         = diagonal_matrix<double>(9, 9, {-7, -4, -2, 0, 1, 4, 6}, 4);
  const auto a         = to_hm(exec, make_crs<Matrix>(A), {.fill_limit = 0});
  const auto b         = to_hm(exec, make_crs<Matrix>(B), {.fill_limit = 0});
  const auto C         = gemm(exec, Op::none, a, Op::none, b);
  const auto arguments = Impl::diagonal_arguments(1.0, Op::none, a, Op::none, b, 0.0, C);
  using Kernel         = Impl::DiagonalEntriesByCase<std::remove_cv_t<decltype(arguments)>>;
  const auto elements  = static_cast<std::int64_t>(a.list.extent(0));
  const auto left = dense(Op::none, A), right = dense(Op::none, B);
  EXPECT_EQ(DiagonalOptions().threads_per_entry, 3) << "the paper's categories";
  for (int threads = 2; threads <= 13; ++threads)
    for (int thread = 0; thread < threads; ++thread) {
      Kokkos::deep_copy(C.list, 0);
      const Kernel kernel{arguments, elements, Kernel::aligned, threads};
      for (std::int64_t x = 0; x < Kernel::aligned; ++x) kernel(thread * Kernel::aligned + x);
      std::vector<double> expected(81, 0);
      for (std::int64_t i = 0; i < 9; ++i)
        for (std::int64_t j = 0; j < 9; ++j)
          for (std::int64_t k = 0; k < 9; ++k) {
            const auto signs = std::tuple(sign(j - i), sign(k - j), sign(k - i));
            for (int which = Impl::DiagonalCases::first(thread, threads);
                 which < Impl::DiagonalCases::first(thread + 1, threads); ++which) {
              const auto& one = Impl::DiagonalCases::list[which];
              if (signs == std::tuple(one.e, one.f, one.d))
                expected[static_cast<std::size_t>(9 * i + k)] += left(i, j) * right(j, k);
            }
          }
      const auto found = dense_of(C);
      for (std::int64_t i = 0; i < 9; ++i)
        for (std::int64_t k = 0; k < 9; ++k)
          EXPECT_NEAR(found(i, k), expected[static_cast<std::size_t>(9 * i + k)], 1e-12)
              << "thread " << thread << " of " << threads << " at " << i << ", " << k;
    }
}

}  // namespace
}  // namespace Test
}  // namespace lacuna
