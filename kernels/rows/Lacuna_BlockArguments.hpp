// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BLOCKARGUMENTS_HPP
#define LACUNA_BLOCKARGUMENTS_HPP

#include <backends/generic/Lacuna_Generic_Rounding.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_SharedBytes.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// \brief The dense side of C = alpha op(A) B + beta C in the form that kernels take, and the conversion of the user's
/// arguments, with every check.

namespace lacuna::Impl {

/// The type of products and sums: the scalar type, but float for half precision.
template <class Storage>
struct ArithmeticOf {
  using type = Storage;
};
template <class Storage>
requires(std::is_same_v<Storage, Kokkos::Experimental::half_t> ||
         std::is_same_v<Storage, Kokkos::Experimental::bhalf_t> ||
         std::is_same_v<Storage, Half>) struct ArithmeticOf<Storage> {
  using type = float;
};

/// A rank-2 View with any strides, in elements. column_stride == 1 is row-major, row_stride == 1 column-major.
template <class ElementType>
struct DenseBlock {
  using Element = ElementType;

  Element* data              = nullptr;
  std::int64_t row_stride    = 0;
  std::int64_t column_stride = 0;
  std::int64_t rows          = 0;
  std::int64_t columns       = 0;

  KOKKOS_FORCEINLINE_FUNCTION Element* at(std::int64_t row, std::int64_t column) const {
    return data + row * row_stride + column * column_stride;
  }
  KOKKOS_FORCEINLINE_FUNCTION Element& operator()(std::int64_t row, std::int64_t column) const {
    return *at(row, column);
  }

  /// Elements of a row are contiguous.
  KOKKOS_FORCEINLINE_FUNCTION bool row_major() const { return column_stride == 1; }
  /// Every row can be read in packs of `bytes` from its first element on.
  KOKKOS_FORCEINLINE_FUNCTION bool rows_aligned(int bytes) const {
    return row_major() && reinterpret_cast<std::uintptr_t>(data) % bytes == 0 &&
           row_stride * static_cast<std::int64_t>(sizeof(Element)) % bytes == 0;
  }
};

/// C = alpha A B + beta C without A. B has the scalar type of A. C has that type too, or the type of the sums.
template <class ScalarType, class OutputType = ScalarType>
struct BlockArguments {
  using Scalar     = ScalarType;
  using Output     = OutputType;
  using Arithmetic = typename ArithmeticOf<Scalar>::type;

  Arithmetic alpha;
  Arithmetic beta;
  DenseBlock<const Scalar> B;
  DenseBlock<Output> C;

  /// The new value of an element of C that is `old` now. beta == 0 is a store, never a product: NaN in C vanishes.
  KOKKOS_FORCEINLINE_FUNCTION Arithmetic result(const Arithmetic& sum, const Output& old) const {
    Arithmetic value = alpha * sum;
    if (beta != Arithmetic(0)) value += beta * static_cast<Arithmetic>(old);
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, std::int64_t column, const Arithmetic& sum) const {
    Output* element = C.at(row, column);
    *element        = static_cast<Output>(result(sum, *element));
  }
};

/// The columns [first, first + count) of B and C.
template <class Scalar, class Output>
BlockArguments<Scalar, Output> column_panel(BlockArguments<Scalar, Output> arguments, std::int64_t first,
                                            std::int64_t count) {
  arguments.B.data += first * arguments.B.column_stride;
  arguments.C.data += first * arguments.C.column_stride;
  arguments.B.columns = arguments.C.columns = count;
  if (count == 1) arguments.B.column_stride = arguments.C.column_stride = 1;
  return arguments;
}

/// C = beta C; beta == 0 stores 0. Indices run along the direction in which C is contiguous.
template <class Scalar, class Output>
struct ScaleBlock {
  using Arithmetic = typename BlockArguments<Scalar, Output>::Arithmetic;
  BlockArguments<Scalar, Output> arguments;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto& C             = arguments.C;
    const bool along_rows     = C.row_major();
    const std::int64_t length = along_rows ? C.columns : C.rows;
    const std::int64_t slow = i / length, fast = i % length;
    arguments.write(along_rows ? slow : fast, along_rows ? fast : slow, Arithmetic(0));
  }
};

template <class Element, class View>
DenseBlock<Element> dense_block(const View& view) {
  static_assert(View::rank == 2, "lacuna::spmm: B and C must be Views of rank 2");
  DenseBlock<Element> block;
  block.data          = view.data();
  block.rows          = static_cast<std::int64_t>(view.extent(0));
  block.columns       = static_cast<std::int64_t>(view.extent(1));
  block.row_stride    = static_cast<std::int64_t>(view.stride(0));
  block.column_stride = static_cast<std::int64_t>(view.stride(1));
  // Nothing is ever multiplied by this stride: choose the one that suits row-major kernels.
  if (block.columns <= 1) block.column_stride = 1;
  if (block.rows <= 1) block.row_stride = round_up(block.columns * block.column_stride, 16);
  return block;
}

template <class Element>
TouchedBytes touched_bytes(const DenseBlock<Element>& block) {
  return touched_bytes(block.data, sizeof(Element), block.rows, block.row_stride, block.columns, block.column_stride);
}

/// \throws DimensionMismatch, InvalidArgument where B and C overlap or two elements of C are the same.
template <class Scalar, class Alpha, class BView, class Beta, class CView>
auto make_block_arguments(const Alpha& alpha, const BView& B, const Beta& beta, const CView& C, std::int64_t rows,
                          std::int64_t columns) {
  using Output     = typename CView::value_type;
  using Arithmetic = typename ArithmeticOf<Scalar>::type;
  static_assert(Kokkos::is_view_v<BView> && Kokkos::is_view_v<CView>, "lacuna::spmm: B and C must be Kokkos Views");
  static_assert(std::is_same_v<typename BView::non_const_value_type, Scalar>,
                "lacuna::spmm: B must have the scalar type of the matrix");
  static_assert(std::is_same_v<Output, Scalar> || std::is_same_v<Output, Arithmetic>,
                "lacuna::spmm: C must have the scalar type of the matrix (or float, where that is half precision) and "
                "must not be const");
  BlockArguments<Scalar, Output> arguments{to_scalar<Arithmetic>(alpha), to_scalar<Arithmetic>(beta),
                                           dense_block<const Scalar>(B), dense_block<Output>(C)};
  const auto& b = arguments.B;
  const auto& c = arguments.C;
  if (b.rows != columns || c.rows != rows || b.columns != c.columns)
    raise<DimensionMismatch>("spmm", "dimensions do not match: op(A) ", shape_text(rows, columns), ", B ",
                             shape_text(b.rows, b.columns), ", C ", shape_text(c.rows, c.columns));
  if (elements_coincide(c.rows, c.row_stride, c.columns, c.column_stride))
    raise<InvalidArgument>("spmm", "elements of C ", shape_text(c.rows, c.columns), " share memory: strides ",
                           c.row_stride, " and ", c.column_stride);
  if (share_bytes(touched_bytes(b), touched_bytes(c)))
    raise<InvalidArgument>("spmm", "B ", shape_text(b.rows, b.columns), " and C ", shape_text(c.rows, c.columns),
                           " overlap");
  return arguments;
}

/// Handles calls that multiply nothing (C is empty, no nonzeros, alpha == 0): scales C and returns true.
template <class ExecutionSpace, class Scalar, class Output>
bool spmm_without_product(const ExecutionSpace& exec, const BlockArguments<Scalar, Output>& arguments,
                          std::int64_t nonzeros) {
  using Arithmetic         = typename ArithmeticOf<Scalar>::type;
  const std::int64_t count = checked_product("spmm", arguments.C.rows, arguments.C.columns);
  if (count > 0 && nonzeros > 0 && arguments.alpha != Arithmetic(0)) return false;
  if (count > 0 && arguments.beta != Arithmetic(1)) {
    auto scaling  = arguments;
    scaling.alpha = Arithmetic(0);
    Kokkos::parallel_for("Lacuna::spmm::scale", index_range(exec, count), ScaleBlock<Scalar, Output>{scaling});
  }
  return true;
}

}  // namespace lacuna::Impl

#endif
