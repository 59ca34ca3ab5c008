// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_KOKKOSKERNELS_SPMM_HPP
#define LACUNA_BENCH_RIVAL_KOKKOSKERNELS_SPMM_HPP

#include <spmm/Bench_SpmmProblem.hpp>

#include <KokkosSparse_spmv.hpp>

#include <optional>

namespace lacuna::bench {

/// KokkosSparse::spmv of rank 2.
template <class Problem, class Layout>
class KokkosKernelsSpmm final : public Implementation {
 public:
  explicit KokkosKernelsSpmm(const Problem& problem) : m_problem(problem) {}

  void setup() override { m_handle.emplace(KokkosSparse::SPMV_NATIVE); }
  void clear() override { m_handle.reset(); }
  /// Kokkos guards the arguments of large kernels by an event, which a capture would break for all that follow.
  bool can_be_captured() const override { return false; }
  void run() override {
    KokkosSparse::spmv(m_problem.exec, &*m_handle, "N", typename Problem::Scalar(1), m_problem.A,
                       m_problem.template B<Layout>(), m_problem.beta, m_problem.template C<Layout>());
  }
  bool has_setup() const override { return false; }  // the native kernel analyses nothing

 private:
  using Handle =
      KokkosSparse::SPMVHandle<ExecutionSpace, typename Problem::Matrix, typename Problem::template Input<Layout>,
                               typename Problem::template Output<Layout>>;
  Problem m_problem;
  std::optional<Handle> m_handle;
};

template <class Problem>
Candidates kokkos_kernels_spmm(const Problem& problem) {
  Candidate candidate;
  candidate.name   = std::string("kokkos-kernels") + layout_ending(problem.layout);
  candidate.layout = problem.layout;
  if (problem.layout == DenseLayout::right)
    candidate.make = [=] { return std::make_unique<KokkosKernelsSpmm<Problem, Kokkos::LayoutRight>>(problem); };
  else
    candidate.make = [=] { return std::make_unique<KokkosKernelsSpmm<Problem, Kokkos::LayoutLeft>>(problem); };
  return {candidate};
}

}  // namespace lacuna::bench

#endif
