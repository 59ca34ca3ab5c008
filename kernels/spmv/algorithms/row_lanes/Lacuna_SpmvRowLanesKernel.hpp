// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWLANESKERNEL_HPP
#define LACUNA_SPMVROWLANESKERNEL_HPP

#include <kernels/spmv/algorithms/row_lanes/Lacuna_SpmvRowLanesPolicy.hpp>
#include <kernels/spmv/published/shared/Lacuna_CrsStream.hpp>

namespace lacuna::Impl {

/// A few lanes a row, packs of 16 bytes contiguous over them. Bound: bytes of the CSR arrays; what is lost on it are
/// idle lanes in the last round of a row, so the lanes follow the mean row length. A row that would keep its lanes for
/// more than `rounds` rounds waits until its whole warp is free for it, so a skewed matrix costs
/// little. Each row is added in a fixed order. No barrier, no scratch.
template <class ExecutionSpace, class Arrays>
struct SpmvRowLanesKernel {
  using Scalar = typename Arrays::Scalar;
  using Offset = typename Arrays::Offset;
  using Stream = CrsStream<ExecutionSpace, Arrays>;
  using traits = ExecutionTraits<ExecutionSpace>;
  using lanes  = typename traits::lanes;

  Arrays A;
  Stream stream;
  VectorArguments<Scalar> arguments;
  int lanes_per_row;

  /// Rounds of rows of a team: a host's thread is worth more than a row.
  static constexpr int runs = traits::is_gpu ? 1 : 256;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rows           = team.threads() / lanes_per_row;
    const std::int64_t first = static_cast<std::int64_t>(team.league_rank()) * rows * runs;
    for (int run = 0; run < runs; ++run)
      one_row(team, first + static_cast<std::int64_t>(run) * rows + team.thread() / lanes_per_row);
  }

 private:
  /// Adds the row of a few lanes, then those that waited, one after the other by the whole warp. One loop for
  /// both: the code of a row stands there once, which keeps registers few.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void one_row(const Team& team, std::int64_t row) const {
    int lanes_of_row       = lanes_per_row;
    int lane               = team.thread() % lanes_per_row;
    const bool exists      = row < static_cast<std::int64_t>(A.rows);
    Offset begin           = exists ? A.row_map[row] : Offset(0);
    Offset end             = exists ? A.row_map[row + 1] : Offset(0);
    const auto most        = static_cast<Offset>(SpmvRowLanesPolicy::rounds * Stream::width * lanes_per_row);
    bool waits             = traits::is_gpu && end - begin > most && lane == 0;
    bool writes            = exists && !(traits::is_gpu && end - begin > most);
    const Offset own_begin = begin, own_end = end;
    if (exists && !writes) end = begin;
    for (std::int64_t here = row;;) {
      Scalar sum = stream.template share<SpmvRowLanesPolicy::packs>(begin, end, lane, lanes_of_row, arguments.x);
      sum        = Team::sum_lanes(sum, lanes_of_row);
      if (writes && lane == 0) arguments.write(here, sum);
      if constexpr (!traits::is_gpu) return;
      const int source = lanes::first(waits);
      if (source < 0) return;
      begin        = lanes::shuffle(own_begin, source, Team::lane_width);
      end          = lanes::shuffle(own_end, source, Team::lane_width);
      here         = lanes::shuffle(row, source, Team::lane_width);
      lane         = team.lane();
      lanes_of_row = Team::lane_width;
      writes       = true;
      if (lane == source) waits = false;
    }
  }
};

/// Lanes for rows of `mean` nonzeros, where a lane takes `width` of them at once: a lane then has about
/// `packs_per_lane` packs. Rows of more than `one_lane_mean` nonzeros have two lanes at least.
inline int lanes_for_mean(double mean, int width, int lane_width) {
  int lanes = lane_width > 1 && mean > SpmvRowLanesPolicy::one_lane_mean ? 2 : 1;
  while (lanes < lane_width && lanes < 32 && lanes * width * SpmvRowLanesPolicy::packs_per_lane(width) < mean)
    lanes *= 2;
  return lanes;
}

template <class ExecutionSpace, class Arrays>
void spmv_row_lanes(const ExecutionSpace& exec, const Arrays& A,
                    const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
  using Kernel             = SpmvRowLanesKernel<ExecutionSpace, Arrays>;
  constexpr int lane_width = ExecutionTraits<ExecutionSpace>::lane_width;
  const double mean        = A.rows > 0 ? static_cast<double>(A.nonzeros) / static_cast<double>(A.rows) : 0.0;
  const int wanted =
      shape.lanes_per_row > 0 ? shape.lanes_per_row : lanes_for_mean(mean, Kernel::Stream::width, lane_width);
  const int lanes   = wanted < lane_width ? wanted : lane_width;
  const int threads = team_threads<ExecutionSpace>(shape.team_size > 0 ? shape.team_size : SpmvRowLanesPolicy::team);
  const auto teams  = ceiling_quotient(checked_product("spmv", A.rows, lanes), threads * Kernel::runs);
  launch_teams(exec, "Lacuna::spmv::row_lanes", {teams, threads}, 0,
               Kernel{A, typename Kernel::Stream(A), arguments, lanes});
}

}  // namespace lacuna::Impl

#endif
