// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMMASKROWS_HPP
#define LACUNA_SPGEMMMASKROWS_HPP

#include <Lacuna_SpgemmMask.hpp>
#include <Lacuna_Transpose.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

/// \file
/// \brief The mask of a product, as kernels see it and as a plan holds it.

namespace lacuna::Impl {

/// The rows of a mask, sorted by column. A column may occur twice in a row.
template <class Ordinal, class Offset>
struct SpgemmMaskRows {
  /// A search costs as much as this many products that are formed one after the other. Not tuned.
  static constexpr std::int64_t products_per_search = 16;

  const Offset* row_map  = nullptr;
  const Ordinal* entries = nullptr;
  bool complemented      = false;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t row) const {
    return static_cast<std::int64_t>(row_map[row]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end(std::int64_t row) const {
    return static_cast<std::int64_t>(row_map[row + 1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool allows(Ordinal row, Ordinal column) const {
    const std::int64_t last     = end(row);
    const std::int64_t position = lower_bound(entries, begin(row), last, column);
    return (position < last && entries[position] == column) != complemented;
  }
  /// Whether a row of `products` products, formed from `factors` rows of B, is cheaper to compute by searching those
  /// rows for each column of the mask. Rows of B must be sorted and have no duplicates.
  KOKKOS_FORCEINLINE_FUNCTION bool searches(std::int64_t row, std::int64_t factors, std::int64_t products) const {
    return !complemented && (end(row) - begin(row)) * factors < products / products_per_search;
  }
};

/// Cuts the column range of each row of C to that of its row of the mask. Rows of which nothing is left have no
/// products.
template <class Ordinal, class Offset>
struct SpgemmRestrictBounds {
  SpgemmMaskRows<Ordinal, Offset> mask;
  Counter* products;
  ColumnRange<Ordinal>* ranges;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t begin = mask.begin(row), end = mask.end(row);
    ColumnRange<Ordinal> range = ranges[row];
    if (begin == end) {
      range = {no_column<Ordinal>, -1};
    } else {
      if (mask.entries[begin] > range.first) range.first = mask.entries[begin];
      if (mask.entries[end - 1] < range.last) range.last = mask.entries[end - 1];
    }
    if (range.width() == 0) {
      range         = {no_column<Ordinal>, -1};
      products[row] = 0;
    }
    ranges[row] = range;
  }
};

/// Marks a matrix with a row that is not sorted.
template <class Ordinal, class Offset>
struct SpgemmFindDescent {
  const Offset* row_map;
  const Ordinal* entries;
  Counter* descends;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    if (k > row_map[row] && entries[k - 1] > entries[k]) *descends = 1;
  }
};

/// Without a mask there is nothing to hold.
template <CrsMatrixType Matrix, bool masked>
class SpgemmHeldMask {
 public:
  SpgemmNoMask rows() const { return {}; }
  std::size_t bytes() const { return 0; }
};

/// Holds the user's matrix, or a copy of it with sorted rows.
template <CrsMatrixType Matrix>
class SpgemmHeldMask<Matrix, true> {
  using Arrays = CrsArraysOf<Matrix>;

 public:
  /// Waits for `exec`. \throws OutOfMemory.
  template <class ExecutionSpace>
  void make(const ExecutionSpace& exec, const SpgemmMask<Matrix>& mask, MemoryBudget& budget) {
    using Space            = typename ExecutionSpace::memory_space;
    m_matrix               = mask.matrix;
    m_complemented         = mask.complemented;
    const Arrays crs       = arrays_of(m_matrix);
    std::uint64_t descends = 0;
    if (crs.nonzeros > 0) {
      budget.check("a mark of the mask", sizeof(Counter));
      const auto mark = allocate<Kokkos::View<Counter*, Space>>("SpgemmPlan", exec, "Lacuna::spgemm::mask_mark", 1);
      Kokkos::deep_copy(exec, mark, Counter(0));
      for_each_nonzero(
          exec, "Lacuna::spgemm::mask_order", crs.rows, crs.nonzeros, crs.row_map,
          SpgemmFindDescent<typename Arrays::Ordinal, typename Arrays::Offset>{crs.row_map, crs.entries, mark.data()});
      descends = read_back(exec, "Lacuna::spgemm: order of the mask to the host", mark).front();
    }
    m_sorted.reset();
    if (descends != 0) m_sorted.emplace(sort_rows(exec, m_matrix, {.memory_limit = budget.left()}));
    budget.take("the mask with sorted rows", bytes());
  }

  SpgemmMaskRows<typename Arrays::Ordinal, typename Arrays::Offset> rows() const {
    const Arrays crs = m_sorted ? arrays_of(m_sorted->matrix) : arrays_of(m_matrix);
    return {crs.row_map, crs.entries, m_complemented};
  }
  std::size_t bytes() const {
    if (!m_sorted) return 0;
    const auto& A = m_sorted->matrix;
    return bytes_of(A.graph.row_map, A.graph.entries, A.values, m_sorted->source);
  }

 private:
  Matrix m_matrix;
  std::optional<ReorderedMatrix<Matrix>> m_sorted;
  bool m_complemented = false;
};

}  // namespace lacuna::Impl

#endif
