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

/// Adds, so that duplicates count.
template <class Arrays>
struct ScatterRow {
  Arrays A;
  DeviceArray<typename Arrays::Scalar> dense;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      dense(row * static_cast<std::int64_t>(A.columns) + A.entries[k]) += A.values[k];
  }
};

/// The dense product. A is row-major, so to cuBLAS its transpose: C^T = B^T A^T for row-major B and C.
template <class Problem>
class CuBlasSpmm final : public Implementation {
 public:
  static constexpr double largest_dense_matrix = 2.0 * 1024 * 1024 * 1024;  // bytes

  CuBlasSpmm(const Problem& problem, cublasComputeType_t compute) : m_problem(problem), m_compute(compute) {
    const double rows = static_cast<double>(problem.c_rows()), columns = static_cast<double>(problem.b_rows());
    if (rows * columns * sizeof(Scalar) > largest_dense_matrix)
      throw NotSupported("A would take more than 2 GiB as a dense matrix");
    constexpr double most = std::numeric_limits<int>::max();
    if (rows > most || columns > most || static_cast<double>(problem.columns) > most || rows * columns == 0)
      throw NotSupported("the sizes are not those of a dense product");
    check_cublas(cublasCreate(&m_handle), "cublasCreate");
    check_cublas(cublasSetStream(m_handle, problem.exec.cuda_stream()), "cublasSetStream");
  }
  ~CuBlasSpmm() override {
    if (m_handle != nullptr) cublasDestroy(m_handle);
  }
  CuBlasSpmm(const CuBlasSpmm&)            = delete;
  CuBlasSpmm& operator=(const CuBlasSpmm&) = delete;

  void setup() override {
    const auto A = Impl::arrays_of(m_problem.A);
    m_dense      = DeviceArray<Scalar>(Kokkos::view_alloc(m_problem.exec, "Lacuna::bench::dense"),
                                  m_problem.c_rows() * m_problem.b_rows());
    Kokkos::parallel_for("Lacuna::bench::dense", Rows(m_problem.exec, 0, m_problem.c_rows()),
                         ScatterRow<std::remove_cv_t<decltype(A)>>{A, m_dense});
  }
  void clear() override { m_dense = {}; }

  void run() override {
    const int rows = static_cast<int>(m_problem.c_rows()), inner = static_cast<int>(m_problem.b_rows());
    const int columns = static_cast<int>(m_problem.columns);
    check_cublas(cublasGemmEx(m_handle, CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, inner, &m_alpha, m_problem.b.data(),
                              type, columns, m_dense.data(), type, inner, &m_problem.beta, m_problem.c.data(), type,
                              columns, m_compute, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx");
  }

  std::int64_t persistent_bytes() const override { return size_of(m_dense); }
  std::string label() const override { return "A as a dense matrix"; }

 private:
  using Scalar = typename Problem::Scalar;

  static constexpr cudaDataType type = cuda_type<Scalar>();

  Problem m_problem;
  cublasComputeType_t m_compute;
  Scalar m_alpha{1};
  cublasHandle_t m_handle{};
  DeviceArray<Scalar> m_dense;
};

template <class Problem>
Candidates cublas_spmm(const Problem& problem) {
  using Scalar = typename Problem::Scalar;
  Candidates candidates;
  const auto add = [&](const char* name, cublasComputeType_t compute, Precision precision) {
    Candidate candidate;
    candidate.name      = name;
    candidate.precision = precision;
    candidate.keep      = false;
    candidate.make      = [=] { return std::make_unique<CuBlasSpmm<Problem>>(problem, compute); };
    candidates.push_back(std::move(candidate));
  };
  if constexpr (std::is_same_v<Scalar, float>) {
    add("cublas:fp32", CUBLAS_COMPUTE_32F, Precision::full);
    add("cublas:tf32", CUBLAS_COMPUTE_32F_FAST_TF32, Precision::tf32);
  }
  if constexpr (std::is_same_v<Scalar, double>) add("cublas:fp64", CUBLAS_COMPUTE_64F, Precision::full);
  return candidates;
}

}  // namespace lacuna::bench

#endif
