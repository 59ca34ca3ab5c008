// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_REFERENCE_HPP
#define LACUNA_BENCH_REFERENCE_HPP

#include <support/Bench_WorkModels.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief y = A x + beta y in double precision, row by row, and how far a result is from it.
///
/// `rel_error` = max over i of |y_i - reference_i| / (sum over j of |a_ij| |x_j| + |beta y_i|): the error against the
/// size of what was added, so that cancellation does not count. A result is wrong where a row's own error is above
/// eps (8 + 4 sqrt(row length)), eps of the scalar type: several times what any order of summation makes of rounding
/// errors that do not all point one way.

namespace lacuna::bench {

template <class Scalar>
using DoubleOf = std::conditional_t<is_complex<Scalar>, Kokkos::complex<double>, double>;

template <class Scalar>
using RealOf = decltype(Kokkos::abs(ArithmeticOf<Scalar>{}));

KOKKOS_INLINE_FUNCTION double magnitude(double value) { return Kokkos::abs(value); }
KOKKOS_INLINE_FUNCTION double magnitude(const Kokkos::complex<double>& value) {
  return Kokkos::hypot(value.real(), value.imag());
}

/// \brief The reference: results, sums of magnitudes, and the bound of each row.
template <class Scalar, class MemorySpace>
struct Reference {
  Kokkos::View<DoubleOf<Scalar>*, MemorySpace> result;
  Kokkos::View<double*, MemorySpace> size;
  Kokkos::View<double*, MemorySpace> bound;
};

template <class Arrays, class X, class Y, class Result>
struct ReferenceRow {
  using Scalar = typename Arrays::Scalar;
  Arrays A;
  X x;
  Y y;
  double beta;
  Result reference;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    using Wide = DoubleOf<Scalar>;
    Wide sum(0);
    double size = 0;
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Wide value(A.values[k]), factor(x(A.entries[k]));
      sum += value * factor;
      size += magnitude(value) * magnitude(factor);
    }
    if (beta != 0) {
      const Wide old(y(row));
      sum += beta * old;
      size += magnitude(beta * old);
    }
    const auto length     = static_cast<double>(A.row_map[row + 1] - A.row_map[row]);
    reference.result(row) = sum;
    reference.size(row)   = size;
    reference.bound(row)  = (8 + 4 * Kokkos::sqrt(length)) * Kokkos::Experimental::epsilon_v<RealOf<Scalar>>;
  }
};

template <class ExecutionSpace, class Matrix, class X, class Y>
auto spmv_reference(const ExecutionSpace& exec, const Matrix& A, const X& x, double beta, const Y& y) {
  using Scalar      = typename Matrix::non_const_value_type;
  using MemorySpace = typename Matrix::memory_space;
  using Policy      = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  const auto rows   = static_cast<std::int64_t>(A.numRows());
  using Result      = Reference<Scalar, MemorySpace>;
  const Result reference{decltype(Result::result)("Lacuna::bench::reference", rows),
                         decltype(Result::size)("Lacuna::bench::reference_size", rows),
                         decltype(Result::bound)("Lacuna::bench::reference_bound", rows)};
  const auto arrays = Impl::arrays_of(A);
  using Row         = ReferenceRow<std::remove_cv_t<decltype(arrays)>, X, Y, Result>;
  Kokkos::parallel_for("Lacuna::bench::reference", Policy(exec, 0, rows), Row{arrays, x, y, beta, reference});
  exec.fence("Lacuna::bench: the reference is done");
  return reference;
}

/// \brief One row's error against its size; with `in_bounds`, against its bound as well. NaN and infinity are as wrong
/// as can be, and an empty row has to be right.
template <class Result, class Y>
struct RowError {
  Result reference;
  Y y;
  bool in_bounds;

  KOKKOS_FUNCTION void operator()(std::int64_t row, double& worst) const {
    using Wide         = typename decltype(Result::result)::non_const_value_type;
    const double error = magnitude(Wide(y(row)) - reference.result(row));
    double relative    = 0;
    if (!(error <= 1e300))
      relative = 1e300;
    else if (error > 0)
      relative = reference.size(row) > 0 ? error / reference.size(row) : 1e300;
    if (in_bounds) relative /= reference.bound(row);
    if (relative > worst) worst = relative;
  }
};

struct ErrorOfResult {
  double relative = 0;
  bool wrong      = false;
};

template <class ExecutionSpace, class Result, class Y>
ErrorOfResult error_of_result(const ExecutionSpace& exec, const Result& reference, const Y& y) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  const Policy rows(exec, 0, static_cast<std::int64_t>(y.extent(0)));
  double relative = 0, bounded = 0;
  if (y.extent(0) == 0) return {};
  Kokkos::parallel_reduce("Lacuna::bench::error", rows, RowError<Result, Y>{reference, y, false},
                          Kokkos::Max<double>(relative));
  Kokkos::parallel_reduce("Lacuna::bench::bounded_error", rows, RowError<Result, Y>{reference, y, true},
                          Kokkos::Max<double>(bounded));
  return {relative, !(bounded <= 1)};
}

}  // namespace lacuna::bench

#endif
