// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPADDSUMS_HPP
#define LACUNA_SPADDSUMS_HPP

#include <kernels/spadd/impl/Lacuna_SpaddMerge.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief What is done with the elements of a sum: columns and values at once, or columns and positions for the values
/// to come.

namespace lacuna::Impl {

/// alpha A + beta B, element by element. A factor of 0 stands for zeros, whatever the values are.
/// \tparam plain elements are the nonzeros as they are stored, and no factor is 0: nothing is asked in the loop
template <class ArraysType, bool plain>
struct SpaddTerms {
  using Arrays = ArraysType;
  using Scalar = typename Arrays::Scalar;
  SpaddElements<Arrays> A, B;
  Scalar alpha, beta;

  KOKKOS_FUNCTION static Scalar term(const Scalar& factor, const SpaddElements<Arrays>& X, std::int64_t k) {
    if constexpr (plain) return factor * X.values[k];
    if (factor == Scalar(0)) return Scalar(0);
    return factor * X.value(static_cast<typename Arrays::Offset>(k));
  }
  KOKKOS_FUNCTION Scalar operator()(std::int64_t p, std::int64_t q) const {
    if (q == no_element) return term(alpha, A, p);
    if (p == no_element) return term(beta, B, q);
    return term(alpha, A, p) + term(beta, B, q);
  }
  /// The same of elements that both exist, and may not count.
  KOKKOS_FUNCTION Scalar either(std::int64_t p, bool takes_p, std::int64_t q, bool takes_q) const {
    const Scalar a = term(alpha, A, p), b = term(beta, B, q);
    return takes_p ? (takes_q ? a + b : a) : b;
  }
};

template <class Arrays>
struct ColumnOfElements {
  SpaddElements<Arrays> A, B;
  KOKKOS_FUNCTION typename Arrays::Ordinal operator()(std::int64_t p, std::int64_t q) const {
    return p == no_element ? B.entries[q] : A.entries[p];
  }
};

/// work(terms), with terms that ask as little as possible.
template <class Arrays, class Work>
void with_spadd_terms(const SpaddElements<Arrays>& A, const SpaddElements<Arrays>& B,
                      const typename Arrays::Scalar& alpha, const typename Arrays::Scalar& beta, const Work& work) {
  const typename Arrays::Scalar zero(0);
  if (A.first == nullptr && B.first == nullptr && alpha != zero && beta != zero)
    work(SpaddTerms<Arrays, true>{A, B, alpha, beta});
  else
    work(SpaddTerms<Arrays, false>{A, B, alpha, beta});
}

/// The sink of a call without a plan.
template <class Terms>
struct WriteSums {
  using Arrays = typename Terms::Arrays;
  Terms terms;
  typename Arrays::Ordinal* entries;
  typename Arrays::Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k, typename Arrays::Ordinal, std::int64_t p, std::int64_t q) const {
    entries[k] = ColumnOfElements<Arrays>{terms.A, terms.B}(p, q);
    values[k]  = terms(p, q);
  }
  KOKKOS_FUNCTION void either(std::int64_t k, typename Arrays::Ordinal, std::int64_t p, bool takes_p, std::int64_t q,
                              bool takes_q) const {
    entries[k] = takes_p ? terms.A.entries[p] : terms.B.entries[q];
    values[k]  = terms.either(p, takes_p, q, takes_q);
  }
};

/// Columns and values of C by such a call. Does not fence.
template <class ExecutionSpace, class Merge>
void write_sums(const ExecutionSpace& exec, const Merge& merge, const typename Merge::Arrays::Scalar& alpha,
                const typename Merge::Arrays::Scalar& beta, typename Merge::Ordinal* entries,
                typename Merge::Arrays::Scalar* values) {
  with_spadd_terms(merge.a(), merge.b(), alpha, beta, [&](const auto& terms) {
    using Sink = WriteSums<std::remove_cvref_t<decltype(terms)>>;
    merge.for_each(exec, "Lacuna::spadd::sums", Sink{terms, entries, values});
  });
}

/// The sinks of a plan that merges rows again for every sum: columns when it is made, values later.
template <class Arrays>
struct WriteColumns {
  SpaddElements<Arrays> A, B;
  typename Arrays::Ordinal* entries;
  KOKKOS_FUNCTION void operator()(std::int64_t k, typename Arrays::Ordinal, std::int64_t p, std::int64_t q) const {
    entries[k] = ColumnOfElements<Arrays>{A, B}(p, q);
  }
  KOKKOS_FUNCTION void either(std::int64_t k, typename Arrays::Ordinal, std::int64_t p, bool takes_p, std::int64_t q,
                              bool) const {
    entries[k] = takes_p ? A.entries[p] : B.entries[q];
  }
};
template <class Terms>
struct WriteValues {
  using Arrays = typename Terms::Arrays;
  Terms terms;
  typename Arrays::Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t k, typename Arrays::Ordinal, std::int64_t p, std::int64_t q) const {
    values[k] = terms(p, q);
  }
  KOKKOS_FUNCTION void either(std::int64_t k, typename Arrays::Ordinal, std::int64_t p, bool takes_p, std::int64_t q,
                              bool takes_q) const {
    values[k] = terms.either(p, takes_p, q, takes_q);
  }
};

/// The position of an element in its row: rows ascend strictly, so it is less than the number of columns.
template <class Ordinal>
struct SpaddPosition {
  static constexpr Ordinal missing = std::numeric_limits<Ordinal>::max();

  template <class Offset>
  KOKKOS_FUNCTION static Ordinal of(std::int64_t k, Offset begin) {
    return k == no_element ? missing : static_cast<Ordinal>(k - static_cast<std::int64_t>(begin));
  }
  template <class Offset>
  KOKKOS_FUNCTION static std::int64_t element(Ordinal position, Offset begin) {
    return position == missing ? no_element : static_cast<std::int64_t>(begin) + static_cast<std::int64_t>(position);
  }
};

/// The sink of a plan that keeps positions.
template <class Arrays>
struct WritePositions {
  using Ordinal = typename Arrays::Ordinal;
  SpaddElements<Arrays> A, B;
  Ordinal* entries;
  Ordinal* of_a;
  Ordinal* of_b;
  KOKKOS_FUNCTION void operator()(std::int64_t k, Ordinal row, std::int64_t p, std::int64_t q) const {
    entries[k] = ColumnOfElements<Arrays>{A, B}(p, q);
    of_a[k]    = SpaddPosition<Ordinal>::of(p, A.row_map[row]);
    of_b[k]    = SpaddPosition<Ordinal>::of(q, B.row_map[row]);
  }
};

/// Values of C from those positions.
template <class Terms>
struct SumAtPositions {
  using Arrays  = typename Terms::Arrays;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  Terms terms;
  const Ordinal* of_a;
  const Ordinal* of_b;
  typename Arrays::Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    values[k] = terms(SpaddPosition<Ordinal>::element(of_a[k], terms.A.row_map[row]),
                      SpaddPosition<Ordinal>::element(of_b[k], terms.B.row_map[row]));
  }
};

}  // namespace lacuna::Impl

#endif
