// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_ROWLANES_HPP
#define LACUNA_SPMV_ROWLANES_HPP

#include <kernels/spmv/impl/Lacuna_Spmv_CrsStream.hpp>
#include <kernels/spmv/tuning/Lacuna_Spmv_Tuning.hpp>

namespace lacuna::Impl {

/// A few lanes a row, packs of 16 bytes contiguous over them. Bound: bytes of the CSR arrays; what is lost on it are
/// idle lanes in the last round of a row, so the lanes follow the mean row length.
template <class ExecutionSpace, class Arrays>
struct SpmvRowLanes {
  using Scalar = typename Arrays::Scalar;
  using Offset = typename Arrays::Offset;
  using Stream = CrsStream<ExecutionSpace, Arrays>;

  Arrays A;
  Stream stream;
  SpmvArguments<Scalar> arguments;
  int lanes_per_row;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t thread = static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread();
    const std::int64_t row    = thread / lanes_per_row;
    const int lane            = static_cast<int>(thread % lanes_per_row);
    Scalar sum(0);
    if (row < static_cast<std::int64_t>(A.rows)) {
      const Offset begin = A.row_map[row];
      const Offset end   = A.row_map[row + 1];
      if (begin < end)
        stream.template products<SpmvTuning::row_lanes_packs>(
            begin / Stream::width + lane, lanes_per_row, (end - 1) / Stream::width, arguments.x,
            [&](Offset pack, const typename Stream::Values& products) {
              for (int i = 0; i < Stream::width; ++i) {
                const Offset nonzero = pack * Stream::width + i;
                if (nonzero >= begin && nonzero < end) sum += products.value[i];
              }
            });
    }
    sum = Team::sum_lanes(sum, lanes_per_row);
    if (lane == 0 && row < static_cast<std::int64_t>(A.rows)) arguments.write(row, sum);
  }
};

/// Lanes for rows of `mean` nonzeros, when a lane takes `width` of them at once.
inline int lanes_for_mean(double mean, int width, int lane_width) {
  int lanes = 1;
  while (lanes < lane_width && lanes < 32 && lanes * width * SpmvTuning::packs_per_lane < mean) lanes *= 2;
  return lanes;
}

template <class ExecutionSpace, class Arrays>
void spmv_row_lanes(const ExecutionSpace& exec, const Arrays& A,
                    const SpmvArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
  using Kernel             = SpmvRowLanes<ExecutionSpace, Arrays>;
  constexpr int lane_width = ExecutionTraits<ExecutionSpace>::lane_width;
  const double mean        = A.rows > 0 ? static_cast<double>(A.nonzeros) / static_cast<double>(A.rows) : 0.0;
  const int wanted =
      shape.lanes_per_row > 0 ? shape.lanes_per_row : lanes_for_mean(mean, Kernel::Stream::width, lane_width);
  const int lanes   = wanted < lane_width ? wanted : lane_width;
  const int threads = team_threads<ExecutionSpace>(shape.team_size > 0 ? shape.team_size : SpmvTuning::row_lanes_team);
  const auto teams  = ceiling_quotient(checked_product("spmv", A.rows, lanes), threads);
  launch_teams(exec, "Lacuna::spmv::row_lanes", {teams, threads}, 0,
               Kernel{A, typename Kernel::Stream(A), arguments, lanes});
}

}  // namespace lacuna::Impl

#endif
