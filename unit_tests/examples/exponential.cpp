// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "example.hpp"
#include "kokkos_kernels.hpp"

#include <Lacuna_Diagonal.hpp>
#include <Lacuna_Generators.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief The exponential of t H for a particle that hops along a chain, H = tridiag(1, -2, 1): where it may be after
/// the time t. Everything is a band, so that matrices are stored by diagonals: Taylor's series of t H / 8, then three
/// squares.
///
///     example_exponential [sites, 2000]

using namespace example;

namespace {

using Hm = lacuna::HmOf<Matrix>;

constexpr int terms = 12, squarings = 3;

/// t H in CSR.
Matrix chain(const Execution& exec, int sites, double t) {
  const auto H = lacuna::generate<Matrix>(exec, "banded:half=1,n=" + std::to_string(sites));
  Kokkos::parallel_for(
      "chain", Kokkos::RangePolicy<Execution>(exec, 0, sites), KOKKOS_LAMBDA(int row) {
        for (int k = H.graph.row_map(row); k < H.graph.row_map(row + 1); ++k)
          H.values(k) = H.graph.entries(k) == row ? -2 * t : t;
      });
  return H;
}

/// A matrix with the diagonals of X, and elements of its own.
Hm copy(const Execution& exec, const Hm& X) {
  Hm result   = X;
  result.list = Vector("list", X.list.extent(0));
  Kokkos::deep_copy(exec, result.list, X.list);
  return result;
}

/// X = X + 1. The main diagonal comes first in the list.
void add_identity(const Execution& exec, const Hm& X) {
  Kokkos::parallel_for(
      "identity", Kokkos::RangePolicy<Execution>(exec, 0, X.rows), KOKKOS_LAMBDA(int i) { X.list(i) += 1; });
}

/// A product left right and the plan of it, which serves for all values on the same diagonals.
struct Product {
  Hm left, right, result;
  lacuna::DiagonalPlan<Hm> plan;

  static Product of(const Execution& exec, const Hm& left, const Hm& right) {
    //! [plan]
    const auto diagonals = lacuna::product_diagonals(lacuna::Op::none, left, lacuna::Op::none, right);
    const auto result    = lacuna::make_hm<Hm>(exec, left.rows, right.columns, diagonals);
    lacuna::DiagonalPlan plan(exec, lacuna::Op::none, left, lacuna::Op::none, right, result);
    //! [plan]
    return {left, right, result, std::move(plan)};
  }
};

/// exp(X) for tridiagonal X: all products are planned once.
class Exponential {
 public:
  Exponential(const Execution& exec, const Hm& X) : m_scaled(copy(exec, X)) {
    // By Horner's rule: 1 + X (1 + X / 2 (1 + X / 3 (…))), each sum with one diagonal more on either side.
    Hm sum = m_innermost = copy(exec, X);
    for (int k = terms - 1; k >= 1; --k) {
      m_products.push_back(Product::of(exec, m_scaled, sum));
      sum = m_products.back().result;
    }
    for (int k = 0; k < squarings; ++k) {
      m_products.push_back(Product::of(exec, sum, sum));
      sum = m_products.back().result;
    }
  }

  /// exp(X) for other values of X. Nothing is allocated.
  const Hm& compute(const Execution& exec, const Hm& X) const {
    const double scale = 1.0 / (1 << squarings);
    axpby(exec, scale, X.list, 0, m_scaled.list);
    axpby(exec, scale / terms, X.list, 0, m_innermost.list);
    add_identity(exec, m_innermost);
    for (std::size_t k = 0; k < m_products.size(); ++k) {
      //! [product]
      const Product& product = m_products[k];
      const bool is_horner   = k + 1 < terms;
      const double alpha     = is_horner ? 1.0 / (terms - 1 - static_cast<double>(k)) : 1.0;
      lacuna::gemm(exec, product.plan, alpha, product.left, product.right, 0.0, product.result);
      //! [product]
      if (is_horner) add_identity(exec, product.result);
    }
    return m_products.back().result;
  }

 private:
  Hm m_scaled, m_innermost;
  std::vector<Product> m_products;
};

/// The largest error in some rows: e^{tH} is known from the eigenvectors of H, which are sines.
double largest_error(const Hm& E, double t) {
  const auto list   = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), E.list);
  const auto starts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), E.StartDg);
  const int n       = E.rows;
  const double step = std::acos(-1.0) / (n + 1);
  const auto sine   = [&](int k, int i) {  // of k (i + 1) steps, whose whole turns are taken off
    return std::sin(step * static_cast<double>(std::int64_t{k} * (i + 1) % (2 * std::int64_t{n} + 2)));
  };
  double largest = 0;
  for (const int i : {0, n / 3, n / 2, n - 1})
    for (std::size_t d = 0; d < E.host_Ds.extent(0); d += 7) {
      const int j = i + E.host_Ds(d);
      if (j < 0 || j >= n) continue;
      double expected = 0;
      for (int k = 1; k <= n; ++k) expected += sine(k, i) * sine(k, j) * std::exp(2 * t * (std::cos(k * step) - 1));
      const double error = std::abs(list(starts(d) + std::min(i, j)) - 2 * expected / (n + 1));
      if (!(error <= largest)) largest = error;
    }
  return largest;
}

/// The same steps in CSR by Kokkos Kernels, for X = t H / 8.
class TheirExponential {
 public:
  TheirExponential(const Matrix& X, const Matrix& identity) {
    m_sums.emplace_back(identity, X);
    Matrix E = m_sums.back().compute(1, 1.0 / terms);
    for (int k = terms - 1; k >= 1; --k) {
      m_products.emplace_back(X, E);
      m_sums.emplace_back(identity, m_products.back().compute());
      E = m_sums.back().compute(1, 1.0 / k);
    }
    for (int k = 0; k < squarings; ++k) {
      m_products.emplace_back(E, E);
      E = m_products.back().compute();
    }
  }
  void compute() {
    m_sums[0].compute(1, 1.0 / terms);
    for (std::size_t k = 0; k < m_products.size(); ++k) {
      m_products[k].compute();
      if (k + 1 < terms) m_sums[k + 1].compute(1, 1.0 / (terms - 1 - static_cast<double>(k)));
    }
  }

 private:
  std::vector<kokkos_kernels::Product> m_products;
  std::vector<kokkos_kernels::Sum> m_sums;
};

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Execution exec;
  const int sites = std::max(size_argument(argc, argv, 2000), 2 * terms << squarings);
  const Hm X      = lacuna::to_hm(exec, chain(exec, sites, 1));
  const Exponential exponential(exec, X);
  double error = 0;
  for (const double t : {0.25, 0.6, 1.0}) {
    const Hm tH = lacuna::to_hm(exec, chain(exec, sites, t));
    error       = std::max(error, largest_error(exponential.compute(exec, tH), t));
  }
  const Hm& E = exponential.compute(exec, X);
  std::printf("%d sites, %d diagonals of the exponential, error up to %.1e\n", sites, static_cast<int>(E.dg()), error);
  const bool right = check("elements are those that the eigenvectors give", error < 1e-12);

  const Matrix scaled   = chain(exec, sites, 1.0 / (1 << squarings));
  const Matrix identity = lacuna::generate<Matrix>(exec, "diagonal:n=" + std::to_string(sites));
  Kokkos::deep_copy(exec, identity.values, 1.0);
  print_times_header();
  print_times("plans and the first exponential", least_seconds(2, exec, [&] { Exponential(exec, X).compute(exec, X); }),
              least_seconds(2, exec, [&] { TheirExponential(scaled, identity); }));
  TheirExponential theirs(scaled, identity);
  print_times("another, on the same diagonals", least_seconds(3, exec, [&] { exponential.compute(exec, X); }),
              least_seconds(3, exec, [&] { theirs.compute(); }));
  return right ? 0 : 1;
}
