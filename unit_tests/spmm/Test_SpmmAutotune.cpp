// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Check.hpp>

#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// \file
/// \brief Plans that are chosen by the clock, and the file in which it is kept what was found.

namespace lacuna::Test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Matrix = KokkosSparse::CrsMatrix<float, int, Device, void, int>;
// Without matrix engines, which take long to compile: test_spmm_every_algorithm has them.
using Operation =
    Impl::SpmmOperationOf<Impl::AlgorithmList<Impl::SpmmRowSplit, Impl::SpmmGcoo, Impl::SpmmTiled, Impl::SpmmDense>>;
using Plan = SpmmPlan<Matrix, Exec, Operation>;

constexpr const char* variable = "LACUNA_TUNING_FILE";

class SpmmAutotune : public testing::Test {
 protected:
  SpmmAutotune()
      : m_folder(fs::temp_directory_path() / ("lacuna_autotune_" + std::to_string(getpid()))),
        m_path((m_folder / "tuning.txt").string()) {
    fs::create_directories(m_folder);
    setenv(variable, m_path.c_str(), 1);
  }
  ~SpmmAutotune() override {
    unsetenv(variable);
    fs::remove_all(m_folder);
  }

  std::string text() const {
    std::ifstream stream(m_path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& text) const { std::ofstream(m_path, std::ios::binary) << text; }
  /// Exchanges a piece of the file.
  void edit(const std::string& from, const std::string& to) const {
    std::string all         = text();
    const std::size_t place = all.find(from);
    ASSERT_NE(place, std::string::npos) << all;
    write(all.replace(place, from.size(), to));
  }
  /// Exchanges what the only line names.
  void name(const std::string& pick) const {
    const std::string all   = text();
    const std::size_t begin = all.find('\t') + 1, end = all.find('\t', begin);
    ASSERT_NE(end, std::string::npos) << all;
    write(all.substr(0, begin) + pick + all.substr(end));
  }

  fs::path m_folder;
  std::string m_path;
};

NamedMatrix<float> sample() { return {"uneven", uneven_matrix<float>(45, 60, 40)}; }
SpmmOptions with(SpmmOptions options) {
  options.autotune = true;
  return options;
}

void check(const Plan& plan, std::int64_t columns, const std::string& what, Op op = Op::none) {
  check_spmm<Device>(sample(), SpmmCase<float>{.columns = columns, .op = op, .alpha = 2, .beta = -0.5f}, what,
                     [&](const auto& call, const auto& B, const auto& C) { spmm(plan, call.alpha, B, call.beta, C); });
}

TEST_F(SpmmAutotune, SearchesOnceAndFindsItAgain) {
  const auto A = make_crs<Matrix>(sample().matrix);
  const Plan first(A, with({.columns = 20}));
  EXPECT_THAT(first.report(),
              AllOf(HasSubstr("  tuning      "), HasSubstr("the best of"), HasSubstr("kept in " + m_path)));
  EXPECT_THAT(text(), AllOf(HasSubstr("| 45x60 |"), HasSubstr("| N 20 |"), HasSubstr("real4, indices 4 and 4")));
  check(first, 20, "searched");
  const std::string kept = text();
  const Plan second(A, with({.columns = 20}));
  EXPECT_THAT(second.report(), HasSubstr("found in " + m_path));
  EXPECT_EQ(second.algorithm(), first.algorithm());
  EXPECT_EQ(text(), kept);
  check(second, 20, "found");
  EXPECT_THAT(Plan(A, {.columns = 20}).report(), Not(HasSubstr("tuning")));
  // Another N, another op and another precision are other products.
  EXPECT_THAT(Plan(A, with({.columns = 21})).report(), HasSubstr("the best of"));
  const Plan transposed(A, with({.op = Op::transpose, .columns = 20}));
  EXPECT_THAT(transposed.report(), HasSubstr("the best of"));
  check(transposed, 20, "transposed", Op::transpose);
}

TEST_F(SpmmAutotune, TakesWhatTheFileNames) {
  const auto A = make_crs<Matrix>(sample().matrix);
  Plan(A, with({.columns = 20}));
  name("gcoo rows=8 threads=64");
  const Plan named(A, with({.columns = 20}));
  EXPECT_EQ(named.algorithm(), SpmmAlgorithm::gcoo);
  EXPECT_THAT(named.report(),
              AllOf(HasSubstr("gcoo rows=8 threads=64"), HasSubstr("6 groups of 8 rows (p), 64 columns")));
  check(named, 20, "named");
  name("row_split");
  EXPECT_EQ(Plan(A, with({.columns = 20})).algorithm(), SpmmAlgorithm::row_split);
}

TEST_F(SpmmAutotune, SearchesAgainWhereTheFileNamesWhatDoesNotServe) {
  const auto A = make_crs<Matrix>(sample().matrix);
  Plan(A, with({.columns = 20}));
  for (const std::string pick : {"gcoo rows=7 threads=64", "dense", "nothing", "tiled load=7 rows=-3"}) {
    name(pick);
    const Plan plan(A, with({.columns = 20}));
    EXPECT_THAT(plan.report(), AllOf(HasSubstr("names \"" + pick + "\", which does not serve here"),
                                     HasSubstr("the best of"), HasSubstr("kept in")));
    EXPECT_THAT(text(), Not(HasSubstr("\t" + pick + "\t")));
    check(plan, 20, pick);
  }
}

TEST_F(SpmmAutotune, AnotherDeviceIsAnotherLine) {
  const auto A = make_crs<Matrix>(sample().matrix);
  Plan(A, with({.columns = 20}));
  edit("spmm | ", "spmm | Another ");
  EXPECT_THAT(Plan(A, with({.columns = 20})).report(), HasSubstr("the best of"));
  EXPECT_THAT(text(), HasSubstr("spmm | Another "));
  EXPECT_THAT(Plan(A, with({.columns = 20})).report(), HasSubstr("found in"));
}

TEST_F(SpmmAutotune, ACorruptedFileCostsASearch) {
  const auto A = make_crs<Matrix>(sample().matrix);
  Plan(A, with({.columns = 20}));
  edit("\t", " ");
  const Plan plan(A, with({.columns = 20}));
  EXPECT_THAT(plan.report(), AllOf(HasSubstr("the best of"), HasSubstr("1 line of " + m_path + " could not be read")));
  write("something else\n");
  EXPECT_THAT(Plan(A, with({.columns = 20})).report(), HasSubstr("what was there is now " + m_path + ".bad"));
  EXPECT_TRUE(fs::exists(m_path + ".bad"));
}

TEST_F(SpmmAutotune, WithoutAFileItIsSearchedEachTime) {
  const auto A = make_crs<Matrix>(sample().matrix);
  setenv(variable, m_folder.c_str(), 1);  // a folder
  for (int i = 0; i < 2; ++i) {
    const Plan plan(A, with({.columns = 20}));
    EXPECT_THAT(plan.report(), AllOf(HasSubstr("the best of"), HasSubstr("not kept"), HasSubstr("no regular file")));
    check(plan, 20, "not kept");
  }
}

TEST_F(SpmmAutotune, EmptyProducts) {
  const auto empty = [](std::int64_t rows, std::int64_t columns) {
    return Matrix("A", static_cast<int>(rows), static_cast<int>(columns), 0, typename Matrix::values_type("v", 0),
                  typename Matrix::row_map_type::non_const_type("r", static_cast<std::size_t>(rows + 1)),
                  typename Matrix::index_type("e", 0));
  };
  const auto report = [](const Matrix& A, std::int64_t columns) {
    return Plan(A, with({.columns = columns})).report();
  };
  for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 7}, {7, 0}, {7, 9}})
    EXPECT_THAT(report(empty(rows, columns), 5), HasSubstr("nothing to time in an empty product"));
  EXPECT_THAT(report(make_crs<Matrix>(sample().matrix), 0), HasSubstr("nothing to time in an empty product"));
  check(Plan(make_crs<Matrix>(sample().matrix), with({.columns = 0})), 3, "planned for none");
  EXPECT_FALSE(fs::exists(m_path));
}

TEST_F(SpmmAutotune, KeepsToTheMemoryLimit) {
  const auto A = make_crs<Matrix>(sample().matrix);
  const Plan without_room(A, with({.columns = 20, .memory_limit = 8000}));  // B and C take 8400
  EXPECT_THAT(without_room.report(), AllOf(HasSubstr("nothing could be timed"), HasSubstr("memory_limit is 8000")));
  EXPECT_EQ(without_room.algorithm(), Plan(A, {.columns = 20, .memory_limit = 8000}).algorithm());
  check(without_room, 20, "without room");
  const Plan with_little(A, with({.columns = 20, .memory_limit = 8500}));
  EXPECT_THAT(with_little.report(), HasSubstr("the best of"));
  EXPECT_LE(with_little.persistent_bytes() + with_little.temporary_bytes(), 8500u);
  check(with_little, 20, "with little room");
}

TEST_F(SpmmAutotune, DeterministicPlansAreNotSearchedFor) {
  const auto A = make_crs<Matrix>(sample().matrix);
  const SpmmOptions options{.columns = 20, .deterministic = true};
  EXPECT_THAT(Plan(A, with(options)).report(), HasSubstr("a deterministic plan is not searched for"));
  EXPECT_FALSE(fs::exists(m_path));
  Plan(A, with({.columns = 20}));
  name("gcoo rows=16 threads=256");
  const Plan plan(A, with(options));
  EXPECT_EQ(plan.algorithm(), SpmmAlgorithm::gcoo);
  check(plan, 20, "deterministic");
}

TEST_F(SpmmAutotune, TheShapeOfOneAlgorithm) {
  const auto A = make_crs<Matrix>(sample().matrix);
  const Plan gcoo(A, with({.columns = 20, .algorithm = SpmmAlgorithm::gcoo}));
  EXPECT_EQ(gcoo.algorithm(), SpmmAlgorithm::gcoo);
  EXPECT_THAT(gcoo.report(), AllOf(HasSubstr("the best of 16 tried"), HasSubstr("gcoo: asked for")));
  check(gcoo, 20, "gcoo");
  const Plan some(A, with({.columns = 20, .algorithm = SpmmAlgorithm::gcoo, .panel_rows = 8}));
  EXPECT_THAT(some.report(), AllOf(HasSubstr("the best of 4 tried"), HasSubstr("groups of 8 rows")));
  if (!Impl::runs_lane_kernels<Exec>) return;
  const Plan tiled(A, with({.columns = 20, .algorithm = SpmmAlgorithm::tiled}));
  EXPECT_EQ(tiled.algorithm(), SpmmAlgorithm::tiled);
  check(tiled, 20, "tiled");
}

// Every pick that a search may keep is right, and is what the report says it is.
TEST_F(SpmmAutotune, EveryShapeOfTiles) {
  if (!Impl::runs_lane_kernels<Exec>) GTEST_SKIP() << "no kernels for lanes here";
  const auto A = make_crs<Matrix>(sample().matrix);
  Plan(A, with({.columns = 70, .algorithm = SpmmAlgorithm::tiled}));
  Impl::Inspection found;
  found.rows = 45, found.columns = 60, found.nonzeros = static_cast<std::int64_t>(A.nnz());
  found.lengths = Impl::length_statistics(Exec(), Impl::arrays_of(Impl::shared_crs(A)));
  const Impl::SpmmRequest request{SpmmOptions{.columns = 70}, Impl::scalar_properties<float>()};
  const auto shapes = Impl::SpmmTiled::shapes(device_of(Exec()), found, request);
  EXPECT_FALSE(shapes.empty());
  for (const Impl::SpmmShape& shape : shapes) {
    name("tiled" + shape.text());
    const Plan plan(A, with({.columns = 70, .algorithm = SpmmAlgorithm::tiled}));
    EXPECT_THAT(plan.report(), AllOf(HasSubstr("tiled" + shape.text()), HasSubstr("found in"),
                                     HasSubstr("of " + std::to_string(shape.rows) + " rows and " +
                                               std::to_string(shape.columns) + " columns")));
    check(plan, 70, shape.text());
  }
}

}  // namespace
}  // namespace lacuna::Test
