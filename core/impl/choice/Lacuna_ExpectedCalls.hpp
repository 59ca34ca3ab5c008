// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EXPECTEDCALLS_HPP
#define LACUNA_EXPECTEDCALLS_HPP

#include <Lacuna_Device.hpp>

#include <cstdint>
#include <limits>
#include <optional>

/// \file
/// \brief For how many products a plan is made, where its user says so and where not.

namespace lacuna::Impl {

struct ExpectedCallsPolicy {
  static constexpr std::int64_t unsaid = 1000;  ///< products that a choice reckons with where nobody says
  /// Products that a set-up on a host may take as long as, where nobody says: a promise, not tuned.
  static constexpr double most_setup = 10;
};

/// Products that a choice reckons with.
template <class Request>
std::int64_t expected_calls(const Request& request) {
  return std::optional<std::int64_t>(request.expected_calls).value_or(ExpectedCallsPolicy::unsaid);
}

/// In products, how long a set-up may be.
template <class Request>
double most_setup_calls(const Device& device, const Request& request) {
  const bool is_said = std::optional<std::int64_t>(request.expected_calls).has_value();
  return device.is_gpu || is_said ? std::numeric_limits<double>::infinity() : ExpectedCallsPolicy::most_setup;
}

}  // namespace lacuna::Impl

#endif
