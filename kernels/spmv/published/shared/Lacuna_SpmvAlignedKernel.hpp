// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVALIGNEDKERNEL_HPP
#define LACUNA_SPMVALIGNEDKERNEL_HPP

#include <kernels/spmv/published/shared/Lacuna_SpmvRowOrder.hpp>
#include <kernels/spmv/shared/Lacuna_RowShape.hpp>

/// \file
/// \brief SpMV with aligned reads of the matrix (002, section 4, "optimized (aligned) global memory access", its first
/// solution), and the same with x through the read-only cache ("exploiting data locality and reuse").
///
/// A row is an unaligned head, up to the next segment of 16 elements counted from the start of the arrays, and then
/// whole segments: each step of the lanes over the latter touches as few segments of memory as possible.

namespace lacuna::Impl {

/// `Rows` says which row is taken at a position.
template <class Arrays, VectorRead read, class Rows>
struct SpmvAlignedKernel {
  using Scalar = typename Arrays::Scalar;
  using Index  = NonzeroIndex<Arrays>;

  static constexpr Index segment = 16;

  Arrays A;
  VectorArguments<Scalar> arguments;
  std::int64_t rows_per_team;
  int lanes;
  Rows rows;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Scalar* const partial          = team.template scratch<Scalar>(team.threads());
    const int lane                 = team.thread() % lanes;
    const int rows_at_once         = team.threads() / lanes;
    const std::int64_t first_local = team.league_rank() * rows_per_team;
    for (std::int64_t batch = 0; batch < rows_per_team; batch += rows_at_once) {
      const std::int64_t position = first_local + batch + team.thread() / lanes;
      const bool exists           = position < static_cast<std::int64_t>(A.rows);
      const std::int64_t row      = exists ? rows(position) : 0;
      Scalar sum(0);
      if (exists) {
        const Index begin   = A.row_map[row];
        const Index end     = A.row_map[row + 1];
        const Index aligned = (begin + (segment - 1)) / segment * segment;
        const Index head    = aligned < end ? aligned : end;
        sum                 = sum_of_products<read, Team>(A, arguments.x, begin, head, lane, lanes);
        sum += sum_of_products<read, Team>(A, arguments.x, head, end, lane, lanes);
      }
      sum = sum_in_scratch(team, partial, sum, lanes);
      if (exists && lane == 0) arguments.write(row, sum);
    }
  }
};

template <VectorRead read, class ExecutionSpace, class Arrays, class Rows>
void launch_spmv_aligned(const char* label, const ExecutionSpace& exec, const Arrays& A,
                         const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape, const Rows& rows) {
  const RowShape split = row_shape<ExecutionSpace>("spmv", A.rows, shape, 16);
  launch_teams(exec, label, split.teams(), split.threads * sizeof(typename Arrays::Scalar),
               SpmvAlignedKernel<Arrays, read, Rows>{A, arguments, split.rows_per_team, split.lanes, rows});
}

/// y = alpha A x + beta y, `lanes_per_row` threads a row (16 unless told), aligned reads, x past the first-level cache.
/// Deterministic for a given shape. Does not fence.
template <class ExecutionSpace, class Arrays, class Rows = NaturalRows>
void spmv_aligned(const ExecutionSpace& exec, const Arrays& A,
                  const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape, const Rows& rows = {}) {
  launch_spmv_aligned<VectorRead::l2_only>("Lacuna::spmv::aligned", exec, A, arguments, shape, rows);
}

/// The same with x through the read-only cache: 002's final CSR kernel.
template <class ExecutionSpace, class Arrays, class Rows = NaturalRows>
void spmv_cached(const ExecutionSpace& exec, const Arrays& A, const VectorArguments<typename Arrays::Scalar>& arguments,
                 SpmvShape shape, const Rows& rows = {}) {
  launch_spmv_aligned<VectorRead::cached>("Lacuna::spmv::cached", exec, A, arguments, shape, rows);
}

}  // namespace lacuna::Impl

#endif
