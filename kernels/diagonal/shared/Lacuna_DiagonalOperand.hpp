// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALOPERAND_HPP
#define LACUNA_DIAGONALOPERAND_HPP

#include <Lacuna_CdmMatrix.hpp>
#include <Lacuna_HmMatrix.hpp>
#include <Lacuna_Options.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// \brief Matrices in HM and CDM as kernels of products see them, op included: a transpose swaps roles and moves no
/// data.
///
/// An element is spoken of by the diagonal and the row of op(X) that it is in. In a product C = op(A) op(B) element
/// (i, k) of C on diagonal d meets element (i, j) of op(A) on diagonal e and (j, k) of op(B) on diagonal d - e, where
/// j = i + e and k = i + d; in CDM all three modulo n. An operand's elements on one diagonal are contiguous in the row,
/// or, where CDM is transposed, in the column: it says by `by_column` which of the two indices it goes by.

namespace lacuna::Impl {

template <class T>
struct is_hm_matrix : std::false_type {};
template <class S, class O, class D, class F>
struct is_hm_matrix<HmMatrix<S, O, D, F>> : std::true_type {};
template <class T>
struct is_cdm_matrix : std::false_type {};
template <class S, class O, class D, class F>
struct is_cdm_matrix<CdmMatrix<S, O, D, F>> : std::true_type {};

template <class T>
concept DiagonalMatrixType = is_hm_matrix<T>::value || is_cdm_matrix<T>::value;

/// Where a diagonal that is not stored begins.
inline constexpr std::int64_t not_stored = INT64_MIN;

/// op(X) of a matrix in HM.
template <class ScalarType, class OrdinalType, class OffsetType>
struct HmOperand {
  using Scalar                = ScalarType;
  static constexpr bool wraps = false;

  std::int64_t rows;     ///< of op(X)
  std::int64_t columns;  ///< of op(X)
  std::int64_t dg;
  std::int64_t elements;
  const OrdinalType* Ds;
  const OffsetType* starts;
  const OffsetType* dense;  ///< `DiagDense`, null where there is none
  const ScalarType* list;
  bool transposed;
  bool conjugated;
  bool symmetric;  ///< stored by half: diagonals d and -d begin at the same position
  static constexpr bool by_column = false;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(std::int64_t d) const {
    const auto stored = static_cast<std::int64_t>(Ds[d]);
    return transposed ? -stored : stored;
  }
  /// The address in `list` that the element in row 0 of op(X) has or would have; `not_stored`.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t base(std::int64_t offset) const {
    if (offset <= -rows || offset >= columns) return not_stored;
    const std::int64_t start =
        hm_start(Ds, starts, dense, dg, transposed ? columns : rows, transposed ? -offset : offset);
    return start < 0 ? not_stored : start - (offset < 0 ? -offset : 0);
  }
};

/// op(X) of a matrix in CDM. Diagonals are indices of compact ones, from 0 to n - 1.
template <class ScalarType, class OrdinalType, class OffsetType>
struct CdmOperand {
  using Scalar                = ScalarType;
  static constexpr bool wraps = true;

  std::int64_t rows;
  std::int64_t columns;
  std::int64_t dg;
  const OrdinalType* Ds;
  const OffsetType* dense;
  const ScalarType* list;
  bool transposed;
  bool conjugated;
  bool by_column;  ///< is `transposed`

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(std::int64_t d) const {
    const auto stored = static_cast<std::int64_t>(Ds[d]);
    return transposed && stored > 0 ? rows - stored : stored;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t base(std::int64_t offset) const {
    const std::int64_t position = transposed && offset > 0 ? rows - offset : offset;
    const auto start            = static_cast<std::int64_t>(dense[position]);
    return start < 0 ? not_stored : start;
  }
};

/// The matrix that a product is written to.
template <class ScalarType, class OrdinalType, class OffsetType>
struct HmResult {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t dg;
  std::int64_t elements;
  const OrdinalType* Ds;
  const OffsetType* starts;
  const OffsetType* dense;
  ScalarType* list;

  /// As that of an operand, of a diagonal that is stored and named by its offset.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t base_of(std::int64_t offset) const {
    return start_of(offset) - (offset < 0 ? -offset : 0);
  }
  /// Where the stored diagonal of that offset begins in `list`.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t start_of(std::int64_t offset) const {
    return hm_start(Ds, starts, dense, dg, rows, offset);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(std::int64_t d) const { return static_cast<std::int64_t>(Ds[d]); }
  /// The same of the diagonal at position d of `Ds`.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t base(std::int64_t d, std::int64_t offset) const {
    return static_cast<std::int64_t>(starts[d]) - (offset < 0 ? -offset : 0);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(std::int64_t offset) const { return offset < 0 ? -offset : 0; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end_row(std::int64_t offset) const {
    return rows < columns - offset ? rows : columns - offset;
  }
};

template <class ScalarType, class OrdinalType, class OffsetType>
struct CdmResult {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t dg;
  const OrdinalType* Ds;
  const OffsetType* dense;
  ScalarType* list;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t base_of(std::int64_t offset) const {
    return static_cast<std::int64_t>(dense[offset]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(std::int64_t d) const { return static_cast<std::int64_t>(Ds[d]); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t base(std::int64_t d, std::int64_t) const { return d * rows; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(std::int64_t) const { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end_row(std::int64_t) const { return rows; }
};

template <class S, class O, class D, class F>
HmOperand<S, O, F> operand_of(Op op, const HmMatrix<S, O, D, F>& X) {
  const bool turned = op != Op::none;
  return {static_cast<std::int64_t>(turned ? X.columns : X.rows),
          static_cast<std::int64_t>(turned ? X.rows : X.columns),
          X.dg(),
          static_cast<std::int64_t>(X.list.extent(0)),
          X.Ds.data(),
          X.StartDg.data(),
          hm_dense(X),
          X.list.data(),
          turned,
          is_complex<S> && op == Op::conjugate_transpose,
          X.symmetric};
}
template <class S, class O, class D, class F>
CdmOperand<S, O, F> operand_of(Op op, const CdmMatrix<S, O, D, F>& X) {
  const bool turned = op != Op::none;
  const auto n      = static_cast<std::int64_t>(X.rows);
  return {n,
          n,
          X.dg(),
          X.Ds.data(),
          X.DiagDense.data(),
          X.list.data(),
          turned,
          is_complex<S> && op == Op::conjugate_transpose,
          turned};
}
template <class S, class O, class D, class F>
HmResult<S, O, F> result_of(const HmMatrix<S, O, D, F>& C) {
  return {static_cast<std::int64_t>(C.rows),
          static_cast<std::int64_t>(C.columns),
          C.dg(),
          static_cast<std::int64_t>(C.list.extent(0)),
          C.Ds.data(),
          C.StartDg.data(),
          hm_dense(C),
          C.list.data()};
}
template <class S, class O, class D, class F>
CdmResult<S, O, F> result_of(const CdmMatrix<S, O, D, F>& C) {
  return {static_cast<std::int64_t>(C.rows),
          static_cast<std::int64_t>(C.columns),
          C.dg(),
          C.Ds.data(),
          C.DiagDense.data(),
          C.list.data()};
}

/// Whether it is a symmetric matrix that is stored by half.
template <class S, class O, class D, class F>
bool is_half(const HmMatrix<S, O, D, F>& X) {
  return X.symmetric;
}
template <class S, class O, class D, class F>
bool is_half(const CdmMatrix<S, O, D, F>&) {
  return false;
}

/// Elements that the diagonals on its list have.
template <class S, class O, class D, class F>
std::int64_t listed_elements(const HmMatrix<S, O, D, F>& X) {
  std::int64_t elements = 0;
  for (std::size_t d = 0; d < X.host_Ds.extent(0); ++d)
    if (!X.symmetric || X.host_Ds(d) >= 0)
      elements += diagonal_length(static_cast<std::int64_t>(X.rows), static_cast<std::int64_t>(X.columns),
                                  static_cast<std::int64_t>(X.host_Ds(d)));
  return elements;
}
template <class S, class O, class D, class F>
std::int64_t listed_elements(const CdmMatrix<S, O, D, F>& X) {
  return static_cast<std::int64_t>(X.host_Ds.extent(0)) * static_cast<std::int64_t>(X.rows);
}

/// \throws InvalidMatrix where diagonals lie outside, are named twice, or stand in another order than the format's.
template <class Format>
void check_order(const char* function, const char* which, const Format& X) {
  constexpr bool is_hm     = is_hm_matrix<Format>::value;
  const std::int64_t least = is_hm ? 1 - static_cast<std::int64_t>(X.rows) : 0;
  const std::int64_t most  = static_cast<std::int64_t>(X.columns) - 1;
  for (std::size_t d = 0; d < X.host_Ds.extent(0); ++d) {
    const auto now = static_cast<std::int64_t>(X.host_Ds(d));
    if (now < least || now > most)
      raise<InvalidMatrix>(function, which, " ", shape_text(X.rows, X.columns), ": diagonal ", now, " is outside of ",
                           least, " to ", most);
    if (d == 0) continue;
    const auto before  = static_cast<std::int64_t>(X.host_Ds(d - 1));
    const bool follows = before < 0 ? now < before : now < 0 || now > before;
    if (!follows)
      raise<InvalidMatrix>(function, which, " ", shape_text(X.rows, X.columns), ": diagonal ", now,
                           now == before ? " is named twice" : " stands behind " + std::to_string(before), "; in ",
                           is_hm ? "HM 0, 1, 2, ... stand before -1, -2, ..." : "CDM diagonals ascend");
  }
}

/// \throws InvalidMatrix where a matrix that is said to be symmetric cannot be.
template <class Format>
void check_pairs(const char* function, const char* which, const Format& X) {
  DiagonalList ascending(X.host_Ds.data(), X.host_Ds.data() + X.host_Ds.extent(0));
  std::sort(ascending.begin(), ascending.end());
  if (X.rows != X.columns || with_opposites(ascending) != ascending)
    raise<InvalidMatrix>(function, which, " ", shape_text(X.rows, X.columns),
                         " is stored by half, but is not square or has diagonals with none across the main diagonal");
}

/// \throws InvalidMatrix where a matrix that was put together by hand has other lengths than its diagonals, or names
/// them wrongly.
template <class Format>
void check_lengths(const char* function, const char* which, const Format& X) {
  check_order(function, which, X);
  if (is_half(X)) check_pairs(function, which, X);
  const std::int64_t elements = listed_elements(X);
  if (X.host_Ds.extent(0) != X.Ds.extent(0) || static_cast<std::int64_t>(X.list.extent(0)) < elements)
    raise<InvalidMatrix>(function, which, " ", shape_text(X.rows, X.columns), " names ", X.Ds.extent(0),
                         " diagonals, on the host ", X.host_Ds.extent(0), ", of ", elements, " elements; list has ",
                         X.list.extent(0));
}

/// An element as op makes it.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar taken(const Scalar& value, bool conjugated) {
  if constexpr (is_complex<Scalar>)
    return conjugated ? conjugate(value) : value;
  else
    return value;
}

/// C = alpha op(A) op(B) + beta C.
template <class OperandType, class ResultType>
struct DiagonalArguments {
  using Operand = OperandType;
  using Result  = ResultType;
  using Scalar  = typename Operand::Scalar;

  Operand A;
  Operand B;
  Result C;
  Scalar alpha;
  Scalar beta;

  /// Element (i, i + d) of op(A) op(B) by itself, in the order of A's diagonals.
  KOKKOS_FUNCTION Scalar product_at(std::int64_t i, std::int64_t d) const {
    Scalar sum(0);
    std::int64_t column = i + d;
    if constexpr (Operand::wraps) column -= column >= A.rows ? A.rows : 0;
    for (std::int64_t p = 0; p < A.dg; ++p) {
      const std::int64_t e = A.offset(p);
      std::int64_t f = d - e, inner = i + e;
      if constexpr (Operand::wraps) {
        f += f < 0 ? A.rows : 0;
        inner -= inner >= A.rows ? A.rows : 0;
      } else {
        if (inner < 0 || inner >= A.columns) continue;
      }
      const std::int64_t b = B.base(f);
      if (b == not_stored) continue;
      sum += taken(A.list[A.base(e) + (A.by_column ? inner : i)], A.conjugated) *
             taken(B.list[b + (B.by_column ? column : inner)], B.conjugated);
    }
    return sum;
  }

  /// `sum` is that of products; alpha and beta are the writer's.
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t address, const Scalar& sum) const {
    C.list[address] = beta == Scalar(0) ? alpha * sum : alpha * sum + beta * C.list[address];
  }
};

}  // namespace lacuna::Impl

#endif
