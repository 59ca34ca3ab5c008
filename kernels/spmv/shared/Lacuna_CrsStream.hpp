// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CRSSTREAM_HPP
#define LACUNA_CRSSTREAM_HPP

#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Values and columns of a CSR matrix, read in packs of 16 bytes of values.
///
/// Pack q holds the nonzeros [q * width, (q + 1) * width), so packs are aligned whatever the rows are; a row masks what
/// is not its own in its first and last pack. Neighbouring lanes take neighbouring packs, so that every load is
/// contiguous over the warp. All loads and gathers of a round of packs are started before the first is used.
/// Where the arrays of a matrix are not themselves aligned, and in the last pack, which may be incomplete, elements are
/// read one by one.
template <class ExecutionSpace, class Arrays>
class CrsStream {
 public:
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using lanes   = typename ExecutionTraits<ExecutionSpace>::lanes;

  static constexpr int width = ExecutionTraits<ExecutionSpace>::load_bytes > static_cast<int>(sizeof(Scalar))
                                   ? ExecutionTraits<ExecutionSpace>::load_bytes / static_cast<int>(sizeof(Scalar))
                                   : 1;
  using Values               = Pack<Scalar, width>;
  using Columns              = Pack<Ordinal, width>;

  explicit CrsStream(const Arrays& A) : m_values(A.values), m_columns(A.entries), m_nonzeros(A.nonzeros) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(A.values) % alignof(Values) == 0 &&
                         reinterpret_cast<std::uintptr_t>(A.entries) % alignof(Columns) == 0;
    m_whole_packs = aligned ? static_cast<Offset>(A.nonzeros / width) : Offset(0);
  }

  /// Packs on their way.
  template <int Count>
  struct Packs {
    Values values[Count];
    Columns columns[Count];
  };

  /// Starts the loads of the packs position(0), position(1), …, none of them behind `last`: no branch stands between
  /// them.
  template <int Count, class Place>
  KOKKOS_FORCEINLINE_FUNCTION Packs<Count> load(const Place& position, Offset last) const {
    Packs<Count> packs;
    if (last < m_whole_packs) {
      for (int p = 0; p < Count; ++p) {
        packs.values[p]  = lanes::load_streaming(reinterpret_cast<const Values*>(m_values) + position(p));
        packs.columns[p] = lanes::load_streaming(reinterpret_cast<const Columns*>(m_columns) + position(p));
      }
    } else {
      for (int p = 0; p < Count; ++p) load_one_by_one(position(p), packs.values[p], packs.columns[p]);
    }
    return packs;
  }

  /// Turns values into products: all gathers are started before the first is used.
  template <int Count, class Vector>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(Packs<Count>& packs, const Vector& x) {
    Scalar gathered[Count][width];
    for (int p = 0; p < Count; ++p)
      for (int i = 0; i < width; ++i) gathered[p][i] = x[packs.columns[p].value[i]];
    for (int p = 0; p < Count; ++p)
      for (int i = 0; i < width; ++i) packs.values[p].value[i] = packs.values[p].value[i] * gathered[p][i];
  }

  /// Products of the packs `first`, `first + stride`, … that are not behind `last`: `Count` of them in flight at once.
  /// `visit(pack, products)` gets all of a pack, also what lies outside the caller's rows.
  template <int Count, class Vector, class Visitor>
  KOKKOS_FORCEINLINE_FUNCTION void products(Offset first, Offset stride, Offset last, const Vector& x,
                                            const Visitor& visit) const {
    for (; first <= last; first += Count * stride) {
      // A pack behind the last is replaced by the last.
      auto packs = load<Count>(
          [&](int p) { return static_cast<Offset>(first + p * stride < last ? first + p * stride : last); }, last);
      multiply(packs, x);
      for (int p = 0; p < Count; ++p) {
        if (first + p * stride > last) break;
        visit(first + p * stride, packs.values[p]);
      }
    }
  }

  /// Sum over the nonzeros [begin, end) that fall to `lane` of `lanes`: packs in turn.
  template <int Count, class Vector>
  KOKKOS_FORCEINLINE_FUNCTION Scalar share(Offset begin, Offset end, int lane, int lanes_of_row,
                                           const Vector& x) const {
    Scalar sum(0);
    if (begin >= end) return sum;
    products<Count>(begin / width + lane, lanes_of_row, (end - 1) / width, x, [&](Offset pack, const Values& products) {
      for (int i = 0; i < width; ++i) {
        const Offset nonzero = pack * width + i;
        if (nonzero >= begin && nonzero < end) sum += products.value[i];
      }
    });
    return sum;
  }

 private:
  /// What does not exist reads as 0 times the first element of x, which exists where a nonzero does.
  KOKKOS_FORCEINLINE_FUNCTION void load_one_by_one(Offset pack, Values& values, Columns& columns) const {
    for (int i = 0; i < width; ++i) {
      const Offset nonzero = pack * width + i;
      const bool exists    = nonzero < m_nonzeros;
      values.value[i]      = exists ? m_values[nonzero] : Scalar(0);
      columns.value[i]     = exists ? m_columns[nonzero] : Ordinal(0);
    }
  }

  const Scalar* m_values;
  const Ordinal* m_columns;
  Offset m_nonzeros;
  Offset m_whole_packs;
};

/// Scratch in which the warps of a team add up.
template <class ExecutionSpace, class Scalar>
struct TeamSums {
  Scalar group[ExecutionTraits<ExecutionSpace>::max_team_size / ExecutionTraits<ExecutionSpace>::lane_width];
};

/// Sum over all threads of the team, in a fixed order; every thread gets it.
template <class Team, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar sum_team(const Team& team, Scalar sum,
                                            TeamSums<typename Team::execution_space, Scalar>& sums) {
  sum = Team::sum_lanes(sum, Team::lane_width);
  team.barrier();  // what is there may still be read
  if (team.lane() == 0) sums.group[team.warp()] = sum;
  team.barrier();
  Scalar total(0);
  for (int group = 0; group < team.warps(); ++group) total += sums.group[group];
  return total;
}

}  // namespace lacuna::Impl

#endif
