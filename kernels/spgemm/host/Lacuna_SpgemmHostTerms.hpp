// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTTERMS_HPP
#define LACUNA_SPGEMMHOSTTERMS_HPP

#include <kernels/spgemm/host/Lacuna_SpgemmHostAnalysis.hpp>

#include <cstdint>

/// \file
/// \brief What a row of C = alpha A B + beta D is the sum of, and, of an inode, these sums. Plain host code.

namespace lacuna::Impl {

/// \brief The rows of B and of D that rows of C are sums of, in the order of A.
template <class Operands>
struct SpgemmHostTerms {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  const Operands& operands;
  const SpgemmAddend<Arrays>& addend;

  /// Values of a matrix whose factor is 0 are not read where D is added.
  bool multiplies() const { return !addend.is_given || operands.alpha != Scalar(0); }
  bool adds() const { return addend.is_there() && addend.beta != Scalar(0); }

  /// visit(columns, length) for each row of a matrix whose columns row `row` of C has.
  template <class Visit>
  void for_each_pattern(std::int64_t row, const Visit& visit) const {
    const Arrays& A = operands.A;
    const Arrays& B = operands.B;
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      const Offset begin = B.row_map[A.entries[k]], end = B.row_map[A.entries[k] + 1];
      visit(B.entries + begin, static_cast<std::int64_t>(end - begin));
    }
    const auto begin = addend.begin(row), end = addend.end(row);
    if (begin < end) visit(addend.D.entries + begin, static_cast<std::int64_t>(end - begin));
  }

  /// visit(factor, X, begin, end, counts) for each row of a matrix that row `row` of C is the sum of. Of one that does
  /// not count only the columns stand in C.
  template <class Visit>
  void for_each(std::int64_t row, const Visit& visit) const {
    const Arrays& A    = operands.A;
    const Arrays& B    = operands.B;
    const bool product = multiplies();
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      visit(product ? operands.factor(A.values[k]) : Scalar(0), B, B.row_map[A.entries[k]], B.row_map[A.entries[k] + 1],
            product);
    if (addend.is_there()) visit(addend.beta, addend.D, addend.begin(row), addend.end(row), adds());
  }

  /// Adds `inode_rows` equal rows at once, each in a lane: `sums` has `Lanes` of them for every column, of which
  /// `pattern` has those that the mask allows.
  template <int Lanes, class Pattern>
  void add_inode(std::int64_t row, std::int64_t inode_rows, Scalar* sums, const Pattern& pattern) const {
    const Arrays& A    = operands.A;
    const Offset begin = A.row_map[row], length = A.row_map[row + 1] - begin;
    const Offset end = multiplies() ? begin + length : begin;
    for (Offset k = begin; k < end; ++k) {
      Scalar factors[Lanes];
      for (int l = 0; l < Lanes; ++l)
        factors[l] = operands.factor(A.values[k + (l < inode_rows ? static_cast<Offset>(l) * length : Offset(0))]);
      add_row_of_b<Lanes>(A.entries[k], factors, sums, pattern);
    }
    if (adds()) add_rows_of_d<Lanes>(row, inode_rows, sums, pattern);
  }

 private:
  template <int Lanes, class Pattern>
  void add_row_of_b(Ordinal inner, const Scalar (&factors)[Lanes], Scalar* sums,
                    [[maybe_unused]] const Pattern& pattern) const {
    const Ordinal* const entries = operands.B.entries;
    const Scalar* const values   = operands.B.values;
    const Offset end             = operands.B.row_map[inner + 1];
    for (Offset b = operands.B.row_map[inner]; b < end; ++b) {
      if constexpr (Operands::is_masked)
        if (!pattern.has(static_cast<std::int64_t>(entries[b]) - pattern.base())) continue;
      const Scalar value = values[b];
      Scalar* const to   = sums + static_cast<std::int64_t>(entries[b]) * Lanes;
      for (int l = 0; l < Lanes; ++l) operands.add(to[l], operands.product(factors[l], value));
    }
  }

  /// Rows of D whose columns are those of the first of them.
  template <int Lanes, class Pattern>
  void add_rows_of_d(std::int64_t row, std::int64_t inode_rows, Scalar* sums,
                     [[maybe_unused]] const Pattern& pattern) const {
    const Ordinal* const entries = addend.D.entries;
    const Offset begin = addend.begin(row), end = addend.end(row);
    for (Offset d = begin; d < end; ++d) {
      if constexpr (Operands::is_masked)
        if (!pattern.has(static_cast<std::int64_t>(entries[d]) - pattern.base())) continue;
      Scalar* const to = sums + static_cast<std::int64_t>(entries[d]) * Lanes;
      for (int l = 0; l < Lanes && l < inode_rows; ++l)
        operands.add(to[l], operands.product(addend.beta, addend.D.values[d + static_cast<Offset>(l) * (end - begin)]));
    }
  }
};

}  // namespace lacuna::Impl

#endif
