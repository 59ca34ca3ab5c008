// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSKERNEL_HPP
#define LACUNA_ROWSKERNEL_HPP

#include <kernels/rows/Lacuna_BlockArguments.hpp>
#include <kernels/rows/Lacuna_RowsSchedule.hpp>
#include <kernels/rows/Lacuna_RowsShape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief Which kernel of the rows engine runs, in which shape: a pure choice, and the list of what is compiled for it.

namespace lacuna::Impl {

/// Elements in a load of 16 bytes.
template <class Scalar>
inline constexpr int widest_load = std::max<int>(1, 16 / static_cast<int>(sizeof(Scalar)));

/// Columns of B that one load takes: the widest, half of it, or 1.
template <class Scalar>
inline constexpr std::array<int, 3> load_widths{widest_load<Scalar>, std::max(1, widest_load<Scalar> / 2), 1};

/// Columns of this B that one load can take. `padded`: rows of B can be read up to the next multiple of 16 bytes.
template <class Scalar>
int load_width(const DenseBlock<const Scalar>& B, bool padded) {
  for (const int width : load_widths<Scalar>)
    if (width > 1 && B.rows_aligned(width * static_cast<int>(sizeof(Scalar))) && (padded || B.columns % width == 0))
      return width;
  return 1;
}

/// Policies of the kernel for even rows, for scalars of so many bytes: all that `RowsPolicy::even_policy` may return,
/// and so all that are compiled.
template <std::size_t scalar_bytes>
inline constexpr std::array<EvenRowsPolicy, 0> even_rows_policies{};
template <>
inline constexpr std::array even_rows_policies<2>{
    RowsPolicy::even_middle_half, RowsPolicy::even_long(4, 1),  RowsPolicy::even_long(4, 2),
    RowsPolicy::even_long(4, 4),  RowsPolicy::even_long(8, 1),  RowsPolicy::even_long(8, 2),
    RowsPolicy::even_long(8, 4),  RowsPolicy::even_long(16, 1), RowsPolicy::even_long(16, 2),
    RowsPolicy::even_long(32, 1), RowsPolicy::even_wide_long};
template <>
inline constexpr std::array even_rows_policies<4>{
    RowsPolicy::staged(8),        RowsPolicy::staged(16),       RowsPolicy::staged(32),
    RowsPolicy::staged_wide,      RowsPolicy::even_narrow,      RowsPolicy::even_sixteen,
    RowsPolicy::even_short,       RowsPolicy::even_middle,      RowsPolicy::even_wide,
    RowsPolicy::even_long(4, 1),  RowsPolicy::even_long(4, 2),  RowsPolicy::even_long(4, 4),
    RowsPolicy::even_long(8, 1),  RowsPolicy::even_long(8, 2),  RowsPolicy::even_long(8, 4),
    RowsPolicy::even_long(16, 1), RowsPolicy::even_long(16, 2), RowsPolicy::even_long(32, 1),
    RowsPolicy::even_wide_long};
template <>
inline constexpr std::array even_rows_policies<8>{
    RowsPolicy::staged(16),   RowsPolicy::staged(32), RowsPolicy::staged_wide, RowsPolicy::even_narrow,
    RowsPolicy::even_sixteen, RowsPolicy::even_short, RowsPolicy::even_middle, RowsPolicy::even_wide};

/// How the general kernel is compiled: columns a load, loads a lane for each nonzero, nonzeros at once.
struct RowKernelPolicy {
  int vector, lane_vectors, unroll;
  constexpr bool operator==(const RowKernelPolicy&) const = default;
};

template <class Scalar>
constexpr auto make_row_kernel_policies() {
  constexpr int widest = widest_load<Scalar>, widths = widest > 2 ? 3 : widest;
  constexpr auto unroll = [](int vector, int lane_vectors) {
    return RowsPolicy::row_unroll(vector * lane_vectors * static_cast<int>(sizeof(Scalar)));
  };
  constexpr auto has_small = [unroll](int vector) { return unroll(vector, 1) > RowsPolicy::short_row_unroll; };
  constexpr int count      = [=] {
    int sum = 0;
    for (int i = 0; i < widths; ++i) sum += 3 + (has_small(i + 1 == widths ? 1 : widest >> i) ? 1 : 0);
    return sum;
  }();
  std::array<RowKernelPolicy, count> policies{};
  int at = 0;
  for (int i = 0; i < widths; ++i) {
    const int vector = i + 1 == widths ? 1 : widest >> i;
    for (const int lane_vectors : {1, 2, 4}) policies[at++] = {vector, lane_vectors, unroll(vector, lane_vectors)};
    if (has_small(vector)) policies[at++] = {vector, 1, RowsPolicy::short_row_unroll};
  }
  return policies;
}
/// All that `choose_row_shape` may return, and so all that are compiled.
template <class Scalar>
inline constexpr auto row_kernel_policies = make_row_kernel_policies<Scalar>();

/// Whether it may return the policy for sorted rows too. With the widest loads these have two lanes or more, and so no
/// tile that is narrow enough for the small unroll.
template <class Scalar>
constexpr bool takes_sorted_rows(const RowKernelPolicy& policy) {
  const bool is_small = policy.lane_vectors == 1 &&
                        policy.unroll < RowsPolicy::row_unroll(policy.vector * static_cast<int>(sizeof(Scalar)));
  return !is_small || policy.vector < widest_load<Scalar> || 2 * policy.vector <= RowsPolicy::small_unroll_columns;
}

/// What runs: the kernel for even rows by policy `even`, or where that is -1 the general kernel, or the one that walks
/// work items, in `shape`.
struct RowsKernel {
  RowsShape shape;
  int even = -1;
};

/// The policy for even rows of such `statistics`, an index of `even_rows_policies`, where that kernel serves, else -1.
/// Rows of B take the widest loads. `split_k`: what the general kernel would have, of which that for short rows has
/// none.
template <class Arrays>
int even_rows_kernel(const Arrays& A, const RowsStatistics& statistics, std::int64_t longest_here, std::int64_t columns,
                     int split_k) {
  constexpr int vector    = widest_load<typename Arrays::Scalar>;
  constexpr auto bytes    = sizeof(typename Arrays::Scalar);
  constexpr auto policies = even_rows_policies<bytes>;
  if constexpr (vector > 1 && !policies.empty()) {
    constexpr auto most_nonzeros = std::numeric_limits<typename Arrays::Offset>::max() - 64;  // and a round overflows
    if (longest_here < no_row_limit || columns % vector != 0 || A.nonzeros > most_nonzeros) return -1;
    const std::int64_t vectors = columns / vector;
    const double fill          = RowsPolicy::even_fill(statistics.rows, vectors, statistics.concurrency);
    if (split_k > 1 && !RowsPolicy::even_rows_are_long(vectors, statistics.mean, fill, bytes) &&
        !RowsPolicy::even_rows_are_staged(vectors, statistics.mean, fill, bytes))
      return -1;
    const EvenRowsPolicy policy = RowsPolicy::even_policy(vectors, statistics.mean, fill, bytes);
    const auto position         = std::find(policies.begin(), policies.end(), policy);
    if (position != policies.end()) return static_cast<int>(position - policies.begin());
  }
  return -1;
}

/// \param columns N > 0 \param width columns of B that one load can take, see `load_width`
template <class Arrays>
RowsKernel choose_rows_kernel(const Arrays& A, const RowsStatistics& statistics, RowsOrder order,
                              std::int64_t longest_here, std::int64_t columns, int width) {
  constexpr int widest = widest_load<typename Arrays::Scalar>;
  RowsKernel kernel{choose_row_shape(statistics, columns, widest, width, order)};
  if (order == RowsOrder::as_they_stand && kernel.shape.vector == widest)
    kernel.even = even_rows_kernel(A, statistics, longest_here, columns, kernel.shape.split_k);
  return kernel;
}

}  // namespace lacuna::Impl

#endif
