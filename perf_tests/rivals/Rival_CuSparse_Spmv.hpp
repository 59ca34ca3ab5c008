// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_SPMV_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_SPMV_HPP

#include <rivals/Rival_CuSparse_Descriptors.hpp>

#include <string>

namespace lacuna::bench {

enum class CuSparseStorage { csr, coo, sell, bsr };

/// cusparseSpMV with one algorithm. The conversion from CSR, the buffer and the preprocessing are its set-up.
template <class Problem>
class CuSparseSpmv final : public Implementation {
 public:
  CuSparseSpmv(const Problem& problem, CuSparseStorage storage, cusparseSpMVAlg_t algorithm)
      : m_problem(problem), m_storage(storage), m_algorithm(algorithm), m_handle(problem.exec) {}

  void setup() override {
    describe_matrix();
    check_cusparse(
        cusparseCreateDnVec(m_x.fresh(), m_problem.x.extent(0), const_cast<Scalar*>(m_problem.x.data()), type),
        "cusparseCreateDnVec");
    check_cusparse(cusparseCreateDnVec(m_y.fresh(), m_problem.y.extent(0), m_problem.y.data(), type),
                   "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check_cusparse(cusparseSpMV_bufferSize(m_handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &m_alpha, m_matrix, m_x,
                                           &m_problem.beta, m_y, type, m_algorithm, &bytes),
                   "cusparseSpMV_bufferSize");
    m_buffer = cusparse_buffer(m_problem.exec, bytes);
    const cusparseStatus_t status =
        cusparseSpMV_preprocess(m_handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &m_alpha, m_matrix, m_x, &m_problem.beta,
                                m_y, type, m_algorithm, m_buffer.data());
    // Not every storage has something to preprocess.
    if (m_storage == CuSparseStorage::csr) check_cusparse(status, "cusparseSpMV_preprocess");
  }

  void clear() override {
    m_matrix.clear();
    m_x.clear();
    m_y.clear();
    m_buffer = {};
    m_rows   = {};
    m_sell   = {};
    m_bsr    = {};
  }

  void run() override {
    check_cusparse(cusparseSpMV(m_handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &m_alpha, m_matrix, m_x, &m_problem.beta,
                                m_y, type, m_algorithm, m_buffer.data()),
                   "cusparseSpMV");
  }

  std::int64_t persistent_bytes() const override {
    return size_of(m_buffer) + size_of(m_rows) + size_of(m_sell.offsets) + size_of(m_sell.columns) +
           size_of(m_sell.values) + size_of(m_bsr.row_map) + size_of(m_bsr.columns) + size_of(m_bsr.values);
  }
  std::string label() const override {
    return m_bsr.size > 0 ? "blocks of " + std::to_string(m_bsr.size) : std::string();
  }

 private:
  using Scalar  = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;

  static constexpr cudaDataType type = cuda_type<Scalar>();

  void describe_matrix() {
    const auto A = Impl::arrays_of(m_problem.A);
    switch (m_storage) {
      case CuSparseStorage::csr: return describe_csr(m_problem, m_matrix);
      case CuSparseStorage::coo: return describe_coo(m_problem, m_rows, m_matrix);
      case CuSparseStorage::sell:
        m_sell = to_sliced_ell(m_problem);
        check_cusparse(cusparseCreateSlicedEll(m_matrix.fresh(), A.rows, A.columns, A.nonzeros, m_sell.values.extent(0),
                                               SlicedEll<Problem>::slice_size, m_sell.offsets.data(),
                                               m_sell.columns.data(), m_sell.values.data(), index_type<Ordinal>,
                                               index_type<Ordinal>, CUSPARSE_INDEX_BASE_ZERO, type),
                       "cusparseCreateSlicedEll");
        return;
      case CuSparseStorage::bsr: m_bsr = to_block_rows(m_problem); return describe_bsr(m_problem, m_bsr, m_matrix);
    }
  }

  Problem m_problem;
  CuSparseStorage m_storage;
  cusparseSpMVAlg_t m_algorithm;
  Scalar m_alpha{1};
  CuSparseHandle m_handle;
  DeviceArray<char> m_buffer;
  DeviceArray<Ordinal> m_rows;
  SlicedEll<Problem> m_sell;
  BlockRows<Problem> m_bsr;
  CuSparseMatrix m_matrix;
  CuSparseVector m_x, m_y;
};

template <class Problem>
Candidates cusparse_spmv(const Problem& problem) {
  const auto candidate = [&](const char* name, CuSparseStorage storage, cusparseSpMVAlg_t algorithm) {
    return Candidate{name, [=] { return std::make_unique<CuSparseSpmv<Problem>>(problem, storage, algorithm); }};
  };
  return {
    candidate("cusparse:csr_alg1", CuSparseStorage::csr, CUSPARSE_SPMV_CSR_ALG1),
        candidate("cusparse:csr_alg2", CuSparseStorage::csr, CUSPARSE_SPMV_CSR_ALG2),
        candidate("cusparse:coo_alg1", CuSparseStorage::coo, CUSPARSE_SPMV_COO_ALG1),
        candidate("cusparse:coo_alg2", CuSparseStorage::coo, CUSPARSE_SPMV_COO_ALG2),
#if CUSPARSE_VERSION >= 12100  // CUDA 12.1 brought it
        candidate("cusparse:sell_alg1", CuSparseStorage::sell, CUSPARSE_SPMV_SELL_ALG1),
#endif
#if CUSPARSE_VERSION >= 12603  // CUDA 13.0
        candidate("cusparse:bsr_alg1", CuSparseStorage::bsr, CUSPARSE_SPMV_BSR_ALG1),
#endif
  };
}

}  // namespace lacuna::bench

#endif
