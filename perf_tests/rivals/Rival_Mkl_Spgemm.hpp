// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_MKL_SPGEMM_HPP
#define LACUNA_BENCH_RIVAL_MKL_SPGEMM_HPP

#include <rivals/Rival_Mkl.hpp>
#include <spgemm/Bench_SpgemmProblem.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lacuna::bench {

/// What is called, and how much of it is timed.
enum class MklSpgemmCall {
  spmm,    ///< mkl_sparse_spmm; rows of C as they come
  sp2m,    ///< mkl_sparse_sp2m in one stage; rows of C as they come
  sorted,  ///< the same, then mkl_sparse_order
  reuse    ///< mkl_sparse_sp2m's last stage: values alone
};

/// Transposes are operations of the calls, which take plain CSR: nothing is optimised before.
template <class Problem>
class MklSpgemm final : public Implementation {
  using Scalar = typename Problem::Scalar;

 public:
  MklSpgemm(const Problem& problem, MklSpgemmCall call) : m_problem(problem), m_call(call) {
    share_threads_with_mkl(m_problem.exec);
    for (const auto& factor : m_problem.factors) {
      m_factors.push_back(std::make_unique<MklMatrix>());
      m_factors.back()->create(factor.matrix);
    }
  }
  ~MklSpgemm() override { free_results(); }
  MklSpgemm(const MklSpgemm&)            = delete;
  MklSpgemm& operator=(const MklSpgemm&) = delete;

  bool has_setup() const override { return m_call == MklSpgemmCall::reuse; }
  void setup() override {
    if (has_setup()) multiply(SPARSE_STAGE_FULL_MULT);
  }
  void clear() override { free_results(); }
  void run() override {
    if (m_call == MklSpgemmCall::reuse) return multiply(SPARSE_STAGE_FINALIZE_MULT);
    free_results();
    multiply(SPARSE_STAGE_FULL_MULT);
    for (std::size_t i = 0; i + 1 < m_results.size(); ++i) destroy(m_results[i]);
    if (m_call == MklSpgemmCall::sorted) check_mkl(mkl_sparse_order(m_results.back()), "mkl_sparse_order");
    *m_problem.C = exported(m_results.back());
  }

 private:
  static void destroy(sparse_matrix_t& matrix) {
    if (matrix != nullptr) mkl_sparse_destroy(matrix);
    matrix = nullptr;
  }
  void free_results() {
    m_problem.C->reset();
    for (sparse_matrix_t& result : m_results) destroy(result);
    m_results.clear();
  }
  static sparse_operation_t operation(Op op) {
    return op == Op::none ? SPARSE_OPERATION_NON_TRANSPOSE : SPARSE_OPERATION_TRANSPOSE;
  }

  /// All products, from left to right. What was computed before is there where only values are.
  void multiply(sparse_request_t stage) {
    m_results.resize(m_factors.size() - 1, nullptr);
    for (std::size_t i = 1; i < m_factors.size(); ++i) {
      const sparse_matrix_t left   = i == 1 ? m_factors[0]->handle() : m_results[i - 2];
      const sparse_operation_t op  = operation(i == 1 ? m_problem.factors[0].op : Op::none);
      const sparse_matrix_t right  = m_factors[i]->handle();
      const matrix_descr described = MklMatrix::description();
      if (m_call == MklSpgemmCall::spmm) {
        if (m_problem.factors[i].op != Op::none)
          throw NotSupported("lacuna::bench: mkl_sparse_spmm transposes only its left factor");
        check_mkl(mkl_sparse_spmm(op, left, right, &m_results[i - 1]), "mkl_sparse_spmm");
      } else {
        check_mkl(mkl_sparse_sp2m(op, described, left, operation(m_problem.factors[i].op), described, right, stage,
                                  &m_results[i - 1]),
                  "mkl_sparse_sp2m");
      }
    }
    if (m_call == MklSpgemmCall::reuse) *m_problem.C = exported(m_results.back());
  }

  /// A matrix on oneMKL's arrays.
  static typename Problem::Matrix exported(sparse_matrix_t result) {
    sparse_index_base_t base;
    MKL_INT rows = 0, columns = 0;
    MKL_INT *begin = nullptr, *end = nullptr, *entries = nullptr;
    Scalar* values = nullptr;
    if constexpr (std::is_same_v<Scalar, float>)
      check_mkl(mkl_sparse_s_export_csr(result, &base, &rows, &columns, &begin, &end, &entries, &values),
                "mkl_sparse_s_export_csr");
    else
      check_mkl(mkl_sparse_d_export_csr(result, &base, &rows, &columns, &begin, &end, &entries, &values),
                "mkl_sparse_d_export_csr");
    if (base != SPARSE_INDEX_BASE_ZERO || (rows > 0 && end != begin + 1))
      throw NotSupported("lacuna::bench: the product of oneMKL is not in plain CSR");
    const auto nonzeros = static_cast<std::size_t>(rows > 0 ? begin[rows] : 0);
    return typename Problem::Matrix("C", rows, columns, static_cast<typename Problem::Offset>(nonzeros),
                                    typename Problem::Values(values, nonzeros),
                                    typename Problem::RowMap(begin, static_cast<std::size_t>(rows) + 1),
                                    typename Problem::Entries(entries, nonzeros));
  }

  Problem m_problem;
  MklSpgemmCall m_call;
  std::vector<std::unique_ptr<MklMatrix>> m_factors;
  std::vector<sparse_matrix_t> m_results;
};

template <class Problem>
Candidates mkl_spgemm(const Problem& problem) {
  Candidates candidates;
  if constexpr (mkl_serves<Problem>)
    for (const auto& [name, call] :
         {std::pair{"mkl:spmm", MklSpgemmCall::spmm}, std::pair{"mkl:sp2m", MklSpgemmCall::sp2m},
          std::pair{"mkl:sp2m:sorted", MklSpgemmCall::sorted}, std::pair{"mkl:sp2m:reuse", MklSpgemmCall::reuse}})
      candidates.push_back(
          {name, [problem, call = call] { return std::make_unique<MklSpgemm<Problem>>(problem, call); }});
  return candidates;
}

}  // namespace lacuna::bench

#endif
