// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_MKL_SPMM_HPP
#define LACUNA_BENCH_RIVAL_MKL_SPMM_HPP

#include <rivals/Rival_Mkl.hpp>
#include <spmm/Bench_SpmmProblem.hpp>

namespace lacuna::bench {

/// mkl_sparse_?_mm, optimised for many calls with this number of columns and layout.
template <class Problem>
class MklSpmm final : public Implementation {
 public:
  explicit MklSpmm(const Problem& problem) : m_problem(problem) {}

  void setup() override {
    share_threads_with_mkl(m_problem.exec);
    m_matrix.create(m_problem.A);
    check_mkl(mkl_sparse_set_mm_hint(m_matrix.handle(), SPARSE_OPERATION_NON_TRANSPOSE, MklMatrix::description(),
                                     layout(), columns(), 1000),
              "mkl_sparse_set_mm_hint");
    check_mkl(mkl_sparse_optimize(m_matrix.handle()), "mkl_sparse_optimize");
  }
  void clear() override { m_matrix.clear(); }
  void run() override {
    const auto* B = m_problem.b.data();
    auto* C       = m_problem.c.data();
    if constexpr (std::is_same_v<typename Problem::Scalar, float>)
      check_mkl(
          mkl_sparse_s_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, m_matrix.handle(), MklMatrix::description(), layout(), B,
                          columns(), leading(m_problem.b_rows()), m_problem.beta, C, leading(m_problem.c_rows())),
          "mkl_sparse_s_mm");
    else
      check_mkl(
          mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, m_matrix.handle(), MklMatrix::description(), layout(), B,
                          columns(), leading(m_problem.b_rows()), m_problem.beta, C, leading(m_problem.c_rows())),
          "mkl_sparse_d_mm");
  }

 private:
  bool by_rows() const { return m_problem.layout == DenseLayout::right; }
  sparse_layout_t layout() const { return by_rows() ? SPARSE_LAYOUT_ROW_MAJOR : SPARSE_LAYOUT_COLUMN_MAJOR; }
  MKL_INT columns() const { return static_cast<MKL_INT>(m_problem.columns); }
  MKL_INT leading(std::int64_t rows) const { return by_rows() ? columns() : static_cast<MKL_INT>(rows); }

  Problem m_problem;
  MklMatrix m_matrix;
};

template <class Problem>
Candidates mkl_spmm(const Problem& problem) {
  if constexpr (mkl_serves<Problem>) {
    Candidate candidate;
    candidate.name   = "mkl:csr" + layout_ending(problem.layout);
    candidate.layout = problem.layout;
    candidate.make   = [=] { return std::make_unique<MklSpmm<Problem>>(problem); };
    return {candidate};
  } else {
    return {};
  }
}

}  // namespace lacuna::bench

#endif
