// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTCOLUMN_HPP
#define LACUNA_HOSTCOLUMN_HPP

#include <kernels/rows/Lacuna_HostAhead.hpp>
#include <kernels/rows/Lacuna_HostShortRows.hpp>
#include <kernels/rows/Lacuna_HostVector.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief CSR times one column on a host: a thread walks row by row. Host code only.

namespace lacuna::Impl {

/// Runs of rows of about equally many nonzeros and rows (the merge path of Merrill and Garland, SC'16), several for
/// each thread. The numbers of a vector are partial sums of a row: a single sum would wait for the addition before it.
///
/// Bound: bytes of CSR, or, where caches hold them, three loads a nonzero. Taking rows of equal columns together would
/// save two of these loads, but the values of several rows are as many short streams: this gains only while the
/// second-level cache holds them.
/// A row ends with a vector too, of which some products are dropped: what was read behind the row belongs to the next.
/// So rows are as many steps as they are vectors, and no loop over the rest ends where nobody predicts it.
/// Evidence: kernels/rows/tuning.md.
template <class Arrays, bool asks_ahead, int register_bytes = host_register_bytes>
struct HostColumn {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr int width = host_vector_width<Scalar>(RowsPolicy::host_column_bytes);
  using Vector               = HostVector<Scalar, width, register_bytes>;

  Arrays A;
  VectorArguments<Scalar> arguments;
  std::int64_t run;  ///< keys of a run; row i has the key row_map[i] + i

  void operator()(const std::int64_t index) const {
    const HostColumn own = *this;  // compilers see that no store to y changes it
    const Ordinal first = first_row_from(index * run), last = first_row_from((index + 1) * run);
    // Neighbouring elements of x, as nearly always, need no multiplication for their position.
    if (own.arguments.x.is_contiguous())
      own.add_rows(first, last, own.arguments.x.data);
    else
      own.add_rows(first, last, own.arguments.x);
  }

 private:
  template <class X>
  LACUNA_HOST_INLINE void add_rows(Ordinal first, Ordinal last, const X& x) const {
    for (Ordinal row = first; row < last; ++row) arguments.write(row, sum_of(A.row_map[row], A.row_map[row + 1], x));
  }

  template <class X>
  LACUNA_HOST_INLINE Scalar sum_of(Offset k, Offset end, const X& x) const {
    Vector sums = {};
    for (; k + width <= end; k += width) {
      if constexpr (asks_ahead) ask_for_nonzeros(A, k);
      sums.add_product(values_at(k), x_at(k, x));
    }
    // Only the last rows of A have nothing to read behind them.
    if (static_cast<std::int64_t>(k) + width <= static_cast<std::int64_t>(A.nonzeros)) {
      sums.add_first_products(values_at(k), x_at(k, x), static_cast<int>(end - k));
      return sums.total();
    }
    Scalar sum = sums.total();
    for (; k < end; ++k) sum += A.values[k] * x[A.entries[k]];
    return sum;
  }

  LACUNA_HOST_INLINE Vector values_at(Offset k) const { return Vector::load(A.values + k); }
  template <class X>
  LACUNA_HOST_INLINE Vector x_at(Offset k, const X& x) const {
    return Vector::of(Gathered<X>{x, A.entries + k});
  }
  /// Not a lambda: GCC calls some of those, and vectors go through memory.
  template <class X>
  struct Gathered {
    const X& x;
    const Ordinal* columns;
    LACUNA_HOST_INLINE Scalar operator()(int j) const { return x[columns[j]]; }
  };

  Ordinal first_row_from(std::int64_t key) const {
    Ordinal low = 0, high = A.rows;
    while (low < high) {
      const auto middle = static_cast<Ordinal>(low + (high - low) / 2);
      if (static_cast<std::int64_t>(A.row_map[middle]) + static_cast<std::int64_t>(middle) < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// y = alpha A x + beta y on a host. The matrix decides how rows are added up, not a thread's share of them: the same
/// bits for any number of threads. `short_even_rows`: what `has_short_even_rows` says. Does not fence.
template <class ExecutionSpace, class Arrays>
void host_column(const ExecutionSpace& exec, const char* label, const Arrays& A,
                 const VectorArguments<typename Arrays::Scalar>& arguments, bool short_even_rows) {
  const std::int64_t threads = std::max(1, exec.concurrency());
  const std::int64_t keys    = static_cast<std::int64_t>(A.nonzeros) + static_cast<std::int64_t>(A.rows);
  const std::int64_t run     = std::max<std::int64_t>(RowsPolicy::host_least_run, keys / (8 * threads));
  const std::int64_t items   = keys / run + 1;
  const auto start           = [&](const auto& kernel) { for_each_index(exec, label, items, kernel); };
  const bool asks_ahead      = asks_for_nonzeros(A);
  if (short_even_rows) {
    if (asks_ahead)
      start(HostShortRows<Arrays, true>{A, arguments, items});
    else
      start(HostShortRows<Arrays, false>{A, arguments, items});
  } else {
    if (asks_ahead)
      start(HostColumn<Arrays, true>{A, arguments, run});
    else
      start(HostColumn<Arrays, false>{A, arguments, run});
  }
}

}  // namespace lacuna::Impl

#endif
