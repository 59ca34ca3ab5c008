// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVELLKERNEL_HPP
#define LACUNA_SPMVELLKERNEL_HPP

#include <Lacuna_EllMatrix.hpp>
#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

/// \file
/// \brief SpMV in ELLPACK (002, section 5.1, after Bell and Garland): a thread a row, neighbouring threads read
/// neighbouring positions. x through the read-only cache, or past it.

namespace lacuna::Impl {

template <class ScalarType, class Ordinal, VectorRead read>
struct SpmvEllKernel {
  using Scalar = ScalarType;

  const Ordinal* column_indices;
  const Scalar* values;
  std::int64_t width;
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
      for (std::int64_t position = 0; position < width; ++position, k += stride) {
        const Ordinal column = column_indices[k];
        if (column < 0) break;  // the first padding ends a row
        sum += values[k] * read_vector<read, typename Team::lanes>(arguments.x, column);
      }
      arguments.write(row, sum);
    }
  }
};

/// y = alpha A x + beta y. Adds in the order of storage: deterministic. `shape.lanes_per_row` is not used. Does not
/// fence.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
void spmv_ell(const ExecutionSpace& exec, const EllMatrix<Scalar, Ordinal, Device, Offset>& A,
              const VectorArguments<Scalar>& arguments, SpmvShape shape) {
  shape.lanes_per_row  = 1;
  const RowShape split = row_shape<ExecutionSpace>("spmv", A.rows, shape, 1);
  const auto launch    = [&]<VectorRead read>(std::integral_constant<VectorRead, read>) {
    launch_teams(exec, "Lacuna::spmv::ell", split.teams(), 0,
                    SpmvEllKernel<Scalar, Ordinal, read>{A.column_indices.data(), A.values.data(), A.width, A.stride,
                                                      arguments, split.rows, split.rows_per_team});
  };
  if (shape.x_past_cache)
    launch(std::integral_constant<VectorRead, VectorRead::l2_only>());
  else
    launch(std::integral_constant<VectorRead, VectorRead::cached>());
}

}  // namespace lacuna::Impl

#endif
