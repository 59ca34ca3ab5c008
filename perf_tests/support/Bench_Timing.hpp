// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_TIMING_HPP
#define LACUNA_BENCH_TIMING_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

/// \file
/// \brief The steady time of one call: warm up, then batches of calls back to back between two fences, and the median
/// of the batches. The time of a batch is the device's own (events) where there is one.

namespace lacuna::bench {

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Device         = ExecutionSpace::device_type;

struct TimingOptions {
  double min_time = 0.1;    ///< seconds of measured calls
  int batches     = 10;     ///< of which the median counts
  bool cold       = false;  ///< every call alone, with nothing left in the caches
};

struct SteadyTime {
  double seconds     = 0;
  double spread      = 0;  ///< interquartile range over median
  std::int64_t calls = 0;
};

/// \brief Seconds from `start` to `stop`, with whatever `exec` was given in between.
class Stopwatch {
 public:
  explicit Stopwatch(const ExecutionSpace& exec) : m_exec(exec) {
#if defined(KOKKOS_ENABLE_CUDA)
    cudaEventCreate(&m_begin);
    cudaEventCreate(&m_end);
#endif
  }
  ~Stopwatch() {
#if defined(KOKKOS_ENABLE_CUDA)
    cudaEventDestroy(m_begin);
    cudaEventDestroy(m_end);
#endif
  }
  Stopwatch(const Stopwatch&)            = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start() {
    m_exec.fence("Lacuna::bench: before the measured calls");
    m_start = std::chrono::steady_clock::now();
#if defined(KOKKOS_ENABLE_CUDA)
    cudaEventRecord(m_begin, m_exec.cuda_stream());
#endif
  }

  double stop() {
#if defined(KOKKOS_ENABLE_CUDA)
    cudaEventRecord(m_end, m_exec.cuda_stream());
#endif
    m_exec.fence("Lacuna::bench: after the measured calls");
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
#if defined(KOKKOS_ENABLE_CUDA)
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, m_begin, m_end);
    const double events = milliseconds * 1e-3;
    // The clock of the host sees a start and a fence more. Where it sees a lot more, work went past the stream that
    // the events stand in, and then the host is right.
    if (wall <= 1.25 * events + 100e-6) return events;
#endif
    return wall;
  }

 private:
  ExecutionSpace m_exec;
  std::chrono::steady_clock::time_point m_start;
#if defined(KOKKOS_ENABLE_CUDA)
  cudaEvent_t m_begin{}, m_end{};
#endif
};

/// \brief Median and interquartile range over median of some times.
inline SteadyTime summarise(std::vector<double> times, std::int64_t calls) {
  std::sort(times.begin(), times.end());
  const std::size_t count = times.size();
  const double median     = count % 2 == 1 ? times[count / 2] : 0.5 * (times[count / 2 - 1] + times[count / 2]);
  const double range      = times[count - 1 - count / 4] - times[count / 4];
  return {median, median > 0 ? range / median : 0, calls};
}

/// \brief Memory larger than any cache, written to empty the caches of what a call left there.
class CacheFlush {
 public:
  explicit CacheFlush(bool wanted) {
    if (wanted) m_buffer = Kokkos::View<char*, Device>("Lacuna::bench::flush", std::size_t{256} << 20);
  }
  void operator()(const ExecutionSpace& exec) {
    if (m_buffer.extent(0) > 0) Kokkos::deep_copy(exec, m_buffer, static_cast<char>(++m_value));
  }

 private:
  Kokkos::View<char*, Device> m_buffer;
  int m_value = 0;
};

/// \brief About how long a call takes: the least of a few, so that one interruption does not make a short call look
/// long. A call of more than `long_call` seconds is made once only.
template <class Call>
double estimate_time(const ExecutionSpace& exec, const Call& call, double long_call = 0.05) {
  Stopwatch watch(exec);
  const auto batch = [&](std::int64_t calls) {
    watch.start();
    for (std::int64_t i = 0; i < calls; ++i) call();
    return watch.stop() / static_cast<double>(calls);
  };
  double estimate = batch(1);
  for (int i = 0; i < 3 && estimate < long_call; ++i) estimate = std::min(estimate, batch(1));
  for (int i = 0; i < 2 && estimate < 1e-3; ++i) estimate = std::min(estimate, batch(10));
  return estimate;
}

/// \brief The steady time of `call`, of which `estimate` says about how long it takes.
template <class Call>
SteadyTime steady_time(const ExecutionSpace& exec, const TimingOptions& options, const Call& call, double estimate) {
  Stopwatch watch(exec);
  const auto batch = [&](std::int64_t calls) {
    watch.start();
    for (std::int64_t i = 0; i < calls; ++i) call();
    return watch.stop();
  };
  std::vector<double> times;
  const auto enough = [&](double elapsed) {
    return times.size() >= 3 && elapsed > std::max(4 * options.min_time, 0.2);  // a call longer than foreseen
  };
  double elapsed = 0;
  if (options.cold) {
    CacheFlush flush(true);
    const auto wanted = static_cast<std::size_t>(std::max(options.batches, 10));
    while (times.size() < wanted && !enough(elapsed)) {
      flush(exec);
      times.push_back(batch(1));
      elapsed += times.back();
    }
    return summarise(times, static_cast<std::int64_t>(times.size()));
  }

  const double per_batch   = options.min_time / options.batches / std::max(estimate, 1e-7);
  const std::int64_t calls = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(per_batch)), 1, 20000);
  while (static_cast<int>(times.size()) < options.batches && !enough(elapsed)) {
    const double seconds = batch(calls);
    elapsed += seconds;
    times.push_back(seconds / static_cast<double>(calls));
  }
  return summarise(times, calls * static_cast<std::int64_t>(times.size()));
}

template <class Call>
SteadyTime steady_time(const ExecutionSpace& exec, const TimingOptions& options, const Call& call) {
  return steady_time(exec, options, call, estimate_time(exec, call));
}

/// \brief Seconds of `setup`, which starts over at each call: the median of `repeats` after one to warm up, or what
/// the first took where that is long. `clear` runs before each, and its time does not count.
template <class Clear, class Setup>
double setup_time(const ExecutionSpace& exec, const Clear& clear, const Setup& setup, int repeats = 3) {
  const auto timed = [&] {
    clear();
    exec.fence("Lacuna::bench: before the set-up");
    const auto start = std::chrono::steady_clock::now();
    setup();
    exec.fence("Lacuna::bench: after the set-up");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double first = timed();
  if (first > 0.3) return first;
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) times.push_back(timed());
  return summarise(times, repeats).seconds;
}

}  // namespace lacuna::bench

#endif
