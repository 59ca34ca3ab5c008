// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include "kokkos_kernels.hpp"

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spadd.hpp>
#include <KokkosSparse_spgemm.hpp>
#include <KokkosSparse_spmv.hpp>

#include <iostream>

#if __has_include(<KokkosGraph_Triangle.hpp>)
#define EXAMPLE_HAS_TRIANGLES
#include <KokkosGraph_Triangle.hpp>
#endif

namespace example::kokkos_kernels {

namespace {

using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Execution, Device::memory_space,
                                                                Device::memory_space>;

}  // namespace

void spmv(const Execution& exec, double alpha, const Matrix& A, const Vector& x, double beta, const Vector& y) {
  KokkosSparse::spmv(exec, "N", alpha, A, x, beta, y);
}

void spmm(const Execution& exec, double alpha, const Matrix& A, const BlockOf<double>& B, double beta,
          const BlockOf<double>& C) {
  KokkosSparse::spmv(exec, "N", alpha, A, B, beta, C);
}

void spmm(const Execution& exec, float alpha, const FloatMatrix& A, const BlockOf<float>& B, float beta,
          const BlockOf<float>& C) {
  KokkosSparse::spmv(exec, "N", alpha, A, B, beta, C);
}

struct Product::State {
  Matrix A, B, C;
  Handle handle;
};

Product::Product(const Matrix& A, const Matrix& B) : m_state(new State{A, B, {}, {}}) {
  m_state->handle.create_spgemm_handle(KokkosSparse::SPGEMM_KK);
  KokkosSparse::spgemm_symbolic(m_state->handle, A, false, B, false, m_state->C);
}
Product::~Product()                  = default;  // the handle frees what it has
Product::Product(Product&&) noexcept = default;

const Matrix& Product::compute() {
  KokkosSparse::spgemm_numeric(m_state->handle, m_state->A, false, m_state->B, false, m_state->C);
  return m_state->C;
}
const Matrix& Product::result() const { return m_state->C; }

struct Sum::State {
  Matrix A, B, C;
  Handle handle;
};

Sum::Sum(const Matrix& A, const Matrix& B) : m_state(new State{A, B, {}, {}}) {
  m_state->handle.create_spadd_handle(true, true);  // rows are sorted, and have every column once
  KokkosSparse::spadd_symbolic(&m_state->handle, A, B, m_state->C);
}
Sum::~Sum()              = default;
Sum::Sum(Sum&&) noexcept = default;

const Matrix& Sum::compute(double alpha, double beta) {
  KokkosSparse::spadd_numeric(&m_state->handle, alpha, m_state->A, beta, m_state->B, m_state->C);
  return m_state->C;
}
const Matrix& Sum::result() const { return m_state->C; }

#if defined(EXAMPLE_HAS_TRIANGLES) && !(defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP))

namespace {

/// Called for each node and the `set` of up to 32 others, a bit each, that its triangles have.
struct CountBits {
  Vector triangles;
  KOKKOS_FUNCTION void operator()(int row, int, int set, int) const {
    const int count = Kokkos::Experimental::popcount_builtin(static_cast<unsigned>(set));
    Kokkos::atomic_add(&triangles(row), static_cast<double>(count));
  }
};

}  // namespace

double count_triangles(const Matrix& A) {
  const Vector triangles("triangles", size(A.numRows()));
  const Columns row_map("row_map", A.graph.row_map.extent(0));
  Kokkos::deep_copy(row_map, A.graph.row_map);
  Handle handle;
  handle.create_spgemm_handle(KokkosSparse::SPGEMM_KK_TRIANGLE_LL);
  handle.get_spgemm_handle()->set_sort_lower_triangular(1);
  handle.set_dynamic_scheduling(true);
  std::cout.setstate(std::ios::failbit);  // it says that it sorts
  KokkosGraph::Experimental::triangle_generic(&handle, A.numRows(), row_map, A.graph.entries, CountBits{triangles});
  std::cout.clear();
  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy<Execution>(0, A.numRows()),
      KOKKOS_LAMBDA(int row, double& part) { part += triangles(row); }, sum);
  return sum;
}

#else

double count_triangles(const Matrix&) { return -1; }

#endif

}  // namespace example::kokkos_kernels
