// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMGCOOKERNEL_HPP
#define LACUNA_SPMMGCOOKERNEL_HPP

#include <Lacuna_Convert.hpp>
#include <backends/Lacuna_Launch.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief SpMM on GCOO as published (Shi, Wang, Chu, Algorithm 2).
///
/// A team computes p x b elements of C: the p rows of a group and b columns, a thread a column. It stages b elements of
/// the group at a time in scratch, from where all threads read the same one; an element of B stays in a register while
/// the elements that follow share the column. Each thread holds p sums and writes C once.

namespace lacuna::Impl {

/// sums[row] += product for a row that is known at run time alone. Registers have no index: every sum is asked.
/// (Halving by branches takes more instructions, since no compiler knows that all lanes go the same way.)
template <int count, class T>
KOKKOS_FORCEINLINE_FUNCTION void add_to(T* sums, int row, const T& product) {
  LACUNA_UNROLL
  for (int i = 0; i < count; ++i)
    if (i == row) sums[i] += product;
}

/// \tparam MaxRows the most rows of a group (p)
template <class ExecutionSpace, int MaxRows, class Scalar, class Ordinal, class Offset, class Output>
struct SpmmGcooKernel {
  using Arguments  = BlockArguments<Scalar, Output>;
  using Arithmetic = typename Arguments::Arithmetic;

  /// Elements of B that a thread asks for at once.
  static constexpr int unroll = 8;
  /// Elements that a host stages at a time; a GPU as many as a team has threads.
  static constexpr int host_stage = 256;

  struct Element {
    Scalar value;
    Ordinal column;
    int row;  ///< of the group
  };

  GcooArrays<Scalar, Ordinal, Offset> gcoo;
  std::int64_t groups;
  Arguments arguments;

  static std::size_t scratch_bytes(int threads) {
    const int staged = ExecutionTraits<ExecutionSpace>::is_gpu ? threads : host_stage;
    return static_cast<std::size_t>(staged) * sizeof(Element) + 64;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int stage   = ExecutionTraits<ExecutionSpace>::is_gpu ? team.threads() : host_stage;
    Element* elements = team.template scratch<Element>(static_cast<std::size_t>(stage));
    // Teams that run at once share columns of B.
    const std::int64_t group     = team.league_rank() % groups;
    const std::int64_t column    = team.league_rank() / groups * team.threads() + team.thread();
    const std::int64_t first_row = group * gcoo.group_size;
    const auto begin             = static_cast<std::int64_t>(gcoo.gIdxes[group]);
    const auto end               = begin + static_cast<std::int64_t>(gcoo.nnzPerGroup[group]);
    const bool is_there          = column < arguments.C.columns;
    Arithmetic sums[MaxRows];
    LACUNA_UNROLL
    for (int i = 0; i < MaxRows; ++i) sums[i] = Arithmetic(0);
    Held held{Ordinal(-1), Arithmetic(0)};
    for (std::int64_t from = begin; from < end; from += stage) {
      const int count = static_cast<int>(end - from < stage ? end - from : stage);
      team.barrier();  // nobody reads the stage before any more
      for (int k = team.thread(); k < count; k += team.threads())
        elements[k] = {gcoo.values[from + k], gcoo.cols[from + k], static_cast<int>(gcoo.rows[from + k] - first_row)};
      team.barrier();
      if (!is_there) continue;
      for (int k = 0; k < count; k += unroll) add_unrolled(elements + k, count - k, column, held, sums);
    }
    if (!is_there) return;
    LACUNA_UNROLL
    for (int i = 0; i < MaxRows; ++i)
      if (i < gcoo.group_size && first_row + i < arguments.C.rows) arguments.write(first_row + i, column, sums[i]);
  }

 private:
  /// bv of the paper: the element of B in the column that was last asked for.
  struct Held {
    Ordinal column;
    Arithmetic value;
  };

  /// Up to `unroll` elements. All that is needed of B is asked for before any of it is used.
  KOKKOS_FORCEINLINE_FUNCTION void add_unrolled(const Element* elements, int count, std::int64_t column, Held& held,
                                                Arithmetic* sums) const {
    Element element[unroll];
    Arithmetic bv[unroll];
    bool is_new[unroll];
    if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) {
      // g++ does not see that both loops end at one element, and warns in the user's program.
      for (int e = 0; e < unroll; ++e) element[e] = {}, bv[e] = Arithmetic(0), is_new[e] = false;
    }
    LACUNA_UNROLL
    for (int e = 0; e < unroll; ++e) {
      if (e >= count) break;
      element[e] = elements[e];
      is_new[e]  = element[e].column != (e == 0 ? held.column : element[e - 1].column);
      if (is_new[e]) bv[e] = static_cast<Arithmetic>(arguments.B(element[e].column, column));
    }
    LACUNA_UNROLL
    for (int e = 0; e < unroll; ++e) {
      if (e >= count) break;
      if (is_new[e]) held = {element[e].column, bv[e]};
      add_to<MaxRows>(sums, element[e].row, static_cast<Arithmetic>(element[e].value) * held.value);
    }
  }
};

/// Threads of a team at most: more would leave fewer registers than sums and a round of B need.
inline constexpr int most_gcoo_threads = 256;
/// Rows of a group at most: a thread holds a sum for each.
inline constexpr int most_gcoo_rows = 32;

/// Groups of at most `MaxRows` rows.
template <int MaxRows, class ExecutionSpace, class S, class O, class D, class F, class Output>
void spmm_gcoo_by(const ExecutionSpace& exec, const GcooMatrix<S, O, D, F>& gcoo,
                  const BlockArguments<S, Output>& arguments, int threads) {
  using Kernel      = SpmmGcooKernel<ExecutionSpace, MaxRows, S, O, F, Output>;
  const int b       = team_threads<ExecutionSpace>(threads);
  const auto groups = gcoo.groups();
  const auto tiles  = ceiling_quotient(arguments.C.columns, b);
  const TeamShape shape{checked_product("spmm", groups, tiles), threads};
  launch_teams<most_gcoo_threads>(exec, "Lacuna::spmm::gcoo", shape, Kernel::scratch_bytes(b),
                                  Kernel{gcoo_arrays(gcoo), groups, arguments});
}

/// C = alpha A B + beta C for arguments that hold a product; groups of at most `most_gcoo_rows` rows (p), `threads`
/// columns a team (b). B and C have any strides; rows of B side by side are read fast. The same bits on every run. Does
/// not fence.
template <class ExecutionSpace, class S, class O, class D, class F, class Output>
void spmm_gcoo(const ExecutionSpace& exec, const GcooMatrix<S, O, D, F>& gcoo,
               const BlockArguments<S, Output>& arguments, int threads) {
  // An element costs a comparison for each sum that there is.
  if (gcoo.group_size <= 2) return spmm_gcoo_by<2>(exec, gcoo, arguments, threads);
  if (gcoo.group_size <= 4) return spmm_gcoo_by<4>(exec, gcoo, arguments, threads);
  if (gcoo.group_size <= 8) return spmm_gcoo_by<8>(exec, gcoo, arguments, threads);
  if (gcoo.group_size <= 16) return spmm_gcoo_by<16>(exec, gcoo, arguments, threads);
  spmm_gcoo_by<most_gcoo_rows>(exec, gcoo, arguments, threads);
}

/// \throws InvalidMatrix where the extents of arrays contradict each other, NotSupported for groups that the kernel
/// does not have.
template <class S, class O, class D, class F>
void check_gcoo_operand(const char* function, const GcooMatrix<S, O, D, F>& A) {
  if (A.group_size < 1 || A.rows.extent(0) != A.values.extent(0) || A.cols.extent(0) != A.values.extent(0) ||
      static_cast<std::int64_t>(A.gIdxes.extent(0)) != A.groups() ||
      static_cast<std::int64_t>(A.nnzPerGroup.extent(0)) != A.groups())
    raise<InvalidMatrix>(function, "A is a GCOO of ", shape_text(A.numRows(), A.numCols()), " in groups of ",
                         A.group_size, " with ", A.values.extent(0), " values, ", A.rows.extent(0), " rows, ",
                         A.cols.extent(0), " cols, ", A.gIdxes.extent(0), " gIdxes and ", A.nnzPerGroup.extent(0),
                         " nnzPerGroup");
  if (A.grouping != GcooGrouping::rows)
    raise<NotSupported>(function, "A is a GCOO with groups of columns, products take groups of rows");
  if (A.group_size > most_gcoo_rows)
    raise<NotSupported>(function, "A is a GCOO with groups of ", A.group_size, " rows, products take at most ",
                        most_gcoo_rows);
}

}  // namespace lacuna::Impl

#endif
