// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Bench_DiagonalOnHost.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

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

/// Rows [begin, stop) of one product of compact diagonals, c[i] += a[i + from_a mod n] b[i + from_b mod n].
void add_compact(double* c, const double* a, std::int64_t from_a, const double* b, std::int64_t from_b, std::int64_t n,
                 std::int64_t begin, std::int64_t stop) {
  for (std::int64_t top = begin; top < stop;) {
    const std::int64_t in_a = top + from_a < n ? from_a : from_a - n, in_b = top + from_b < n ? from_b : from_b - n;
    const std::int64_t end = std::min({stop, n - in_a, n - in_b});
    for (std::int64_t i = top; i < end; ++i) c[i] += a[i + in_a] * b[i + in_b];
    top = end;
  }
}

/// Rows [begin, stop) of compact diagonal `r` of C. `dense`: where those of B begin.
void compact_diagonal(const HostDiagonals& A, const HostDiagonals& B, const std::vector<std::int64_t>& dense,
                      HostDiagonals& C, std::size_t r, std::int64_t begin, std::int64_t stop) {
  const std::int64_t d = C.offsets[r];
  for (std::size_t p = 0; p < A.offsets.size(); ++p) {
    const std::int64_t e = A.offsets[p], f = d >= e ? d - e : d - e + C.n;
    if (dense[static_cast<std::size_t>(f)] < 0) continue;
    add_compact(C.list.data() + C.starts[r], A.list.data() + A.starts[p], A.by_column ? e : 0,
                B.list.data() + dense[static_cast<std::size_t>(f)], B.by_column ? d : e, C.n, begin, stop);
  }
}

}  // namespace

void sequential_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call) {
  const auto dense = starts_of(C, 2 * C.n - 1, C.n - 1);
  if (!call.adds) std::fill(C.list.begin(), C.list.end(), 0.0);
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

void sequential_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call) {
  const auto dense = starts_of(B, C.n, 0);
  if (!call.adds) std::fill(C.list.begin(), C.list.end(), 0.0);
  for (std::size_t r = 0; r < C.offsets.size(); ++r) compact_diagonal(A, B, dense, C, r, 0, C.n);
}

void openmp_hm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call) {
  const auto dense          = starts_of(B, 2 * C.n - 1, C.n - 1);
  const auto diagonals      = static_cast<std::int64_t>(C.offsets.size());
  const std::int64_t pieces = (C.n + piece - 1) / piece;
#pragma omp parallel for schedule(dynamic, 8) num_threads(call.threads)
  for (std::int64_t task = 0; task < diagonals * pieces; ++task) {
    const auto q         = static_cast<std::size_t>(task / pieces);
    const std::int64_t d = C.offsets[q], top = task % pieces * piece;
    const std::int64_t begin = std::max<std::int64_t>({0, -d, top});
    const std::int64_t stop  = std::min({C.n, C.n - d, top + piece});
    double* const c          = C.list.data() + C.starts[q] - std::max<std::int64_t>(0, -d);
    if (begin < stop && !call.adds) std::fill(c + begin, c + stop, 0.0);
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

void openmp_cdm(const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C, const HostCall& call) {
  const auto dense          = starts_of(B, C.n, 0);
  const auto diagonals      = static_cast<std::int64_t>(C.offsets.size());
  const std::int64_t pieces = (C.n + piece - 1) / piece;
#pragma omp parallel for schedule(dynamic, 8) num_threads(call.threads)
  for (std::int64_t task = 0; task < diagonals * pieces; ++task) {
    const auto r             = static_cast<std::size_t>(task / pieces);
    const std::int64_t begin = task % pieces * piece, stop = std::min(C.n, begin + piece);
    double* const c = C.list.data() + C.starts[r];
    if (!call.adds) std::fill(c + begin, c + stop, 0.0);
    compact_diagonal(A, B, dense, C, r, begin, stop);
  }
}

int openmp_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 0;
#endif
}

int fastest_openmp_threads(HostMultiply multiply, const HostDiagonals& A, const HostDiagonals& B, HostDiagonals& C) {
  using Clock   = std::chrono::steady_clock;
  const int all = std::max(openmp_threads(), 1);
  int fastest   = all;
  double least  = std::numeric_limits<double>::infinity();
  for (const int threads : {all, all - 1, all - all / 8, all / 2}) {
    if (threads < 1) continue;
    std::vector<double> times;
    for (int call = 0; call < 12; ++call) {  // the first of them wakes the threads
      const auto start = Clock::now();
      multiply(A, B, C, {.threads = threads});
      times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      if (times.back() > 0.05) return all;  // time slices do not matter there
    }
    std::sort(times.begin() + 1, times.end());
    const double median = times[times.size() / 2];
    if (median < least) {
      least   = median;
      fastest = threads;
    }
  }
  return fastest;
}

}  // namespace lacuna::bench
