// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_REFERENCE_SPMM_HPP
#define LACUNA_REFERENCE_SPMM_HPP

#include <reference/Reference_Spmv.hpp>

#include <cmath>
#include <string>

/// \file
/// \brief C = alpha op(A) B + beta C, serially, in double precision, with the bound that a tolerance is made of. Blocks
/// are vectors in row-major order.

namespace lacuna::Test {

/// Where a backend has no half precision, Kokkos lets these names stand for float.
template <class Scalar>
inline constexpr bool is_half = sizeof(Scalar) == 2 && (std::is_same_v<Scalar, Kokkos::Experimental::half_t> ||
                                                        std::is_same_v<Scalar, Kokkos::Experimental::bhalf_t>);

/// The type that sums of products of `Scalar` are made in.
template <class Scalar>
using Arithmetic = std::conditional_t<is_half<Scalar>, float, Scalar>;

/// Distance from 1 to the next number: of a real type, or of the parts of a complex one.
template <class Scalar>
double epsilon() {
  if constexpr (is_half<Scalar>)
    return std::is_same_v<Scalar, Kokkos::Experimental::half_t> ? 0x1.0p-10 : 0x1.0p-7;
  else
    return static_cast<double>(std::numeric_limits<typename RealOf<Scalar>::type>::epsilon());
}

template <class Scalar>
struct SpmmReference {
  std::int64_t rows    = 0;
  std::int64_t columns = 0;
  std::vector<Wide<Scalar>> C;
  /// Per element |alpha| sum |a| |b| + |beta| |c|: what the rounding errors of any order of summation are relative to.
  std::vector<double> magnitude;
  /// Per row the number of products.
  std::vector<std::int64_t> terms;
};

/// `columns` is the number of columns of B and C. Where beta == 0, `C` is not read (it may be empty).
template <class Scalar>
SpmmReference<Scalar> reference_spmm(Op op, Arithmetic<Scalar> alpha, const HostMatrix<Scalar>& A,
                                     const std::vector<Scalar>& B, std::int64_t columns, Arithmetic<Scalar> beta,
                                     const std::vector<Scalar>& C) {
  const auto width = static_cast<std::size_t>(columns);
  const auto rows  = static_cast<std::size_t>(op == Op::none ? A.rows : A.columns);
  SpmmReference<Scalar> result;
  result.rows    = static_cast<std::int64_t>(rows);
  result.columns = columns;
  result.C.assign(rows * width, Wide<Scalar>(0));
  result.magnitude.assign(rows * width, 0.0);
  result.terms.assign(rows, 0);
  for (std::int64_t row = 0; row < A.rows; ++row) {
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row) + 1]); ++k) {
      const auto to        = static_cast<std::size_t>(op == Op::none ? row : A.entries[k]);
      const auto from      = static_cast<std::size_t>(op == Op::none ? A.entries[k] : row);
      Wide<Scalar> element = widen(A.values[k]);
      if constexpr (is_complex<Scalar>)
        if (op == Op::conjugate_transpose) element = std::conj(element);
      for (std::size_t j = 0; j < width; ++j) {
        const Wide<Scalar> b = widen(B[from * width + j]);
        result.C[to * width + j] += element * b;
        result.magnitude[to * width + j] += std::abs(element) * std::abs(b);
      }
      ++result.terms[to];
    }
  }
  for (std::size_t i = 0; i < result.C.size(); ++i) {
    result.C[i] *= widen(alpha);
    result.magnitude[i] *= std::abs(widen(alpha));
    if (beta == Arithmetic<Scalar>(0)) continue;
    result.C[i] += widen(beta) * widen(C[i]);
    result.magnitude[i] += std::abs(widen(beta)) * std::abs(widen(C[i]));
  }
  return result;
}

/// C = A B by multiply-adds in the scalar type itself, in the order of the row: what plain arithmetic comes to.
template <class Scalar>
std::vector<Scalar> plain_spmm(const HostMatrix<Scalar>& A, const std::vector<Scalar>& B, std::int64_t columns) {
  std::vector<Scalar> C(static_cast<std::size_t>(A.rows * columns), Scalar(0));
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row) + 1]); ++k)
      for (std::int64_t j = 0; j < columns; ++j) {
        Scalar& sum = C[static_cast<std::size_t>(row * columns + j)];
        sum         = std::fma(A.values[k], B[static_cast<std::size_t>(A.entries[k] * columns + j)], sum);
      }
  return C;
}

/// Checks every element of C (row-major) against
/// |error| <= ((terms + 4) eps + relative) magnitude + rounding of the stored type,
/// the classical bound of a sum in any order; `relative` is what a lower precision of the factors may cost beside it.
/// `Output` is the type that C was stored in. The message names the first element that breaks the bound.
template <class Scalar, class Output>
testing::AssertionResult matches(const SpmmReference<Scalar>& reference, const std::vector<Output>& C,
                                 double relative = 0.0) {
  if (reference.C.size() != C.size())
    return testing::AssertionFailure() << "has " << C.size() << " elements, expected " << reference.C.size();
  const double eps     = (is_complex<Scalar> ? 2.0 : 1.0) * epsilon<Arithmetic<Scalar>>();
  const double stored  = is_half<Output> ? epsilon<Output>() : 0.0;
  const double smaller = is_half<Output> ? 0x1.0p-24 : 0.0;  // numbers below the normal range of half
  for (std::size_t i = 0; i < C.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(reference.columns);
    const double error    = std::abs(widen(C[i]) - reference.C[i]);
    const double allowed =
        ((static_cast<double>(reference.terms[row]) + 4.0) * eps + relative) * reference.magnitude[i] +
        stored * std::abs(reference.C[i]) + smaller;
    if (!(error <= allowed))
      return testing::AssertionFailure() << "element (" << row << ", "
                                         << i % static_cast<std::size_t>(reference.columns) << ") is " << widen(C[i])
                                         << ", expected " << reference.C[i] << ", error " << error << " > " << allowed;
  }
  return testing::AssertionSuccess();
}

template <class To, class From>
struct CopyBlock {
  To to;
  From from;
  KOKKOS_FUNCTION void operator()(const int i, const int j) const { to(i, j) = from(i, j); }
};

/// Copies between Views of rank 2 with any strides in one memory space.
template <class To, class From>
void copy_block(const To& to, const From& from) {
  using Execution = typename To::execution_space;
  if (to.extent(0) == 0 || to.extent(1) == 0) return;
  Kokkos::parallel_for("copy_block",
                       Kokkos::MDRangePolicy<Execution, Kokkos::Rank<2>>(
                           {0, 0}, {static_cast<std::int64_t>(to.extent(0)), static_cast<std::int64_t>(to.extent(1))}),
                       CopyBlock<To, From>{to, from});
  Execution().fence();
}

/// Row-major elements in the memory of a View's device.
template <class View>
using PackedBlock =
    Kokkos::View<typename View::non_const_value_type**, Kokkos::LayoutRight, typename View::device_type>;

/// Fills `view`, which may be strided, from a row-major host block.
template <class View>
void copy_in(const View& view, const std::vector<typename View::non_const_value_type>& source) {
  const PackedBlock<View> packed("packed", view.extent(0), view.extent(1));
  const auto mirror = Kokkos::create_mirror_view(packed);
  for (std::size_t i = 0; i < source.size(); ++i) mirror.data()[i] = source[i];
  Kokkos::deep_copy(packed, mirror);
  copy_block(view, packed);
}

/// A new View (LayoutRight or LayoutLeft) with the elements of a row-major host block.
template <class View>
View make_block(const std::string& label, const std::vector<typename View::non_const_value_type>& source,
                std::int64_t rows, std::int64_t columns) {
  const View view(label, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  copy_in(view, source);
  return view;
}

/// The elements of a View of rank 2, which may be strided, in row-major order.
template <class View>
std::vector<typename View::non_const_value_type> to_row_major(const View& view) {
  const PackedBlock<View> packed("packed", view.extent(0), view.extent(1));
  copy_block(packed, view);
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
  return {mirror.data(), mirror.data() + mirror.size()};
}

}  // namespace lacuna::Test

#endif
