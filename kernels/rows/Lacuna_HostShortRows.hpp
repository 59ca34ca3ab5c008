// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTSHORTROWS_HPP
#define LACUNA_HOSTSHORTROWS_HPP

#include <backends/generic/Lacuna_Generic_Vectors.hpp>
#include <core/impl/inspection/Lacuna_NeighbouringRows.hpp>
#include <kernels/rows/Lacuna_HostAhead.hpp>
#include <kernels/rows/Lacuna_HostRows.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <cstdint>

/// \file
/// \brief CSR times one column on a host, where rows are short and of one length, as of meshes. Host code only.

namespace lacuna::Impl {

/// Whether `HostShortRows` takes A; plans ask once.
template <class Arrays>
bool has_short_even_rows(const Arrays& A) {
  return RowsPolicy::are_short_and_even(sample_neighbouring_rows(A));
}

/// Work item p of `items` takes the rows of `first_row_of_share`. A row is added up nonzero by nonzero: where each is
/// as long as the one before, its end is foreseen, and processors take the next rows meanwhile.
///
/// Bound: bytes of CSR, or, where caches hold them, three loads a nonzero and the instructions of a row.
/// Evidence: kernels/rows/tuning.md.
template <class Arrays, bool asks_ahead>
struct HostShortRows {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  Arrays A;
  VectorArguments<Scalar> arguments;
  std::int64_t items;

  void operator()(const std::int64_t item) const {
    const HostShortRows own         = *this;  // compilers see that no store to y changes it
    const auto first                = static_cast<Ordinal>(first_row_of_share(A, item, items));
    const auto last                 = static_cast<Ordinal>(first_row_of_share(A, item + 1, items));
    const auto& [alpha, x, beta, y] = own.arguments;
    // Neighbouring elements of x and y, as nearly always, need no multiplication for their position.
    if (x.is_contiguous() && y.is_contiguous() && beta == Scalar(0))
      own.add_rows(first, last, x.data, [alpha = alpha, y = y.data](Ordinal row, Scalar sum) { y[row] = alpha * sum; });
    else
      own.add_rows(first, last, x, [&own](Ordinal row, Scalar sum) { own.arguments.write(row, sum); });
  }

 private:
  template <class X, class Write>
  LACUNA_HOST_INLINE void add_rows(Ordinal first, Ordinal last, const X& x, const Write& write) const {
    Offset k = A.row_map[first];
    for (Ordinal row = first; row < last; ++row) {
      const Offset end = A.row_map[row + 1];
      Scalar sum       = Scalar(0);
      if constexpr (asks_ahead) ask_for_nonzeros(A, k);
      if (static_cast<std::int64_t>(end - k) > 2 * RowsPolicy::host_short_row) {  // one of a few: in parts
        Scalar others[3] = {Scalar(0), Scalar(0), Scalar(0)};
        for (; end - k >= 4; k += 4) {
          sum += A.values[k] * x[A.entries[k]];
          for (int j = 0; j < 3; ++j) others[j] += A.values[k + 1 + j] * x[A.entries[k + 1 + j]];
        }
        sum += (others[0] + others[1]) + others[2];
      }
      for (; k < end; ++k) sum += A.values[k] * x[A.entries[k]];
      write(row, sum);
    }
  }
};

}  // namespace lacuna::Impl

#endif
