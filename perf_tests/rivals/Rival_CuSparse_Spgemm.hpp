// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_SPGEMM_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_SPGEMM_HPP

#include <rivals/Rival_CuSparse_Descriptors.hpp>
#include <spgemm/Bench_SpgemmProblem.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace lacuna::bench {

using CuSparseSpgemm = CuSparseObject<cusparseSpGEMMDescr_t, cusparseSpGEMM_destroyDescr>;

/// One product: what the whole call and the reusable one have in common.
template <class Problem>
class CuSparseProduct {
 public:
  using Scalar  = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;
  using Offset  = typename Problem::Offset;
  using Matrix  = typename Problem::Matrix;

  static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;

  CuSparseProduct(const ExecutionSpace& exec, const Matrix& A, const Matrix& B) : m_exec(exec), m_left(A), m_right(B) {
    describe_csr(A, m_a);
    describe_csr(B, m_b);
    // C without memory, but with its row map.
    m_row_map = rival_array<typename Problem::RowMap>(exec, "Lacuna::bench::row_map",
                                                      static_cast<std::size_t>(A.numRows()) + 1);
    check_cusparse(
        cusparseCreateCsr(m_c.fresh(), A.numRows(), B.numCols(), 0, m_row_map.data(), nullptr, nullptr,
                          index_type<Offset>, index_type<Ordinal>, CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>()),
        "cusparseCreateCsr");
    check_cusparse(cusparseSpGEMM_createDescr(m_descriptor.fresh()), "cusparseSpGEMM_createDescr");
  }

  const Matrix& result() const { return m_result; }
  std::int64_t bytes() const { return m_bytes; }

 protected:
  /// Gives C the memory that it was found to need.
  void allocate_result() {
    std::int64_t rows = 0, columns = 0, nonzeros = 0;
    check_cusparse(cusparseSpMatGetSize(m_c, &rows, &columns, &nonzeros), "cusparseSpMatGetSize");
    const auto count   = static_cast<std::size_t>(nonzeros);
    const auto entries = rival_array<typename Problem::Entries>(m_exec, "Lacuna::bench::entries", count);
    const auto values  = rival_array<typename Problem::Values>(m_exec, "Lacuna::bench::values", count);
    check_cusparse(cusparseCsrSetPointers(m_c, m_row_map.data(), entries.data(), values.data()),
                   "cusparseCsrSetPointers");
    m_result = Matrix("C", static_cast<Ordinal>(rows), static_cast<Ordinal>(columns), static_cast<Offset>(nonzeros),
                      values, m_row_map, entries);
  }

  /// A call of cuSPARSE that first tells the size of its buffer.
  template <class Call>
  DeviceArray<char> with_buffer(const Call& call, const char* name) {
    std::size_t bytes = 0;
    check_cusparse(call(&bytes, nullptr), name);
    const auto buffer = cusparse_buffer(m_exec, bytes);
    m_bytes += static_cast<std::int64_t>(bytes);
    check_cusparse(call(&bytes, buffer.data()), name);
    return buffer;
  }

  ExecutionSpace m_exec;
  Matrix m_left, m_right, m_result;
  CuSparseMatrix m_a, m_b, m_c;
  CuSparseSpgemm m_descriptor;
  typename Problem::RowMap m_row_map;
  Scalar m_one         = Scalar(1);
  Scalar m_zero        = Scalar(0);
  std::int64_t m_bytes = 0;
};

/// The whole product: work estimation, computation, copy.
template <class Problem>
class CuSparseWholeProduct : public CuSparseProduct<Problem> {
  using Base = CuSparseProduct<Problem>;
  using Base::none;

 public:
  using Base::Base;

  void compute(cusparseHandle_t handle, cusparseSpGEMMAlg_t algorithm) {
    constexpr auto type = cuda_type<typename Problem::Scalar>();
    const auto estimate = this->with_buffer(
        [&](std::size_t* bytes, void* buffer) {
          return cusparseSpGEMM_workEstimation(handle, none, none, &this->m_one, this->m_a, this->m_b, &this->m_zero,
                                               this->m_c, type, algorithm, this->m_descriptor, bytes, buffer);
        },
        "cusparseSpGEMM_workEstimation");
    std::size_t bytes = 0;
    DeviceArray<char> memory;
    if (algorithm != CUSPARSE_SPGEMM_ALG1) {
      memory = this->with_buffer(
          [&](std::size_t* size, void* buffer) {
            return cusparseSpGEMM_estimateMemory(handle, none, none, &this->m_one, this->m_a, this->m_b, &this->m_zero,
                                                 this->m_c, type, algorithm, this->m_descriptor, chunk, size, buffer,
                                                 &bytes);
          },
          "cusparseSpGEMM_estimateMemory");
      memory = {};
    }
    if (bytes == 0)
      check_cusparse(cusparseSpGEMM_compute(handle, none, none, &this->m_one, this->m_a, this->m_b, &this->m_zero,
                                            this->m_c, type, algorithm, this->m_descriptor, &bytes, nullptr),
                     "cusparseSpGEMM_compute");
    const auto buffer = cusparse_buffer(this->m_exec, bytes);
    this->m_bytes += static_cast<std::int64_t>(bytes);
    check_cusparse(cusparseSpGEMM_compute(handle, none, none, &this->m_one, this->m_a, this->m_b, &this->m_zero,
                                          this->m_c, type, algorithm, this->m_descriptor, &bytes, buffer.data()),
                   "cusparseSpGEMM_compute");
    this->allocate_result();
    check_cusparse(cusparseSpGEMM_copy(handle, none, none, &this->m_one, this->m_a, this->m_b, &this->m_zero, this->m_c,
                                       type, algorithm, this->m_descriptor),
                   "cusparseSpGEMM_copy");
    this->m_exec.fence("Lacuna::bench: before the buffers of cuSPARSE go");
  }

 private:
  static constexpr float chunk = 0.2F;
};

/// Aᵀ by cusparseCsr2cscEx2, its buffer included.
template <class Matrix>
Matrix cusparse_transposed(const ExecutionSpace& exec, cusparseHandle_t handle, const Matrix& A) {
  using Offset  = typename Matrix::non_const_size_type;
  using Ordinal = typename Matrix::non_const_ordinal_type;
  if constexpr (std::is_same_v<Offset, int> && std::is_same_v<Ordinal, int>) {
    using Indices    = Kokkos::View<int*, Device>;
    using Values     = typename Matrix::values_type::non_const_type;
    const auto count = static_cast<std::size_t>(A.nnz());
    const auto row_map =
        rival_array<Indices>(exec, "Lacuna::bench::row_map", static_cast<std::size_t>(A.numCols()) + 1);
    const auto entries  = rival_array<Indices>(exec, "Lacuna::bench::entries", count);
    const auto values   = rival_array<Values>(exec, "Lacuna::bench::values", count);
    constexpr auto type = cuda_type<typename Matrix::non_const_value_type>();
    std::size_t bytes   = 0;
    check_cusparse(cusparseCsr2cscEx2_bufferSize(handle, A.numRows(), A.numCols(), A.nnz(), A.values.data(),
                                                 A.graph.row_map.data(), A.graph.entries.data(), values.data(),
                                                 row_map.data(), entries.data(), type, CUSPARSE_ACTION_NUMERIC,
                                                 CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, &bytes),
                   "cusparseCsr2cscEx2_bufferSize");
    const auto buffer = cusparse_buffer(exec, bytes);
    check_cusparse(
        cusparseCsr2cscEx2(handle, A.numRows(), A.numCols(), A.nnz(), A.values.data(), A.graph.row_map.data(),
                           A.graph.entries.data(), values.data(), row_map.data(), entries.data(), type,
                           CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, buffer.data()),
        "cusparseCsr2cscEx2");
    exec.fence("Lacuna::bench: before the buffer of cuSPARSE goes");
    return Matrix("A^T", A.numCols(), A.numRows(), A.nnz(), values, row_map, entries);
  } else {
    throw NotSupported("lacuna::bench: cusparseCsr2cscEx2 takes 32-bit indices alone");
  }
}

template <class Problem>
class CuSparseWholeSpgemm final : public SpgemmWholeCall<Problem> {
  using typename SpgemmWholeCall<Problem>::Matrix;

 public:
  CuSparseWholeSpgemm(const Problem& problem, cusparseSpGEMMAlg_t algorithm)
      : SpgemmWholeCall<Problem>(problem), m_handle(problem.exec), m_algorithm(algorithm) {}

  std::int64_t temporary_bytes() const override { return m_bytes; }

 private:
  Matrix product(const Matrix& A, const Matrix& B) override {
    CuSparseWholeProduct<Problem> product(this->m_problem.exec, A, B);
    product.compute(m_handle, m_algorithm);
    m_bytes = product.bytes();
    return product.result();
  }
  Matrix transposed(const Matrix& A) override { return cusparse_transposed(this->m_problem.exec, m_handle, A); }

  CuSparseHandle m_handle;
  cusparseSpGEMMAlg_t m_algorithm;
  std::int64_t m_bytes = 0;  // of the last product
};

/// Values alone: what cusparseSpGEMMreuse_compute does once everything else is there.
template <class Problem>
class CuSparseReuseProduct : public CuSparseProduct<Problem> {
  using Base = CuSparseProduct<Problem>;
  using Base::none;
  static constexpr auto algorithm = CUSPARSE_SPGEMM_DEFAULT;

 public:
  CuSparseReuseProduct(const ExecutionSpace& exec, const typename Base::Matrix& A, const typename Base::Matrix& B)
      : Base(exec, A, B), m_handle(exec) {
    const auto temporary = this->with_buffer(
        [&](std::size_t* bytes, void* buffer) {
          return cusparseSpGEMMreuse_workEstimation(m_handle, none, none, this->m_a, this->m_b, this->m_c, algorithm,
                                                    this->m_descriptor, bytes, buffer);
        },
        "cusparseSpGEMMreuse_workEstimation");
    std::size_t sizes[3] = {};
    check_cusparse(
        cusparseSpGEMMreuse_nnz(m_handle, none, none, this->m_a, this->m_b, this->m_c, algorithm, this->m_descriptor,
                                &sizes[0], nullptr, &sizes[1], nullptr, &sizes[2], nullptr),
        "cusparseSpGEMMreuse_nnz");
    const auto first = cusparse_buffer(exec, sizes[0]);
    for (int i : {1, 2}) {
      m_kept[i - 1] = cusparse_buffer(exec, sizes[i]);
      this->m_bytes += static_cast<std::int64_t>(sizes[i]);
    }
    check_cusparse(
        cusparseSpGEMMreuse_nnz(m_handle, none, none, this->m_a, this->m_b, this->m_c, algorithm, this->m_descriptor,
                                &sizes[0], first.data(), &sizes[1], m_kept[0].data(), &sizes[2], m_kept[1].data()),
        "cusparseSpGEMMreuse_nnz");
    this->allocate_result();
    m_kept[2] = this->with_buffer(
        [&](std::size_t* bytes, void* buffer) {
          return cusparseSpGEMMreuse_copy(m_handle, none, none, this->m_a, this->m_b, this->m_c, algorithm,
                                          this->m_descriptor, bytes, buffer);
        },
        "cusparseSpGEMMreuse_copy");
    exec.fence("Lacuna::bench: before the buffers of cuSPARSE go");
  }

  void compute() {
    check_cusparse(
        cusparseSpGEMMreuse_compute(m_handle, none, none, &this->m_one, this->m_a, this->m_b, &this->m_zero, this->m_c,
                                    cuda_type<typename Problem::Scalar>(), algorithm, this->m_descriptor),
        "cusparseSpGEMMreuse_compute");
  }

 private:
  CuSparseHandle m_handle;
  DeviceArray<char> m_kept[3];
};

template <class Problem>
Candidates cusparse_spgemm(const Problem& problem) {
  Candidates candidates;
  for (const auto& [name, algorithm] :
       {std::pair{"cusparse:alg1", CUSPARSE_SPGEMM_ALG1}, std::pair{"cusparse:alg2", CUSPARSE_SPGEMM_ALG2},
        std::pair{"cusparse:alg3", CUSPARSE_SPGEMM_ALG3}})
    candidates.push_back({name, [problem, algorithm = algorithm] {
                            return std::make_unique<CuSparseWholeSpgemm<Problem>>(problem, algorithm);
                          }});
  if (!problem.has_transposes())
    candidates.push_back({"cusparse:reuse", [=] {
                            return std::make_unique<SpgemmReuse<Problem, CuSparseReuseProduct<Problem>>>(problem);
                          }});
  return candidates;
}

}  // namespace lacuna::bench

#endif
