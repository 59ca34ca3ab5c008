// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPADDMERGE_HPP
#define LACUNA_SPADDMERGE_HPP

#include <core/impl/memory/Lacuna_Allocate.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spadd/impl/Lacuna_SpaddOperand.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

/// \file
/// \brief The union of two patterns with ascending rows: first its row map, then its elements.
///
/// On a host one thread merges a row. On a GPU no thread needs a row: element p of A stands in C behind the elements of
/// A in front of it, which are p, and the elements of B in front of it that A does not have. These are counted by one
/// prefix sum over all elements of B, so that a row of any length costs as much as its elements.
///
/// Bound: memory. Columns of A and B are read twice (the row map, the elements), everything else once.
///
/// A sink is called as sink(k, row, p, q) for nonzero k of C, which is the sum of elements p of A and q of B;
/// `no_element` stands for one that is missing. A host says either(k, row, p, takes_p, q, takes_q) where both could be
/// read: which of them count is hard to predict, so that a sink does best without branches.

namespace lacuna::Impl {

inline constexpr std::int64_t no_element = -1;

/// Whether A lacks each element of B. Marks B, too, where a row does not ascend strictly.
template <class Arrays>
struct MarkAloneInSum {
  SpaddElements<Arrays> A, B;
  unsigned char* is_alone;
  FindDisorder<typename Arrays::Ordinal, typename Arrays::Offset> disorder;  ///< of B
  KOKKOS_FUNCTION void operator()(typename Arrays::Ordinal row, typename Arrays::Offset q) const {
    disorder(row, q);
    const auto end = static_cast<std::int64_t>(A.row_map[row + 1]);
    const auto p   = lower_bound(A.entries, static_cast<std::int64_t>(A.row_map[row]), end, B.entries[q]);
    is_alone[q]    = p < end && A.entries[p] == B.entries[q] ? 0 : 1;
  }
};

/// The row map of C from the elements of B that stand alone in front of each row.
template <class Arrays>
struct RowMapOfAlone {
  SpaddElements<Arrays> A, B;
  const typename Arrays::Offset* alone_before;
  typename Arrays::Offset* row_map;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_map[row] = A.row_map[row] + alone_before[B.row_map[row]];
  }
};

/// Nonzeros of C that A has an element of.
template <class Arrays, class Sink>
struct EmitElementsOfA {
  SpaddElements<Arrays> A, B;
  const typename Arrays::Offset* alone_before;
  Sink sink;
  KOKKOS_FUNCTION void operator()(typename Arrays::Ordinal row, typename Arrays::Offset p) const {
    const auto end   = static_cast<std::int64_t>(B.row_map[row + 1]);
    const auto q     = lower_bound(B.entries, static_cast<std::int64_t>(B.row_map[row]), end, A.entries[p]);
    const bool match = q < end && B.entries[q] == A.entries[p];
    sink(static_cast<std::int64_t>(p) + static_cast<std::int64_t>(alone_before[q]), row, static_cast<std::int64_t>(p),
         match ? q : no_element);
  }
};

/// Nonzeros of C that B alone has an element of.
template <class Arrays, class Sink>
struct EmitElementsOfB {
  SpaddElements<Arrays> A, B;
  const typename Arrays::Offset* alone_before;
  Sink sink;
  KOKKOS_FUNCTION void operator()(typename Arrays::Ordinal row, typename Arrays::Offset q) const {
    if (alone_before[q + 1] == alone_before[q]) return;
    const auto p = lower_bound(A.entries, static_cast<std::int64_t>(A.row_map[row]),
                               static_cast<std::int64_t>(A.row_map[row + 1]), B.entries[q]);
    sink(p + static_cast<std::int64_t>(alone_before[q]), row, no_element, static_cast<std::int64_t>(q));
  }
};

/// Merges a row of A and of B, whose row of C begins at row_map[row].
template <class Arrays, class Sink>
struct MergeRowsOfSum {
  SpaddElements<Arrays> A, B;
  const typename Arrays::Offset* row_map;
  Sink sink;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    auto p           = static_cast<std::int64_t>(A.row_map[row]);
    auto q           = static_cast<std::int64_t>(B.row_map[row]);
    const auto end_p = static_cast<std::int64_t>(A.row_map[row + 1]);
    const auto end_q = static_cast<std::int64_t>(B.row_map[row + 1]);
    auto k           = static_cast<std::int64_t>(row_map[row]);
    const auto i     = static_cast<typename Arrays::Ordinal>(row);
    while (p < end_p && q < end_q) {
      const bool takes_p = A.entries[p] <= B.entries[q], takes_q = B.entries[q] <= A.entries[p];
      sink.either(k++, i, p, takes_p, q, takes_q);
      p += takes_p ? 1 : 0;
      q += takes_q ? 1 : 0;
    }
    for (; p < end_p; ++p) sink(k++, i, p, no_element);
    for (; q < end_q; ++q) sink(k++, i, no_element, q);
  }
};

/// The number of columns that row i of A or of B has. Marks a matrix whose rows do not ascend strictly; counts are then
/// not to be used.
template <class Arrays>
struct CountRowOfSum {
  SpaddElements<Arrays> A, B;
  typename Arrays::Offset* counts;
  int* is_disordered;  ///< of A, of B

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (!ascends(A, row)) relaxed_store(is_disordered, 1);
    if (!ascends(B, row)) relaxed_store(is_disordered + 1, 1);
    auto p             = static_cast<std::int64_t>(A.row_map[row]);
    auto q             = static_cast<std::int64_t>(B.row_map[row]);
    const auto end_p   = static_cast<std::int64_t>(A.row_map[row + 1]);
    const auto end_q   = static_cast<std::int64_t>(B.row_map[row + 1]);
    std::int64_t count = 0;
    for (; p < end_p && q < end_q; ++count) {
      const auto a = A.entries[p], b = B.entries[q];
      p += a <= b ? 1 : 0;
      q += b <= a ? 1 : 0;
    }
    counts[row] = static_cast<typename Arrays::Offset>(count + (end_p - p) + (end_q - q));
  }
  KOKKOS_FUNCTION static bool ascends(const SpaddElements<Arrays>& X, std::int64_t row) {
    int descents   = 0;
    const auto end = static_cast<std::int64_t>(X.row_map[row + 1]);
    for (auto k = static_cast<std::int64_t>(X.row_map[row]) + 1; k < end; ++k)
      descents |= X.entries[k - 1] < X.entries[k] ? 0 : 1;
    return descents == 0;
  }
};

/// \throws DimensionMismatch where A and B have other extents.
template <class Matrix>
void check_spadd(const char* function, const Matrix& A, const Matrix& B) {
  if (A.numRows() != B.numRows() || A.numCols() != B.numCols())
    raise<DimensionMismatch>(function, "A is ", shape_text(A.numRows(), A.numCols()), ", B is ",
                             shape_text(B.numRows(), B.numCols()));
}

/// \brief The row map of A + B, and then its elements.
/// \tparam by_rows as on a host; tests ask for the other way
template <CrsMatrixType Matrix, class ExecutionSpace, bool by_rows = !ExecutionTraits<ExecutionSpace>::is_gpu>
class SpaddMerge {
  using Arena = Impl::Arena<typename ExecutionSpace::memory_space>;

 public:
  using Arrays   = CrsArraysOf<Matrix>;
  using Elements = SpaddElements<Arrays>;
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;
  using Crs      = OwningCrs<Matrix>;
  using RowMap   = typename Crs::row_map_type::non_const_type;

  static constexpr bool merges_rows = by_rows;

  /// Fills `kept_of_a` and `kept_of_b`, which must outlive this. Waits for `exec`.
  /// \throws OutOfMemory, and NotSupported where the sum has more nonzeros than the offset type.
  SpaddMerge(const ExecutionSpace& exec, const Matrix& A, SpaddOperand<Matrix>& kept_of_a, const Matrix& B,
             SpaddOperand<Matrix>& kept_of_b, MemoryBudget& budget) {
    const std::size_t row_map = static_cast<std::size_t>(A.numRows() + 1) * sizeof(Offset);
    budget.take("the row map of C", row_map);
    m_row_map =
        allocate_result<RowMap>("spadd", exec, "Lacuna::spadd::row_map", static_cast<std::int64_t>(A.numRows()) + 1);
    if (A.numRows() == 0) {
      Kokkos::deep_copy(exec, m_row_map, Offset(0));
      return;
    }
    const auto order = [&](bool of_a, bool of_b) {
      if (of_a) kept_of_a.order(exec, A, budget);
      if (of_b) kept_of_b.order(exec, B, budget);
      m_a = kept_of_a.elements(A);
      m_b = kept_of_b.elements(B);
    };
    order(false, false);
    const auto [a, b] = count(exec, budget);
    order(a, b);
    if (a || b) count(exec, budget);
    write_row_map(exec);
  }

  const Elements& a() const { return m_a; }
  const Elements& b() const { return m_b; }
  const RowMap& row_map() const { return m_row_map; }
  std::int64_t nonzeros() const { return m_nonzeros; }

  /// sink(k, row, p, q) for every nonzero of C. Does not fence.
  template <class Sink>
  void for_each(const ExecutionSpace& exec, const std::string& label, const Sink& sink) const {
    if (m_nonzeros == 0) return;
    if constexpr (by_rows) {
      for_each_index(exec, label, m_a.rows, MergeRowsOfSum<Arrays, Sink>{m_a, m_b, m_row_map.data(), sink});
    } else {
      const auto* const alone = m_counts.data();
      const auto rows         = static_cast<Ordinal>(m_a.rows);
      for_each_nonzero(exec, label, rows, static_cast<Offset>(m_a.count), m_a.row_map,
                       EmitElementsOfA<Arrays, Sink>{m_a, m_b, alone, sink});
      for_each_nonzero(exec, label, rows, static_cast<Offset>(m_b.count), m_b.row_map,
                       EmitElementsOfB<Arrays, Sink>{m_a, m_b, alone, sink});
    }
  }

 private:
  /// Counts as if all rows ascended strictly. Waits for `exec`. Whether those of A, and of B, do not: nothing of what
  /// was counted holds then. \throws OutOfMemory.
  std::pair<bool, bool> count(const ExecutionSpace& exec, MemoryBudget& budget) {
    budget.give_back(m_memory.bytes());
    m_memory                 = {};
    const std::int64_t marks = by_rows ? 0 : m_b.count;
    const std::size_t bytes  = Arena::template bytes_for<int, Offset, unsigned char>(2, counts(), marks);
    budget.take("what is counted of C", bytes);
    m_memory              = Arena("spadd", exec, "Lacuna::spadd::counts", bytes);
    const auto disordered = m_memory.template take<int>(2);
    m_counts              = m_memory.template take<Offset>(counts());
    Kokkos::deep_copy(exec, disordered, 0);
    if constexpr (by_rows)
      for_each_index(exec, "Lacuna::spadd::lengths", m_a.rows,
                     CountRowOfSum<Arrays>{m_a, m_b, m_counts.data(), disordered.data()});
    else
      count_elements(exec, m_memory.template take<unsigned char>(marks).data(), disordered.data());
    const auto found = read_back(exec, "Lacuna: rows are sorted or not", disordered);
    return {found[0] != 0, found[1] != 0};
  }
  std::int64_t counts() const { return by_rows ? m_a.rows : m_b.count + 1; }

  void count_elements(const ExecutionSpace& exec, unsigned char* marks, int* disordered) {
    using Disorder  = FindDisorder<Ordinal, Offset>;
    const auto rows = static_cast<Ordinal>(m_a.rows);
    for_each_nonzero(exec, "Lacuna::spadd::disorder", rows, static_cast<Offset>(m_a.count), m_a.row_map,
                     Disorder{m_a.row_map, m_a.entries, disordered});
    for_each_nonzero(exec, "Lacuna::spadd::alone", rows, static_cast<Offset>(m_b.count), m_b.row_map,
                     MarkAloneInSum<Arrays>{m_a, m_b, marks, {m_b.row_map, m_b.entries, disordered + 1}});
    m_nonzeros = m_a.count + scan_lengths(exec, "Lacuna::spadd::alone_before", m_b.count, m_counts.data(),
                                          StoredLength<unsigned char>{marks});
  }

  void write_row_map(const ExecutionSpace& exec) {
    if constexpr (by_rows) {
      m_nonzeros = scan_lengths(exec, "Lacuna::spadd::row_map", m_a.rows, m_row_map.data(),
                                StoredLength<Offset>{m_counts.data()});
    } else {
      if (static_cast<std::uint64_t>(m_nonzeros) > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
        raise<NotSupported>("spadd", m_nonzeros, " nonzeros do not fit the offset type of ", 8 * sizeof(Offset),
                            " bits");
      for_each_index(exec, "Lacuna::spadd::row_map", m_a.rows + 1,
                     RowMapOfAlone<Arrays>{m_a, m_b, m_counts.data(), m_row_map.data()});
    }
  }

  Elements m_a, m_b;
  RowMap m_row_map;
  Arena m_memory;
  typename Arena::template Array<Offset> m_counts;  // lengths of rows of C; not by rows: what stands alone before
  std::int64_t m_nonzeros = 0;
};

}  // namespace lacuna::Impl

#endif
