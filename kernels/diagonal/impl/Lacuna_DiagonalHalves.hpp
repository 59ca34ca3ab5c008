// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALHALVES_HPP
#define LACUNA_DIAGONALHALVES_HPP

#include <kernels/diagonal/impl/Lacuna_DiagonalProduct.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

/// \file
/// \brief Half of the diagonals of a symmetric matrix, and the other half made of it. In HM diagonals d and -d have the
/// same elements in the same order; in CDM index n - k has those of k, shifted up by n - k.

namespace lacuna::Impl {

/// The diagonals that the others can be had from, which stand first: offsets from 0 on, or indices up to n / 2.
template <class S, class O, class D, class F>
HmMatrix<S, O, D, F> first_half(HmMatrix<S, O, D, F> C) {
  const O* const first = C.host_Ds.data();
  const auto count =
      std::partition_point(first, first + C.host_Ds.extent(0), [](O offset) { return offset >= 0; }) - first;
  std::int64_t elements = 0;
  for (std::int64_t d = 0; d < count; ++d) elements += diagonal_length(C.rows, C.columns, first[d]);
  C.Ds        = Kokkos::subview(C.Ds, std::pair<std::size_t, std::size_t>(0, count));
  C.StartDg   = Kokkos::subview(C.StartDg, std::pair<std::size_t, std::size_t>(0, count));
  C.host_Ds   = Kokkos::subview(C.host_Ds, std::pair<std::size_t, std::size_t>(0, count));
  C.list      = Kokkos::subview(C.list, std::pair<std::size_t, std::size_t>(0, elements));
  C.symmetric = false;
  return C;
}
template <class S, class O, class D, class F>
CdmMatrix<S, O, D, F> first_half(CdmMatrix<S, O, D, F> C) {
  const O* const first = C.host_Ds.data();
  const auto count     = std::upper_bound(first, first + C.host_Ds.extent(0), C.rows / 2) - first;
  C.Ds                 = Kokkos::subview(C.Ds, std::pair<std::size_t, std::size_t>(0, count));
  C.host_Ds            = Kokkos::subview(C.host_Ds, std::pair<std::size_t, std::size_t>(0, count));
  C.list               = Kokkos::subview(C.list, std::pair<std::size_t, std::size_t>(
                                       0, static_cast<std::size_t>(count) * static_cast<std::size_t>(C.rows)));
  return C;
}

template <class Scalar>
struct MirrorHm {
  Scalar* list;
  std::int64_t main;   ///< elements of the main diagonal
  std::int64_t above;  ///< and of all above it
  bool conjugated;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { list[main + above + i] = taken(list[main + i], conjugated); }
};

template <class Scalar, class Ordinal, class Offset>
struct MirrorCdm {
  Scalar* list;
  const Ordinal* Ds;
  const Offset* dense;
  std::int64_t n;
  std::int64_t first;  ///< the position of the first diagonal to write
  bool conjugated;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t position = first + i / n, row = i % n;
    const auto k              = static_cast<std::int64_t>(Ds[position]);
    const std::int64_t column = row + k < n ? row + k : row + k - n;
    list[position * n + row]  = taken(list[static_cast<std::int64_t>(dense[n - k]) + column], conjugated);
  }
};

/// Fills the other half of C. Does not fence.
template <class ExecutionSpace, class S, class O, class D, class F>
void mirror_diagonals(const ExecutionSpace& exec, const HmMatrix<S, O, D, F>& half, const HmMatrix<S, O, D, F>& C,
                      bool conjugated) {
  const auto main  = half.dg() > 0 && half.host_Ds(0) == 0 ? static_cast<std::int64_t>(C.rows) : std::int64_t{0};
  const auto above = static_cast<std::int64_t>(half.list.extent(0)) - main;
  for_each_index(exec, "Lacuna::diagonal::mirror", above, MirrorHm<S>{C.list.data(), main, above, conjugated});
}
template <class ExecutionSpace, class S, class O, class D, class F>
void mirror_diagonals(const ExecutionSpace& exec, const CdmMatrix<S, O, D, F>& half, const CdmMatrix<S, O, D, F>& C,
                      bool conjugated) {
  const auto n = static_cast<std::int64_t>(C.rows);
  for_each_index(exec, "Lacuna::diagonal::mirror", (C.dg() - half.dg()) * n,
                 MirrorCdm<S, O, F>{C.list.data(), C.Ds.data(), C.DiagDense.data(), n, half.dg(), conjugated});
}

}  // namespace lacuna::Impl

#endif
