// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <Lacuna_MatrixIO.hpp>
#include <Lacuna_RowStatistics.hpp>
#include <Lacuna_Scale.hpp>
#include <Lacuna_Spadd.hpp>
#include <Lacuna_Transpose.hpp>
#include <Lacuna_ValidateFormats.hpp>

#include <support/Test_Matrices.hpp>
#include <tools/Tools_Recorder.hpp>

#include <optional>

namespace lacuna::Test {
namespace {

template <class Space>
class MatrixAnnotations : public testing::Test {
 public:
  using Matrix = KokkosSparse::CrsMatrix<double, int, typename Space::device_type, void, int>;
};

using Spaces =
    std::conditional_t<std::is_same_v<Kokkos::DefaultExecutionSpace, ReferenceSpace>, testing::Types<ReferenceSpace>,
                       testing::Types<Kokkos::DefaultExecutionSpace, ReferenceSpace>>;
TYPED_TEST_SUITE(MatrixAnnotations, Spaces);

/// Sorted rows and messy ones, long rows and short ones, columns that need hops.
std::vector<NamedMatrix<double>> matrices() {
  return {{"banded", banded_matrix<double>(200, 190, 2, 3)},
          {"messy", shuffled(with_duplicates(uneven_matrix<double>(300, 2000, 40)))},
          {"dense row", dense_row_matrix<double>(300, 9000, 7)},
          far_columns<double>()};
}

/// Makes a format, and does with it all that can be done.
template <class Exec, class Matrix, class Convert>
void check_format(const Exec& exec, const std::string& name, const Matrix& A, const Convert& convert) {
  std::optional<decltype(convert())> format;
  check_annotations(exec, "to_" + name, [&] { format.emplace(convert()); });
  check_annotations(exec, "to_crs of " + name, [&] { to_crs(exec, *format); });
  check_annotations(exec, "validate of " + name, [&] { validate(exec, *format); });
  // Values that are only copied need no kernel.
  Recorder recorder;
  update_values(exec, A, *format);
  recorder.stop();
  EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty()) << "update_values of " << name;
  EXPECT_THAT(recorder.allocations(), testing::IsEmpty()) << "update_values of " << name;
  EXPECT_THAT(recorder.fence_labels(), testing::IsEmpty()) << "update_values of " << name;
  exec.fence();
}

TYPED_TEST(MatrixAnnotations, Formats) {
  const auto exec = another_instance<TypeParam>();
  for (const auto& [name, source] : matrices()) {
    SCOPED_TRACE(name);
    const auto A = make_crs<typename TestFixture::Matrix>(source);
    check_format(exec, "coo", A, [&] { return to_coo(exec, A); });
    check_format(exec, "ell", A, [&] { return to_ell(exec, A, {.fill_limit = 0}); });
    check_format(exec, "hyb", A, [&] { return to_hyb(exec, A); });
    check_format(exec, "hyb", A, [&] { return to_hyb(exec, A, {.width = 2}); });
    check_format(exec, "padded_rows", A, [&] { return to_padded_rows(exec, A); });
    check_format(exec, "row_block", A, [&] { return to_row_block(exec, A); });
    check_format(exec, "sell", A, [&] { return to_sell(exec, A); });
    if (name != "messy") check_format(exec, "sliced_dia", A, [&] { return to_sliced_dia(exec, A); });
    check_format(exec, "sell", A, [&] { return to_sell(exec, A, {.columns = SellColumns::absolute, .segments = 4}); });
    if (source.columns < 100000) check_format(exec, "dia", A, [&] { return to_dia(exec, A, {.fill_limit = 0}); });
    if (source.columns < 100000) check_format(exec, "hm", A, [&] { return to_hm(exec, A, {.fill_limit = 0}); });
  }
}

TYPED_TEST(MatrixAnnotations, Core) {
  const auto exec = another_instance<TypeParam>();
  for (const auto& [name, source] : matrices()) {
    SCOPED_TRACE(name);
    const auto A    = make_crs<typename TestFixture::Matrix>(source);
    using Reordered = ReorderedMatrix<typename TestFixture::Matrix>;
    std::optional<Reordered> reordered;
    check_annotations(exec, "transpose", [&] { reordered.emplace(transpose(exec, A)); });
    check_annotations(exec, "update_values", [&] { update_values(exec, A, *reordered); });
    check_annotations(exec, "sort_rows", [&] { sort_rows(exec, A); });
    check_annotations(exec, "validate", [&] { validate(exec, A); });
    check_annotations(exec, "row_length_statistics", [&] { row_length_statistics(exec, A); });
    check_annotations(exec, "row_statistics", [&] { row_statistics(exec, A); });
  }
}

TYPED_TEST(MatrixAnnotations, SumsAndScales) {
  const auto exec = another_instance<TypeParam>();
  for (const auto& [name, source] : matrices()) {
    SCOPED_TRACE(name);
    const auto A = make_crs<typename TestFixture::Matrix>(source);
    const auto B = make_crs<typename TestFixture::Matrix>(random_matrix<double>(source.rows, source.columns, 5));
    check_annotations(exec, "spadd", [&] { spadd(exec, 1, A, 2, B); });
    std::optional<SpaddPlan<typename TestFixture::Matrix>> plan;
    check_annotations(exec, "SpaddPlan", [&] { plan.emplace(exec, A, B); });
    const auto C = plan->allocate(exec);
    exec.fence();
    Recorder recorder;
    spadd(exec, *plan, 1, A, 2, B, C);
    recorder.stop();
    EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty());
    EXPECT_THAT(recorder.allocations(), testing::IsEmpty());
    EXPECT_THAT(recorder.fence_labels(), testing::IsEmpty());
    const Kokkos::View<double*, TypeParam> left("left", static_cast<std::size_t>(source.rows));
    const Kokkos::View<double*, TypeParam> right("right", static_cast<std::size_t>(source.columns));
    const Kokkos::View<double*, TypeParam> diagonal("diagonal", std::min(left.extent(0), right.extent(0)));
    check_annotations(exec, "scale_rows", [&] { scale_rows(exec, left, A); });
    check_annotations(exec, "scale_columns", [&] { scale_columns(exec, A, right); });
    check_annotations(exec, "extract_diagonal", [&] { extract_diagonal(exec, A, diagonal); });
  }
}

TYPED_TEST(MatrixAnnotations, ValidateOfBrokenMatrices) {
  const auto exec = another_instance<TypeParam>();
  auto source     = uneven_matrix<double>(40, 30, 9);
  source.row_map[7] += 1000;
  const auto A = make_crs<typename TestFixture::Matrix>(source);
  check_annotations(exec, "row map", [&] { validate(exec, A); });
}

TYPED_TEST(MatrixAnnotations, Generate) {
  using Matrix    = typename TestFixture::Matrix;
  const auto exec = another_instance<TypeParam>();
  for (const char* spec : {"mesh27:n=5,b=2", "banded:n=100,half=3", "random:rows=70,per_row=9",
                           "power:rows=500,nnz=4000,longest=300", "dense_row:n=90,per_row=3"})
    check_annotations(exec, spec, [&] { generate<Matrix>(exec, spec); });
}

TYPED_TEST(MatrixAnnotations, Files) {
  using Matrix           = typename TestFixture::Matrix;
  const auto exec        = another_instance<TypeParam>();
  const auto A           = make_crs<Matrix>(uneven_matrix<double>(40, 30, 9));
  const std::string path = testing::TempDir() + "lacuna_annotations.mtx";
  for (const bool write : {true, false}) {
    Recorder recorder;
    if (write)
      write_matrix(exec, path, A);
    else
      read_matrix<Matrix>(exec, path);
    recorder.stop();
    EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty()) << (write ? "write" : "read");
    EXPECT_THAT(recorder.allocations(), testing::Not(testing::IsEmpty()));
  }
}

}  // namespace
}  // namespace lacuna::Test
