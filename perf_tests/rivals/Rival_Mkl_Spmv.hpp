// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_MKL_SPMV_HPP
#define LACUNA_BENCH_RIVAL_MKL_SPMV_HPP

#include <rivals/Rival_Mkl.hpp>
#include <spmv/Bench_SpmvProblem.hpp>

namespace lacuna::bench {

/// mkl_sparse_?_mv, optimised for many calls.
template <class Problem>
class MklSpmv final : public Implementation {
 public:
  explicit MklSpmv(const Problem& problem) : m_problem(problem) {}

  void setup() override {
    share_threads_with_mkl(m_problem.exec);
    m_matrix.create(m_problem.A);
    check_mkl(mkl_sparse_set_mv_hint(m_matrix.handle(), SPARSE_OPERATION_NON_TRANSPOSE, MklMatrix::description(), 1000),
              "mkl_sparse_set_mv_hint");
    check_mkl(mkl_sparse_optimize(m_matrix.handle()), "mkl_sparse_optimize");
  }
  void clear() override { m_matrix.clear(); }
  void run() override {
    const auto* x = m_problem.x.data();
    auto* y       = m_problem.y.data();
    if constexpr (std::is_same_v<typename Problem::Scalar, float>)
      check_mkl(mkl_sparse_s_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, m_matrix.handle(), MklMatrix::description(), x,
                                m_problem.beta, y),
                "mkl_sparse_s_mv");
    else
      check_mkl(mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, m_matrix.handle(), MklMatrix::description(), x,
                                m_problem.beta, y),
                "mkl_sparse_d_mv");
  }

 private:
  Problem m_problem;
  MklMatrix m_matrix;
};

template <class Problem>
Candidates mkl_spmv(const Problem& problem) {
  if constexpr (mkl_serves<Problem>)
    return {Candidate{"mkl:csr", [=] { return std::make_unique<MklSpmv<Problem>>(problem); }}};
  else
    return {};
}

}  // namespace lacuna::bench

#endif
