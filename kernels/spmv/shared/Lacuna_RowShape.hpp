// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSHAPE_HPP
#define LACUNA_ROWSHAPE_HPP

#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief What the row kernels of paper 002 share: how rows are dealt to teams, how x is read, how the partial sums of
/// a row are added in scratch.

namespace lacuna::Impl {

/// Rows dealt to teams: each team takes `rows_per_team` consecutive rows, `lanes` threads work on one row.
struct RowShape {
  std::int64_t rows;
  std::int64_t rows_per_team;
  int lanes;
  int threads;

  TeamShape teams() const { return {ceiling_quotient(rows, rows_per_team), threads}; }
};

/// The number of teams follows the number of rows (002, 5.3): a GPU team takes all its rows at once. A host team has
/// one thread, so it gets several rows. So does a GPU team where rows outnumber what one launch can hold.
/// \throws InvalidArgument where `lanes_per_row` is no power of two.
template <class ExecutionSpace>
RowShape row_shape(const char* function, std::int64_t rows, SpmvShape shape, int default_lanes) {
  constexpr std::int64_t host_batch = 256;
  const int wanted                  = shape.lanes_per_row > 0 ? shape.lanes_per_row : default_lanes;
  if (!std::has_single_bit(static_cast<unsigned>(wanted)) || wanted > 64)
    raise<InvalidArgument>(function, "lanes_per_row is ", wanted, ", it must be a power of two from 1 to 64");
  int threads     = team_threads<ExecutionSpace>(shape.team_size > 0 ? shape.team_size : 256);
  const int lanes = std::min(wanted, static_cast<int>(std::bit_floor(static_cast<unsigned>(threads))));
  threads -= threads % std::max(lanes, ExecutionTraits<ExecutionSpace>::lane_width);
  std::int64_t rows_per_team = ExecutionTraits<ExecutionSpace>::is_gpu ? threads / lanes : host_batch;
  while (ceiling_quotient(rows, rows_per_team) > std::numeric_limits<int>::max()) rows_per_team *= 2;
  return {rows, rows_per_team, lanes, threads};
}

/// Whether x is read past the first-level cache or through the read-only path: the last step of 002's figure 2.
enum class VectorRead { l2_only, cached };

template <VectorRead read, class Lanes, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION Scalar read_vector(const StridedVector<const Scalar>& x, Index i) {
  if constexpr (read == VectorRead::l2_only) {
    return Lanes::load_l2_only(&x[i]);
  } else {
    return Lanes::load_cached(&x[i]);
  }
}

/// Counts nonzeros. Unsigned, so that an index a few lanes past the last nonzero never overflows.
template <class Arrays>
using NonzeroIndex = std::make_unsigned_t<typename Arrays::Offset>;

/// The sum of products of the nonzeros begin + lane, begin + lane + lanes, … below `end`.
template <VectorRead read, class Team, class Arrays>
KOKKOS_FORCEINLINE_FUNCTION typename Arrays::Scalar sum_of_products(
    const Arrays& A, const StridedVector<const typename Arrays::Scalar>& x, NonzeroIndex<Arrays> begin,
    NonzeroIndex<Arrays> end, int lane, int lanes) {
  typename Arrays::Scalar sum(0);
  for (NonzeroIndex<Arrays> k = begin + lane; k < end; k += lanes)
    sum += A.values[k] * read_vector<read, typename Team::lanes>(x, A.entries[k]);
  return sum;
}

/// Adds the partial sums of `lanes` neighbouring threads by a tree in scratch, `partial` has an element a thread. The
/// whole team calls it; the sum is returned to the first of the lanes. `lanes` may exceed the lane width: then the tree
/// waits for the team, else only for the warp.
template <class Team, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar sum_in_scratch(const Team& team, Scalar* partial, const Scalar& value, int lanes) {
  const bool across_groups = lanes > Team::lane_width;
  const int thread         = team.thread();
  const int lane           = thread % lanes;
  const auto wait          = [&] {
    if (across_groups) {
      team.barrier();
    } else {
      team.warp_barrier();
    }
  };
  wait();  // what an earlier call still reads
  partial[thread] = value;
  for (int delta = lanes / 2; delta > 0; delta /= 2) {
    wait();
    if (lane < delta) partial[thread] += partial[thread + delta];
  }
  return partial[thread];
}

}  // namespace lacuna::Impl

#endif
