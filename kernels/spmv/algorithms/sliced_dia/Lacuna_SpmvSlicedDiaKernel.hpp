// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSLICEDDIAKERNEL_HPP
#define LACUNA_SPMVSLICEDDIAKERNEL_HPP

#include <Lacuna_SlicedDiaMatrix.hpp>
#include <formats/impl/sliced_dia/Lacuna_SlicedDiaWalk.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>
#include <kernels/spmv/algorithms/sliced_dia/Lacuna_SpmvSlicedDiaPolicy.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief SpMV of diagonals within slices of 32 rows.

namespace lacuna::Impl {

/// A lane a row, 32 lanes a slice; where there are few slices, `shares` times 32 that share its diagonals, summed in
/// scratch in the order of the shares.
///
/// Bound: bytes. Of a diagonal, 32 values, an offset and a mask are read, once: 4.25 bytes a nonzero in float, 8.25 in
/// double, where all entries exist. Values are one load, contiguous over the lanes, and so is the gather of x; offset
/// and mask are the same for all lanes. All loads of a round are started before the first is used; rounds are small and
/// registers few, for what hides latency is many lanes.
template <class ExecutionSpace, class Matrix, int Unroll>
struct SpmvSlicedDiaKernel {
  using Scalar   = typename Matrix::Scalar;
  using Ordinal  = typename Matrix::Ordinal;
  using lanes    = typename ExecutionTraits<ExecutionSpace>::lanes;
  using Value    = Pack<Scalar, 1>;
  using Diagonal = typename Matrix::Diagonal;

  static constexpr int rows_per_slice = Matrix::rows_per_slice;
  static constexpr bool is_gpu        = ExecutionTraits<ExecutionSpace>::is_gpu;

  VectorArguments<Scalar> arguments;
  const std::int32_t* slice_begin;
  const Diagonal* diagonals;
  const Value* values;
  std::int64_t slices;
  Ordinal rows;
  int group;
  int uniform_diagonals;
  int shares;  ///< a power of two

  SpmvSlicedDiaKernel(const Matrix& dia, const VectorArguments<Scalar>& args, int shares)
      : arguments(args),
        slice_begin(dia.slice_begin.data()),
        diagonals(dia.diagonals.data()),
        values(reinterpret_cast<const Value*>(dia.values.data())),
        slices(dia.slices()),
        rows(dia.rows),
        group(dia.group),
        uniform_diagonals(dia.uniform_diagonals),
        shares(shares) {}

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (is_gpu) {
      if (shares > 1)
        multiply_in_parts(team);
      else
        multiply_by_lanes(team);
    } else {
      multiply_by_thread(team.league_rank());
    }
  }

 private:
  struct Range {
    std::int32_t begin, end;
  };

  KOKKOS_FORCEINLINE_FUNCTION Range diagonals_of(std::int64_t slice) const {
    if (uniform_diagonals == 0) return {slice_begin[slice], slice_begin[slice + 1]};
    const std::int32_t begin = static_cast<std::int32_t>(slice) * uniform_diagonals;
    return {begin, begin + uniform_diagonals};
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_by_lanes(const Team& team) const {
    const int lane           = team.thread() % rows_per_slice;
    const int at_once        = team.threads() / rows_per_slice;
    const std::int64_t slice = static_cast<std::int64_t>(team.league_rank()) * at_once + team.thread() / rows_per_slice;
    if (slice >= slices) return;
    const std::int64_t row = slice * rows_per_slice + lane;
    const Scalar sum       = sum_of(diagonals_of(slice), lane, sliced_dia_base<Ordinal>(row, group));
    if (row < static_cast<std::int64_t>(rows)) arguments.write(row, sum);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_in_parts(const Team& team) const {
    const int lane           = team.thread() % rows_per_slice;
    const int unit           = team.thread() / rows_per_slice;
    const int share          = unit % shares;
    const int at_once        = team.threads() / rows_per_slice / shares;
    const std::int64_t slice = static_cast<std::int64_t>(team.league_rank()) * at_once + unit / shares;
    const std::int64_t row   = slice * rows_per_slice + lane;
    Scalar* const sums       = team.template scratch<Scalar>(static_cast<std::size_t>(team.threads()));
    Scalar sum(0);
    if (slice < slices) {
      Range range     = diagonals_of(slice);
      const int n     = range.end - range.begin;
      const int most  = (n + shares - 1) / shares;
      const int begin = share * most < n ? share * most : n;
      range.end       = range.begin + (begin + most < n ? begin + most : n);
      range.begin += begin;
      sum = sum_of(range, lane, sliced_dia_base<Ordinal>(row, group));
    }
    if (share > 0) sums[team.thread()] = sum;
    team.barrier();
    if (share > 0 || row >= static_cast<std::int64_t>(rows)) return;
    for (int other = 1; other < shares; ++other) sum += sums[team.thread() + other * rows_per_slice];
    arguments.write(row, sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar sum_of(Range range, int lane, Ordinal base) const {
    Scalar sum(0);
    std::int32_t d = range.begin;
    for (; d + Unroll <= range.end; d += Unroll) add_unrolled<true>(d, Unroll, lane, base, sum);
    if (d < range.end) add_unrolled<false>(d, range.end - d, lane, base, sum);
    return sum;
  }

  /// Whether a diagonal is behind the end is the same for all lanes. Values of entries that do not exist are 0, and so
  /// is what is taken for x there.
  template <bool IsWhole>
  KOKKOS_FORCEINLINE_FUNCTION void add_unrolled(std::int32_t first, int left, int lane, Ordinal base,
                                                Scalar& sum) const {
    const std::uint32_t bit = std::uint32_t{1} << lane;
    const Value* const here = values + static_cast<std::int64_t>(first) * rows_per_slice + lane;
    Value value[Unroll];
    Scalar x[Unroll];
    LACUNA_UNROLL
    for (int b = 0; b < Unroll; ++b) {
      value[b].value[0] = Scalar(0);
      if (IsWhole || b < left) value[b] = lanes::load_streaming(here + b * rows_per_slice);
    }
    LACUNA_UNROLL
    for (int b = 0; b < Unroll; ++b) {
      x[b] = Scalar(0);
      if (!IsWhole && b >= left) continue;
      const Diagonal diagonal = lanes::load_cached(diagonals + first + b);
      if ((diagonal.mask & bit) != 0) x[b] = arguments.x[base + diagonal.offset];
    }
    LACUNA_UNROLL
    for (int b = 0; b < Unroll; ++b) sum += value[b].value[0] * x[b];
  }

  /// All rows of a slice at once, diagonal by diagonal.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_by_thread(std::int64_t slice) const {
    Scalar sums[rows_per_slice];
    Ordinal base[rows_per_slice];
    const std::int64_t first = slice * rows_per_slice;
    for (int r = 0; r < rows_per_slice; ++r) {
      sums[r] = Scalar(0);
      base[r] = sliced_dia_base<Ordinal>(first + r, group);
    }
    const Range range = diagonals_of(slice);
    for (std::int64_t d = range.begin; d < range.end; ++d) {
      const Value* const here  = values + d * rows_per_slice;
      const std::uint32_t mask = diagonals[d].mask;
      const Ordinal offset     = diagonals[d].offset;
      if (mask == ~std::uint32_t{0} && group == 1) {
        for (int r = 0; r < rows_per_slice; ++r) sums[r] += here[r].value[0] * arguments.x[first + r + offset];
      } else {
        for (int r = 0; r < rows_per_slice; ++r)
          if ((mask >> r & 1u) != 0) sums[r] += here[r].value[0] * arguments.x[base[r] + offset];
      }
    }
    const auto left = static_cast<std::int64_t>(rows) - first;
    for (int r = 0; r < rows_per_slice && r < left; ++r) arguments.write(first + r, sums[r]);
  }
};

/// How many times 32 lanes share a slice: doubled until `SpmvSlicedDiaPolicy::fill` of the device's threads have
/// something to do, as long as each keeps `SpmvSlicedDiaPolicy::least` diagonals. A power of two, at most `most`.
inline int sliced_dia_shares(std::int64_t slices, std::int64_t diagonals, std::int64_t concurrency, int most) {
  int shares = 1;
  while (2 * shares <= most &&
         static_cast<double>(slices * sliced_dia_rows * shares) <
             SpmvSlicedDiaPolicy::fill * static_cast<double>(concurrency) &&
         diagonals >= 2 * shares * SpmvSlicedDiaPolicy::least * slices)
    shares *= 2;
  return shares;
}

template <class ExecutionSpace, int Unroll, class Matrix>
void start_spmv_sliced_dia(const ExecutionSpace& exec, const Matrix& dia,
                           const VectorArguments<typename Matrix::Scalar>& arguments, SpmvShape shape) {
  using Scalar               = typename Matrix::Scalar;
  using Body                 = SpmvSlicedDiaKernel<ExecutionSpace, Matrix, Unroll>;
  constexpr int most_threads = SpmvSlicedDiaPolicy::team;
  // As many lanes as the device holds, which bounds their registers; only CUDA counts in teams there.
  constexpr int least_teams =
      DeviceLaunch<ExecutionSpace>::is_possible ? SpmvSlicedDiaPolicy::teams(sizeof(Scalar)) : 1;
  const std::int64_t slices = dia.slices();
  const int wanted          = shape.team_size > 0 ? std::min(shape.team_size, most_threads) : most_threads;
  const int threads         = team_threads<ExecutionSpace>(wanted);
  const int units           = threads / sliced_dia_rows;
  int shares                = shape.lanes_per_row;
  if (shares <= 0) shares = sliced_dia_shares(slices, dia.diagonal_count(), exec.concurrency(), units);
  while (shares > units || units % shares != 0) shares /= 2;
  const std::size_t scratch = shares > 1 ? static_cast<std::size_t>(threads) * sizeof(Scalar) : 0;
  launch_teams<most_threads, least_teams>(exec, "Lacuna::spmv::sliced_dia",
                                          {ceiling_quotient(slices * shares, units), threads}, scratch,
                                          Body(dia, arguments, shares));
}

/// y = alpha A x + beta y for diagonals within slices. `shape.lanes_per_row`: how many times 32 lanes share a slice, as
/// far as the team allows. Does not fence.
template <class ExecutionSpace, class Matrix>
void spmv_sliced_dia(const ExecutionSpace& exec, const Matrix& dia,
                     const VectorArguments<typename Matrix::Scalar>& arguments, SpmvShape shape) {
  constexpr std::size_t size = sizeof(typename Matrix::Scalar);
  constexpr int unroll = SpmvSlicedDiaPolicy::unroll(size), other = SpmvSlicedDiaPolicy::other_unroll(size);
  if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu)
    launch_teams(exec, "Lacuna::spmv::sliced_dia", {dia.slices(), 1}, 0,
                 SpmvSlicedDiaKernel<ExecutionSpace, Matrix, 1>(dia, arguments, 1));
  else if (SpmvSlicedDiaPolicy::takes_other(size, dia.diagonal_count(), dia.slices()))
    start_spmv_sliced_dia<ExecutionSpace, other>(exec, dia, arguments, shape);
  else
    start_spmv_sliced_dia<ExecutionSpace, unroll>(exec, dia, arguments, shape);
}

}  // namespace lacuna::Impl

#endif
