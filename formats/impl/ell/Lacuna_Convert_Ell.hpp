// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_ELL_HPP
#define LACUNA_CONVERT_ELL_HPP

#include <Lacuna_EllMatrix.hpp>

namespace lacuna::Impl {

/// The positions of a row, by one thread: neighbouring threads write neighbouring elements. Nonzeros beyond the width
/// stay where they are (HYB). `with_columns` is false where only values are new.
template <class Scalar, class Ordinal, class Offset>
struct FillEllRow {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  std::int64_t width;
  std::int64_t stride;
  Ordinal* column_indices;
  Scalar* values;
  bool with_columns;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t position = 0;
    if (i < crs.rows) {
      const Offset end = crs.row_map[i + 1];
      for (Offset k = crs.row_map[i]; k < end && position < width; ++k, ++position) {
        values[position * stride + i] = crs.values[k];
        if (with_columns) column_indices[position * stride + i] = crs.entries[k];
      }
    }
    if (!with_columns) return;
    for (; position < width; ++position) {
      values[position * stride + i]         = Scalar(0);
      column_indices[position * stride + i] = Ordinal(-1);
    }
  }
};

/// Nonzeros of a row: its positions before the first padding.
template <class Ordinal>
struct EllRowLength {
  std::int64_t width;
  std::int64_t stride;
  const Ordinal* column_indices;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t position = 0;
    while (position < width && column_indices[position * stride + i] >= 0) ++position;
    return position;
  }
};

template <class Scalar, class Ordinal, class Offset>
struct CrsRowFromEll {
  EllRowLength<Ordinal> length;
  const Scalar* ell_values;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t count = length(i);
    const auto begin         = static_cast<std::int64_t>(row_map[i]);
    for (std::int64_t position = 0; position < count; ++position) {
      entries[begin + position] = length.column_indices[position * length.stride + i];
      values[begin + position]  = ell_values[position * length.stride + i];
    }
  }
};

/// The multiple that a stride is rounded to.
template <class ExecutionSpace>
std::int64_t ell_alignment(const char* function, int asked) {
  if (asked < 0) raise<InvalidArgument>(function, "alignment is ", asked, ", at least 0 is needed");
  return asked > 0 ? asked : std::max(32, ExecutionTraits<ExecutionSpace>::lane_width);
}

/// An ELL matrix of given width, filled with the first `width` nonzeros of every row.
template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<EllMatrix, Matrix> ell_of_width(const char* function, const ExecutionSpace& exec, const Matrix& A,
                                         std::int64_t width, std::int64_t stride) {
  using Format            = FormatOf<EllMatrix, Matrix>;
  const std::string label = std::string("Lacuna::") + function;
  const auto crs          = arrays_of(A);
  const auto elements     = checked_product(function, width, stride);
  Format ell;
  ell.rows            = crs.rows;
  ell.columns         = crs.columns;
  ell.stored_nonzeros = crs.nonzeros;
  ell.width           = width;
  ell.stride          = stride;
  ell.column_indices = allocate<decltype(ell.column_indices)>(function, exec, label + "::ell_column_indices", elements);
  ell.values         = allocate<decltype(ell.values)>(function, exec, label + "::ell_values", elements);
  for_each_index(exec, label + "::fill_ell", width > 0 ? stride : 0,
                 FillEllRow<typename Format::Scalar, typename Format::Ordinal, typename Format::Offset>{
                     crs, width, stride, ell.column_indices.data(), ell.values.data(), true});
  return ell;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<EllMatrix, Matrix> ell_from_crs(const ExecutionSpace& exec, const Matrix& A, const EllOptions& options) {
  using Format         = FormatOf<EllMatrix, Matrix>;
  const auto crs       = arrays_of(A);
  const auto alignment = ell_alignment<ExecutionSpace>("to_ell", options.alignment);
  const auto width     = longest_row(exec, "Lacuna::to_ell::longest_row", crs.rows, crs.row_map);
  const auto stride    = round_up(static_cast<std::int64_t>(crs.rows), alignment);
  const auto elements  = checked_product("to_ell", width, stride);
  check_fill("to_ell", elements, static_cast<std::int64_t>(crs.nonzeros), options.fill_limit);
  const auto bytes =
      checked_product("to_ell", elements, sizeof(typename Format::Ordinal) + sizeof(typename Format::Scalar));
  check_memory("to_ell", static_cast<std::size_t>(bytes), options.memory_limit);
  return ell_of_width("to_ell", exec, A, width, stride);
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const EllMatrix<S, O, D, F>& ell) {
  for_each_index(exec, "Lacuna::update_values::ell", ell.width > 0 ? static_cast<std::int64_t>(ell.rows) : 0,
                 FillEllRow<S, O, F>{arrays_of(A), ell.width, ell.stride, nullptr, ell.values.data(), false});
}

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename EllMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const EllMatrix<S, O, D, F>& ell) {
  const EllRowLength<O> length{ell.width, ell.stride, ell.column_indices.data()};
  const auto crs = new_crs<typename EllMatrix<S, O, D, F>::Crs>("to_crs", exec, ell.rows, ell.columns, length);
  for_each_index(
      exec, "Lacuna::to_crs::fill", static_cast<std::int64_t>(ell.rows),
      CrsRowFromEll<S, O, F>{length, ell.values.data(), crs.row_map.data(), crs.entries.data(), crs.values.data()});
  return crs.matrix("Lacuna::to_crs");
}

}  // namespace lacuna::Impl

#endif
