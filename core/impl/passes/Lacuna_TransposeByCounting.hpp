// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TRANSPOSEBYCOUNTING_HPP
#define LACUNA_TRANSPOSEBYCOUNTING_HPP

#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

/// \file
/// \brief Aᵀ by counting the nonzeros of columns, in two passes over A whatever its width, where a sort takes a pass a
/// digit. (Gustavson, ACM TOMS 1978, HALFPERM.)
///
/// Hosts give each thread a share of the nonzeros and a row of counters, so that nonzeros land in the order of A. A GPU
/// has too many threads for that: they draw places from one counter a column, in any order, and then every nonzero
/// finds its rank in its row by counting those that come before it in A. The result is the same to the last bit.

namespace lacuna::Impl {

/// What both read and write; T is Aᵀ.
template <class Arrays>
struct TransposeArrays {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  Arrays A;
  Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  Offset* source;

  KOKKOS_FORCEINLINE_FUNCTION void place(std::int64_t to, Ordinal row, Offset k) const {
    source[to]  = k;
    entries[to] = row;
    values[to]  = A.values[k];
  }
};

/// Shares of the nonzeros, one after the other, each with a counter a column: first how many it has, then where its
/// next one goes.
template <class Arrays>
struct TransposeShares {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  TransposeArrays<Arrays> to;
  std::int64_t shares;
  Offset* counts;

  KOKKOS_FUNCTION Offset* counts_of(std::int64_t share) const {
    return counts + share * static_cast<std::int64_t>(to.A.columns);
  }
  KOKKOS_FUNCTION std::int64_t begin(std::int64_t share) const {
    const auto n = static_cast<std::int64_t>(to.A.nonzeros);
    return n / shares * share + n % shares * share / shares;
  }

  struct Count {
    TransposeShares all;
    KOKKOS_FUNCTION void operator()(std::int64_t share) const {
      Offset* const own = all.counts_of(share);
      for (Ordinal column = 0; column < all.to.A.columns; ++column) own[column] = 0;
      const std::int64_t end = all.begin(share + 1);
      for (std::int64_t k = all.begin(share); k < end; ++k) ++own[all.to.A.entries[k]];
    }
  };
  struct Length {
    TransposeShares all;
    KOKKOS_FUNCTION std::int64_t operator()(std::int64_t column) const {
      std::int64_t sum = 0;
      for (std::int64_t share = 0; share < all.shares; ++share)
        sum += static_cast<std::int64_t>(all.counts_of(share)[column]);
      return sum;
    }
  };
  struct Start {
    TransposeShares all;
    KOKKOS_FUNCTION void operator()(std::int64_t column) const {
      Offset next = all.to.row_map[column];
      for (std::int64_t share = 0; share < all.shares; ++share) {
        Offset& own        = all.counts_of(share)[column];
        const Offset count = own;
        own                = next;
        next += count;
      }
    }
  };
  struct Place {
    TransposeShares all;
    KOKKOS_FUNCTION void operator()(std::int64_t share) const {
      const Arrays& A        = all.to.A;
      Offset* const next     = all.counts_of(share);
      std::int64_t k         = all.begin(share);
      const std::int64_t end = all.begin(share + 1);
      if (k == end) return;
      const auto rows  = static_cast<std::int64_t>(A.rows);
      std::int64_t row = upper_bound(A.row_map, 0, rows + 1, static_cast<Offset>(k)) - 1;
      for (; k < end; ++k) {
        while (k >= static_cast<std::int64_t>(A.row_map[row + 1])) ++row;
        all.to.place(static_cast<std::int64_t>(next[A.entries[k]]++), static_cast<Ordinal>(row),
                     static_cast<Offset>(k));
      }
    }
  };
};

/// Places drawn from counters in any order, then ranks.
template <class Arrays>
struct TransposeDraws {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  TransposeArrays<Arrays> to;
  Counter* counts;
  Offset* drawn;  ///< nonzeros of A
  Ordinal* rows;  ///< theirs

  struct Count {
    TransposeDraws all;
    KOKKOS_FUNCTION void operator()(std::int64_t k) const { Kokkos::atomic_inc(all.counts + all.to.A.entries[k]); }
  };
  /// The row map and, on the way, the comparisons that ranks take: one pass, one wait.
  struct Scan {
    struct value_type {
      std::int64_t before;
      double comparisons;
    };
    std::int64_t columns;
    const Counter* counts;
    Offset* row_map;

    KOKKOS_FUNCTION static void init(value_type& sum) { sum = {0, 0}; }
    KOKKOS_FUNCTION static void join(value_type& sum, const value_type& other) {
      sum.before += other.before;
      sum.comparisons += other.comparisons;
    }
    KOKKOS_FUNCTION void operator()(std::int64_t column, value_type& sum, bool final) const {
      if (final) row_map[column] = static_cast<Offset>(sum.before);
      if (column == columns) return;
      sum.before += static_cast<std::int64_t>(counts[column]);
      sum.comparisons += static_cast<double>(counts[column]) * static_cast<double>(counts[column]);
    }
  };
  struct Draw {
    TransposeDraws all;
    KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
      const Ordinal column  = all.to.A.entries[k];
      const Counter left    = Kokkos::atomic_fetch_sub(all.counts + column, Counter(1));
      const std::int64_t at = static_cast<std::int64_t>(all.to.row_map[column]) + static_cast<std::int64_t>(left) - 1;
      all.drawn[at]         = k;
      all.rows[at]          = row;
    }
  };
  struct Rank {
    TransposeDraws all;
    KOKKOS_FUNCTION void operator()(Ordinal column, Offset at) const {
      const auto begin  = static_cast<std::int64_t>(all.to.row_map[column]);
      const auto end    = static_cast<std::int64_t>(all.to.row_map[column + 1]);
      const Offset k    = all.drawn[at];
      std::int64_t rank = 0;
      for (std::int64_t other = begin; other < end; ++other) rank += all.drawn[other] < k ? 1 : 0;
      all.to.place(begin + rank, all.rows[at], k);
    }
  };
};

/// `Result` is a ReorderedMatrix.
template <class Result, class ExecutionSpace>
class TransposeByCounting {
  using Crs     = typename Result::Crs;
  using Scalar  = typename Crs::non_const_value_type;
  using Ordinal = typename Crs::non_const_ordinal_type;
  using Offset  = typename Crs::non_const_size_type;
  using Indices = typename Crs::index_type::non_const_type;
  using Values  = typename Crs::values_type::non_const_type;
  using RowMap  = typename Crs::row_map_type::non_const_type;
  using Source  = typename Result::Source;
  using Memory  = typename Source::device_type;
  using Arrays  = CrsArraysOf<Crs>;

  static constexpr auto function = "transpose";

 public:
  /// Comparisons a nonzero, on average, up to which ranks take less time than a sort.
  /// Evidence: core/tuning.md.
  static constexpr double most_comparisons = 512;

  /// Where a result is made whose arrays share an allocation; they live as long as it does.
  using Shared = Arena<typename Memory::memory_space>;

  /// Bytes at most, the result included; `is_shared`: in one allocation.
  static std::size_t bytes(const ExecutionSpace& exec, const Arrays& A, bool draws, bool is_shared) {
    const auto n = static_cast<std::size_t>(A.nonzeros), columns = static_cast<std::size_t>(A.columns);
    const auto allocated = [](std::size_t needed) { return (needed + 7) / 8 * 8; };  // by Kokkos
    const std::size_t result =
        allocated((columns + 1 + n) * sizeof(Offset)) + allocated(n * sizeof(Ordinal)) + allocated(n * sizeof(Scalar));
    return (is_shared ? allocated(shared_bytes(A)) : result) +
           allocated(draws ? work_of_draws(A)
                           : static_cast<std::size_t>(shares_of(exec, A)) * columns * sizeof(Offset));
  }

  /// Bytes that draws take of an Arena that is lent, beside the end of its last block.
  static std::size_t lent_bytes(const Arrays& A) { return work_of_draws(A) + shared_bytes(A) + 2 * Shared::alignment; }

  /// Nothing where a sort is better, which shares of nonzeros never say. Waits once. The arrays are cut from `shared`,
  /// if it is given, which then is cut from `lent`, as what draws work in is, if that is given and has as much left.
  template <bool draws>
  static std::optional<Result> run(const ExecutionSpace& exec, const Arrays& A, Shared* shared,
                                   Shared* lent = nullptr) {
    const auto columns = static_cast<std::int64_t>(A.columns), n = static_cast<std::int64_t>(A.nonzeros);
    if (n == 0) {
      const Transposed transposed(exec, A, shared, lent);
      Kokkos::deep_copy(exec, transposed.row_map, Offset(0));
      return transposed.result(A);
    }
    if constexpr (draws) {
      using Draws       = TransposeDraws<Arrays>;
      using Scan        = typename Draws::Scan;
      Work work         = arena_within(lent, function, exec, "Lacuna::transpose::work", work_of_draws(A));
      const auto counts = work.template take<Counter>(columns);
      Kokkos::deep_copy(exec, counts, Counter(0));
      Draws all{{A, nullptr, nullptr, nullptr, nullptr}, counts.data(), nullptr, nullptr};
      for_each_index(exec, "Lacuna::transpose::count", n, typename Draws::Count{all});
      const Transposed transposed(exec, A, shared, lent);  // while columns are counted
      all.to    = transposed.arrays(A);
      all.drawn = work.template take<Offset>(n).data();
      all.rows  = work.template take<Ordinal>(n).data();
      typename Scan::value_type total{0, 0};
      Kokkos::parallel_scan("Lacuna::transpose::row_map", index_range(exec, columns + 1),
                            Scan{columns, counts.data(), all.to.row_map}, total);
      if (total.comparisons > most_comparisons * static_cast<double>(n)) {
        if (shared != nullptr) *shared = {};
        return std::nullopt;
      }
      for_each_nonzero(exec, "Lacuna::transpose::draw", A.rows, A.nonzeros, A.row_map, typename Draws::Draw{all});
      for_each_nonzero(exec, "Lacuna::transpose::rank", A.columns, A.nonzeros,
                       static_cast<const Offset*>(all.to.row_map), typename Draws::Rank{all});
      return transposed.result(A);
    } else {
      using Shares              = TransposeShares<Arrays>;
      const std::int64_t shares = shares_of(exec, A);
      const auto counts         = allocate<Source>(function, exec, "Lacuna::transpose::counts", shares * columns);
      const Transposed transposed(exec, A, shared, lent);
      const Shares all{transposed.arrays(A), shares, counts.data()};
      for_each_index(exec, "Lacuna::transpose::count", shares, typename Shares::Count{all});
      scan_lengths(exec, "Lacuna::transpose::row_map", columns, all.to.row_map, typename Shares::Length{all});
      for_each_index(exec, "Lacuna::transpose::starts", columns, typename Shares::Start{all});
      for_each_index(exec, "Lacuna::transpose::place", shares, typename Shares::Place{all});
      return transposed.result(A);
    }
  }

 private:
  using Work = Arena<typename Memory::memory_space>;

  static std::size_t shared_bytes(const Arrays& A) {
    const auto n = static_cast<std::int64_t>(A.nonzeros);
    return Shared::template bytes_for<Offset, Offset, Ordinal, Scalar>(static_cast<std::int64_t>(A.columns) + 1, n, n,
                                                                       n);
  }

  /// The result. Its row map and the sources share an allocation, which is much of the time on GPUs.
  struct Transposed {
    Transposed(const ExecutionSpace& exec, const Arrays& A, Shared* shared, Shared* lent) {
      const auto rows = static_cast<std::size_t>(A.columns) + 1, n = static_cast<std::size_t>(A.nonzeros);
      const auto count = static_cast<std::int64_t>(n);
      if (shared != nullptr) {
        *shared = arena_within(lent, function, exec, "Lacuna::transpose::result", shared_bytes(A));
        row_map = RowMap(shared->template take<Offset>(static_cast<std::int64_t>(rows)).data(), rows);
        source  = Source(shared->template take<Offset>(count).data(), n);
        entries = Indices(shared->template take<Ordinal>(count).data(), n);
        values  = Values(shared->template take<Scalar>(count).data(), n);
        return;
      }
      const auto offsets =
          allocate<Source>(function, exec, "Lacuna::transpose::row_map", static_cast<std::int64_t>(rows) + count);
      row_map = Kokkos::subview(offsets, std::pair{std::size_t{0}, rows});
      source  = Kokkos::subview(offsets, std::pair{rows, rows + n});
      entries = allocate<Indices>(function, exec, "Lacuna::transpose::entries", count);
      values  = allocate<Values>(function, exec, "Lacuna::transpose::values", count);
    }
    TransposeArrays<Arrays> arrays(const Arrays& A) const {
      return {A, row_map.data(), entries.data(), values.data(), source.data()};
    }
    Result result(const Arrays& A) const {
      return {Crs("Lacuna::transpose", A.columns, A.rows, A.nonzeros, values, row_map, entries), source};
    }
    RowMap row_map;
    Indices entries;
    Values values;
    Source source;
  };

  static std::size_t work_of_draws(const Arrays& A) {
    const auto n = static_cast<std::int64_t>(A.nonzeros);
    return Work::template bytes_for<Counter, Offset, Ordinal>(static_cast<std::int64_t>(A.columns), n, n);
  }
  /// One a thread, but no more counters than nonzeros.
  static std::int64_t shares_of(const ExecutionSpace& exec, const Arrays& A) {
    const auto columns = std::max<std::int64_t>(static_cast<std::int64_t>(A.columns), 1);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(A.nonzeros) / columns, 1, exec.concurrency());
  }
};

}  // namespace lacuna::Impl

#endif
