// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_BLOCKREFERENCE_HPP
#define LACUNA_BENCH_BLOCKREFERENCE_HPP

#include <support/Bench_Reference.hpp>

#include <Lacuna_Options.hpp>

/// \file
/// \brief How far a whole block C is from A B + beta C in double precision.
///
/// What an element is compared with is computed once and kept for all checks of a block (`BlockReference`), up to a
/// size; of larger blocks anew for each check, which needs no memory beside the operands: a reference of a block of
/// 16 GB would be one of 96 GB. The error is relative to the sum over k of |a_ik| |b_kj| + |beta c_ij|, as in
/// Bench_Reference.hpp. An element is wrong where its error is above
///
/// - full: eps (8 + 4 √length) times that sum, as there;
/// - tf32, fp16, bf16: (2 u + u² + eps (8 + length)) times that sum, u the error of rounding to nearest with 11, 11
///   and 8 significant bits (a rival may truncate: twice that): both factors are rounded, and sums of the engines err
///   to one side; for fp16 also 2^-25 times the sum of |a_ik| + |b_kj|, because numbers below 2^-14 lose bits there;
/// - A, B and C stored in half precision or bfloat16: products of two factors are exact in float, where they are added.
///   The sums may err by eps (8 + length) times that sum, by an engine or not; then the result is rounded to what C
///   stores: to u |c_ij|, or to half of the least number that there is.

namespace lacuna::bench {

/// \brief A bound on the error, relative to sums of magnitudes.
struct ErrorModel {
  double constant = 0;
  double per_term = 0;
  double per_root = 0;  ///< times the square root of the number of terms
  double absolute = 0;  ///< times the sum of the magnitudes of the factors
  double rounding =
      0;             ///< times the magnitude of the result, where C is stored in a shorter type than sums are made in
  double least = 0;  ///< of the result, however small it is
};

/// \brief What is lost where a number is stored in a short type.
struct ShortType {
  double unit;   ///< the error of rounding to nearest, of normal numbers
  double least;  ///< half of the least number above 0
};
inline constexpr ShortType half_type{0x1p-11, 0x1p-25}, bfloat16_type{0x1p-8, 0x1p-134};

/// \brief The bound for A, B and C of `type`, sums in float.
constexpr ErrorModel short_error_model(ShortType type) {
  constexpr double eps = std::numeric_limits<float>::epsilon();
  return {8 * eps, eps, 0, 0, type.unit, type.least};
}

template <class Scalar>
ErrorModel error_model(Precision precision, bool truncates) {
  if constexpr (is_half<Scalar>) {
    return short_error_model(std::is_same_v<Scalar, Kokkos::Experimental::half_t> ? half_type : bfloat16_type);
  } else {
    const double eps = std::numeric_limits<RealOf<Scalar>>::epsilon();
    if (precision == Precision::full) return {8 * eps, 0, 4 * eps};
    double unit = precision == Precision::bf16 ? 0x1p-8 : 0x1p-11;
    if (truncates) unit *= 2;
    return {2 * unit + unit * unit + 8 * eps, eps, 0, precision == Precision::fp16 ? 0x1p-25 : 0.0};
  }
}

/// \brief What an element of C is, and what was added: sums of the magnitudes of products, and of their factors.
template <class Wide>
struct ElementTerms {
  Wide sum;
  double size;
  double factors;
};

/// \brief The terms of the elements of C, by their place in memory.
template <class Arrays, class B>
struct BlockTerms {
  using Wide = DoubleOf<typename Arrays::Scalar>;
  Arrays A;
  B b;
  const typename Arrays::Scalar* initial;  ///< what C was; not read where beta is 0
  double beta;
  std::int64_t columns;
  bool row_major;

  KOKKOS_FUNCTION std::int64_t row_of(std::int64_t place) const {
    return row_major ? place / columns : place % static_cast<std::int64_t>(A.rows);
  }
  KOKKOS_FUNCTION std::int64_t column_of(std::int64_t place) const {
    return row_major ? place % columns : place / static_cast<std::int64_t>(A.rows);
  }
  KOKKOS_FUNCTION ElementTerms<Wide> operator()(std::int64_t place) const {
    const std::int64_t row = row_of(place), j = column_of(place);
    ElementTerms<Wide> terms{Wide(0), 0, 0};
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Wide value(A.values[k]), factor(b(A.entries[k], j));
      terms.sum += value * factor;
      terms.size += magnitude(value) * magnitude(factor);
      terms.factors += magnitude(value) + magnitude(factor);
    }
    if (beta != 0) {
      const Wide old(initial[place]);
      terms.sum += beta * old;
      terms.size += magnitude(beta * old);
    }
    return terms;
  }
};

/// Neighbouring threads have neighbouring columns in either layout: they read the same row of A.
template <class Terms, class Kept>
struct KeepTerms {
  Terms terms;
  Kept kept;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const auto rows          = static_cast<std::int64_t>(terms.A.rows);
    const std::int64_t place = terms.row_major ? thread : thread % terms.columns * rows + thread / terms.columns;
    kept(place)              = terms(place);
  }
};

/// \brief One of the elements of C, by its place in memory, against its terms: those kept, where there are some.
template <class Terms, class C>
struct BlockError {
  struct value_type {
    double relative = 0;
    double bounded  = 0;
  };
  Terms terms;
  const ElementTerms<typename Terms::Wide>* kept;
  C c;
  ErrorModel model;

  KOKKOS_FUNCTION void init(value_type& worst) const { worst = value_type(); }
  KOKKOS_FUNCTION void join(value_type& worst, const value_type& other) const {
    worst.relative = Kokkos::max(worst.relative, other.relative);
    worst.bounded  = Kokkos::max(worst.bounded, other.bounded);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t place, value_type& worst) const {
    using Wide                             = typename Terms::Wide;
    const auto& A                          = terms.A;
    const std::int64_t row                 = terms.row_of(place);
    const ElementTerms<Wide> element_terms = kept != nullptr ? kept[place] : terms(place);
    const auto& [sum, size, factors]       = element_terms;
    const auto length                      = static_cast<double>(A.row_map[row + 1] - A.row_map[row]);
    const double bound = size * (model.constant + model.per_term * length + model.per_root * Kokkos::sqrt(length)) +
                         factors * model.absolute + magnitude(sum) * model.rounding + model.least;
    const double error = magnitude(Wide(c(row, terms.column_of(place))) - sum);
    value_type element;
    if (!(error <= 1e300)) {
      element.relative = element.bounded = 1e300;  // NaN and infinity are as wrong as can be
    } else if (error > 0) {
      element.relative = size > 0 ? error / size : 1e300;
      element.bounded  = bound > 0 ? error / bound : 1e300;
    }
    join(worst, element);
  }
};

/// \brief The terms of one block, kept for all checks of it. Nothing is kept of a block that would take more memory
/// than `most_bytes`, or than there is.
template <class Scalar, class MemorySpace>
class BlockReference {
 public:
  using Terms = ElementTerms<DoubleOf<Scalar>>;
  static constexpr std::size_t most_bytes =
      std::size_t{ExecutionTraits<typename MemorySpace::execution_space>::is_gpu ? 12 : 2} << 30;

  /// Those of `terms`, in the order of memory: the same for each call. Null where they are not kept.
  template <class ExecutionSpace, class Computed>
  const Terms* of(const ExecutionSpace& exec, const Computed& terms, std::int64_t size) {
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
    if (static_cast<std::size_t>(size) > most_bytes / sizeof(Terms)) return nullptr;
    if (m_kept.extent(0) != static_cast<std::size_t>(size)) {
      m_kept = Kept();
      try {
        m_kept = Kept(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Lacuna::bench::block_terms"),
                      static_cast<std::size_t>(size));
      } catch (const std::exception&) {  // no memory
        return nullptr;
      }
      Kokkos::parallel_for("Lacuna::bench::block_terms", Policy(exec, 0, size),
                           KeepTerms<Computed, Kept>{terms, m_kept});
    }
    return m_kept.data();
  }

 private:
  using Kept = Kokkos::View<Terms*, MemorySpace>;
  Kept m_kept;
};

/// \brief The worst element of C. `initial` holds what C was, as it stands in memory. `reference`: of earlier checks of
/// the same A, B, beta and `initial` in the same layout, or none.
template <class ExecutionSpace, class Matrix, class B, class C>
ErrorOfResult error_of_block(
    const ExecutionSpace& exec, const Matrix& A, const B& b, double beta,
    const typename Matrix::non_const_value_type* initial, const C& c, const ErrorModel& model,
    BlockReference<typename Matrix::non_const_value_type, typename ExecutionSpace::memory_space>* reference = nullptr) {
  using Policy      = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  const auto arrays = Impl::arrays_of(A);
  using Terms       = BlockTerms<std::remove_cv_t<decltype(arrays)>, B>;
  using Functor     = BlockError<Terms, C>;
  const auto size   = static_cast<std::int64_t>(c.extent(0)) * static_cast<std::int64_t>(c.extent(1));
  if (size == 0) return {};
  constexpr bool row_major = std::is_same_v<typename C::array_layout, Kokkos::LayoutRight>;
  const Terms terms{arrays, b, initial, beta, static_cast<std::int64_t>(c.extent(1)), row_major};
  typename Functor::value_type worst;
  Kokkos::parallel_reduce("Lacuna::bench::block_error", Policy(exec, 0, size),
                          Functor{terms, reference != nullptr ? reference->of(exec, terms, size) : nullptr, c, model},
                          worst);
  return {worst.relative, !(worst.bounded <= 1)};
}

}  // namespace lacuna::bench

#endif
