// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVDIAKERNEL_HPP
#define LACUNA_SPMVDIAKERNEL_HPP

#include <Lacuna_DiaMatrix.hpp>
#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

/// \file
/// \brief SpMV in diagonal storage (002, section 5.1, after Bell and Garland): a thread a row, over the diagonals.
/// Neighbouring threads read neighbouring elements of the diagonal and of x.

namespace lacuna::Impl {

template <class ScalarType, class Ordinal>
struct SpmvDiaKernel {
  using Scalar = ScalarType;

  const Ordinal* offsets;
  const Scalar* values;
  const std::uint32_t* occupied;
  std::int64_t diagonals;
  std::int64_t stride;
  VectorArguments<Scalar> arguments;
  std::int64_t rows;
  std::int64_t rows_per_team;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t first = team.league_rank() * rows_per_team;
    for (std::int64_t local = team.thread(); local < rows_per_team; local += team.threads()) {
      const std::int64_t row = first + local;
      if (row >= rows) return;
      Scalar sum(0);
      std::int64_t k = row;
      for (std::int64_t diagonal = 0; diagonal < diagonals; ++diagonal, k += stride) {
        // Where nothing is stored nothing is multiplied; there the column may also lie outside.
        if ((occupied[k / 32] >> (k % 32) & 1u) == 0) continue;
        sum += values[k] * read_vector<VectorRead::cached, typename Team::lanes>(
                               arguments.x, row + static_cast<std::int64_t>(offsets[diagonal]));
      }
      arguments.write(row, sum);
    }
  }
};

/// y = alpha A x + beta y. Adds by ascending diagonal: deterministic. `shape.lanes_per_row` is not used. Does not
/// fence.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
void spmv_dia(const ExecutionSpace& exec, const DiaMatrix<Scalar, Ordinal, Device, Offset>& A,
              const VectorArguments<Scalar>& arguments, SpmvShape shape) {
  shape.lanes_per_row  = 1;
  const RowShape split = row_shape<ExecutionSpace>("spmv", A.rows, shape, 1);
  launch_teams(exec, "Lacuna::spmv::dia", split.teams(), 0,
               SpmvDiaKernel<Scalar, Ordinal>{A.offsets.data(), A.values.data(), A.occupied.data(), A.diagonals(),
                                              A.stride, arguments, split.rows, split.rows_per_team});
}

}  // namespace lacuna::Impl

#endif
