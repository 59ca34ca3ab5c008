// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMV_ONESHOT_CASES_HPP
#define LACUNA_TEST_SPMV_ONESHOT_CASES_HPP

#include <kernels/spmv/algorithms/row_split/Lacuna_SpmvRowSplitStorage.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvOneShot.hpp>

#include <reference/Reference_Spmv.hpp>
#include <support/Test_Matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Products by the kernels for warps that SpMV has without a plan (one_shot) and with rows of SpMM
/// (row_split), compared with the reference: on a device, on a host thread, and on an emulated device.

namespace lacuna::Test {

/// \tparam Exec runs the kernel; \tparam Host an execution space of Kokkos that owns the memory.
template <class Exec, class Host, class ScalarType, class Ordinal, class Offset>
class LaneKernels {
 public:
  using Scalar = ScalarType;
  using Matrix = KokkosSparse::CrsMatrix<Scalar, Ordinal, typename Host::device_type, void, Offset>;
  using Arrays = Impl::CrsArraysOf<Matrix>;
  using Vector = Kokkos::View<Scalar*, typename Host::device_type>;
  using Kernel = Impl::SpmvOneShot<Exec, Arrays>;

  static constexpr std::int64_t longest = Kernel::longest;

  /// Every sample with the tiles that calls have and with small ones, so that rows reach into several.
  static void one_shot_samples() {
    for (const auto& samples : {sample_matrices<Scalar>(), messy_matrices<Scalar>(), skewed()})
      for (const auto& sample : samples) {
        one_shot(sample, 200, 200, Scalar(1), Scalar(0), 1);
        one_shot(sample, 64, 100, Scalar(-2.5), Scalar(0.75), 3);
        one_shot(sample, std::min<std::int64_t>(1024, longest), longest, Scalar(2), Scalar(0), 1);
      }
  }

  /// Rows that end at, in front of and behind the limits of tiles and of what fits into one.
  static void one_shot_limits() {
    Random random(4);
    for (const std::int64_t size : {63, 64, 65, 127, 128, 129, 640}) {
      std::vector<std::vector<std::int64_t>> rows;
      for (const std::int64_t before : {0, 1, 62, 3})
        for (const std::int64_t length : {before, size - 1, size, size + 1, std::int64_t{0}, std::int64_t{2}})
          rows.push_back(random.distinct(length, 3000));
      const NamedMatrix<Scalar> sample{"rows of about " + std::to_string(size), from_rows<Scalar>(3000, rows)};
      for (const std::int64_t most : {64, 65, 128}) one_shot(sample, 64, most, Scalar(1), Scalar(-1), 1);
    }
  }

  static void one_shot_has_the_same_bits() {
    const auto sample = skewed().front();
    const auto first  = one_shot(sample, 128, 128, Scalar(1), Scalar(0), 1);
    for (int run = 0; run < 3; ++run) EXPECT_TRUE(first == one_shot(sample, 128, 128, Scalar(1), Scalar(0), 1));
  }

  /// Rows as they stand, sorted, and in work items; the plan is made where Kokkos runs.
  static void row_split_samples() {
    for (const auto& samples : {sample_matrices<Scalar>(), messy_matrices<Scalar>(), skewed()})
      for (const auto& sample : samples)
        for (const int lanes_per_row : {0, 1, 4}) row_split(sample, lanes_per_row);
  }

  static std::vector<NamedMatrix<Scalar>> skewed() {
    Random random(3);
    const auto of_lengths = [&](const std::vector<std::int64_t>& lengths) {
      std::vector<std::vector<std::int64_t>> rows;
      for (const std::int64_t length : lengths) rows.push_back(random.distinct(length, 9000));
      return from_rows<Scalar>(9000, rows);
    };
    std::vector<std::int64_t> alone(700, 0), hubs(40, 300);
    alone[350] = 5000;
    hubs.insert(hubs.end(), 500, 1);
    std::vector<NamedMatrix<Scalar>> samples;
    samples.push_back(
        {"long rows among short ones", of_lengths({5, 4000, 0, 4096, 1097, 2, 1, 8000, 0, 0, 3, 1024, 1023, 2049, 6})});
    samples.push_back({"all rows empty but one", of_lengths(alone)});
    samples.push_back({"hubs first", of_lengths(hubs)});
    samples.push_back({"one row", of_lengths({9000})});
    samples.push_back({"a row of one", of_lengths({1})});
    samples.push_back({"power law", power_law_matrix<Scalar>(900, 900)});
    return samples;
  }

 private:
  /// y holds NaN where beta == 0; elements of x and y lie `spacing` apart.
  template <class Product>
  static std::vector<Scalar> check(const NamedMatrix<Scalar>& sample, const std::string& what, Scalar alpha,
                                   Scalar beta, int spacing, const Product& product) {
    using Real          = typename RealOf<Scalar>::type;
    const auto& host    = sample.matrix;
    const auto x        = random_vector<Scalar>(host.columns, 5);
    auto y              = random_vector<Scalar>(host.rows, 6);
    const Scalar marker = Scalar(77);
    if (beta == Scalar(0)) y.assign(y.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
    const auto spread = [&](const std::vector<Scalar>& values) {
      std::vector<Scalar> wide(values.size() * static_cast<std::size_t>(spacing), marker);
      for (std::size_t i = 0; i < values.size(); ++i) wide[i * static_cast<std::size_t>(spacing)] = values[i];
      return make_view<Vector>("vector", wide);
    };
    const Vector dx = spread(x), dy = spread(y);
    const auto bytes = static_cast<std::int32_t>(spacing * static_cast<int>(sizeof(Scalar)));
    const auto A     = make_crs<Matrix>(host);
    if (host.nonzeros() == 0) return y;  // no kernel runs
    product(A, Impl::VectorArguments<Scalar>{alpha, {dx.data(), bytes}, beta, {dy.data(), bytes}});
    Kokkos::fence();
    std::vector<Scalar> result(y.size());
    const auto wide = to_vector(dy);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      if (i % static_cast<std::size_t>(spacing) == 0)
        result[i / static_cast<std::size_t>(spacing)] = wide[i];
      else
        EXPECT_EQ(wide[i], marker) << sample.name << ", beside row " << i / static_cast<std::size_t>(spacing);
    }
    EXPECT_TRUE(matches(reference_spmv<Scalar>(Op::none, alpha, host, x, beta, y), result)) << sample.name << what;
    return result;
  }

  static std::vector<Scalar> one_shot(const NamedMatrix<Scalar>& sample, std::int64_t tile, std::int64_t most,
                                      Scalar alpha, Scalar beta, int spacing) {
    return check(sample, ", tiles of " + std::to_string(tile) + ", rows of up to " + std::to_string(most), alpha, beta,
                 spacing, [&](const Matrix& A, const auto& arguments) {
                   Impl::launch_spmv_one_shot(Exec(), Impl::arrays_of(A), arguments, tile, most);
                 });
  }

  static void row_split(const NamedMatrix<Scalar>& sample, int lanes_per_row) {
    const std::string lanes = ", lanes " + std::to_string(lanes_per_row);
    for (const char* what : {" as they stand", " as if even", " sorted", " in segments", " in work items"})
      check(sample, what + lanes, Scalar(-2.5), Scalar(0.75), 2, [&](const Matrix& A, const auto& arguments) {
        const Host host;
        const auto arrays = Impl::arrays_of(A);
        Impl::RowsView<Arrays> rows;
        Impl::RowsByLength<Arrays, typename Host::memory_space> sorted;
        Impl::RowPartition<Arrays, typename Host::memory_space> partition;
        const Impl::CrsWorkItemSize items{64, 96};
        if (what == std::string(" as if even")) rows.longest_here = Impl::no_row_limit;
        Impl::RowLimits limits{8, 64};
        if (what == std::string(" in segments")) limits.segment = 40;  // of rows above 80
        const auto statistics = Impl::schedule_statistics(host, arrays, items, limits);
        if (what == std::string(" sorted") || what == std::string(" in segments"))
          sorted = Impl::make_rows_by_length(host, arrays, statistics.kinds, limits), rows.sorted = sorted.order();
        if (what == std::string(" in work items")) {
          partition =
              Impl::make_row_partition(host, arrays, items, statistics, Impl::length_statistics(host, arrays).empty, 1);
          rows.items = partition.pointers();
        }
        host.fence();
        const auto shape = Impl::column_shape(Impl::rows_statistics(Exec(), arrays), rows.order(), lanes_per_row);
        Impl::launch_column(Exec(), arrays, Impl::one_column(arguments, arrays.rows, arrays.columns), rows, shape, 0);
      });
  }
};

}  // namespace lacuna::Test

#endif
