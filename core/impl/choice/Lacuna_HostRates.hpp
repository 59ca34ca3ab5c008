// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTRATES_HPP
#define LACUNA_HOSTRATES_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

/// \file
/// \brief How fast a host computes and reads, in plain values.

namespace lacuna::Impl {

/// \brief What the threads of a host do together. Costs of hosts are nanoseconds of one thread, of the host that they
/// were fitted on: `nominal` are its rates, with which choices are made.
struct HostRates {
  static constexpr std::size_t points = 5;
  using Curve                         = std::array<double, points>;

  double speed = 1;  ///< of a thread, in units of that host
  Curve sizes{};     ///< bytes, ascending, at which rates are known; between them logarithms are interpolated
  Curve reads{};     ///< bytes a second that are read in turn, over and over, from so many

  /// Of `threads` threads. Evidence: core/tuning.md.
  static constexpr HostRates nominal(int threads) {
    const HostRates of_a_thread{.sizes = {0.25e6, 1e6, 4e6, 16e6, 64e6}, .reads = {220e9, 180e9, 130e9, 75e9, 23e9}};
    return of_a_thread.scaled(threads);
  }
  /// So many times as many threads.
  constexpr HostRates scaled(double factor) const {
    HostRates rates = *this;
    for (double& rate : rates.reads) rate *= factor;
    return rates;
  }

  /// The faster of each rate; sizes are the same.
  constexpr HostRates or_faster(const HostRates& other) const {
    HostRates rates = *this;
    rates.speed     = std::max(speed, other.speed);
    for (std::size_t i = 0; i < points; ++i) rates.reads[i] = std::max(reads[i], other.reads[i]);
    return rates;
  }

  /// Seconds until `bytes` were read that are among `reach` bytes, again and again.
  double read_seconds(double bytes, double reach) const { return bytes / rate_at(reach); }
  /// Seconds until `bytes` were read once.
  double read_seconds(double bytes) const { return read_seconds(bytes, bytes); }

  constexpr bool operator==(const HostRates&) const = default;

 private:
  double rate_at(double bytes) const {
    const auto above = static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), bytes) - sizes.begin());
    if (above == 0) return reads.front();
    if (above == points) return reads.back();
    const double share = std::log(bytes / sizes[above - 1]) / std::log(sizes[above] / sizes[above - 1]);
    return reads[above - 1] * std::pow(reads[above] / reads[above - 1], share);
  }
};

}  // namespace lacuna::Impl

#endif
