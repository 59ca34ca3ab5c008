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

/// \brief HM or CDM in host memory.
struct HostDiagonals {
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets;  ///< in CDM indices of compact diagonals
  std::vector<std::int64_t> starts;
  std::vector<double> list;
};

/// \brief 003, 6.2: every pair of diagonals of HM adds to the diagonal of C that is their sum.
void sequential_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C);

/// \brief 003, 4: compact diagonal k of C is the sum over i of A's (k + i) mod n times the reverse of B's i, shifted up
/// by k.
void sequential_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C);

/// \brief The same sums by OpenMP's threads, each a piece of a diagonal of C at a time, small enough for a cache: the
/// best that the paper's loops come to on a host. One thread where the bench was built without OpenMP.
void openmp_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C);
void openmp_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C);

/// \brief Threads of the two above; 0 without OpenMP.
int openmp_threads();

}  // namespace lacuna::bench

#endif
