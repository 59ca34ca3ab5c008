// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_MEASURE_HPP
#define LACUNA_BENCH_MEASURE_HPP

#include <rivals/Rival.hpp>
#include <support/Bench_GraphTime.hpp>
#include <support/Bench_Reference.hpp>
#include <support/Bench_Session.hpp>
#include <support/Bench_Table.hpp>
#include <support/Bench_Timing.hpp>

#include <algorithm>
#include <limits>
#include <memory>

/// \file
/// \brief One candidate: set up, checked, timed.

namespace lacuna::bench {

/// \brief How much time a candidate is worth.
struct Effort {
  TimingOptions timing;
  int setups  = 3;  ///< timed set-ups, after one to warm up
  double best = 0;  ///< seconds a call of the best of its kind so far; 0: none yet
  /// So many times slower than the best, a candidate that need not be kept is given up, and any other timed briefly.
  double hopeless = 5;
  double behind   = 1.5;
  /// Seconds of a first call, from which on it says as much as another one would.
  double long_first = 0.1;
  /// Seconds of a first call, from which on it is the only one: of what has nothing to warm up.
  double only_call = std::numeric_limits<double>::infinity();
};

/// \brief The least time so far, 0 for none, once `measurement` is there.
inline double better_of(double best, const Measurement& measurement) {
  if (!measurement.skipped.empty() || measurement.wrong) return best;
  return best == 0 ? measurement.seconds : std::min(best, measurement.seconds);
}

/// \brief Seconds from which on one call says how long the others take: where it is a whole batch by itself, or more
/// than is worth any other.
inline double long_call(const Effort& effort, double hopeless) {
  const double batch = effort.timing.min_time / effort.timing.batches;
  return std::min({0.05, std::max(hopeless, 1e-3), std::max(batch, 1e-3)});
}

/// \brief Sets the candidate up, calls it once and checks the result, then times its calls where that is right.
/// `prepare` makes the operands ready, `check` returns the error of the result.
template <class Prepare, class Check>
Measurement measure_candidate(const ExecutionSpace& exec, const Candidate& candidate, const Effort& effort,
                              const Prepare& prepare, const Check& check) {
  const std::unique_ptr<Implementation> implementation = candidate.make();
  Measurement measurement;
  if (implementation->has_setup())
    measurement.setup_seconds = setup_time(
        exec, [&] { implementation->clear(); }, [&] { implementation->setup(); }, effort.setups);
  else
    implementation->setup();

  prepare();
  Stopwatch watch(exec);
  watch.start();
  implementation->run();
  const double first           = watch.stop();
  const ErrorOfResult error    = check();
  measurement.relative_error   = error.relative;
  measurement.wrong            = error.wrong;
  measurement.persistent_bytes = implementation->persistent_bytes();
  measurement.temporary_bytes  = implementation->temporary_bytes();
  measurement.expected_seconds = implementation->expected_seconds();
  measurement.label            = implementation->label();
  measurement.report           = implementation->report();
  if (measurement.wrong) return measurement;  // its time says nothing
  if (first >= effort.only_call) {
    measurement.seconds = first;
    measurement.calls   = 1;
    return measurement;
  }

  const auto call       = [&] { implementation->run(); };
  const double hopeless = effort.best > 0 ? effort.hopeless * effort.best : std::numeric_limits<double>::infinity();
  // A first call has more to do, but not that much.
  const double estimate = first > std::max(hopeless, effort.long_first) && !candidate.keep
                              ? first
                              : estimate_time(exec, call, long_call(effort, hopeless));
  if (estimate > hopeless && !candidate.keep) {
    measurement.skipped = "given up: " + readable_time(estimate) + " a call, " + fixed(estimate / effort.best, 1) +
                          " times that of the best so far";
    return measurement;
  }
  TimingOptions timing = effort.timing;
  if (effort.best > 0 && estimate > effort.behind * effort.best) {
    timing.batches = std::min(timing.batches, 3);
    timing.min_time /= 4;
  }
  const SteadyTime time = steady_time(exec, timing, call, estimate);
  measurement.seconds   = time.seconds;
  measurement.spread    = time.spread;
  measurement.calls     = time.calls;
  if (time.seconds < GraphTiming::short_call && !timing.cold && implementation->can_be_captured())
    measurement.graph_seconds = graph_time(exec, timing, call, time.seconds);
  return measurement;
}

}  // namespace lacuna::bench

#endif
