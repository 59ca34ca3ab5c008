// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_KokkosKernels.hpp>

#include <engines/kokkos_kernels/KokkosKernels_Support.hpp>
#include <reference/Reference_Spgemm.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

/// \file
/// \brief `KokkosSparse::spgemm`, `spgemm_symbolic` and `spgemm_numeric`, as a user of Kokkos Kernels calls them, run
/// our kernels, and the plan lives as long as its handle.

namespace lacuna::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class ScalarType, class OrdinalType, class OffsetType>
struct Types {
  using Scalar = ScalarType;
  using Matrix = KokkosSparse::CrsMatrix<ScalarType, OrdinalType, Exec::device_type, void, OffsetType>;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<OffsetType, OrdinalType, ScalarType, Exec,
                                                                  Exec::memory_space, Exec::memory_space>;
};

template <class T>
class KokkosKernelsSpgemm : public testing::Test {};
using AllTypes = testing::Types<Types<double, int, int>, Types<float, int, std::size_t>,
                                Types<Kokkos::complex<double>, std::int64_t, std::size_t>>;
TYPED_TEST_SUITE(KokkosKernelsSpgemm, AllTypes);

template <class Scalar>
struct Pair {
  HostMatrix<Scalar> A, B;
};

template <class Scalar>
std::vector<Pair<Scalar>> pairs() {
  return {{uneven_matrix<Scalar>(120, 80, 12), uneven_matrix<Scalar>(80, 150, 9)},
          {banded_matrix<Scalar>(200, 200, 2, 3), banded_matrix<Scalar>(200, 200, 1, 1)},
          {shuffled(random_matrix<Scalar>(60, 100, 7)), shuffled(random_matrix<Scalar>(100, 40, 11))},
          {with_duplicates(random_matrix<Scalar>(60, 100, 7)), random_matrix<Scalar>(100, 40, 3)}};
}

template <class Scalar, class Matrix>
testing::AssertionResult is_product(const Pair<Scalar>& host, const Matrix& C) {
  return matches(reference_spgemm(Scalar(1), Op::none, host.A, Op::none, host.B), to_host(C));
}

template <class Matrix, class Scalar>
void give_new_values(HostMatrix<Scalar>& host, const Matrix& A, std::uint64_t seed) {
  host.values = random_vector<Scalar>(host.nonzeros(), seed);
  Kokkos::deep_copy(A.values, make_view<typename Matrix::values_type::non_const_type>("values", host.values));
}

TYPED_TEST(KokkosKernelsSpgemm, ADefaultHandleKeepsOurPlan) {
  using Matrix = typename TypeParam::Matrix;
  for (auto& host : pairs<typename TypeParam::Scalar>()) {
    auto A = make_crs<Matrix>(host.A), B = make_crs<Matrix>(host.B);
    typename TypeParam::Handle handle;
    handle.create_spgemm_handle();
    Matrix C;
    const auto symbolic = seen_of([&] { KokkosSparse::spgemm_symbolic(handle, A, false, B, false, C); });
    EXPECT_TRUE(symbolic.has_region("KokkosSparse::spgemm_symbolic[TPL_LACUNA]"));
    EXPECT_TRUE(symbolic.is_ours());
    EXPECT_TRUE(handle.get_spgemm_handle()->is_symbolic_called());
    const auto numeric = [&] {
      const auto seen = seen_of([&] { KokkosSparse::spgemm_numeric(handle, A, false, B, false, C); });
      EXPECT_TRUE(seen.has_region("KokkosSparse::spgemm_numeric[TPL_LACUNA]"));
      EXPECT_FALSE(seen.has_region("Lacuna::SpgemmPlan"));
      EXPECT_TRUE(seen.is_ours());
      EXPECT_TRUE(is_product(host, C));
    };
    numeric();
    EXPECT_TRUE(handle.get_spgemm_handle()->are_entries_computed());
    give_new_values(host.A, A, 11);  // in the same arrays
    give_new_values(host.B, B, 12);
    numeric();
    A = make_crs<Matrix>(host.A);  // in others, pattern and values
    numeric();
    // A second symbolic phase makes no plan, and fills a row map that is new.
    const auto again = seen_of([&] { KokkosSparse::spgemm_symbolic(handle, A, false, B, false, C); });
    EXPECT_FALSE(again.has_region("Lacuna::SpgemmPlan"));
    numeric();
  }
}

TYPED_TEST(KokkosKernelsSpgemm, OneCallIsOurCallWithoutAPlan) {
  using Matrix = typename TypeParam::Matrix;
  for (const auto& host : pairs<typename TypeParam::Scalar>()) {
    const auto A = make_crs<Matrix>(host.A), B = make_crs<Matrix>(host.B);
    Matrix C;
    const auto seen = seen_of([&] { C = KokkosSparse::spgemm<Matrix>(A, false, B, false); });
    EXPECT_TRUE(seen.has_region("KokkosSparse::spgemm[TPL_LACUNA]"));
    EXPECT_TRUE(seen.is_ours());
    EXPECT_TRUE(is_product(host, C));
  }
}

using Double = Types<double, int, int>;
using Matrix = Double::Matrix;
using Handle = Double::Handle;

/// C = A B with a handle that asks for `algorithm`.
Matrix multiply(const Matrix& A, const Matrix& B, KokkosSparse::SPGEMMAlgorithm algorithm) {
  Handle handle;
  handle.create_spgemm_handle(algorithm);
  Matrix C;
  KokkosSparse::spgemm_symbolic(handle, A, false, B, false, C);
  KokkosSparse::spgemm_numeric(handle, A, false, B, false, C);
  return C;
}

TEST(KokkosKernelsSpgemmHandle, TheLoopsOfKokkosKernelsStayTheirsByName) {
  const auto host = pairs<double>().front();
  const auto A = make_crs<Matrix>(host.A), B = make_crs<Matrix>(host.B);
  for (const auto algorithm : {KokkosSparse::SPGEMM_DEBUG, KokkosSparse::SPGEMM_SERIAL}) {
    Matrix C;
    EXPECT_FALSE(seen_of([&] { C = multiply(A, B, algorithm); }).has_region("Lacuna"));
    EXPECT_TRUE(is_product(host, C));
  }
  for (const auto algorithm : {KokkosSparse::SPGEMM_KK, KokkosSparse::SPGEMM_KK_MEMORY})
    EXPECT_TRUE(seen_of([&] { EXPECT_TRUE(is_product(host, multiply(A, B, algorithm))); }).has_region("Lacuna"));
}

TEST(KokkosKernelsSpgemmHandle, OneInThePlaceOfAnotherHasNothingOfIt) {
  std::optional<Handle> handle;
  // One shape and one number of nonzeros, but other patterns: the plan of one would serve no other.
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const Pair<double> host{random_matrix<double>(50, 60, 5, seed), random_matrix<double>(60, 70, 4, seed + 100)};
    const auto A = make_crs<Matrix>(host.A), B = make_crs<Matrix>(host.B);
    handle.emplace();
    handle->create_spgemm_handle();
    Matrix C;
    KokkosSparse::spgemm_symbolic(*handle, A, false, B, false, C);
    KokkosSparse::spgemm_numeric(*handle, A, false, B, false, C);
    EXPECT_TRUE(is_product(host, C)) << seed;
    EXPECT_EQ(Impl::handle_plans().size(), 1U) << "plans of handles that are gone are freed";
  }
}

TEST(KokkosKernelsSpgemmHandle, HandlesSideBySideHavePlansOfTheirOwn) {
  const auto hosts = pairs<double>();
  std::vector<std::unique_ptr<Handle>> handles;
  std::vector<Matrix> A, B, C(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    A.push_back(make_crs<Matrix>(hosts[i].A));
    B.push_back(make_crs<Matrix>(hosts[i].B));
    handles.push_back(std::make_unique<Handle>());
    handles[i]->create_spgemm_handle();
    KokkosSparse::spgemm_symbolic(*handles[i], A[i], false, B[i], false, C[i]);
  }
  EXPECT_EQ(Impl::handle_plans().size(), hosts.size());
  for (std::size_t i = hosts.size(); i-- > 0;) {
    KokkosSparse::spgemm_numeric(*handles[i], A[i], false, B[i], false, C[i]);
    EXPECT_TRUE(is_product(hosts[i], C[i]));
    handles[i].reset();
  }
  const auto last = multiply(A[0], B[0], KokkosSparse::SPGEMM_KK);  // drops what those have left
  EXPECT_EQ(Impl::handle_plans().size(), 1U);
  Impl::handle_plans().drop_orphans();
  EXPECT_EQ(Impl::handle_plans().size(), 0U);
}

TEST(KokkosKernelsSpgemmHandle, NumericMakesAPlanAfterASymbolicPhaseOfTheirs) {
  const auto host = pairs<double>().front();
  const auto A = make_crs<Matrix>(host.A), B = make_crs<Matrix>(host.B);
  Handle handle;
  handle.create_spgemm_handle(KokkosSparse::SPGEMM_DEBUG);
  Matrix C;
  KokkosSparse::spgemm_symbolic(handle, A, false, B, false, C);
  handle.get_spgemm_handle()->set_algorithm_type(KokkosSparse::SPGEMM_KK);
  EXPECT_TRUE(seen_of([&] { KokkosSparse::spgemm_numeric(handle, A, false, B, false, C); }).has_region("TPL_LACUNA"));
  EXPECT_TRUE(is_product(host, C));
}

TEST(KokkosKernelsSpgemmHandle, AnotherShapeGetsAPlanOfItsOwn) {
  Handle handle;
  handle.create_spgemm_handle();
  for (const auto& host : pairs<double>()) {
    const auto A = make_crs<Matrix>(host.A), B = make_crs<Matrix>(host.B);
    Matrix C;
    KokkosSparse::spgemm_symbolic(handle, A, false, B, false, C);
    KokkosSparse::spgemm_numeric(handle, A, false, B, false, C);
    EXPECT_TRUE(is_product(host, C));
    EXPECT_EQ(Impl::handle_plans().size(), 1U);
  }
}

TEST(KokkosKernelsSpgemmHandle, NumericNeedsSymbolic) {
  const auto host = pairs<double>().front();
  const auto A = make_crs<Matrix>(host.A), B = make_crs<Matrix>(host.B);
  Handle handle;
  handle.create_spgemm_handle();
  Matrix C("C", 120, 150, 0, Matrix::values_type(), Matrix::row_map_type::non_const_type("row_map", 121),
           Matrix::index_type());
  EXPECT_THROW(KokkosSparse::spgemm_numeric(handle, A, false, B, false, C), std::runtime_error);
}

TEST(KokkosKernelsSpgemmHandle, EmptyMatrices) {
  const auto empty = [](std::int64_t rows, std::int64_t columns) {
    HostMatrix<double> host;
    host.rows    = rows;
    host.columns = columns;
    host.row_map.assign(static_cast<std::size_t>(rows) + 1, 0);
    return host;
  };
  for (const auto& host : {Pair<double>{empty(5, 4), empty(4, 3)}, Pair<double>{empty(0, 4), empty(4, 3)},
                           Pair<double>{empty(5, 0), empty(0, 3)}, Pair<double>{empty(5, 4), empty(4, 0)},
                           Pair<double>{random_matrix<double>(5, 4, 2), empty(4, 3)}}) {
    const auto A = make_crs<Matrix>(host.A), B = make_crs<Matrix>(host.B);
    EXPECT_TRUE(is_product(host, multiply(A, B, KokkosSparse::SPGEMM_DEFAULT)));
    EXPECT_TRUE(is_product(host, KokkosSparse::spgemm<Matrix>(A, false, B, false)));
  }
}

}  // namespace
}  // namespace lacuna::Test
