// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_KOKKOSKERNELS_SPGEMM_HPP
#define LACUNA_BENCH_RIVAL_KOKKOSKERNELS_SPGEMM_HPP

#include <spgemm/Bench_SpgemmProblem.hpp>
#include <support/Bench_MemoryPool.hpp>

#include <Lacuna_ExecutionTraits.hpp>

#include <KokkosKernels_config.h>
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_Utils.hpp>
#include <KokkosSparse_spgemm_numeric.hpp>
#include <KokkosSparse_spgemm_symbolic.hpp>

#include <utility>

namespace lacuna::bench {

// Where Kokkos Kernels has the functions that take arrays; 4.6 deprecates the old place.
#if KOKKOSKERNELS_VERSION >= 40600
namespace kernels_spgemm = KokkosSparse;
#else
namespace kernels_spgemm = KokkosSparse::Experimental;
#endif

/// One product of the native algorithms. They run on the default instance.
template <class Problem>
class KokkosKernelsProduct {
  using Matrix = typename Problem::Matrix;
  using Memory = typename Device::memory_space;
  using Handle =
      KokkosKernels::Experimental::KokkosKernelsHandle<typename Problem::Offset, typename Problem::Ordinal,
                                                       typename Problem::Scalar, ExecutionSpace, Memory, Memory>;

 public:
  KokkosKernelsProduct(const ExecutionSpace& exec, const Matrix& A, const Matrix& B,
                       KokkosSparse::SPGEMMAlgorithm algorithm = KokkosSparse::SPGEMM_KK)
      : m_a(A),
        m_b(B),
        m_row_map(rival_array<typename Problem::RowMap>(exec, "Lacuna::bench::row_map",
                                                        static_cast<std::size_t>(A.numRows()) + 1)) {
    Kokkos::deep_copy(exec, m_row_map, typename Problem::Offset(0));
    m_handle.create_spgemm_handle(algorithm);
    kernels_spgemm::spgemm_symbolic(&m_handle, A.numRows(), B.numRows(), B.numCols(), A.graph.row_map, A.graph.entries,
                                    false, B.graph.row_map, B.graph.entries, false, m_row_map, true);
    const auto nonzeros = static_cast<std::size_t>(m_handle.get_spgemm_handle()->get_c_nnz());
    m_entries           = rival_array<typename Problem::Entries>(exec, "Lacuna::bench::entries", nonzeros);
    m_values            = rival_array<typename Problem::Values>(exec, "Lacuna::bench::values", nonzeros);
  }
  ~KokkosKernelsProduct() { m_handle.destroy_spgemm_handle(); }
  KokkosKernelsProduct(const KokkosKernelsProduct&)            = delete;
  KokkosKernelsProduct& operator=(const KokkosKernelsProduct&) = delete;

  void compute() {
    kernels_spgemm::spgemm_numeric(&m_handle, m_a.numRows(), m_b.numRows(), m_b.numCols(), m_a.graph.row_map,
                                   m_a.graph.entries, m_a.values, false, m_b.graph.row_map, m_b.graph.entries,
                                   m_b.values, false, m_row_map, m_entries, m_values);
  }
  Matrix result() const {
    return Matrix("C", m_a.numRows(), m_b.numCols(), static_cast<typename Problem::Offset>(m_values.extent(0)),
                  m_values, m_row_map, m_entries);
  }
  /// Not told by Kokkos Kernels.
  std::int64_t bytes() const { return 0; }

 private:
  Matrix m_a, m_b;
  Handle m_handle;
  typename Problem::RowMap m_row_map;
  typename Problem::Entries m_entries;
  typename Problem::Values m_values;
};

template <class Problem>
class KokkosKernelsSpgemm final : public SpgemmWholeCall<Problem> {
  using typename SpgemmWholeCall<Problem>::Matrix;

 public:
  KokkosKernelsSpgemm(const Problem& problem, KokkosSparse::SPGEMMAlgorithm algorithm)
      : SpgemmWholeCall<Problem>(problem), m_algorithm(algorithm) {}

 private:
  Matrix product(const Matrix& A, const Matrix& B) override {
    KokkosKernelsProduct<Problem> product(this->m_problem.exec, A, B, m_algorithm);
    product.compute();
    return product.result();
  }
  Matrix transposed(const Matrix& A) override { return KokkosSparse::Impl::transpose_matrix(A); }

  KokkosSparse::SPGEMMAlgorithm m_algorithm;
};

template <class Problem>
Candidates kokkos_kernels_spgemm(const Problem& problem) {
  Candidates candidates;
  for (const auto& [name, algorithm] : {std::pair{"kokkos-kernels", KokkosSparse::SPGEMM_KK},
                                        std::pair{"kokkos-kernels:memory", KokkosSparse::SPGEMM_KK_MEMORY},
                                        std::pair{"kokkos-kernels:dense", KokkosSparse::SPGEMM_KK_DENSE},
                                        std::pair{"kokkos-kernels:lp", KokkosSparse::SPGEMM_KK_LP}}) {
    // On an H200, Kokkos 4.5.1, it ends the process with cudaErrorInvalidAddressSpace (R A P of a mesh of 100³).
    if (algorithm == KokkosSparse::SPGEMM_KK_LP && ExecutionTraits<ExecutionSpace>::is_gpu) continue;
    Candidate candidate;
    candidate.name = name;
    candidate.keep = algorithm == KokkosSparse::SPGEMM_KK;
    candidate.make = [problem, algorithm = algorithm] {
      return std::make_unique<KokkosKernelsSpgemm<Problem>>(problem, algorithm);
    };
    candidates.push_back(std::move(candidate));
  }
  if (!problem.has_transposes())
    candidates.push_back({"kokkos-kernels:reuse", [=] {
                            return std::make_unique<SpgemmReuse<Problem, KokkosKernelsProduct<Problem>>>(problem);
                          }});
  return candidates;
}

}  // namespace lacuna::bench

#endif
