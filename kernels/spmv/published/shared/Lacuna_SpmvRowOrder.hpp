// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVROWORDER_HPP
#define LACUNA_SPMVROWORDER_HPP

#include <Lacuna_SpmvOptions.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <formats/impl/clustering/Lacuna_RowClustering.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <bit>
#include <string>

/// \file
/// \brief Orders of rows for kernels of paper 002: by length, or rows that share columns side by side. Made on the
/// device, the same on every run.

namespace lacuna::Impl {

/// Row `position` of the natural order.
struct NaturalRows {
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t position) const { return position; }
};
/// Of a list.
template <class Ordinal>
struct ListedRows {
  const Ordinal* list;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t position) const { return list[position]; }
};

/// Calls `launch` with the rows of `list`, or with all where it is empty.
template <class List, class Launch>
void with_rows(const List& list, const Launch& launch) {
  using Ordinal = typename List::non_const_value_type;
  if (list.extent(0) == 0)
    launch(NaturalRows());
  else
    launch(ListedRows<Ordinal>{list.data()});
}

/// Classes of rows by the powers of two that their lengths reach.
template <class Offset>
struct LengthClass {
  static constexpr int count = 65;
  const Offset* row_map;
  KOKKOS_FUNCTION int operator()(std::int64_t row) const {
    auto length = static_cast<std::uint64_t>(row_map[row + 1] - row_map[row]);
    int bits    = 0;
    for (; length > 0; length /= 2) ++bits;
    return bits;
  }
};

template <class Offset>
struct CountLengthClasses {
  LengthClass<Offset> class_of;
  std::int64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const { Kokkos::atomic_inc(&counts[class_of(row)]); }
};

/// Appends what `takes` says to a list, in ascending order.
template <class Takes, class Ordinal>
struct AppendRows {
  Takes takes;
  Ordinal* list;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& position, bool final) const {
    const std::int64_t row = takes(i);
    if (row < 0) return;
    if (final) list[position] = static_cast<Ordinal>(row);
    ++position;
  }
};
template <class Offset>
struct TakeClass {
  LengthClass<Offset> class_of;
  int wanted;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const { return class_of(row) == wanted ? row : -1; }
};
template <class Ordinal>
struct TakeListed {
  const Ordinal* list;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t position) const { return list[position]; }
};

/// Longest first, rows of about one length in their order. Waits for `exec`.
template <class List, class ExecutionSpace, class Arrays>
List rows_by_length_class(const ExecutionSpace& exec, const Arrays& A) {
  using Ordinal   = typename List::non_const_value_type;
  using Offset    = typename Arrays::Offset;
  const auto rows = static_cast<std::int64_t>(A.rows);
  const LengthClass<Offset> class_of{A.row_map};
  const Kokkos::View<std::int64_t*, typename List::device_type> counts(
      Kokkos::view_alloc(exec, "Lacuna::SpmvPlan::length_classes"), LengthClass<Offset>::count);
  for_each_index(exec, "Lacuna::SpmvPlan::count_length_classes", rows,
                 CountLengthClasses<Offset>{class_of, counts.data()});
  const auto found = read_back(exec, "Lacuna::SpmvPlan: rows of each length", counts);
  const auto list  = allocate<List>("SpmvPlan", exec, "Lacuna::SpmvPlan::row_order", rows);
  std::int64_t top = 0;
  for (int wanted = LengthClass<Offset>::count - 1; wanted >= 0; --wanted) {
    const auto count = found[static_cast<std::size_t>(wanted)];
    if (count == 0) continue;
    Kokkos::parallel_scan("Lacuna::SpmvPlan::append_rows", index_range(exec, rows),
                          AppendRows<TakeClass<Offset>, Ordinal>{{class_of, wanted}, list.data() + top});
    top += count;
  }
  return list;
}

/// Rows that share columns side by side; empty, for natural order, where the matrix is not square. Waits for `exec`.
template <class List, class ExecutionSpace, class Matrix>
List rows_by_columns(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
  using Ordinal        = typename List::non_const_value_type;
  const auto with_gaps = cluster_rows(exec, A, 16, memory_limit);
  if (with_gaps.extent(0) == 0) return {};
  const auto list = allocate<List>("SpmvPlan", exec, "Lacuna::SpmvPlan::row_order", A.numRows());
  Kokkos::parallel_scan("Lacuna::SpmvPlan::append_rows",
                        index_range(exec, static_cast<std::int64_t>(with_gaps.extent(0))),
                        AppendRows<TakeListed<Ordinal>, Ordinal>{{with_gaps.data()}, list.data()});
  exec.fence("Lacuna::SpmvPlan: the list of clusters ends here");
  return list;
}

/// The list for an order, empty for the natural one. Takes its bytes from the budget.
template <class Matrix, class ExecutionSpace>
RowListOf<Matrix> spmv_row_order(const ExecutionSpace& exec, const Matrix& A, SpmvRowOrder order,
                                 MemoryBudget& budget) {
  using List = RowListOf<Matrix>;
  if (order == SpmvRowOrder::natural || A.numRows() == 0) return {};
  budget.check("the order of rows", static_cast<std::size_t>(A.numRows()) * sizeof(typename List::value_type));
  const List list = order == SpmvRowOrder::by_length ? rows_by_length_class<List>(exec, arrays_of(A))
                                                     : rows_by_columns<List>(exec, A, budget.left());
  budget.take("the order of rows", bytes_of(list));
  return list;
}

/// Of an algorithm that reads CSR as it stands, its rows in an order that was asked for.
template <class Algorithm, CrsMatrixType Matrix>
class SpmvOrderedCsrStorage : public SpmvStorage {
 public:
  static constexpr bool reads_values_of_A = true;

  template <class Context>
  void build(const Context& context) {
    take_request(context);
    m_rows = spmv_row_order(context.exec, context.A.crs(), context.request.row_order, context.budget);
  }
  std::size_t bytes() const { return bytes_of(m_rows); }
  std::string describe() const {
    return describe_rows(m_rows.extent(0) > 0 ? ", in an order of their own" : "") + "\n";
  }
  template <class ExecutionSpace, class Arrays>
  void multiply(const ExecutionSpace& exec, const Arrays& A,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    with_rows(m_rows, [&](const auto& rows) { Algorithm::multiply(exec, A, arguments, shape(), rows); });
  }

 private:
  RowListOf<Matrix> m_rows;
};

}  // namespace lacuna::Impl

#endif
