// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Diagonal_Check.hpp>
#include <formats/Test_Conversions.hpp>
#include <support/Test_Messages.hpp>

#include <Lacuna_ValidateFormats.hpp>

namespace lacuna::Test {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Hm     = HmMatrix<double, int, Device, int>;
using Cdm    = CdmMatrix<double, int, Device, int>;

/// Element (i, j) is ij as two digits, plus 100: a00 is 100, a12 is 112.
HostMatrix<double> named(std::int64_t n, std::int64_t lower, std::int64_t upper) {
  auto A = banded_matrix<double>(n, n, lower, upper);
  for (std::int64_t i = 0; i < n; ++i)
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i) + 1]); ++k)
      A.values[k] = static_cast<double>(100 + 10 * i + A.entries[k]);
  return A;
}

// 003, 3.1: figure 2a has ku = 2 and kl = 1, stored as
// ( a00, a11, a22, a33 | a01, a12, a23 | a02, a13 | a10, a21, a32 ).
TEST(DiagonalFormats, PaperHm) {
  const auto hm = to_hm(make_crs<Matrix>(named(4, 1, 2)));
  EXPECT_EQ(hm.dg(), 4);
  expect_equal(hm.Ds, std::vector<int>{0, 1, 2, -1}, "Ds");
  expect_equal(hm.StartDg, std::vector<int>{0, 4, 7, 9}, "StartDg");
  expect_equal(hm.list, std::vector<double>{100, 111, 122, 133, 101, 112, 123, 102, 113, 110, 121, 132}, "list");
  expect_equal(hm.DiagDense, std::vector<int>{-1, -1, 9, 0, 4, 7, -1}, "DiagDense");
  expect_equal(hm.host_Ds, std::vector<int>{0, 1, 2, -1}, "Ds on the host");
}

// 003, 3.1: a dense matrix is kl = ku = n - 1, n (ku + kl + 1) - ku (ku + 1) / 2 - kl (kl + 1) / 2 elements; the k-th
// superdiagonal begins at n k - k (k - 1) / 2; figure 3b.
TEST(DiagonalFormats, PaperHmDense) {
  const auto hm = to_hm(make_crs<Matrix>(named(4, 3, 3)));
  expect_equal(hm.Ds, std::vector<int>{0, 1, 2, 3, -1, -2, -3}, "Ds");
  EXPECT_EQ(hm.list.extent(0), 4u * 7 - 6 - 6);
  expect_equal(hm.StartDg, std::vector<int>{0, 4, 8 - 1, 12 - 3, 10, 13, 15}, "StartDg");
  expect_equal(hm.list,
               std::vector<double>{100, 111, 122, 133, 101, 112, 123, 102, 113, 103, 110, 121, 132, 120, 131, 130},
               "list");
}

// 003, 3.2: A_3 = ( a03 | a10, a21, a32 ) for n = 4; figure 3c.
TEST(DiagonalFormats, PaperCdm) {
  const auto cdm = to_cdm(make_crs<Matrix>(named(4, 3, 3)), {.form = CdmForm::dense});
  EXPECT_EQ(cdm.dg(), 4);
  expect_equal(cdm.Ds, std::vector<int>{0, 1, 2, 3}, "Ds");
  expect_equal(cdm.list,
               std::vector<double>{100, 111, 122, 133, 101, 112, 123, 130, 102, 113, 120, 131, 103, 110, 121, 132},
               "list");
  expect_equal(cdm.DiagDense, std::vector<int>{0, 4, 8, 12}, "DiagDense");
}

/// 003, 4: c = a times b, element by element; names as in `named`, those of b 7 times as large.
std::vector<double> times(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> c;
  for (std::size_t i = 0; i < a.size(); ++i) c.push_back(a[i] * 7 * b[i]);
  return c;
}

// 003, 4: the compact diagonals 0 and 1 of the product for n = 4, letter for letter.
TEST(DiagonalFormats, PaperCdmProduct) {
  auto seven = named(4, 3, 3);
  for (double& value : seven.values) value *= 7;
  const Exec exec;
  const Cdm A = to_cdm(make_crs<Matrix>(named(4, 3, 3))), B = to_cdm(make_crs<Matrix>(seven));
  const std::vector<std::vector<double>> C_0{
      times({100, 111, 122, 133}, {100, 111, 122, 133}), times({101, 112, 123, 130}, {110, 121, 132, 103}),
      times({102, 113, 120, 131}, {120, 131, 102, 113}), times({103, 110, 121, 132}, {130, 101, 112, 123})};
  const std::vector<std::vector<double>> C_1{
      times({101, 112, 123, 130}, {111, 122, 133, 100}), times({102, 113, 120, 131}, {121, 132, 103, 110}),
      times({103, 110, 121, 132}, {131, 102, 113, 120}), times({100, 111, 122, 133}, {101, 112, 123, 130})};
  // C <- C + A B, C being B before.
  const Cdm C = to_cdm(make_crs<Matrix>(seven));
  gemm(exec, 1, Op::none, A, Op::none, B, 1, C);
  exec.fence();
  const auto before = to_vector(B.list), after = to_vector(C.list);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(after[i], before[i] + C_0[0][i] + C_0[1][i] + C_0[2][i] + C_0[3][i]) << i;
    EXPECT_EQ(after[4 + i], before[4 + i] + C_1[0][i] + C_1[1][i] + C_1[2][i] + C_1[3][i]) << i;
  }
}

// 003, 4: compact diagonal k of the transpose is the reverse of A's, subdiagonal k on superdiagonal n - k; A itself is
// not touched.
TEST(DiagonalFormats, PaperCdmTranspose) {
  const Exec exec;
  const Cdm A = to_cdm(make_crs<Matrix>(named(4, 3, 3)));
  const Cdm I = make_cdm<Cdm>(exec, 4, {0});
  Kokkos::deep_copy(exec, I.list, 1.0);
  const Cdm turned = gemm(exec, Op::none, I, Op::transpose, A);
  exec.fence();
  expect_equal(turned.Ds, std::vector<int>{0, 1, 2, 3}, "Ds");
  expect_equal(turned.list,
               std::vector<double>{100, 111, 122, 133, 110, 121, 132, 103, 120, 131, 102, 113, 130, 101, 112, 123},
               "list");
}

// 003, 6.1: a tridiagonal matrix of n = 5 has compact diagonals 0, 1 and 4, "the short diagonal of zeros appended".
TEST(DiagonalFormats, PaperCdmSparse) {
  const auto cdm = to_cdm(make_crs<Matrix>(named(5, 1, 1)));
  expect_equal(cdm.Ds, std::vector<int>{0, 1, 4}, "Ds");
  expect_equal(cdm.list, std::vector<double>{100, 111, 122, 133, 144, 101, 112, 123, 134, 0, 0, 110, 121, 132, 143},
               "list");
  expect_equal(cdm.DiagDense, std::vector<int>{0, 5, -1, -1, 10}, "DiagDense");
}

// Rectangular: the diagonal of offset d has min(rows, columns - d) - max(0, -d) elements.
TEST(DiagonalFormats, RectangularHm) {
  const auto hm = to_hm(make_crs<Matrix>(small_matrix()));
  expect_equal(hm.Ds, std::vector<int>{0, 1, -1}, "Ds");
  expect_equal(hm.StartDg, std::vector<int>{0, 3, 6}, "StartDg");
  expect_equal(hm.list, std::vector<double>{10, 0, 22, 11, 0, 23, 0, 21}, "list");
}

template <class Types>
class DiagonalRoundTrips : public testing::Test {};
TYPED_TEST_SUITE(DiagonalRoundTrips, ConversionTypes);

/// What comes back of A: sorted, duplicates added, without zeros. `dense_of` compares by the definition as well.
TYPED_TEST(DiagonalRoundTrips, HmAndCdm) {
  using CrsMatrix = typename TypeParam::Matrix;
  using Scalar    = typename TypeParam::Scalar;
  const typename TypeParam::Space exec{};
  for (const auto& sample : all_matrices<Scalar>()) {
    if (sample.matrix.columns > 20000) continue;  // dense on the host
    SCOPED_TRACE(sample.name);
    const auto A        = make_crs<CrsMatrix>(sample.matrix);
    const auto changed  = with_new_values(sample.matrix);
    const auto expected = dense(Op::none, sample.matrix);
    const auto again    = dense(Op::none, changed);
    const auto check    = [&](auto make) {
      const auto stored = make(A);
      exec.fence();
      EXPECT_EQ(dense(Op::none, to_host(to_crs(exec, stored))).values, dense_of(stored).values);
      EXPECT_LE(stored.nonzeros(), sample.matrix.nonzeros());
      const auto difference = [&](const auto& dense_values, const auto& stored_values) {
        double most = 0;
        for (std::size_t k = 0; k < dense_values.size(); ++k)
          most = std::max(most, std::abs(dense_values[k] - stored_values[k]));
        return most;
      };
      EXPECT_LE(difference(expected.values, dense_of(stored).values), 8 * epsilon<Scalar>());
      update_values(exec, make_crs<CrsMatrix>(changed), stored);
      exec.fence();
      EXPECT_LE(difference(again.values, dense_of(stored).values), 8 * epsilon<Scalar>()) << "new values";
    };
    check([&](const auto& crs) { return to_hm(exec, crs, {.fill_limit = 0}); });
    if (sample.matrix.rows != sample.matrix.columns) continue;
    check([&](const auto& crs) { return to_cdm(exec, crs, {.fill_limit = 0}); });
    check([&](const auto& crs) { return to_cdm(exec, crs, {.fill_limit = 0, .form = CdmForm::dense}); });
    EXPECT_EQ(dense_of(to_cdm(exec, to_hm(exec, A, {.fill_limit = 0}), {.fill_limit = 0})).values,
              dense_of(to_hm(exec, to_cdm(exec, A, {.fill_limit = 0}), {.fill_limit = 0})).values);
  }
}

TEST(DiagonalFormats, RowsComeBackSorted) {
  const auto source = banded_matrix<double>(50, 50, 4, 7);
  EXPECT_TRUE(same(to_host(to_crs(to_hm(make_crs<Matrix>(source)))), source));
  EXPECT_TRUE(same(to_host(to_crs(to_cdm(make_crs<Matrix>(source)))), source));
  const auto wide = diagonal_matrix<double>(40, 40, {-39, -20, -1, 3, 39});
  EXPECT_TRUE(same(to_host(to_crs(to_hm(make_crs<Matrix>(wide)))), wide));
  EXPECT_TRUE(same(to_host(to_crs(to_cdm(make_crs<Matrix>(wide)))), wide));
}

/// Few nonzeros in many columns: time and memory go with the nonzeros, of the product too.
TEST(DiagonalFormats, OfAWideMatrix) {
  const Exec exec;
  const std::int64_t columns = 2000000000;
  const auto source          = from_rows<double>(columns, {{0, 7, columns - 1}, {}, {2, 9, columns - 2}});
  const HmOptions small{.memory_limit = 10000};
  const auto hm = to_hm(make_crs<Matrix>(source), small);
  EXPECT_LT(hm.bytes(), 1000u);
  EXPECT_TRUE(validate(hm).valid);
  EXPECT_TRUE(same(to_host(to_crs(hm)), source));
  const auto changed = with_new_values(source);
  update_values(exec, make_crs<Matrix>(changed), hm);
  exec.fence();
  EXPECT_TRUE(same(to_host(to_crs(hm)), changed));
  const auto named = make_hm<Hm>(exec, 3, static_cast<int>(columns), {0, 7, 1999999999}, small);
  EXPECT_EQ(named.DiagDense.extent(0), 0u);
  // Rows 0 and 2 share no column.
  const auto product = dense_of(gemm(exec, Op::none, hm, Op::transpose, hm));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double expected = 0;
      if (i == j)
        for (auto k = static_cast<std::size_t>(changed.row_map[i]);
             k < static_cast<std::size_t>(changed.row_map[i + 1]); ++k)
          expected += changed.values[k] * changed.values[k];
      EXPECT_NEAR(product.values[3 * i + j], expected, 1e-12) << i << ", " << j;
    }
}

/// 200 diagonals of 1 to 200 elements in a corner of a million rows and columns: a row looks at those that it meets,
/// not at all of them.
TEST(DiagonalFormats, ShortDiagonalsComeBack) {
  const std::int64_t n = 1000000, corner = 200;
  HostMatrix<double> source;
  source.rows = source.columns = n;
  source.row_map.assign(static_cast<std::size_t>(n) + 1, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = n - corner + i; j < n; ++j) {
      source.entries.push_back(j);
      source.values.push_back(static_cast<double>(i + 3 * j));
    }
    source.row_map[static_cast<std::size_t>(i) + 1] = source.nonzeros();
  }
  const auto hm = to_hm(make_crs<Matrix>(source));
  EXPECT_EQ(hm.dg(), corner);
  EXPECT_TRUE(same(to_host(to_crs(hm)), source));
}

TEST(DiagonalFormats, FromEachOther) {
  const DefaultSpace exec;
  const auto source = diagonal_matrix<double>(70, 70, {-69, -33, -32, -1, 0, 1, 40, 69});
  const auto A      = make_crs<Matrix>(source);
  const auto check  = [&](const auto& stored, const char* what) {
    SCOPED_TRACE(what);
    const auto dia = to_dia(stored, {.fill_limit = 0});
    EXPECT_EQ(dia.diagonals(), 8);
    EXPECT_EQ(dia.nonzeros(), static_cast<int>(source.nonzeros()));
    EXPECT_TRUE(same(to_host(to_crs(dia)), source));
    EXPECT_TRUE(same(to_host(to_crs(to_hm(exec, stored, {.fill_limit = 0}))), source));
    EXPECT_TRUE(same(to_host(to_crs(to_cdm(exec, stored, {.fill_limit = 0}))), source));
  };
  check(A, "CSR");
  check(to_hm(A, {.fill_limit = 0}), "HM");
  check(to_cdm(A, {.fill_limit = 0}), "CDM");
  check(to_cdm(A, {.form = CdmForm::dense}), "dense CDM");
  check(to_dia(exec, A, {.fill_limit = 0}), "DIA");
  check(to_coo(exec, A), "COO");
  EXPECT_THROW(to_dia(to_hm(A, {.fill_limit = 0}), {.memory_limit = 100}), OutOfMemory);
}

TEST(DiagonalFormats, FromNamedDiagonals) {
  const Exec exec;
  const auto hm = make_hm<Hm>(exec, 3, 5, {2, -1, 4, 0});
  expect_equal(hm.Ds, std::vector<int>{0, 2, 4, -1}, "Ds");
  expect_equal(hm.list, std::vector<double>(3 + 3 + 1 + 2, 0.0), "list");
  const auto cdm = make_cdm<Cdm>(exec, 5, {4, 0});
  expect_equal(cdm.Ds, std::vector<int>{0, 4}, "Ds");
  expect_equal(cdm.list, std::vector<double>(10, 0.0), "list");
}

TEST(DiagonalFormats, BadInput) {
  using testing::AllOf;
  using testing::HasSubstr;
  const Exec exec;
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                make_hm<Hm>(exec, 3, 5, {0, 5});
              }),
              HasSubstr("diagonal 5 is outside of -2 to 4"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { make_hm<Hm>(exec, 3, 5, {-3}); }), HasSubstr("diagonal -3 is outside"));
  EXPECT_THAT(error_of<InvalidArgument>([&] {
                make_hm<Hm>(exec, 3, 5, {1, 0, 1});
              }),
              HasSubstr("diagonal 1 is named twice"));
  EXPECT_THAT(error_of<InvalidArgument>([&] { make_cdm<Cdm>(exec, 4, {-1}); }),
              HasSubstr("diagonal -1 is outside of 0 to 3"));
  EXPECT_THAT(error_of<NotSupported>([&] { to_cdm(exec, make_crs<Matrix>(small_matrix())); }), HasSubstr("A is 3x4"));
  // 1999 diagonals of a random matrix, about a million elements for 2000 nonzeros.
  const auto scattered = make_crs<Matrix>(random_matrix<double>(1000, 1000, 2));
  EXPECT_THAT(error_of<OutOfMemory>([&] { to_hm(exec, scattered, {.memory_limit = 1 << 20}); }),
              AllOf(HasSubstr("bytes, memory_limit is 1048576"), HasSubstr("% of them zeros")));
  EXPECT_THAT(error_of<OutOfMemory>([&] { to_cdm(exec, scattered, {.memory_limit = 1 << 20}); }),
              HasSubstr("% of them zeros"));
  EXPECT_THAT(error_of<OutOfMemory>([&] { to_dia(exec, scattered, {.memory_limit = 1 << 20}); }),
              AllOf(HasSubstr("bytes, memory_limit is 1048576"), HasSubstr("99.8"), HasSubstr("% of them zeros")));
  EXPECT_THAT(error_of<NotSupported>([&] { to_hm(exec, make_crs<Matrix>(random_matrix<double>(3000, 3000, 1))); }),
              HasSubstr("% of them zeros, over the fill_limit of 20"));
  EXPECT_THAT(error_of<NotSupported>([&] {
                make_cdm<Cdm>(exec, 1 << 20, std::vector<std::int64_t>([] {
                                std::vector<std::int64_t> all(4096);
                                for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int64_t>(k);
                                return all;
                              }()));
              }),
              HasSubstr("do not fit the offset type"));
}

/// Overwrites element k of a View.
template <class View>
void set(const View& view, std::size_t k, typename View::non_const_value_type value) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  mirror(k)         = value;
  Kokkos::deep_copy(view, mirror);
}

TEST(DiagonalFormats, Validate) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  const auto source = make_crs<Matrix>(banded_matrix<double>(20, 20, 2, 3));
  EXPECT_TRUE(validate(to_hm(source)).valid);
  EXPECT_TRUE(validate(to_cdm(source)).valid);
  EXPECT_TRUE(validate(to_hm(make_crs<Matrix>(small_matrix()))).valid);
  const auto defects_of_hm = [&](const auto& spoil) {
    auto hm = to_hm(source);
    spoil(hm);
    return validate(hm).defects;
  };
  EXPECT_THAT(defects_of_hm([](Hm& hm) { set(hm.DiagDense, 0, 7); }),
              ElementsAre(HasSubstr("names 7 diagonals, not 6")));
  EXPECT_THAT(defects_of_hm([](Hm& hm) { set(hm.DiagDense, 19, 7); }),
              ElementsAre(HasSubstr("wrong about 1 diagonals")));
  EXPECT_THAT(defects_of_hm([](Hm& hm) { set(hm.StartDg, 1, 19); }),
              ElementsAre(HasSubstr("diagonal 1 begins at 19, not at 20")));
  EXPECT_THAT(defects_of_hm([](Hm& hm) { hm.list = decltype(hm.list)("short", 3); }),
              ElementsAre(HasSubstr("list has 3 elements")));
  EXPECT_THAT(defects_of_hm([](Hm& hm) {
                set(hm.Ds, 1, 20);
                set(hm.host_Ds, 1, 20);
              }),
              ElementsAre(HasSubstr("diagonal 20 is outside of -19 to 19")));
  EXPECT_THAT(defects_of_hm([](Hm& hm) {
                set(hm.Ds, 1, 2);
                set(hm.host_Ds, 1, 2);
              }),
              ElementsAre(HasSubstr("diagonal 2 is named twice")));
  auto cdm = to_cdm(source);
  set(cdm.DiagDense, 0, -1);
  EXPECT_THAT(validate(cdm).defects, ElementsAre(HasSubstr("names 5 diagonals"), HasSubstr("wrong about 1 diagonals")));
}

}  // namespace
}  // namespace lacuna::Test
