// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "MatrixFile_Support.hpp"

#include <Lacuna_Generators.hpp>
#include <Lacuna_MatrixIO.hpp>

#include <support/Reference_Space.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace {

using lacuna::Testing::TemporaryFile;
using Exec = Kokkos::DefaultExecutionSpace;
template <class Scalar, class Ordinal = int, class Offset = int, class Space = Exec>
using Crs = KokkosSparse::CrsMatrix<Scalar, Ordinal, typename Space::device_type, void, Offset>;

template <class View>
auto host_vector(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<typename View::non_const_value_type>(host.data(), host.data() + host.extent(0));
}

const std::string real_text =
    "%%MatrixMarket matrix coordinate real general\n3 4 4\n3 4 -2.5\n1 2 0.1\n3 1 1e20\n2 2 7\n";
const std::string pattern_text = "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n2 1\n3 3\n4 1\n4 3\n";

template <class Scalar, class Ordinal, class Offset, class Space>
void expect_real_matrix() {
  const TemporaryFile file(".mtx", real_text);
  const auto A = lacuna::read_matrix<Crs<Scalar, Ordinal, Offset, Space>>(file.path());
  EXPECT_EQ(A.numRows(), 3);
  EXPECT_EQ(A.numCols(), 4);
  EXPECT_EQ(A.nnz(), Offset(4));
  EXPECT_THAT(host_vector(A.graph.row_map), testing::ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(host_vector(A.graph.entries), testing::ElementsAre(1, 1, 0, 3));
  using Real = typename lacuna::Impl::FileValue<Scalar>::Real;
  EXPECT_THAT(host_vector(A.values),
              testing::ElementsAre(Scalar(Real(0.1)), Scalar(7), Scalar(Real(1e20)), Scalar(Real(-2.5))));
}

TEST(MatrixIO, ReadsEveryMatrixType) {
  expect_real_matrix<double, int, int, Exec>();
  expect_real_matrix<float, int, std::size_t, Exec>();
  expect_real_matrix<Kokkos::complex<float>, std::int64_t, std::int64_t, Exec>();
  expect_real_matrix<Kokkos::complex<double>, int, int, lacuna::Test::ReferenceSpace>();
}

TEST(MatrixIO, TakesAnInstance) {
  const TemporaryFile file(".mtx", real_text);
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const auto A         = lacuna::read_matrix<Crs<double>>(instances[1], file.path());
  EXPECT_EQ(A.nnz(), 4);
  const TemporaryFile copy(".mtx");
  lacuna::write_matrix(instances[0], copy.path(), A);
  EXPECT_EQ(lacuna::read_matrix<Crs<double>>(copy.path(), {.memory_limit = 1000}).nnz(), 4);
}

TEST(MatrixIO, MatricesOfConstants) {
  const TemporaryFile file(".mtx", real_text);
  const auto A =
      lacuna::read_matrix<KokkosSparse::CrsMatrix<const double, const int, Exec::device_type, void, const int>>(
          file.path());
  EXPECT_EQ(A.nnz(), 4);
  const TemporaryFile copy(".mtx");
  lacuna::write_matrix(copy.path(), A);
  EXPECT_EQ(lacuna::read_matrix<Crs<double>>(copy.path()).nnz(), 4);
}

TEST(MatrixIO, PatternValues) {
  const TemporaryFile file(".mtx", pattern_text);
  EXPECT_THAT(host_vector(lacuna::read_matrix<Crs<double>>(file.path()).values), testing::Each(1));
  const auto read = [&](std::uint64_t seed) {
    return host_vector(
        lacuna::read_matrix<Crs<double>>(file.path(), {.pattern_values = lacuna::PatternValues::random, .seed = seed})
            .values);
  };
  const std::vector<double> values = read(1);  // rows {2, 4}, {1}, {3, 4}, {1, 3}
  ASSERT_EQ(values.size(), 7u);
  for (const double value : values) {
    EXPECT_LT(std::abs(value), 1);
    EXPECT_NE(value, 0);
  }
  EXPECT_EQ(values[0], values[2]);
  EXPECT_EQ(values[1], values[5]);
  EXPECT_EQ(values[4], values[6]);
  EXPECT_NE(values[0], values[1]);
  EXPECT_EQ(read(1), values);
  EXPECT_NE(read(2), values);
}

template <class Matrix, class ErrorType>
void expect_refused(const std::string& text, const std::string& fact) {
  const TemporaryFile file(".mtx", text);
  try {
    lacuna::read_matrix<Matrix>(file.path());
    ADD_FAILURE() << "accepted: " << text;
  } catch (const ErrorType& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(fact));
    EXPECT_THAT(error.what(), testing::HasSubstr(file.path()));
  }
}

TEST(MatrixIO, RefusesWhatTheMatrixCannotHold) {
  expect_refused<Crs<double>, lacuna::NotSupported>(
      "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "the values are complex");
  expect_refused<Crs<float>, lacuna::InvalidMatrix>("%%MatrixMarket matrix coordinate real general\n3 3 1\n2 3 1e40\n",
                                                    ":3: value \"1e40\" is too large for a float");
  expect_refused<Crs<double>, lacuna::InvalidMatrix>(
      "%%MatrixMarket matrix coordinate real general\n3000000000 1 1\n1 1 1\n", "holds at most 2147483647");
  expect_refused<Crs<double, std::int64_t, std::int64_t>, lacuna::OutOfMemory>(
      "%%MatrixMarket matrix coordinate real general\n3000000000 1 1\n1 1 1\n", "memory_limit");
  EXPECT_THROW(lacuna::read_matrix<Crs<double>>("no such file"), lacuna::InvalidArgument);
}

template <class Matrix>
void expect_same(const Matrix& A, const Matrix& B) {
  EXPECT_EQ(A.numRows(), B.numRows());
  EXPECT_EQ(A.numCols(), B.numCols());
  const auto bytes = [](const auto& view) {
    const auto host = host_vector(view);
    std::string text(host.size() * sizeof(*host.data()), '\0');
    if (!host.empty()) std::memcpy(text.data(), host.data(), text.size());
    return text;
  };
  EXPECT_EQ(bytes(A.graph.row_map), bytes(B.graph.row_map));
  EXPECT_EQ(bytes(A.graph.entries), bytes(B.graph.entries));
  EXPECT_EQ(bytes(A.values), bytes(B.values));
}

template <class Matrix>
void expect_round_trip(const std::string& spec) {
  const auto A = lacuna::generate<Matrix>(spec);
  for (const char* ending : {".mtx", ".mtx.gz"}) {
    const TemporaryFile file(ending);
    lacuna::write_matrix(file.path(), A);
    expect_same(A, lacuna::read_matrix<Matrix>(file.path()));
    EXPECT_EQ(file.content().substr(0, 2), ending[4] == '\0' ? "%%" : "\x1f\x8b");
  }
}

TEST(MatrixIO, RoundTripsAreExact) {
  for (const std::string spec : {"random:rows=33,cols=1000,per_row=7", "banded:n=31,half=2", "diagonal:n=0",
                                 "diagonal:n=1", "random:rows=5,cols=0,per_row=0", "random:rows=0,cols=5,per_row=0",
                                 "empty_rows:n=40,per_row=3,period=2,trailing=7", "dense_row:n=20000,per_row=2"}) {
    expect_round_trip<Crs<double>>(spec);
    expect_round_trip<Crs<Kokkos::complex<float>, std::int64_t, std::size_t>>(spec);
  }
  expect_round_trip<Crs<float>>("random:rows=500,cols=1000,per_row=20");
  expect_round_trip<Crs<Kokkos::complex<double>>>("random:rows=500,cols=1000,per_row=20");
}

TEST(MatrixIO, WritesNumbersShort) {
  const TemporaryFile source(".mtx",
                             "%%MatrixMarket matrix coordinate real general\n2 2 5\n1 1 0.1\n1 2 1e300\n2 1 -0\n2 2 "
                             "-Infinity\n2 2 nan\n");
  const auto A = lacuna::read_matrix<Crs<double>>(source.path());
  const TemporaryFile file(".mtx");
  lacuna::write_matrix(file.path(), A);
  EXPECT_EQ(file.content(),
            "%%MatrixMarket matrix coordinate real general\n2 2 5\n1 1 0.1\n1 2 1e+300\n2 1 -0\n2 2 -inf\n2 2 nan\n");
  expect_same(A, lacuna::read_matrix<Crs<double>>(file.path()));
  const TemporaryFile single(".mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.1\n");
  lacuna::write_matrix(file.path(), lacuna::read_matrix<Crs<float>>(single.path()));
  EXPECT_EQ(file.content(), single.content());
}

TEST(MatrixIO, WritingFailsWhole) {
  const auto A = lacuna::generate<Crs<double>>("diagonal:n=3");
  EXPECT_THROW(lacuna::write_matrix("/no/such/folder/a.mtx", A), lacuna::InvalidArgument);
  const TemporaryFile file(".mtx", "what was there");
  EXPECT_THROW(lacuna::write_matrix(testing::TempDir(), A), lacuna::InvalidArgument);
  EXPECT_EQ(file.content(), "what was there");
  lacuna::write_matrix(file.path(), A);
  EXPECT_FALSE(std::filesystem::exists(file.path() + ".partial"));
  lacuna::write_matrix("/dev/null", A);
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
}

}  // namespace
