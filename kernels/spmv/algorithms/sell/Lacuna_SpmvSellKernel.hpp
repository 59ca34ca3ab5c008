// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVSELLKERNEL_HPP
#define LACUNA_SPMVSELLKERNEL_HPP

#include <Lacuna_SellMatrix.hpp>
#include <formats/impl/sell/Lacuna_Convert_Sell.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>
#include <kernels/spmv/algorithms/sell/Lacuna_SpmvSellPolicy.hpp>

namespace lacuna::Impl {

/// A thread a slot. Bound: bytes of the slices, 6 a nonzero for float where CSR has 8. All loads of the matrix are 16
/// (or, for deltas, 8) bytes a thread and contiguous over the slice; threads read as far ahead as the compiler unrolls,
/// for nothing but the cheap running column depends on what came before.
template <class ExecutionSpace, class Sell, bool HasDeltas, int ChunkSize>
struct SpmvSellKernel {
  using Scalar                = typename Sell::Scalar;
  using Ordinal               = typename Sell::Ordinal;
  using lanes                 = typename ExecutionTraits<ExecutionSpace>::lanes;
  static constexpr int pack   = Sell::pack_of(ChunkSize);
  static constexpr int planes = ChunkSize / pack;
  using Values                = Pack<Scalar, pack>;
  using Deltas                = Pack<typename Sell::Delta, ChunkSize>;
  using Columns               = Pack<Ordinal, ChunkSize>;
  // Void entries may step past the last column, so the running column must not overflow.
  using Column = std::make_unsigned_t<Ordinal>;

  using Steps = std::conditional_t<HasDeltas, Deltas, Columns>;

  static constexpr int slots      = Sell::slots_per_slice;
  static constexpr int unroll     = SpmvSellPolicy::unroll(sizeof(Scalar), ChunkSize);
  static constexpr auto void_step = static_cast<std::conditional_t<HasDeltas, typename Sell::Delta, Ordinal>>(
      HasDeltas ? Sell::void_delta : Sell::void_column);
  static constexpr bool is_gpu = ExecutionTraits<ExecutionSpace>::is_gpu;

  VectorArguments<Scalar> arguments;
  const std::int32_t* slice_begin;
  const Ordinal* first_column;
  const Values* values;
  const Deltas* deltas;
  const Columns* column_indices;
  std::int64_t slices;
  Ordinal rows;
  int segments;
  int uniform_chunks;

  SpmvSellKernel(const Sell& sell, const VectorArguments<Scalar>& args)
      : arguments(args),
        slice_begin(sell.slice_begin.data()),
        first_column(sell.first_column.data()),
        values(reinterpret_cast<const Values*>(sell.values.data())),
        deltas(reinterpret_cast<const Deltas*>(sell.deltas.data())),
        column_indices(reinterpret_cast<const Columns*>(sell.column_indices.data())),
        slices(sell.slices()),
        rows(sell.rows),
        segments(sell.segments),
        uniform_chunks(sell.uniform_chunks) {}

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (is_gpu) {
      const std::int64_t slot  = static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread();
      const std::int64_t slice = slot / slots;
      const int position       = static_cast<int>(slot % slots);
      Scalar sum               = slice < slices ? slot_sum(slice, position) : Scalar(0);
      for (int distance = slots / 2; distance >= slots / segments; distance /= 2)
        sum += lanes::shuffle_down(sum, distance, slots);
      if (slice < slices) write(slice, position, sum);
    } else {
      const int rows_per_slice = slots / segments;
      for (int position = 0; position < rows_per_slice; ++position) {
        Scalar sum(0);
        for (int segment = segments - 1; segment >= 0; --segment)
          sum += slot_sum(team.league_rank(), position + segment * rows_per_slice);
        write(team.league_rank(), position, sum);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t slice, int position, const Scalar& sum) const {
    const int rows_per_slice = slots / segments;
    const std::int64_t row   = slice * rows_per_slice + position;
    if (position < rows_per_slice && row < static_cast<std::int64_t>(rows)) arguments.write(row, sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar slot_sum(std::int64_t slice, int position) const {
    const auto begin = uniform_chunks > 0 ? static_cast<std::int32_t>(slice) * uniform_chunks : slice_begin[slice];
    const std::int32_t end = uniform_chunks > 0 ? begin + uniform_chunks : slice_begin[slice + 1];
    Column column          = HasDeltas ? static_cast<Column>(first_column[slice * slots + position]) : Column(0);
    Ordinal at             = static_cast<Ordinal>(column);
    Scalar sum(0);
    for (std::int32_t chunk = begin; chunk < end; chunk += unroll) add_unrolled(chunk, end, position, column, at, sum);
    return sum;
  }

  /// All loads of a round are started before the first is used, and all gathers before the first product. Whether a
  /// chunk is behind the end is the same for the whole slice. Gathers are unconditional and only their use is masked.
  KOKKOS_FORCEINLINE_FUNCTION void add_unrolled(std::int32_t first, std::int32_t end, int position, Column& column,
                                                Ordinal& at, Scalar& sum) const {
    Steps steps[unroll];
    Values here[unroll][planes];
    for (int b = 0; b < unroll; ++b) {
      const std::int64_t chunk = first + b;
      if (first + b >= end) break;
      steps[b] = lanes::load_streaming(stream() + chunk * slots + position);
      for (int plane = 0; plane < planes; ++plane)
        here[b][plane] = lanes::load_streaming(values + (chunk * planes + plane) * slots + position);
    }
    Scalar x[unroll][ChunkSize];
    for (int b = 0; b < unroll; ++b) {
      if (first + b >= end) break;
      for (int e = 0; e < ChunkSize; ++e) {
        step_to(steps[b].value[e], column, at);
        x[b][e] = arguments.x[at];
      }
    }
    for (int b = 0; b < unroll; ++b) {
      if (first + b >= end) break;
      for (int e = 0; e < ChunkSize; ++e) {
        const Scalar next = sum + here[b][e / pack].value[e % pack] * x[b][e];
        sum               = steps[b].value[e] != void_step ? next : sum;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION const Steps* stream() const {
    if constexpr (HasDeltas)
      return deltas;
    else
      return column_indices;
  }

  /// Moves to the next entry. A void one gathers where the entry before it did: in cache, and never out of range.
  KOKKOS_FORCEINLINE_FUNCTION static void step_to(typename Sell::Delta step, Column& column,
                                                  Ordinal& at) requires HasDeltas {
    column += step;
    at = step != void_step ? static_cast<Ordinal>(column) : at;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void step_to(Ordinal step, Column&, Ordinal& at) requires(!HasDeltas) {
    at = step != void_step ? step : at;
  }
};

/// y = alpha A x + beta y for slices.
template <class ExecutionSpace, class Sell>
void spmv_sell(const ExecutionSpace& exec, const Sell& sell, const VectorArguments<typename Sell::Scalar>& arguments,
               SpmvShape shape) {
  const int threads        = team_threads<ExecutionSpace>(shape.team_size > 0 ? shape.team_size : SpmvSellPolicy::team);
  const std::int64_t teams = ExecutionTraits<ExecutionSpace>::is_gpu
                                 ? ceiling_quotient(sell.slices() * Sell::slots_per_slice, threads)
                                 : sell.slices();
  for_sell_chunk(sell.chunk, [&](auto chunk) {
    if (sell.has_deltas)
      launch_teams(exec, "Lacuna::spmv::sell", {teams, threads}, 0,
                   SpmvSellKernel<ExecutionSpace, Sell, true, chunk()>(sell, arguments));
    else
      launch_teams(exec, "Lacuna::spmv::sell", {teams, threads}, 0,
                   SpmvSellKernel<ExecutionSpace, Sell, false, chunk()>(sell, arguments));
  });
}

}  // namespace lacuna::Impl

#endif
