// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSESPOLICY_HPP
#define LACUNA_SPGEMMROWCLASSESPOLICY_HPP

#include <kernels/spgemm/accumulate/Lacuna_SpgemmTeamRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmWarpRows.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// Numbers that the classes of rows are made of. Not tuned but where a gain stands beside, by a driver
/// that is not committed. With these numbers products were measured at 794d3c1
/// (perf_tests/results/h200/spgemm-products.md), squares at e8ed2b0 (spgemm.md there), when `always_sorted` was 64.
struct SpgemmRowClassesPolicy {
  static constexpr int smallest_sort = 8;
  static constexpr int sorts         = 7;  ///< 8, 16 … 512 products
  /// Rows of up to so many products are sorted whatever their window, where they are counted and where they are added.
  /// H200, 24 November 2026, new values with 256 in place of 64: the 27-point mesh of 60^3 points times its linear
  /// interpolation 784 to 373 us, HEP-th-new 303 to 256, ca-CondMat 204 to 171, copter2 255 to 227, bcsstk18 110 to
  /// 114, eight other products 0.94 to 1. Counting by 256 takes 494 in place of 409 us on the first.
  static constexpr std::int64_t always_counted = 64;
  /// So many are counted by sorting where bitmaps would be no shorter work: fewer than `products_per_mark` for each
  /// word that a row of B brings. H100, 26 November 2026, by a driver, patterns alone: 100,000 rows of 14 nonzeros by
  /// chance 416 to 253 us, R A of the 7-point mesh of 100^3 points 553 to 352, pubmed 154 to 126, copter2 203 to 184,
  /// 15 other products 0.94 to 1.07. Up to 512 products: ca-CondMat 170 to 155, the others no faster.
  static constexpr std::int64_t counted_by_sorting = 256;
  static constexpr std::int64_t products_per_mark  = 3;
  static constexpr std::int64_t always_sorted      = 256;
  /// More, where rows of B have fewer nonzeros than this on average, so that bitmaps are added to by few lanes, and
  /// none of A's is equal to the one in front or behind. H200, 24 November 2026, new values with 512 everywhere in
  /// place of 256: (R A) P of the 7-point mesh of 100^3 points and linear interpolation 1255 to 794 us, R (A P) 871 to
  /// 678; of the 27-point mesh of 60^3 points 327 to 217 and 216 to 172; HEP-th-new 291 to 255, bcsstk18 113 to 95,
  /// ca-CondMat 176 to 153, copter2 229 to 249. Longer rows of B: R A of the last mesh and aggregates 74 to 93,
  /// viscorocks 166 to 179; equal rows: A P of 30^3 points with 3 unknowns 371 to 440.
  static constexpr std::int64_t always_sorted_of_short_rows = 512;
  static constexpr double short_rows_of_b                   = 16;
  /// And nonzeros of C have fewer products each than this: subwarps add the others sooner. H100, 27 November 2026, by a
  /// driver, 512 and 256 products: 13 products each (R (A P) of the 7-point mesh) 588 and 389 us, copter2 (3) 204 and
  /// 189, but HEP-th-new (2) 198 and 234, memplus (1.9) 217 and 269, ca-CondMat (1.7) 105 and 125.
  static constexpr double sorted_terms = 2.5;
  /// Above, where the window has more words than `words_per_product` times the products, and words are nearly empty:
  /// fewer than `products_per_word` for each. H200, November 2026, new values of ca-CondMat, whose words have a column
  /// or two, by the first rule alone and without it, before sorts were in registers: 299 and 337 us.
  static constexpr std::int64_t words_per_product = 4;
  static constexpr std::int64_t products_per_word = 4;
  /// Counted in bitmaps, which are filled word by word, rows take less than half of what sorting does.
  static constexpr std::int64_t words_per_counted_product = 64;
  /// Windows of so many words have bitmaps of one level. H200, November 2026, new values with 512 in place of 256, and
  /// with `waves` of 8 in place of 2, in one step and before rows of B were joined to runs: cfd1 461 to 398 us, the
  /// 27-point mesh of 60^3 points 1498 to 1229, bcsstk32 960 to 918, pkustk06 1096 to 969, amazon_photo 1048 to 916;
  /// the other six matrices within 11 %, none slower. Which of the two does it was not told apart.
  static constexpr int flat_words = 512;
  /// Scratch of a warp, of a team, in bytes. A team takes rows of more products than `warp_products`. Of the
  /// last but one an H200 has room for four teams that add up to four equal rows: 25 November 2026, new values with it
  /// and columns of 16 bits in place of 12288 and 32 bits, the 27-point mesh of 30^3 points with 3 unknowns 898 to 748
  /// us; others that warps add within 3 %.
  static constexpr int warp_classes               = 8;
  static constexpr int warp_bytes[warp_classes]   = {1024, 2048, 3072, 4096, 6144, 8192, 13184, 16384};
  static constexpr int team_classes               = 3;
  static constexpr int team_bytes[team_classes]   = {16 * 1024, 72 * 1024, 222 * 1024};
  static constexpr int team_threads[team_classes] = {256, 512, 1024};
  static constexpr std::int64_t warp_products     = 8192;
  /// Fewer, where warps have fewer products each: a row is then the tail of everything. So many times less than
  /// the share of a warp, and the least, where rows are alike and where they are not: one has more than `alike`
  /// times the mean of products, or rows are fewer than warps. H200, November 2026, new values, shares of 1 and
  /// at least 1024 products before: memplus 419 to 307 us, HEP-th-new 454 to 291, ca-CondMat 273 to 192, amazon_photo
  /// 895 to 684, email-Enron 1540 to 1188, pubmed 192 to 92; a sixteenth on meshes and FEM matrices, whose rows are
  /// alike, cfd1 397 to 984.
  static constexpr std::int64_t warp_shares[2]         = {1, 16};
  static constexpr std::int64_t least_warp_products[2] = {256, 128};
  static constexpr std::int64_t alike                  = 8;
  /// Rows count as alike, too, where one of so many is added with an equal one in front, which teams do not.
  static constexpr std::int64_t inode_share = 4;
  /// A launch takes the next class of warps along while the device holds so many such launches at once: a launch
  /// ends with its longest row. Gain: see `flat_words`.
  static constexpr std::int64_t waves = 8;
  /// Rows of more products than this times the threads of a team go to the next larger one.
  static constexpr std::int64_t products_per_thread = 256;
  /// A team adds in scratch where rows of B have so many products each on average: by long rows alone it does without
  /// atomics.
  static constexpr std::int64_t long_rows_of_b              = 512;
  static constexpr int scratch_classes                      = 3;
  static constexpr int scratch_class_bytes[scratch_classes] = {52 * 1024, 110 * 1024, 222 * 1024};
  /// Rows of B from this mean length on are added by a whole warp without atomics.
  static constexpr double whole_warp_length = 12;
  /// B is packed into words where it has at most so many of them a nonzero.
  static constexpr double most_packed = 0.85;
  /// For a single call B is packed where A has so many nonzeros for each of its rows. H200, 24 November 2026, double,
  /// time without over time with, memory kept: R A of meshes, 1.0 to 3.3 reads a row, 0.75 to 1.02, geometric mean
  /// 0.86, R (A P) 0.91 to 1.04; from 4.4 to 7 reads 0.98 to 1.02, but memplus (7.1) 1.12, cfd1 (26) 1.26.
  static constexpr double reads_of_packed = 4;
  /// Of so many nonzeros B is packed where its rows are looked at, with room for a word each: a second pass and an
  /// allocation cost more than memory that may stay unused.
  static constexpr std::int64_t packed_at_once = 3 << 20;
  /// The same of calls without a plan, which have that room for the time of the call: 128 MB at most. H200, 25 November
  /// 2026, the 27-point mesh of 60^3 points, 5.6 million: an allocation and its release (200 of 2900 us) and two passes
  /// (110) less.
  static constexpr std::int64_t packed_at_once_by_calls = 16 << 20;
  /// Words of C that counting keeps for adding, a nonzero of A, and in all: rows for which there is no room are marked
  /// again. H200, 25 November 2026, new values without and with them: the 27-point mesh of 60^3 points 1034 to 732 us,
  /// of 30^3 points with 3 unknowns 755 to 643, cfd1 345 to 262, bcsstk32 634 to 509, pkustk06 493 to 436, viscorocks
  /// 154 to 133; counting takes more, on the first 328 to 391.
  static constexpr double cached_words            = 1.125;
  static constexpr std::int64_t most_cached_words = 16 << 20;
};

/// The class of a row, and what a class means. Plain values: the same on hosts and devices.
template <class Operands>
struct SpgemmRowClasses {
  using Policy       = SpgemmRowClassesPolicy;
  using Count        = SpgemmWarpRows<false, Operands>;
  using Add          = SpgemmWarpRows<true, Operands>;
  using TeamCount    = SpgemmTeamRows<false, SpgemmTeamSums::in_place, Operands>;
  using TeamAdd      = SpgemmTeamRows<true, SpgemmTeamSums::in_place, Operands>;
  using AddInScratch = SpgemmTeamRows<true, SpgemmTeamSums::in_scratch, Operands>;

  static constexpr int empty            = 0;
  static constexpr int search           = 1;  ///< under a mask whose row is short
  static constexpr int inode_member     = 2;  ///< an equal row in front, which is worked on with it
  static constexpr int first_sort       = 3;
  static constexpr int first_warp       = first_sort + Policy::sorts;
  static constexpr int first_inode      = first_warp + Policy::warp_classes;  ///< equal rows by one warp
  static constexpr int first_team       = first_inode + Policy::warp_classes;
  static constexpr int first_in_scratch = first_team + Policy::team_classes;
  static constexpr int global           = first_in_scratch + Policy::scratch_classes;
  static constexpr int count            = global + 1;
  static_assert(count <= most_row_classes);

  // Copies: a device does not see arrays that are static members on the host.
  std::int32_t warp_bytes[Policy::warp_classes];
  std::int64_t warp_products;
  std::int64_t always_sorted;  ///< rows without an equal neighbour
  int subwarp_lanes;           ///< lanes that subwarps are made of; 1: there are none
  std::int64_t team_bytes[Policy::team_classes];
  std::int64_t team_products[Policy::team_classes];
  std::int64_t scratch_bytes[Policy::scratch_classes];

  /// `largest`: scratch of a team, of which `shared` bytes are taken.
  static SpgemmRowClasses of_device(std::size_t largest) {
    SpgemmRowClasses classes{};
    classes.warp_products = Policy::warp_products;
    classes.always_sorted = Policy::always_sorted;
    classes.subwarp_lanes = 1;
    const auto most       = static_cast<std::int64_t>(largest);
    const auto shared     = static_cast<std::int64_t>(AddInScratch::shared_bytes) + 64;
    for (int i = 0; i < Policy::warp_classes; ++i) classes.warp_bytes[i] = Policy::warp_bytes[i];
    for (int i = 0; i < Policy::team_classes; ++i)
      classes.team_products[i] = Policy::products_per_thread * Policy::team_threads[i];
    for (int i = 0; i < Policy::team_classes; ++i)
      classes.team_bytes[i] = std::min<std::int64_t>(Policy::team_bytes[i], most - shared) / 16 * 16;
    for (int i = 0; i < Policy::scratch_classes; ++i)
      classes.scratch_bytes[i] = (std::min<std::int64_t>(Policy::scratch_class_bytes[i], most) - shared) / 16 * 16;
    return classes;
  }

  static constexpr int capacity_of_sort(int c) { return Policy::smallest_sort << (c - first_sort); }

  /// Rows of up to `always` products, and where they are `spread` all that sorts hold.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_sorted(std::int64_t products, std::int64_t always, bool spread) {
    constexpr std::int64_t most = std::int64_t{Policy::smallest_sort} << (Policy::sorts - 1);
    return products <= always || (products <= most && spread);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int sort_class(std::int64_t products) {
    int c = first_sort;
    for (std::int64_t capacity = Policy::smallest_sort; capacity < products; capacity *= 2) ++c;
    return c;
  }
  /// A warp needs `bytes` in all, a team those of the bitmap.
  KOKKOS_FORCEINLINE_FUNCTION int bitmap_class(std::int64_t products, std::int64_t bytes, std::int64_t bitmap) const {
    if (products <= warp_products)
      for (int i = 0; i < Policy::warp_classes; ++i)
        if (bytes <= warp_bytes[i]) return first_warp + i;
    for (int i = 0; i < Policy::team_classes; ++i)
      if (bitmap <= team_bytes[i] && (i == Policy::team_classes - 1 || products <= team_products[i]))
        return first_team + i;
    return global;
  }
  /// `nonempty_words`: at most so many of the row's words are not empty. `inode_size`: equal rows from this one on, 0
  /// where one is in front.
  KOKKOS_FORCEINLINE_FUNCTION int symbolic(std::int64_t products, std::int64_t words, std::int64_t nonempty_words,
                                           int inode_size) const {
    if (products == 0) return empty;
    const bool spread       = words > Policy::words_per_counted_product * products;
    const bool is_scattered = products < Policy::products_per_mark * nonempty_words;
    if (is_sorted(products, is_scattered ? Policy::counted_by_sorting : Policy::always_counted, spread))
      return sort_class(products);
    if (inode_size == 0) return inode_member;
    return bitmap_class(products, Count::bytes(words, nonempty_words, 0, 1, Policy::flat_words),
                        TeamCount::bytes(words, 0));
  }
  /// `factors`: nonzeros of the row of A; `inode_size`: all equal rows, this one included.
  KOKKOS_FORCEINLINE_FUNCTION int numeric(std::int64_t products, std::int64_t words, std::int64_t nonempty_words,
                                          std::int64_t nonzeros, std::int64_t factors, int inode_size,
                                          bool is_first) const {
    if (products == 0) return empty;
    if (products > warp_products && products >= Policy::long_rows_of_b * factors)
      for (int i = 0; i < Policy::scratch_classes; ++i)
        if (AddInScratch::bytes(words, nonzeros) <= scratch_bytes[i]) return first_in_scratch + i;
    const bool spread =
        words > Policy::words_per_product * products && products < Policy::products_per_word * nonempty_words;
    const bool sorts_more =
        inode_size == 1 && static_cast<double>(products) < Policy::sorted_terms * static_cast<double>(nonzeros);
    if (is_sorted(products, sorts_more ? always_sorted : Policy::always_sorted, spread)) return sort_class(products);
    const int subwarps = Add::subwarps_of(products, factors, nonzeros, subwarp_lanes);
    const int alone = bitmap_class(products, Add::bytes(words, nonempty_words, nonzeros, subwarps, Policy::flat_words),
                                   TeamAdd::bytes(words, 0));
    if (inode_size == 1 || alone >= first_team) return alone;
    const std::int64_t bytes = Add::bytes(words, nonempty_words, nonzeros, inode_size, Policy::flat_words);
    for (int i = 0; i < Policy::warp_classes; ++i)
      if (bytes <= warp_bytes[i]) return is_first ? first_inode + i : inode_member;
    return alone;
  }
};

}  // namespace lacuna::Impl

#endif
