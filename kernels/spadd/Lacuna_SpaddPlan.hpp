// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPADDPLAN_HPP
#define LACUNA_SPADDPLAN_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_Options.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/choice/Lacuna_SetupClock.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_HugePages.hpp>
#include <core/impl/memory/Lacuna_SharedBytes.hpp>
#include <kernels/plan/Lacuna_PatternDigest.hpp>
#include <kernels/spadd/impl/Lacuna_SpaddSums.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>

namespace lacuna {

/// \brief The options of `spadd` and of a `SpaddPlan`. Use designated initialisers.
struct SpaddOptions {
  /// Bytes that may be allocated, without the columns and values of C. \throws OutOfMemory before they are exceeded.
  std::size_t memory_limit   = unlimited;
  PatternCheck check_pattern = PatternCheck::automatic;  ///< whether sums compare the patterns of A and B
};

namespace Impl {

/// \throws DimensionMismatch where A and B have other extents.
template <class Matrix>
void check_spadd(const char* function, const Matrix& A, const Matrix& B) {
  if (A.numRows() != B.numRows() || A.numCols() != B.numCols())
    raise<DimensionMismatch>(function, "A is ", shape_text(A.numRows(), A.numCols()), ", B is ",
                             shape_text(B.numRows(), B.numCols()));
}

}  // namespace Impl

/// \brief What is known of C = alpha A + beta B before values are looked at: row map and columns of C, and on GPUs for
/// each of its nonzeros the places in A and B.
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
  using Arrays  = Impl::CrsArraysOf<Matrix>;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Scalar  = typename Arrays::Scalar;

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
    return Impl::bytes_of(m_row_map, m_entries) + m_places.bytes() + m_a.operand.bytes() + m_b.operand.bytes();
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
  using Arena   = Impl::Arena<typename ExecutionSpace::memory_space>;

  static constexpr bool by_rows = Impl::SpaddMerge<Matrix, ExecutionSpace>::merges_rows;

  /// What the plan knows of A or of B.
  struct Given {
    Impl::SpaddOperand<Matrix> operand;
    std::int64_t nonzeros = 0;
    Impl::PatternDigest pattern;
  };

  void check(const ExecutionSpace& exec, const char* what, const Given& given, const Matrix& X) const;
  void check_result(const Matrix& A, const Matrix& B, const result_type& C) const;

  Impl::SetupClock m_clock;
  Ordinal m_rows, m_columns;
  Given m_a, m_b;
  RowMap m_row_map;
  Entries m_entries;
  // Places in A and B, unless rows are merged again.
  Arena m_places;
  typename Arena::template Array<Ordinal> m_of_a, m_of_b;
};

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
SpaddPlan<Matrix, ExecutionSpace>::SpaddPlan(const ExecutionSpace& exec, const Matrix& A, const Matrix& B,
                                             const SpaddOptions& options) try
    : m_rows(A.numRows()), m_columns(A.numCols()) {
  const Impl::Region region([] { return std::string("Lacuna::SpaddPlan"); });
  constexpr auto where = "SpaddPlan";
  Impl::check_spadd(where, A, B);
  Impl::MemoryBudget budget(where, options.memory_limit);
  m_a.nonzeros = static_cast<std::int64_t>(A.graph.entries.extent(0));
  m_b.nonzeros = static_cast<std::int64_t>(B.graph.entries.extent(0));
  const Impl::SpaddMerge<Matrix, ExecutionSpace> merge(exec, A, m_a.operand, B, m_b.operand, budget);
  m_row_map = merge.row_map();
  m_entries = Impl::allocate_result<Entries>(where, exec, "Lacuna::spadd::entries", merge.nonzeros());
  Impl::advise_huge_pages(m_entries);
  if constexpr (by_rows) {
    merge.for_each(exec, "Lacuna::spadd::columns", Impl::WriteColumns<Arrays>{merge.a(), merge.b(), m_entries.data()});
  } else {
    const std::size_t bytes = Arena::template bytes_for<Ordinal, Ordinal>(merge.nonzeros(), merge.nonzeros());
    budget.take("places of C", bytes);
    m_places = Arena(where, exec, "Lacuna::spadd::places", bytes);
    m_of_a   = m_places.template take<Ordinal>(merge.nonzeros());
    m_of_b   = m_places.template take<Ordinal>(merge.nonzeros());
    merge.for_each(exec, "Lacuna::spadd::places",
                   Impl::WritePlaces<Arrays>{merge.a(), merge.b(), m_entries.data(), m_of_a.data(), m_of_b.data()});
  }
  if (Impl::checks_patterns(options.check_pattern)) {
    m_a.pattern.remember(exec, Impl::arrays_of(A));
    m_b.pattern.remember(exec, Impl::arrays_of(B));
  }
  m_clock.stop(exec, "Lacuna: set-up of a plan done");
} catch (const std::bad_alloc&) {
  Impl::raise_no_host_memory("SpaddPlan");
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpaddPlan<Matrix, ExecutionSpace>::check(const ExecutionSpace& exec, const char* what, const Given& given,
                                              const Matrix& X) const {
  if (static_cast<std::int64_t>(X.numRows()) != rows() || static_cast<std::int64_t>(X.numCols()) != columns())
    Impl::raise<DimensionMismatch>("spadd", what, " is ", Impl::shape_text(X.numRows(), X.numCols()),
                                   ", the plan was made for ", Impl::shape_text(rows(), columns()));
  const auto nonzeros = static_cast<std::int64_t>(X.graph.entries.extent(0));
  if (nonzeros != given.nonzeros || static_cast<std::int64_t>(X.values.extent(0)) != nonzeros)
    Impl::raise<InvalidArgument>("spadd", what, " has ", nonzeros, " nonzeros and ", X.values.extent(0),
                                 " values, the plan was made for ", given.nonzeros);
  given.pattern.check("spadd", what, exec, Impl::arrays_of(X));
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
                                              const Scalar& beta, const Matrix& B, const result_type& C) const try {
  check(exec, "A", m_a, A);
  check(exec, "B", m_b, B);
  check_result(A, B, C);
  const Impl::Region region([] { return std::string("Lacuna::spadd"); });
  Impl::with_spadd_terms(m_a.operand.elements(A), m_b.operand.elements(B), alpha, beta, [&](const auto& terms) {
    using Terms = std::remove_cvref_t<decltype(terms)>;
    if constexpr (by_rows) {
      using Sink = Impl::WriteValues<Terms>;
      Impl::for_each_index(
          exec, "Lacuna::spadd::sums", rows(),
          Impl::MergeRowsOfSum<Arrays, Sink>{terms.A, terms.B, m_row_map.data(), {terms, C.values.data()}});
    } else {
      Impl::for_each_nonzero(exec, "Lacuna::spadd::sums", m_rows, static_cast<Offset>(nonzeros()), m_row_map.data(),
                             Impl::SumAtPlaces<Terms>{terms, m_of_a.data(), m_of_b.data(), C.values.data()});
    }
  });
} catch (const std::bad_alloc&) {
  Impl::raise_no_host_memory("spadd");
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::string SpaddPlan<Matrix, ExecutionSpace>::report() const {
  const auto rows_text = [](const Given& given) {
    return given.operand.is_reordered() ? " (sorted, duplicates added)" : "";
  };
  return "lacuna::SpaddPlan of a " + Impl::shape_text(rows(), columns()) + " sum with " + std::to_string(nonzeros()) +
         " nonzeros, of A with " + std::to_string(m_a.nonzeros) + rows_text(m_a) + " and B with " +
         std::to_string(m_b.nonzeros) + rows_text(m_b) + "\n  storage     " +
         Impl::bytes_text(static_cast<double>(persistent_bytes())) + " beside A, B and the values of C\n" +
         Impl::set_up_text(setup_seconds(), 0);
}

}  // namespace lacuna

#endif
