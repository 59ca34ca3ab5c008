// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMSEARCHROWS_HPP
#define LACUNA_SPGEMMSEARCHROWS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Rows of a masked product whose rows of B are long compared with the row of the mask. A row has `width` lanes; a lane
/// takes a column of the mask and searches it in the rows of B, which must be sorted and have no duplicates. Sums are
/// made in the order of A: the same bits on every run.
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, class Operands>
struct SpgemmSearchRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  Operands operands;
  const Ordinal* rows;
  std::int64_t count;
  int width;
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes              = typename Team::lanes;
    const std::int64_t index = (static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread()) / width;
    const int rank           = team.thread() % width;
    const bool exists        = index < count;
    const Ordinal row        = exists ? rows[index] : Ordinal(0);
    const std::int64_t begin = exists ? operands.mask.begin(row) : 0;
    const std::int64_t end   = exists ? operands.mask.end(row) : 0;
    std::int64_t written     = 0;
    for (std::int64_t base = begin; lanes::any(base < end); base += width) {
      const std::int64_t m = base + rank;
      Scalar sum{};
      Ordinal column(0);
      const bool found = m < end && find(operands, row, begin, m, column, sum);
      const int before = Team::sum_lanes_up_to(found ? 1 : 0, rank, width);
      if constexpr (Numeric)
        if (found) {
          const Offset to    = target.begin[row] + static_cast<Offset>(written + before - 1);
          target.entries[to] = column;
          target.values[to]  = sum;
        }
      written += lanes::shuffle(before, width - 1, width);
    }
    if constexpr (!Numeric)
      if (exists && rank == 0) target.counts[row] = static_cast<Ordinal>(written);
  }

  /// The element of C at nonzero `m` of the mask, whose row begins at `begin`. False where there is none, or where the
  /// mask repeats a column.
  KOKKOS_FORCEINLINE_FUNCTION static bool find(const Operands& operands, Ordinal row, std::int64_t begin,
                                               std::int64_t m, Ordinal& column, Scalar& sum) {
    const Arrays& A              = operands.A;
    const Arrays& B              = operands.B;
    const Ordinal* const of_mask = operands.mask.entries;
    column                       = of_mask[m];
    if (m > begin && of_mask[m - 1] == column) return false;
    bool found = false;
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Ordinal inner  = A.entries[k];
      const auto last      = static_cast<std::int64_t>(B.row_map[inner + 1]);
      const std::int64_t b = lower_bound(B.entries, static_cast<std::int64_t>(B.row_map[inner]), last, column);
      if (b == last || B.entries[b] != column) continue;
      if constexpr (Numeric) {
        const Scalar product = operands.product(operands.factor(A.values[k]), B.values[b]);
        if (found)
          operands.add(sum, product);
        else
          sum = product;
      }
      found = true;
      if constexpr (!Numeric) break;
    }
    return found;
  }
};

}  // namespace lacuna::Impl

#endif
