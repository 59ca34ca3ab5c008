// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVVECTORSLICESKERNEL_HPP
#define LACUNA_SPMVVECTORSLICESKERNEL_HPP

#include <formats/impl/vector_slices/Lacuna_VectorSlices.hpp>
#include <kernels/rows/Lacuna_HostVector.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>
#include <kernels/spmv/algorithms/vector_slices/Lacuna_SpmvVectorSlicesPolicy.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

/// \file
/// \brief SpMV of slices of 16 rows on a host: a row a number of a vector register. Host code only.

namespace lacuna::Impl {

/// Bound: bytes from memory, or two loads for 8 doubles on a diagonal, 17 and more elsewhere. No sum goes across a
/// register, and no loop ends with a row: what unevenly long rows cost most on a host is the wrongly predicted end of
/// each. Every sum is added in the order of the steps, whatever the number of threads.
template <class Format, int register_bytes = host_register_bytes>
struct SpmvVectorSlicesKernel {
  using Scalar  = typename Format::Scalar;
  using Ordinal = typename Format::Ordinal;
  using Slice   = typename Format::Slice;
  using Step    = typename Format::Step;

  static constexpr int slice_rows = Format::rows_per_slice;
  static constexpr int width      = std::min(slice_rows, host_vector_width<Scalar>(register_bytes));
  static constexpr int vectors    = slice_rows / width;
  using Vector                    = HostVector<Scalar, width, register_bytes>;

  Format A;
  VectorArguments<Scalar> arguments;
  std::int64_t items;

  /// Work item p takes the slices that begin in its share of the steps.
  void operator()(const std::int64_t item) const {
    const std::int64_t last = first_slice(item + 1);
    for (std::int64_t slice = first_slice(item); slice < last; ++slice) {
      // Neighbouring elements of x, as nearly always, are one load on a diagonal.
      if (arguments.x.stride_bytes == static_cast<std::int32_t>(sizeof(Scalar)))
        add_slice(slice, arguments.x.data);
      else
        add_slice(slice, arguments.x);
    }
  }

 private:
  std::int64_t first_slice(std::int64_t item) const {
    const std::int64_t count = A.slice_count();
    if (item == items) return count;
    const Slice* const slices = A.slices.data();
    const std::int64_t steps  = slices[count].step;
    const std::int64_t step   = item * (steps / items) + std::min(item, steps % items);
    const auto begins_before  = [](const Slice& slice, std::int64_t s) { return slice.step < s; };
    // Slices without a step stand before the next that has some: the first work item has those at the start.
    return item == 0 ? 0 : std::lower_bound(slices, slices + count, step, begins_before) - slices;
  }

  template <class X>
  void add_slice(std::int64_t number, const X& x) const {
    const Slice& slice     = A.slices(number);
    const Step* step       = A.steps.data() + slice.step;
    const Step* const last = A.steps.data() + A.slices(number + 1).step;
    const Scalar* values   = A.values.data() + slice.step * slice_rows;
    Vector sums[vectors]   = {};
    for (const Step* const end = step + slice.diagonals; step != end; ++step, values += slice_rows)
      add_step(*step, values, OnDiagonal<X>{x, step->base}, sums);
    if (slice.is_wide)
      add_gathers(step, last, values, A.wide.data() + slice.index * slice_rows, x, sums);
    else
      add_gathers(step, last, values, A.narrow.data() + slice.index * slice_rows, x, sums);
    write(number, slice.is_sorted, sums);
  }

  /// x of rows on a diagonal: its elements follow each other.
  template <class X>
  struct OnDiagonal {
    const X& x;
    Ordinal base;
    LACUNA_HOST_INLINE Scalar operator()(int row) const { return x[base + row]; }
    /// For the rows from `row` on.
    LACUNA_HOST_INLINE Vector from(int row) const {
      if constexpr (std::is_same_v<X, const Scalar*>)
        return Vector::load(x + base + row);
      else
        return Vector::of(OnDiagonal{x, static_cast<Ordinal>(base + row)});
    }
  };
  /// x of rows with columns of their own.
  template <class Index, class X>
  struct Gathered {
    const X& x;
    Ordinal base;
    const Index* columns;
    LACUNA_HOST_INLINE Scalar operator()(int row) const { return x[base + static_cast<Ordinal>(columns[row])]; }
    LACUNA_HOST_INLINE Vector from(int row) const { return Vector::of(Gathered{x, base, columns + row}); }
  };

  /// Those of a later step, all lines of them.
  LACUNA_HOST_INLINE static void ask_for_values(const Scalar* values) {
    constexpr std::size_t bytes = slice_rows * sizeof(Scalar), line = 64;
    prefetch_ahead(values, SpmvVectorSlicesPolicy::ahead);
    if constexpr (bytes > line) prefetch_ahead(values, SpmvVectorSlicesPolicy::ahead + line);
    if constexpr (bytes > 2 * line) {
      prefetch_ahead(values, SpmvVectorSlicesPolicy::ahead + 2 * line);
      prefetch_ahead(values, SpmvVectorSlicesPolicy::ahead + 3 * line);
    }
  }

  // Not lambdas: GCC 16 calls some of those, and vectors go through memory.
  template <class Here>
  LACUNA_HOST_INLINE static void add_step(const Step& step, const Scalar* values, const Here& here, Vector* sums) {
    ask_for_values(values);
    add_step(step, values, here, sums, std::make_integer_sequence<int, vectors>());
  }
  template <class Here, int... v>
  LACUNA_HOST_INLINE static void add_step(const Step& step, const Scalar* values, const Here& here, Vector* sums,
                                          std::integer_sequence<int, v...>) {
    if (step.rows == Format::all_rows)
      (sums[v].add_product(Vector::load(values + v * width), here.from(v * width)), ...);
    else
      (sums[v].add_product(Vector::load(values + v * width), here.from(v * width).kept(step.rows >> (v * width))), ...);
  }

  /// `columns`: 16 a step, counted from its base where they are narrow. Inline, so that sums stay in registers.
  template <class Index, class X>
  LACUNA_HOST_INLINE static void add_gathers(const Step* step, const Step* last, const Scalar* values,
                                             const Index* columns, const X& x, Vector* sums) {
    for (; step != last; ++step, values += slice_rows, columns += slice_rows) {
      const Ordinal base = std::is_same_v<Index, std::uint16_t> ? step->base : Ordinal(0);
      add_step(*step, values, Gathered<Index, X>{x, base, columns}, sums);
    }
  }

  void write(std::int64_t number, bool is_sorted, const Vector* sums) const {
    const std::int64_t slot = number * slice_rows;
    const auto left         = static_cast<int>(std::min<std::int64_t>(slice_rows, A.rows - slot));
    Scalar sum[slice_rows];
    for (int v = 0; v < vectors; ++v) sums[v].store(sum + v * width);
    if (is_sorted) {
      const std::int64_t window = slot / Format::rows_per_window * Format::rows_per_window;
      for (int r = 0; r < left; ++r) arguments.write(window + A.order(slot + r), sum[r]);
    } else {
      for (int r = 0; r < left; ++r) arguments.write(slot + r, sum[r]);
    }
  }
};

/// y = alpha A x + beta y on a host. The same bits for any number of threads. Does not fence.
template <class ExecutionSpace, class Format>
void spmv_vector_slices(const ExecutionSpace& exec, const Format& A,
                        const VectorArguments<typename Format::Scalar>& arguments) {
  const std::int64_t items =
      std::clamp<std::int64_t>(A.slice_count(), 1, SpmvVectorSlicesPolicy::items * std::int64_t{exec.concurrency()});
  for_each_index(exec, "Lacuna::spmv::vector_slices", items, SpmvVectorSlicesKernel<Format>{A, arguments, items});
}

}  // namespace lacuna::Impl

#endif
