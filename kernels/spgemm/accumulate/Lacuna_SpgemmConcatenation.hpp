// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMCONCATENATION_HPP
#define LACUNA_SPGEMMCONCATENATION_HPP

#include <Lacuna_Error.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief alpha A B + beta D as one product: [alpha A, beta I] times [B; D]. So every algorithm of SpGEMM adds D in the
/// same pass, whatever its pattern.

namespace lacuna::Impl {

/// The row map and the columns of [A, I]. Row i begins i nonzeros later than in A, and ends with column `inner` + i.
template <class Arrays>
struct ConcatenateRight {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  Arrays A;
  Offset* row_map;
  Ordinal* entries;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_map[row] = A.row_map[row] + static_cast<Offset>(row);
    if (row > 0) entries[row_map[row] - 1] = A.columns + static_cast<Ordinal>(row - 1);
  }
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const { entries[k + static_cast<Offset>(row)] = A.entries[k]; }
};

/// The values of [alpha A, beta I].
template <class Arrays>
struct ScaleConcatenated {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  Arrays A;
  Scalar alpha, beta;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    values[A.row_map[row + 1] + static_cast<Offset>(row)] = beta;
  }
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    values[k + static_cast<Offset>(row)] = alpha * A.values[k];
  }
};

/// Element i of an array of [B; D].
template <class T>
struct ConcatenateBelow {
  const T* upper;
  const T* lower;
  std::int64_t upper_count;
  T shift;  ///< added to the elements of the lower array
  bool skips_upper, skips_lower;
  T* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (i < upper_count)
      to[i] = skips_upper ? T(0) : upper[i];
    else
      to[i] = skips_lower ? T(0) : lower[i - upper_count] + shift;
  }
};

template <class Arrays, class Space>
class SpgemmConcatenation {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Arena   = Impl::Arena<Space>;

 public:
  /// Makes the patterns; `fill` makes the values. \throws NotSupported where indices do not suffice, OutOfMemory.
  template <class ExecutionSpace>
  void make(const ExecutionSpace& exec, const Arrays& A, const Arrays& B, const Arrays& D, MemoryBudget& budget) {
    const auto rows = static_cast<std::int64_t>(A.rows), inner = static_cast<std::int64_t>(B.rows);
    const auto left = static_cast<std::int64_t>(A.nonzeros) + rows;
    const auto both = static_cast<std::int64_t>(B.nonzeros) + static_cast<std::int64_t>(D.nonzeros);
    if (inner + rows > static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()) ||
        static_cast<std::uint64_t>(left > both ? left : both) >
            static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
      raise<NotSupported>("SpgemmPlan", "alpha A B + beta D needs indices for ", inner + rows, " inner columns and ",
                          left > both ? left : both, " nonzeros: use wider ordinals or offsets");
    const std::size_t n = Arena::template bytes_for<Offset, Offset, Ordinal, Ordinal, Scalar, Scalar>(
        rows + 1, inner + rows + 1, left, both, left, both);
    budget.take("[A, I] and [B; D]", n);
    m_arena            = Arena("SpgemmPlan", exec, "Lacuna::spgemm::concatenated", n);
    m_a                = {A.rows, static_cast<Ordinal>(inner + rows), static_cast<Offset>(left)};
    m_b                = {static_cast<Ordinal>(inner + rows), B.columns, static_cast<Offset>(both)};
    const auto map_a   = m_arena.template take<Offset>(rows + 1);
    const auto map_b   = m_arena.template take<Offset>(inner + rows + 1);
    const auto columns = m_arena.template take<Ordinal>(left);
    const auto below   = m_arena.template take<Ordinal>(both);
    m_values_a         = m_arena.template take<Scalar>(left).data();
    m_values_b         = m_arena.template take<Scalar>(both).data();
    m_a.row_map = map_a.data(), m_a.entries = columns.data(), m_a.values = m_values_a;
    m_b.row_map = map_b.data(), m_b.entries = below.data(), m_b.values = m_values_b;

    if (rows > 0) {
      const ConcatenateRight<Arrays> right{A, map_a.data(), columns.data()};
      for_each_index(exec, "Lacuna::spgemm::concatenate", rows + 1, right);
      for_each_nonzero(exec, "Lacuna::spgemm::concatenate", A.rows, A.nonzeros, A.row_map, right);
    } else {
      Kokkos::deep_copy(exec, map_a, Offset(0));
    }
    // A matrix without rows may come without a row map.
    const bool has_b = inner > 0, has_d = rows > 0;
    for_each_index(exec, "Lacuna::spgemm::concatenate", inner + rows + 1,
                   ConcatenateBelow<Offset>{B.row_map, D.row_map, inner, static_cast<Offset>(B.nonzeros), !has_b,
                                            !has_d, map_b.data()});
    for_each_index(exec, "Lacuna::spgemm::concatenate", both,
                   ConcatenateBelow<Ordinal>{B.entries, D.entries, static_cast<std::int64_t>(B.nonzeros), 0, false,
                                             false, below.data()});
  }

  /// Writes the values of [alpha A, beta I] and [B; D]. Values of a matrix whose factor is 0 are not read. Does not
  /// fence.
  template <class ExecutionSpace>
  void fill(const ExecutionSpace& exec, const Scalar& alpha, const Arrays& A, const Arrays& B, const Scalar& beta,
            const Arrays& D) const {
    const ScaleConcatenated<Arrays> scale{A, alpha, beta, m_values_a};
    for_each_index(exec, "Lacuna::spgemm::concatenate_values", static_cast<std::int64_t>(A.rows), scale);
    if (alpha == Scalar(0))
      for_each_index(exec, "Lacuna::spgemm::concatenate_values", static_cast<std::int64_t>(m_a.nonzeros),
                     ClearAllBut{m_a.entries, B.rows, m_values_a});
    else
      for_each_nonzero(exec, "Lacuna::spgemm::concatenate_values", A.rows, A.nonzeros, A.row_map, scale);
    for_each_index(exec, "Lacuna::spgemm::concatenate_values", static_cast<std::int64_t>(m_b.nonzeros),
                   ConcatenateBelow<Scalar>{B.values, D.values, static_cast<std::int64_t>(B.nonzeros), Scalar(0),
                                            alpha == Scalar(0), beta == Scalar(0), m_values_b});
  }

  const Arrays& a() const { return m_a; }
  const Arrays& b() const { return m_b; }
  std::size_t bytes() const { return m_arena.bytes(); }

  /// Sets the values of A in [A, I] to 0.
  struct ClearAllBut {
    const Ordinal* entries;
    Ordinal inner;
    Scalar* values;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const {
      if (entries[i] < inner) values[i] = Scalar(0);
    }
  };

 private:
  Arena m_arena;
  Arrays m_a, m_b;
  Scalar* m_values_a = nullptr;
  Scalar* m_values_b = nullptr;
};

}  // namespace lacuna::Impl

#endif
