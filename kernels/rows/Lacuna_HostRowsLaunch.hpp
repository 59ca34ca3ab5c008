// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTROWSLAUNCH_HPP
#define LACUNA_HOSTROWSLAUNCH_HPP

#include <kernels/rows/Lacuna_HostColumn.hpp>
#include <kernels/rows/Lacuna_HostRowBlocks.hpp>
#include <kernels/rows/Lacuna_HostRows.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief C = alpha A B + beta C on a host: starts the kernel for the layouts of B and C. Host code only.

namespace lacuna::Impl {

/// Whether x and y of a product with one column are what `host_column` takes.
template <class Scalar, class Output>
bool is_host_column(const BlockArguments<Scalar, Output>& arguments) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / static_cast<std::int64_t>(sizeof(Scalar));
  return std::is_same_v<Scalar, typename BlockArguments<Scalar, Output>::Arithmetic> &&
         std::is_same_v<Scalar, Output> && arguments.C.columns == 1 && arguments.B.row_stride <= most &&
         arguments.C.row_stride <= most;
}
template <class Scalar>
VectorArguments<Scalar> as_host_column(const BlockArguments<Scalar>& arguments) {
  const auto bytes = [](std::int64_t stride) {
    return static_cast<std::int32_t>(stride * static_cast<std::int64_t>(sizeof(Scalar)));
  };
  return {arguments.alpha,
          {arguments.B.data, bytes(arguments.B.row_stride)},
          arguments.beta,
          {arguments.C.data, bytes(arguments.C.row_stride)}};
}

/// C = alpha A B + beta C on a host. The same bits for any number of threads. `short_even_rows`: what
/// `has_short_even_rows` says, for products with one column. Does not fence.
template <class ExecutionSpace, class Arrays, class Output>
void host_rows(const ExecutionSpace& exec, const Arrays& A,
               const BlockArguments<typename Arrays::Scalar, Output>& arguments, bool short_even_rows) {
  constexpr auto label = "Lacuna::spmm::row_split";
  if constexpr (std::is_same_v<typename Arrays::Scalar, Output>)
    if (is_host_column(arguments)) return host_column(exec, label, A, as_host_column(arguments), short_even_rows);
  const std::int64_t work  = static_cast<std::int64_t>(A.nonzeros) + static_cast<std::int64_t>(A.rows);
  const std::int64_t items = std::min<std::int64_t>(std::max<std::int64_t>(work, 1),
                                                    RowsPolicy::host_items * std::int64_t{exec.concurrency()});
  const double bytes_of_b =
      static_cast<double>(A.columns) * static_cast<double>(arguments.C.columns) * sizeof(typename Arrays::Scalar);
  const bool prefetches  = bytes_of_b > RowsPolicy::host_prefetch_bytes;
  const auto start       = [&](const auto& kernel) { for_each_index(exec, label, items, kernel); };
  const bool B_row_major = arguments.B.row_major(), C_row_major = arguments.C.row_major();
  if (B_row_major && C_row_major)
    start(HostRows<Arrays, Output, true>{A, arguments, items, prefetches});
  else if (B_row_major)
    start(HostRowBlocks<Arrays, Output, true>{A, arguments, items, prefetches});
  else if (C_row_major)
    start(HostRows<Arrays, Output, false>{A, arguments, items, false});
  else
    start(HostRowBlocks<Arrays, Output, false>{A, arguments, items, false});
}

/// The same without a plan.
template <class ExecutionSpace, class Arrays, class Output>
void host_rows(const ExecutionSpace& exec, const Arrays& A,
               const BlockArguments<typename Arrays::Scalar, Output>& arguments) {
  host_rows(exec, A, arguments, arguments.C.columns == 1 && has_short_even_rows(A));
}

}  // namespace lacuna::Impl

#endif
