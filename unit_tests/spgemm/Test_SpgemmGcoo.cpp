// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_SpgemmFormats.hpp>

#include <reference/Reference_Spgemm.hpp>
#include <support/Test_Matrices.hpp>
#include <support/Test_Messages.hpp>
#include <tools/Tools_Recorder.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief A in groups of rows of GCOO times B in CSR, without a CSR matrix of A.

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;

template <class Scalar, class Ordinal, class Offset>
void check(const std::string& what, const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B) {
  using Matrix = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;
  const auto a = make_crs<Matrix>(A), b = make_crs<Matrix>(B);
  const auto reference = reference_spgemm(Scalar(1), Op::none, A, Op::none, B);
  for (const std::int64_t p : {1, 3, 4, 16, 1000}) {
    const auto gcoo = to_gcoo(a, {.group_size = p});
    const auto C    = to_host(spgemm(Exec(), gcoo, b, {.algorithm = SpgemmAlgorithm::gcoo}));
    EXPECT_TRUE(matches(reference, C)) << what << ", p " << p;
    // A part a group, or a few.
    std::size_t most = 0;
    for (const std::size_t limit : {std::size_t{3000}, std::size_t{30000}, std::size_t{300000}}) try {
        const SpgemmOptions options{.algorithm = SpgemmAlgorithm::gcoo, .memory_limit = limit};
        const auto again = to_host(spgemm(Exec(), gcoo, b, options));
        most             = limit;
        EXPECT_EQ(again.row_map, C.row_map) << what << ", p " << p << ", limit " << limit;
        EXPECT_EQ(again.entries, C.entries) << what << ", p " << p << ", limit " << limit;
        EXPECT_EQ(again.values, C.values) << what << ", p " << p << ", limit " << limit;
      } catch (const OutOfMemory& error) {
        EXPECT_EQ(most, 0u) << "less sufficed";
        EXPECT_THAT(error.what(), testing::HasSubstr("memory_limit is " + std::to_string(limit)));
      }
  }
}

template <class Scalar, class Ordinal, class Offset>
void check_all() {
  for (const auto& [name, A] : sample_matrices<Scalar>())
    if (A.rows == A.columns) check<Scalar, Ordinal, Offset>(name, A, A);
  const auto uneven = uneven_matrix<Scalar>(45, 60, 40), right = uneven_matrix<Scalar>(60, 3000, 90);
  check<Scalar, Ordinal, Offset>("uneven", uneven, right);
  check<Scalar, Ordinal, Offset>("a column", uneven, random_matrix<Scalar>(60, 1, 1));
  check<Scalar, Ordinal, Offset>("a row", random_matrix<Scalar>(1, 60, 30), right);
  check<Scalar, Ordinal, Offset>("messy", shuffled(with_duplicates(uneven)), shuffled(with_duplicates(right)));
  check<Scalar, Ordinal, Offset>("nothing in A", from_rows<Scalar>(60, std::vector<std::vector<std::int64_t>>(9)),
                                 right);
  check<Scalar, Ordinal, Offset>("nothing in B", uneven,
                                 from_rows<Scalar>(70, std::vector<std::vector<std::int64_t>>(60)));
}

TEST(SpgemmGcoo, Double) { check_all<double, int, int>(); }
TEST(SpgemmGcoo, FloatSize) { check_all<float, int, std::size_t>(); }
TEST(SpgemmGcoo, ComplexInt64) { check_all<Kokkos::complex<double>, std::int64_t, std::int64_t>(); }

using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;

std::vector<std::string> labels_of(const Recorder& recorder) {
  std::vector<std::string> labels;
  for (const auto& kernel : recorder.kernels()) labels.push_back(kernel.label);
  return labels;
}

/// By its name no CSR matrix of A is made; by default one is.
TEST(SpgemmGcoo, ReadsTheGroups) {
  const auto a = make_crs<Matrix>(random_matrix<double>(70, 70, 6));
  const Exec exec;
  const auto labels = [&](const SpgemmOptions& options) {
    const auto gcoo = to_gcoo(a, {.group_size = 4});
    Recorder recorder;
    spgemm(exec, gcoo, a, options);
    recorder.stop();
    EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty());
    return labels_of(recorder);
  };
  const auto converts = testing::Contains(testing::StartsWith("Lacuna::to_crs"));
  const auto expands  = testing::Contains("Lacuna::spgemm::gcoo_expand");
  EXPECT_THAT(labels({.algorithm = SpgemmAlgorithm::gcoo}), testing::AllOf(expands, testing::Not(converts)));
  EXPECT_THAT(labels({}), testing::AllOf(testing::Not(expands), converts));
}

TEST(SpgemmGcoo, RefusesWhatGroupsDoNotHave) {
  const auto a         = make_crs<Matrix>(random_matrix<double>(70, 70, 6));
  const auto rows      = to_gcoo(a, {.group_size = 4});
  const auto columns   = to_gcoo(a, {.group_size = 4, .grouping = GcooGrouping::columns});
  constexpr auto named = SpgemmAlgorithm::gcoo;
  EXPECT_THROW(spgemm(columns, a, {.algorithm = named}), NotSupported);
  EXPECT_THROW(spgemm(rows, a, {.op_a = Op::transpose, .algorithm = named}), NotSupported);
  EXPECT_THROW(spgemm(rows, a, {.op_b = Op::transpose, .algorithm = named}), NotSupported);
  EXPECT_THROW(spgemm(rows, a, {.algorithm = named, .keep_products = KeepProducts::yes}), NotSupported);
  EXPECT_THROW(spgemm(a, a, {.algorithm = named}), NotSupported) << "a matrix in CSR";
}

}  // namespace
}  // namespace lacuna::Test
