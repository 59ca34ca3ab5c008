// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_KOKKOSKERNELS_SPGEMM_HPP
#define LACUNA_BENCH_RIVAL_KOKKOSKERNELS_SPGEMM_HPP

#include <spgemm/Bench_SpgemmProblem.hpp>

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spgemm_numeric.hpp>
#include <KokkosSparse_spgemm_symbolic.hpp>

namespace lacuna::bench {

/// The native algorithm. It runs on the default instance.
template <class Problem>
class KokkosKernelsSpgemm final : public Implementation {
 public:
  explicit KokkosKernelsSpgemm(const Problem& problem) : m_problem(problem) {}

  bool has_setup() const override { return false; }
  void run() override {
    using Memory = typename Device::memory_space;
    using Handle =
        KokkosKernels::Experimental::KokkosKernelsHandle<typename Problem::Offset, typename Problem::Ordinal,
                                                         typename Problem::Scalar, ExecutionSpace, Memory, Memory>;
    const auto& A = m_problem.A;
    m_problem.C->reset();
    Handle handle;
    handle.create_spgemm_handle(KokkosSparse::SPGEMM_KK);
    const auto rows = A.numRows();
    const typename Problem::RowMap row_map("Lacuna::bench::row_map", static_cast<std::size_t>(rows) + 1);
    KokkosSparse::Experimental::spgemm_symbolic(&handle, rows, A.numRows(), A.numCols(), A.graph.row_map,
                                                A.graph.entries, false, A.graph.row_map, A.graph.entries, false,
                                                row_map, true);
    const auto nonzeros = handle.get_spgemm_handle()->get_c_nnz();
    const typename Problem::Entries entries(
        Kokkos::view_alloc(m_problem.exec, Kokkos::WithoutInitializing, "Lacuna::bench::entries"), nonzeros);
    const typename Problem::Values values(
        Kokkos::view_alloc(m_problem.exec, Kokkos::WithoutInitializing, "Lacuna::bench::values"), nonzeros);
    KokkosSparse::Experimental::spgemm_numeric(&handle, rows, A.numRows(), A.numCols(), A.graph.row_map,
                                               A.graph.entries, A.values, false, A.graph.row_map, A.graph.entries,
                                               A.values, false, row_map, entries, values);
    handle.destroy_spgemm_handle();
    *m_problem.C = typename Problem::Matrix("C", rows, A.numCols(), nonzeros, values, row_map, entries);
  }

 private:
  Problem m_problem;
};

template <class Problem>
Candidates kokkos_kernels_spgemm(const Problem& problem) {
  return {{"kokkos-kernels", [=] { return std::make_unique<KokkosKernelsSpgemm<Problem>>(problem); }}};
}

}  // namespace lacuna::bench

#endif
