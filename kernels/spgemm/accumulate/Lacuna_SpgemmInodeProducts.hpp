// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMINODEPRODUCTS_HPP
#define LACUNA_SPGEMMINODEPRODUCTS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

/// \file
/// \brief The products of an inode of A with one column of an inode of B, in registers.

namespace lacuna::Impl {

/// \brief Products of `InodeRows` equal rows of A with equal consecutive rows of B (`Fuses`), or with one row of B.
template <class Operands, int InodeRows, bool Fuses>
struct SpgemmInodeProducts {
  using Scalar  = typename Operands::Arrays::Scalar;
  using Ordinal = typename Operands::Arrays::Ordinal;
  using Offset  = typename Operands::Arrays::Offset;

  static constexpr int deep = Fuses ? 3 : 1;  ///< rows of B that a lane loads at once; not tuned

  /// What a row of B is multiplied by: a nonzero of each row of the inode of A.
  struct Factor {
    Scalar of[InodeRows];
  };
  /// Elements of rows of an inode of B, in one column.
  struct Item {
    Ordinal column;
    Scalar values[deep];
  };

  const Operands& operands;

  /// Elements at `at` of rows `row` … of an inode. Behind its last row the first one is read again.
  template <class Team, class Inode>
  KOKKOS_FORCEINLINE_FUNCTION void load_values(const Inode& inode, Offset at, int row, Scalar (&values)[deep]) const {
    const Scalar* const from = operands.B.values + at;
    LACUNA_UNROLL
    for (int i = 0; i < deep; ++i)
      values[i] = Team::lanes::load_cached(
          from + (row + i < inode.rows ? static_cast<Offset>(row + i) * inode.length : Offset(0)));
  }

  /// Products of a column of an inode, added up.
  template <class Team, class Step>
  KOKKOS_FORCEINLINE_FUNCTION void total_of(const Step& step, const Factor* factors, Scalar (&total)[InodeRows]) const {
    multiply(total, factors, step.inode.rows, step.item.values, true);
    if constexpr (Fuses) {
      for (int row = deep; row < step.inode.rows; row += deep) {
        Scalar values[deep];
        load_values<Team>(step.inode, step.inode.from + step.p, row, values);
        multiply(total, factors + row, step.inode.rows - row, values, false);
      }
    }
  }

  /// Adds a total to the sum of each row of the inode of A; these are `length` sums apart. `is_shared`: other lanes add
  /// to the same sums.
  KOKKOS_FORCEINLINE_FUNCTION void add_to(Scalar* sum, Offset length, int inode_rows, bool is_shared,
                                          Scalar (&total)[InodeRows]) const {
    if (is_shared) {
      LACUNA_UNROLL
      for (int r = 0; r < InodeRows; ++r)
        if (r == 0 || r < inode_rows) operands.add_shared(sum + static_cast<Offset>(r) * length, total[r]);
      return;
    }
    // All sums are read before the first is written: a compiler cannot know that they are different ones.
    LACUNA_UNROLL
    for (int r = 0; r < InodeRows; ++r)
      if (r == 0 || r < inode_rows) operands.add(total[r], sum[static_cast<Offset>(r) * length]);
    LACUNA_UNROLL
    for (int r = 0; r < InodeRows; ++r)
      if (r == 0 || r < inode_rows) sum[static_cast<Offset>(r) * length] = total[r];
  }

 private:
  /// total (+)= factors times up to `deep` elements.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Scalar (&total)[InodeRows], const Factor* factors, int rows,
                                            const Scalar (&values)[deep], bool is_first) const {
    LACUNA_UNROLL
    for (int i = 0; i < deep; ++i) {
      if (i > 0 && i >= rows) continue;
      const Factor factor = factors[i];
      LACUNA_UNROLL
      for (int r = 0; r < InodeRows; ++r) {
        const Scalar product = operands.product(factor.of[r], values[i]);
        if (i == 0 && is_first)
          total[r] = product;
        else
          operands.add(total[r], product);
      }
    }
  }
};

}  // namespace lacuna::Impl

#endif
