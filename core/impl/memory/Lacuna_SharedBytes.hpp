// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SHAREDBYTES_HPP
#define LACUNA_SHAREDBYTES_HPP

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

/// \file
/// \brief Whether arrays with strides have bytes in common: those of one larger View may interleave without any.

namespace lacuna::Impl {

/// `count` runs of `length` bytes, `stride` bytes from one to the next. A count of 1 has a stride of 1.
struct ByteRuns {
  std::int64_t length = 0;
  std::int64_t count  = 0;
  std::int64_t stride = 1;

  std::int64_t span() const { return (count - 1) * stride + length; }
};

/// `count` times the runs, `period` bytes from one to the next: what a View of up to two strides touches.
struct TouchedBytes {
  std::int64_t begin = 0;
  ByteRuns runs;
  std::int64_t count  = 1;
  std::int64_t period = 1;

  bool empty() const { return runs.length == 0 || runs.count == 0 || count == 0; }
  std::int64_t end() const { return begin + (count - 1) * period + runs.span(); }
};

/// Runs that touch are one.
inline ByteRuns joined_runs(ByteRuns runs) {
  if (runs.stride == 0 || runs.count == 1) return {runs.length, 1, 1};
  if (runs.stride <= runs.length) return {runs.span(), 1, 1};
  return runs;
}

/// The bytes of count[0] × count[1] elements of `size` bytes from `data` on; strides in elements, not negative.
inline TouchedBytes touched_bytes(const void* data, std::int64_t size, std::int64_t count0, std::int64_t stride0,
                                  std::int64_t count1, std::int64_t stride1) {
  TouchedBytes bytes{static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(data)), {size, 0, 1}, 0, 1};
  if (count0 == 0 || count1 == 0) return bytes;
  if (count1 == 1 || (count0 > 1 && stride0 > stride1)) {
    std::swap(count0, count1);
    std::swap(stride0, stride1);
  }
  const ByteRuns inner = joined_runs({size, count0, stride0 * size});
  const ByteRuns outer = joined_runs({inner.length, count1, stride1 * size});
  if (inner.count == 1)
    bytes.runs = outer, bytes.count = 1;
  else if (stride1 * size == inner.count * inner.stride)
    bytes.runs = {inner.length, inner.count * count1, inner.stride}, bytes.count = 1;
  else
    bytes.runs = inner, bytes.count = count1, bytes.period = stride1 * size;
  return bytes;
}

/// The sum of (step * i + first) / divisor over i of [0, n), modulo 2^64; as Euclid's algorithm, in as many steps.
/// step * n + first must be less than 2^63.
inline std::uint64_t sum_of_quotients(std::uint64_t n, std::uint64_t divisor, std::uint64_t step, std::uint64_t first) {
  std::uint64_t sum = 0;
  while (true) {
    const std::uint64_t pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
    sum += pairs * (step / divisor) + n * (first / divisor);
    step %= divisor, first %= divisor;
    const std::uint64_t last = step * n + first;
    if (last < divisor) return sum;
    n     = last / divisor;
    first = last % divisor;
    std::swap(divisor, step);
  }
}

/// Whether a byte of `x` is one of `y`, whose first run begins `distance` after that of x. Exact, in as many steps as
/// the greatest common divisor of the strides takes.
inline bool runs_meet(const ByteRuns& x, const ByteRuns& y, std::int64_t distance) {
  // Run i of x meets run j of y where low(i) <= j * y.stride <= high(i), both of which grow by x.stride; only these i
  // have low(i) <= last and 0 <= high(i):
  const std::int64_t last = (y.count - 1) * y.stride;
  const std::int64_t high = x.length - 1 - distance, low = 1 - y.length - distance;  // of i = 0
  if (high + (x.count - 1) * x.stride < 0 || low > last) return false;
  const std::int64_t from = high >= 0 ? 0 : (-high + x.stride - 1) / x.stride;
  const std::int64_t to   = std::min(x.count - 1, (last - low) / x.stride);
  if (from > to) return false;
  if (y.count == 1) return true;
  // A multiple of y.stride in that range is that of a j of y, since ranges that reach beyond 0 or `last` hold these.
  const std::int64_t shift = (x.length + y.length) / y.stride * y.stride + y.stride;  // no quotient is negative
  const auto quotients     = [&](std::int64_t first) {
    return sum_of_quotients(static_cast<std::uint64_t>(to - from + 1), static_cast<std::uint64_t>(y.stride),
                                static_cast<std::uint64_t>(x.stride),
                                static_cast<std::uint64_t>(first + from * x.stride + shift));
  };
  return quotients(high) != quotients(low - 1);
}

/// How many pairs of `ByteRuns` a check looks at.
inline constexpr std::int64_t most_pairs_of_runs = 64;

/// The quotient, rounded down.
inline std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The same by the direction that has fewer runs.
inline TouchedBytes by_fewer(const TouchedBytes& bytes) {
  if (bytes.runs.count >= bytes.count) return bytes;
  return {bytes.begin, {bytes.runs.length, bytes.count, bytes.period}, bytes.runs.count, bytes.runs.stride};
}

/// Runs of every period of one and of the other. True without a look where there are too many.
inline bool some_runs_meet(const TouchedBytes& x, const TouchedBytes& y) {
  if (x.count > most_pairs_of_runs || y.count > most_pairs_of_runs / x.count) return true;
  for (std::int64_t i = 0; i < x.count; ++i)
    for (std::int64_t j = 0; j < y.count; ++j)
      if (runs_meet(x.runs, y.runs, y.begin - x.begin + j * y.period - i * x.period)) return true;
  return false;
}

/// `share_bytes` where `x` has a period. With one in common what counts is how many periods apart runs are: for parts
/// of one View, whose rows are longer than its runs, that is one number or two.
inline bool periods_meet(const TouchedBytes& x, TouchedBytes y) {
  if (y.count == 1 && y.runs.stride == x.period)
    y = {y.begin, {y.runs.length, 1, 1}, y.runs.count, x.period};
  else if (y.count == 1)
    y.period = x.period;
  if (x.period == y.period) {
    const std::int64_t distance = y.begin - x.begin;
    const std::int64_t from     = std::max(floor_quotient(-distance - y.runs.span(), x.period) + 1, 1 - x.count);
    const std::int64_t to       = std::min(floor_quotient(x.runs.span() - 1 - distance, x.period), y.count - 1);
    if (to - from < most_pairs_of_runs) {
      for (std::int64_t apart = from; apart <= to; ++apart)
        if (runs_meet(x.runs, y.runs, distance + apart * x.period)) return true;
      return false;
    }
  }
  return some_runs_meet(by_fewer(x), by_fewer(y));
}

/// \brief Whether two arrays have a byte in common. Two comparisons say so where one ends before the other begins.
///
/// Exact for vectors of any strides, and for blocks that are parts of one View. Of blocks with unrelated strides, whose
/// extents interleave, all pairs of rows or columns are looked at, or where there are more than `most_pairs_of_runs`,
/// they are said to share bytes.
inline bool share_bytes(const TouchedBytes& x, const TouchedBytes& y) {
  if (x.empty() || y.empty() || x.end() <= y.begin || y.end() <= x.begin) return false;
  if (x.count == 1 && y.count == 1) return runs_meet(x.runs, y.runs, y.begin - x.begin);
  return x.count > 1 ? periods_meet(x, y) : periods_meet(y, x);
}

/// Whether two Views of rank 1 have a byte in common.
template <class X, class Y>
bool share_bytes(const X& x, const Y& y) {
  const auto touched = [](const auto& view) {
    return touched_bytes(view.data(), sizeof(*view.data()), static_cast<std::int64_t>(view.extent(0)),
                         static_cast<std::int64_t>(view.stride(0)), 1, 1);
  };
  return share_bytes(touched(x), touched(y));
}

/// Whether two of count0 × count1 elements are the same; strides in elements.
inline bool elements_coincide(std::int64_t count0, std::int64_t stride0, std::int64_t count1, std::int64_t stride1) {
  if (count0 == 0 || count1 == 0) return false;
  const std::int64_t divisor = std::gcd(stride0, stride1);
  if (divisor == 0) return count0 > 1 || count1 > 1;
  return stride1 / divisor < count0 && stride0 / divisor < count1;
}

}  // namespace lacuna::Impl

#endif
