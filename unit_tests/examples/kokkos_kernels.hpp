// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EXAMPLE_KOKKOS_KERNELS_HPP
#define LACUNA_EXAMPLE_KOKKOS_KERNELS_HPP

#include "example.hpp"

#include <memory>

/// \file
/// \brief The products and sums of the examples by Kokkos Kernels, to print its times beside ours. Compiled once.

namespace example::kokkos_kernels {

/// y = alpha A x + beta y
void spmv(const Execution& exec, double alpha, const Matrix& A, const Vector& x, double beta, const Vector& y);

/// C = alpha A B + beta C, by `KokkosSparse::spmv` of several vectors
void spmm(const Execution& exec, double alpha, const Matrix& A, const BlockOf<double>& B, double beta,
          const BlockOf<double>& C);
void spmm(const Execution& exec, float alpha, const FloatMatrix& A, const BlockOf<float>& B, float beta,
          const BlockOf<float>& C);

/// C = A B: the symbolic part when it is made, the numeric part as often as values change. On the default instance.
class Product {
 public:
  Product(const Matrix& A, const Matrix& B);
  ~Product();
  Product(Product&&) noexcept;

  /// Computes the values of C.
  const Matrix& compute();
  const Matrix& result() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// C = alpha A + beta B: as above, for A and B with sorted rows.
class Sum {
 public:
  Sum(const Matrix& A, const Matrix& B);
  ~Sum();
  Sum(Sum&&) noexcept;

  const Matrix& compute(double alpha, double beta);
  const Matrix& result() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// A B in one call.
inline Matrix spgemm(const Matrix& A, const Matrix& B) { return Product(A, B).compute(); }

/// Triangles of a graph, whose adjacency matrix A has no diagonal, by `KokkosGraph::Experimental::triangle_generic`. On
/// hosts alone: it sorts rows by length in the memory of the host. -1 elsewhere.
double count_triangles(const Matrix& A);

}  // namespace example::kokkos_kernels

#endif
