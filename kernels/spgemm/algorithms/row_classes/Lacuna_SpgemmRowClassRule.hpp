// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSRULE_HPP
#define LACUNA_SPGEMMROWCLASSRULE_HPP

#include <kernels/spgemm/accumulate/Lacuna_SpgemmTeamScratch.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmWarpScratch.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClass.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// What a row of C is classified by.
struct SpgemmRowMeasures {
  std::int64_t products;        ///< an upper bound of its nonzeros
  std::int64_t words;           ///< of its window
  std::int64_t nonempty_words;  ///< of those, at most
  std::int64_t nonzeros;        ///< known when they are counted
  std::int64_t factors;         ///< nonzeros of the row of A
  int inode_size;               ///< rows of its inode; where rows are counted, 0 for an inode's other members
  bool is_first;                ///< of its inode
};

/// \brief The index of the class of a row: by `symbolic` where its nonzeros are counted, by `numeric` where its values
/// are added. Plain values, so that the rule is the same on hosts and devices.
template <class Operands>
struct SpgemmRowClassRule {
  using Policy       = SpgemmRowClassesPolicy;
  using Kind         = SpgemmRowKind;
  using CountByWarp  = SpgemmWarpScratch<false, Operands>;
  using AddByWarp    = SpgemmWarpScratch<true, Operands>;
  using CountByTeam  = SpgemmTeamScratch<false, SpgemmTeamSums::in_place, Operands>;
  using AddByTeam    = SpgemmTeamScratch<true, SpgemmTeamSums::in_place, Operands>;
  using AddInScratch = SpgemmTeamScratch<true, SpgemmTeamSums::in_scratch, Operands>;

  // Copies: a device does not see arrays that are static members on the host.
  std::int32_t warp_bytes[Policy::warp_classes];
  std::int64_t warp_products;
  std::int64_t always_sorted;  ///< rows without an equal neighbour
  int subwarp_lanes;           ///< lanes that subwarps are made of; 1: there are none
  std::int64_t team_bytes[Policy::team_classes];
  std::int64_t team_products[Policy::team_classes];
  std::int64_t scratch_bytes[Policy::scratch_classes];

  /// `largest`: bytes of scratch that a team may have, with what its warps share.
  static SpgemmRowClassRule of_device(std::size_t largest) {
    SpgemmRowClassRule rule{};
    rule.warp_products = Policy::warp_products;
    rule.always_sorted = Policy::always_sorted;
    rule.subwarp_lanes = 1;
    const auto most    = static_cast<std::int64_t>(largest);
    const auto shared  = static_cast<std::int64_t>(AddInScratch::shared_bytes) + 64;
    for (int i = 0; i < Policy::warp_classes; ++i) rule.warp_bytes[i] = Policy::warp_bytes[i];
    for (int i = 0; i < Policy::team_classes; ++i)
      rule.team_products[i] = Policy::products_per_thread * Policy::team_threads[i];
    for (int i = 0; i < Policy::team_classes; ++i)
      rule.team_bytes[i] = std::min<std::int64_t>(Policy::team_bytes[i], most - shared) / 16 * 16;
    for (int i = 0; i < Policy::scratch_classes; ++i)
      rule.scratch_bytes[i] = (std::min<std::int64_t>(Policy::scratch_class_bytes[i], most) - shared) / 16 * 16;
    return rule;
  }

  /// Products that sorts hold.
  static constexpr std::int64_t most_sorted = std::int64_t{Policy::smallest_sort} << (Policy::sorts - 1);
  /// Most products of a row of a sort class.
  static constexpr int capacity_of_sort(int size) { return Policy::smallest_sort << size; }

  /// Whether no team has a bitmap for the row: it would not fit scratch, and in memory it would take more time than
  /// sorting the products, and space by its width.
  KOKKOS_FORCEINLINE_FUNCTION bool is_far_apart(std::int64_t products, std::int64_t words) const {
    constexpr std::int64_t most_words = std::int64_t{1} << 30;  // teams count words in 32 bits
    if (AddByTeam::bytes(words, 0) <= team_bytes[Policy::team_classes - 1]) return false;
    int doublings = 0;
    while (std::int64_t{1} << doublings < products) ++doublings;
    const double steps = 0.5 * doublings * (doublings + 1);  // of a bitonic sort
    return words > most_words ||
           static_cast<double>(words) > Policy::words_per_step * steps * static_cast<double>(products);
  }
  /// Whether it is sorted in memory, wherever it does not fit a warp.
  KOKKOS_FORCEINLINE_FUNCTION bool may_sort_in_memory(std::int64_t products, std::int64_t words) const {
    return products > most_sorted && is_far_apart(products, words);
  }
  /// Where the nonzeros of the row are counted.
  KOKKOS_FORCEINLINE_FUNCTION int symbolic(const SpgemmRowMeasures& row) const {
    if (row.products == 0) return row_class_index<Kind::empty>();
    const bool spread       = row.words > Policy::words_per_counted_product * row.products;
    const bool is_scattered = row.products < Policy::products_per_mark * row.nonempty_words;
    if (is_sorted(row.products, is_scattered ? Policy::counted_by_sorting : Policy::always_counted, spread))
      return sort_class(row.products);
    const int alone = bitmap_class(row, CountByWarp::bytes(row.words, row.nonempty_words, 0, 1, Policy::flat_words),
                                   CountByTeam::bytes(row.words, 0));
    const bool in_bitmap = alone < row_class_index<Kind::sort_in_memory>() && alone >= row_class_index<Kind::warp>();
    return in_bitmap && row.inode_size == 0 ? row_class_index<Kind::inode_member>() : alone;
  }
  /// Where the values of the row are added.
  KOKKOS_FORCEINLINE_FUNCTION int numeric(const SpgemmRowMeasures& row) const {
    if (row.products == 0) return row_class_index<Kind::empty>();
    if (row.products > warp_products && row.products >= Policy::long_rows_of_b * row.factors)
      for (int i = 0; i < Policy::scratch_classes; ++i)
        if (AddInScratch::bytes(row.words, row.nonzeros) <= scratch_bytes[i])
          return row_class_index<Kind::team_in_scratch>(i);
    const bool spread = row.words > Policy::words_per_product * row.products &&
                        row.products < Policy::products_per_word * row.nonempty_words;
    const bool sorts_more = row.inode_size == 1 && static_cast<double>(row.products) <
                                                       Policy::sorted_terms * static_cast<double>(row.nonzeros);
    if (is_sorted(row.products, sorts_more ? always_sorted : Policy::always_sorted, spread))
      return sort_class(row.products);
    const int subwarps = AddByWarp::subwarps_of(row.products, row.factors, row.nonzeros, subwarp_lanes);
    const int alone =
        bitmap_class(row, AddByWarp::bytes(row.words, row.nonempty_words, row.nonzeros, subwarps, Policy::flat_words),
                     AddByTeam::bytes(row.words, 0));
    if (row.inode_size == 1 || alone >= row_class_index<Kind::team>() || alone < row_class_index<Kind::warp>())
      return alone;
    const std::int64_t bytes =
        AddByWarp::bytes(row.words, row.nonempty_words, row.nonzeros, row.inode_size, Policy::flat_words);
    for (int i = 0; i < Policy::warp_classes; ++i)
      if (bytes <= warp_bytes[i])
        return row.is_first ? row_class_index<Kind::inode>(i) : row_class_index<Kind::inode_member>();
    return alone;
  }

 private:
  /// Rows of up to `always` products, and where they are `spread` over a wide window all that sorts hold.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_sorted(std::int64_t products, std::int64_t always, bool spread) {
    return products <= always || (products <= most_sorted && spread);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int sort_class(std::int64_t products) {
    int index = row_class_index<Kind::sort>();
    for (std::int64_t capacity = Policy::smallest_sort; capacity < products; capacity *= 2) ++index;
    return index;
  }
  /// By the scratch that a warp needs for bitmap and sums, and that a team needs for the bitmap.
  KOKKOS_FORCEINLINE_FUNCTION int bitmap_class(const SpgemmRowMeasures& row, std::int64_t of_warp,
                                               std::int64_t of_team) const {
    if (row.products <= warp_products)
      for (int i = 0; i < Policy::warp_classes; ++i)
        if (of_warp <= warp_bytes[i]) return row_class_index<Kind::warp>(i);
    if (is_far_apart(row.products, row.words))
      return row.products <= most_sorted ? sort_class(row.products) : row_class_index<Kind::sort_in_memory>();
    for (int i = 0; i < Policy::team_classes; ++i)
      if (of_team <= team_bytes[i] && (i == Policy::team_classes - 1 || row.products <= team_products[i]))
        return row_class_index<Kind::team>(i);
    return row_class_index<Kind::global>();
  }
};

}  // namespace lacuna::Impl

#endif
