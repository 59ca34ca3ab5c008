// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPADDPLANSUMS_HPP
#define LACUNA_SPADDPLANSUMS_HPP

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spadd/impl/Lacuna_SpaddMerge.hpp>
#include <kernels/spadd/impl/Lacuna_SpaddSums.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lacuna::Impl {

/// \brief The sums of a plan, which knows the pattern of C. A host merges rows again for each of them and keeps
/// nothing; on a GPU they go by the positions of both terms of each nonzero of C.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpaddPlanSums {
  using Arena = Impl::Arena<typename ExecutionSpace::memory_space>;

 public:
  using Merge    = SpaddMerge<Matrix, ExecutionSpace>;
  using Arrays   = typename Merge::Arrays;
  using Elements = typename Merge::Elements;
  using Scalar   = typename Arrays::Scalar;
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;

  /// Writes the columns of C, and keeps the positions. Does not fence. \throws OutOfMemory.
  void write_columns(const ExecutionSpace& exec, const Merge& merge, Ordinal* entries, MemoryBudget& budget) {
    if constexpr (Merge::merges_rows) {
      merge.for_each(exec, "Lacuna::spadd::columns", WriteColumns<Arrays>{merge.a(), merge.b(), entries});
    } else {
      const std::size_t bytes = Arena::template bytes_for<Ordinal, Ordinal>(merge.nonzeros(), merge.nonzeros());
      budget.take("positions of C", bytes);
      m_memory = Arena("SpaddPlan", exec, "Lacuna::spadd::positions", bytes);
      m_of_a   = m_memory.template take<Ordinal>(merge.nonzeros());
      m_of_b   = m_memory.template take<Ordinal>(merge.nonzeros());
      merge.for_each(exec, "Lacuna::spadd::positions",
                     WritePositions<Arrays>{merge.a(), merge.b(), entries, m_of_a.data(), m_of_b.data()});
    }
  }
  std::size_t bytes() const { return m_memory.bytes(); }

  /// The values of C, whose rows begin at `row_map`. Allocates nothing, does not fence.
  void run(const ExecutionSpace& exec, const Scalar& alpha, const Elements& A, const Scalar& beta, const Elements& B,
           const Offset* row_map, std::int64_t nonzeros, Scalar* values) const {
    with_spadd_terms(A, B, alpha, beta, [&](const auto& terms) {
      using Terms = std::remove_cvref_t<decltype(terms)>;
      if constexpr (Merge::merges_rows) {
        using Sink = WriteValues<Terms>;
        for_each_index(exec, "Lacuna::spadd::sums", A.rows,
                       MergeRowsOfSum<Arrays, Sink>{terms.A, terms.B, row_map, {terms, values}});
      } else {
        for_each_nonzero(exec, "Lacuna::spadd::sums", static_cast<Ordinal>(A.rows), static_cast<Offset>(nonzeros),
                         row_map, SumAtPositions<Terms>{terms, m_of_a.data(), m_of_b.data(), values});
      }
    });
  }

 private:
  Arena m_memory;
  typename Arena::template Array<Ordinal> m_of_a, m_of_b;
};

}  // namespace lacuna::Impl

#endif
