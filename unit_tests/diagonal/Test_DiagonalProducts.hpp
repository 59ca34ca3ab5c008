// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_DIAGONALPRODUCTS_HPP
#define LACUNA_TEST_DIAGONALPRODUCTS_HPP

#include <diagonal/Diagonal_Check.hpp>

#include <set>

/// \file
/// \brief What every algorithm and type of products in diagonal storage is tested for.

namespace lacuna::Test {

template <class ScalarType, class OrdinalType, class OffsetType>
struct ProductTypes {
  using Scalar = ScalarType;
  using Exec   = Kokkos::DefaultExecutionSpace;
  using Matrix = KokkosSparse::CrsMatrix<ScalarType, OrdinalType, Exec::device_type, void, OffsetType>;
};

template <class Scalar>
struct Factors {
  std::string name;
  HostMatrix<Scalar> A;
  HostMatrix<Scalar> B;
};

/// Square pairs: HM and CDM.
template <class Scalar>
std::vector<Factors<Scalar>> square_factors() {
  std::vector<Factors<Scalar>> pairs;
  for (const std::int64_t n : {0, 1, 2, 3, 17, 64, 130}) {
    const std::string size = ", n = " + std::to_string(n);
    pairs.push_back({"tridiagonal" + size, banded_matrix<Scalar>(n, n, 1, 1, 3), banded_matrix<Scalar>(n, n, 1, 1, 4)});
    pairs.push_back({"bands" + size, banded_matrix<Scalar>(n, n, 5, 2, 3), banded_matrix<Scalar>(n, n, 0, 7, 4)});
    if (n > 2)
      pairs.push_back({"random diagonals" + size,
                       diagonal_matrix<Scalar>(n, n, random_offsets(n, n, std::min<std::int64_t>(n, 19), 5), 6),
                       diagonal_matrix<Scalar>(n, n, random_offsets(n, n, std::min<std::int64_t>(n, 13), 7), 8)});
  }
  pairs.push_back({"dense", random_matrix<Scalar>(37, 37, 37, 3), random_matrix<Scalar>(37, 37, 37, 5)});
  pairs.push_back(
      {"triangular and Hessenberg", banded_matrix<Scalar>(45, 45, 0, 44, 3), banded_matrix<Scalar>(45, 45, 1, 44, 5)});
  pairs.push_back(
      {"corners", diagonal_matrix<Scalar>(90, 90, {-89, -88, 0, 1, 89}, 3), banded_matrix<Scalar>(90, 90, 2, 2, 5)});
  pairs.push_back(
      {"wide bands", banded_matrix<Scalar>(301, 301, 40, 33, 3), banded_matrix<Scalar>(301, 301, 21, 50, 4)});
  pairs.push_back({"nothing in A", from_rows<Scalar>(20, std::vector<std::vector<std::int64_t>>(20)),
                   banded_matrix<Scalar>(20, 20, 2, 2)});
  return pairs;
}

/// Pairs of any extents, so that op_a, op_b = none: HM alone.
template <class Scalar>
std::vector<Factors<Scalar>> rectangular_factors() {
  std::vector<Factors<Scalar>> pairs;
  const std::int64_t extents[][3] = {{5, 9, 7},     {40, 3, 50}, {3, 60, 2}, {1, 100, 1}, {100, 1, 100},
                                     {65, 129, 33}, {0, 4, 3},   {4, 0, 3},  {4, 3, 0}};
  for (const auto& [m, k, n] : extents) {
    const std::string size = ", " + std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n);
    pairs.push_back({"bands" + size, banded_matrix<Scalar>(m, k, 3, 4, 3), banded_matrix<Scalar>(k, n, 2, 3, 4)});
    if (m + k > 1 && k + n > 1 && m * k * n > 0)
      pairs.push_back({"random diagonals" + size, diagonal_matrix<Scalar>(m, k, random_offsets(m, k, 11, 5), 6),
                       diagonal_matrix<Scalar>(k, n, random_offsets(k, n, 9, 7), 8)});
  }
  return pairs;
}

template <class Scalar>
HostMatrix<Scalar> turned(const HostMatrix<Scalar>& A, bool conjugated) {
  std::vector<std::vector<std::int64_t>> columns(static_cast<std::size_t>(A.columns));
  HostMatrix<Scalar> result;
  result.rows    = A.columns;
  result.columns = A.rows;
  for (std::int64_t j = 0; j < A.columns; ++j) {
    for (std::int64_t i = 0; i < A.rows; ++i)
      for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(i) + 1]); ++k)
        if (A.entries[k] == j) {
          result.entries.push_back(i);
          result.values.push_back(conjugated ? Impl::conjugate(A.values[k]) : A.values[k]);
        }
    result.row_map.push_back(result.nonzeros());
  }
  return result;
}

/// Element k becomes a small number of its own.
template <class Scalar>
struct Numbered {
  Scalar* list;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { list[k] = Scalar(static_cast<double>(k % 17) - 5); }
};

inline constexpr Op ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};

template <class Types>
class DiagonalProducts : public testing::Test {
 public:
  using Scalar = typename Types::Scalar;
  using Matrix = typename Types::Matrix;
  using Exec   = typename Types::Exec;

  static auto hm(const HostMatrix<Scalar>& A) { return to_hm(Exec(), make_crs<Matrix>(A), {.fill_limit = 0}); }
  static auto cdm(const HostMatrix<Scalar>& A, CdmForm form = CdmForm::sparse) {
    return to_cdm(Exec(), make_crs<Matrix>(A), {.fill_limit = 0, .form = form});
  }

  /// The same without the array that finds diagonals at once, as `to_hm` makes it where it would be most of the matrix.
  template <class Format>
  static Format searched(Format X) {
    X.DiagDense = {};
    return X;
  }

  /// The algorithms that served something.
  static std::set<DiagonalAlgorithm>& served() {
    static std::set<DiagonalAlgorithm> algorithms;
    return algorithms;
  }

  /// op(A) op(B) by every algorithm that serves it, twice into poisoned memory: right, and the same bits. C is found by
  /// search where A is.
  template <class Format>
  static void check(const std::string& what, Op op_a, const Format& A, Op op_b, const Format& B,
                    const DenseProduct<Scalar>& expected) {
    const Exec exec;
    Format C = gemm(exec, op_a, A, op_b, B);
    exec.fence();
    expect_near<Scalar>(dense_of(C), expected, what + ", automatic");
    if (A.DiagDense.extent(0) == 0) C = searched(C);
    for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
      const std::string by = what + ", " + std::string(name(algorithm));
      try {
        fill_nan(C.list);
        gemm(exec, op_a, A, op_b, B, C, {.algorithm = algorithm});
        exec.fence();
      } catch (const NotSupported&) {
        continue;
      }
      served().insert(algorithm);
      expect_near<Scalar>(dense_of(C), expected, by);
      if (algorithm == DiagonalAlgorithm::entries || algorithm == DiagonalAlgorithm::entries_by_case) continue;
      const auto before = to_vector(C.list);
      fill_nan(C.list);
      gemm(exec, op_a, A, op_b, B, C, {.algorithm = algorithm, .deterministic = true});
      exec.fence();
      EXPECT_TRUE(before == to_vector(C.list)) << by << ": other bits";
    }
  }
};
TYPED_TEST_SUITE_P(DiagonalProducts);

TYPED_TEST_P(DiagonalProducts, SquareWithEveryOp) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto& [name, A, B] : square_factors<Scalar>())
    for (const Op op_a : ops)
      for (const Op op_b : ops) {
        const DenseProduct<Scalar> expected(dense(op_a, A), dense(op_b, B));
        const std::string what =
            name + ", op_a " + std::string(lacuna::name(op_a)) + ", op_b " + std::string(lacuna::name(op_b));
        this->check("HM " + what, op_a, this->hm(A), op_b, this->hm(B), expected);
        this->check("CDM " + what, op_a, this->cdm(A), op_b, this->cdm(B), expected);
        if (A.rows < 50)
          this->check("dense CDM " + what, op_a, this->cdm(A, CdmForm::dense), op_b, this->cdm(B, CdmForm::dense),
                      expected);
      }
  for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
    const bool engine = std::is_same_v<Scalar, double> && Impl::runs_lane_kernels<typename TypeParam::Exec>;
    if (algorithm == DiagonalAlgorithm::band && !engine) continue;
    const bool for_lanes = algorithm == DiagonalAlgorithm::strips || algorithm == DiagonalAlgorithm::window;
    if (for_lanes && !Impl::runs_lane_kernels<typename TypeParam::Exec>) continue;
    EXPECT_TRUE(this->served().contains(algorithm)) << lacuna::name(algorithm) << " served nothing";
  }
}

TYPED_TEST_P(DiagonalProducts, RectangularWithEveryOp) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto& [name, A, B] : rectangular_factors<Scalar>()) {
    const DenseProduct<Scalar> expected(dense(Op::none, A), dense(Op::none, B));
    for (const Op op_a : ops)
      for (const Op op_b : ops) {
        const auto stored = [&](Op op, const HostMatrix<Scalar>& X) {
          return this->hm(op == Op::none ? X : turned(X, op == Op::conjugate_transpose));
        };
        const std::string what =
            name + ", op_a " + std::string(lacuna::name(op_a)) + ", op_b " + std::string(lacuna::name(op_b));
        this->check(what, op_a, stored(op_a, A), op_b, stored(op_b, B), expected);
        this->check(what + ", searched", op_a, this->searched(stored(op_a, A)), op_b, this->searched(stored(op_b, B)),
                    expected);
      }
  }
}

TYPED_TEST_P(DiagonalProducts, AlphaBetaAndMoreDiagonals) {
  using Scalar = typename TypeParam::Scalar;
  using Exec   = typename TypeParam::Exec;
  const Exec exec;
  const auto A = banded_matrix<Scalar>(70, 70, 3, 2, 3), B = banded_matrix<Scalar>(70, 70, 1, 2, 4);
  const Scalar alpha(-1.5), beta(0.25);
  const DenseProduct<Scalar> product(dense(Op::transpose, A), dense(Op::none, B));
  for (const std::int64_t more : {0, 3}) {  // the product has -3 … 5
    const auto before = banded_matrix<Scalar>(70, 70, 3 + more, 5 + more, 9);
    auto expected     = product;
    const auto held   = dense(Op::none, before);
    for (std::size_t k = 0; k < held.values.size(); ++k) {
      expected.sum.values[k]       = widen(alpha) * product.sum.values[k] + widen(beta) * held.values[k];
      expected.magnitude.values[k] = std::abs(widen(alpha)) * product.magnitude.values[k] + std::abs(held.values[k]);
    }
    const auto check = [&](const auto& a, const auto& b, const auto& make) {
      for (const DiagonalAlgorithm algorithm : diagonal_algorithms) {
        const auto C = make();
        try {
          gemm(exec, alpha, Op::transpose, a, Op::none, b, beta, C, {.algorithm = algorithm});
        } catch (const NotSupported&) {
          continue;
        }
        exec.fence();
        expect_near<Scalar>(dense_of(C), expected,
                            std::string(name(algorithm)) + ", " + std::to_string(more) + " more");
        fill_nan(C.list);
        gemm(exec, Op::transpose, a, Op::none, b, C, {.algorithm = algorithm});
        exec.fence();
        expect_near<Scalar>(dense_of(C), product, std::string(name(algorithm)) + ", beta = 0");
      }
    };
    check(this->hm(A), this->hm(B), [&] { return this->hm(before); });
    check(this->cdm(A), this->cdm(B), [&] { return this->cdm(before); });
  }
}

TYPED_TEST_P(DiagonalProducts, SyrkAndSyr2k) {
  using Scalar = typename TypeParam::Scalar;
  const auto A = diagonal_matrix<Scalar>(61, 44, {-50, -3, 0, 1, 20, 43}, 3);
  const auto B = diagonal_matrix<Scalar>(61, 44, {-7, -3, 2, 19}, 4);
  const auto S = diagonal_matrix<Scalar>(61, 61, {-50, -3, 0, 1, 20, 43}, 3);
  const auto T = diagonal_matrix<Scalar>(61, 61, {-7, -3, 2, 19}, 4);
  for (const Op op : ops) {
    const Op second = op == Op::none ? Op::transpose : Op::none;
    const auto sum  = [&](const HostMatrix<Scalar>& X, const HostMatrix<Scalar>& Y) {
      DenseProduct<Scalar> both(dense(op, X), dense(second, Y));
      const DenseProduct<Scalar> other(dense(op, Y), dense(second, X));
      for (std::size_t k = 0; k < both.sum.values.size(); ++k) {
        both.sum.values[k] += other.sum.values[k];
        both.magnitude.values[k] += other.magnitude.values[k];
      }
      return both;
    };
    const std::string what(name(op));
    expect_near<Scalar>(dense_of(syrk(op, this->hm(A))), DenseProduct<Scalar>(dense(op, A), dense(second, A)),
                        "syrk, HM, " + what);
    expect_near<Scalar>(dense_of(syrk(op, this->cdm(S))), DenseProduct<Scalar>(dense(op, S), dense(second, S)),
                        "syrk, CDM, " + what);
    expect_near<Scalar>(dense_of(syr2k(op, this->hm(A), this->hm(B))), sum(A, B), "syr2k, HM, " + what);
    expect_near<Scalar>(dense_of(syr2k(op, this->cdm(S), this->cdm(T))), sum(S, T), "syr2k, CDM, " + what);
    EXPECT_TRUE(to_vector(syrk(op, this->hm(A)).list) == to_vector(syrk(op, this->hm(A)).list)) << what;
    EXPECT_TRUE(to_vector(syr2k(op, this->cdm(S), this->cdm(T)).list) ==
                to_vector(syr2k(op, this->cdm(S), this->cdm(T)).list))
        << what;
  }
}

/// Updates of a C that is there, which is not symmetric before and has diagonals that the product has not.
TYPED_TEST_P(DiagonalProducts, SymmetricUpdates) {
  using Scalar = typename TypeParam::Scalar;
  using Exec   = typename TypeParam::Exec;
  using Values = std::vector<Wide<Scalar>>;
  const Exec exec;
  Scalar alpha(-1.5);
  if constexpr (is_complex<Scalar>) alpha = Scalar(-1.5, 0.5);
  const Scalar beta(0.25);
  const auto A = diagonal_matrix<Scalar>(61, 61, {-50, -3, 0, 1, 20, 43}, 3);
  const auto B = diagonal_matrix<Scalar>(61, 61, {-7, -3, 2, 19}, 4);
  for (const Op op : ops) {
    const Op second       = op == Op::none ? Op::transpose : Op::none;
    const Scalar of_other = op == Op::conjugate_transpose ? Impl::conjugate(alpha) : alpha;
    const auto scaled     = [&](const Scalar& factor, DenseProduct<Scalar> product) {
      for (auto& value : product.sum.values) value *= widen(factor);
      for (auto& value : product.magnitude.values) value *= std::abs(widen(factor));
      return product;
    };
    const auto plus = [&](DenseProduct<Scalar> sum, const Values& more, const std::vector<double>& magnitude) {
      for (std::size_t k = 0; k < more.size(); ++k) {
        sum.sum.values[k] += more[k];
        sum.magnitude.values[k] += magnitude[k];
      }
      return sum;
    };
    const auto rank_k   = scaled(alpha, DenseProduct<Scalar>(dense(op, A), dense(second, A)));
    const auto other    = scaled(of_other, DenseProduct<Scalar>(dense(op, B), dense(second, A)));
    const auto rank_two = plus(scaled(alpha, DenseProduct<Scalar>(dense(op, A), dense(second, B))), other.sum.values,
                               other.magnitude.values);
    const auto check    = [&](const auto& stored, const auto& make, const std::string& what) {
      const auto a = stored(A), b = stored(B);
      auto diagonals = syr2k_diagonals(op, a, b);
      EXPECT_EQ(syrk_diagonals(op, a), product_diagonals(op, a, second, a));
      for (const auto d : syrk_diagonals(op, a)) diagonals.push_back(d);
      for (const bool more : {false, true}) {
        if (more) diagonals.push_back(37);
        std::sort(diagonals.begin(), diagonals.end());
        diagonals.erase(std::unique(diagonals.begin(), diagonals.end()), diagonals.end());
        for (const Scalar& now : {beta, Scalar(0)}) {
          const auto updated = [&](const DenseProduct<Scalar>& product, const auto& update, const std::string& name) {
            const auto C = make(diagonals);
            Impl::for_each_index(exec, "test::number", static_cast<std::int64_t>(C.list.extent(0)),
                                    Numbered<Scalar>{C.list.data()});
            exec.fence();
            auto before = dense_of(C).values;
            if (now == Scalar(0)) fill_nan(C.list);
            std::vector<double> size;
            for (auto& value : before) size.push_back(std::abs(value *= widen(now)));
            update(C, now);
            exec.fence();
            expect_near<Scalar>(dense_of(C), plus(product, before, size), name);
          };
          const std::string by =
              what + std::string(lacuna::name(op)) + (more ? ", more" : "") + (now == beta ? "" : ", beta = 0");
          updated(
                 rank_k, [&](const auto& C, const Scalar& x) { syrk(exec, alpha, op, a, x, C); }, "syrk, " + by);
          updated(
                 rank_two, [&](const auto& C, const Scalar& x) { syr2k(alpha, op, a, b, x, C); }, "syr2k, " + by);
        }
      }
    };
    using Hm  = decltype(this->hm(A));
    using Cdm = decltype(this->cdm(A));
    check([&](const auto& X) { return this->hm(X); }, [&](const auto& list) { return make_hm<Hm>(exec, 61, 61, list); },
          "HM, ");
    check([&](const auto& X) { return this->cdm(X); }, [&](const auto& list) { return make_cdm<Cdm>(exec, 61, list); },
          "CDM, ");
  }
}

REGISTER_TYPED_TEST_SUITE_P(DiagonalProducts, SquareWithEveryOp, RectangularWithEveryOp, AlphaBetaAndMoreDiagonals,
                            SyrkAndSyr2k, SymmetricUpdates);

}  // namespace lacuna::Test

#endif
