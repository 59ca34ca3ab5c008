// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVNAIVEKERNEL_HPP
#define LACUNA_SPMVNAIVEKERNEL_HPP

#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

/// \file
/// \brief SpMV with a thread a row (002, section 4, "exploiting synchronization-free parallelism"): the ground that the
/// other steps of its figure 2 are measured against. Neighbouring threads read far apart, nothing is coalesced.

namespace lacuna::Impl {

template <class Arrays>
struct SpmvNaiveKernel {
  using Scalar = typename Arrays::Scalar;

  Arrays A;
  VectorArguments<Scalar> arguments;
  std::int64_t rows_per_team;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t first = team.league_rank() * rows_per_team;
    for (std::int64_t local = team.thread(); local < rows_per_team; local += team.threads()) {
      const std::int64_t row = first + local;
      if (row >= static_cast<std::int64_t>(A.rows)) return;
      arguments.write(
          row, sum_of_products<VectorRead::l2_only, Team>(A, arguments.x, A.row_map[row], A.row_map[row + 1], 0, 1));
    }
  }
};

/// y = alpha A x + beta y with a thread a row; x past the first-level cache. Adds in the order of storage:
/// deterministic. `shape.lanes_per_row` is not used. Does not fence.
template <class ExecutionSpace, class Arrays>
void spmv_naive(const ExecutionSpace& exec, const Arrays& A, const VectorArguments<typename Arrays::Scalar>& arguments,
                SpmvShape shape) {
  shape.lanes_per_row  = 1;
  const RowShape split = row_shape<ExecutionSpace>("spmv", A.rows, shape, 1);
  launch_teams(exec, "Lacuna::spmv::naive", split.teams(), 0,
               SpmvNaiveKernel<Arrays>{A, arguments, split.rows_per_team});
}

}  // namespace lacuna::Impl

#endif
