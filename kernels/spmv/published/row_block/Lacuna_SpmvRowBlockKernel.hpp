// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWBLOCKKERNEL_HPP
#define LACUNA_SPMVROWBLOCKKERNEL_HPP

#include <Lacuna_RowBlockMatrix.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvRowOrder.hpp>
#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

/// \file
/// \brief SpMV in the block storage of paper 002 (section 4, "exploiting data locality and reuse"): a team a group of
/// rows; the part of x that a block needs is staged in scratch by coalesced loads and used by all rows of the block.

namespace lacuna::Impl {

/// `Rows` says which row of y stands at a position of the storage.
template <class ScalarType, class Ordinal, class Offset, class Rows>
struct SpmvRowBlockKernel {
  using Scalar = ScalarType;
  using Index  = std::make_unsigned_t<Offset>;

  const Offset* group_map;
  const Ordinal* start_columns;
  const Offset* row_map;
  const std::uint16_t* entries;
  const Scalar* values;
  std::uint16_t padding;
  int block_rows;
  int block_columns;
  std::int64_t rows;
  std::int64_t columns;
  VectorArguments<Scalar> arguments;
  int lanes;
  Rows row_of;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Scalar* const x_block    = team.template scratch<Scalar>(block_columns);
    Scalar* const partial    = team.template scratch<Scalar>(block_rows * lanes);
    const std::int64_t group = team.league_rank();
    // The same thread adds to a position of `partial` in every block.
    for (int position = team.thread(); position < block_rows * lanes; position += team.threads())
      partial[position] = Scalar(0);
    const auto last = static_cast<std::int64_t>(group_map[group + 1]);
    for (auto block = static_cast<std::int64_t>(group_map[group]); block < last; ++block) {
      team.barrier();  // the rows no longer read the previous block's part of x
      const auto start        = static_cast<std::int64_t>(start_columns[block]);
      const std::int64_t left = columns - start;
      const int size          = left < block_columns ? static_cast<int>(left) : block_columns;
      for (int i = team.thread(); i < size; i += team.threads())
        x_block[i] = read_vector<VectorRead::cached, typename Team::lanes>(arguments.x, start + i);
      team.barrier();
      for (int position = team.thread(); position < block_rows * lanes; position += team.threads())
        partial[position] += sum_of_row(x_block, block * block_rows + position / lanes, position % lanes);
    }
    for (int delta = lanes / 2; delta > 0; delta /= 2) {
      team.barrier();
      for (int i = team.thread(); i < block_rows * delta; i += team.threads()) {
        const int position = i / delta * lanes + i % delta;
        partial[position] += partial[position + delta];
      }
    }
    team.barrier();
    for (int local = team.thread(); local < block_rows; local += team.threads()) {
      const std::int64_t row = group * block_rows + local;
      if (row < rows) arguments.write(row_of(row), partial[local * lanes]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar sum_of_row(const Scalar* x_block, std::int64_t block_row, int lane) const {
    const Index end = row_map[block_row + 1];
    Scalar sum(0);
    for (Index k = static_cast<Index>(row_map[block_row]) + lane; k < end; k += lanes) {
      const std::uint16_t column = entries[k];
      if (column != padding) sum += values[k] * x_block[column];
    }
    return sum;
  }
};

/// y = alpha A x + beta y with `lanes_per_row` threads a row of a block (16 unless told; fewer where their sums would
/// need more than 8 KiB of scratch). Padding is skipped, so Inf and NaN in x reach only rows that use them.
/// Deterministic for a given shape. Does not fence.
/// \throws NotSupported where a block is too wide for scratch.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset, class Rows = NaturalRows>
void spmv_row_block(const ExecutionSpace& exec, const RowBlockMatrix<Scalar, Ordinal, Device, Offset>& A,
                    const VectorArguments<Scalar>& arguments, SpmvShape shape, const Rows& rows = {}) {
  constexpr std::size_t partial_bytes = 8192;
  const RowShape split                = row_shape<ExecutionSpace>("spmv", A.rows, shape, 16);
  int lanes                           = split.lanes;
  while (lanes > 1 && A.block_rows * lanes * sizeof(Scalar) > partial_bytes) lanes /= 2;
  const std::size_t scratch = (A.block_columns + A.block_rows * lanes) * sizeof(Scalar) + 32;
  if (scratch > ExecutionTraits<ExecutionSpace>::scratch_bytes)
    raise<NotSupported>("spmv", "blocks of ", A.block_columns, " columns need ", scratch,
                        " bytes of scratch a team, this backend has ", ExecutionTraits<ExecutionSpace>::scratch_bytes);
  launch_teams(exec, "Lacuna::spmv::row_block", {A.groups(), split.threads}, scratch,
               SpmvRowBlockKernel<Scalar, Ordinal, Offset, Rows>{
                   A.group_map.data(), A.start_columns.data(), A.row_map.data(), A.entries.data(), A.values.data(),
                   A.padding, A.block_rows, A.block_columns, static_cast<std::int64_t>(A.rows),
                   static_cast<std::int64_t>(A.columns), arguments, lanes, rows});
}

}  // namespace lacuna::Impl

#endif
