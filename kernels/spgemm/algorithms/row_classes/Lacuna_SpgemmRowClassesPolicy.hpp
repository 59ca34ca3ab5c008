// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSESPOLICY_HPP
#define LACUNA_SPGEMMROWCLASSESPOLICY_HPP

#include <cstdint>

/// \file
/// \brief The numbers of `SpgemmAlgorithm::row_classes`. What they were measured by stands in kernels/spgemm/tuning.md;
/// the rule that reads them is `SpgemmRowClasses`.

namespace lacuna::Impl {

struct SpgemmRowClassesPolicy {
  // Which rows are sorted. Limits are products of a row.

  /// The capacity of the first sort class; each next one holds twice as many. Not tuned.
  static constexpr int smallest_sort = 8;
  /// Sort classes: 8, 16 … 512. Not tuned.
  static constexpr int sorts = 7;
  /// Up to this many a row is counted by sorting, whatever its window.
  static constexpr std::int64_t always_counted = 64;
  /// Up to this many where a bitmap would not be cheaper, see `products_per_mark`.
  static constexpr std::int64_t counted_by_sorting = 256;
  /// Products for each nonempty word below which a bitmap is not cheaper than sorting.
  static constexpr std::int64_t products_per_mark = 3;
  /// Up to this many the values of a row are added by sorting, whatever its window.
  static constexpr std::int64_t always_sorted = 256;
  /// The same where rows of B are short, and the row of A belongs to no inode.
  static constexpr std::int64_t always_sorted_of_short_rows = 512;
  /// Rows of B are short below this mean of nonzeros: few lanes would add to a bitmap.
  static constexpr double short_rows_of_b = 16;
  /// Products for each nonzero of C below which `always_sorted_of_short_rows` holds; above, subwarps are faster.
  static constexpr double sorted_terms = 2.5;
  /// Words of the window for each product above which values are sorted whatever their number, up to the last class.
  static constexpr std::int64_t words_per_product = 4;
  /// And products for each nonempty word below which they are: both must hold.
  static constexpr std::int64_t products_per_word = 4;
  /// Words of the window for each product above which a row is counted by sorting. Not tuned.
  static constexpr std::int64_t words_per_counted_product = 64;
  /// Words of a bitmap in memory that take as long as a step of a product in a bitonic sort.
  static constexpr double words_per_step = 0.5;

  /// Words of bitmaps in memory, and columns that are sorted there, of all teams for each product of all rows: where
  /// they do not suffice, fewer teams take the rows in turns. Not tuned.
  static constexpr std::int64_t bitmap_words_per_product   = 16;
  static constexpr std::int64_t sorted_columns_per_product = 2;

  // Classes of scratch, in bytes.

  static constexpr int warp_classes = 8;
  /// The last but one lets four teams on a multiprocessor add up to four equal rows.
  static constexpr int warp_bytes[warp_classes] = {1024, 2048, 3072, 4096, 6144, 8192, 13184, 16384};
  static constexpr int team_classes             = 3;
  /// Bitmaps of a team. Not tuned.
  static constexpr int team_bytes[team_classes] = {16 * 1024, 72 * 1024, 222 * 1024};
  /// Threads of a team of each class. Not tuned.
  static constexpr int team_threads[team_classes] = {256, 512, 1024};
  static constexpr int scratch_classes            = 3;
  /// Bitmap and sums of a team. Not tuned.
  static constexpr int scratch_class_bytes[scratch_classes] = {52 * 1024, 110 * 1024, 222 * 1024};

  // Which rows a warp takes, and which a team.

  /// Words of the largest window whose bitmap has one level in any case.
  static constexpr int flat_words = 512;
  /// Most products of a row that a warp takes. Not tuned.
  static constexpr std::int64_t warp_products = 8192;
  /// What a warp's share of all products is divided by to limit its rows, where rows are alike and where not.
  static constexpr std::int64_t warp_shares[2] = {1, 16};
  /// Products below which that limit does not fall, where rows are alike and where not.
  static constexpr std::int64_t least_warp_products[2] = {256, 128};
  /// Rows are alike where none has more than this times the mean of products, and rows are more than warps.
  static constexpr std::int64_t alike = 8;
  /// Rows are alike, too, where more than one in this many is computed with the first row of its inode. Not tuned.
  static constexpr std::int64_t inode_share = 4;
  /// Rows of more products than this times the threads of a team go to the next larger team. Not tuned.
  static constexpr std::int64_t products_per_thread = 256;
  /// Mean nonzeros of the rows of B from which a team adds in scratch. Not tuned.
  static constexpr std::int64_t long_rows_of_b = 512;
  /// Mean nonzeros of B from which a whole warp adds a row of B, without atomics. Not tuned.
  static constexpr double whole_warp_length = 12;
  /// A launch takes the next smaller class along while the device holds this many such launches at once.
  static constexpr std::int64_t waves = 8;

  // Packed rows of B.

  /// Most words for each nonzero of B. Not tuned.
  static constexpr double most_packed = 0.85;
  /// Nonzeros of A for each row of B from which a single call packs B.
  static constexpr double reads_of_packed = 4;
  /// Nonzeros of B up to which a plan packs B when it inspects it, into a word for each nonzero. Not tuned.
  static constexpr std::int64_t packed_at_once = 3 << 20;
  /// The same for a call without a plan, which has the words in its arena: 128 MiB at most.
  static constexpr std::int64_t packed_at_once_by_calls = 16 << 20;

  // The bitmap cache.

  /// Words for each nonzero of A. Rows whose bitmaps do not fit are marked again.
  static constexpr double cached_words = 1.125;
  /// Words in all.
  static constexpr std::int64_t most_cached_words = 16 << 20;
};

}  // namespace lacuna::Impl

#endif
