// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_KOKKOSKERNELS_SPMV_HPP
#define LACUNA_BENCH_RIVAL_KOKKOSKERNELS_SPMV_HPP

#include <spmv/Bench_SpmvProblem.hpp>

#include <KokkosSparse_spmv.hpp>

#include <optional>

namespace lacuna::bench {

template <class Problem>
class KokkosKernelsSpmv final : public Implementation {
 public:
  KokkosKernelsSpmv(const Problem& problem, KokkosSparse::SPMVAlgorithm algorithm)
      : m_problem(problem), m_algorithm(algorithm) {}

  void setup() override { m_handle.emplace(m_algorithm); }
  void clear() override { m_handle.reset(); }
  /// Kokkos guards the arguments of large kernels by an event, which a capture would break for all that follow.
  bool can_be_captured() const override { return false; }
  void run() override {
    KokkosSparse::spmv(m_problem.exec, &*m_handle, "N", typename Problem::Scalar(1), m_problem.A, m_problem.x,
                       m_problem.beta, m_problem.y);
  }
  bool has_setup() const override { return false; }  // the native kernels analyse nothing

 private:
  using Handle =
      KokkosSparse::SPMVHandle<ExecutionSpace, typename Problem::Matrix, typename Problem::X, typename Problem::Y>;
  Problem m_problem;
  KokkosSparse::SPMVAlgorithm m_algorithm;
  std::optional<Handle> m_handle;
};

template <class Problem>
Candidates kokkos_kernels_spmv(const Problem& problem) {
  const auto candidate = [&](const char* name, KokkosSparse::SPMVAlgorithm algorithm) {
    return Candidate{name, [=] { return std::make_unique<KokkosKernelsSpmv<Problem>>(problem, algorithm); }};
  };
  return {candidate("kokkos-kernels", KokkosSparse::SPMV_NATIVE),
          candidate("kokkos-kernels:merge_path", KokkosSparse::SPMV_NATIVE_MERGE_PATH)};
}

}  // namespace lacuna::bench

#endif
