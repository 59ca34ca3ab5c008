// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TRANSPOSE_HPP
#define LACUNA_TRANSPOSE_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_Options.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <core/impl/passes/Lacuna_StableSort.hpp>
#include <core/impl/passes/Lacuna_TransposeByCounting.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief The nonzeros of a CSR matrix in another order: transposed, or with sorted rows.

namespace lacuna {

/// \brief A matrix made by `transpose` or `sort_rows`, with the origin of each nonzero.
///
/// Nonzero s of `matrix` is nonzero source(s) of the matrix that it was made from. So `update_values` brings new values
/// by one gather.
template <Impl::CrsMatrixType Matrix>
struct ReorderedMatrix {
  using Crs    = CrsOf<Matrix>;
  using Source = Kokkos::View<typename Crs::non_const_size_type*, typename Crs::device_type>;

  Crs matrix;
  Source source;
};

/// \brief Options of `transpose` and `sort_rows`.
struct ReorderOptions {
  std::size_t memory_limit = unlimited;  ///< the most bytes that may be allocated, those of the result included
};

namespace Impl {

template <class Ordinal, class Offset>
struct RowIndexOf {
  Ordinal* rows;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const { rows[k] = row; }
};

template <class T, class Offset>
struct Gather {
  const T* from;
  const Offset* source;
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[source[i]]; }
};

template <class Key, class Offset>
struct RowMapOfKeys {
  std::int64_t count;
  const Key* keys;
  Offset* row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_map[row] = static_cast<Offset>(lower_bound(keys, 0, count, row));
  }
};

template <class Matrix>
struct Reorder {
  using Crs     = OwningCrs<Matrix>;
  using Scalar  = typename Crs::non_const_value_type;
  using Ordinal = typename Crs::non_const_ordinal_type;
  using Offset  = typename Crs::non_const_size_type;
  using Values  = typename Crs::values_type::non_const_type;
  using Indices = typename Crs::index_type::non_const_type;
  using RowMap  = typename Crs::row_map_type::non_const_type;
  using Source  = typename ReorderedMatrix<Matrix>::Source;

  using Arrays = CrsArrays<Scalar, Ordinal, Offset>;

  /// Bytes that `order_of_columns` and a sort by keys below `key_limit` have at most.
  template <class ExecutionSpace>
  static std::size_t sort_bytes(const Arrays& crs, std::int64_t key_limit) {
    const auto n = static_cast<std::int64_t>(crs.nonzeros);
    return static_cast<std::size_t>(n) * (sizeof(Ordinal) + sizeof(Offset)) +
           stable_sort_bytes<ExecutionSpace, Ordinal, Offset>(n, key_limit);
  }
  /// The same of `order_of_sorted_rows`, and of gathering columns in that order.
  template <class ExecutionSpace>
  static std::size_t order_bytes(const Arrays& crs) {
    const std::size_t gathering = static_cast<std::size_t>(crs.nonzeros) * (3 * sizeof(Ordinal) + sizeof(Offset));
    return std::max({sort_bytes<ExecutionSpace>(crs, static_cast<std::int64_t>(crs.columns)), gathering,
                     sort_bytes<ExecutionSpace>(crs, static_cast<std::int64_t>(crs.rows))});
  }
  /// Bytes of the result of either operation, a matrix of `rows` rows.
  static std::size_t result_bytes(const Arrays& crs, std::int64_t rows) {
    return static_cast<std::size_t>(rows + 1) * sizeof(Offset) +
           static_cast<std::size_t>(crs.nonzeros) * (sizeof(Scalar) + sizeof(Ordinal) + sizeof(Offset));
  }
  template <class ExecutionSpace>
  static std::size_t transpose_bytes(const Arrays& crs) {
    const auto n                = static_cast<std::size_t>(crs.nonzeros);
    const std::size_t result    = result_bytes(crs, static_cast<std::int64_t>(crs.columns));
    const std::size_t columns   = n * sizeof(Ordinal);  // those that were sorted
    const std::size_t gathering = result - n * sizeof(Scalar) + columns + n * sizeof(Ordinal);
    return std::max(
        {sort_bytes<ExecutionSpace>(crs, static_cast<std::int64_t>(crs.columns)), gathering, result + columns});
  }
  template <class ExecutionSpace>
  static std::size_t sort_rows_bytes(const Arrays& crs) {
    return std::max(order_bytes<ExecutionSpace>(crs), result_bytes(crs, static_cast<std::int64_t>(crs.rows)));
  }

  template <class ExecutionSpace>
  static Indices row_indices(const char* function, const ExecutionSpace& exec,
                             const CrsArrays<Scalar, Ordinal, Offset>& crs) {
    const auto rows = allocate<Indices>(function, exec, std::string("Lacuna::") + function + "::row_indices",
                                        static_cast<std::int64_t>(crs.nonzeros));
    for_each_nonzero(exec, std::string("Lacuna::") + function + "::row_indices", crs.rows, crs.nonzeros, crs.row_map,
                     RowIndexOf<Ordinal, Offset>{rows.data()});
    return rows;
  }

  /// `columns` becomes the columns in ascending order; the result tells where each comes from.
  template <class ExecutionSpace>
  static Source order_of_columns(const char* function, const ExecutionSpace& exec, const Matrix& A, Indices& columns) {
    const auto crs   = arrays_of(A);
    const auto count = static_cast<std::int64_t>(crs.nonzeros);
    auto source      = allocate<Source>(function, exec, std::string("Lacuna::") + function + "::source", count);
    columns          = allocate<Indices>(function, exec, std::string("Lacuna::") + function + "::columns", count);
    Kokkos::deep_copy(exec, columns, A.graph.entries);
    stable_sort(function, exec, columns, source, static_cast<std::int64_t>(crs.columns), true);
    return source;
  }

  template <class To, class ExecutionSpace, class T>
  static To gathered(const char* function, const ExecutionSpace& exec, const T* from, const Source& source) {
    const auto count = static_cast<std::int64_t>(source.extent(0));
    const auto to    = allocate<To>(function, exec, std::string("Lacuna::") + function + "::gathered", count);
    for_each_index(exec, std::string("Lacuna::") + function + "::gather", count,
                   Gather<T, Offset>{from, source.data(), to.data()});
    return to;
  }

  /// Where the nonzeros of every row, by ascending column, come from.
  template <class ExecutionSpace>
  static Source order_of_sorted_rows(const char* function, const ExecutionSpace& exec, const Matrix& A) {
    const auto crs = arrays_of(A);
    Indices rows;
    Source source = order_of_columns(function, exec, A, rows);
    rows          = gathered<Indices>(function, exec, row_indices(function, exec, crs).data(), source);
    stable_sort(function, exec, rows, source, static_cast<std::int64_t>(crs.rows), false);
    return source;
  }
};

/// Aᵀ by a sort by columns.
template <class ExecutionSpace, class Matrix>
ReorderedMatrix<Matrix> transpose_by_sorting(const ExecutionSpace& exec, const Matrix& A) {
  using Order     = Reorder<Matrix>;
  const auto crs  = arrays_of(A);
  const auto rows = static_cast<std::int64_t>(crs.columns);
  const auto n    = static_cast<std::int64_t>(crs.nonzeros);
  typename Order::Indices columns;
  const auto source  = Order::order_of_columns("transpose", exec, A, columns);
  const auto row_map = allocate<typename Order::RowMap>("transpose", exec, "Lacuna::transpose::row_map", rows + 1);
  for_each_index(exec, "Lacuna::transpose::row_map", rows + 1,
                 RowMapOfKeys<typename Order::Ordinal, typename Order::Offset>{n, columns.data(), row_map.data()});
  const auto entries = Order::template gathered<typename Order::Indices>(
      "transpose", exec, Order::row_indices("transpose", exec, crs).data(), source);
  const auto values = Order::template gathered<typename Order::Values>("transpose", exec, crs.values, source);
  return {typename Order::Crs("Lacuna::transpose", crs.columns, crs.rows, crs.nonzeros, values, row_map, entries),
          source};
}

/// Aᵀ as below. Counted, its arrays are cut from `shared`, if that is given, and live as long as it does. `lent`:
/// memory that may be taken instead of allocating; `lent_to_transpose` says how much is.
template <class ExecutionSpace, class Matrix>
ReorderedMatrix<Matrix> transpose_into(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit,
                                       Arena<typename Matrix::memory_space>* shared,
                                       Arena<typename Matrix::memory_space>* lent = nullptr) {
  using Counting = TransposeByCounting<ReorderedMatrix<Matrix>, ExecutionSpace>;
  const Region region([] { return std::string("Lacuna::transpose"); });
  const auto crs        = arrays_of(A);
  constexpr bool is_gpu = ExecutionTraits<ExecutionSpace>::is_gpu;
  std::size_t bytes     = Counting::bytes(exec, crs, is_gpu, shared != nullptr);
  if constexpr (is_gpu) bytes = std::max(bytes, Reorder<Matrix>::template transpose_bytes<ExecutionSpace>(crs));
  check_memory("transpose", bytes, memory_limit);
  if (auto counted = Counting::template run<is_gpu>(exec, crs, shared, lent)) return *std::move(counted);
  return transpose_by_sorting(exec, A);
}

template <class ExecutionSpace, class Matrix>
std::size_t lent_to_transpose(const Matrix& A) {
  return TransposeByCounting<ReorderedMatrix<Matrix>, ExecutionSpace>::lent_bytes(arrays_of(A));
}

}  // namespace Impl

/// \brief Computes Aᵀ with rows sorted by column. Values are not conjugated.
///
/// Entries that A stores more than once stay separate, in the order of A. The result has the same bits on every run.
/// The function counts columns; on GPUs it sorts the nonzeros instead where long columns make that faster. It fences a
/// few times.
///
/// \param[in] exec all work goes to this instance
/// \param[in] A a valid `KokkosSparse::CrsMatrix`, rows × columns; rows may be in any order
/// \param[in] options a limit of memory
/// \return the columns × rows matrix, and the origin of each nonzero
/// \throws OutOfMemory where `memory_limit` does not suffice or memory is exhausted
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
ReorderedMatrix<Matrix> transpose(const ExecutionSpace& exec, const Matrix& A, const ReorderOptions& options = {}) {
  return Impl::translate_bad_alloc("transpose",
                                   [&] { return Impl::transpose_into(exec, A, options.memory_limit, nullptr); });
}

/// \brief Copies A and sorts every row by column.
///
/// Entries that A stores more than once stay separate, in the order of A. The result has the same bits on every run.
/// The function fences a few times.
///
/// \param[in] exec all work goes to this instance
/// \param[in] A a valid `KokkosSparse::CrsMatrix`
/// \param[in] options a limit of memory
/// \return the sorted matrix, and the origin of each nonzero
/// \throws OutOfMemory where `memory_limit` does not suffice or memory is exhausted
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix>
ReorderedMatrix<Matrix> sort_rows(const ExecutionSpace& exec, const Matrix& A, const ReorderOptions& options = {}) {
  using Reorder = Impl::Reorder<Matrix>;
  return Impl::in_region("sort_rows", [&]() -> ReorderedMatrix<Matrix> {
    const auto crs  = Impl::arrays_of(A);
    const auto rows = static_cast<std::int64_t>(crs.rows);
    Impl::check_memory("sort_rows", Reorder::template sort_rows_bytes<ExecutionSpace>(crs), options.memory_limit);
    const auto source = Reorder::order_of_sorted_rows("sort_rows", exec, A);
    const auto row_map =
        Impl::allocate<typename Reorder::RowMap>("sort_rows", exec, "Lacuna::sort_rows::row_map", rows + 1);
    if (A.graph.row_map.extent(0) == row_map.extent(0))
      Kokkos::deep_copy(exec, row_map, A.graph.row_map);
    else
      Kokkos::deep_copy(exec, row_map, typename Reorder::Offset(0));
    const auto entries = Reorder::template gathered<typename Reorder::Indices>("sort_rows", exec, crs.entries, source);
    const auto values  = Reorder::template gathered<typename Reorder::Values>("sort_rows", exec, crs.values, source);
    return {typename Reorder::Crs("Lacuna::sort_rows", crs.rows, crs.columns, crs.nonzeros, values, row_map, entries),
            source};
  });
}

/// \brief Copies the values of `A` to a matrix that `transpose` or `sort_rows` made. One gather, no fence, no
/// allocation.
///
/// \param[in] exec all work goes to this instance
/// \param[in] A a matrix with the pattern that `reordered` was made from; the pattern is not compared
/// \param[in,out] reordered its values are overwritten
/// \throws InvalidArgument where the number of nonzeros differs
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::CrsMatrixType Matrix, Impl::CrsMatrixType Original>
void update_values(const ExecutionSpace& exec, const Matrix& A, const ReorderedMatrix<Original>& reordered) {
  using Reorder = Impl::Reorder<Original>;
  Impl::in_region("update_values", [&] {
    if (A.values.extent(0) != reordered.source.extent(0))
      Impl::raise<InvalidArgument>("update_values", "A has ", A.values.extent(0),
                                   " nonzeros, the matrix was made from ", reordered.source.extent(0));
    Impl::for_each_index(exec, "Lacuna::update_values::gather", static_cast<std::int64_t>(reordered.source.extent(0)),
                         Impl::Gather<typename Reorder::Scalar, typename Reorder::Offset>{
                             A.values.data(), reordered.source.data(), reordered.matrix.values.data()});
  });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
ReorderedMatrix<Matrix> transpose(const Matrix& A, const ReorderOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "transpose", [&](const auto& exec) { return transpose(exec, A, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::CrsMatrixType Matrix>
ReorderedMatrix<Matrix> sort_rows(const Matrix& A, const ReorderOptions& options = {}) {
  return Impl::with_default_instance<typename Matrix::execution_space>(
      "sort_rows", [&](const auto& exec) { return sort_rows(exec, A, options); });
}

}  // namespace lacuna

#endif
