// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMREUSE_HPP
#define LACUNA_SPGEMMREUSE_HPP

#include <Lacuna_Device.hpp>
#include <Lacuna_SpgemmOptions.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief Whether a plan keeps its products (`KeepProducts::automatic`): plain values, a pure function.

namespace lacuna::Impl {

/// The numbers of the decision, see tuning.md.
struct SpgemmReusePolicy {
  /// Calls from which it is weighed. Not tuned.
  static constexpr std::int64_t least_calls = 20;
  /// Bytes that are kept unasked, at most. Not tuned.
  static constexpr double most_bytes = 4.0 * (std::int64_t{1} << 30);

  /// What a call with kept products costs, in bytes that take as long to copy.
  static constexpr double bytes_of_product = 17.5;
  static constexpr double bytes_of_nonzero = 27;
  /// What their set-up costs, in calls without.
  static constexpr double setup_calls = 22;

  /// The same on hosts, in seconds of a thread.
  static constexpr double host_product       = 0.6e-9;
  static constexpr double host_nonzero       = 1.0e-9;
  static constexpr double host_setup_product = 9e-9;
  static constexpr double host_setup_nonzero = 40e-9;
  /// The speed of the host that these seconds are of, and those of `SpgemmHostPolicy`; what of a product, as a power of
  /// the speed, other hosts take longer for: the rest waits for memory.
  static constexpr double host_speed = 0.8, host_power = 0.65;
};

/// How many times as long as on the host that costs were fitted on a product takes on this one.
inline double spgemm_host_factor(const HostRates& rates) {
  return std::pow(SpgemmReusePolicy::host_speed / rates.speed, SpgemmReusePolicy::host_power);
}

/// Whether products are kept, or that is weighed.
template <class Request>
bool may_keep_products(const Request& request) {
  if (request.keep_products != KeepProducts::automatic) return request.keep_products == KeepProducts::yes;
  return request.expected_calls >= SpgemmReusePolicy::least_calls;
}

/// What is weighed: a call without kept products takes `call_seconds`.
struct SpgemmReuseQuestion {
  double call_seconds       = 0;
  std::int64_t products     = 0;
  std::int64_t nonzeros     = 0;  ///< of C
  std::int64_t runs         = 0;  ///< nonzeros of A
  std::int64_t calls        = 0;
  std::size_t bytes_left    = unlimited;  ///< of the plan's memory limit
  std::size_t ordinal_bytes = 4;          ///< of a column of C
  bool has_positions        = true;       ///< 32 bits hold the positions of the nonzeros of A and of B
};

/// \brief What a plan does with later calls, and why.
struct SpgemmReuse {
  bool keeps           = false;
  bool was_weighed     = false;
  double kept_seconds  = 0;  ///< of a call with kept products
  double setup_seconds = 0;  ///< of keeping them
  double bytes         = 0;  ///< that they take
  double call_seconds  = 0;  ///< of a call without
  const char* because  = "";

  /// The same, where all takes so many times as long.
  SpgemmReuse slower_by(double factor) const {
    SpgemmReuse result = *this;
    result.kept_seconds *= factor;
    result.setup_seconds *= factor;
    result.call_seconds *= factor;
    return result;
  }
  /// Of a call by what was decided; 0 where nothing is estimated.
  double expected_seconds() const { return keeps ? kept_seconds : call_seconds; }

  std::string text() const {
    if (!was_weighed) return "";
    return std::string(keeps ? "kept" : "not kept") + because + ": a call takes about " + time_text(call_seconds) +
           " without, " + time_text(kept_seconds) + " with " + bytes_text(bytes) + " of them, which take " +
           time_text(setup_seconds) + " to make";
  }
};

inline SpgemmReuse spgemm_reuse(const Device& device, const SpgemmReuseQuestion& asked) {
  using Policy        = SpgemmReusePolicy;
  const auto products = static_cast<double>(asked.products), nonzeros = static_cast<double>(asked.nonzeros);
  SpgemmReuse reuse{.was_weighed = true, .call_seconds = asked.call_seconds};
  reuse.bytes = 2 * products + 16 * static_cast<double>(asked.runs) +
                static_cast<double>((device.is_gpu ? 6 : 0) + asked.ordinal_bytes) * nonzeros;
  if (device.is_gpu) {
    reuse.kept_seconds = device.launch_seconds +
                         (Policy::bytes_of_product * products + Policy::bytes_of_nonzero * nonzeros) / device.copy_rate;
    reuse.setup_seconds = Policy::setup_calls * asked.call_seconds;
  } else {
    const double threads = device.processors;
    reuse.kept_seconds =
        device.launch_seconds + (Policy::host_product * products + Policy::host_nonzero * nonzeros) / threads;
    reuse.setup_seconds = (Policy::host_setup_product * products + Policy::host_setup_nonzero * nonzeros) / threads;
  }
  const double gained = static_cast<double>(asked.calls) * (asked.call_seconds - reuse.kept_seconds);
  if (!asked.has_positions)
    reuse.because = ", for positions do not fit 32 bits";
  else if (reuse.bytes > static_cast<double>(asked.bytes_left))
    reuse.because = ", for memory_limit";
  else if (reuse.bytes > Policy::most_bytes)
    reuse.because = ", for their size (KeepProducts::yes keeps them)";
  else if (gained <= 0)
    reuse.because = ", since calls would be slower";
  else if (gained <= reuse.setup_seconds)
    reuse.because = ", for so few calls";
  else
    reuse.keeps = true;
  return reuse;
}

}  // namespace lacuna::Impl

#endif
