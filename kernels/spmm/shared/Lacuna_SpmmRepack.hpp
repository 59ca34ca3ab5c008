// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMREPACK_HPP
#define LACUNA_SPMMREPACK_HPP

#include <backends/Lacuna_Launch.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmHostRepack.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief B copied to rows that start at multiples of 16 bytes, whatever its strides are; where asked for, rounded to
/// the elements that a matrix engine reads.

namespace lacuna::Impl {

/// Columns of a packed row: `columns` up to the next multiple of 32 bytes, what caches read at least; where 16 bytes
/// hold them, as many as do; in long rows up to whole cache lines of 128 bytes.
inline std::int64_t packed_row(std::int64_t columns, std::size_t scalar_bytes) {
  const auto size         = static_cast<std::int64_t>(scalar_bytes);
  const std::int64_t used = columns * size;
  return round_up(used, used <= 16 ? 16 : used < 1024 ? 32 : 128) / size;
}

/// Makes elements of `To` from those of `From`. `Rounding`: an operand format, void where they are the same type.
template <class From, class To, class Rounding>
KOKKOS_FORCEINLINE_FUNCTION To repacked(const From& value) {
  if constexpr (std::is_void_v<Rounding>)
    return value;
  else
    return Rounding::store(static_cast<float>(value));
}

/// A row-major block: an index is 16 bytes of a packed row; what is behind the last column becomes 0.
template <class Scalar, class To = Scalar, class Rounding = void>
struct RepackRows {
  static constexpr int width = std::max<int>(1, 16 / static_cast<int>(sizeof(To)));
  DenseBlock<const Scalar> from;
  Pack<To, width>* to;
  std::int64_t packs;  // of a packed row

  KOKKOS_FUNCTION void operator()(const std::int64_t index) const {
    // Division of 64 bits takes longer than the copy.
    const bool small           = index < std::int64_t{1} << 31;
    const std::int64_t line    = small ? static_cast<int>(index) / static_cast<int>(packs) : index / packs;
    const std::int64_t column  = (index - line * packs) * width;
    const Scalar* const source = from.at(line, column);
    Pack<To, width> pack;
    for (int i = 0; i < width; ++i)
      pack.value[i] = repacked<Scalar, To, Rounding>(column + i < from.columns ? source[i] : Scalar(0));
    to[index] = pack;
  }
};

/// Any other block by lanes, by squares of 32 × 32 that go through scratch, so that both sides are contiguous over the
/// lanes of a column-major one.
template <class ExecutionSpace, class Scalar, class To = Scalar, class Rounding = void>
struct RepackBlock {
  static constexpr int side = 32;
  DenseBlock<const Scalar> from;
  To* to;
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
    for (int k = team.thread(); k < height * width; k += team.threads())
      square[k / height * (side + 1) + k % height] = value(k % height, k / height);
    team.barrier();
    for (int k = team.thread(); k < height * width; k += team.threads())
      to[(first_row + k / width) * row + first_column + k % width] =
          repacked<Scalar, To, Rounding>(square[k % width * (side + 1) + k / width]);
  }
};

/// Copies B to rows of `packed_row` elements at `to`, a multiple of 16 bytes, and returns it as a block there. Does not
/// fence.
template <class Rounding = void, class ExecutionSpace, class Scalar, class To>
DenseBlock<const To> repack(const ExecutionSpace& exec, const DenseBlock<const Scalar>& B, To* to) {
  constexpr auto label   = "Lacuna::spmm::repack";
  const std::int64_t row = packed_row(B.columns, sizeof(To));
  if (B.row_major()) {
    using Rows               = RepackRows<Scalar, To, Rounding>;
    const std::int64_t packs = row / Rows::width;
    for_each_index(exec, label, checked_product("spmm", packs, B.rows),
                   Rows{B, reinterpret_cast<Pack<To, Rows::width>*>(to), packs});
  } else if constexpr (runs_lane_kernels<ExecutionSpace>) {
    using Kernel             = RepackBlock<ExecutionSpace, Scalar, To, Rounding>;
    const std::int64_t width = ceiling_quotient(row, Kernel::side), height = ceiling_quotient(B.rows, Kernel::side);
    launch_teams<256>(exec, label, {checked_product("spmm", width, height), 256}, Kernel::scratch_bytes(),
                      Kernel{B, to, row, width});
  } else {
    const auto convert = [](const Scalar& value) { return repacked<Scalar, To, Rounding>(value); };
    using Kernel       = HostRepack<Scalar, To, decltype(convert)>;
    for_each_index(exec, label, ceiling_quotient(B.rows, Kernel::height), Kernel{B, to, row, convert});
  }
  return {to, row, 1, B.rows, B.columns};
}

}  // namespace lacuna::Impl

#endif
