// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Convert.hpp>

#include <kernels/spmv/published/shared/Lacuna_CooTile.hpp>
#include <spmv/Spmv_Kernel_Check.hpp>

namespace {

using namespace lacuna;

template <class Format, class Workspace>
struct Prepared {
  Format A;
  Workspace workspace;
};

struct Coo {
  static constexpr const char* name = "coo";
  template <class ExecutionSpace, class Matrix>
  static auto prepare(const ExecutionSpace& exec, const Matrix& matrix) {
    using Scalar   = typename Matrix::non_const_value_type;
    using Ordinal  = typename Matrix::non_const_ordinal_type;
    auto A         = to_coo(exec, matrix);
    const auto n   = static_cast<std::int64_t>(A.nonzeros());
    auto workspace = Impl::make_spmv_coo_workspace<Scalar, Ordinal>(exec, n);
    EXPECT_EQ(workspace.bytes(), (Impl::spmv_coo_workspace_bytes<Scalar, Ordinal>(n)));
    return Prepared<decltype(A), decltype(workspace)>{A, workspace};
  }
  template <class ExecutionSpace, class Prepared, class Arguments>
  static void run(const ExecutionSpace& exec, const Prepared& prepared, const Arguments& arguments,
                  Impl::SpmvShape shape) {
    Impl::spmv_coo(exec, prepared.A, arguments, shape, prepared.workspace);
  }
};

TEST(SpmvCoo, EveryTypeOnSamples) { lacuna::Test::check_every_type<Coo>(); }

TEST(SpmvCoo, EveryShape) { lacuna::Test::driver<Coo>().run_shapes(); }

/// Rows that end on, before and behind the end of a tile of 512, rows over several tiles, and carries that fill more
/// than one tile themselves.
TEST(SpmvCoo, RowsAcrossTiles) {
  for (const std::int64_t length : {1, 256, 511, 512, 513, 1024, 1537}) {
    for (const int team_size : {64, 128, 256, 512}) {
      lacuna::Test::driver<Coo>().run(
          {"4 rows of " + std::to_string(length), lacuna::Test::random_matrix<double>(4, 1600, length)}, {team_size, 0},
          1, 0.5, false);
    }
  }
  const std::int64_t columns = 600000;
  std::vector<std::vector<std::int64_t>> pattern(20);
  for (std::size_t i = 0; i < pattern.size(); ++i)
    for (std::int64_t j = 0; j < (i == 7 ? columns : i % 3 == 0 ? 0 : 3000); ++j) pattern[i].push_back(j);
  lacuna::Test::driver<Coo>().run_factors({"a row of 600,000", lacuna::Test::from_rows<double>(columns, pattern)});
}

TEST(SpmvCoo, InfAndNanStayInTheirRows) { lacuna::Test::driver<Coo>().run_isolation(); }

TEST(SpmvCoo, Serial) { lacuna::Test::check_serial<Coo>(); }

}  // namespace
