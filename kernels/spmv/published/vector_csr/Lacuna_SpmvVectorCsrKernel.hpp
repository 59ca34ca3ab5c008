// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVVECTORCSRKERNEL_HPP
#define LACUNA_SPMVVECTORCSRKERNEL_HPP

#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

/// \file
/// \brief Vector CSR (002, section 5.1, after Bell and Garland): a warp a row, no care for alignment, x cached or
/// not. The partial sums are added by lane shuffles, what a warp does today where it used scratch then.

namespace lacuna::Impl {

template <class Arrays, VectorRead read>
struct SpmvVectorCsrKernel {
  using Scalar = typename Arrays::Scalar;

  Arrays A;
  VectorArguments<Scalar> arguments;
  std::int64_t rows_per_team;
  int lanes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int lane           = team.thread() % lanes;
    const int rows_at_once   = team.threads() / lanes;
    const std::int64_t first = team.league_rank() * rows_per_team;
    for (std::int64_t batch = 0; batch < rows_per_team; batch += rows_at_once) {
      const std::int64_t row = first + batch + team.thread() / lanes;
      const bool exists      = row < static_cast<std::int64_t>(A.rows);
      Scalar sum(0);
      if (exists) sum = sum_of_products<read, Team>(A, arguments.x, A.row_map[row], A.row_map[row + 1], lane, lanes);
      sum = Team::sum_lanes(sum, lanes);
      if (exists && lane == 0) arguments.write(row, sum);
    }
  }
};

/// y = alpha A x + beta y with 32 lanes a row (a host: one). Deterministic. `shape.lanes_per_row` is not used. Does not
/// fence.
template <class ExecutionSpace, class Arrays>
void spmv_vector_csr(const ExecutionSpace& exec, const Arrays& A,
                     const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
  shape.lanes_per_row  = std::min(32, ExecutionTraits<ExecutionSpace>::lane_width);
  const RowShape split = row_shape<ExecutionSpace>("spmv", A.rows, shape, 32);
  if (shape.x_past_cache)
    launch_teams(exec, "Lacuna::spmv::vector_csr", split.teams(), 0,
                 SpmvVectorCsrKernel<Arrays, VectorRead::l2_only>{A, arguments, split.rows_per_team, split.lanes});
  else
    launch_teams(exec, "Lacuna::spmv::vector_csr", split.teams(), 0,
                 SpmvVectorCsrKernel<Arrays, VectorRead::cached>{A, arguments, split.rows_per_team, split.lanes});
}

}  // namespace lacuna::Impl

#endif
