// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHEAPROWS_HPP
#define LACUNA_SPGEMMHEAPROWS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// 001, stage 3, groups 2 and 3: a lane takes a row. It collects the products of the row in scratch, makes a max-heap
/// of them by column, takes the heap apart from the back, and adds equal columns. A row has exactly `capacity`
/// products. Element e of a lane stands at e * threads + lane, so that lanes use different banks.
template <class Operands>
struct SpgemmHeapRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr std::size_t bytes_per_product = sizeof(Scalar) + sizeof(Ordinal);

  Operands operands;
  const Ordinal* rows;
  std::int64_t count;
  int capacity;
  SpgemmTarget<Scalar, Ordinal, std::int64_t> target;

  /// The products of one lane.
  struct Heap {
    Ordinal* columns;
    Scalar* values;
    int stride;

    KOKKOS_FORCEINLINE_FUNCTION Ordinal& column(int e) const { return columns[e * stride]; }
    KOKKOS_FORCEINLINE_FUNCTION Scalar& value(int e) const { return values[e * stride]; }
    KOKKOS_FORCEINLINE_FUNCTION void swap(int a, int b) const {
      const Ordinal column_a = column(a);
      const Scalar value_a   = value(a);
      column(a)              = column(b);
      value(a)               = value(b);
      column(b)              = column_a;
      value(b)               = value_a;
    }
    KOKKOS_FORCEINLINE_FUNCTION void sift_down(int root, int size) const {
      for (int child = 2 * root + 1; child < size; child = 2 * root + 1) {
        if (child + 1 < size && column(child + 1) > column(child)) ++child;
        if (column(root) >= column(child)) return;
        swap(root, child);
        root = child;
      }
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto elements = static_cast<std::size_t>(capacity * team.threads());
    const Heap heap{team.template scratch<Ordinal>(elements) + team.thread(),
                    team.template scratch<Scalar>(elements) + team.thread(), team.threads()};
    const std::int64_t index = static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread();
    if (index < count) work_on(rows[index], heap);
  }

 private:
  KOKKOS_FUNCTION void work_on(Ordinal row, const Heap& heap) const {
    const Arrays& A = operands.A;
    const Arrays& B = operands.B;
    int size        = 0;
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Ordinal inner = A.entries[k];
      const Scalar factor = operands.factor(A.values[k]);
      for (Offset b = B.row_map[inner]; b < B.row_map[inner + 1]; ++b) {
        if (!operands.mask.allows(row, B.entries[b])) continue;
        heap.column(size)  = B.entries[b];
        heap.value(size++) = operands.product(factor, B.values[b]);
      }
    }
    for (int root = size / 2 - 1; root >= 0; --root) heap.sift_down(root, size);
    for (int last = size - 1; last > 0; --last) {
      heap.swap(0, last);
      heap.sift_down(0, last);
    }
    const std::int64_t begin = target.begin[row];
    std::int64_t written     = 0;
    for (int e = 0; e < size;) {
      const Ordinal column = heap.column(e);
      Scalar sum           = heap.value(e);
      for (++e; e < size && heap.column(e) == column; ++e) operands.add(sum, heap.value(e));
      target.entries[begin + written] = column;
      target.values[begin + written]  = sum;
      ++written;
    }
    target.counts[row] = static_cast<Ordinal>(written);
  }
};

/// Launches one bin. Does not fence.
template <class ExecutionSpace, class Operands, class Scalar, class Ordinal>
void spgemm_heap_rows(IndependentLaunches<ExecutionSpace>& launches, const Operands& operands, const Ordinal* rows,
                      std::int64_t count, int capacity, const SpgemmTarget<Scalar, Ordinal, std::int64_t>& target) {
  using Body                    = SpgemmHeapRows<Operands>;
  const std::size_t for_a_lane  = static_cast<std::size_t>(capacity) * Body::bytes_per_product;
  constexpr std::size_t scratch = ExecutionTraits<ExecutionSpace>::scratch_bytes - 64;
  const int threads = team_threads<ExecutionSpace>(static_cast<int>(std::min<std::size_t>(128, scratch / for_a_lane)));
  launches.template launch<128>("Lacuna::spgemm::heap", {ceiling_quotient(count, threads), threads},
                                for_a_lane * static_cast<std::size_t>(threads) + 64,
                                Body{operands, rows, count, capacity, target});
}

}  // namespace lacuna::Impl

#endif
