// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/published/naive/Lacuna_SpmvNaiveKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvAlignedKernel.hpp>
#include <kernels/spmv/published/thread_mapped/Lacuna_SpmvThreadMappedKernel.hpp>
#include <kernels/spmv/published/vector_csr/Lacuna_SpmvVectorCsrKernel.hpp>

#include <support/Emulated_Device.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <tuple>
#include <vector>

/// \file
/// \brief The steps of paper 002 give the same y; they differ in which thread reads what, and by which path. Nonzero k
/// stands in column k, so that the reads of x tell.

namespace lacuna::Test {
namespace {

/// A thread of a team reads the factor of nonzero `k`.
struct Read {
  int thread;
  std::int64_t k;
  bool cached;
  friend bool operator==(const Read&, const Read&) = default;
  friend std::ostream& operator<<(std::ostream& stream, const Read& read) {
    return stream << "thread " << read.thread << " reads " << read.k << (read.cached ? " cached" : " past the cache");
  }
};

std::vector<Read> reads;
const double* start_of_x = nullptr;

struct WatchedLanes : EmulatedLanes<32> {
  template <class T>
  static T load_l2_only(const T* source) {
    return watched(source, false);
  }
  template <class T>
  static T load_cached(const T* source) {
    return watched(source, true);
  }

 private:
  template <class T>
  static T watched(const T* source, bool cached) {
    reads.push_back({Fibres::running().thread(), source - start_of_x, cached});
    return *source;
  }
};

struct WatchedDevice : EmulatedDevice<32> {};

}  // namespace
}  // namespace lacuna::Test

namespace lacuna {

template <>
struct ExecutionTraits<Test::WatchedDevice> : ExecutionTraits<Test::EmulatedDevice<32>> {
  using lanes = Test::WatchedLanes;
};
namespace Impl {
template <>
struct DeviceLaunch<Test::WatchedDevice> : DeviceLaunch<Test::EmulatedDevice<32>> {};
}  // namespace Impl

namespace Test {
namespace {

using Arrays    = Impl::CrsArrays<double, int, int>;
using Arguments = Impl::VectorArguments<double>;

/// Rows that begin at a multiple of 16 or do not, that end within the first segment, and that are empty.
const std::vector<int> lengths{5, 40, 0, 21, 16, 3, 70, 33, 4};

/// Where each row begins, and the number of nonzeros.
std::vector<int> row_map() {
  std::vector<int> result{0};
  for (const int length : lengths) result.push_back(result.back() + length);
  return result;
}

/// What a kernel reads, thread by thread in the order of its reads. y is right.
template <class Run>
std::vector<Read> reads_of(const Run& run) {
  const std::vector<int> map = row_map();
  std::vector<int> entries(static_cast<std::size_t>(map.back()));
  std::iota(entries.begin(), entries.end(), 0);
  const std::vector<double> values(entries.size(), 1);
  std::vector<double> x(entries.begin(), entries.end()), y(lengths.size(), -1);
  start_of_x = x.data();
  reads.clear();
  run(Arrays{static_cast<int>(lengths.size()), map.back(), map.back(), map.data(), entries.data(), values.data()},
      Arguments{1, {x.data(), sizeof(double)}, 0, {y.data(), sizeof(double)}});
  for (std::size_t row = 0; row < lengths.size(); ++row)
    EXPECT_EQ(y[row], std::accumulate(x.begin() + map[row], x.begin() + map[row + 1], 0.0)) << "row " << row;
  std::stable_sort(reads.begin(), reads.end(), [](const Read& a, const Read& b) { return a.thread < b.thread; });
  return reads;
}

/// `lanes` threads a row, each from its place on in steps of `lanes`; with `segments` up to the next multiple of 16
/// first, then from there on.
std::vector<Read> expected(int lanes, bool segments, bool cached) {
  const std::vector<int> map = row_map();
  std::vector<Read> result;
  for (std::size_t row = 0; row < lengths.size(); ++row)
    for (int lane = 0; lane < lanes; ++lane) {
      const int thread = static_cast<int>(row) * lanes + lane;
      const int begin = map[row], end = map[row + 1];
      const int head = segments ? std::min((begin + 15) / 16 * 16, end) : begin;
      for (int k = begin + lane; k < head; k += lanes) result.push_back({thread, k, cached});
      for (int k = head + lane; k < end; k += lanes) result.push_back({thread, k, cached});
    }
  return result;
}

TEST(SpmvReads, NaiveIsAThreadARow) {
  EXPECT_EQ(reads_of([](const Arrays& A, const Arguments& arguments) {
              Impl::spmv_naive(WatchedDevice(), A, arguments, {});
            }),
            expected(1, false, false));
}

TEST(SpmvReads, ThreadMappingIs16ThreadsARow) {
  EXPECT_EQ(reads_of([](const Arrays& A, const Arguments& arguments) {
              Impl::spmv_thread_mapped(WatchedDevice(), A, arguments, {});
            }),
            expected(16, false, false));
}

TEST(SpmvReads, AlignedReadsSegmentsAfterTheHead) {
  EXPECT_EQ(reads_of([](const Arrays& A, const Arguments& arguments) {
              Impl::spmv_aligned(WatchedDevice(), A, arguments, {});
            }),
            expected(16, true, false));
}

TEST(SpmvReads, CachedIsAlignedWithXThroughTheCache) {
  EXPECT_EQ(reads_of([](const Arrays& A, const Arguments& arguments) {
              Impl::spmv_cached(WatchedDevice(), A, arguments, {});
            }),
            expected(16, true, true));
}

TEST(SpmvReads, VectorCsrIs32ThreadsARow) {
  // A team of 512 has room for all rows.
  for (const bool past : {false, true})
    EXPECT_EQ(reads_of([past](const Arrays& A, const Arguments& arguments) {
                Impl::spmv_vector_csr(WatchedDevice(), A, arguments, {.team_size = 512, .x_past_cache = past});
              }),
              expected(32, false, !past));
}

}  // namespace
}  // namespace Test
}  // namespace lacuna
