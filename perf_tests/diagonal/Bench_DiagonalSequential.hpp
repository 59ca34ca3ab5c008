// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_DIAGONALSEQUENTIAL_HPP
#define LACUNA_BENCH_DIAGONALSEQUENTIAL_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

/// \file
/// \brief The sequential algorithms that paper 003 measures against, on one core: its formulas for HM and CDM as loops
/// over whole diagonals, which a compiler makes vectors of.

namespace lacuna::bench {

/// \brief HM or CDM in host memory.
struct HostDiagonals {
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets;  ///< in CDM indices of compact diagonals
  std::vector<std::int64_t> starts;
  std::vector<double> list;
};

/// \brief 003, 6.2: every pair of diagonals of HM adds to the diagonal of C that is their sum.
inline void sequential_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C) {
  std::vector<std::int64_t> dense(static_cast<std::size_t>(2 * C.n - 1), -1);
  for (std::size_t q = 0; q < C.offsets.size(); ++q)
    dense[static_cast<std::size_t>(C.offsets[q] + C.n - 1)] = C.starts[q];
  std::fill(C.list.begin(), C.list.end(), 0.0);
  for (std::size_t p = 0; p < A.offsets.size(); ++p)
    for (std::size_t q = 0; q < B.offsets.size(); ++q) {
      const std::int64_t e = A.offsets[p], f = B.offsets[q], d = e + f;
      if (d <= -C.n || d >= C.n) continue;
      const std::int64_t first = std::max<std::int64_t>({0, -e, -d});
      const std::int64_t end   = std::min({C.n, C.n - e, C.n - d});
      const double* a          = A.list.data() + A.starts[p] - std::max<std::int64_t>(0, -e);
      const double* b          = B.list.data() + B.starts[q] - std::max<std::int64_t>(0, -f) + e;
      double* c = C.list.data() + dense[static_cast<std::size_t>(d + C.n - 1)] - std::max<std::int64_t>(0, -d);
      for (std::int64_t i = first; i < end; ++i) c[i] += a[i] * b[i];
    }
}

/// \brief 003, 4: compact diagonal k of C is the sum over i of A's (k + i) mod n times the reverse of B's i, shifted up
/// by k.
inline void sequential_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C) {
  std::vector<std::int64_t> dense(static_cast<std::size_t>(C.n), -1);
  for (std::size_t q = 0; q < B.offsets.size(); ++q) dense[static_cast<std::size_t>(B.offsets[q])] = B.starts[q];
  std::fill(C.list.begin(), C.list.end(), 0.0);
  for (std::size_t r = 0; r < C.offsets.size(); ++r)
    for (std::size_t p = 0; p < A.offsets.size(); ++p) {
      const std::int64_t e = A.offsets[p];
      const std::int64_t f = C.offsets[r] >= e ? C.offsets[r] - e : C.offsets[r] - e + C.n;
      if (dense[static_cast<std::size_t>(f)] < 0) continue;
      const double* a = A.list.data() + A.starts[p];
      const double* b = B.list.data() + dense[static_cast<std::size_t>(f)];
      double* c       = C.list.data() + C.starts[r];
      for (std::int64_t i = 0; i < C.n - e; ++i) c[i] += a[i] * b[i + e];
      for (std::int64_t i = C.n - e; i < C.n; ++i) c[i] += a[i] * b[i + e - C.n];
    }
}

}  // namespace lacuna::bench

#endif
