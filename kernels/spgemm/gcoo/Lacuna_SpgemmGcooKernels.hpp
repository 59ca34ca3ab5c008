// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMGCOOKERNELS_HPP
#define LACUNA_SPGEMMGCOOKERNELS_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <formats/impl/gcoo/Lacuna_Convert_Gcoo.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Products of an element of A: the nonzeros of the row of B that its column names.
template <class Ordinal, class Offset>
struct LengthOfRowOfB {
  const Ordinal* cols;
  const Offset* row_map;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const {
    return static_cast<std::int64_t>(row_map[cols[k] + 1] - row_map[cols[k]]);
  }
};

/// The first product of each group, and the end of all.
template <class Offset>
struct StartOfGroup {
  std::int64_t groups;
  std::int64_t nonzeros;
  const Offset* gIdxes;
  const std::int64_t* starts;
  std::int64_t* first;
  KOKKOS_FUNCTION void operator()(std::int64_t group) const {
    first[group] = starts[group < groups ? static_cast<std::int64_t>(gIdxes[group]) : nonzeros];
  }
};

/// Writes the products of a part: a team a group, a warp a column of A in it. The warp reads the row of B once, and
/// multiplies each of its elements, which it keeps in a register, by all elements of the group in that column.
template <class Scalar, class Ordinal, class Offset>
struct ExpandGroups {
  static constexpr int threads = 128;

  GcooArrays<Scalar, Ordinal, Offset> A;
  CrsArrays<Scalar, Ordinal, Offset> B;
  const std::int64_t* starts;  ///< of the products of each element of A
  std::int64_t first_group;
  std::int64_t first_product;
  std::int64_t first_row;
  Ordinal* columns;
  std::int32_t* rows;  ///< of C, from `first_row` on
  Scalar* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t group = first_group + team.league_rank();
    const auto begin         = static_cast<std::int64_t>(A.gIdxes[group]);
    const auto end           = begin + static_cast<std::int64_t>(A.nnzPerGroup[group]);
    for (std::int64_t k = begin + team.warp(); k < end; k += team.warps()) {
      const Ordinal column = A.cols[k];
      if (k > begin && A.cols[k - 1] == column) continue;  // another warp has the run
      std::int64_t run_end = k + 1;
      while (run_end < end && A.cols[run_end] == column) ++run_end;
      const auto from   = static_cast<std::int64_t>(B.row_map[column]);
      const auto length = static_cast<std::int64_t>(B.row_map[column + 1]) - from;
      for (std::int64_t i = team.lane(); i < length; i += Team::lane_width) {
        const Ordinal of_c = B.entries[from + i];
        const Scalar bv    = B.values[from + i];
        for (std::int64_t e = k; e < run_end; ++e) {
          const std::int64_t to = starts[e] - first_product + i;
          columns[to]           = of_c;
          rows[to]              = static_cast<std::int32_t>(static_cast<std::int64_t>(A.rows[e]) - first_row);
          values[to]            = A.values[e] * bv;
        }
      }
    }
  }
};

/// The row of each product, in the order of columns.
struct GatherRows {
  const std::int32_t* rows;
  const std::int32_t* order;
  std::int32_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t t) const { to[t] = rows[order[t]]; }
};

/// Products by row, then column. `position` t: by columns it is product `positions`[t], as it was written `order` of
/// that.
template <class ScalarType, class OrdinalType>
struct SortedProducts {
  using Scalar  = ScalarType;
  using Ordinal = OrdinalType;

  const Ordinal* columns;  ///< by columns
  const std::int32_t* rows;
  const std::int32_t* order;
  const std::int32_t* positions;
  const Scalar* values;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(std::int64_t t) const { return columns[positions[t]]; }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar& value(std::int64_t t) const { return values[order[positions[t]]]; }
  /// Whether a nonzero of C begins here.
  KOKKOS_FORCEINLINE_FUNCTION bool is_head(std::int64_t t) const {
    return t == 0 || rows[t] != rows[t - 1] || column(t) != column(t - 1);
  }
};

/// Where each nonzero of C begins; the end of all is the last.
template <class Products>
struct FindHeads {
  Products products;
  std::int64_t count;
  std::int32_t* heads;
  KOKKOS_FUNCTION void operator()(std::int64_t t, std::int64_t& before, bool final) const {
    const bool is_head = t < count && products.is_head(t);
    if (final && (is_head || t == count)) heads[before] = static_cast<std::int32_t>(t);
    if (is_head) ++before;
  }
};

/// Adds up each nonzero of C in the order of A, and counts it in its row.
template <class Products>
struct SumRuns {
  using Scalar  = typename Products::Scalar;
  using Ordinal = typename Products::Ordinal;

  Products products;
  const std::int32_t* heads;
  Ordinal* columns;
  Scalar* values;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    Scalar sum = products.value(heads[n]);
    for (std::int64_t t = heads[n] + 1; t < heads[n + 1]; ++t) sum += products.value(t);
    columns[n] = products.column(heads[n]);
    values[n]  = sum;
    Kokkos::atomic_add(&counts[products.rows[heads[n]]], std::int64_t(1));
  }
};

}  // namespace lacuna::Impl

#endif
