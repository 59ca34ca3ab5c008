// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALROWSKERNEL_HPP
#define LACUNA_DIAGONALROWSKERNEL_HPP

#include <kernels/diagonal/block/Lacuna_DiagonalBlockPolicy.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalBlockProduct.hpp>
#include <kernels/diagonal/shared/Lacuna_TeamRanks.hpp>

#include <backends/Lacuna_Launch.hpp>

/// \file
/// \brief Diagonals times vectors, and blocks whose columns are contiguous: neighbouring lanes have neighbouring rows,
/// so that a diagonal, B and C are read and written along their columns, whatever the offset. A thread keeps the sums
/// of its elements in registers, by ascending offset: the same bits on every run.

namespace lacuna::Impl {

template <class ProductType, int Rows, int Columns>
struct DiagonalRowsKernel {
  using Product = ProductType;
  using Scalar  = typename Product::Scalar;

  Product product;
  std::int64_t column_tiles;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int threads           = team.threads();
    const auto& A               = product.A;
    const auto& B               = product.arguments.B;
    const std::int64_t top      = team.league_rank() / column_tiles * threads * Rows;
    const std::int64_t left     = team.league_rank() % column_tiles * Columns;
    const std::int64_t most     = top + static_cast<std::int64_t>(threads) * Rows;
    const std::int64_t end      = most < A.X.rows ? most : A.X.rows;
    SignedDiagonal* const those = team.template scratch<SignedDiagonal>(static_cast<std::size_t>(threads));
    int* const counts           = team.template scratch<int>(static_cast<std::size_t>(team.warps()));
    Scalar sums[Rows][Columns];
    LACUNA_UNROLL
    for (int s = 0; s < Rows; ++s) {
      LACUNA_UNROLL
      for (int c = 0; c < Columns; ++c) sums[s][c] = Scalar(0);
    }
    for (std::int64_t first = 0; first < A.count(); first += threads) {
      const std::int64_t position = first + team.thread();
      SignedDiagonal own{0, 0};
      if (position < A.count()) own = A(position);
      const bool meets      = position < A.count() && product.meets(own.offset, top, end);
      const TeamRanks ranks = team_ranks(team, meets, counts);
      if (meets) those[ranks.own] = own;
      team.barrier();
      for (int k = 0; k < ranks.total; ++k) {
        const SignedDiagonal now = those[k];
        LACUNA_UNROLL
        for (int s = 0; s < Rows; ++s) {
          const std::int64_t row    = top + team.thread() + static_cast<std::int64_t>(s) * threads;
          const std::int64_t column = row + now.offset;
          if (row >= end || column < 0 || column >= A.X.columns) continue;
          const Scalar a = taken(A.X.list[now.base + row], A.X.conjugated);
          LACUNA_UNROLL
          for (int c = 0; c < Columns; ++c)
            if (Columns == 1 || left + c < B.columns) sums[s][c] += a * B(column, left + c);
        }
      }
      team.barrier();
    }
    LACUNA_UNROLL
    for (int s = 0; s < Rows; ++s) {
      const std::int64_t row = top + team.thread() + static_cast<std::int64_t>(s) * threads;
      LACUNA_UNROLL
      for (int c = 0; c < Columns; ++c)
        if (row < end && left + c < B.columns) product.write(row, left + c, sums[s][c]);
    }
  }
};

template <int Rows, int Columns, class ExecutionSpace, class Product>
void launch_diagonal_rows(const ExecutionSpace& exec, const std::string& label, const Product& product) {
  using Policy                    = DiagonalBlockPolicy;
  const int threads               = team_threads<ExecutionSpace>(Policy::threads);
  const std::int64_t column_tiles = ceiling_quotient(product.arguments.B.columns, Columns);
  const std::int64_t row_tiles    = ceiling_quotient(product.A.X.rows, static_cast<std::int64_t>(threads) * Rows);
  const std::size_t scratch       = static_cast<std::size_t>(threads) * (sizeof(SignedDiagonal) + sizeof(int)) + 64;
  launch_teams<Policy::threads>(exec, label, {checked_product("spmm", row_tiles, column_tiles), threads}, scratch,
                                DiagonalRowsKernel<Product, Rows, Columns>{product, column_tiles});
}

/// Rows and columns of a thread by the block. Does not fence.
template <class ExecutionSpace, class Product>
void diagonal_rows(const ExecutionSpace& exec, const std::string& label, const Product& product) {
  using Policy            = DiagonalBlockPolicy;
  const std::int64_t n    = product.arguments.B.columns;
  const std::int64_t many = static_cast<std::int64_t>(processors(exec)) * Policy::teams_wanted * Policy::threads;
  if (n > Policy::few_columns)
    launch_diagonal_rows<1, Policy::columns>(exec, label, product);
  else if (n > 1)
    launch_diagonal_rows<1, Policy::few_columns>(exec, label, product);
  else if (product.A.X.rows >= many * Policy::rows)
    launch_diagonal_rows<Policy::rows, 1>(exec, label, product);
  else
    launch_diagonal_rows<1, 1>(exec, label, product);
}

}  // namespace lacuna::Impl

#endif
