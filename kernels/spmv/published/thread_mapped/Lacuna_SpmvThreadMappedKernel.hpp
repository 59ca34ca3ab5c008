// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVTHREADMAPPEDKERNEL_HPP
#define LACUNA_SPMVTHREADMAPPEDKERNEL_HPP

#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

/// \file
/// \brief SpMV with several threads a row (002, section 4, "optimized thread mapping"): consecutive threads take
/// consecutive nonzeros, cyclically, and their partial sums are added in scratch.

namespace lacuna::Impl {

template <class Arrays>
struct SpmvThreadMappedKernel {
  using Scalar = typename Arrays::Scalar;

  Arrays A;
  VectorArguments<Scalar> arguments;
  std::int64_t rows_per_team;
  int lanes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Scalar* const partial    = team.template scratch<Scalar>(team.threads());
    const int lane           = team.thread() % lanes;
    const int rows_at_once   = team.threads() / lanes;
    const std::int64_t first = team.league_rank() * rows_per_team;
    for (std::int64_t batch = 0; batch < rows_per_team; batch += rows_at_once) {
      const std::int64_t row = first + batch + team.thread() / lanes;
      const bool exists      = row < static_cast<std::int64_t>(A.rows);
      Scalar sum(0);
      if (exists)
        sum =
            sum_of_products<VectorRead::l2_only, Team>(A, arguments.x, A.row_map[row], A.row_map[row + 1], lane, lanes);
      sum = sum_in_scratch(team, partial, sum, lanes);
      if (exists && lane == 0) arguments.write(row, sum);
    }
  }
};

/// y = alpha A x + beta y with `lanes_per_row` threads a row (16 unless told; the paper's half warp), x past the
/// first-level cache. Deterministic for a given shape. Does not fence.
template <class ExecutionSpace, class Arrays>
void spmv_thread_mapped(const ExecutionSpace& exec, const Arrays& A,
                        const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
  const RowShape split = row_shape<ExecutionSpace>("spmv", A.rows, shape, 16);
  launch_teams(exec, "Lacuna::spmv::thread_mapped", split.teams(), split.threads * sizeof(typename Arrays::Scalar),
               SpmvThreadMappedKernel<Arrays>{A, arguments, split.rows_per_team, split.lanes});
}

}  // namespace lacuna::Impl

#endif
