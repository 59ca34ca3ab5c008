// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSUMS_HPP
#define LACUNA_DIAGONALSUMS_HPP

#include <Lacuna_CdmMatrix.hpp>
#include <Lacuna_HmMatrix.hpp>
#include <Lacuna_Options.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

/// \file
/// \brief The diagonals of a product: all sums of one of A's and one of B's (003, 6.1 and 6.2). On the host, before
/// anything runs.

namespace lacuna::Impl {

/// Numbers first … last that follow each other.
struct DiagonalRun {
  std::int64_t first;
  std::int64_t last;
};

/// Ascending numbers as runs.
inline std::vector<DiagonalRun> runs_of(const DiagonalList& ascending) {
  std::vector<DiagonalRun> runs;
  for (const std::int64_t offset : ascending) {
    if (runs.empty() || runs.back().last + 1 < offset)
      runs.push_back({offset, offset});
    else
      runs.back().last = offset;
  }
  return runs;
}

/// The sums of two lists that lie in [least, most], ascending, each once. Few runs are added as such, many numbers by
/// marks.
inline DiagonalList sums_of(const DiagonalList& left, const DiagonalList& right, std::int64_t least,
                            std::int64_t most) {
  DiagonalList sums;
  if (left.empty() || right.empty() || least > most) return sums;
  constexpr std::size_t few_runs            = 4096;
  const std::vector<DiagonalRun> left_runs  = runs_of(left);
  const std::vector<DiagonalRun> right_runs = runs_of(right);
  if (left_runs.size() * right_runs.size() <= few_runs) {
    std::vector<DiagonalRun> runs;
    for (const DiagonalRun& a : left_runs)
      for (const DiagonalRun& b : right_runs) runs.push_back({a.first + b.first, a.last + b.last});
    std::sort(runs.begin(), runs.end(), [](const DiagonalRun& a, const DiagonalRun& b) { return a.first < b.first; });
    std::int64_t next = least;
    for (const DiagonalRun& run : runs)
      for (next = std::max(next, run.first); next <= std::min(run.last, most); ++next) sums.push_back(next);
    return sums;
  }
  const std::int64_t first = left.front() + right.front();
  const std::int64_t last  = left.back() + right.back();
  std::vector<char> marks(static_cast<std::size_t>(last - first + 1), 0);
  for (const std::int64_t a : left) {
    char* const from = marks.data() + (a - first);
    for (const std::int64_t b : right) from[b] = 1;
  }
  for (std::int64_t sum = std::max(first, least); sum <= std::min(last, most); ++sum)
    if (marks[static_cast<std::size_t>(sum - first)] != 0) sums.push_back(sum);
  return sums;
}

/// Numbers of [0, 2 n - 2] modulo n, ascending, each once.
inline DiagonalList wrapped(DiagonalList numbers, std::int64_t n) {
  for (std::int64_t& number : numbers) number -= number >= n ? n : 0;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// The diagonals of op(X), ascending. HM lists those below 0 behind the others, from -1 on.
template <class S, class O, class D, class F>
DiagonalList diagonals_of(Op op, const HmMatrix<S, O, D, F>& X) {
  const O* const first = X.host_Ds.data();
  const O* const last  = first + X.host_Ds.extent(0);
  const O* const below = std::find_if(first, last, [](O offset) { return offset < 0; });
  DiagonalList list(std::make_reverse_iterator(last), std::make_reverse_iterator(below));
  list.insert(list.end(), first, below);
  if (op != Op::none) {
    std::reverse(list.begin(), list.end());
    for (std::int64_t& offset : list) offset = -offset;
  }
  return list;
}
template <class S, class O, class D, class F>
DiagonalList diagonals_of(Op op, const CdmMatrix<S, O, D, F>& X) {
  DiagonalList list(X.host_Ds.data(), X.host_Ds.data() + X.host_Ds.extent(0));
  if (op != Op::none)
    for (std::int64_t& offset : list) offset = offset > 0 ? static_cast<std::int64_t>(X.rows) - offset : 0;
  if (op != Op::none) std::reverse(list.begin() + (!list.empty() && list.front() == 0 ? 1 : 0), list.end());
  return list;
}

/// Those of a product of `rows` x `columns`.
template <class S, class O, class D, class F>
DiagonalList product_diagonals(const HmMatrix<S, O, D, F>&, const DiagonalList& a, const DiagonalList& b,
                               std::int64_t rows, std::int64_t columns) {
  return sums_of(a, b, 1 - rows, columns - 1);
}
template <class S, class O, class D, class F>
DiagonalList product_diagonals(const CdmMatrix<S, O, D, F>&, const DiagonalList& a, const DiagonalList& b,
                               std::int64_t rows, std::int64_t) {
  return wrapped(sums_of(a, b, 0, 2 * rows - 2), rows);
}

template <class S, class O, class D, class F, class ExecutionSpace>
HmMatrix<S, O, D, F> new_product(const char* function, const ExecutionSpace& exec, const HmMatrix<S, O, D, F>&,
                                 std::int64_t rows, std::int64_t columns, const DiagonalList& diagonals,
                                 std::size_t memory_limit) {
  return new_hm<HmMatrix<S, O, D, F>>(function, exec, static_cast<O>(rows), static_cast<O>(columns), diagonals, -1,
                                      memory_limit);
}
template <class S, class O, class D, class F, class ExecutionSpace>
CdmMatrix<S, O, D, F> new_product(const char* function, const ExecutionSpace& exec, const CdmMatrix<S, O, D, F>&,
                                  std::int64_t rows, std::int64_t, const DiagonalList& diagonals,
                                  std::size_t memory_limit) {
  return new_cdm<CdmMatrix<S, O, D, F>>(function, exec, static_cast<O>(rows), diagonals, -1, memory_limit);
}

}  // namespace lacuna::Impl

#endif
