// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>

#include <support/Reference_Space.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace {

using Exec      = Kokkos::DefaultExecutionSpace;
using Host      = Kokkos::DefaultHostExecutionSpace;
using Reference = lacuna::Test::ReferenceSpace;
template <class Scalar, class Ordinal, class Offset, class Space = Exec>
using Crs     = KokkosSparse::CrsMatrix<Scalar, Ordinal, typename Space::device_type, void, Offset>;
using Default = Crs<double, int, int>;

struct HostCrs {
  std::int64_t rows, columns;
  std::vector<std::int64_t> row_map, entries;
  std::vector<double> values;

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(entries.size()); }
  std::int64_t length(std::int64_t row) const { return row_map[row + 1] - row_map[row]; }
  std::int64_t longest() const {
    std::int64_t most = 0;
    for (std::int64_t row = 0; row < rows; ++row) most = std::max(most, length(row));
    return most;
  }
};

template <class Matrix>
HostCrs on_host(const Matrix& A) {
  const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.graph.row_map);
  const auto entries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.graph.entries);
  const auto values  = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.values);
  HostCrs host{A.numRows(), A.numCols(), {}, {}, {}};
  for (std::size_t i = 0; i < row_map.extent(0); ++i) host.row_map.push_back(row_map(i));
  for (std::size_t i = 0; i < entries.extent(0); ++i) host.entries.push_back(entries(i));
  for (std::size_t i = 0; i < values.extent(0); ++i) host.values.push_back(values(i));
  EXPECT_EQ(host.row_map.size(), static_cast<std::size_t>(host.rows) + 1);
  EXPECT_EQ(host.row_map.back(), host.nonzeros());
  EXPECT_EQ(host.values.size(), host.entries.size());
  return host;
}

/// What holds for every generated matrix.
void expect_sound(const HostCrs& A) {
  for (std::int64_t row = 0; row < A.rows; ++row) {
    ASSERT_LE(A.row_map[row], A.row_map[row + 1]);
    for (std::int64_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      ASSERT_GE(A.entries[k], 0);
      ASSERT_LT(A.entries[k], A.columns);
      if (k > A.row_map[row]) {
        ASSERT_LT(A.entries[k - 1], A.entries[k]) << "row " << row;
      }
    }
  }
  for (const double value : A.values) {
    ASSERT_LT(std::abs(value), 1);
    ASSERT_NE(value, 0);
  }
}

HostCrs made(const std::string& spec) {
  const HostCrs A = on_host(lacuna::generate<Default>(Exec(), spec));
  expect_sound(A);
  return A;
}

using Present = std::function<bool(std::int64_t, std::int64_t)>;

/// Compares the pattern with a predicate on (row, column), entry for entry.
void expect_pattern(const std::string& spec, std::int64_t rows, std::int64_t columns, const Present& present) {
  const HostCrs A = made(spec);
  ASSERT_EQ(A.rows, rows) << spec;
  ASSERT_EQ(A.columns, columns) << spec;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int64_t> expected;
    for (std::int64_t column = 0; column < columns; ++column) {
      if (present(row, column)) expected.push_back(column);
    }
    const std::vector<std::int64_t> actual(A.entries.begin() + A.row_map[row], A.entries.begin() + A.row_map[row + 1]);
    ASSERT_EQ(actual, expected) << spec << " row " << row;
  }
}

TEST(Generators, Meshes) {
  struct Extents {
    std::int64_t nx, ny, nz, b;
  };
  for (const Extents e : {Extents{1, 1, 1, 1}, {2, 2, 2, 3}, {3, 4, 5, 1}, {5, 3, 2, 2}, {1, 7, 1, 1}, {0, 3, 3, 1}}) {
    const std::string extents =
        "nx=" + std::to_string(e.nx) + ",ny=" + std::to_string(e.ny) + ",nz=" + std::to_string(e.nz);
    const auto coordinates = [&](std::int64_t node) {
      return std::array<std::int64_t, 3>{node % e.nx, node / e.nx % e.ny, node / e.nx / e.ny};
    };
    const std::int64_t nodes = e.nx * e.ny * e.nz;
    expect_pattern("mesh27:" + extents + ",b=" + std::to_string(e.b), nodes * e.b, nodes * e.b,
                   [&](std::int64_t row, std::int64_t column) {
                     const auto from = coordinates(row / e.b), to = coordinates(column / e.b);
                     bool near = true;
                     for (int d = 0; d < 3; ++d) near = near && std::abs(from[d] - to[d]) <= 1;
                     return near;
                   });
    const auto distance = [&](std::int64_t row, std::int64_t column) {
      const auto from = coordinates(row), to = coordinates(column);
      return std::abs(from[0] - to[0]) + std::abs(from[1] - to[1]) + std::abs(from[2] - to[2]);
    };
    expect_pattern("mesh7:" + extents, nodes, nodes,
                   [&](std::int64_t row, std::int64_t column) { return distance(row, column) <= 1; });
    if (e.nz == 1)
      expect_pattern("mesh5:nx=" + std::to_string(e.nx) + ",ny=" + std::to_string(e.ny), nodes, nodes,
                     [&](std::int64_t row, std::int64_t column) { return distance(row, column) <= 1; });
  }
  EXPECT_EQ(made("mesh27:n=10").nonzeros(), 28 * 28 * 28);
  EXPECT_EQ(made("mesh5:n=10").nonzeros(), 5 * 100 - 4 * 10);
  EXPECT_EQ(made("mesh7:n=10").nonzeros(), 7 * 1000 - 6 * 100);
}

TEST(Generators, FixedPatterns) {
  for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 50}) {
    const std::string size = "n=" + std::to_string(n);
    for (const std::int64_t half : {0, 1, 5, 49, 100}) {
      expect_pattern("banded:" + size + ",half=" + std::to_string(half), n, n,
                     [&](std::int64_t row, std::int64_t column) { return std::abs(row - column) <= half; });
    }
    for (const std::int64_t width : {0, 1, 2}) {
      if (width > n) continue;
      expect_pattern(
          "arrow:" + size + ",width=" + std::to_string(width), n, n,
          [&](std::int64_t row, std::int64_t column) { return row < width || column < width || row == column; });
    }
    expect_pattern("diagonal:" + size, n, n, [](std::int64_t row, std::int64_t column) { return row == column; });
    expect_pattern("dense:rows=" + std::to_string(n) + ",cols=7", n, 7,
                   [](std::int64_t, std::int64_t) { return true; });
    expect_pattern("dense:rows=7,cols=" + std::to_string(n), 7, n, [](std::int64_t, std::int64_t) { return true; });
  }
}

TEST(Generators, RandomRowsHaveTheirLength) {
  for (const std::int64_t columns : {1, 31, 32, 33, 64, 65, 100, 1000}) {
    for (const std::int64_t per_row : {0, 1, 2, 31, 32, 33, 63, 65, 97, 999, 1000}) {
      if (per_row > columns) continue;
      const HostCrs A = made("random:rows=37,cols=" + std::to_string(columns) + ",per_row=" + std::to_string(per_row));
      ASSERT_EQ(A.columns, columns);
      for (std::int64_t row = 0; row < A.rows; ++row) ASSERT_EQ(A.length(row), per_row);
    }
  }
}

TEST(Generators, RandomColumnsAreUniform) {
  const HostCrs A = made("random:rows=4000,cols=100,per_row=10");
  std::vector<int> hits(100);
  for (const std::int64_t column : A.entries) ++hits[column];
  // 400 hits expected in each column, standard deviation 19.
  EXPECT_THAT(hits, testing::Each(testing::AllOf(testing::Gt(250), testing::Lt(550))));
  double sum = 0, squares = 0;
  for (const double value : A.values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 40000, 0, 0.015);
  EXPECT_NEAR(squares / 40000, 1.0 / 3, 0.01);
  EXPECT_EQ(std::set<double>(A.values.begin(), A.values.end()).size(), A.values.size());
  std::set<std::vector<std::int64_t>> rows;
  for (std::int64_t row = 0; row < A.rows; ++row)
    rows.emplace(A.entries.begin() + A.row_map[row], A.entries.begin() + A.row_map[row + 1]);
  EXPECT_EQ(rows.size(), 4000u);
}

TEST(Generators, UniformMatricesHaveTheirDensity) {
  for (const double density : {0.0005, 0.02, 0.2, 0.5, 0.95}) {
    const HostCrs A   = made("uniform:rows=900,cols=1000,density=" + std::to_string(density));
    const double mean = 1000 * density, variance = mean * (1 - density);
    // Five standard deviations, and what the logarithm by hand may be off.
    EXPECT_NEAR(static_cast<double>(A.nonzeros()), 900 * mean, 5 * std::sqrt(900 * variance) + 0.002 * 900 * mean);
    double squares = 0;
    for (std::int64_t row = 0; row < A.rows; ++row) squares += std::pow(static_cast<double>(A.length(row)) - mean, 2);
    EXPECT_NEAR(squares / 900, variance, 0.3 * variance) << density;
    std::vector<int> hits(1000);
    for (const std::int64_t column : A.entries) ++hits[static_cast<std::size_t>(column)];
    double column_squares = 0;
    for (const int count : hits) column_squares += std::pow(count - 900 * density, 2);
    EXPECT_NEAR(column_squares / 1000, 900 * density * (1 - density), 0.3 * 900 * density * (1 - density)) << density;
  }
  EXPECT_EQ(made("uniform:rows=30,cols=40,density=0").nonzeros(), 0);
  EXPECT_EQ(made("uniform:rows=30,cols=40,density=1").nonzeros(), 1200);
  EXPECT_EQ(made("uniform:rows=30,density=1.0").columns, 30);
  EXPECT_EQ(made("uniform:rows=0,cols=40,density=0.5").nonzeros(), 0);
  EXPECT_EQ(made("uniform:rows=40,cols=0,density=0.5").nonzeros(), 0);
  EXPECT_EQ(made("uniform:rows=3000,cols=10,density=1e-9").nonzeros(), 0);
}

TEST(Generators, PowerLawHitsNonzerosAndLongestRow) {
  const HostCrs A = made("power:rows=500000,nnz=4100000,longest=10301");
  EXPECT_EQ(A.nonzeros(), 4100000);
  EXPECT_EQ(A.longest(), 10301);
  std::vector<std::int64_t> lengths;
  for (std::int64_t row = 0; row < A.rows; ++row) lengths.push_back(A.length(row));
  std::sort(lengths.rbegin(), lengths.rend());
  EXPECT_GT(lengths[100], 4 * lengths[250000]);
  EXPECT_GT(lengths[99], lengths[9999]);
  for (const auto [rows, nonzeros, longest] : {std::array<int, 3>{1, 1, 1},
                                               {1, 0, 0},
                                               {7, 7, 7},
                                               {7, 49, 7},
                                               {100, 100, 100},
                                               {33, 32, 1},
                                               {1000, 999999, 1000},
                                               {1000, 1500, 1000},
                                               {0, 0, 0},
                                               {5, 0, 0}}) {
    const HostCrs B = made("power:rows=" + std::to_string(rows) + ",nnz=" + std::to_string(nonzeros) +
                           ",longest=" + std::to_string(longest));
    EXPECT_EQ(B.nonzeros(), nonzeros) << rows;
    EXPECT_EQ(B.longest(), longest) << rows;
  }
}

TEST(Generators, Blocks) {
  const HostCrs A = made("block:n=120,size=4,per_row=7");
  ASSERT_EQ(A.nonzeros(), 120 * 28);
  for (std::int64_t row = 0; row < A.rows; ++row) {
    for (std::int64_t k = 0; k < 28; ++k) {
      const std::int64_t column = A.entries[A.row_map[row] + k];
      EXPECT_EQ(column % 4, k % 4);
      EXPECT_EQ(column, A.entries[A.row_map[row / 4 * 4] + k]);
    }
  }
  EXPECT_EQ(made("block:n=33,size=33,per_row=1").nonzeros(), 33 * 33);
  EXPECT_EQ(made("block:n=0,size=1,per_row=0").nonzeros(), 0);
}

TEST(Generators, DenseRowAndEmptyRows) {
  const HostCrs A = made("dense_row:n=101,per_row=3");
  for (std::int64_t row = 0; row < 101; ++row) EXPECT_EQ(A.length(row), row == 50 ? 101 : 3);
  const HostCrs B = made("empty_rows:n=101,per_row=3,period=4,trailing=10");
  for (std::int64_t row = 0; row < 101; ++row) EXPECT_EQ(B.length(row), row % 4 == 3 || row >= 91 ? 0 : 3) << row;
  EXPECT_EQ(made("empty_rows:n=5,per_row=1,period=1").nonzeros(), 0);
}

TEST(Generators, PanelsShareTheirColumnsInClusters) {
  for (const auto& [alpha, per_row, active] : std::vector<std::tuple<std::string, int, std::size_t>>{
           {"0.0625", 3, 48}, {"0.1", 10, 100}, {"0.13", 13, 100}, {"0.25", 16, 64}, {"0.3", 21, 72}, {"1", 8, 8}}) {
    const HostCrs A = made("synergy:rows=640,alpha=" + alpha + ",per_row=" + std::to_string(per_row));
    EXPECT_EQ(A.nonzeros(), 640 * per_row);
    std::set<std::int64_t> all;
    for (std::int64_t panel = 0; panel < 40; ++panel) {
      std::set<std::int64_t> columns, clusters;
      for (std::int64_t row = 16 * panel; row < 16 * panel + 16; ++row) EXPECT_EQ(A.length(row), per_row);
      for (std::int64_t k = A.row_map[16 * panel]; k < A.row_map[16 * panel + 16]; ++k) {
        columns.insert(A.entries[k]);
        clusters.insert(A.entries[k] / 16);
      }
      EXPECT_EQ(columns.size(), active) << "every one of them holds a nonzero";
      EXPECT_EQ(clusters.size(), (active + 15) / 16);
      all.insert(clusters.begin(), clusters.end());
    }
    EXPECT_GT(all.size(), 20u) << "panels have columns of their own";
  }
  EXPECT_EQ(made("synergy:rows=32,alpha=0.5,per_row=0").nonzeros(), 0);
  EXPECT_EQ(made("synergy:rows=0,alpha=0.5,per_row=0").rows, 0);
}

TEST(Generators, MatricesOfTheReferenceMeasurements) {
  EXPECT_EQ(lacuna::Generator::parse("mesh27:n=30,b=3").rows(), 81000);
  EXPECT_EQ(lacuna::Generator::parse("mesh27:n=64").rows(), 262144);
  const auto A = lacuna::generate<Default>(Exec(), "mesh27:n=30,b=3");
  EXPECT_EQ(A.nnz(), 88 * 88 * 88 * 9);
}

/// FNV-1a of all three arrays.
template <class Matrix>
std::uint64_t fingerprint(const Matrix& A) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add     = [&](const auto& view) {
    const auto host   = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    const auto* bytes = reinterpret_cast<const unsigned char*>(host.data());
    for (std::size_t i = 0; i < host.extent(0) * sizeof(*host.data()); ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  };
  add(A.graph.row_map);
  add(A.graph.entries);
  add(A.values);
  return hash;
}

const char* const every_kind[] = {"mesh27:nx=5,ny=4,nz=3,b=2",
                                  "mesh7:n=5",
                                  "mesh5:n=9",
                                  "banded:n=100,half=7",
                                  "random:rows=90,cols=700,per_row=70",
                                  "power:rows=900,nnz=9000,longest=400",
                                  "block:n=99,size=3,per_row=5",
                                  "arrow:n=99,width=3",
                                  "dense_row:n=77,per_row=4",
                                  "empty_rows:n=88,per_row=5",
                                  "diagonal:n=9",
                                  "dense:rows=9,cols=5",
                                  "synergy:rows=160,alpha=0.2,per_row=17"};

template <class Scalar, class Ordinal, class Offset>
void expect_same_everywhere() {
  for (const std::string spec : every_kind) {
    const auto A = lacuna::generate<Crs<Scalar, Ordinal, Offset>>(Exec(), spec);
    const auto B = lacuna::generate<Crs<Scalar, Ordinal, Offset, Reference>>(lacuna::Test::reference_instance(), spec);
    EXPECT_EQ(fingerprint(A), fingerprint(B)) << spec;
    const auto C = lacuna::generate<Crs<Scalar, Ordinal, Offset>>(spec + ",seed=1");
    EXPECT_EQ(fingerprint(A), fingerprint(C)) << spec;
    const auto D = lacuna::generate<Crs<Scalar, Ordinal, Offset>>(Exec(), spec + ",seed=2");
    EXPECT_NE(fingerprint(A), fingerprint(D)) << spec;
    EXPECT_EQ(A.nnz(), D.nnz());
  }
}

TEST(Generators, SameBitsOnOneThreadAndOnTheDevice) {
  expect_same_everywhere<double, int, int>();
  expect_same_everywhere<float, int, std::size_t>();
}
TEST(Generators, SameBitsComplexAndWideIndices) {
  expect_same_everywhere<Kokkos::complex<double>, std::int64_t, std::int64_t>();
}

TEST(Generators, UniformMatricesAreTheSameEverywhere) {
  const std::string spec = "uniform:rows=90,cols=700,density=0.03";
  EXPECT_EQ(fingerprint(lacuna::generate<Default>(Exec(), spec)),
            fingerprint(lacuna::generate<Crs<double, int, int, Reference>>(lacuna::Test::reference_instance(), spec)));
  EXPECT_EQ(fingerprint(lacuna::generate<Default>(Exec(), spec)), 10011061900576893300u);
  EXPECT_NE(fingerprint(lacuna::generate<Default>(Exec(), spec)),
            fingerprint(lacuna::generate<Default>(Exec(), spec + ",seed=2")));
}

TEST(Generators, BitsDoNotChange) {
  // Published numbers name a specification: it has to go on meaning the same matrix.
  EXPECT_EQ(fingerprint(lacuna::generate<Default>("random:rows=1000,cols=5000,per_row=40")), 2614197417396772081u);
}

void expect_refused(const std::string& spec, const std::string& fact) {
  try {
    lacuna::generate<Default>(Exec(), spec);
    ADD_FAILURE() << spec << " was accepted";
  } catch (const lacuna::InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(fact)) << spec;
    EXPECT_THAT(error.what(), testing::StartsWith("lacuna::generate: "));
  }
}

TEST(Generators, RefusesWhatCannotBe) {
  expect_refused("mesh28:n=3", "there are: mesh27 mesh7 mesh5 banded random power block arrow dense_row");
  expect_refused("", "names no generator");
  expect_refused("banded:n=3,hlaf=1", "unknown key \"hlaf\", there are: n half seed");
  expect_refused("banded:n=3", "key \"half\" is missing");
  expect_refused("diagonal", "key \"n\" is missing");
  expect_refused("banded:n=3,half", "\"half\" is not key=value");
  expect_refused("banded:n=3,half=x", "is not a number");
  expect_refused("banded:n=3,half=1.5", "is not a number");
  expect_refused("banded:n=3,half=", "is not a number");
  expect_refused("banded:n=3,n=3,half=1", "twice");
  expect_refused("mesh7:nx=1,ny=1,nz=1,nx ny=1", "unknown key");
  expect_refused("banded:n=-1,half=1", "n = -1 is not in [0, ");
  expect_refused("banded:n=1,half=-1", "half = -1 is not in");
  expect_refused("diagonal:n=99999999999999999999", "does not fit in 64 bits");
  expect_refused("diagonal:n=3000000000", "3000000000 rows, the index type of the matrix holds at most 2147483647");
  expect_refused("dense:rows=2,cols=3000000000", "3000000000 columns");
  expect_refused("dense:rows=50000,cols=50000", "2500000000 nonzeros");
  expect_refused("mesh27:n=3000000", "are more than");
  expect_refused("mesh27:nx=4294967296,ny=4294967296,nz=4294967296", "are more than");
  expect_refused("mesh27:n=3,b=0", "b = 0");
  expect_refused("random:rows=3,cols=4,per_row=5", "per_row = 5 is not in [0, 4]");
  expect_refused("power:rows=10,nnz=101,longest=10", "nnz = 101 is not in [10, 100]");
  expect_refused("power:rows=10,nnz=5,longest=10", "nnz = 5");
  expect_refused("power:rows=10,nnz=5,longest=11", "longest = 11");
  expect_refused("block:n=10,size=3,per_row=1", "not a multiple");
  expect_refused("arrow:n=10,width=11", "width = 11");
  expect_refused("empty_rows:n=10,per_row=1,period=0", "period = 0");
  expect_refused("empty_rows:n=10,per_row=1,trailing=11", "trailing = 11");
  expect_refused("uniform:rows=10,density=1.01", "density = 1.01");
  expect_refused("uniform:rows=10,density=-0.1", "density = -0.1");
  expect_refused("uniform:rows=10,density=nan", "density = nan is not in [0, 1]");
  expect_refused("uniform:rows=10,density=half", "is not a number");
  expect_refused("uniform:rows=10,density=0.5,density=0.5", "twice");
  expect_refused("uniform:rows=10", "key \"density\" is missing");
  expect_refused("uniform:rows=-1,density=0.5", "rows = -1");
  expect_refused("synergy:rows=24,alpha=0.5,per_row=4", "rows = 24 is not a multiple of the 16 of a panel");
  expect_refused("synergy:rows=32,alpha=0.06,per_row=4", "is not in [1/16, 1]");
  expect_refused("synergy:rows=32,alpha=1.01,per_row=4", "alpha = 1.01");
  expect_refused("synergy:rows=32,alpha=nan,per_row=4", "alpha = nan");
  expect_refused("synergy:rows=32,alpha=0.5,per_row=33", "per_row = 33 is not in [0, 32]");
  expect_refused("synergy:rows=32,alpha=0.25,per_row=12", "48 active columns of a panel, the matrix has 32");
}

TEST(Generators, TellsSpecsFromFileNames) {
  EXPECT_TRUE(lacuna::is_generator_spec("mesh27:n=3"));
  EXPECT_TRUE(lacuna::is_generator_spec("power:"));
  EXPECT_FALSE(lacuna::is_generator_spec("mesh27.mtx"));
  EXPECT_FALSE(lacuna::is_generator_spec("data/mesh27:n=3"));
  EXPECT_FALSE(lacuna::is_generator_spec(""));
}

}  // namespace
