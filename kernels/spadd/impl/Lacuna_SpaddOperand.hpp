// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPADDOPERAND_HPP
#define LACUNA_SPADDOPERAND_HPP

#include <Lacuna_Transpose.hpp>
#include <core/base/impl/Lacuna_RelaxedAccess.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_Allocate.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief A matrix as a sum reads it: every row strictly ascending. Rows that are not are sorted, and elements that
/// are stored several times become one, which is their sum.

namespace lacuna::Impl {

/// Marks that a row does not ascend strictly.
template <class Ordinal, class Offset>
struct FindDisorder {
  const Offset* row_map;
  const Ordinal* entries;
  int* found;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    if (k > row_map[row] && !(entries[k - 1] < entries[k])) relaxed_store(found, 1);
  }
};

/// Whether nonzero k of sorted rows is the first with its row and column.
template <class Ordinal, class Offset>
struct MarkFirstOfDuplicates {
  const Offset* row_map;
  const Ordinal* entries;
  unsigned char* is_first;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    is_first[k] = k == row_map[row] || entries[k - 1] != entries[k] ? 1 : 0;
  }
};

/// Counts the marked nonzeros; in a second scan it also writes where each stands, and its column.
template <class Ordinal, class Offset>
struct CollectFirstOfDuplicates {
  std::int64_t nonzeros;
  const unsigned char* is_first;
  const Ordinal* entries;
  Offset* first;  ///< nullptr: only counts
  Ordinal* columns;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& sum, bool final) const {
    if (k == nonzeros) {
      if (final && first != nullptr) first[sum] = static_cast<Offset>(k);
      return;
    }
    if (is_first[k] == 0) return;
    if (final && first != nullptr) {
      first[sum]   = static_cast<Offset>(k);
      columns[sum] = entries[k];
    }
    ++sum;
  }
};

/// The row map of the elements whose first nonzeros stand at `first`.
template <class Offset>
struct RowMapWithoutDuplicates {
  std::int64_t elements;
  const Offset* first;
  const Offset* row_map;
  Offset* row_map_of_elements;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_map_of_elements[row] = static_cast<Offset>(lower_bound(first, 0, elements, row_map[row]));
  }
};

/// What a sum reads of one matrix. Element k of row i is that of `entries[k]`, for k of [row_map[i], row_map[i + 1]).
template <class Arrays>
struct SpaddElements {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  std::int64_t rows      = 0;
  std::int64_t count     = 0;
  const Offset* row_map  = nullptr;
  const Ordinal* entries = nullptr;
  const Scalar* values   = nullptr;
  const Offset* first    = nullptr;  ///< nullptr where elements are the nonzeros as they are stored
  const Offset* source   = nullptr;  ///< of sorted nonzeros, those of element k from first[k] on

  KOKKOS_FUNCTION Scalar value(Offset k) const {
    if (first == nullptr) return values[k];
    Scalar sum = values[source[first[k]]];
    for (Offset i = first[k] + 1; i < first[k + 1]; ++i) sum += values[source[i]];
    return sum;
  }
};

/// \brief What a sum keeps of one matrix beside the matrix: nothing where rows ascend strictly.
template <CrsMatrixType Matrix>
class SpaddOperand {
  using Order   = Reorder<Matrix>;
  using Indices = typename Order::Indices;
  using Source  = typename Order::Source;

 public:
  using Arrays   = CrsArraysOf<Matrix>;
  using Elements = SpaddElements<Arrays>;
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;

  /// Sorts a copy of the columns, and adds duplicates. Waits for `exec`. \throws OutOfMemory.
  template <class ExecutionSpace>
  void order(const ExecutionSpace& exec, const Matrix& A, MemoryBudget& budget) {
    const auto crs            = arrays_of(A);
    const auto nonzeros       = static_cast<std::int64_t>(crs.nonzeros);
    const auto rows           = static_cast<std::int64_t>(crs.rows);
    const std::size_t sorting = Order::template order_bytes<ExecutionSpace>(crs);
    budget.check("sorting rows", sorting);
    m_source = Order::order_of_sorted_rows("spadd", exec, A);
    budget.take("the order of sorted rows", bytes_of(m_source));
    budget.check("adding duplicates", static_cast<std::size_t>(nonzeros) * (1 + 2 * sizeof(Ordinal) + sizeof(Offset)) +
                                          static_cast<std::size_t>(rows + 2) * sizeof(Offset));
    const auto sorted = Order::template gathered<Indices>("spadd", exec, crs.entries, m_source);
    const auto marks  = array<Kokkos::View<unsigned char*, typename Matrix::device_type>>(
        exec, "Lacuna::spadd::first_of_duplicates", nonzeros);
    for_each_nonzero(exec, "Lacuna::spadd::first_of_duplicates", crs.rows, crs.nonzeros, crs.row_map,
                     MarkFirstOfDuplicates<Ordinal, Offset>{crs.row_map, sorted.data(), marks.data()});
    const auto collect = [&](Offset* first, Ordinal* columns) {
      std::int64_t elements = 0;
      Kokkos::parallel_scan(
          "Lacuna::spadd::duplicates", index_range(exec, nonzeros + 1),
          CollectFirstOfDuplicates<Ordinal, Offset>{nonzeros, marks.data(), sorted.data(), first, columns}, elements);
      return elements;
    };
    const std::int64_t elements = collect(nullptr, nullptr);
    m_first                     = array<Source>(exec, "Lacuna::spadd::first", elements + 1);
    m_columns                   = array<Indices>(exec, "Lacuna::spadd::columns", elements);
    m_row_map                   = array<typename Order::RowMap>(exec, "Lacuna::spadd::row_map", rows + 1);
    collect(m_first.data(), m_columns.data());
    for_each_index(exec, "Lacuna::spadd::row_map", rows + 1,
                   RowMapWithoutDuplicates<Offset>{elements, m_first.data(), crs.row_map, m_row_map.data()});
    budget.take("rows without duplicates", bytes_of(m_first, m_columns, m_row_map));
  }

  std::size_t bytes() const { return bytes_of(m_row_map, m_columns, m_first, m_source); }
  bool is_reordered() const { return m_first.extent(0) > 0; }

  /// With the values of A, whose pattern is that of the matrix that this was made of.
  Elements elements(const Matrix& A) const {
    const auto crs  = arrays_of(A);
    const auto rows = static_cast<std::int64_t>(crs.rows);
    if (!is_reordered())
      return {rows, static_cast<std::int64_t>(crs.nonzeros), crs.row_map, crs.entries, crs.values, nullptr, nullptr};
    return {rows,
            static_cast<std::int64_t>(m_columns.extent(0)),
            m_row_map.data(),
            m_columns.data(),
            crs.values,
            m_first.data(),
            m_source.data()};
  }

 private:
  template <class View, class ExecutionSpace>
  static View array(const ExecutionSpace& exec, const char* label, std::int64_t count) {
    return allocate<View>("spadd", exec, label, count);
  }

  typename Order::RowMap m_row_map;
  Indices m_columns;
  Source m_first, m_source;
};

}  // namespace lacuna::Impl

#endif
