// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MEASUREDHOST_HPP
#define LACUNA_MEASUREDHOST_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/choice/Lacuna_HostRates.hpp>
#include <core/impl/generators/Lacuna_Random.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

/// \file
/// \brief The rates of the host that a program runs on, for the times that plans tell. Choices do not ask for them:
/// they would differ from run to run, and the bits of results with them.

namespace lacuna::Impl {

/// How hosts are measured. Not tuned: as short as gives the same rates twice.
struct HostMeter {
  static constexpr int rounds = 4, times = 8;
  static constexpr double seconds_between = 1;  ///< a host that was disturbed is measured again

  /// CSR rows of 8 in the second cache, and what a nonzero takes on the host that costs were fitted on.
  static constexpr int rows = 2048, row_length = 8, columns = 2048, row_passes = 64;
  static constexpr double nominal_nonzero = 0.28e-9;

  /// Largest array, of up to `threads_a_share` threads; each of the sizes below is a quarter of the next.
  static constexpr std::size_t largest_bytes = std::size_t{64} << 20;
  static constexpr int threads_a_share       = 16;
  /// Bytes that are read for a rate at least, all threads together.
  static constexpr std::size_t least_read = std::size_t{128} << 20;
};

/// \brief Reads an array with so many threads of the host, and multiplies by a small matrix. Host code only.
class HostMeasurement {
  using Word  = std::uint64_t;
  using Space = Kokkos::DefaultHostExecutionSpace;

 public:
  explicit HostMeasurement(int threads)
      : m_threads(threads),
        m_words((HostMeter::largest_bytes / sizeof(Word)) *
                std::bit_ceil(static_cast<unsigned>(std::max(1, threads / HostMeter::threads_a_share)))),
        m_array(new Word[m_words]),
        m_sums(static_cast<std::size_t>(threads)),
        m_values(HostMeter::rows * HostMeter::row_length, 1.0),
        m_x(HostMeter::columns, 1.0),
        m_columns(m_values.size()) {
    for (std::size_t i = 0; i < m_columns.size(); ++i)
      m_columns[i] = static_cast<int>(random_bits(0, i) % HostMeter::columns);
    on_threads([this](std::size_t thread) {
      const auto [first, last] = share_of(thread, m_words);
      std::fill(m_array.get() + first, m_array.get() + last, Word{1});
    });
  }

  /// All of it several times, the fastest of each: what disturbs a host only slows it down, and passes.
  HostRates rates() {
    HostRates best{.speed = 0};
    for (int round = 0; round < HostMeter::rounds; ++round) {
      std::size_t words = m_words;
      for (std::size_t point = HostRates::points; point-- > 0; words /= 4) {
        best.sizes[point] = static_cast<double>(words * sizeof(Word));
        best.reads[point] = std::max(best.reads[point], rate_in_turn(words));
        best.speed        = std::max(best.speed, HostMeter::nominal_nonzero / seconds_of_a_nonzero());
      }
    }
    return best;
  }

 private:
  std::pair<std::size_t, std::size_t> share_of(std::size_t thread, std::size_t words) const {
    const std::size_t share = words / static_cast<std::size_t>(m_threads) / 64 * 64;
    return {thread * share, thread + 1 == static_cast<std::size_t>(m_threads) ? words : (thread + 1) * share};
  }

  /// function(i) on thread i.
  template <class Function>
  void on_threads(const Function& function) const {
    Kokkos::parallel_for(
        "Lacuna::measure_host",
        Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>>(Space(), 0, m_threads).set_chunk_size(1),
        function);
    Space().fence("Lacuna: the host was measured");
  }

  /// Of a function for each thread that returns a sum, so that nothing is left out.
  template <class Function>
  double seconds(const Function& function) {
    const Kokkos::Timer timer;
    on_threads([&](std::size_t thread) { m_sums[thread] = function(thread); });
    const double taken = timer.seconds();
    for (const double sum : m_sums) m_sink = m_sink + sum;
    return taken;
  }

  double seconds_of_a_nonzero() {
    const double taken = seconds([this](std::size_t) {
      double sum = 0;
      for (int pass = 0; pass < HostMeter::row_passes; ++pass)
        for (std::size_t k = 0; k < m_values.size();) {
          double of_row = 0;
          for (const std::size_t end = k + HostMeter::row_length; k < end; ++k)
            of_row += m_values[k] * m_x[static_cast<std::size_t>(m_columns[k])];
          sum += of_row;
        }
      return sum;
    });
    return taken / (HostMeter::row_passes * static_cast<double>(m_values.size()));
  }

  /// A word of every 32 bytes: cache lines come, and nothing else is waited for.
  double rate_in_turn(std::size_t words) {
    const std::size_t bytes  = words * sizeof(Word);
    const std::size_t passes = std::max<std::size_t>(1, HostMeter::least_read / bytes);
    const double taken       = seconds([&](std::size_t thread) {
      const auto [first, last] = share_of(thread, words);
      Word sum[4]              = {};
      for (std::size_t pass = 0; pass < passes; ++pass)
        for (std::size_t word = first; word + 16 <= last; word += 16)
          for (std::size_t i = 0; i < 4; ++i) sum[i] += m_array[word + 4 * i];
      return static_cast<double>(sum[0] + sum[1] + sum[2] + sum[3]);
    });
    return static_cast<double>(passes * bytes) / taken;
  }

  int m_threads;
  std::size_t m_words;
  std::unique_ptr<Word[]> m_array;
  std::vector<double> m_sums, m_values, m_x;
  std::vector<int> m_columns;
  volatile double m_sink = 0;
};

/// \brief Of so many threads of this host. They are measured when they are asked for first, and again when they are
/// asked for later, `HostMeter::times` in all; the fastest of each counts. That takes 64 MB, of more than 16 threads in
/// proportion, and as long as core/tuning.md says. Nominal ones where there is no memory for it. Any thread may ask.
inline HostRates measured_host_rates(int threads) {
  struct Known {
    HostRates rates;
    int times = 0;
    Kokkos::Timer since;
  };
  static std::mutex mutex;
  static std::map<int, Known> of;
  const int most = std::clamp(threads, 1, std::max(1, Kokkos::DefaultHostExecutionSpace().concurrency()));
  const std::lock_guard lock(mutex);
  Known& known = of[most];
  if (known.times > 0 && (known.times == HostMeter::times || known.since.seconds() < HostMeter::seconds_between))
    return known.rates;
  try {
    const HostRates rates = HostMeasurement(most).rates();
    known.rates           = known.times > 0 ? known.rates.or_faster(rates) : rates;
    ++known.times;
    known.since.reset();
    return known.rates;
  } catch (const std::bad_alloc&) {
    return known.times > 0 ? known.rates : HostRates::nominal(most);
  }
}

/// The device with rates that were measured, where it is a host.
inline Device as_measured(Device device) {
  if (device.is_gpu) return device;
  device.host_rates  = measured_host_rates(device.processors);
  device.copy_rate   = device.host_rates.reads.back();
  device.gather_rate = device.host_rates.reads[HostRates::points / 2];
  return device;
}

}  // namespace lacuna::Impl

#endif
