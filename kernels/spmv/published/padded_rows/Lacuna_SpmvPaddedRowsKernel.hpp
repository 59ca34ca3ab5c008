// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPADDEDROWSKERNEL_HPP
#define LACUNA_SPMVPADDEDROWSKERNEL_HPP

#include <Lacuna_PaddedRowsMatrix.hpp>
#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

/// \file
/// \brief SpMV with rows padded to a multiple of 16 (002, section 4, the second solution of "aligned global memory
/// access"): no unaligned head to take apart. x through the read-only cache.

namespace lacuna::Impl {

template <class ScalarType, class Ordinal, class Offset>
struct SpmvPaddedRowsKernel {
  using Scalar = ScalarType;
  using Index  = std::make_unsigned_t<Offset>;

  const Offset* row_map;
  const Ordinal* entries;
  const Scalar* values;
  VectorArguments<Scalar> arguments;
  std::int64_t rows;
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
      Scalar sum(0);
      if (row < rows) {
        const Index end = row_map[row + 1];
        for (Index k = static_cast<Index>(row_map[row]) + lane; k < end; k += lanes) {
          const Ordinal column = entries[k];
          if (column >= 0)
            sum += values[k] * read_vector<VectorRead::cached, typename Team::lanes>(arguments.x, column);
        }
      }
      sum = sum_in_scratch(team, partial, sum, lanes);
      if (row < rows && lane == 0) arguments.write(row, sum);
    }
  }
};

/// y = alpha A x + beta y with `lanes_per_row` threads a row (16 unless told). Padding is skipped, so Inf and NaN in x
/// reach only rows that use them. Deterministic for a given shape. Does not fence.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
void spmv_padded_rows(const ExecutionSpace& exec, const PaddedRowsMatrix<Scalar, Ordinal, Device, Offset>& A,
                      const VectorArguments<Scalar>& arguments, SpmvShape shape) {
  const RowShape split = row_shape<ExecutionSpace>("spmv", A.rows, shape, 16);
  launch_teams(exec, "Lacuna::spmv::padded_rows", split.teams(), split.threads * sizeof(Scalar),
               SpmvPaddedRowsKernel<Scalar, Ordinal, Offset>{A.row_map.data(), A.entries.data(), A.values.data(),
                                                             arguments, split.rows, split.rows_per_team, split.lanes});
}

}  // namespace lacuna::Impl

#endif
