// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVNONZEROSPLITKERNEL_HPP
#define LACUNA_SPMVNONZEROSPLITKERNEL_HPP

#include <kernels/rows/Lacuna_HostColumn.hpp>
#include <kernels/spmv/algorithms/nonzero_split/Lacuna_SpmvNonzeroSplitPolicy.hpp>
#include <kernels/spmv/algorithms/nonzero_split/Lacuna_SpmvPartition.hpp>
#include <kernels/spmv/shared/Lacuna_CrsStream.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

/// \file
/// \brief CSR cut into work items of equally many nonzeros: balanced whatever the rows are.
///
/// Bound: bytes of the CSR arrays less the row map, which one bit a nonzero stands for. A warp takes a work item
/// and waits for no other; products never leave registers. A step is a pack of 16 bytes a lane and a segmented scan
/// over the group: a lane adds what stands behind the last row end in its pack, the group scans those sums, and the
/// lane that holds an end closes the row with what the scan brought it.
///
/// A row of several work items leaves a partial sum in each; the last arriver adds them in the order of the work items.
/// So every sum is added in an order that the pattern alone decides: no atomics on y, the same bits from run to run.

namespace lacuna::Impl {

template <class ExecutionSpace, class Arrays>
struct SpmvNonzeroSplitKernel {
  using Scalar    = typename Arrays::Scalar;
  using Ordinal   = typename Arrays::Ordinal;
  using Offset    = typename Arrays::Offset;
  using Stream    = CrsStream<ExecutionSpace, Arrays>;
  using WorkItems = SpmvWorkItems<Arrays>;
  using traits    = ExecutionTraits<ExecutionSpace>;
  using lanes     = typename traits::lanes;
  using Mask      = typename lanes::Mask;

  static constexpr int width      = Stream::width;
  static constexpr int lane_width = traits::lane_width;
  static constexpr int unroll     = SpmvNonzeroSplitPolicy::unroll;
  static constexpr int step_size  = lane_width * width;  ///< nonzeros of a step
  static constexpr int words      = step_size / 32;      ///< of row ends
  using Packs                     = typename Stream::template Packs<unroll>;

  Stream stream;
  VectorArguments<Scalar> arguments;
  WorkItems items;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto rank           = static_cast<std::int64_t>(team.league_rank());
    const std::int64_t item   = rank * team.warps() + team.warp();
    const std::int64_t stride = static_cast<std::int64_t>(team.league_size()) * team.threads();
    if (item < items.count) sum_item(item, team.lane());
    for (std::int64_t i = rank * team.threads() + team.thread(); i < items.empty_count; i += stride)
      arguments.write(items.empty_rows[i], Scalar(0));
  }

 private:
  /// Where a warp stands in its work item.
  struct Run {
    Offset from, to;
    Ordinal rank;               ///< of the open row
    bool shares_first;          ///< the first row to end began in an earlier work item
    bool has_end  = false;      ///< some row has ended
    Scalar head   = Scalar(0);  ///< of the first row, if it is shared
    Scalar carry  = Scalar(0);  ///< of the open row, the same in all lanes …
    Scalar open   = Scalar(0);  ///< … and what each lane added in steps without an end
    bool has_open = false;
  };

  KOKKOS_FORCEINLINE_FUNCTION void sum_item(std::int64_t item, int lane) const {
    const auto begin = items.begin[item];
    const auto next  = items.begin[item + 1];
    Run run{begin.nonzero, next.nonzero, begin.rank, begin.first_item >= 0};
    if (run.from >= run.to) return;
    const Offset first_pack = run.from / width;
    const Offset last_pack  = (run.to - 1) / width;
    const Offset last_step  = run.to / step_size;  // a row may end in front of nonzero `to`
    const auto load         = [&](Offset step) {
      return stream.template load<unroll>(
          [&](int s) {
            const auto pack = static_cast<Offset>((step + s) * lane_width + lane);
            return pack < first_pack ? first_pack : (pack > last_pack ? last_pack : pack);
          },
          last_pack);
    };
    Offset step = run.from / step_size;
    Packs ahead = load(step);
    while (step <= last_step) {
      Packs here = ahead;
      unsigned ends[unroll];
      for (int s = 0; s < unroll; ++s) ends[s] = row_ends(step + s <= last_step ? step + s : last_step, lane);
      Stream::multiply(here, arguments.x);
      const Offset next_step = step + unroll;
      if (next_step <= last_step) ahead = load(next_step);
      add_steps(step, last_step, lane, here, ends, run, std::make_integer_sequence<int, unroll>());
      step = next_step;
    }
    settle(run);
    if (items.partial != nullptr) arrive(item, begin, next, lane, run);
  }

  KOKKOS_FORCEINLINE_FUNCTION unsigned row_ends(Offset step, int lane) const {
    const int position = lane * width;
    return (items.row_ends[step * words + position / 32] >> static_cast<unsigned>(position % 32)) & ((1u << width) - 1);
  }

  /// Written out step by step: an index that the compiler does not know would put the products in memory.
  template <int... S>
  KOKKOS_FORCEINLINE_FUNCTION void add_steps(Offset step, Offset last_step, int lane, Packs& packs, unsigned* ends,
                                             Run& run, std::integer_sequence<int, S...>) const {
    static_cast<void>(
        (((step + S <= last_step) &&
          (add_step(static_cast<Offset>((step + S) * step_size), lane, packs.values[S], ends[S], run), true)) &&
         ...));
  }

  /// `first` is the first nonzero of the step; `ends` has a bit for each nonzero of this lane's pack.
  KOKKOS_FORCEINLINE_FUNCTION void add_step(Offset first, int lane, typename Stream::Values& product, unsigned ends,
                                            Run& run) const {
    if (first <= run.from || first + step_size > run.to) mask_edges(first, lane, product, ends, run);
    const Mask mask = lanes::ballot(ends != 0);
    if (mask == 0) {
      for (int i = 0; i < width; ++i) run.open += product.value[i];
      run.has_open = true;
      return;
    }
    settle(run);
    Scalar front(0), tail(0);  // in front of the first end of the pack, and from the last one on
    for (int i = 0; i < width; ++i) {
      if ((ends & ((2u << i) - 1)) == 0) front += product.value[i];
      tail = (ends & (1u << i)) != 0 ? product.value[i] : tail + product.value[i];
    }
    // A lane's sum reaches back to the nearest lane, itself included, whose pack holds an end.
    const Mask up_to   = mask & (~Mask(0) >> (8 * static_cast<int>(sizeof(Mask)) - 1 - lane));
    const int distance = up_to != 0 ? lane - lanes::highest(up_to) : lane;
    Scalar scan        = tail;
    for (int delta = 1; delta < lane_width; delta *= 2) {
      const Scalar left = lanes::shuffle_up(scan, delta, lane_width);
      if (delta <= distance) scan += left;
    }
    if (up_to == 0) scan += run.carry;
    Scalar sum = lanes::shuffle_up(scan, 1, lane_width);
    if (lane == 0) sum = run.carry;
    sum += front;
    run.carry = lanes::shuffle(scan, lane_width - 1, lane_width);
    close_rows(lane, mask, ends, sum, product, run);
  }

  /// Writes the rows that end in the step: the first of this lane has `sum`, others lie within its pack.
  KOKKOS_FORCEINLINE_FUNCTION void close_rows(int lane, Mask mask, unsigned ends, const Scalar& sum,
                                              const typename Stream::Values& product, Run& run) const {
    const Mask lower = (Mask(1) << lane) - 1;
    int before       = count_bits(mask & lower);
    int all          = count_bits(mask);
    const int own    = count_bits(ends);
    const Mask more  = lanes::ballot(own > 1);
    if (more != 0) {
      for (int count = 2; count <= width; ++count) {
        const Mask holds = lanes::ballot(own >= count);
        before += count_bits(holds & lower);
        all += count_bits(holds);
      }
    }
    const bool shared = run.shares_first && !run.has_end;
    if (shared) run.head = lanes::shuffle(sum, lanes::first(ends != 0), lane_width);
    Ordinal rank = run.rank + static_cast<Ordinal>(before);
    if (ends != 0 && !(shared && before == 0)) arguments.write(items.row(rank), sum);
    if (more != 0 && own > 1) {
      bool first = true;
      Scalar inner(0);
      for (int i = 0; i < width; ++i) {
        if ((ends & (1u << i)) != 0) {
          if (!first) arguments.write(items.row(++rank), inner);
          first = false;
          inner = Scalar(0);
        }
        inner += product.value[i];
      }
    }
    run.has_end = true;
    run.rank += static_cast<Ordinal>(all);
  }

  /// Drops products outside the work item, and row ends that are not those of (from, to].
  KOKKOS_FORCEINLINE_FUNCTION static void mask_edges(Offset first, int lane, typename Stream::Values& product,
                                                     unsigned& ends, const Run& run) {
    for (int i = 0; i < width; ++i) {
      const Offset nonzero = first + static_cast<Offset>(lane * width + i);
      if (nonzero < run.from || nonzero >= run.to) product.value[i] = Scalar(0);
      if (nonzero <= run.from || nonzero > run.to) ends &= ~(1u << i);
    }
  }

  /// Brings what the lanes hold of the open row into `carry`.
  KOKKOS_FORCEINLINE_FUNCTION static void settle(Run& run) {
    if (!run.has_open) return;
    Scalar sum = run.open;
    for (int delta = lane_width / 2; delta > 0; delta /= 2) sum += lanes::shuffle_down(sum, delta, lane_width);
    run.carry += lanes::shuffle(sum, 0, lane_width);
    run.open     = Scalar(0);
    run.has_open = false;
  }

  /// Leaves what this work item has of rows it shares: lane 0 sees to the row that began earlier, lane 1 to the one
  /// that begins here and goes on. The last arriver adds up.
  KOKKOS_FORCEINLINE_FUNCTION void arrive(std::int64_t item, const typename WorkItems::Begin& begin,
                                          const typename WorkItems::Begin& next, int lane, const Run& run) const {
    const bool goes_on = next.first_item == item;
    if (begin.first_item < 0 && !goes_on) return;
    bool is_last         = false;
    const int first_item = lane == 0 ? begin.first_item : next.first_item;
    const int shares     = lane == 0 ? begin.shares : next.shares;
    if ((lane == 0 && begin.first_item >= 0) || (lane == 1 && goes_on)) {
      items.partial[2 * item + lane] = lane == 0 && run.has_end ? run.head : run.carry;
      is_last                        = lanes::arrive(&items.arrived[first_item]) == shares - 1;
    }
    lanes::barrier();
    const Mask last = lanes::ballot(is_last);
    if ((last & 1) != 0) add_shares(begin, lane);
    if ((last & 2) != 0) add_shares(next, lane);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_shares(const typename WorkItems::Begin& row, int lane) const {
    Scalar sum(0);
    for (int i = lane; i < row.shares; i += lane_width)
      sum +=
          lanes::load_l2_only(items.partial + 2 * (static_cast<std::int64_t>(row.first_item) + i) + (i == 0 ? 1 : 0));
    for (int delta = lane_width / 2; delta > 0; delta /= 2) sum += lanes::shuffle_down(sum, delta, lane_width);
    if (lane != 0) return;
    arguments.write(items.row(row.rank), sum);
    items.arrived[row.first_item] = 0;  // ready for the next call
  }
};

/// GPUs run the work items of a plan; hosts want to know what `has_short_even_rows` says.
template <class ExecutionSpace, class Arrays>
void spmv_nonzero_split(const ExecutionSpace& exec, const Arrays& A,
                        const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                        const SpmvWorkItems<Arrays>& items, bool short_even_rows) {
  if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) {
    using Kernel             = SpmvNonzeroSplitKernel<ExecutionSpace, Arrays>;
    const int wanted         = shape.team_size > 0 ? shape.team_size : SpmvNonzeroSplitPolicy::team;
    const int threads        = team_threads<ExecutionSpace>(wanted);
    const std::int64_t teams = ceiling_quotient(items.count, threads / Kernel::lane_width);
    launch_teams(exec, "Lacuna::spmv::nonzero_split", {teams, threads}, 0,
                 Kernel{typename Kernel::Stream(A), arguments, items});
  } else {
    host_column(exec, "Lacuna::spmv::host_rows", A, arguments, short_even_rows);
  }
}

}  // namespace lacuna::Impl

#endif
