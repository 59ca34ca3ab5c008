// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CHOICE_HPP
#define LACUNA_CHOICE_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/choice/Lacuna_ExpectedCalls.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// \brief How every operation chooses among its algorithms: the least set-up + expected calls × time, of those that are
/// supported and fit the memory. A pure function of plain numbers: no clock, no device, no state.
///
/// What an algorithm is stands in kernels/plan/Lacuna_PlanBase.hpp.

namespace lacuna::Impl {

/// Yes, or why not.
struct Support {
  std::string why_not;
  explicit operator bool() const { return why_not.empty(); }
};

/// Why hosts lack an algorithm whose kernels are written for lanes: `instead` serves there. Reports say so once.
template <class Algorithm>
Support needs_lanes(const Device& device, Algorithm algorithm, std::string_view instead) {
  if (device.has_lanes) return {};
  return {"algorithm " + std::string(name(algorithm)) + ": written for GPUs, hosts have " + std::string(instead)};
}

/// Whether an algorithm says of itself that its products read the values of a matrix where the matrix has them.
template <class Algorithm>
constexpr bool reads_given_values() {
  if constexpr (requires { Algorithm::reads_values_of_A; })
    return Algorithm::reads_values_of_A;
  else
    return false;
}

/// What the algorithm says of itself, and what requests say of all: `reads_values_of_A`.
template <class Algorithm, class Request>
Support support_of(const Device& device, const Request& request) {
  if constexpr (requires { request.reads_values_of_A; })
    if (request.reads_values_of_A && !reads_given_values<Algorithm>())
      return {"algorithm " + std::string(name(Algorithm::id)) + ": keeps a copy of the values of A"};
  return Algorithm::supports(device, request);
}

/// What an algorithm is expected to cost.
struct Estimate {
  double call_seconds  = 0;
  double setup_seconds = 0;
  std::size_t bytes    = 0;   ///< that the plan will allocate for it beside what it holds
  std::string reason   = {};  ///< what makes it so, for a reader

  double total(std::int64_t calls) const { return setup_seconds + static_cast<double>(calls) * call_seconds; }
  /// Whether making it, `more` seconds of inspection too, is not longer than `calls` products.
  bool is_made_within(double calls, double more = 0) const { return !(setup_seconds + more > calls * call_seconds); }
};

/// The best estimate that inspecting a stage can lead to, or why it can lead to none.
struct OptimisticBound {
  std::optional<Estimate> estimate;
  std::string reason;
};

/// An operation's algorithms, in the order in which equals are preferred.
template <class... Algorithms>
struct AlgorithmList {
  static constexpr std::size_t size = sizeof...(Algorithms);

  /// visit.template operator()<Algorithm>(its index) for each.
  template <class Visit>
  static void for_each(const Visit& visit) {
    std::size_t index = 0;
    (visit.template operator()<Algorithms>(index++), ...);
  }
};

/// What became of an algorithm in a choice.
struct Candidate {
  bool supported = false;
  bool estimated = false;
  bool fits      = false;
  Estimate estimate;  ///< where estimated; else `reason` says why not
};

template <std::size_t size>
struct Choice {
  static constexpr std::size_t none = size;

  std::size_t index       = none;
  std::int64_t break_even = 0;  ///< calls after which the set-up is paid back; 0 where there is none to pay back
  std::array<Candidate, size> candidates;

  const Estimate& estimate() const { return candidates[index].estimate; }

  /// Against the fastest of the candidates with the least set-up.
  void find_break_even() {
    const auto cost          = [](const Estimate& of) { return std::pair(of.setup_seconds, of.call_seconds); };
    const Estimate* cheapest = &estimate();
    for (const Candidate& candidate : candidates)
      if (candidate.fits && cost(candidate.estimate) < cost(*cheapest)) cheapest = &candidate.estimate;
    const double gain = cheapest->call_seconds - estimate().call_seconds;
    const double more = estimate().setup_seconds - cheapest->setup_seconds;
    break_even        = more > 0 && gain > 0 ? static_cast<std::int64_t>(std::min(more / gain, 1e15)) + 1 : 0;
  }
};

template <std::size_t size>
using Excluded = std::array<bool, size>;  ///< algorithms that are not to be taken

/// Seconds to inspect a stage. Slices and offsets are passes over the columns: not tuned, nor are `runs`.
/// Evidence: core/tuning.md.
inline double inspection_seconds(Stage stage, const Device& device, const Inspection& inspection) {
  const double fixed = 2 * device.allocate_seconds + device.transfer_seconds + 4 * device.launch_seconds;
  const auto rows = static_cast<double>(inspection.rows), nonzeros = static_cast<double>(inspection.nonzeros);
  switch (stage) {
    case Stage::lengths: return device.transfer_seconds + device.launch_seconds + 8 * rows / device.copy_rate;
    case Stage::panels:
    case Stage::tall_panels: return fixed + 120 * nonzeros / device.copy_rate;
    case Stage::runs: return fixed + 16 * nonzeros / device.copy_rate;
    case Stage::diagonals: return fixed;
    case Stage::diagonal_slices: return fixed + 16 * nonzeros / device.copy_rate;
    case Stage::slices: return fixed + 12 * nonzeros / device.copy_rate;
    case Stage::vector_slices: return fixed + 4 * nonzeros / device.copy_rate;
    case Stage::offsets: return 2 * fixed + (12 * nonzeros + 32 * rows) / device.copy_rate;
    case Stage::clusters: return 330 * device.launch_seconds + 6e-9 * rows;
  }
  return 0;
}

/// The choice by what is known so far: an `Inspection`, or what another operation knows of its matrices. `left`: bytes
/// that may be allocated.
template <class List, class Known, class Request>
Choice<List::size> choose(const Device& device, const Known& inspection, const Request& request, std::size_t left,
                          const Excluded<List::size>& excluded = {}) {
  Choice<List::size> choice;
  double least            = std::numeric_limits<double>::infinity();
  const double most_setup = most_setup_calls(device, request);
  List::for_each([&]<class Algorithm>(std::size_t i) {
    Candidate& candidate      = choice.candidates[i];
    const Support support     = support_of<Algorithm>(device, request);
    candidate.supported       = static_cast<bool>(support);
    candidate.estimate.reason = support.why_not;
    if (!candidate.supported || excluded[i]) return;
    if constexpr (requires { Algorithm::needs; }) {
      if (!is_known(inspection, Algorithm::needs)) {
        candidate.estimate.reason = Algorithm::optimistic_bound(device, inspection, request, Algorithm::needs).reason;
        return;
      }
    }
    candidate.estimate  = Algorithm::estimate(device, inspection, request);
    candidate.estimated = true;
    candidate.fits      = candidate.estimate.bytes <= left;
    const double total  = candidate.estimate.total(expected_calls(request));
    if (!candidate.fits || !candidate.estimate.is_made_within(most_setup) || !(total < least)) return;
    least        = total;
    choice.index = i;
  });
  if (choice.index != Choice<List::size>::none) choice.find_break_even();
  return choice;
}

/// Whether inspecting `stage` may lead to another choice that pays for the inspection too.
template <class List, class Request>
bool worth_inspecting(Stage stage, const Device& device, const Inspection& inspection, const Request& request,
                      std::size_t left) {
  const auto best         = choose<List>(device, inspection, request, left);
  const double cost       = inspection_seconds(stage, device, inspection);
  const double most_setup = most_setup_calls(device, request);
  const double now        = best.index == best.none ? std::numeric_limits<double>::infinity()
                                                    : best.estimate().total(expected_calls(request));
  bool worth              = false;
  List::for_each([&]<class Algorithm>(std::size_t) {
    if (!support_of<Algorithm>(device, request)) return;
    const std::optional<Estimate> best_case = Algorithm::optimistic_bound(device, inspection, request, stage).estimate;
    worth = worth || (best_case && best_case->bytes <= left && best_case->is_made_within(most_setup, cost) &&
                      cost + best_case->total(expected_calls(request)) < now);
  });
  return worth;
}

}  // namespace lacuna::Impl

#endif
