// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWRUNS_HPP
#define LACUNA_SPMVROWRUNS_HPP

#include <kernels/spmv/shared/Lacuna_SpmvArguments.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvHostRowsPolicy.hpp>

#include <algorithm>
#include <cstdint>

namespace lacuna::Impl {

/// Hosts: runs of rows of about equally many nonzeros and rows (the merge path of Merrill and Garland, SC'16), several
/// a thread; a thread walks row by row.
template <class Arrays>
struct SpmvRowRuns {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  Arrays A;
  SpmvArguments<Scalar> arguments;
  std::int64_t run;  // keys of a run; row i has the key row_map[i] + i

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t key = static_cast<std::int64_t>(team.league_rank()) * run;
    const Ordinal last     = first_row_from(key + run);
    // Neighbouring elements of x, as nearly always, need no multiplication for their place.
    if (arguments.x.stride_bytes == static_cast<std::int32_t>(sizeof(Scalar)))
      sum_rows(first_row_from(key), last, arguments.x.data);
    else
      sum_rows(first_row_from(key), last, arguments.x);
  }

 private:
  template <class Vector>
  KOKKOS_FORCEINLINE_FUNCTION void sum_rows(Ordinal first, Ordinal last, const Vector& x) const {
    for (Ordinal row = first; row < last; ++row) arguments.write(row, sum_of(A.row_map[row], A.row_map[row + 1], x));
  }

  /// Several sums at a time: one alone would wait for the addition before it.
  template <class Vector>
  KOKKOS_FORCEINLINE_FUNCTION Scalar sum_of(Offset begin, Offset end, const Vector& x) const {
    constexpr int width = SpmvHostRowsPolicy::sums(sizeof(Scalar));
    Scalar sums[width]  = {};
    Offset i            = begin;
    for (; i + width <= end; i += width)
      for (int k = 0; k < width; ++k) sums[k] += A.values[i + k] * x[A.entries[i + k]];
    for (; i < end; ++i) sums[0] += A.values[i] * x[A.entries[i]];
    for (int k = 1; k < width; ++k) sums[0] += sums[k];
    return sums[0];
  }

  KOKKOS_FUNCTION Ordinal first_row_from(std::int64_t key) const {
    Ordinal low = 0, high = A.rows;
    while (low < high) {
      const auto middle = static_cast<Ordinal>(low + (high - low) / 2);
      if (static_cast<std::int64_t>(A.row_map[middle]) + static_cast<std::int64_t>(middle) < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// y = alpha A x + beta y on a host. Deterministic for a number of threads. Does not fence.
template <class ExecutionSpace, class Arrays>
void spmv_row_runs(const ExecutionSpace& exec, const Arrays& A,
                   const SpmvArguments<typename Arrays::Scalar>& arguments) {
  const std::int64_t keys = static_cast<std::int64_t>(A.nonzeros) + static_cast<std::int64_t>(A.rows);
  const std::int64_t run =
      std::max<std::int64_t>(SpmvHostRowsPolicy::least_run, keys / (8 * std::max(1, exec.concurrency())));
  launch_teams(exec, "Lacuna::spmv::row_runs", {keys / run + 1, 1}, 0, SpmvRowRuns<Arrays>{A, arguments, run});
}

}  // namespace lacuna::Impl

#endif
