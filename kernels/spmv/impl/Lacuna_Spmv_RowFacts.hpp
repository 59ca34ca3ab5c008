// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_ROWFACTS_HPP
#define LACUNA_SPMV_ROWFACTS_HPP

#include <core/impl/Lacuna_Crs.hpp>
#include <core/impl/Lacuna_Passes.hpp>

#include <array>
#include <cstdint>

namespace lacuna::Impl {

/// What the choice of a kernel needs of the rows; one pass over the row map.
struct SpmvRowFacts {
  static constexpr int part_choices  = 5;  ///< 1, 2, 4, 8, 16 slots a row
  static constexpr int chunk_choices = 2;  ///< chunks of 4 and of 2 entries

  std::int64_t longest = 0;
  std::int64_t empty   = 0;  ///< rows without nonzeros
  /// Entries a slot, summed over the slices that chunks of 4 >> c and 2^i parts would make, less hops.
  std::int64_t widths[chunk_choices][part_choices] = {};

  static constexpr int chunk(int c) { return 4 >> c; }

  KOKKOS_INLINE_FUNCTION void join(const SpmvRowFacts& other) {
    if (other.longest > longest) longest = other.longest;
    empty += other.empty;
    for (int c = 0; c < chunk_choices; ++c)
      for (int i = 0; i < part_choices; ++i) widths[c][i] += other.widths[c][i];
  }
};

/// 32 consecutive rows an index: they make one slice of one part, or 2^i slices of 2^i parts.
template <class Arrays>
struct SpmvRowFactsPass {
  using value_type = SpmvRowFacts;
  Arrays A;

  KOKKOS_FUNCTION void init(value_type& facts) const { facts = value_type(); }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& from) const { into.join(from); }

  KOKKOS_FUNCTION void operator()(const std::int64_t group, value_type& facts) const {
    std::int64_t widest[SpmvRowFacts::chunk_choices][SpmvRowFacts::part_choices] = {};
    for (int place = 0; place < 32; ++place) {
      const std::int64_t row = group * 32 + place;
      if (row < static_cast<std::int64_t>(A.rows)) {
        const std::int64_t length = static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]);
        if (length > facts.longest) facts.longest = length;
        if (length == 0) ++facts.empty;
        for (int c = 0; c < SpmvRowFacts::chunk_choices; ++c) {
          const int chunk = 4 >> c;
          for (int i = 0; i < SpmvRowFacts::part_choices; ++i) {
            const std::int64_t width = (((length + chunk - 1) / chunk + (1 << i) - 1) >> i) * chunk;
            if (width > widest[c][i]) widest[c][i] = width;
          }
        }
      }
      for (int i = 0; i < SpmvRowFacts::part_choices; ++i) {
        if ((place + 1) % (32 >> i) != 0) continue;  // the slice goes on
        for (int c = 0; c < SpmvRowFacts::chunk_choices; ++c) {
          facts.widths[c][i] += widest[c][i];
          widest[c][i] = 0;
        }
      }
    }
  }
};

/// Fences: the result comes to the host.
template <class ExecutionSpace, class Arrays>
SpmvRowFacts spmv_row_facts(const ExecutionSpace& exec, const Arrays& A) {
  SpmvRowFacts facts;
  if (A.rows == 0) return facts;
  const std::int64_t groups = (static_cast<std::int64_t>(A.rows) + 31) / 32;
  Kokkos::parallel_reduce("Lacuna::spmv::row_facts", IndexRange<ExecutionSpace>(exec, 0, groups),
                          SpmvRowFactsPass<Arrays>{A}, facts);
  exec.fence("Lacuna::spmv: row facts to the host");
  return facts;
}

}  // namespace lacuna::Impl

#endif
