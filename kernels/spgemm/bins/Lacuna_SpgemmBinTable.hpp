// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMBINTABLE_HPP
#define LACUNA_SPGEMMBINTABLE_HPP

#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>

#include <array>
#include <cstdint>
#include <limits>

/// \file
/// \brief The 38 bins of paper 001, stage 2, as data.

namespace lacuna::Impl {

/// How the rows of a bin are computed.
enum class SpgemmBinGroup {
  nothing,  ///< group 1: no products
  copy,     ///< group 2: one product
  heap,     ///< group 3: a lane takes a row
  sort,     ///< group 4: a warp takes a row, bitonic sort in scratch
  merge     ///< group 5: a team takes a row, progressive merge
};

/// Rows of `first` to `last` products.
struct SpgemmBin {
  std::int64_t first;
  std::int64_t last;
  SpgemmBinGroup group;
};

inline constexpr int spgemm_bin_count = 38;

inline constexpr std::array<SpgemmBin, spgemm_bin_count> spgemm_bins = [] {
  std::array<SpgemmBin, spgemm_bin_count> bins{};
  bins[0] = {0, 0, SpgemmBinGroup::nothing};
  bins[1] = {1, 1, SpgemmBinGroup::copy};
  for (int products = 2; products <= 32; ++products)
    bins[static_cast<std::size_t>(products)] = {products, products, SpgemmBinGroup::heap};
  for (int i = 0; i < 4; ++i) bins[static_cast<std::size_t>(33 + i)] = {(32 << i) + 1, 64 << i, SpgemmBinGroup::sort};
  bins[37] = {513, std::numeric_limits<std::int64_t>::max(), SpgemmBinGroup::merge};
  return bins;
}();
static_assert(spgemm_bin_count <= most_row_classes);

/// Rows of up to this many products have memory for all of them; longer rows grow.
inline constexpr std::int64_t most_bounded_products = spgemm_bins[spgemm_bin_count - 2].last;

/// The bin of a row.
KOKKOS_FORCEINLINE_FUNCTION int spgemm_bin_of(Counter products) {
  if (products <= 32) return static_cast<int>(products);
  int bin = 33;
  for (Counter last = 64; last < products && bin < spgemm_bin_count - 1; last *= 2) ++bin;
  return bin;
}

/// How many lanes take a row of group 4, and a row in stage 4.
enum class SpgemmBinLanes {
  published,  ///< a warp for group 4; to copy, a lane for group 2, one work group a row for the others
  subwarps    ///< as many as a row of the bin keeps busy
};

/// Stage 4: `lanes` copy a row, in teams of `threads`. Hosts have one.
struct SpgemmCopyShape {
  int lanes;
  int threads;
  friend constexpr bool operator==(const SpgemmCopyShape&, const SpgemmCopyShape&) = default;
};

/// A work group of the published kind is a warp where a warp computed the row or fewer lanes did, else the team that
/// merged it.
/// \tparam merging threads of a team of group 5
template <class ExecutionSpace, int merging>
constexpr SpgemmCopyShape spgemm_copy_shape(SpgemmBinLanes lanes, SpgemmBinGroup group) {
  constexpr int warp = ExecutionTraits<ExecutionSpace>::lane_width;
  const int whole    = team_threads<ExecutionSpace>(merging);
  if (lanes == SpgemmBinLanes::subwarps) return {group == SpgemmBinGroup::merge ? warp : (warp < 8 ? warp : 8), whole};
  if (group == SpgemmBinGroup::copy) return {1, whole};
  return group == SpgemmBinGroup::merge ? SpgemmCopyShape{whole, whole} : SpgemmCopyShape{warp, warp};
}

/// Sorts rows into bins by their products, which bound their nonzeros, and adds up all products.
struct SpgemmBinClassifier {
  const Counter* products;

  KOKKOS_FORCEINLINE_FUNCTION int class_of(std::int64_t row) const { return spgemm_bin_of(products[row]); }
  KOKKOS_FORCEINLINE_FUNCTION Counter summand(std::int64_t row) const { return products[row]; }
  KOKKOS_FORCEINLINE_FUNCTION Counter measure(std::int64_t row) const { return products[row]; }
};

/// Elements of a row in the temporary matrix; 0 for rows of group 5.
struct SpgemmBoundOfRow {
  const Counter* products;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t row) const {
    const auto bound = static_cast<std::int64_t>(products[row]);
    return bound > most_bounded_products ? 0 : bound;
  }
};

}  // namespace lacuna::Impl

#endif
