// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

// What lacuna-bench has for CUDA alone, in one unit: the vendor's rivals, in one scalar type and in half precision, and
// its files with branches for CUDA. The rivals of Kokkos Kernels compile here as they do on hosts.

// Bench_Revision.hpp is empty here.
#define LACUNA_BENCH_GIT_REVISION ""
#define LACUNA_BENCH_GIT_DIRTY ""
#define LACUNA_BENCH_REVISION_FROM ""
#define LACUNA_BENCH_BUILD_TYPE ""
#define LACUNA_BENCH_BENCHMARK_VERSION ""
#define LACUNA_BENCH_CLI11_VERSION ""
#define LACUNA_BENCH_JSON_VERSION ""
#define LACUNA_BENCH_KOKKOS_DEVICES ""
#define LACUNA_BENCH_KOKKOS_OPTIONS ""
#define LACUNA_BENCH_KOKKOS_ARCH ""

#include <rivals/Rival_CuSparse_Spgemm.hpp>
#include <rivals/Rival_CuSparse_Spmm.hpp>
#include <rivals/Rival_CuSparse_Spmv.hpp>
#if defined(LACUNA_BENCH_CUBLAS)
#include <rivals/Rival_CuBlas_Spmm.hpp>
#endif

#include <Lacuna_Bench.cpp>
#include <diagonal/Bench_Diagonal.cpp>
#include <paper/Bench_Paper000_Job.cpp>
#include <rivals/Rival_Cuda_Diagonal.cpp>
#include <support/Bench_Context.cpp>

namespace lacuna::bench {

template Candidates cusparse_spgemm(const SpgemmProblem<float, int, int>&);
template Candidates cusparse_spmm(const SpmmProblem<float, int, int>&);
template Candidates cusparse_spmm(const SpmmProblem<Kokkos::Experimental::half_t, int, int>&);
template Candidates cusparse_spmv(const SpmvProblem<float, int, int>&);
#if defined(LACUNA_BENCH_CUBLAS)
template Candidates cublas_spmm(const SpmmProblem<float, int, int>&);
template Candidates cublas_spmm(const SpmmProblem<Kokkos::Experimental::half_t, int, int>&);
#endif

}  // namespace lacuna::bench
