// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TRIPLEORDER_HPP
#define LACUNA_TRIPLEORDER_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lacuna {

/// \brief Of R A P.
enum class TripleOrder {
  left_first,  ///< (R A) P
  right_first  ///< R (A P)
};

constexpr std::string_view name(TripleOrder order) {
  return order == TripleOrder::left_first ? "left_first" : "right_first";
}

namespace Impl {

/// When which order is taken.
struct TripleOrderPolicy {
  /// Nonzeros of each matrix whose products are counted: all of 7 million would be a tenth of a call.
  static constexpr std::int64_t most_counted = 1 << 16;
  /// An order whose first product takes so many times fewer multiplications is taken.
  static constexpr double clearly_fewer = 1.25;
  /// Else R A first where A's rows are this long on average: then its product has few, long rows, whose columns
  /// coincide often, and P's short rows are named less often than R's in the other order. H200, 25 November 2026,
  /// double, memory kept, (R A) P against R (A P): mesh27 60^3, linear 1012 and 1231 us, aggregates 539 and 705; mesh27
  /// 30^3 with 3 unknowns 1043 and 1104, 751 and 762; mesh7 100^3 2334 and 2101, 848 and 838.
  static constexpr double long_rows = 16;
};

/// What the product between is guessed to have: its multiplications over so many of them for a nonzero.
struct TripleBetweenPolicy {
  /// Found: meshes of 7 points 2.3 where A's rows have 6.9 nonzeros on average, of 27 points, with one and three
  /// unknowns, 5.9 to 6.1. Less is said than found: what is too little costs an allocation.
  static constexpr double share_of_row = 3.5;
  static constexpr double most         = 5;
  /// Bytes of the product between that are allocated on a guess: of more, an allocation is no longer what takes time.
  /// H200, 25 November 2026, what calls take longer than with memory kept, with an allocation of its own and without:
  /// mesh27 60^3, linear 404 and 226 us, aggregates 359 and 203; mesh7 100^3 560 and 334, 420 and 241.
  static constexpr std::size_t most_guessed = std::size_t{256} << 20;
};

/// Nonzeros that `first` * `second` may have, one of which is A.
template <class Arrays>
std::int64_t likely_between(const Arrays& first, const Arrays& A, const Arrays& second) {
  using Policy          = TripleBetweenPolicy;
  const double products = static_cast<double>(first.nonzeros) * mean_length(second);
  const double merged   = std::clamp(mean_length(A) / Policy::share_of_row, 1.0, Policy::most);
  return static_cast<std::int64_t>(std::min(products / merged, 1e15));
}

/// Multiplications of R A and of A P.
struct TripleCounts {
  double left  = 0;
  double right = 0;
};

/// Those of evenly chosen nonzeros: `of_r` of R's, `of_a` of A's.
template <class Arrays>
struct CountTripleProducts {
  using value_type = TripleCounts;
  Arrays R, A, P;
  std::int64_t of_r, of_a;

  KOKKOS_FUNCTION static void init(TripleCounts& sum) { sum = {}; }
  KOKKOS_FUNCTION static void join(TripleCounts& sum, const TripleCounts& other) {
    sum.left += other.left;
    sum.right += other.right;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, TripleCounts& sum) const {
    if (i < of_r) sum.left += length_named_by(R, i, of_r, A);
    if (i < of_a) sum.right += length_named_by(A, i, of_a, P);
  }

 private:
  /// Of the row of Y that the i-th of `count` nonzeros of X names.
  KOKKOS_FORCEINLINE_FUNCTION static double length_named_by(const Arrays& X, std::int64_t i, std::int64_t count,
                                                            const Arrays& Y) {
    const auto n     = static_cast<std::int64_t>(X.nonzeros);
    const auto inner = X.entries[n / count * i + n % count * i / count];
    return static_cast<double>(Y.row_map[inner + 1] - Y.row_map[inner]);
  }
};

/// Waits.
template <class ExecutionSpace, class Arrays>
TripleCounts triple_counts(const ExecutionSpace& exec, const Arrays& R, const Arrays& A, const Arrays& P) {
  const auto n_r = static_cast<std::int64_t>(R.nonzeros), n_a = static_cast<std::int64_t>(A.nonzeros);
  const auto of_r = std::min(n_r, TripleOrderPolicy::most_counted),
             of_a = std::min(n_a, TripleOrderPolicy::most_counted);
  TripleCounts sum;
  if (of_r == 0 || of_a == 0) return sum;
  Kokkos::parallel_reduce("Lacuna::triple_product::count", IndexRange<ExecutionSpace>(exec, 0, std::max(of_r, of_a)),
                          CountTripleProducts<Arrays>{R, A, P, of_r, of_a}, sum);
  sum.left *= static_cast<double>(n_r) / static_cast<double>(of_r);
  sum.right *= static_cast<double>(n_a) / static_cast<double>(of_a);
  return sum;
}

/// Whether R looks like the transpose of P: the first products of both orders then are of one size, unless A is far
/// from symmetric, and a wait (20 of 700 µs) is not worth it.
template <class Arrays>
bool looks_mirrored(const Arrays& R, const Arrays& P) {
  return static_cast<std::int64_t>(R.rows) == static_cast<std::int64_t>(P.columns) &&
         static_cast<std::int64_t>(R.columns) == static_cast<std::int64_t>(P.rows) && R.nonzeros == P.nonzeros;
}

template <class ExecutionSpace, class Arrays>
TripleOrder triple_order(const ExecutionSpace& exec, const Arrays& R, const Arrays& A, const Arrays& P) {
  using Policy = TripleOrderPolicy;
  if (!looks_mirrored(R, P)) {
    const TripleCounts counts = triple_counts(exec, R, A, P);
    if (counts.left * Policy::clearly_fewer < counts.right) return TripleOrder::left_first;
    if (counts.right * Policy::clearly_fewer < counts.left) return TripleOrder::right_first;
  }
  return mean_length(A) >= Policy::long_rows ? TripleOrder::left_first : TripleOrder::right_first;
}

}  // namespace Impl
}  // namespace lacuna

#endif
