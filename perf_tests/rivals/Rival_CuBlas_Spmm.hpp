// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUBLAS_SPMM_HPP
#define LACUNA_BENCH_RIVAL_CUBLAS_SPMM_HPP

#include <rivals/Rival_CuSparse.hpp>
#include <rivals/Rival_CuSparse_Formats.hpp>
#include <spmm/Bench_SpmmProblem.hpp>

#include <cublas_v2.h>

#include <limits>

namespace lacuna::bench {

inline void check_cublas(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = std::string(call) + ": " + cublasGetStatusString(status);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw OutOfMemory(text);
  throw NotSupported(text);
}

/// Adds, so that duplicates count. `dense` may be of a shorter type.
template <class Arrays, class Element>
struct ScatterRow {
  Arrays A;
  DeviceArray<Element> dense;
  std::int64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      dense(row * stride + A.entries[k]) += static_cast<Element>(A.values[k]);
  }
};

/// Rows of one block to those of another, in another type, another distance apart.
template <class Scalar, class Element>
struct ConvertElement {
  const Scalar* from;
  Element* to;
  std::int64_t columns, from_stride, to_stride;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i / columns, column = i % columns;
    to[row * to_stride + column] = static_cast<Element>(from[row * from_stride + column]);
  }
};

/// The dense product. A is row-major, so to cuBLAS its transpose: C^T = B^T A^T for row-major B and C. `Element` is
/// what A and B are stored in: where that is half precision, both in rows of a multiple of 8 elements (else cuBLAS
/// takes three times as long), sums in float; the copy of B is part of the set-up, as those who use it have B so.
/// Where N is no multiple of 8, C has padded rows too, and is copied from there: a few per cent of the time.
template <class Problem, class Element = typename Problem::Scalar>
class CuBlasSpmm final : public Implementation {
 public:
  static constexpr double largest_dense_matrix = 2.0 * 1024 * 1024 * 1024;  // bytes

  CuBlasSpmm(const Problem& problem, cublasComputeType_t compute) : m_problem(problem), m_compute(compute) {
    const double rows = static_cast<double>(problem.c_rows()), columns = static_cast<double>(problem.b_rows());
    if (rows * columns * sizeof(Element) > largest_dense_matrix)
      throw NotSupported("A would take more than 2 GiB as a dense matrix");
    constexpr double most = std::numeric_limits<int>::max();
    if (rows > most || columns > most || static_cast<double>(problem.columns) > most || rows * columns == 0)
      throw NotSupported("the sizes are not those of a dense product");
    if (row_of(problem.columns) != problem.columns && problem.beta != Factor(0))
      throw NotSupported("N is padded, and then C is not added to");
    check_cublas(cublasCreate(&m_handle), "cublasCreate");
    check_cublas(cublasSetStream(m_handle, problem.exec.cuda_stream()), "cublasSetStream");
  }
  ~CuBlasSpmm() override {
    if (m_handle != nullptr) cublasDestroy(m_handle);
  }
  CuBlasSpmm(const CuBlasSpmm&)            = delete;
  CuBlasSpmm& operator=(const CuBlasSpmm&) = delete;

  void setup() override {
    const auto A             = Impl::arrays_of(m_problem.A);
    const std::int64_t depth = m_problem.b_rows(), stride = row_of(depth);
    m_dense =
        DeviceArray<Element>(Kokkos::view_alloc(m_problem.exec, "Lacuna::bench::dense"), m_problem.c_rows() * stride);
    Kokkos::parallel_for("Lacuna::bench::dense", Rows(m_problem.exec, 0, m_problem.c_rows()),
                         ScatterRow<std::remove_cv_t<decltype(A)>, Element>{A, m_dense, stride});
    if (copies()) {
      const std::int64_t columns = m_problem.columns;
      m_b                        = DeviceArray<Element>(Kokkos::view_alloc(m_problem.exec, "Lacuna::bench::half_B"),
                                 stride * row_of(columns));  // 0 behind B
      if (row_of(columns) != columns)
        m_c = DeviceArray<Scalar>(Kokkos::view_alloc(m_problem.exec, "Lacuna::bench::padded_C"),
                                  m_problem.c_rows() * row_of(columns));
      Kokkos::parallel_for(
          "Lacuna::bench::half_B", Rows(m_problem.exec, 0, depth * columns),
          ConvertElement<Scalar, Element>{m_problem.b.data(), m_b.data(), columns, columns, row_of(columns)});
    }
  }
  void clear() override {
    m_dense = {};
    m_b     = {};
    m_c     = {};
  }

  void run() override {
    const int rows = static_cast<int>(m_problem.c_rows()), columns = static_cast<int>(m_problem.columns);
    // Padded sizes too: cuBLAS looks at them, not only at the distances of rows.
    const int inner = static_cast<int>(row_of(m_problem.b_rows())), width = static_cast<int>(row_of(columns));
    const void* b = m_problem.b.data();
    if (copies()) b = m_b.data();
    const bool padded = width != columns;
    Scalar* const c   = padded ? m_c.data() : m_problem.c.data();
    check_cublas(cublasGemmEx(m_handle, CUBLAS_OP_N, CUBLAS_OP_N, width, rows, inner, &m_alpha, b, cuda_type<Element>(),
                              width, m_dense.data(), cuda_type<Element>(), inner, &m_problem.beta, c,
                              cuda_type<Scalar>(), width, m_compute, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
    if (padded)
      Kokkos::parallel_for("Lacuna::bench::padded_C", Rows(m_problem.exec, 0, m_problem.c_rows() * m_problem.columns),
                           ConvertElement<Scalar, Scalar>{c, m_problem.c.data(), columns, width, columns});
  }

  std::int64_t persistent_bytes() const override { return size_of(m_dense) + size_of(m_b) + size_of(m_c); }
  std::string label() const override {
    return !std::is_same_v<Scalar, Element> ? "A as a dense matrix, A and B in half" : "A as a dense matrix";
  }

 private:
  using Scalar = typename Problem::Scalar;
  using Factor = typename Problem::Factor;

  static std::int64_t row_of(std::int64_t elements) { return is_half<Element> ? (elements + 7) / 8 * 8 : elements; }
  /// Whether B has to be had in another type, or in padded rows, with rows of zeros behind it.
  bool copies() const {
    return !std::is_same_v<Scalar, Element> || row_of(m_problem.columns) != m_problem.columns ||
           row_of(m_problem.b_rows()) != m_problem.b_rows();
  }

  Problem m_problem;
  cublasComputeType_t m_compute;
  Factor m_alpha{1};
  cublasHandle_t m_handle{};
  DeviceArray<Element> m_dense, m_b;
  DeviceArray<Scalar> m_c;  // where N is padded
};

template <class Problem>
Candidates cublas_spmm(const Problem& problem) {
  using Scalar = typename Problem::Scalar;
  using Half   = Kokkos::Experimental::half_t;
  Candidates candidates;
  const auto add = [&](const char* name, Precision precision, auto&& make) {
    Candidate candidate;
    candidate.name      = name;
    candidate.precision = precision;
    candidate.keep      = false;
    candidate.make      = make;
    candidates.push_back(std::move(candidate));
  };
  const auto plain = [=](cublasComputeType_t compute) {
    return [=] { return std::make_unique<CuBlasSpmm<Problem>>(problem, compute); };
  };
  if constexpr (std::is_same_v<Scalar, float>) {
    add("cublas:fp32", Precision::full, plain(CUBLAS_COMPUTE_32F));
    add("cublas:tf32", Precision::tf32, plain(CUBLAS_COMPUTE_32F_FAST_TF32));
    add("cublas:fp16", Precision::fp16,
        [=] { return std::make_unique<CuBlasSpmm<Problem, Half>>(problem, CUBLAS_COMPUTE_32F); });
  }
  if constexpr (is_half<Scalar>)
    add(std::is_same_v<Scalar, Half> ? "cublas:fp16" : "cublas:bf16", Precision::full, plain(CUBLAS_COMPUTE_32F));
  if constexpr (std::is_same_v<Scalar, double>) add("cublas:fp64", Precision::full, plain(CUBLAS_COMPUTE_64F));
  return candidates;
}

}  // namespace lacuna::bench

#endif
