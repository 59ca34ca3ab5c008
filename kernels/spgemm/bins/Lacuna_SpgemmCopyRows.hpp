// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMCOPYROWS_HPP
#define LACUNA_SPGEMMCOPYROWS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmBinTable.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmMergeRows.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// 001, stage 4: copies rows of the temporary matrix to C, by `width` threads of a team each. Without `begin`, row `i`
/// of the list stands at i * capacity, and is copied if its last round was this one.
template <class Scalar, class Ordinal, class Offset>
struct SpgemmCopyRows {
  const Ordinal* rows;
  std::int64_t count;
  int width;
  const std::int64_t* begin;
  const int* round_of;
  int round;
  SpgemmMergeMemory<Scalar, Ordinal> source;
  SpgemmTarget<Scalar, Ordinal, Offset> target;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t index = (static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread()) / width;
    if (index >= count) return;
    const Ordinal row = rows[index];
    if (begin == nullptr && round_of[row] != round) return;
    const std::int64_t from = begin != nullptr ? begin[row] : index * source.capacity;
    const Offset to         = target.begin[row];
    const auto length       = static_cast<std::int64_t>(target.begin[row + 1] - to);
    for (std::int64_t i = team.thread() % width; i < length; i += width) {
      target.entries[to + static_cast<Offset>(i)] = source.entries[from + i];
      target.values[to + static_cast<Offset>(i)]  = source.values[from + i];
    }
  }
};

/// Copies `body.count` rows. Does not fence.
template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void spgemm_copy_rows(const ExecutionSpace& exec, SpgemmCopyRows<Scalar, Ordinal, Offset> body,
                      const SpgemmCopyShape& shape) {
  body.width = shape.lanes;
  launch_teams<256>(exec, "Lacuna::spgemm::copy",
                    {ceiling_quotient(body.count, shape.threads / shape.lanes), shape.threads}, 0, body);
}

}  // namespace lacuna::Impl

#endif
