// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_COLUMNTILE_HPP
#define LACUNA_COLUMNTILE_HPP

#include <kernels/rows/Lacuna_RowTile.hpp>

#include <cstdint>

/// \file
/// \brief The one column of SpMV as a tile of N: the counterpart of `RowTile` for one column.
///
/// A subwarp has one lane along N. Nothing is left to compute or to compare, and the kernel has a third of the
/// arguments, which matters where a call takes few microseconds.
/// Evidence: kernels/rows/tuning.md.

namespace lacuna::Impl {

template <class ExecutionSpace, class Arrays>
class ColumnTile {
 public:
  using Scalar     = typename Arrays::Scalar;
  using Ordinal    = typename Arrays::Ordinal;
  using Arguments  = BlockArguments<Scalar>;
  using Arithmetic = typename Arguments::Arithmetic;
  using lanes      = typename ExecutionTraits<ExecutionSpace>::lanes;
  using Sums       = Arithmetic[1][1];

  static constexpr int lane_width = ExecutionTraits<ExecutionSpace>::lane_width;

  struct LanePosition {
    static constexpr int tile = 0, lane = 0;
  };

  ColumnTile(const Arguments& arguments, const RowsShape&)
      : m_alpha(arguments.alpha),
        m_beta(arguments.beta),
        m_x(reinterpret_cast<const char*>(arguments.B.data)),
        m_y(arguments.C.data),
        m_y_stride(arguments.C.row_stride),
        m_x_bytes(static_cast<std::int32_t>(arguments.B.row_stride * static_cast<std::int64_t>(sizeof(Scalar)))) {}

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int tile_columns() { return 1; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_inside(const LanePosition&) { return true; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position_of_sum(int, int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr LanePosition position(int, int) { return {}; }

  KOKKOS_FORCEINLINE_FUNCTION Pack<Scalar, 1> row_of_b(const LanePosition&, int, Ordinal row) const {
    if constexpr (sizeof(Ordinal) == sizeof(std::int32_t))
      return {*reinterpret_cast<const Scalar*>(lanes::strided(m_x, row, m_x_bytes))};
    else
      return {*reinterpret_cast<const Scalar*>(m_x + static_cast<std::int64_t>(row) * m_x_bytes)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add_product(const Scalar& value, const Pack<Scalar, 1> (&x)[1], Sums& sum) {
    sum[0][0] += static_cast<Arithmetic>(value) * static_cast<Arithmetic>(x[0].value[0]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const LanePosition&, const Sums& sum) const {
    write(row, sum[0][0]);
  }
  /// beta == 0 is a store: NaN in y vanishes.
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const Arithmetic& sum) const {
    Scalar* const y  = m_y + row * m_y_stride;
    Arithmetic value = m_alpha * sum;
    if (m_beta != Arithmetic(0)) value += m_beta * static_cast<Arithmetic>(*y);
    lanes::store_streaming(y, static_cast<Scalar>(value));
  }

 private:
  Arithmetic m_alpha, m_beta;
  const char* m_x;
  Scalar* m_y;
  std::int64_t m_y_stride;
  std::int32_t m_x_bytes;  // from one element of x to the next
};

}  // namespace lacuna::Impl

#endif
