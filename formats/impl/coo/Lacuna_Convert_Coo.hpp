// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_COO_HPP
#define LACUNA_CONVERT_COO_HPP

#include <Lacuna_CooMatrix.hpp>

namespace lacuna::Impl {

template <class Ordinal, class Offset>
struct WriteRowIndex {
  Ordinal* row_indices;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const { row_indices[k] = row; }
};

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<CooMatrix, Matrix> coo_from_crs(const ExecutionSpace& exec, const Matrix& A, const CooOptions& options) {
  using Format   = FormatOf<CooMatrix, Matrix>;
  const auto crs = arrays_of(A);
  const auto n   = static_cast<std::int64_t>(crs.nonzeros);
  check_memory("to_coo",
               static_cast<std::size_t>(n) * (2 * sizeof(typename Format::Ordinal) + sizeof(typename Format::Scalar)),
               options.memory_limit);
  Format coo;
  coo.rows           = crs.rows;
  coo.columns        = crs.columns;
  coo.row_indices    = allocate<decltype(coo.row_indices)>("to_coo", exec, "Lacuna::to_coo::row_indices", n);
  coo.column_indices = allocate<decltype(coo.column_indices)>("to_coo", exec, "Lacuna::to_coo::column_indices", n);
  coo.values         = allocate<decltype(coo.values)>("to_coo", exec, "Lacuna::to_coo::values", n);
  for_each_nonzero(exec, "Lacuna::to_coo::row_indices", crs.rows, crs.nonzeros, crs.row_map,
                   WriteRowIndex<typename Format::Ordinal, typename Format::Offset>{coo.row_indices.data()});
  Kokkos::deep_copy(exec, coo.column_indices, A.graph.entries);
  Kokkos::deep_copy(exec, coo.values, A.values);
  return coo;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const CooMatrix<S, O, D, F>& coo) {
  Kokkos::deep_copy(exec, coo.values, A.values);
}

/// Counts nonzeros whose row is out of range or before that of the nonzero ahead of them.
template <class Ordinal>
struct CountMisplacedRows {
  std::int64_t rows;
  const Ordinal* row_indices;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& count) const {
    const Ordinal row = row_indices[k];
    if (row < 0 || row >= rows || (k > 0 && row < row_indices[k - 1])) ++count;
  }
};

template <class Ordinal, class Offset>
struct RowMapOfSortedRows {
  std::int64_t nonzeros;
  const Ordinal* row_indices;
  Offset* row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_map[row] = static_cast<Offset>(lower_bound(row_indices, 0, nonzeros, row));
  }
};

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename CooMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const CooMatrix<S, O, D, F>& coo) {
  using New               = NewCrs<typename CooMatrix<S, O, D, F>::Crs>;
  const std::int64_t n    = static_cast<std::int64_t>(coo.nonzeros());
  const std::int64_t rows = coo.rows;
  std::int64_t misplaced  = 0;
  Kokkos::parallel_reduce("Lacuna::to_crs::check_rows", index_range(exec, n),
                          CountMisplacedRows<O>{rows, coo.row_indices.data()}, misplaced);
  if (misplaced > 0)
    raise<InvalidMatrix>("to_crs", misplaced, " of ", n, " nonzeros have a row out of range or out of order, A is ",
                         shape_text(coo.rows, coo.columns));
  New crs{coo.rows, coo.columns, allocate<typename New::RowMap>("to_crs", exec, "Lacuna::to_crs::row_map", rows + 1),
          allocate<typename New::Entries>("to_crs", exec, "Lacuna::to_crs::entries", n),
          allocate<typename New::Values>("to_crs", exec, "Lacuna::to_crs::values", n)};
  for_each_index(exec, "Lacuna::to_crs::row_map", rows + 1,
                 RowMapOfSortedRows<O, F>{n, coo.row_indices.data(), crs.row_map.data()});
  Kokkos::deep_copy(exec, crs.entries, coo.column_indices);
  Kokkos::deep_copy(exec, crs.values, coo.values);
  return crs.matrix("Lacuna::to_crs");
}

}  // namespace lacuna::Impl

#endif
