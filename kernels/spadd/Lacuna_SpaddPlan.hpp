// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPADDPLAN_HPP
#define LACUNA_SPADDPLAN_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_SpaddOptions.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/choice/Lacuna_SetupClock.hpp>
#include <core/impl/memory/Lacuna_HugePages.hpp>
#include <core/impl/memory/Lacuna_SharedBytes.hpp>
#include <kernels/plan/Lacuna_OperandExtents.hpp>
#include <kernels/spadd/impl/Lacuna_SpaddPlanSums.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace lacuna {

/// \brief What is known of C = alpha A + beta B before values are looked at: row map and columns of C, and on GPUs for
/// each of its nonzeros the positions in A and B.
///
/// Made on `exec`, which its constructor waits for; sums do not wait. Move-only; it holds no execution space and no
/// values: A and B are given to every sum, with the patterns that they had when the plan was made. Extents and numbers
/// of nonzeros are compared, columns where `SpaddOptions::check_pattern` says so. A sum reads the plan and writes C
/// alone: one plan serves several instances at once.
///
/// Rows of A and B may be in any order and have elements that are stored several times, which count as their sum. Rows
/// of C ascend strictly. An element of A or of B that is 0 has a nonzero in C, too. The plan keeps the row map and the
/// columns of C, which all matrices that it allocates share; on GPUs two indices for each nonzero of C; where rows of A
/// or B do not ascend strictly, also an order of its nonzeros.
///
/// \tparam Matrix a `KokkosSparse::CrsMatrix`, the type of A and B
/// \tparam ExecutionSpace where sums run; the default is that of `Matrix`
template <Impl::CrsMatrixType Matrix, class ExecutionSpace = typename Matrix::execution_space>
class SpaddPlan {
  using Sums    = Impl::SpaddPlanSums<Matrix, ExecutionSpace>;
  using Ordinal = typename Sums::Ordinal;
  using Offset  = typename Sums::Offset;
  using Scalar  = typename Sums::Scalar;

 public:
  using matrix_type     = Matrix;
  using execution_space = ExecutionSpace;
  using result_type     = CrsOf<Matrix>;  ///< of C

  /// \throws DimensionMismatch, OutOfMemory; NotSupported where C has more nonzeros than the offset type can count.
  SpaddPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B, const SpaddOptions& options = {});
  /// \brief The same on the default instance, fenced before and after.
  SpaddPlan(const Matrix& A, const Matrix& B, const SpaddOptions& options = {})
      : SpaddPlan(Impl::fenced_default_instance<ExecutionSpace>("Lacuna::SpaddPlan: before"), A, B, options) {}
  SpaddPlan(SpaddPlan&&)            = default;
  SpaddPlan& operator=(SpaddPlan&&) = default;

  /// Of C.
  std::int64_t rows() const { return static_cast<std::int64_t>(m_rows); }
  std::int64_t columns() const { return static_cast<std::int64_t>(m_columns); }
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(m_entries.extent(0)); }
  /// Bytes that the plan keeps, row map and columns of C among them.
  std::size_t persistent_bytes() const {
    return Impl::bytes_of(m_row_map, m_entries) + m_sums.bytes() + m_a.bytes() + m_b.bytes();
  }
  /// Seconds that the constructor took.
  double setup_seconds() const { return m_clock.seconds(); }
  /// \brief Extents, nonzeros, whether rows were sorted, bytes, set-up.
  std::string report() const;

  /// \brief A matrix that `spadd` can write C to. Row map and columns are those of the plan, and must not be written;
  /// values are not initialised. Does not fence. \throws OutOfMemory.
  result_type allocate(const ExecutionSpace& exec) const {
    const auto values = Impl::allocate_result<Values>("SpaddPlan::allocate", exec, "Lacuna::spadd::values", nonzeros());
    Impl::advise_huge_pages(values);
    return result_type("C", m_rows, m_columns, static_cast<Offset>(nonzeros()), values, m_row_map, m_entries);
  }
  /// \brief The same on the default instance, fenced before and after.
  result_type allocate() const {
    return Impl::with_default_instance<ExecutionSpace>("SpaddPlan::allocate",
                                                       [&](const ExecutionSpace& exec) { return allocate(exec); });
  }

  /// \brief C = alpha A + beta B; `spadd` is the way to call it.
  void apply(const ExecutionSpace& exec, const Scalar& alpha, const Matrix& A, const Scalar& beta, const Matrix& B,
             const result_type& C) const;

 private:
  using RowMap  = typename result_type::row_map_type::non_const_type;
  using Entries = typename result_type::index_type::non_const_type;
  using Values  = typename result_type::values_type::non_const_type;

  void check_result(const Matrix& A, const Matrix& B, const result_type& C) const;

  Impl::SetupClock m_clock;
  Ordinal m_rows, m_columns;
  Impl::OperandExtents m_given_a, m_given_b;
  Impl::SpaddOperand<Matrix> m_a, m_b;
  RowMap m_row_map;
  Entries m_entries;
  Sums m_sums;
};

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
SpaddPlan<Matrix, ExecutionSpace>::SpaddPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B,
                                             const SpaddOptions& options)
    : m_rows(A.numRows()), m_columns(A.numCols()), m_given_a(A), m_given_b(B) {
  constexpr auto where = "SpaddPlan";
  Impl::in_region(where, [&] {
    Impl::check_spadd(where, A, B);
    Impl::MemoryBudget budget(where, options.memory_limit);
    const Impl::SpaddMerge<Matrix, ExecutionSpace> merge(exec, A, m_a, B, m_b, budget);
    m_row_map = merge.row_map();
    m_entries = Impl::allocate_result<Entries>(where, exec, "Lacuna::spadd::entries", merge.nonzeros());
    Impl::advise_huge_pages(m_entries);
    m_sums.write_columns(exec, merge, m_entries.data(), budget);
    if (Impl::checks_patterns(options.check_pattern)) {
      m_given_a.pattern.remember(exec, Impl::arrays_of(A));
      m_given_b.pattern.remember(exec, Impl::arrays_of(B));
    }
    m_clock.stop(exec, "Lacuna: set-up of a plan done");
  });
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpaddPlan<Matrix, ExecutionSpace>::check_result(const Matrix& A, const Matrix& B, const result_type& C) const {
  if (C.graph.row_map.data() != m_row_map.data() || C.graph.entries.data() != m_entries.data() ||
      static_cast<std::int64_t>(C.values.extent(0)) != nonzeros())
    Impl::raise<InvalidArgument>("spadd", "C, ", Impl::shape_text(C.numRows(), C.numCols()), " with ",
                                 C.values.extent(0), " nonzeros, was not allocated by this plan, whose sum is ",
                                 Impl::shape_text(rows(), columns()), " with ", nonzeros());
  if (Impl::share_bytes(C.values, A.values) || Impl::share_bytes(C.values, B.values))
    Impl::raise<InvalidArgument>("spadd", "the values of C, ", Impl::shape_text(rows(), columns()), " with ",
                                 nonzeros(), " nonzeros, share memory with those of A or B");
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpaddPlan<Matrix, ExecutionSpace>::apply(const ExecutionSpace& exec, const Scalar& alpha, const Matrix& A,
                                              const Scalar& beta, const Matrix& B, const result_type& C) const {
  Impl::in_region("spadd", [&] {
    m_given_a.check("spadd", "A", exec, A);
    m_given_b.check("spadd", "B", exec, B);
    check_result(A, B, C);
    m_sums.run(exec, alpha, m_a.elements(A), beta, m_b.elements(B), m_row_map.data(), nonzeros(), C.values.data());
  });
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::string SpaddPlan<Matrix, ExecutionSpace>::report() const {
  const auto rows_text = [](const auto& operand) {
    return operand.is_reordered() ? " (sorted, duplicates added)" : "";
  };
  return "lacuna::SpaddPlan of a " + Impl::shape_text(rows(), columns()) + " sum with " + std::to_string(nonzeros()) +
         " nonzeros, of A with " + std::to_string(m_given_a.nonzeros) + rows_text(m_a) + " and B with " +
         std::to_string(m_given_b.nonzeros) + rows_text(m_b) + "\n  storage     " +
         Impl::bytes_text(static_cast<double>(persistent_bytes())) + " beside A, B and the values of C\n" +
         Impl::set_up_text(setup_seconds(), 0);
}

}  // namespace lacuna

#endif
