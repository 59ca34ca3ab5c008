// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALCOLUMNSKERNEL_HPP
#define LACUNA_DIAGONALCOLUMNSKERNEL_HPP

#include <kernels/diagonal/shared/Lacuna_TeamPlaces.hpp>
#include <kernels/shared/diagonals/Lacuna_DiagonalBlockPolicy.hpp>
#include <kernels/shared/diagonals/Lacuna_DiagonalBlockProduct.hpp>

#include <Lacuna_Launch.hpp>

#include <algorithm>

/// \file
/// \brief Diagonals times a block whose rows are contiguous: neighbouring lanes have neighbouring columns.
///
/// A sub-group of lanes has `tall` rows of C, and those columns that its lanes hold by one load each. Diagonals that
/// touch (offsets d, d + 1, …) are taken together: their elements in these rows meet the same rows of B, each of which
/// is read once for all of them. A is staged in scratch, so that reading it along a diagonal is contiguous, and reading
/// it by row is one address for all lanes. Sums are by ascending offset for every element: the same bits on every run.

namespace lacuna::Impl {

template <class ProductType, int Width>
struct DiagonalColumnsKernel {
  using Product             = ProductType;
  using Scalar              = typename Product::Scalar;
  using Policy              = DiagonalBlockPolicy;
  static constexpr int tall = Policy::tall;

  static constexpr ScratchNeed scratch_need = ScratchNeed::large;  // little is: it saves registers

  Product product;
  std::int64_t row_tiles;
  int lanes;     ///< of a sub-group
  int together;  ///< diagonals that are staged at a time

  static constexpr std::size_t scratch(int threads, int lanes, int together) {
    const auto rows = static_cast<std::size_t>(threads / lanes * tall);
    return static_cast<std::size_t>(together) * (rows * sizeof(Scalar) + sizeof(SignedDiagonal) + sizeof(int)) +
           2 * static_cast<std::size_t>(threads) * sizeof(int) + 128;
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto& A               = product.A;
    const int threads           = team.threads();
    const int rows              = threads / lanes * tall;
    const std::int64_t top      = team.league_rank() % row_tiles * rows;
    const std::int64_t left     = (team.league_rank() / row_tiles * lanes + team.thread() % lanes) * Width;
    const std::int64_t end      = top + rows < A.X.rows ? top + rows : A.X.rows;
    const int own_row           = team.thread() / lanes * tall;
    SignedDiagonal* const those = team.template scratch<SignedDiagonal>(static_cast<std::size_t>(together));
    int* const runs             = team.template scratch<int>(static_cast<std::size_t>(together + 1));
    int* const counts           = team.template scratch<int>(static_cast<std::size_t>(2 * team.groups()));
    Scalar* const staged        = team.template scratch<Scalar>(static_cast<std::size_t>(together * rows));
    Scalar sums[tall][Width];
    LACUNA_UNROLL
    for (int r = 0; r < tall; ++r) {
      LACUNA_UNROLL
      for (int c = 0; c < Width; ++c) sums[r][c] = Scalar(0);
    }
    for (std::int64_t first = 0; first < A.count(); first += together) {
      const std::int64_t place = first + team.thread();
      const bool takes         = team.thread() < together && place < A.count();
      SignedDiagonal own{0, 0};
      if (takes) own = A(place);
      const bool meets        = takes && product.meets(own.offset, top, end);
      const TeamPlaces places = team_places(team, meets, counts);
      if (meets) those[places.own] = own;
      team.barrier();
      // Where diagonals begin that do not touch the one before.
      const int q          = team.thread();
      const bool begins    = q < places.total && (q == 0 || those[q].offset != those[q - 1].offset + 1);
      const TeamPlaces run = team_places(team, begins, counts + team.groups());
      if (begins) runs[run.own] = q;
      if (q == 0) runs[run.total] = places.total;
      stage(team, top, rows, end, those, places.total, staged);
      team.barrier();
      if (top + own_row < end && left < product.arguments.B.columns)
        for (int k = 0; k < run.total; ++k)
          add_run(top + own_row + those[runs[k]].offset, left, staged + runs[k] * rows + own_row, rows,
                  runs[k + 1] - runs[k], sums);
      team.barrier();
    }
    LACUNA_UNROLL
    for (int r = 0; r < tall; ++r)
      if (top + own_row + r < end) store(top + own_row + r, left, sums[r]);
  }

 private:
  using Load = Pack<Scalar, Width>;

  /// Diagonals in the rows of the team, 0 where they have no element.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Team& team, std::int64_t top, int rows, std::int64_t end,
                                         const SignedDiagonal* those, int count, Scalar* staged) const {
    const auto& X = product.A.X;
    for (int k = team.thread(); k < count * rows; k += team.threads()) {
      const int d               = k / rows;
      const SignedDiagonal now  = those[d];
      const std::int64_t row    = top + (k - d * rows);
      const std::int64_t column = row + now.offset;
      const bool exists         = row < end && column >= 0 && column < X.columns;
      staged[k]                 = exists ? taken(X.list[now.base + row], X.conjugated) : Scalar(0);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Load row_of_b(std::int64_t row, std::int64_t column) const {
    const auto& B = product.arguments.B;
    if (row >= 0 && row < B.rows) return *reinterpret_cast<const Load*>(B.at(row, column));
    Load zeros;
    LACUNA_UNROLL
    for (int c = 0; c < Width; ++c) zeros.value[c] = Scalar(0);
    return zeros;
  }

  /// Adds diagonals that touch: row k of B meets element (r, k - r) of the run, counted from its first row and
  /// diagonal. Few of them are unrolled, so that all rows of B are on the way at once.
  KOKKOS_FORCEINLINE_FUNCTION void add_run(std::int64_t inner, std::int64_t left, const Scalar* a, int leading,
                                           int width, Scalar (&sums)[tall][Width]) const {
    if (width == 1) return add_few<1>(inner, left, a, leading, sums);
    if (width == 2) return add_few<2>(inner, left, a, leading, sums);
    if (width == 3) return add_few<3>(inner, left, a, leading, sums);
    constexpr int unroll = Policy::unroll;
    const int last       = width + tall - 1;
    for (int k = 0; k < last; k += unroll) {
      Load b[unroll];
      LACUNA_UNROLL
      for (int u = 0; u < unroll; ++u)
        if (k + u < last) b[u] = row_of_b(inner + k + u, left);
      LACUNA_UNROLL
      for (int u = 0; u < unroll; ++u) {
        LACUNA_UNROLL
        for (int r = 0; r < tall; ++r) {
          const int d = k + u - r;
          if (static_cast<unsigned>(d) < static_cast<unsigned>(width)) add(a[d * leading + r], b[u], sums[r]);
        }
      }
    }
  }

  template <int Few>
  KOKKOS_FORCEINLINE_FUNCTION void add_few(std::int64_t inner, std::int64_t left, const Scalar* a, int leading,
                                           Scalar (&sums)[tall][Width]) const {
    Load b[tall + Few - 1];
    LACUNA_UNROLL
    for (int k = 0; k < tall + Few - 1; ++k) b[k] = row_of_b(inner + k, left);
    LACUNA_UNROLL
    for (int d = 0; d < Few; ++d) {
      LACUNA_UNROLL
      for (int r = 0; r < tall; ++r) add(a[d * leading + r], b[r + d], sums[r]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add(const Scalar& a, const Load& b, Scalar (&sums)[Width]) {
    LACUNA_UNROLL
    for (int c = 0; c < Width; ++c) sums[c] += a * b.value[c];
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t row, std::int64_t left, const Scalar (&sums)[Width]) const {
    LACUNA_UNROLL
    for (int c = 0; c < Width; ++c)
      if (left + c < product.arguments.B.columns) product.write(row, left + c, sums[c]);
  }
};

template <int Width, class ExecutionSpace, class Product>
void launch_diagonal_columns(const ExecutionSpace& exec, const std::string& label, const Product& product) {
  using Kernel         = DiagonalColumnsKernel<Product, Width>;
  using Policy         = DiagonalBlockPolicy;
  using traits         = ExecutionTraits<ExecutionSpace>;
  const int threads    = team_threads<ExecutionSpace>(Policy::threads);
  const std::int64_t n = product.arguments.B.columns;
  int lanes            = 1;
  while (lanes < traits::lane_width && static_cast<std::int64_t>(lanes) * Width < n) lanes *= 2;
  const int rows         = threads / lanes * Policy::tall;
  const auto of_diagonal = static_cast<std::size_t>(rows) * sizeof(typename Product::Scalar);
  const std::int64_t fit = std::max<std::int64_t>(1, static_cast<std::int64_t>(Policy::stage / of_diagonal));
  // A team's threads look at one diagonal each.
  const auto together             = static_cast<int>(std::min<std::int64_t>({product.A.count(), fit, threads}));
  const std::int64_t row_tiles    = ceiling_quotient(product.A.X.rows, rows);
  const std::int64_t column_tiles = ceiling_quotient(n, static_cast<std::int64_t>(lanes) * Width);
  launch_teams<Policy::threads, 2>(exec, label, {checked_product("spmm", row_tiles, column_tiles), threads},
                                   Kernel::scratch(threads, lanes, together),
                                   Kernel{product, row_tiles, lanes, together});
}

/// B is row-major. Loads of 16 bytes where its rows let them, and every row has whole ones. Does not fence.
template <class ExecutionSpace, class Product>
void diagonal_columns(const ExecutionSpace& exec, const std::string& label, const Product& product) {
  using Scalar        = typename Product::Scalar;
  constexpr int width = std::max<int>(1, DiagonalBlockPolicy::load_bytes / static_cast<int>(sizeof(Scalar)));
  const auto& B       = product.arguments.B;
  if (width > 1 && B.columns % width == 0 && B.rows_aligned(DiagonalBlockPolicy::load_bytes))
    launch_diagonal_columns<width>(exec, label, product);
  else
    launch_diagonal_columns<1>(exec, label, product);
}

}  // namespace lacuna::Impl

#endif
