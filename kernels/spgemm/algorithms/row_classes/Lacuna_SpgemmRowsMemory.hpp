// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWSMEMORY_HPP
#define LACUNA_SPGEMMROWSMEMORY_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmBitmapCache.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassesPolicy.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmResult.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief The memory of the analysis of rows: one arena for all that is known before a product.

namespace lacuna::Impl {

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
struct SpgemmRowsMemory {
  using Arrays  = CrsArraysOf<Matrix>;
  using Ordinal = typename Arrays::Ordinal;
  using Space   = typename ExecutionSpace::memory_space;
  using Arena   = Impl::Arena<Space>;
  using Range   = ColumnRange<Ordinal>;
  using RowOfB  = SpgemmRowOfB<Ordinal>;
  using Context = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Policy  = SpgemmRowClassesPolicy;
  template <class T>
  using Array = typename Arena::template Array<T>;

  static constexpr const char* who   = "SpgemmPlan";
  static constexpr bool finds_inodes = !SpgemmOperands<Arrays, PlusTimes<typename Arrays::Scalar>, Mask>::is_masked;

  Arena arena;
  Array<SpgemmCounters> counters;
  Array<RowOfB> rows_of_b;
  Array<Counter> products, sums;
  Array<Range> ranges;
  Array<Ordinal> counts, list, nonempty_words;
  Array<unsigned char> repeats_of_b, repeats, inode_sizes;
  Array<SpgemmPackedWord> packed_at_once;  ///< words of B, where there is one for each nonzero
  Array<std::uint32_t> bitmap_offsets;     ///< of each row of C in the bitmap cache
  Array<SpgemmPackedWord> cached_words;    ///< the bitmap cache

  /// Bytes of the analysis without what it can do without.
  static std::size_t least_bytes(const Arrays& A, const Arrays& B) {
    return arena_bytes(static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(B.rows), 0, 0);
  }
  /// Words of the bitmap cache: none where rows are sorted, as most rows are if their mean is.
  static std::int64_t bitmap_cache_words(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                         std::int64_t nonzeros_b) {
    if (!finds_inodes || rows_b == 0) return 0;
    const double length   = static_cast<double>(nonzeros_b) / static_cast<double>(rows_b);
    const double products = static_cast<double>(nonzeros_a) * length;
    const auto sorted = length < Policy::short_rows_of_b ? Policy::always_sorted_of_short_rows : Policy::always_sorted;
    if (products <= static_cast<double>(sorted) * static_cast<double>(rows)) return 0;
    const auto all = static_cast<std::int64_t>(Policy::cached_words * static_cast<double>(nonzeros_a));
    return std::min(all, Policy::most_cached_words) / bitmap_cache_segments * bitmap_cache_segments;
  }
  /// Whether a single call reads the words of B often enough: not where rows are sorted, as most rows are if their mean
  /// is.
  static bool pays_for_one_call(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                std::int64_t nonzeros_b) {
    const double reads    = static_cast<double>(nonzeros_a) / static_cast<double>(std::max<std::int64_t>(rows_b, 1));
    const double products = reads * static_cast<double>(nonzeros_b);
    return reads >= Policy::reads_of_packed &&
           products > static_cast<double>(Policy::always_counted) * static_cast<double>(rows);
  }
  /// Bytes of the arena that a call lends. A has `rows` rows, B has `rows_b` rows and `nonzeros_b` nonzeros, which may
  /// be packed.
  static std::size_t lent_bytes(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                std::int64_t nonzeros_b) {
    const bool packs =
        pays_for_one_call(rows, nonzeros_a, rows_b, nonzeros_b) && nonzeros_b <= Policy::packed_at_once_by_calls;
    return arena_bytes(rows, rows_b, packs ? nonzeros_b : 0, bitmap_cache_words(rows, nonzeros_a, rows_b, nonzeros_b)) +
           Arena::alignment;
  }

  /// The bitmap cache, which counting writes and adding reads.
  SpgemmBitmapCache bitmap_cache() const {
    if (cached_words.extent(0) == 0) return {};
    return {cached_words.data(), bitmap_offsets.data(), counters.data()->cached,
            static_cast<std::uint32_t>(cached_words.extent(0) / bitmap_cache_segments)};
  }

  /// Whether B is to be packed into words.
  static bool pays_to_pack(const Context& context) {
    const Arrays &A = context.A, &B = context.B;
    return !context.is_for_one_call ||
           pays_for_one_call(static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.nonzeros),
                             static_cast<std::int64_t>(B.rows), static_cast<std::int64_t>(B.nonzeros));
  }

  /// Allocates. \throws OutOfMemory, or as the budget.
  void take(const Context& context) {
    const auto rows   = static_cast<std::int64_t>(context.A.rows);
    const auto rows_b = static_cast<std::int64_t>(context.B.rows);
    const auto packed = static_cast<std::int64_t>(context.B.nonzeros);
    // Words of B and the cache can be done without: a memory limit must not fail because of them.
    const bool may_pack = context.budget.limit() == unlimited && pays_to_pack(context);
    const auto most     = context.lent != nullptr ? Policy::packed_at_once_by_calls : Policy::packed_at_once;
    const auto at_once  = may_pack && packed <= most ? packed : 0;
    const auto cached   = context.budget.limit() == unlimited
                              ? bitmap_cache_words(rows, static_cast<std::int64_t>(context.A.nonzeros), rows_b, packed)
                              : 0;
    const std::size_t n = arena_bytes(rows, rows_b, at_once, cached);
    context.budget.take("the analysis of rows", n);
    arena          = arena_within(context.lent, who, context.exec, "Lacuna::spgemm::rows", n);
    counters       = arena.template take<SpgemmCounters>(1);
    rows_of_b      = arena.template take<RowOfB>(rows_b);
    products       = arena.template take<Counter>(rows);
    sums           = arena.template take<Counter>(tiles(rows));
    ranges         = arena.template take<Range>(rows);
    counts         = arena.template take<Ordinal>(rows);
    list           = arena.template take<Ordinal>(rows);
    nonempty_words = arena.template take<Ordinal>(rows);
    repeats_of_b   = arena.template take<unsigned char>(rows_b);
    repeats        = arena.template take<unsigned char>(finds_inodes ? rows : 0);
    inode_sizes    = arena.template take<unsigned char>(finds_inodes ? rows : 0);
    packed_at_once = arena.template take<SpgemmPackedWord>(at_once);
    bitmap_offsets = arena.template take<std::uint32_t>(cached > 0 ? rows : 0);
    cached_words   = arena.template take<SpgemmPackedWord>(cached);
  }

  void clear_counters(const ExecutionSpace& exec) const {
    const Kokkos::View<Counter*, Space, Kokkos::MemoryUnmanaged> all(reinterpret_cast<Counter*>(counters.data()),
                                                                     sizeof(SpgemmCounters) / sizeof(Counter));
    Kokkos::deep_copy(exec, all, Counter(0));
  }

 private:
  /// Tiles whose sums are kept for the row map. On hosts there are too many.
  static std::int64_t tiles(std::int64_t rows) {
    if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) return 0;
    return ceiling_quotient(rows, SpgemmTile::rows<ExecutionSpace>());
  }

  static std::size_t arena_bytes(std::int64_t rows, std::int64_t rows_b, std::int64_t packed, std::int64_t cached) {
    return Arena::template bytes_for<SpgemmCounters, RowOfB, Counter, Counter, Range, Ordinal, Ordinal, Ordinal,
                                     unsigned char, unsigned char, unsigned char, SpgemmPackedWord, std::uint32_t,
                                     SpgemmPackedWord>(1, rows_b, rows, tiles(rows), rows, rows, rows, rows, rows_b,
                                                       finds_inodes ? rows : 0, finds_inodes ? rows : 0, packed,
                                                       cached > 0 ? rows : 0, cached);
  }
};

}  // namespace lacuna::Impl

#endif
