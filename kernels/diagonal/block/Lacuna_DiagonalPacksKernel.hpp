// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALPACKSKERNEL_HPP
#define LACUNA_DIAGONALPACKSKERNEL_HPP

#include <kernels/diagonal/block/Lacuna_StagedDiagonals.hpp>

#include <algorithm>

/// \file
/// \brief Diagonals times a block whose columns are contiguous and aligned: a lane has a pack of rows of C, which one
/// load brings, in some columns.
///
/// Its rows of B on a diagonal are those of C moved by the offset, so they lie in two packs that follow each other; of
/// diagonals that touch, the next ones are the same moved by one. A lane keeps both packs and reads a new one after as
/// many diagonals as a pack has rows. A is staged as in Lacuna_DiagonalColumnsKernel.hpp, once for all tiles of
/// columns. Sums are by ascending offset for every element: the same bits on every run.

namespace lacuna::Impl {

template <class ProductType, int Columns>
struct DiagonalPacksKernel {
  using Product             = ProductType;
  using Scalar              = typename Product::Scalar;
  using Policy              = DiagonalBlockPolicy;
  static constexpr int pack = std::max(1, Policy::load_bytes / static_cast<int>(sizeof(Scalar)));  ///< rows

  Product product;
  std::int64_t row_tiles;
  int together;       ///< diagonals that are staged at a time
  int tiles;          ///< of columns that a team takes one after the other
  bool stores_packs;  ///< columns of C are aligned too

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr int rows = Team::lane_width * pack;
    const auto& A      = product.A;
    StagedDiagonals staged(team, product, together, rows);
    const std::int64_t number = team.league_rank() % row_tiles;
    const std::int64_t top    = (number * team.warps() + team.warp()) * rows;
    if (top >= A.X.rows) return;
    const std::int64_t end     = top + rows < A.X.rows ? top + rows : A.X.rows;
    const std::int64_t own     = top + team.lane() * pack;
    const std::int64_t columns = product.arguments.B.columns;
    const std::int64_t first   = team.league_rank() / row_tiles * tiles * Columns;
    const std::int64_t behind  = first + static_cast<std::int64_t>(tiles) * Columns;
    const bool staged_at_once  = A.count() <= together;
    for (std::int64_t left = first; left < behind && left < columns; left += Columns) {
      Scalar sums[Columns][pack];
      LACUNA_UNROLL
      for (int c = 0; c < Columns; ++c) {
        LACUNA_UNROLL
        for (int r = 0; r < pack; ++r) sums[c][r] = Scalar(0);
      }
      for (std::int64_t position = 0; position < A.count(); position += together) {
        if (!staged_at_once || left == first) staged.take(team, position, top, end);
        if (own < end)
          for (int q = 0; q < staged.count();) {
            const int next = staged.behind_run(q);
            add_run<Team>(own + staged.offset(q), left, staged.diagonal(q) + team.lane() * pack, rows, next - q, sums);
            q = next;
          }
      }
      if (own < end) store<Team>(own, end, left, sums);
    }
  }

 private:
  using Load = Pack<Scalar, pack>;

  /// Rows of B that follow each other, 0 where it has none.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void load(std::int64_t row, std::int64_t left, Load (&loads)[Columns]) const {
    const auto& B    = product.arguments.B;
    const bool whole = row >= 0 && row + pack <= B.rows;
    LACUNA_UNROLL
    for (int c = 0; c < Columns; ++c) {
      loads[c] = {};
      if (left + c >= B.columns) continue;
      if (whole) {
        loads[c] = Team::lanes::load_cached(reinterpret_cast<const Load*>(B.at(row, left + c)));
      } else {
        LACUNA_UNROLL
        for (int r = 0; r < pack; ++r)
          if (row + r >= 0 && row + r < B.rows) loads[c].value[r] = B(row + r, left + c);
      }
    }
  }

  /// Adds `width` diagonals that touch; the first meets row `first` of B in the first row of the lane.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_run(std::int64_t first, std::int64_t left, const Scalar* a, int leading,
                                           int width, Scalar (&sums)[Columns][pack]) const {
    int shift        = static_cast<int>(first & (pack - 1));  // packs begin at multiples, also below 0
    std::int64_t row = first - shift;
    Load near[Columns], far[Columns];
    load<Team>(row, left, near);
    for (;; width -= pack - shift, shift = 0) {
      row += pack;
      if (shift + width > 1) load<Team>(row, left, far);
      const int last = shift + width < pack ? shift + width : pack;
      for (int s = shift; s < last; ++s, a += leading) {
        const Load elements = *reinterpret_cast<const Load*>(a);
        LACUNA_UNROLL
        for (int known = 0; known < pack; ++known)
          if (known == s) add_shifted(elements, near, far, known, sums);
      }
      if (shift + width <= pack) return;
      LACUNA_UNROLL
      for (int c = 0; c < Columns; ++c) near[c] = far[c];
    }
  }

  /// `shift` is known when compiling, once loops are unrolled.
  KOKKOS_FORCEINLINE_FUNCTION void add_shifted(const Load& elements, const Load (&near)[Columns],
                                               const Load (&far)[Columns], int shift,
                                               Scalar (&sums)[Columns][pack]) const {
    LACUNA_UNROLL
    for (int r = 0; r < pack; ++r) {
      const Scalar a = taken(elements.value[r], product.A.X.conjugated);
      LACUNA_UNROLL
      for (int c = 0; c < Columns; ++c)
        sums[c][r] += a * (shift + r < pack ? near[c].value[(shift + r) % pack] : far[c].value[(shift + r) % pack]);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t own, std::int64_t end, std::int64_t left,
                                         const Scalar (&sums)[Columns][pack]) const {
    const auto& arguments = product.arguments;
    LACUNA_UNROLL
    for (int c = 0; c < Columns; ++c) {
      if (left + c >= arguments.B.columns) continue;
      if (stores_packs && own + pack <= end) {
        auto* const target = reinterpret_cast<Load*>(arguments.C.at(own, left + c));
        Load values        = {};
        if (arguments.beta != Scalar(0)) values = *target;
        LACUNA_UNROLL
        for (int r = 0; r < pack; ++r)
          values.value[r] = arguments.result(product.exactly(own + r, left + c, sums[c][r]), values.value[r]);
        Team::lanes::store_streaming(target, values);
      } else {
        LACUNA_UNROLL
        for (int r = 0; r < pack; ++r)
          if (own + r < end) product.write(own + r, left + c, sums[c][r]);
      }
    }
  }
};

/// Whether columns of a block are contiguous and begin at multiples of a load.
template <class Element>
bool columns_aligned(const DenseBlock<Element>& block) {
  constexpr std::int64_t bytes = DiagonalBlockPolicy::load_bytes;
  return block.row_stride == 1 && reinterpret_cast<std::uintptr_t>(block.data) % bytes == 0 &&
         block.column_stride * static_cast<std::int64_t>(sizeof(Element)) % bytes == 0;
}

/// Columns of B are aligned. Does not fence.
template <int Columns, class ExecutionSpace, class Product>
void diagonal_packs(const ExecutionSpace& exec, const std::string& label, const Product& product) {
  using Kernel          = DiagonalPacksKernel<Product, Columns>;
  using Policy          = DiagonalBlockPolicy;
  using Staged          = StagedDiagonals<Product>;
  constexpr int all     = ExecutionTraits<ExecutionSpace>::lane_width;
  constexpr int threads = team_threads<ExecutionSpace>(Policy::threads);
  constexpr int groups = threads / all, rows = all * Kernel::pack;
  const int together           = diagonals_together<ExecutionSpace>(product, rows, Policy::stage_with_packs);
  const std::int64_t row_tiles = ceiling_quotient(product.A.X.rows, std::int64_t{groups} * rows);
  const std::int64_t all_tiles = ceiling_quotient(product.arguments.B.columns, Columns);
  const std::int64_t parts     = diagonal_column_parts(exec, row_tiles, all_tiles);
  const auto tiles             = static_cast<int>(ceiling_quotient(all_tiles, parts));
  launch_teams<Policy::threads, 2>(exec, label,
                                   {checked_product("spmm", row_tiles, ceiling_quotient(all_tiles, tiles)), threads},
                                   static_cast<std::size_t>(groups) * Staged::scratch(together, rows) + 64,
                                   Kernel{product, row_tiles, together, tiles, columns_aligned(product.arguments.C)});
}

}  // namespace lacuna::Impl

#endif
