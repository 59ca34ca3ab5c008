// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTSHORTROWS_HPP
#define LACUNA_HOSTSHORTROWS_HPP

#include <backends/generic/Lacuna_Generic_Vectors.hpp>
#include <kernels/rows/Lacuna_HostAhead.hpp>
#include <kernels/rows/Lacuna_HostRows.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief CSR times one column on a host, where rows are short and of one length, as of meshes. Host code only.

namespace lacuna::Impl {

/// Whether nearly all rows are short and as long as the next: by a few rows from all parts of A, each beside the next.
template <class Arrays>
bool rows_are_short_and_even(const Arrays& A) {
  const std::int64_t pairs = std::min<std::int64_t>(static_cast<std::int64_t>(A.rows) - 1, RowsPolicy::host_pairs);
  if (pairs <= 0) return false;
  const auto length = [&](std::int64_t row) { return static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]); };
  std::int64_t uneven = 0;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    // An odd step: meshes have edges at multiples of even numbers.
    const std::int64_t row  = std::min<std::int64_t>(pair * ((A.rows / pairs) | 1), A.rows - 2);
    const std::int64_t here = length(row), next = length(row + 1);
    if (std::max(here, next) > RowsPolicy::host_short_row) return false;
    uneven += here != next;
  }
  return uneven <= pairs / 8;
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
    const auto step                 = static_cast<std::int32_t>(sizeof(Scalar));
    // Neighbouring elements of x and y, as nearly always, need no multiplication for their position.
    if (x.stride_bytes == step && y.stride_bytes == step && beta == Scalar(0))
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
