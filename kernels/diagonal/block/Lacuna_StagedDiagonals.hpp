// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_STAGEDDIAGONALS_HPP
#define LACUNA_STAGEDDIAGONALS_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalBlockPolicy.hpp>
#include <kernels/diagonal/block/Lacuna_DiagonalBlockProduct.hpp>

#include <backends/Lacuna_Launch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// \brief Some diagonals in the rows of a warp, in its scratch: those that have elements there, by ascending
/// offset, each in all of the rows and 0 where it has no element.
template <class ProductType>
class StagedDiagonals {
 public:
  using Product = ProductType;
  using Scalar  = typename Product::Scalar;

  static constexpr int most = 32;  ///< diagonals: a bit of a word each

  static constexpr std::size_t scratch(int together, int rows) {
    return static_cast<std::size_t>(together) *
           (static_cast<std::size_t>(rows) * sizeof(Scalar) + sizeof(SignedDiagonal));
  }

  /// `together` diagonals at a time, at most the lanes of a group and `most`. `rows`: a power of two. All threads of
  /// the team call it.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION StagedDiagonals(const Team& team, const Product& product, int together, int rows)
      : m_product(product),
        m_together(together),
        m_rows(rows),
        m_those(team.template warp_scratch<SignedDiagonal>(static_cast<std::size_t>(together))),
        m_elements(team.template warp_scratch<Scalar>(static_cast<std::size_t>(together * rows))) {}

  /// Those from position `first` on, in rows from `top` to `end`, which is at most `rows` below. All lanes of the group
  /// call it.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void take(const Team& team, std::int64_t first, std::int64_t top, std::int64_t end) {
    team.warp_barrier();  // nobody reads what was there
    find(team, first, top, end);
    stage(team, top, end);
  }

  KOKKOS_FORCEINLINE_FUNCTION int count() const { return m_count; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(int q) const { return m_those[q].offset; }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar* diagonal(int q) const { return m_elements + q * m_rows; }
  /// The first diagonal from `q` + 1 on that does not touch the one before; `count`.
  KOKKOS_FORCEINLINE_FUNCTION int behind_run(int q) const {
    const std::uint32_t later = (m_begins >> q) >> 1;
    return later == 0 ? m_count : q + 1 + lowest_bit(later);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void find(const Team& team, std::int64_t first, std::int64_t top, std::int64_t end) {
    using lanes       = typename Team::lanes;
    using Mask        = typename lanes::Mask;
    const int q       = team.lane();
    const bool exists = q < m_together && first + q < m_product.A.count();
    SignedDiagonal own{0, 0};
    if (exists) own = m_product.A(first + q);
    const bool meets = exists && m_product.meets(own.offset, top, end);
    const Mask mask  = lanes::ballot(meets);
    if (meets) m_those[count_bits(mask & ((Mask(1) << q) - 1))] = own;
    team.warp_barrier();
    m_count           = count_bits(mask);
    const bool begins = q < m_count && (q == 0 || m_those[q].offset != m_those[q - 1].offset + 1);
    m_begins          = static_cast<std::uint32_t>(lanes::ballot(begins));
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Team& team, std::int64_t top, std::int64_t end) const {
    using stages      = typename Team::stages;
    constexpr int all = Team::lane_width, bytes = static_cast<int>(sizeof(Scalar));
    const auto& X     = m_product.A.X;
    const int at_once = m_rows < all ? all / m_rows : 1;  // diagonals
    const auto target = stages::address(m_elements);
    for (int d = team.lane() / m_rows; d < m_count; d += at_once) {
      const SignedDiagonal now = m_those[d];
      for (int r = team.lane() % m_rows; r < m_rows; r += all) {
        const std::int64_t row    = top + r;
        const std::int64_t column = row + now.offset;
        const bool exists         = row < end && column >= 0 && column < X.columns;
        stages::template copy<bytes>(target + (d * m_rows + r) * bytes, X.list + (exists ? now.base + row : 0),
                                     exists ? bytes : 0);
      }
    }
    stages::commit();
    stages::template wait<0>();
    team.warp_barrier();
  }

  const Product& m_product;
  int m_together, m_rows;
  SignedDiagonal* m_those;
  Scalar* m_elements;
  int m_count            = 0;
  std::uint32_t m_begins = 0;  ///< a bit for each that does not touch the one before
};

/// Diagonals at a time: as many as `stage` bytes hold, all of them or equal parts.
template <class ExecutionSpace, class Product>
int diagonals_together(const Product& product, int rows, std::size_t stage) {
  using Staged             = StagedDiagonals<Product>;
  const std::int64_t most  = std::min(ExecutionTraits<ExecutionSpace>::lane_width, Staged::most);
  const auto fit           = static_cast<std::int64_t>(stage / Staged::scratch(1, rows));
  const std::int64_t parts = ceiling_quotient(product.A.count(), std::clamp<std::int64_t>(fit, 1, most));
  return static_cast<int>(ceiling_quotient(product.A.count(), std::max<std::int64_t>(1, parts)));
}

/// Into how many parts the tiles of columns are cut: one, so that A is staged once for all of them, unless there are
/// few teams.
template <class ExecutionSpace>
std::int64_t diagonal_column_parts(const ExecutionSpace& exec, std::int64_t teams, std::int64_t tiles) {
  const std::int64_t wanted = std::int64_t{processors(exec)} * DiagonalBlockPolicy::column_teams;
  return std::clamp<std::int64_t>(ceiling_quotient(wanted, teams), 1, tiles);
}

}  // namespace lacuna::Impl

#endif
