// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_REPACK_HPP
#define LACUNA_SPMM_REPACK_HPP

#include <Lacuna_Launch.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_Arguments.hpp>

#include <cstdint>
#include <limits>

/// \file
/// \brief B copied to rows that start at multiples of 16 bytes, whatever its strides are.

namespace lacuna::Impl {

/// Columns of a packed row: `columns` up to the next multiple of 16 bytes (and of 16 elements where there are as many).
inline std::int64_t packed_row(std::int64_t columns, std::size_t scalar_bytes) {
  return round_up(columns, scalar_bytes >= 16 ? 1 : 16 / static_cast<std::int64_t>(scalar_bytes));
}

/// Squares of 32 × 32. A column-major block goes through scratch, so that both sides are contiguous over the lanes.
template <class ExecutionSpace, class Scalar>
struct RepackBlock {
  static constexpr int side = 32;
  DenseBlock<const Scalar> from;
  Scalar* to;
  std::int64_t row;  // elements from one row of `to` to the next; what is behind the last column becomes 0
  std::int64_t squares_per_row;

  static std::size_t scratch_bytes() { return sizeof(Scalar) * side * (side + 1) + 64; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t first_row    = team.league_rank() / squares_per_row * side;
    const std::int64_t first_column = team.league_rank() % squares_per_row * side;
    const int height                = static_cast<int>(from.rows - first_row < side ? from.rows - first_row : side);
    const int width                 = static_cast<int>(row - first_column < side ? row - first_column : side);
    Scalar* square                  = team.template scratch<Scalar>(side * (side + 1));
    const auto value                = [&](int i, int j) {
      return first_column + j < from.columns ? from(first_row + i, first_column + j) : Scalar(0);
    };
    if (from.row_major()) {
      for (int k = team.thread(); k < height * width; k += team.threads())
        to[(first_row + k / width) * row + first_column + k % width] = value(k / width, k % width);
      return;
    }
    for (int k = team.thread(); k < height * width; k += team.threads())
      square[k / height * (side + 1) + k % height] = value(k % height, k / height);
    team.barrier();
    for (int k = team.thread(); k < height * width; k += team.threads())
      to[(first_row + k / width) * row + first_column + k % width] = square[k % width * (side + 1) + k / width];
  }
};

/// Copies B to rows of `packed_row` elements at `to` and returns it as a block there. Does not fence.
template <class ExecutionSpace, class Scalar>
DenseBlock<const Scalar> repack(const ExecutionSpace& exec, const DenseBlock<const Scalar>& B, Scalar* to) {
  using Kernel             = RepackBlock<ExecutionSpace, Scalar>;
  const std::int64_t row   = packed_row(B.columns, sizeof(Scalar));
  const std::int64_t width = ceiling_quotient(row, Kernel::side), height = ceiling_quotient(B.rows, Kernel::side);
  launch_teams<256>(exec, "Lacuna::spmm::repack", {checked_product("spmm", width, height), 256},
                    Kernel::scratch_bytes(), Kernel{B, to, row, width});
  return {to, row, 1, B.rows, B.columns};
}

}  // namespace lacuna::Impl

#endif
