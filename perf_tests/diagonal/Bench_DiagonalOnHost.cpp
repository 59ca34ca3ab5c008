// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Bench_DiagonalOnHost.hpp>

#include <algorithm>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace lacuna::bench {

namespace {

/// Where the diagonals of HM begin by offset + n - 1, and those of CDM by index; -1 where there is none.
std::vector<std::int64_t> starts_of(const HostDiagonals& X, std::int64_t extent, std::int64_t shift) {
  std::vector<std::int64_t> dense(static_cast<std::size_t>(extent), -1);
  for (std::size_t q = 0; q < X.offsets.size(); ++q)
    dense[static_cast<std::size_t>(X.offsets[q] + shift)] = X.starts[q];
  return dense;
}

constexpr std::int64_t piece = 2048;  // elements of C, which with those of A and B are in a first cache

}  // namespace

void sequential_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C) {
  const auto dense = starts_of(C, 2 * C.n - 1, C.n - 1);
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

void sequential_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C) {
  const auto dense = starts_of(B, C.n, 0);
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

void openmp_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C) {
  const auto dense          = starts_of(B, 2 * C.n - 1, C.n - 1);
  const auto diagonals      = static_cast<std::int64_t>(C.offsets.size());
  const std::int64_t pieces = (C.n + piece - 1) / piece;
#pragma omp parallel for schedule(dynamic, 8)
  for (std::int64_t task = 0; task < diagonals * pieces; ++task) {
    const auto q         = static_cast<std::size_t>(task / pieces);
    const std::int64_t d = C.offsets[q], top = task % pieces * piece;
    const std::int64_t begin = std::max<std::int64_t>({0, -d, top});
    const std::int64_t stop  = std::min({C.n, C.n - d, top + piece});
    double* const c          = C.list.data() + C.starts[q] - std::max<std::int64_t>(0, -d);
    if (begin < stop) std::fill(c + begin, c + stop, 0.0);
    for (std::size_t p = 0; p < A.offsets.size(); ++p) {
      const std::int64_t e = A.offsets[p], f = d - e;
      if (f <= -C.n || f >= C.n || dense[static_cast<std::size_t>(f + C.n - 1)] < 0) continue;
      const std::int64_t first = std::max(begin, -e), end = std::min(stop, C.n - e);
      const double* a = A.list.data() + A.starts[p] - std::max<std::int64_t>(0, -e);
      const double* b =
          B.list.data() + dense[static_cast<std::size_t>(f + C.n - 1)] - std::max<std::int64_t>(0, -f) + e;
      for (std::int64_t i = first; i < end; ++i) c[i] += a[i] * b[i];
    }
  }
}

void openmp_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C) {
  const auto dense          = starts_of(B, C.n, 0);
  const auto diagonals      = static_cast<std::int64_t>(C.offsets.size());
  const std::int64_t pieces = (C.n + piece - 1) / piece;
#pragma omp parallel for schedule(dynamic, 8)
  for (std::int64_t task = 0; task < diagonals * pieces; ++task) {
    const auto r             = static_cast<std::size_t>(task / pieces);
    const std::int64_t begin = task % pieces * piece, stop = std::min(C.n, begin + piece);
    double* const c = C.list.data() + C.starts[r];
    std::fill(c + begin, c + stop, 0.0);
    for (std::size_t p = 0; p < A.offsets.size(); ++p) {
      const std::int64_t e = A.offsets[p];
      const std::int64_t f = C.offsets[r] >= e ? C.offsets[r] - e : C.offsets[r] - e + C.n;
      if (dense[static_cast<std::size_t>(f)] < 0) continue;
      const double* a         = A.list.data() + A.starts[p];
      const double* b         = B.list.data() + dense[static_cast<std::size_t>(f)] + e;
      const std::int64_t turn = std::clamp(C.n - e, begin, stop);
      for (std::int64_t i = begin; i < turn; ++i) c[i] += a[i] * b[i];
      for (std::int64_t i = turn; i < stop; ++i) c[i] += a[i] * b[i - C.n];
    }
  }
}

int openmp_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 0;
#endif
}

}  // namespace lacuna::bench
