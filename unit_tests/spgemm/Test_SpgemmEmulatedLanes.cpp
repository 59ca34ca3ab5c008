// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spgemm/accumulate/Lacuna_SpgemmSearchRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSortRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmTeamRows.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmWarpRows.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassRule.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmInodes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmMaskRows.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmRowMap.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmBitonicRows.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmHeapRows.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmMergeRows.hpp>

#include <reference/Reference_Spgemm.hpp>
#include <support/Emulated_Device.hpp>
#include <support/Test_Matrices.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief The kernels of SpGEMM with real warps of 32 and 64, run by fibres on a host.

namespace lacuna::Test {
namespace {

using Arrays   = Impl::CrsArrays<double, int, int>;
using Range    = Impl::ColumnRange<int>;
using Mask     = Impl::SpgemmMaskRows<int, int>;
using Plain    = Impl::SpgemmOperands<Arrays>;
using Shortest = Impl::SpgemmOperands<Arrays, MinPlus<double>>;
using Masked   = Impl::SpgemmOperands<Arrays, PlusTimes<double>, Mask>;
using enum Impl::SpgemmTeamSums;

/// A product with all that the kernels want to know of it.
template <class OperandsType = Plain>
struct Product {
  using Operands = OperandsType;

  /// The same at the places of M, or (`is_complement`) elsewhere.
  Product(const HostMatrix<double>& left, const HostMatrix<double>& right, const HostMatrix<double>& M,
          bool is_complement)
      : Product(left, right) {
    complemented = is_complement;
    for (std::int64_t row = 0; row < M.rows; ++row) {
      const auto begin = M.entries.begin();
      std::vector<int> columns(begin + M.row_map[static_cast<std::size_t>(row)],
                               begin + M.row_map[static_cast<std::size_t>(row) + 1]);
      std::sort(columns.begin(), columns.end());
      entries_m.insert(entries_m.end(), columns.begin(), columns.end());
      map_m.push_back(static_cast<int>(entries_m.size()));
    }
    std::vector<Impl::Counter> all(products.begin(), products.end());
    if (!complemented)
      for (std::int64_t row = 0; row < A.rows; ++row)
        Impl::SpgemmRestrictBounds<int, int>{{map_m.data(), entries_m.data(), false}, all.data(), ranges.data()}(row);
    row_map.assign(1, 0);
    for (std::size_t row = 0; row < reference.rows.size(); ++row) {
      std::erase_if(reference.rows[row], [&](const auto& element) {
        const auto first = entries_m.begin() + map_m[row], last = entries_m.begin() + map_m[row + 1];
        return std::binary_search(first, last, static_cast<int>(element.first)) == complemented;
      });
      if (all[row] == 0) products[row] = 0;
      row_map.push_back(row_map.back() + static_cast<int>(reference.rows[row].size()));
    }
    entries.resize(static_cast<std::size_t>(row_map.back()));
    values.resize(static_cast<std::size_t>(row_map.back()));
  }
  Product(const HostMatrix<double>& left, const HostMatrix<double>& right)
      : A(left), B(right), reference(reference_spgemm(2.0, Op::none, left, Op::none, right)) {
    for (const auto* host : {&A, &B}) {
      auto& map     = host == &A ? map_a : map_b;
      auto& entries = host == &A ? entries_a : entries_b;
      map.assign(host->row_map.begin(), host->row_map.end());
      entries.assign(host->entries.begin(), host->entries.end());
    }
    row_map.push_back(0);
    for (std::size_t row = 0; row < reference.rows.size(); ++row) {
      const auto& expected = reference.rows[row];
      row_map.push_back(row_map.back() + static_cast<int>(expected.size()));
      ranges.push_back(expected.empty() ? Range{0, -1}
                                        : Range{static_cast<int>(expected.begin()->first),
                                                static_cast<int>(expected.rbegin()->first)});
      std::int64_t sum = 0;
      for (const auto& [column, element] : expected) sum += element.terms;
      products.push_back(sum);
    }
    if constexpr (std::is_same_v<Operands, Shortest>) find_shortest();
    entries.assign(static_cast<std::size_t>(row_map.back()), -1);
    values.assign(static_cast<std::size_t>(row_map.back()), std::numeric_limits<double>::quiet_NaN());
    counts.assign(reference.rows.size(), 0);
  }

  /// The reference, with the least a + b in place of sums.
  void find_shortest() {
    for (std::size_t row = 0; row < reference.rows.size(); ++row) {
      for (auto& [column, element] : reference.rows[row]) element.value = 1e300;
      for (auto k = static_cast<std::size_t>(map_a[row]); k < static_cast<std::size_t>(map_a[row + 1]); ++k)
        for (auto b = static_cast<std::size_t>(map_b[static_cast<std::size_t>(entries_a[k])]);
             b < static_cast<std::size_t>(map_b[static_cast<std::size_t>(entries_a[k]) + 1]); ++b) {
          auto& value = reference.rows[row][entries_b[b]].value;
          value       = std::min(value, A.values[k] + B.values[b]);
        }
    }
  }

  Operands operands() const {
    const auto arrays = [](const HostMatrix<double>& host, const std::vector<int>& map,
                           const std::vector<int>& columns) {
      return Arrays{static_cast<int>(host.rows),
                    static_cast<int>(host.columns),
                    static_cast<int>(columns.size()),
                    map.data(),
                    columns.data(),
                    host.values.data()};
    };
    Operands result{arrays(A, map_a, entries_a), arrays(B, map_b, entries_b), 2.0};
    if constexpr (Operands::is_masked) result.mask = {map_m.data(), entries_m.data(), complemented};
    return result;
  }
  /// Rows of `least` to `most` products.
  std::vector<int> rows(std::int64_t least, std::int64_t most) const {
    std::vector<int> found;
    for (std::size_t row = 0; row < products.size(); ++row)
      if (products[row] >= least && products[row] <= most) found.push_back(static_cast<int>(row));
    return found;
  }
  std::vector<int> pattern_of_a(std::size_t row) const {
    return {entries_a.begin() + map_a[row], entries_a.begin() + map_a[row + 1]};
  }
  template <class Position>
  Impl::SpgemmTarget<double, int, Position> target(const std::vector<Position>& begin) {
    return {begin.data(), entries.data(), values.data(), counts.data()};
  }
  void check_counts(const std::vector<int>& rows, const std::string& what) const {
    for (const int row : rows)
      ASSERT_EQ(counts[static_cast<std::size_t>(row)],
                static_cast<int>(reference.rows[static_cast<std::size_t>(row)].size()))
          << what << ", row " << row;
  }
  void check_result(const std::string& what) const {
    HostMatrix<double> C;
    C.rows    = A.rows;
    C.columns = B.columns;
    C.row_map.assign(row_map.begin(), row_map.end());
    C.entries.assign(entries.begin(), entries.end());
    C.values = values;
    EXPECT_TRUE(matches(reference, C)) << what;
  }

  /// B in words, by the kernel that packs it: one row behind the other (`tightly`), or at the places of nonzeros.
  template <class Device>
  void pack(const Device& device, bool tightly) {
    first_word = map_b;
    if (tightly) {
      first_word.assign(1, 0);
      for (std::size_t row = 0; row + 1 < map_b.size(); ++row) {
        int count = 0;
        for (auto k = static_cast<std::size_t>(map_b[row]); k < static_cast<std::size_t>(map_b[row + 1]); ++k)
          if (k == static_cast<std::size_t>(map_b[row]) || entries_b[k] / 32 != entries_b[k - 1] / 32) ++count;
        first_word.push_back(first_word.back() + count);
      }
    }
    words.assign(static_cast<std::size_t>(first_word.back()), {});
    rows_of_b.assign(map_b.size() - 1, {});
    Impl::Counter not_ascending = 0, any_repeats = 0, sums[Impl::spgemm_word_sums]{};
    Impl::inspect_rows(
        device, "pack", operands().B,
        Impl::SpgemmInspectRowsOfB<Arrays>{map_b.data(), entries_b.data(), rows_of_b.data(), nullptr, &not_ascending,
                                           &any_repeats, sums, first_word.data(), words.data()});
    if (tightly) EXPECT_EQ(std::accumulate(std::begin(sums), std::end(sums), Impl::Counter(0)), words.size());
    packed = {{first_word.data(), rows_of_b.data()}, words.data()};
    for (std::size_t row = 0; row + 1 < map_b.size(); ++row) check_words(row);
  }
  /// Those of a row of B: a run of nonzeros with columns in one word each.
  void check_words(std::size_t row) const {
    auto at        = static_cast<std::size_t>(first_word[row]);
    const auto end = static_cast<std::size_t>(map_b[row + 1]);
    for (auto k = static_cast<std::size_t>(map_b[row]); k < end; ++at) {
      const int word     = entries_b[k] / 32;
      std::uint32_t mask = 0;
      for (; k < end && entries_b[k] / 32 == word; ++k) mask |= std::uint32_t(1) << (entries_b[k] % 32);
      ASSERT_EQ(words[at].word, static_cast<std::uint32_t>(word)) << "row " << row << " of B";
      ASSERT_EQ(words[at].mask, mask) << "row " << row << " of B, word " << word;
    }
    ASSERT_EQ(at, static_cast<std::size_t>(first_word[row] + rows_of_b[row].words)) << "row " << row << " of B";
  }

  HostMatrix<double> A, B;
  std::vector<int> map_m{0}, entries_m;
  bool complemented = false;
  std::vector<int> first_word;
  std::vector<Impl::SpgemmPackedWord> words;
  std::vector<Impl::SpgemmRowOfB<int>> rows_of_b;
  Impl::SpgemmPackedRows<int, int> packed;
  SpgemmReference<double> reference;
  std::vector<int> map_a, map_b, entries_a, entries_b, row_map, entries, counts;
  std::vector<double> values;
  std::vector<Range> ranges;
  std::vector<std::int64_t> products;
};

template <int width, class Product>
void check_sort(const Product& original, const std::string& what) {
  const EmulatedDevice<width> device;
  Impl::IndependentLaunches<EmulatedDevice<width>> launches(device);
  for (int capacity = 8; capacity <= 512; capacity *= 2) {
    auto p          = original;
    const auto rows = p.rows(1, capacity);
    const Impl::SpgemmSortClass<int> one{rows.data(), static_cast<std::int64_t>(rows.size()), capacity};
    Impl::spgemm_sort_rows<false>(launches, p.operands(), p.ranges.data(), &one, 1, p.target(p.row_map));
    p.check_counts(rows, what);
    if (p.rows(capacity + 1, INT64_MAX).empty()) {
      Impl::spgemm_sort_rows<true>(launches, p.operands(), p.ranges.data(), &one, 1, p.target(p.row_map));
      p.check_result(what + ", sorted by " + std::to_string(width) + " lanes in " + std::to_string(capacity));
    }
  }
}

/// What the passes in front of a product find.
template <class Product>
struct Bounds {
  template <class Device>
  Bounds(const Device& device, const Product& p)
      : rows_of_b(p.map_b.size() - 1),
        products(p.products.size()),
        ranges(p.products.size()),
        counts(p.products.size(), 7),
        words(p.products.size()),
        repeats_of_b(p.map_b.size() - 1, 9),
        repeats(p.products.size(), 9) {
    const auto operands = p.operands();
    Impl::find_spgemm_bounds(device, operands.A, operands.B,
                             Impl::SpgemmBounds<int>{rows_of_b.data(), products.data(), ranges.data(), counts.data(),
                                                     &counters, repeats_of_b.data(), words.data(), repeats.data()});
  }
  std::vector<Impl::SpgemmRowOfB<int>> rows_of_b;
  std::vector<Impl::Counter> products;
  std::vector<Range> ranges;
  std::vector<int> counts, words;
  std::vector<unsigned char> repeats_of_b, repeats;
  Impl::SpgemmCounters counters{};
};

/// Bitmap and sums in scratch and in memory, lanes a row of B, in order or not.
template <int width, Impl::SpgemmTeamSums Sums, class Product>
void check_teams(const Product& original, bool ordered, const std::string& what) {
  const EmulatedDevice<width> device;
  using Count = Impl::SpgemmTeamRows<false, Sums, typename Product::Operands>;
  using Add   = Impl::SpgemmTeamRows<true, Sums, typename Product::Operands>;
  for (const bool in_memory : {false, true}) {
    if (Sums == in_scratch && in_memory) continue;
    for (const int lanes_b : {width, 8, 1})
      for (const bool in_order : {false, true}) {
        if (in_order && lanes_b < width) continue;
        auto p           = original;
        const auto rows  = p.rows(1, INT64_MAX);
        const auto count = static_cast<std::int64_t>(rows.size());
        // Half of the cases fill the bitmap from words.
        if (lanes_b == 8 || in_order) p.pack(device, in_order);
        const int scratch     = 48 * 1024;
        const std::size_t all = Add::team_bytes(static_cast<std::size_t>(scratch));
        const Impl::TeamShape shape{3 * ((count + 2) / 3), 4 * width};
        const bool has_duplicates = !ordered;
        std::vector<Impl::SpgemmWord> words(static_cast<std::size_t>(shape.teams * 4000));
        const std::vector<unsigned char> single(p.products.size(), 1);
        const auto target = p.target(p.row_map);
        Impl::launch_teams(
            device, "count", shape, all,
            Count{p.operands(), p.packed, p.ranges.data(), rows.data(), count, single.data(), scratch, lanes_b, lanes_b,
                  has_duplicates, in_order, in_memory ? reinterpret_cast<typename Count::Word*>(words.data()) : nullptr,
                  4000, target});
        p.check_counts(rows, what);
        Impl::launch_teams(
            device, "add", shape, all,
            Add{p.operands(), p.packed, p.ranges.data(), rows.data(), count, single.data(), scratch, lanes_b, lanes_b,
                has_duplicates, in_order, in_memory ? words.data() : nullptr, 4000, target});
        p.check_result(what + ", teams of warps of " + std::to_string(width) + ", " + std::to_string(lanes_b) +
                       " lanes a row of B, in memory " + std::to_string(in_memory));
      }
  }
}

/// Memory of a bitmap cache: `segment_words` words in each of its segments.
struct CacheMemory {
  CacheMemory(std::uint32_t size, std::size_t rows)
      : segment_words(size),
        words(std::size_t{size} * Impl::bitmap_cache_segments),
        offsets(rows, Impl::SpgemmBitmapCache::not_cached),
        used(Impl::bitmap_cache_segments, 0) {}
  Impl::SpgemmBitmapCache get() { return {words.data(), offsets.data(), used.data(), segment_words}; }

  std::uint32_t segment_words;
  std::vector<Impl::SpgemmPackedWord> words;
  std::vector<std::uint32_t> offsets;
  std::vector<Impl::Counter> used;
};

/// One row by a warp, or `InodeRows` equal ones: bitmaps of one and of two levels, with and without atomics, with
/// runs of equal rows of B and without.
template <int width, int InodeRows, class Product>
void check_warps(const Product& original, bool ordered, const std::string& what) {
  const EmulatedDevice<width> device;
  using Count = Impl::SpgemmWarpRows<false, typename Product::Operands>;
  using Add   = Impl::SpgemmWarpRows<true, typename Product::Operands, InodeRows>;
  Bounds<Product> bounds(device, original);
  std::vector<unsigned char> sizes(original.products.size(), 1);
  const auto all_rows = static_cast<std::int64_t>(sizes.size());
  if (InodeRows > 1) {
    const Impl::SpgemmFindInodes find_inodes{all_rows, bounds.repeats.data(), sizes.data()};
    for (std::int64_t row = 0; row < all_rows; ++row) find_inodes(row);
  }
  std::vector<int> firsts;
  for (int row = 0; row < static_cast<int>(all_rows); ++row)
    if (const auto r = static_cast<std::size_t>(row); sizes[r] > 0 && original.products[r] > 0) firsts.push_back(row);
  const auto count  = static_cast<std::int64_t>(firsts.size());
  const int scratch = 48 * 1024;
  const Impl::TeamShape shape{(count + 1) / 2, 2 * width};
  const std::size_t all = Add::team_bytes(2, width, static_cast<std::size_t>(scratch));
  for (const int flat_words : {0, 4000})
    for (const int lanes_b : {width, 8, 1})
      for (const bool with_inodes : {false, true}) {
        if (with_inodes && (lanes_b < width || InodeRows == 1)) continue;
        auto p = original;
        if ((lanes_b == 8) != (flat_words == 0)) p.pack(device, flat_words == 0);
        auto nonempty_words                = bounds.words;
        const unsigned char* const repeats = with_inodes ? bounds.repeats_of_b.data() : nullptr;
        const auto target                  = p.target(p.row_map);
        CacheMemory cache(lanes_b == width ? 4000 : 20, sizes.size());
        const auto bitmap_cache =
            Product::Operands::is_masked || lanes_b == 1 ? Impl::SpgemmBitmapCache{} : cache.get();
        Impl::launch_teams(device, "count", shape, all,
                           Count{p.operands(), p.packed, repeats, p.ranges.data(), bounds.products.data(),
                                 firsts.data(), count, sizes.data(), nonempty_words.data(), scratch, lanes_b, lanes_b,
                                 flat_words, !ordered, false, target, bitmap_cache});
        if (bitmap_cache.offsets != nullptr && lanes_b == width && flat_words == 0)
          for (const int row : firsts)
            ASSERT_NE(bitmap_cache.offset(row), Impl::SpgemmBitmapCache::not_cached) << what << ", row " << row;
        p.check_counts(p.rows(1, INT64_MAX), what);
        for (const int row : p.rows(1, INT64_MAX)) {
          const auto r = static_cast<std::size_t>(row);
          ASSERT_LE(nonempty_words[r], bounds.words[r]) << what << ", row " << row;
          ASSERT_LE(p.counts[r], 32 * nonempty_words[r]) << what << ", row " << row;
        }
        Impl::launch_teams(device, "add", shape, all,
                           Add{p.operands(), p.packed, repeats, p.ranges.data(), bounds.products.data(), firsts.data(),
                               count, sizes.data(), nonempty_words.data(), scratch, lanes_b, lanes_b, flat_words,
                               !ordered, InodeRows == 1, target, bitmap_cache});
        p.check_result(what + ", warps of " + std::to_string(width) + ", " + std::to_string(lanes_b) +
                       " lanes a row of B, one level up to " + std::to_string(flat_words) + " words");
      }
}

/// Equal rows of A become inodes of at most `most_inode_rows` rows.
template <int width, class Product>
void check_inodes(const Product& p, const std::string& what) {
  const EmulatedDevice<width> device;
  const Bounds<Product> bounds(device, p);
  const auto rows = static_cast<std::int64_t>(p.products.size());
  std::vector<unsigned char> sizes(p.products.size(), 9);
  const Impl::SpgemmFindInodes find_inodes{rows, bounds.repeats.data(), sizes.data()};
  for (std::int64_t row = 0; row < rows; ++row) find_inodes(row);
  std::int64_t covered = 0, firsts = 0;
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    ASSERT_LE(sizes[row], Impl::most_inode_rows) << what << ", row " << row;
    if (sizes[row] == 0) continue;
    ++firsts;
    ASSERT_EQ(covered, static_cast<std::int64_t>(row)) << what;
    covered += sizes[row];
    for (std::size_t next = row + 1; next < row + sizes[row]; ++next)
      ASSERT_EQ(p.pattern_of_a(next), p.pattern_of_a(row)) << what;
  }
  ASSERT_EQ(covered, rows) << what;
  ASSERT_LT(firsts, rows) << what;
  ASSERT_EQ(bounds.counters.repeats, 1U) << what;
}

template <int width, class Product>
void check_heap(const Product& original, const std::string& what) {
  const EmulatedDevice<width> device;
  Impl::IndependentLaunches<EmulatedDevice<width>> launches(device);
  for (int capacity = 1; capacity <= 32; ++capacity) {
    auto p          = original;
    const auto rows = p.rows(capacity, capacity);
    if (rows.empty()) continue;
    const std::vector<std::int64_t> begin(p.row_map.begin(), p.row_map.end());
    Impl::spgemm_heap_rows(launches, p.operands(), rows.data(), static_cast<std::int64_t>(rows.size()), capacity,
                           p.target(begin));
    p.check_counts(rows, what);
    for (const int row : rows) {
      auto k = static_cast<std::size_t>(p.row_map[static_cast<std::size_t>(row)]);
      for (const auto& [column, element] : p.reference.rows[static_cast<std::size_t>(row)]) {
        ASSERT_EQ(p.entries[k], column) << what;
        ASSERT_NEAR(p.values[k++], element.value, 1e-13) << what;
      }
    }
  }
}

/// Rows of group 4, bin by bin: a warp a row.
template <int width, class Product>
void check_bitonic(const Product& original, const std::string& what) {
  const EmulatedDevice<width> device;
  Impl::IndependentLaunches<EmulatedDevice<width>> launches(device);
  for (int capacity = 64; capacity <= 512; capacity *= 2) {
    auto p          = original;
    const auto rows = p.rows(1, capacity);
    const std::vector<std::int64_t> begin(p.row_map.begin(), p.row_map.end());
    Impl::spgemm_bitonic_rows(launches, p.operands(), rows.data(), static_cast<std::int64_t>(rows.size()), capacity,
                              p.target(begin));
    p.check_counts(rows, what);
    if (p.rows(capacity + 1, INT64_MAX).empty())
      p.check_result(what + ", bitonic sort of " + std::to_string(capacity) + " by " + std::to_string(width));
    // A team of three warps takes three rows.
    using Body = Impl::SpgemmBitonicRows<typename Product::Operands>;
    auto q     = original;
    ASSERT_GT(rows.size(), 4U);
    Impl::launch_teams(
        device, "bitonic", {1, 3 * width}, 3 * Body::bytes_per_product * static_cast<std::size_t>(capacity) + 64,
        Body{q.operands(), rows.data(), static_cast<std::int64_t>(rows.size()), capacity, q.target(begin)});
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(q.counts[static_cast<std::size_t>(rows[i])], i < 3 ? p.counts[static_cast<std::size_t>(rows[i])] : 0)
          << what << ", row " << i;
  }
}

/// Rounds with twice the memory each, as the plan does it.
template <int width, class Product>
void check_merge(const Product& p, std::int64_t first_capacity, const std::string& what) {
  const EmulatedDevice<width> device;
  using Merge  = Impl::SpgemmMergeRows<typename Product::Operands>;
  const auto n = static_cast<std::size_t>(p.A.rows);
  std::vector<int> next_a(n), next_b(n), filled(n), slot(n), round(n), counts(n), list = p.rows(1, INT64_MAX);
  std::vector<std::vector<int>> entries;
  std::vector<std::vector<double>> values;
  std::vector<Impl::SpgemmMergeMemory<double, int>> memory;
  std::int64_t capacity = first_capacity;
  for (int r = 0; !list.empty(); ++r, capacity *= 2) {
    entries.emplace_back(list.size() * static_cast<std::size_t>(capacity));
    values.emplace_back(list.size() * static_cast<std::size_t>(capacity));
    memory.push_back({entries.back().data(), values.back().data(), capacity});
    std::vector<int> next(list.size());
    Impl::Counter left    = 0;
    const bool in_scratch = capacity <= 256;  // later rounds merge in memory
    const auto count      = static_cast<std::int64_t>(list.size());
    for (const bool grows : {true, false})
      Impl::launch_teams<Merge::team>(device, "merge", {count, Merge::team},
                                      Merge::fixed_bytes + 256 * Merge::bytes_per_nonzero,
                                      Merge{p.operands(),
                                            list.data(),
                                            count,
                                            {next_a.data(), next_b.data(), filled.data(), slot.data(), round.data()},
                                            r,
                                            grows,
                                            in_scratch,
                                            memory.back(),
                                            r > 0 ? memory[memory.size() - 2] : memory.back(),
                                            next.data(),
                                            &left,
                                            counts.data()});
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto row = static_cast<std::size_t>(list[i]);
      if (std::find(next.begin(), next.begin() + static_cast<std::int64_t>(left), list[i]) !=
          next.begin() + static_cast<std::int64_t>(left))
        continue;
      const auto& expected = p.reference.rows[row];
      ASSERT_EQ(counts[row], static_cast<int>(expected.size())) << what;
      std::size_t k = i * static_cast<std::size_t>(capacity);
      for (const auto& [column, element] : expected) {
        ASSERT_EQ(entries.back()[k], column) << what << ", round " << r << ", row " << row;
        ASSERT_NEAR(values.back()[k++], element.value, 1e-12) << what;
      }
    }
    next.resize(left);
    list = next;
  }
  EXPECT_GE(memory.size(), first_capacity < 100 ? 2U : 1U) << what;
}

/// All classes by one call, each with the rows that the smaller ones do not hold.
template <int width, class Product>
void check_sort_classes(const Product& original, const std::string& what) {
  const EmulatedDevice<width> device;
  Impl::IndependentLaunches<EmulatedDevice<width>> launches(device);
  auto p = original;
  std::vector<std::vector<int>> rows;
  for (int capacity = 8; capacity <= 512; capacity *= 2)
    rows.push_back(p.rows(capacity == 8 ? 1 : capacity / 2 + 1, capacity));
  ASSERT_TRUE(p.rows(513, INT64_MAX).empty()) << what;
  std::vector<Impl::SpgemmSortClass<int>> classes;
  for (int c = 6; c >= 0; --c)
    if (const auto& of = rows[static_cast<std::size_t>(c)]; !of.empty())
      classes.push_back({of.data(), static_cast<std::int64_t>(of.size()), 8 << c});
  ASSERT_GE(classes.size(), 3U) << what;
  Impl::spgemm_sort_rows<false>(launches, p.operands(), p.ranges.data(), classes.data(),
                                static_cast<int>(classes.size()), p.target(p.row_map));
  p.check_counts(p.rows(1, 512), what);
  Impl::spgemm_sort_rows<true>(launches, p.operands(), p.ranges.data(), classes.data(),
                               static_cast<int>(classes.size()), p.target(p.row_map));
  p.check_result(what + ", classes together");
}

/// Products, ranges, words and repeated patterns, of rows that lanes share and of rows that a team takes.
template <int width, class Product>
void check_bounds(const Product& p, const std::string& what) {
  const EmulatedDevice<width> device;
  const Bounds<Product> found(device, p);
  for (std::size_t row = 0; row < p.products.size(); ++row) {
    ASSERT_EQ(static_cast<std::int64_t>(found.products[row]), p.products[row]) << what << ", row " << row;
    ASSERT_EQ(found.ranges[row].width(), p.ranges[row].width()) << what << ", row " << row;
    if (p.products[row] > 0) ASSERT_EQ(found.ranges[row].first, p.ranges[row].first) << what << ", row " << row;
    ASSERT_EQ(found.counts[row], 0) << what << ", row " << row;
    std::set<std::int64_t> words;
    for (const auto& [column, element] : p.reference.rows[row]) words.insert(column / 32);
    ASSERT_GE(found.words[row], static_cast<int>(words.size())) << what << ", row " << row;
    ASSERT_LE(found.words[row], found.ranges[row].words()) << what << ", row " << row;
  }
  const auto columns_of = [&](std::size_t row) {
    return std::vector<int>(p.entries_b.begin() + p.map_b[row], p.entries_b.begin() + p.map_b[row + 1]);
  };
  bool any = false;
  for (std::size_t row = 0; row + 1 < p.map_b.size(); ++row) {
    std::set<int> words;
    for (const int column : columns_of(row)) words.insert(column / 32);
    ASSERT_EQ(found.rows_of_b[row].words, static_cast<int>(words.size())) << what << ", row " << row << " of B";
    const bool repeats = row > 0 && columns_of(row) == columns_of(row - 1);
    ASSERT_EQ(found.rows_of_b[row].length(), columns_of(row).size()) << what << ", row " << row << " of B";
    ASSERT_EQ(found.rows_of_b[row].repeats(), repeats) << what << ", row " << row << " of B";
    ASSERT_EQ(found.repeats_of_b[row], repeats ? 1 : 0) << what << ", row " << row << " of B";
    any = any || repeats;
  }
  ASSERT_EQ(found.counters.repeats, any ? 1U : 0U) << what;
  for (const bool tightly : {false, true}) Product(p).pack(device, tightly);
}

/// The row map of the sums of tiles: rows that fill them, and not.
template <int width>
void check_row_map() {
  const EmulatedDevice<width> device;
  using Body              = Impl::SpgemmRowMapOfTiles<std::int64_t, int>;
  const int threads       = Impl::team_threads<EmulatedDevice<width>>(Impl::SpgemmTile::threads);
  const std::int64_t tile = Impl::SpgemmTile::rows<EmulatedDevice<width>>();
  const auto tiles_of     = [&](std::int64_t rows) { return (rows + tile - 1) / tile; };
  for (const std::int64_t rows : {std::int64_t{1}, tile - 1, tile, tile + 1, 5 * tile + 77}) {
    std::vector<int> counts(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<int>(i * 7919 % 23);
    std::vector<Impl::Counter> sums(static_cast<std::size_t>(tiles_of(rows)));
    Impl::SpgemmCounters counters{};
    Impl::sort_into_classes<EmulatedDevice<width>, Impl::SpgemmSumOfCounts<int>, int>(
        device, "sums", {counts.data()}, rows, &counters, nullptr, sums.data());
    std::vector<std::int64_t> expected(1, 0), found(static_cast<std::size_t>(rows) + 1, -1);
    for (const int count : counts) expected.push_back(expected.back() + count);
    Impl::launch_teams<Impl::SpgemmTile::threads>(device, "row map", {tiles_of(rows + 1), threads}, Body::scratch_bytes,
                                                  Body{rows, counts.data(), sums.data(), found.data()});
    ASSERT_EQ(found, expected) << rows << " rows";
    ASSERT_EQ(static_cast<std::int64_t>(counters.sum), expected.back()) << rows << " rows";
    ASSERT_EQ(counters.largest, static_cast<Impl::Counter>(*std::max_element(counts.begin(), counts.end())));
  }
}

/// Columns of the mask searched in rows of B, by lanes that share a row or have one each.
template <int width, class Product>
void check_search(const Product& original, const std::string& what) {
  const EmulatedDevice<width> device;
  for (const int share : {1, 8, width}) {
    auto p           = original;
    const auto rows  = p.rows(1, INT64_MAX);
    const auto count = static_cast<std::int64_t>(rows.size());
    const Impl::TeamShape shape{(count * share + 2 * width - 1) / (2 * width), 2 * width};
    Impl::launch_teams(
        device, "count", shape, 0,
        Impl::SpgemmSearchRows<false, Masked>{p.operands(), rows.data(), count, share, p.target(p.row_map)});
    p.check_counts(rows, what);
    Impl::launch_teams(
        device, "search", shape, 0,
        Impl::SpgemmSearchRows<true, Masked>{p.operands(), rows.data(), count, share, p.target(p.row_map)});
    p.check_result(what + ", by search");
  }
}

/// Semirings and masks change how a sum is made and where: each kernel once more, with both.
template <int width>
void check_semirings_and_masks() {
  const auto left = uneven_matrix<double>(10, 90, 40), right = uneven_matrix<double>(90, 2500, 70);
  const auto messy_left = shuffled(with_duplicates(left)), messy_right = shuffled(with_duplicates(right));
  const Product<Shortest> shortest(left, right), messy(messy_left, messy_right);
  check_sort<width>(Product<Shortest>(uneven_matrix<double>(90, 70, 6), uneven_matrix<double>(70, 5000, 9)),
                    "min plus");
  check_warps<width, 1>(shortest, true, "min plus");
  check_teams<width, in_place>(shortest, true, "min plus");
  check_teams<width, in_scratch>(shortest, true, "min plus");
  check_warps<width, 1>(messy, false, "min plus, messy");
  check_teams<width, in_place>(messy, false, "min plus, messy");
  check_teams<width, in_scratch>(messy, false, "min plus, messy");
  check_merge<width>(shortest, 64, "min plus");
  for (const bool complemented : {false, true}) {
    const auto M           = with_duplicates(uneven_matrix<double>(10, 2500, 300));
    const std::string what = complemented ? "outside" : "within";
    const Product<Masked> masked(left, right, M, complemented), mixed(messy_left, messy_right, M, complemented);
    const auto few_left = uneven_matrix<double>(40, 70, 6), few_right = uneven_matrix<double>(70, 500, 9);
    const Product<Masked> few(few_left, few_right, uneven_matrix<double>(40, 500, 90), complemented);
    check_sort<width>(few, what);
    check_heap<width>(few, what);
    check_bitonic<width>(few, what);
    check_warps<width, 1>(few, true, what);
    check_warps<width, 1>(masked, true, what);
    check_teams<width, in_place>(masked, true, what);
    check_teams<width, in_scratch>(masked, true, what);
    check_warps<width, 1>(mixed, false, what + ", messy");
    check_teams<width, in_place>(mixed, false, what + ", messy");
    check_teams<width, in_scratch>(mixed, false, what + ", messy");
    check_merge<width>(masked, 64, what);
    if (!complemented) check_search<width>(masked, what);
    if (!complemented) check_search<width>(few, what);
  }
}

template <int width>
void check_kernels() {
  check_row_map<width>();
  const Product<> small(uneven_matrix<double>(90, 70, 6), uneven_matrix<double>(70, 5000, 9));
  check_sort<width>(small, "short rows");
  check_sort_classes<width>(small, "short rows");
  check_bounds<width>(small, "short rows");
  check_heap<width>(small, "short rows");
  check_bitonic<width>(small, "short rows");
  check_warps<width, 1>(small, true, "short rows");
  const Product<> many(uneven_matrix<double>(25, 90, 40), uneven_matrix<double>(90, 2500, 70));
  check_warps<width, 1>(many, true, "long rows");
  check_teams<width, in_place>(many, true, "long rows");
  check_teams<width, in_scratch>(many, true, "long rows");
  check_merge<width>(many, 64, "long rows");
  check_merge<width>(many, 4096, "long rows");
  // Rows of B that a whole team adds.
  const Product<> hubs(uneven_matrix<double>(6, 90, 40), dense_row_matrix<double>(90, 2500, 7));
  check_teams<width, in_place>(hubs, true, "hubs");
  check_teams<width, in_scratch>(hubs, true, "hubs");
  check_merge<width>(hubs, 64, "hubs");
  check_bounds<width>(hubs, "hubs");
  // Rows that a warp inspects, and a team.
  check_bounds<width>(Product<>(dense_row_matrix<double>(60, 3000, 5), uneven_matrix<double>(3000, 70, 5)),
                      "a hub of A");
  check_bounds<width>(Product<>(dense_row_matrix<double>(60, 5000, 5), uneven_matrix<double>(5000, 70, 5)),
                      "a larger hub of A");
  check_bounds<width>(Product<>(uneven_matrix<double>(6, 90, 40), dense_row_matrix<double>(90, 5000, 7)),
                      "larger hubs");
  check_warps<width, 1>(Product<>(uneven_matrix<double>(25, 90, 9), uneven_matrix<double>(90, 70000, 12)), true,
                        "wide windows");
  for (const int b : {2, 3, 4, 5, 7, 8, 9, 17}) {
    const std::string what = "blocks of " + std::to_string(b);
    const int n            = 20 / b + 2;
    const Product<> blocks(block_matrix<double>(4, n, b, 2), uneven_matrix<double>(n * b, 400, 9));
    check_inodes<width>(blocks, what);
    check_warps<width, Impl::most_inode_rows>(blocks, true, what);
    const Product<> both(block_matrix<double>(4, n, b, 2), block_matrix<double>(n, 60, b, 4));
    check_bounds<width>(both, what + ", both");
    check_warps<width, Impl::most_inode_rows>(both, true, what + ", both");
    const Product<> right(uneven_matrix<double>(9, n * b, 12), block_matrix<double>(n, 60, b, 4));
    check_warps<width, Impl::most_inode_rows>(right, true, what + ", right");
  }
  const Product<> messy(shuffled(with_duplicates(uneven_matrix<double>(25, 90, 20))),
                        shuffled(with_duplicates(uneven_matrix<double>(90, 900, 12))));
  check_sort<width>(messy, "messy");
  check_warps<width, 1>(messy, false, "messy");
  check_teams<width, in_place>(messy, false, "messy");
  check_teams<width, in_scratch>(messy, false, "messy");
}

TEST(SpgemmEmulatedLanes, WarpsOf32) { check_kernels<32>(); }
TEST(SpgemmEmulatedLanes, WarpsOf64) { check_kernels<64>(); }
TEST(SpgemmEmulatedLanes, SemiringsAndMasksWarpsOf32) { check_semirings_and_masks<32>(); }
TEST(SpgemmEmulatedLanes, SemiringsAndMasksWarpsOf64) { check_semirings_and_masks<64>(); }

/// Which rows are sorted, where they are counted and where they are added.
TEST(SpgemmRowClasses, ScatteredRowsAreSortedUpToMoreProducts) {
  using Rule        = Impl::SpgemmRowClassRule<Plain>;
  using Class       = Impl::SpgemmRowClass;
  using Kind        = Impl::SpgemmRowKind;
  const auto rule   = Rule::of_device(222 * 1024);
  const auto sorts  = [](Class c) { return c.kind == Kind::sort; };
  const auto counts = [&](std::int64_t products, std::int64_t words, std::int64_t nonempty_words, int inode_size) {
    return Class::at(rule.symbolic({.products       = products,
                                    .words          = words,
                                    .nonempty_words = nonempty_words,
                                    .nonzeros       = 0,
                                    .factors        = 0,
                                    .inode_size     = inode_size,
                                    .is_first       = true}));
  };
  const auto counted = [&](std::int64_t products, std::int64_t nonempty_words) {
    return sorts(counts(products, 300, nonempty_words, 1));
  };
  EXPECT_TRUE(counted(64, 1));
  EXPECT_FALSE(counted(65, 21)) << "three products for each word";
  EXPECT_TRUE(counted(65, 22));
  EXPECT_TRUE(counted(256, 86));
  EXPECT_FALSE(counted(256, 85));
  EXPECT_FALSE(counted(257, 257));
  EXPECT_TRUE(sorts(counts(400, 64 * 400 + 1, 1, 1))) << "a window without end";
  EXPECT_EQ(counts(0, 0, 0, 1), (Class{Kind::empty}));
  EXPECT_EQ(counts(65, 300, 21, 0), (Class{Kind::inode_member}));
  EXPECT_EQ(counts(65, 300, 22, 0), counts(65, 300, 22, 1)) << "sorted rows are taken one by one";

  auto short_rows          = rule;
  short_rows.always_sorted = 512;
  const auto added         = [&](const Rule& of, std::int64_t products, int inode_size, std::int64_t nonzeros) {
    return sorts(Class::at(of.numeric({.products       = products,
                                               .words          = 300,
                                               .nonempty_words = 80,
                                               .nonzeros       = nonzeros,
                                               .factors        = 20,
                                               .inode_size     = inode_size,
                                               .is_first       = true})));
  };
  EXPECT_TRUE(added(rule, 256, 1, 50));
  EXPECT_FALSE(added(rule, 257, 1, 256));
  EXPECT_TRUE(added(short_rows, 512, 1, 205));
  EXPECT_FALSE(added(short_rows, 513, 1, 400));
  EXPECT_FALSE(added(short_rows, 500, 1, 200)) << "so many products for each nonzero are added by subwarps";
  EXPECT_TRUE(added(short_rows, 500, 1, 201));
  EXPECT_FALSE(added(short_rows, 257, 2, 256)) << "rows with an equal neighbour are added together";
}

/// Kinds and sizes are numbered without a gap.
TEST(SpgemmRowClasses, IndicesTellKindAndSize) {
  using Class = Impl::SpgemmRowClass;
  using Kind  = Impl::SpgemmRowKind;
  int index   = 0;
  for (int kind = 0; kind <= static_cast<int>(Kind::sort_in_memory); ++kind)
    for (int size = 0; size < Impl::row_kind_sizes(static_cast<Kind>(kind)); ++size, ++index) {
      const Class c{static_cast<Kind>(kind), size};
      EXPECT_EQ(c.index(), index);
      EXPECT_EQ(Class::at(index), c) << index;
    }
  EXPECT_EQ(index, Class::count);
  EXPECT_EQ(Impl::row_class_index<Kind::team>(1), (Class{Kind::team, 1}.index()));
}

/// How many rows of B are added at once.
TEST(SpgemmRowClasses, SubwarpsAreAsManyAsRowsOfBLeaveLanesFor) {
  using Add = Impl::SpgemmWarpScratch<true, Plain>;
  EXPECT_EQ(Add::subwarps_of(27 * 32, 27, 40, 32), 1);
  EXPECT_EQ(Add::subwarps_of(27 * 17, 27, 40, 32), 1);
  EXPECT_EQ(Add::subwarps_of(27 * 16, 27, 40, 32), 2) << "rows of 16";
  EXPECT_EQ(Add::subwarps_of(27 * 16 + 1, 27, 40, 32), 1);
  EXPECT_EQ(Add::subwarps_of(27 * 16, 27, 40, 64), 4);
  EXPECT_EQ(Add::subwarps_of(100, 100, 10, 32), 32) << "a nonzero each";
  EXPECT_EQ(Add::subwarps_of(100, 100, 10, 1), 1) << "none";
  EXPECT_EQ(Add::subwarps_of(5, 5, 5, 32), 8) << "no more than there are rows of B, rounded up";
  EXPECT_EQ(Add::subwarps_of(4, 4, 4, 32), 4);
  EXPECT_EQ(Add::subwarps_of(1, 1, 1, 32), 1);
  EXPECT_EQ(Add::subwarps_of(400, 400, 128, 32), 4) << "4096 bytes of sums";
  EXPECT_EQ(Add::subwarps_of(400, 400, 129, 32), 2);
  EXPECT_EQ(Add::subwarps_of(400, 400, 513, 32), 1);
}

}  // namespace
}  // namespace lacuna::Test
