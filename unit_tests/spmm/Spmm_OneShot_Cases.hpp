// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMM_ONESHOT_CASES_HPP
#define LACUNA_TEST_SPMM_ONESHOT_CASES_HPP

#include <kernels/rows/Lacuna_RowsOneShot.hpp>

#include <spmm/Spmm_Check.hpp>

#include <string>
#include <vector>

/// \file
/// \brief Products without a plan by the kernel for warps, compared with the reference: on a device, on a host
/// thread, and on an emulated device.

namespace lacuna::Test {

/// \tparam Exec runs the kernel; \tparam Host an execution space of Kokkos that owns the memory.
template <class Exec, class Host, class ScalarType, class Ordinal, class Offset>
class OneShotKernels {
 public:
  using Scalar = ScalarType;
  using Number = Arithmetic<Scalar>;
  using Device = typename Host::device_type;
  using Matrix = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;
  using Case   = SpmmCase<Scalar>;

  static void samples() {
    for (const auto& some : {sample_matrices<Scalar>(), messy_matrices<Scalar>(), skewed()})
      for (const auto& sample : some)
        check(sample, {{.columns = 8}, {.columns = 3, .alpha = Number(-2.5), .beta = Number(0.75)}});
  }

  static void every_number_of_columns() {
    std::vector<Case> cases;
    for (std::int64_t columns = 0; columns <= 20; ++columns) cases.push_back({.columns = columns});
    for (const std::int64_t columns : {32, 33, 48, 64, 100, 128, 130, 256, 260}) cases.push_back({.columns = columns});
    check(skewed().front(), cases);
  }

  static void every_storage() {
    const NamedMatrix<Scalar> sample{"uneven", uneven_matrix<Scalar>(45, 60, 40)};
    std::vector<Case> cases;
    for (const Storage b : storages)
      for (const Storage c : storages)
        for (const std::int64_t columns : {1, 7, 16})
          cases.push_back({.columns = columns, .alpha = Number(1.5), .beta = Number(-0.5), .b = b, .c = c});
    check(sample, cases);
  }

  /// Rows that end at, in front of and behind the limits of tiles and of what belongs to one.
  static void limits() {
    Random random(4);
    for (const std::int64_t size : {39, 40, 41, 79, 80, 81, 400}) {
      std::vector<std::vector<std::int64_t>> rows;
      for (const std::int64_t before : {0, 1, 38, 3})
        for (const std::int64_t length : {before, size - 1, size, size + 1, std::int64_t{0}, std::int64_t{2}})
          rows.push_back(random.distinct(length, 900));
      check({"rows of about " + std::to_string(size), from_rows<Scalar>(900, rows)},
            {{.columns = 2, .beta = Number(-1)}, {.columns = 36, .b = Storage::wide_rows}});
    }
  }

  static void the_same_bits() {
    const auto sample = skewed().front();
    const auto A      = make_crs<Matrix>(sample.matrix);
    const TestBlock<Scalar, Device> B(Storage::rows, sample.matrix.columns, 24,
                                      random_vector<Scalar>(sample.matrix.columns * 24));
    std::vector<Scalar> first;
    for (int run = 0; run < 3; ++run) {
      const TestBlock<Scalar, Device> C(Storage::rows, sample.matrix.rows, 24,
                                        random_vector<Scalar>(sample.matrix.rows * 24));
      multiply(A, Case{.columns = 24}, B.view, C.view, 64);
      Kokkos::fence();
      const auto now = to_row_major(C.view);
      if (run == 0) first = now;
      EXPECT_TRUE(first == now);
    }
  }

 private:
  static std::vector<NamedMatrix<Scalar>> skewed() {
    Random random(3);
    const auto of_lengths = [&](const std::vector<std::int64_t>& lengths) {
      std::vector<std::vector<std::int64_t>> rows;
      for (const std::int64_t length : lengths) rows.push_back(random.distinct(length, 1000));
      return from_rows<Scalar>(1000, rows);
    };
    std::vector<std::int64_t> alone(300, 0), hubs(12, 90);
    alone[150] = 900;
    hubs.insert(hubs.end(), 200, 1);
    std::vector<NamedMatrix<Scalar>> samples;
    samples.push_back({"rows of many lengths",
                       of_lengths({5, 900, 0, 24, 25, 2, 1, 200, 0, 0, 3, 26, 23, 49, 6, 64, 4, 700, 800, 1})});
    samples.push_back({"all rows empty but one", of_lengths(alone)});
    samples.push_back({"hubs first", of_lengths(hubs)});
    samples.push_back({"one row of all", of_lengths({1000})});
    std::vector<std::int64_t> limits{62, 63, 64, 65, 66, 0, 130};  // what a subwarp takes alone ends at 64 …
    limits.insert(limits.begin() + 3, 45, 2);
    samples.push_back({"rows about the longest of a subwarp", of_lengths(limits)});
    std::vector<std::int64_t> means(61, 20);  // … or at 4 times the mean, which is 20 here
    for (const std::int64_t length : {79, 80, 81, 1, 1, 0, 0, 0, 0, 0}) means.push_back(length);
    means.insert(means.begin(), {0, 0});
    samples.push_back({"rows about four times the mean", of_lengths(means)});
    return samples;
  }

  template <class B, class C>
  static void multiply(const Matrix& A, const Case& call, const B& b, const C& c, std::int64_t tile) {
    const auto arrays    = Impl::arrays_of(A);
    const auto arguments = Impl::make_block_arguments<Scalar>(call.alpha, b, call.beta, c, arrays.rows, arrays.columns);
    if (Impl::spmm_without_product(Host(), arguments, static_cast<std::int64_t>(arrays.nonzeros))) return;
    Impl::spmm_one_shot<true>(Exec(), arrays, arguments, tile);
  }

  /// Tiles as calls have them, and small ones.
  static void check(const NamedMatrix<Scalar>& sample, const std::vector<Case>& cases) {
    const auto A = make_crs<Matrix>(sample.matrix);
    for (const std::int64_t tile : {0, 40})
      for (const Case& call : cases)
        check_spmm<Device>(sample, call, "tiles of " + std::to_string(tile),
                           [&](const Case& now, const auto& b, const auto& c) { multiply(A, now, b, c, tile); });
  }
};

}  // namespace lacuna::Test

#endif
