// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMBITONICROWS_HPP
#define LACUNA_SPGEMMBITONICROWS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lacuna::Impl {

/// 001, stage 3, group 4, as published: a warp (wavefront) takes a row. Scratch holds all of its products, which a
/// basic bitonic sort orders by column; a prefix sum over the lanes tells where each sum of equal columns goes.
/// `capacity` is a power of two that no row has more products than. The same bits on every run, for the sort compares
/// the same positions in the same order; equal columns are not added in the order of A.
template <class Operands>
struct SpgemmBitonicRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr std::size_t bytes_per_product = sizeof(Scalar) + sizeof(Ordinal);
  /// Behind every column: what fills the positions without a product.
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();

  Operands operands;
  const Ordinal* rows;
  std::int64_t count;
  int capacity;
  SpgemmTarget<Scalar, Ordinal, std::int64_t> target;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const columns      = team.template warp_scratch<Ordinal>(static_cast<std::size_t>(capacity));
    auto* const values       = team.template warp_scratch<Scalar>(static_cast<std::size_t>(capacity));
    const std::int64_t index = static_cast<std::int64_t>(team.league_rank()) * team.warps() + team.warp();
    if (index >= count) return;
    const Ordinal row = rows[index];
    expand(team, row, columns, values);
    sort(team, columns, values);
    compress(team, row, columns, values);
  }

 private:
  /// Puts the products of the row side by side: one row of B after the other, a lane for each of its nonzeros.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void expand(const Team& team, Ordinal row, Ordinal* columns, Scalar* values) const {
    const Arrays& A = operands.A;
    const Arrays& B = operands.B;
    int filled      = 0;
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Ordinal inner = A.entries[k];
      const Scalar factor = operands.factor(A.values[k]);
      const Offset begin  = B.row_map[inner];
      const int length    = static_cast<int>(B.row_map[inner + 1] - begin);
      for (int i = team.lane(); i < length; i += Team::lane_width) {
        const Offset b       = begin + static_cast<Offset>(i);
        const Ordinal column = B.entries[b];
        columns[filled + i]  = operands.mask.allows(row, column) ? column : none;
        values[filled + i]   = operands.product(factor, B.values[b]);
      }
      filled += length;
    }
    for (int i = filled + team.lane(); i < capacity; i += Team::lane_width) columns[i] = none;
    team.warp_barrier();
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sort(const Team& team, Ordinal* columns, Scalar* values) const {
    for (int run = 2; run <= capacity; run *= 2)
      for (int distance = run / 2; distance > 0; distance /= 2) {
        for (int pair = team.lane(); pair < capacity / 2; pair += Team::lane_width) {
          const int low        = 2 * pair - (pair & (distance - 1));
          const int high       = low + distance;
          const bool ascends   = (low & run) == 0;
          const Ordinal first  = columns[low];
          const Ordinal second = columns[high];
          if (ascends ? first <= second : first >= second) continue;
          const Scalar moved = values[low];
          columns[low]       = second;
          columns[high]      = first;
          values[low]        = values[high];
          values[high]       = moved;
        }
        team.warp_barrier();
      }
  }

  /// Adds runs of equal columns: the lane at the head of a run adds it, and its rank among the heads is its position.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void compress(const Team& team, Ordinal row, const Ordinal* columns,
                                            const Scalar* values) const {
    using lanes              = typename Team::lanes;
    using Mask               = typename lanes::Mask;
    const std::int64_t begin = target.begin[row];
    const Mask lower         = (Mask(1) << team.lane()) - 1;
    int written              = 0;
    for (int base = 0; base < capacity; base += Team::lane_width) {
      const int i          = base + team.lane();
      const Ordinal column = columns[i];
      const bool is_head   = column != none && (i == 0 || columns[i - 1] != column);
      const Mask heads     = lanes::ballot(is_head);
      if (is_head) {
        Scalar sum = values[i];
        for (int next = i + 1; next < capacity && columns[next] == column; ++next) operands.add(sum, values[next]);
        const std::int64_t at = begin + written + count_bits(heads & lower);
        target.entries[at]    = column;
        target.values[at]     = sum;
      }
      written += count_bits(heads);
    }
    if (team.lane() == 0) target.counts[row] = static_cast<Ordinal>(written);
  }
};

/// Launches one bin. Does not fence.
template <class ExecutionSpace, class Operands, class Scalar, class Ordinal>
void spgemm_bitonic_rows(IndependentLaunches<ExecutionSpace>& launches, const Operands& operands, const Ordinal* rows,
                         std::int64_t count, int capacity, const SpgemmTarget<Scalar, Ordinal, std::int64_t>& target) {
  using Body                    = SpgemmBitonicRows<Operands>;
  constexpr int lane_width      = ExecutionTraits<ExecutionSpace>::lane_width;
  const std::size_t for_a_row   = static_cast<std::size_t>(capacity) * Body::bytes_per_product;
  constexpr std::size_t scratch = ExecutionTraits<ExecutionSpace>::scratch_bytes - 64;
  const int most_rows           = static_cast<int>(scratch / for_a_row);
  const int threads             = team_threads<ExecutionSpace>(std::min(128, most_rows * lane_width));
  const int warps               = threads / lane_width;
  launches.template launch<128>("Lacuna::spgemm::bitonic", {ceiling_quotient(count, warps), threads},
                                for_a_row * static_cast<std::size_t>(warps) + 64,
                                Body{operands, rows, count, capacity, target});
}

}  // namespace lacuna::Impl

#endif
