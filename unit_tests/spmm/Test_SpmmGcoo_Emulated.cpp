// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmm/published/gcoo/Lacuna_SpmmGcooKernel.hpp>

#include <spmm/Spmm_Check.hpp>
#include <support/Emulated_Device.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

/// \file
/// \brief Algorithm 2 of the paper on GCOO with warps of 32 and 64, run by fibres on a host.

namespace lacuna::Test {

/// A number that tells when it is used, and when it is copied out of A in memory.
struct Watched {
  double value = 0;

  Watched() = default;
  explicit Watched(double number) : value(number) {}
  Watched(const Watched& other) : value(other.value) {
    if (&other >= a_begin && &other < a_end) ++copies;
  }
  Watched& operator=(const Watched& other) = default;
  explicit operator double() const {
    used.push_back({Fibres::running().thread(), value});
    return value;
  }

  struct Use {
    int thread;
    double value;
  };
  static inline std::vector<Use> used;
  static inline const Watched* a_begin = nullptr;
  static inline const Watched* a_end   = nullptr;
  static inline int copies             = 0;
};

}  // namespace lacuna::Test

namespace lacuna::Impl {
template <>
struct ArithmeticOf<Test::Watched> {
  using type = double;
};
}  // namespace lacuna::Impl

namespace lacuna::Test {
namespace {

/// Threads of a team share what it staged, with real warps.
template <int width>
void check_warps() {
  const auto host            = uneven_matrix<double>(45, 60, 40);
  using Matrix               = KokkosSparse::CrsMatrix<double, int, Kokkos::HostSpace::device_type, void, int>;
  const auto A               = make_crs<Matrix>(host);
  const std::int64_t columns = 70;
  const auto b               = random_vector<double>(60 * columns);
  const std::vector<double> none(45 * columns, 0.0);
  const auto reference = reference_spmm(Op::none, 1.0, host, b, columns, 0.0, none);
  for (const std::int64_t p : {2, 4, 8, 16, 32}) {
    const auto gcoo = to_gcoo(A, {.group_size = p});
    const TestBlock<double, Kokkos::HostSpace::device_type> B(Storage::rows, 60, columns, b);
    const TestBlock<double, Kokkos::HostSpace::device_type> C(Storage::rows, 45, columns, none);
    Impl::spmm_gcoo(EmulatedDevice<width>(), gcoo, Impl::make_block_arguments<double>(1.0, B.view, 0.0, C.view, 45, 60),
                    64);
    EXPECT_TRUE(matches(reference, to_row_major(C.view), 0)) << "warps of " << width << ", p " << p;
  }
}

/// Algorithm 2: a team reads an element of A once, for all of its columns; a thread reads an element of B once, and
/// keeps it (bv) while the elements share the column: past what it asks for at once, and past the end of a stage.
TEST(SpmmGcooEmulated, ReadsOnceWhatIsShared) {
  constexpr int p = 32, threads = 32, columns = 2 * threads;
  using Device = EmulatedDevice<32>;
  using Kernel = Impl::SpmmGcooKernel<Device, p, Watched, int, int, double>;
  // Columns of 20, 1, 32, 3 elements: the third crosses the end of the first stage of 32.
  std::vector<Watched> values;
  std::vector<int> rows, cols;
  for (const auto& [column, count] : {std::pair{2, 20}, {3, 1}, {5, 32}, {9, 3}})
    for (int i = 0; i < count; ++i) {
      values.emplace_back(-1.0 - static_cast<double>(values.size()));
      rows.push_back(p - count + i);
      cols.push_back(column);
    }
  const std::vector<int> begin{0}, count{static_cast<int>(values.size())};
  std::vector<Watched> b;
  for (int i = 0; i < 10 * columns; ++i) b.emplace_back(1.0 + i);
  std::vector<double> c(static_cast<std::size_t>(p) * columns, -1);
  Impl::BlockArguments<Watched, double> arguments;
  arguments.alpha  = 1;
  arguments.beta   = 0;
  arguments.B      = {b.data(), columns, 1, 10, columns};
  arguments.C      = {c.data(), columns, 1, p, columns};
  Watched::a_begin = values.data();
  Watched::a_end   = values.data() + values.size();
  Watched::copies  = 0;
  Watched::used.clear();
  Impl::GcooArrays<Watched, int, int> gcoo{
      p,      values.data(), rows.data(), cols.data(), const_cast<int*>(begin.data()), const_cast<int*>(count.data()),
      nullptr};
  Impl::launch_teams<threads>(Device(), "gcoo", {2, threads}, Kernel::scratch_bytes(threads),
                              Kernel{gcoo, 1, arguments});
  EXPECT_EQ(Watched::copies, 2 * static_cast<int>(values.size())) << "two teams";
  std::map<double, int> reads_of_b;
  for (const auto& use : Watched::used)
    if (use.value > 0) ++reads_of_b[use.value];
  EXPECT_EQ(reads_of_b.size(), 4u * columns);
  for (const auto& [value, times] : reads_of_b) EXPECT_EQ(times, 1) << "element " << value - 1 << " of B";
  for (int row = 0; row < p; ++row)
    for (int column = 0; column < columns; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < values.size(); ++k)
        if (rows[k] == row) sum += values[k].value * b[static_cast<std::size_t>(cols[k] * columns + column)].value;
      EXPECT_EQ(c[static_cast<std::size_t>(row * columns + column)], sum) << row << ", " << column;
    }
}

TEST(SpmmGcooEmulated, WarpsOf32) { check_warps<32>(); }
TEST(SpmmGcooEmulated, WarpsOf64) { check_warps<64>(); }

}  // namespace
}  // namespace lacuna::Test
