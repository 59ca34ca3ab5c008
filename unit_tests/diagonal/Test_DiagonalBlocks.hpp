// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_DIAGONALBLOCKS_HPP
#define LACUNA_TEST_DIAGONALBLOCKS_HPP

#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>

#include <diagonal/Diagonal_Check.hpp>
#include <spmm/Spmm_Check.hpp>

#include <gmock/gmock.h>

/// \file
/// \brief Matrices in HM and CDM times vectors and blocks against the serial reference.

namespace lacuna::Test {

template <class ScalarType, class OrdinalType, class OffsetType>
struct BlockTypes {
  using Scalar = ScalarType;
  using Exec   = Kokkos::DefaultExecutionSpace;
  using Matrix = KokkosSparse::CrsMatrix<ScalarType, OrdinalType, Exec::device_type, void, OffsetType>;
};

template <class Scalar>
std::vector<NamedMatrix<Scalar>> square_samples() {
  std::vector<NamedMatrix<Scalar>> samples;
  for (const std::int64_t n : {0, 1, 2, 31, 64, 257}) {
    const std::string size = ", n = " + std::to_string(n);
    samples.push_back({"tridiagonal" + size, banded_matrix<Scalar>(n, n, 1, 1, 3)});
    samples.push_back({"band" + size, banded_matrix<Scalar>(n, n, 9, 4, 4)});
    if (n > 2)
      samples.push_back({"random diagonals" + size,
                         diagonal_matrix<Scalar>(n, n, random_offsets(n, n, std::min<std::int64_t>(n, 21), 5), 6)});
  }
  samples.push_back({"long", banded_matrix<Scalar>(2500, 2500, 1, 2, 4)});
  samples.push_back({"corners", diagonal_matrix<Scalar>(90, 90, {-89, -88, 0, 1, 89}, 3)});
  samples.push_back({"7-point box", diagonal_matrix<Scalar>(700, 700, {-100, -10, -1, 0, 1, 10, 100}, 8)});
  samples.push_back({"pairs and threes", diagonal_matrix<Scalar>(300, 300, {-41, -40, -2, -1, 0, 50, 51, 52, 53}, 8)});
  samples.push_back({"more diagonals than a team has threads", banded_matrix<Scalar>(400, 400, 160, 150, 3)});
  samples.push_back({"dense", random_matrix<Scalar>(37, 37, 37, 3)});
  samples.push_back({"nothing", from_rows<Scalar>(20, std::vector<std::vector<std::int64_t>>(20))});
  return samples;
}

template <class Scalar>
std::vector<NamedMatrix<Scalar>> rectangular_samples() {
  std::vector<NamedMatrix<Scalar>> samples;
  const std::int64_t extents[][2] = {{5, 9}, {70, 3}, {3, 600}, {1, 100}, {100, 1}, {65, 129}, {0, 4}, {4, 0}};
  for (const auto& [m, n] : extents) {
    const std::string size = ", " + std::to_string(m) + " x " + std::to_string(n);
    samples.push_back({"band" + size, banded_matrix<Scalar>(m, n, 3, 4, 3)});
    if (m * n > 0)
      samples.push_back(
          {"random diagonals" + size,
           diagonal_matrix<Scalar>(m, n, random_offsets(m, n, std::min<std::int64_t>(m + n - 1, 11), 5), 6)});
  }
  return samples;
}

inline constexpr Op block_ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};

template <class Types>
class DiagonalBlocks : public testing::Test {
 public:
  using Scalar = typename Types::Scalar;
  using Matrix = typename Types::Matrix;
  using Exec   = typename Types::Exec;
  using Device = typename Exec::device_type;

  static auto hm(const HostMatrix<Scalar>& A) { return to_hm(Exec(), make_crs<Matrix>(A), {.fill_limit = 0}); }
  static auto cdm(const HostMatrix<Scalar>& A, CdmForm form = CdmForm::sparse) {
    return to_cdm(Exec(), make_crs<Matrix>(A), {.fill_limit = 0, .form = form});
  }

  /// By a plan, twice with the same bits, and without one.
  template <class Format>
  static void check(const NamedMatrix<Scalar>& sample, const Format& A, const std::string& what,
                    const SpmmCase<Scalar>& call) {
    const Exec exec;
    const SpmmPlan plan(exec, A, {.op = call.op, .columns = call.columns});
    std::vector<Scalar> first;
    for (int times = 0; times < 2; ++times)
      check_spmm<Device>(sample, call, what, [&](const auto& now, const auto& B, const auto& C) {
        spmm(exec, plan, now.alpha, B, now.beta, C);
        exec.fence();
        const auto bits = to_row_major(C);
        if (times == 0)
          first = bits;
        else
          EXPECT_TRUE(first == bits) << sample.name << ", " << what << ": other bits";
      });
    if (call.op == Op::none)
      check_spmm<Device>(sample, call, what + ", one shot", [&](const auto& now, const auto& B, const auto& C) {
        spmm(exec, now.alpha, A, B, now.beta, C);
      });
  }

  template <class Format>
  static void check_vectors(const NamedMatrix<Scalar>& sample, const Format& A, Op op, const std::string& what) {
    const Exec exec;
    const SpmvPlan plan(exec, A, {.op = op});
    const SpmmCase<Scalar> straight{.op = op};
    const SpmmCase<Scalar> scaled{
        .op = op, .alpha = Scalar(-2.5), .beta = Scalar(0.75), .b = Storage::spread, .c = Storage::spread};
    for (const auto& call : {straight, scaled}) {
      check_spmm<Device>(sample, call, what + ", vectors", [&](const auto& now, const auto& B, const auto& C) {
        spmv(exec, plan, now.alpha, Kokkos::subview(B, Kokkos::ALL, 0), now.beta, Kokkos::subview(C, Kokkos::ALL, 0));
      });
      if (op == Op::none)
        check_spmm<Device>(sample, call, what + ", vectors, one shot",
                           [&](const auto& now, const auto& B, const auto& C) {
                             spmv(exec, now.alpha, A, Kokkos::subview(B, Kokkos::ALL, 0), now.beta,
                                  Kokkos::subview(C, Kokkos::ALL, 0));
                           });
    }
  }
};
TYPED_TEST_SUITE_P(DiagonalBlocks);

TYPED_TEST_P(DiagonalBlocks, Vectors) {
  using Scalar = typename TypeParam::Scalar;
  for (const Op op : block_ops) {
    for (const auto& sample : square_samples<Scalar>()) {
      this->check_vectors(sample, this->hm(sample.matrix), op, "HM");
      this->check_vectors(sample, this->cdm(sample.matrix), op, "CDM");
      if (sample.matrix.rows < 100)
        this->check_vectors(sample, this->cdm(sample.matrix, CdmForm::dense), op, "dense CDM");
    }
    for (const auto& sample : rectangular_samples<Scalar>())
      this->check_vectors(sample, this->hm(sample.matrix), op, "HM");
  }
}

TYPED_TEST_P(DiagonalBlocks, BlocksOfEveryWidth) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto& sample : square_samples<Scalar>()) {
    const auto hm  = this->hm(sample.matrix);
    const auto cdm = this->cdm(sample.matrix);
    for (const std::int64_t columns : {0, 2, 4, 8, 33, 132}) {
      if (sample.matrix.nonzeros() * columns > 100000) continue;
      for (const Storage layout : {Storage::rows, Storage::columns, Storage::even_columns}) {
        this->check(sample, hm, "HM", {.columns = columns, .b = layout, .c = layout});
        this->check(sample, cdm, "CDM", {.columns = columns, .b = layout, .c = layout});
      }
    }
  }
}

TYPED_TEST_P(DiagonalBlocks, EveryOpAndLayout) {
  using Scalar = typename TypeParam::Scalar;
  const Scalar alpha(-1.5), beta(0.25);
  for (const std::int64_t columns : {8, 13})
    for (const Op op : block_ops)
      for (const Storage b : storages)
        for (const Storage c : storages) {
          const SpmmCase<Scalar> call{.columns = columns, .op = op, .alpha = alpha, .beta = beta, .b = b, .c = c};
          const NamedMatrix<Scalar> square{
              "square", diagonal_matrix<Scalar>(150, 150, {-90, -31, -30, -1, 0, 1, 2, 3, 4, 5, 60, 149}, 3)};
          this->check(square, this->hm(square.matrix), "HM", call);
          this->check(square, this->cdm(square.matrix), "CDM", call);
          const NamedMatrix<Scalar> wide{"wide", diagonal_matrix<Scalar>(60, 143, {-59, -2, -1, 0, 7, 80, 142}, 3)};
          this->check(wide, this->hm(wide.matrix), "HM", call);
        }
}

/// A plan of CSR that compiles this algorithm alone.
template <class Matrix>
using PlanOfDiagonals =
    SpmmPlan<Matrix, typename Matrix::execution_space, Impl::SpmmOperationOf<Impl::AlgorithmList<Impl::SpmmDiagonals>>>;

// What CSR does not have is not multiplied, though its diagonals hold 0 there.
TYPED_TEST_P(DiagonalBlocks, CrsAsDiagonalsKeepsInfAndNanWhereTheyBelong) {
  using Scalar = typename TypeParam::Scalar;
  using Matrix = typename TypeParam::Matrix;
  using Real   = typename RealOf<Scalar>::type;
  using Device = typename TypeParam::Exec::device_type;
  // Every third row lacks its neighbours.
  std::vector<std::vector<std::int64_t>> rows(200);
  for (std::int64_t i = 0; i < 200; ++i) {
    rows[static_cast<std::size_t>(i)].push_back(i);
    if (i % 3 != 0 && i + 1 < 200) rows[static_cast<std::size_t>(i)].push_back(i + 1);
  }
  const auto host    = from_rows<Scalar>(200, rows);
  const Scalar bad[] = {Scalar(std::numeric_limits<Real>::quiet_NaN()), Scalar(std::numeric_limits<Real>::infinity())};
  for (const std::int64_t columns : {1, 6, 16})
    for (const Storage layout : {Storage::rows, Storage::columns}) {
      std::vector<Scalar> b(static_cast<std::size_t>(200 * columns), Scalar(1));
      for (const std::int64_t i : {4, 7, 100}) b[static_cast<std::size_t>(i * columns)] = bad[i % 2];
      const TestBlock<Scalar, Device> B(layout, 200, columns, b),
          C(layout, 200, columns, std::vector<Scalar>(b.size(), Scalar(0)));
      const PlanOfDiagonals<Matrix> plan(make_crs<Matrix>(host),
                                         {.columns = columns, .algorithm = SpmmAlgorithm::diagonals});
      spmm(plan, 1, B.view, 0, C.view);
      const auto c = to_row_major(C.view);
      for (std::int64_t i = 0; i < 200; ++i) {
        bool reached = i == 4 || i == 7 || i == 100;
        for (const std::int64_t j : {4, 7, 100}) reached = reached || (i + 1 == j && i % 3 != 0);
        for (std::int64_t j = 0; j < columns; ++j)
          EXPECT_EQ(Impl::is_finite(c[static_cast<std::size_t>(i * columns + j)]), !(reached && j == 0))
              << i << ", " << j << " of " << columns;
      }
    }
}

REGISTER_TYPED_TEST_SUITE_P(DiagonalBlocks, Vectors, BlocksOfEveryWidth, EveryOpAndLayout,
                            CrsAsDiagonalsKeepsInfAndNanWhereTheyBelong);

}  // namespace lacuna::Test

#endif
