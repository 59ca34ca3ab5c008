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

/// Which order of a triple product is taken. Evidence: kernels/spgemm/tuning.md.
struct TripleOrderPolicy {
  /// Nonzeros of each matrix that are sampled to count products.
  static constexpr std::int64_t most_counted = 1 << 16;
  /// Ratio of the multiplications of the two first products from which the cheaper order is taken.
  static constexpr double clearly_fewer = 1.25;
  /// Nonzeros a row of A, on average, from which (R A) P is taken on GPUs where the ratio does not decide: R A then has
  /// few long rows whose columns coincide often. Hosts take it always.
  static constexpr double long_rows = 16;
};

/// How many nonzeros the intermediate product is guessed to have.
struct TripleBetweenPolicy {
  /// Multiplications for each nonzero of the intermediate product: this share of A's mean row, at most `most`. A guess
  /// that is too small costs an allocation.
  static constexpr double share_of_row = 3.5;
  static constexpr double most         = 5;
  /// Bytes of the intermediate product up to which it is allocated on a guess.
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
  Kokkos::parallel_reduce("Lacuna::triple_product::count", index_range(exec, std::max(of_r, of_a)),
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
  if (!runs_lane_kernels<ExecutionSpace>) return TripleOrder::left_first;
  return mean_length(A) >= Policy::long_rows ? TripleOrder::left_first : TripleOrder::right_first;
}

}  // namespace Impl
}  // namespace lacuna

#endif
