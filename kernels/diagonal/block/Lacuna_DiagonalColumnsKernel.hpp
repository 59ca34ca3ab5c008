// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALCOLUMNSKERNEL_HPP
#define LACUNA_DIAGONALCOLUMNSKERNEL_HPP

#include <kernels/diagonal/block/Lacuna_DiagonalRowsOfB.hpp>
#include <kernels/diagonal/block/Lacuna_StagedDiagonals.hpp>

#include <backends/Lacuna_Launch.hpp>

#include <algorithm>

/// \file
/// \brief Diagonals times a block whose rows are contiguous: neighbouring lanes have neighbouring columns.
///
/// A subwarp has `tall` rows of C, and those columns that its lanes hold by one load each: a cache line. Diagonals
/// that touch (offsets d, d + 1, …) are taken together: their elements in these rows meet the same rows of B, each of
/// which is read once for all of them. The warp stages its rows of A, each diagonal by itself, reads them by
/// packs of rows, and walks the columns of C tile by tile, so that A comes from memory once. Warps of a team have
/// rows that follow each other and wait for nobody: what diagonals that do not touch share of B they find in L1. Sums
/// are by ascending offset for every element: the same bits on every run.

namespace lacuna::Impl {

/// How a launch is cut.
struct DiagonalColumnsShape {
  int threads;   ///< of a team
  int lanes;     ///< of a subwarp, a power of two
  int together;  ///< diagonals that are staged at a time, at most the lanes of a group and the bits of a word
  int tiles;     ///< of columns that a team takes one after the other
};

template <class ProductType, int Width>
struct DiagonalColumnsKernel {
  using Product               = ProductType;
  using Scalar                = typename Product::Scalar;
  using Policy                = DiagonalBlockPolicy;
  static constexpr int tall   = Policy::tall;
  static constexpr int block  = Policy::block;
  static constexpr int window = tall + block;  // rows of B in registers, one of them idle

  Product product;
  std::int64_t row_tiles;
  DiagonalColumnsShape shape;
  bool stores_packs;  ///< rows of C take as many columns at once as loads bring

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& A   = product.A;
    const int lanes = shape.lanes;
    const int rows  = Team::lane_width / lanes * tall;
    StagedDiagonals staged(team, product, shape.together, rows);
    const std::int64_t number = team.league_rank() % row_tiles;
    const std::int64_t top    = (number * team.warps() + team.warp()) * rows;
    if (top >= A.X.rows) return;
    const std::int64_t end     = top + rows < A.X.rows ? top + rows : A.X.rows;
    const int own              = team.lane() / lanes * tall;
    const std::int64_t columns = product.arguments.B.columns;
    const std::int64_t of_tile = static_cast<std::int64_t>(lanes) * Width;
    const std::int64_t first   = team.league_rank() / row_tiles * shape.tiles * of_tile;
    const std::int64_t behind  = first + shape.tiles * of_tile;
    const bool staged_at_once  = A.count() <= shape.together;
    for (std::int64_t tile = first; tile < behind && tile < columns; tile += of_tile) {
      const std::int64_t left = tile + team.lane() % lanes * Width;
      Scalar sums[tall][Width];
      LACUNA_UNROLL
      for (int r = 0; r < tall; ++r) {
        LACUNA_UNROLL
        for (int c = 0; c < Width; ++c) sums[r][c] = Scalar(0);
      }
      for (std::int64_t position = 0; position < A.count(); position += shape.together) {
        if (!staged_at_once || tile == first) staged.take(team, position, top, end);
        if (top + own < end && left < columns)
          for (int q = 0; q < staged.count();) {
            const int next = staged.behind_run(q);
            add_run(Rows<Team>(product.arguments.B, top + own + staged.offset(q), left), staged.diagonal(q) + own, rows,
                    next - q, sums);
            q = next;
          }
      }
      if (left >= columns) continue;
      LACUNA_UNROLL
      for (int r = 0; r < tall; ++r)
        if (top + own + r < end) store<Team>(top + own + r, left, sums[r]);
    }
  }

 private:
  template <class Team>
  using Rows = DiagonalRowsOfB<typename Team::lanes, Scalar, Width>;
  using Load = Pack<Scalar, Width>;

  /// Adds diagonals that touch: row k of B meets element (r, k - r) of the run, counted from its first row and
  /// diagonal. Rows of B go through registers, `block` new ones for as many diagonals; few diagonals read all of theirs
  /// at once.
  template <class RowsOfB>
  KOKKOS_FORCEINLINE_FUNCTION void add_run(RowsOfB b, const Scalar* a, int leading, int width,
                                           Scalar (&sums)[tall][Width]) const {
    if (width >= block) {
      Load rows[window];
      LACUNA_UNROLL
      for (int k = 0; k < tall - 1; ++k) rows[k] = b(k);
      do {
        add_block<0>(b, a, leading, rows, sums, width);
        if (width < block) break;
        add_block<block % window>(b, a, leading, rows, sums, width);
        if (width < block) break;
        add_block<2 * block % window>(b, a, leading, rows, sums, width);
      } while (width >= block);
    }
    if (width == 1) add_few<1>(b, a, leading, sums);
    if (width == 2) add_few<2>(b, a, leading, sums);
    if (width == 3) add_few<3>(b, a, leading, sums);
  }

  /// `block` diagonals; the first row of B that they meet is rows[From]. Steps on behind them.
  template <int From, class RowsOfB>
  KOKKOS_FORCEINLINE_FUNCTION void add_block(RowsOfB& b, const Scalar*& a, int leading, Load (&rows)[window],
                                             Scalar (&sums)[tall][Width], int& width) const {
    static_assert(window == 3 * block && block == 4, "three blocks go once around the window, fewer than four are few");
    LACUNA_UNROLL
    for (int k = 0; k < block; ++k) rows[(From + tall - 1 + k) % window] = b(tall - 1 + k);
    LACUNA_UNROLL
    for (int d = 0; d < block; ++d) {
      const Elements elements(a + d * leading);
      LACUNA_UNROLL
      for (int r = 0; r < tall; ++r) add(element(elements, r), rows[(From + d + r) % window], sums[r]);
    }
    b.step(block);
    a += block * leading;
    width -= block;
  }

  template <int Few, class RowsOfB>
  KOKKOS_FORCEINLINE_FUNCTION void add_few(const RowsOfB& b, const Scalar* a, int leading,
                                           Scalar (&sums)[tall][Width]) const {
    Load rows[tall + Few - 1];
    LACUNA_UNROLL
    for (int k = 0; k < tall + Few - 1; ++k) rows[k] = b(k);
    LACUNA_UNROLL
    for (int d = 0; d < Few; ++d) {
      const Elements elements(a + d * leading);
      LACUNA_UNROLL
      for (int r = 0; r < tall; ++r) add(element(elements, r), rows[d + r], sums[r]);
    }
  }

  /// A diagonal in the rows of a subwarp.
  struct Elements {
    static constexpr int together = Policy::load_bytes / static_cast<int>(sizeof(Scalar));
    Pack<Scalar, together> packs[tall / together];

    KOKKOS_FORCEINLINE_FUNCTION explicit Elements(const Scalar* a) {
      LACUNA_UNROLL
      for (int p = 0; p < tall / together; ++p) packs[p] = reinterpret_cast<const Pack<Scalar, together>*>(a)[p];
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Scalar element(const Elements& elements, int r) const {
    return taken(elements.packs[r / Elements::together].value[r % Elements::together], product.A.X.conjugated);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add(const Scalar& a, const Load& b, Scalar (&sums)[Width]) {
    LACUNA_UNROLL
    for (int c = 0; c < Width; ++c) sums[c] += a * b.value[c];
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t row, std::int64_t left, const Scalar (&sums)[Width]) const {
    if (stores_packs) {
      auto* const target = reinterpret_cast<Load*>(product.arguments.C.at(row, left));
      Load values        = {};
      if (product.arguments.beta != Scalar(0)) values = *target;
      LACUNA_UNROLL
      for (int c = 0; c < Width; ++c)
        values.value[c] = product.arguments.result(product.exactly(row, left + c, sums[c]), values.value[c]);
      Team::lanes::store_streaming(target, values);
    } else {
      LACUNA_UNROLL
      for (int c = 0; c < Width; ++c)
        if (left + c < product.arguments.B.columns) product.write(row, left + c, sums[c]);
    }
  }
};

/// How many lanes, diagonals and tiles, from the sizes of the product. A subwarp has a cache line of a row of B, or
/// less where the row is shorter; teams take all tiles unless there are few of them.
template <class ExecutionSpace, class Product>
DiagonalColumnsShape diagonal_columns_shape(const ExecutionSpace& exec, const Product& product, int width) {
  using Policy         = DiagonalBlockPolicy;
  constexpr int all    = ExecutionTraits<ExecutionSpace>::lane_width;
  constexpr int bytes  = static_cast<int>(sizeof(typename Product::Scalar));
  const std::int64_t n = product.arguments.B.columns;
  DiagonalColumnsShape shape{team_threads<ExecutionSpace>(Policy::column_threads), 1, 1, 1};
  while (shape.lanes < all && shape.lanes * width < n && shape.lanes * width * bytes < Policy::row_bytes)
    shape.lanes *= 2;
  const int rows           = all / shape.lanes * Policy::tall;
  shape.together           = diagonals_together<ExecutionSpace>(product, rows, Policy::stage);
  const std::int64_t teams = ceiling_quotient(product.A.X.rows, std::int64_t{shape.threads / all} * rows);
  const std::int64_t tiles = ceiling_quotient(n, std::int64_t{shape.lanes} * width);
  shape.tiles              = static_cast<int>(ceiling_quotient(tiles, diagonal_column_parts(exec, teams, tiles)));
  return shape;
}

template <int Width, class ExecutionSpace, class Product>
void launch_diagonal_columns(const ExecutionSpace& exec, const std::string& label, const Product& product,
                             const DiagonalColumnsShape& shape) {
  using Kernel                 = DiagonalColumnsKernel<Product, Width>;
  using Policy                 = DiagonalBlockPolicy;
  constexpr int all            = ExecutionTraits<ExecutionSpace>::lane_width;
  const auto& C                = product.arguments.C;
  const int groups             = shape.threads / all;
  const std::int64_t team_rows = std::int64_t{groups} * (all / shape.lanes) * Policy::tall;
  const std::int64_t row_tiles = ceiling_quotient(product.A.X.rows, team_rows);
  const std::int64_t columns   = std::int64_t{shape.tiles} * shape.lanes * Width;
  const std::int64_t parts     = ceiling_quotient(C.columns, columns);
  const bool stores_packs =
      C.columns % Width == 0 && C.rows_aligned(static_cast<int>(sizeof(typename Kernel::Scalar)) * Width);
  launch_teams<Policy::threads, 2>(
      exec, label, {checked_product("spmm", row_tiles, parts), shape.threads},
      static_cast<std::size_t>(groups) *
              StagedDiagonals<Product>::scratch(shape.together, all / shape.lanes * Policy::tall) +
          64,
      Kernel{product, row_tiles, shape, stores_packs});
}

/// B is row-major. Loads of 16 bytes where its rows let them, and every row has whole ones. Does not fence.
template <class ExecutionSpace, class Product>
void diagonal_columns(const ExecutionSpace& exec, const std::string& label, const Product& product) {
  using Scalar        = typename Product::Scalar;
  constexpr int width = std::max<int>(1, DiagonalBlockPolicy::load_bytes / static_cast<int>(sizeof(Scalar)));
  const auto& B       = product.arguments.B;
  if (width > 1 && B.columns % width == 0 && B.rows_aligned(DiagonalBlockPolicy::load_bytes))
    launch_diagonal_columns<width>(exec, label, product, diagonal_columns_shape(exec, product, width));
  else
    launch_diagonal_columns<1>(exec, label, product, diagonal_columns_shape(exec, product, 1));
}

}  // namespace lacuna::Impl

#endif
