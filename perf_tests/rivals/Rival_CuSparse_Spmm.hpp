// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_SPMM_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_SPMM_HPP

#include <rivals/Rival_CuSparse_Blocks.hpp>
#include <rivals/Rival_CuSparse_Descriptors.hpp>
#include <rivals/Rival_CuSparse_FromDense.hpp>
#include <spmm/Bench_SpmmProblem.hpp>

#include <cstdio>
#include <utility>

namespace lacuna::bench {

/// `csr_from_dense`: converted from a dense matrix by cuSPARSE, which is there before the set-up.
enum class CuSparseSpmmStorage { csr, coo, bsr, blocked_ell, csr_from_dense };

/// cusparseSpMM with one algorithm and one layout of B and C; half precision is added in float. The conversion from
/// CSR, the buffer and the preprocessing are its set-up.
template <class Problem>
class CuSparseSpmm final : public Implementation {
 public:
  CuSparseSpmm(const Problem& problem, CuSparseSpmmStorage storage, cusparseSpMMAlg_t algorithm)
      : m_problem(problem), m_storage(storage), m_algorithm(algorithm), m_handle(problem.exec) {
    if (storage == CuSparseSpmmStorage::csr_from_dense) m_dense.fill(problem);
  }

  void setup() override {
    describe_matrix();
    const bool rows            = m_problem.layout == DenseLayout::right;
    const auto order           = rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    const std::int64_t columns = m_problem.columns, b_rows = m_problem.b_rows(), c_rows = m_problem.c_rows();
    check_cusparse(cusparseCreateDnMat(m_b.fresh(), b_rows, columns, rows ? columns : b_rows,
                                       const_cast<Scalar*>(m_problem.b.data()), type, order),
                   "cusparseCreateDnMat");
    check_cusparse(
        cusparseCreateDnMat(m_c.fresh(), c_rows, columns, rows ? columns : c_rows, m_problem.c.data(), type, order),
        "cusparseCreateDnMat");
    std::size_t bytes = 0;
    check_cusparse(cusparseSpMM_bufferSize(m_handle, none, none, &m_alpha, m_matrix, m_b, &m_problem.beta, m_c, compute,
                                           m_algorithm, &bytes),
                   "cusparseSpMM_bufferSize");
    m_buffer                      = cusparse_buffer(m_problem.exec, bytes);
    const cusparseStatus_t status = cusparseSpMM_preprocess(
        m_handle, none, none, &m_alpha, m_matrix, m_b, &m_problem.beta, m_c, compute, m_algorithm, m_buffer.data());
    // Not every storage has something to preprocess.
    if (m_storage == CuSparseSpmmStorage::csr || m_storage == CuSparseSpmmStorage::csr_from_dense)
      check_cusparse(status, "cusparseSpMM_preprocess");
  }

  void clear() override {
    m_matrix.clear();
    m_b.clear();
    m_c.clear();
    m_buffer = {};
    m_rows   = {};
    m_blocks = {};
    m_dense.clear();
  }

  void run() override {
    check_cusparse(cusparseSpMM(m_handle, none, none, &m_alpha, m_matrix, m_b, &m_problem.beta, m_c, compute,
                                m_algorithm, m_buffer.data()),
                   "cusparseSpMM");
  }

  std::int64_t persistent_bytes() const override {
    return size_of(m_buffer) + m_dense.bytes() + size_of(m_rows) + size_of(m_blocks.row_map) +
           size_of(m_blocks.columns) + size_of(m_blocks.values);
  }
  std::string label() const override {
    if (m_blocks.size == 0) return {};
    char text[64];
    std::snprintf(text, sizeof(text), "blocks of %d, %.0f %% full", m_blocks.size, 100 * m_blocks.fill);
    return text;
  }

 private:
  using Scalar  = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;

  static constexpr cudaDataType type        = cuda_type<Scalar>();
  static constexpr cudaDataType compute     = cuda_type<typename Problem::Factor>();
  static constexpr cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;

  void describe_matrix() {
    const auto A = Impl::arrays_of(m_problem.A);
    switch (m_storage) {
      case CuSparseSpmmStorage::csr: return describe_csr(m_problem, m_matrix);
      case CuSparseSpmmStorage::coo: return describe_coo(m_problem, m_rows, m_matrix);
      case CuSparseSpmmStorage::csr_from_dense: return m_dense.convert(m_problem, m_handle, m_matrix);
      case CuSparseSpmmStorage::bsr:
        // Small blocks, as large as the unknowns of a node make them.
        m_blocks = to_padded_blocks(m_problem, {8, 7, 6, 5, 4, 3, 2}, false, 1.3);
        return describe_bsr(m_problem, m_blocks, m_matrix);
      case CuSparseSpmmStorage::blocked_ell:
        // On the matrix engine, so that zeros are cheap, and large blocks better than small ones.
        m_blocks = to_padded_blocks(m_problem, {32, 16, 8}, true, 6);
        check_cusparse(
            cusparseCreateBlockedEll(m_matrix.fresh(), A.rows, A.columns, m_blocks.size, m_blocks.width * m_blocks.size,
                                     m_blocks.columns.data(), m_blocks.values.data(), index_type<Ordinal>,
                                     CUSPARSE_INDEX_BASE_ZERO, type),
            "cusparseCreateBlockedEll");
        return;
    }
  }

  Problem m_problem;
  CuSparseSpmmStorage m_storage;
  cusparseSpMMAlg_t m_algorithm;
  typename Problem::Factor m_alpha{1};
  CuSparseHandle m_handle;
  DeviceArray<char> m_buffer;
  DeviceArray<Ordinal> m_rows;
  PaddedBlocks<Problem> m_blocks;
  CuSparseFromDense<Problem> m_dense;
  CuSparseMatrix m_matrix;
  CuSparseDense m_b, m_c;
};

template <class Problem>
Candidates cusparse_spmm(const Problem& problem) {
  Candidates candidates;
  const auto add = [&](const char* name, CuSparseSpmmStorage storage, cusparseSpMMAlg_t algorithm) {
    Candidate candidate;
    candidate.name   = std::string("cusparse:") + name + layout_ending(problem.layout);
    candidate.layout = problem.layout;
    candidate.keep   = false;
    // Blocked-ELL rounds float to TF32.
    if (storage == CuSparseSpmmStorage::blocked_ell && std::is_same_v<typename Problem::Scalar, float>)
      candidate.precision = Precision::tf32;
    candidate.make = [=] { return std::make_unique<CuSparseSpmm<Problem>>(problem, storage, algorithm); };
    candidates.push_back(std::move(candidate));
  };
  using enum CuSparseSpmmStorage;
  add("csr_alg2", csr, CUSPARSE_SPMM_CSR_ALG2);
  add("csr_alg3", csr, CUSPARSE_SPMM_CSR_ALG3);
  add("csr_alg1", csr, CUSPARSE_SPMM_CSR_ALG1);
  add("coo_alg1", coo, CUSPARSE_SPMM_COO_ALG1);
  add("coo_alg2", coo, CUSPARSE_SPMM_COO_ALG2);
  add("coo_alg3", coo, CUSPARSE_SPMM_COO_ALG3);
  add("coo_alg4", coo, CUSPARSE_SPMM_COO_ALG4);
#if CUSPARSE_VERSION >= 12501  // CUDA 12.5 brought it
  add("bsr_alg1", bsr, CUSPARSE_SPMM_BSR_ALG1);
#endif
  add("blocked_ell_alg1", blocked_ell, CUSPARSE_SPMM_BLOCKED_ELL_ALG1);
  add("csr_alg2:from_dense", csr_from_dense, CUSPARSE_SPMM_CSR_ALG2);
  candidates.back().by_name = candidates.back().keep = true;
  return candidates;
}

}  // namespace lacuna::bench

#endif
