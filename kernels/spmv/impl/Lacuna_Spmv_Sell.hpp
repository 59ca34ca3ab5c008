// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_SELL_HPP
#define LACUNA_SPMV_SELL_HPP

#include <Lacuna_SellMatrix.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Common.hpp>
#include <kernels/spmv/tuning/Lacuna_Spmv_Tuning.hpp>

namespace lacuna::Impl {

/// A thread a slot. Bound: bytes of the slices, 6 a nonzero for float where CSR has 8. All loads of the matrix are 16
/// (or, for deltas, 8) bytes a thread and contiguous over the slice; threads read as far ahead as the compiler unrolls,
/// for nothing but the cheap running column depends on what came before.
template <class ExecutionSpace, class Sell, bool HasDeltas>
struct SpmvSell {
  using Scalar  = typename Sell::value_type;
  using Ordinal = typename Sell::ordinal_type;
  using lanes   = typename ExecutionTraits<ExecutionSpace>::lanes;
  using Values  = Pack<Scalar, Sell::pack>;
  using Deltas  = Pack<typename Sell::delta_type, Sell::chunk>;
  using Columns = Pack<Ordinal, Sell::chunk>;
  // Void entries may step past the last column, so the running column must not overflow.
  using Column = std::make_unsigned_t<Ordinal>;

  static constexpr int slots   = Sell::slots_per_slice;
  static constexpr bool is_gpu = ExecutionTraits<ExecutionSpace>::is_gpu;

  SpmvArguments<Scalar> arguments;
  const std::int32_t* slice_begin;
  const Ordinal* first_column;
  const Values* values;
  const Deltas* deltas;
  const Columns* entry_columns;
  std::int64_t slices;
  Ordinal rows;
  Column last_column;
  int parts;

  SpmvSell(const Sell& sell, const SpmvArguments<Scalar>& args)
      : arguments(args),
        slice_begin(sell.slice_begin.data()),
        first_column(sell.first_column.data()),
        values(reinterpret_cast<const Values*>(sell.values.data())),
        deltas(reinterpret_cast<const Deltas*>(sell.deltas.data())),
        entry_columns(reinterpret_cast<const Columns*>(sell.entry_columns.data())),
        slices(sell.slices()),
        rows(sell.rows),
        last_column(sell.columns > 0 ? static_cast<Column>(sell.columns - 1) : Column(0)),
        parts(sell.parts) {}

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if constexpr (is_gpu) {
      const std::int64_t slot  = static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread();
      const std::int64_t slice = slot / slots;
      const int place          = static_cast<int>(slot % slots);
      Scalar sum               = slice < slices ? slot_sum(slice, place) : Scalar(0);
      for (int distance = slots / 2; distance >= slots / parts; distance /= 2)
        sum += lanes::shuffle_down(sum, distance, slots);
      if (slice < slices) write(slice, place, sum);
    } else {
      const int rows_per_slice = slots / parts;
      for (int place = 0; place < rows_per_slice; ++place) {
        Scalar sum(0);
        for (int part = parts - 1; part >= 0; --part)
          sum += slot_sum(team.league_rank(), place + part * rows_per_slice);
        write(team.league_rank(), place, sum);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t slice, int place, const Scalar& sum) const {
    const int rows_per_slice = slots / parts;
    const std::int64_t row   = slice * rows_per_slice + place;
    if (place < rows_per_slice && row < static_cast<std::int64_t>(rows)) arguments.write(row, sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar slot_sum(std::int64_t slice, int place) const {
    const std::int64_t end = slice_begin[slice + 1];
    Column column          = HasDeltas ? static_cast<Column>(first_column[slice * slots + place]) : Column(0);
    Scalar sum(0);
#pragma unroll 4
    for (std::int64_t chunk = slice_begin[slice]; chunk < end; ++chunk) add_chunk(chunk, place, column, sum);
    return sum;
  }

  /// The gather is unconditional, at a column that exists, and only its use is masked: no branch between the loads.
  KOKKOS_FORCEINLINE_FUNCTION void add_chunk(std::int64_t chunk, int place, Column& column, Scalar& sum) const {
    bool exists[Sell::chunk];
    Column at[Sell::chunk];
    if constexpr (HasDeltas) {
      const Deltas steps = lanes::load_once(deltas + chunk * slots + place);
      for (int e = 0; e < Sell::chunk; ++e) {
        column += steps.value[e];
        exists[e] = steps.value[e] != Sell::void_delta;
        at[e]     = column < last_column ? column : last_column;
      }
    } else {
      const Columns here = lanes::load_once(entry_columns + chunk * slots + place);
      for (int e = 0; e < Sell::chunk; ++e) {
        exists[e] = here.value[e] != Sell::void_column;
        at[e]     = exists[e] ? static_cast<Column>(here.value[e]) : Column(0);
      }
    }
    Scalar x[Sell::chunk];
    for (int e = 0; e < Sell::chunk; ++e) x[e] = arguments.x[at[e]];
    for (int plane = 0; plane < Sell::planes; ++plane) {
      const Values here = lanes::load_once(values + (chunk * Sell::planes + plane) * slots + place);
      for (int e = 0; e < Sell::pack; ++e) {
        const Scalar next = sum + here.value[e] * x[plane * Sell::pack + e];
        sum               = exists[plane * Sell::pack + e] ? next : sum;
      }
    }
  }
};

/// y = alpha A x + beta y for slices.
template <class ExecutionSpace, class Sell>
void spmv_sell(const ExecutionSpace& exec, const Sell& sell, const SpmvArguments<typename Sell::value_type>& arguments,
               SpmvShape shape) {
  const int threads = team_threads<ExecutionSpace>(shape.team_size > 0 ? shape.team_size : SpmvTuning::sell_team);
  const std::int64_t teams = ExecutionTraits<ExecutionSpace>::is_gpu
                                 ? ceiling_quotient(sell.slices() * Sell::slots_per_slice, threads)
                                 : sell.slices();
  if (sell.has_deltas)
    launch_teams(exec, "Lacuna::spmv::sell", {teams, threads}, 0,
                 SpmvSell<ExecutionSpace, Sell, true>(sell, arguments));
  else
    launch_teams(exec, "Lacuna::spmv::sell", {teams, threads}, 0,
                 SpmvSell<ExecutionSpace, Sell, false>(sell, arguments));
}

}  // namespace lacuna::Impl

#endif
