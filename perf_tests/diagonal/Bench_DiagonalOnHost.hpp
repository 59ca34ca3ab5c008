// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_DIAGONALONHOST_HPP
#define LACUNA_BENCH_DIAGONALONHOST_HPP

#include <cstdint>
#include <vector>

/// \file
/// \brief The sequential algorithms that paper 003 measures against, on one core and on all: its formulas for HM and
/// CDM as loops over whole diagonals, which a compiler makes vectors of.

namespace lacuna::bench {

/// \brief op(X) of a matrix in HM or CDM in host memory. A transpose moves no element.
struct HostDiagonals {
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets;  ///< of op(X); in CDM indices of compact diagonals
  std::vector<std::int64_t> starts;
  std::vector<double> list;
  bool by_column = false;  ///< a transpose in CDM: elements of a diagonal stand by their columns
};

/// \brief How C is computed.
struct HostCall {
  bool adds   = false;  ///< to what C holds
  int threads = 1;      ///< of the OpenMP variants
};

using HostMultiply = void (*)(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call);

/// \brief 003, 6.2: every pair of diagonals of HM adds to the diagonal of C that is their sum.
void sequential_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call);

/// \brief 003, 4: compact diagonal k of C is the sum over i of A's (k + i) mod n times the reverse of B's i, shifted up
/// by k.
void sequential_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call);

/// \brief The same sums by OpenMP's threads, each a piece of a diagonal of C at a time, small enough for a cache: the
/// best that the paper's loops come to on a host. One thread where the bench was built without OpenMP.
void openmp_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call);
void openmp_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call);

/// \brief Threads that there are for the two above; 0 without OpenMP.
int openmp_threads();

/// \brief How many threads are fastest for a short product: all, one or an eighth fewer, or half.
///
/// With a thread a core, any other program that runs takes one of the cores from a thread, and the others wait for it
/// at the end of the loop, busily, so that the scheduler sees no core to move it to: the product takes time slices of
/// some ms, whatever its size. One core left free is enough for the other program. The second thread of a core often
/// does not pay either.
int fastest_openmp_threads(HostMultiply multiply, const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C);

}  // namespace lacuna::bench

#endif
