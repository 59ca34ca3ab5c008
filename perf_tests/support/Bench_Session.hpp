// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SESSION_HPP
#define LACUNA_BENCH_SESSION_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief Cases, and the session that runs them under Google Benchmark and keeps what they measured. Knows nothing of
/// Kokkos, so that the libraries behind it stay out of the translation units that hold kernels.

namespace lacuna::bench {

/// \brief The work model of one call: what has to be done at the least, whatever the implementation.
struct Work {
  std::int64_t rows     = 0;
  std::int64_t columns  = 0;
  std::int64_t nonzeros = 0;
  double flops          = 0;
  double bytes          = 0;  ///< compulsory traffic: every operand once
  /// What else is known of the operands, each a counter of its own: statistics of the pattern.
  std::vector<std::pair<std::string, double>> statistics;
};

/// \brief What the JSON says in place of a time where the result is wrong.
inline constexpr const char* wrong_result = "the result is wrong";

/// \brief What one case measured.
struct Measurement {
  double seconds                = 0;  ///< steady time of one call
  double spread                 = 0;  ///< interquartile range of the batches over their median
  double graph_seconds          = 0;  ///< of a short call, in a CUDA graph of many; 0: not measured
  std::int64_t calls            = 0;  ///< timed calls
  double setup_seconds          = 0;
  std::int64_t temporary_bytes  = 0;
  std::int64_t persistent_bytes = 0;
  double expected_seconds       = 0;  ///< of a call, by whoever chose the algorithm; 0: not estimated
  double relative_error         = 0;
  bool wrong                    = false;
  /// What the device needs, where the host sets the pace of calls; else that of calls.
  double device_seconds() const { return graph_seconds > 0 ? graph_seconds : seconds; }

  std::vector<std::pair<std::string, double>> statistics;  ///< further counters of the JSON
  std::string report;                                      ///< of a plan
  std::string label;                                       ///< what `automatic` chose, or what else there is to say
  std::string skipped;                                     ///< why there is no measurement; empty where there is one
};

/// \brief One row of a table: `<operation>/<matrix>/<scalar>[/n=<columns>]/<implementation>`.
struct Case {
  std::string operation;
  std::string matrix;
  std::string scalar;
  std::int64_t columns = 0;  ///< of a dense operand; 0 where there is none
  std::string implementation;
  Work work;
  std::function<Measurement()> measure;

  std::string name() const;
  bool ours() const { return implementation.starts_with("lacuna:"); }
};

struct Record {
  Case description;  ///< without its function
  Measurement measurement;
};

using Context = std::vector<std::pair<std::string, std::string>>;

/// \brief Runs cases and keeps their records.
class Session {
 public:
  /// \param context what the JSON says of the machine and the build
  /// \param json file that is rewritten after groups of cases, and by `write_json`; empty for none
  Session(Context context, double copy_bandwidth, std::string json);
  ~Session();

  /// \brief Takes over what an earlier run measured, so that it need not be run again.
  /// \param document its JSON
  void resume(const std::string& document);

  /// \brief From now on nothing is printed: `on_case` is called before each case, with its name, and what there is to
  /// say of inputs is kept for `take_notes`.
  void be_quiet(std::function<void(const std::string&)> on_case);

  /// \brief Runs the cases one after the other, each as one benchmark of Google Benchmark.
  std::vector<Record> run(std::vector<Case> cases);

  const std::vector<Record>& records() const { return m_records; }
  const Context& context() const { return m_context; }
  double copy_bandwidth() const { return m_copy_bandwidth; }

  /// \brief Says that an input is left out, by nobody's fault.
  void note_skip(const std::string& what);
  /// \brief Notes that an input could not be used.
  void note_failure(const std::string& what);
  /// \brief What was said since the last call, where the session is quiet.
  std::vector<std::string> take_notes() { return std::exchange(m_notes, {}); }
  const std::vector<std::string>& failures() const { return m_failures; }

  /// \brief Writes the JSON, if a file was named. \throws std::runtime_error where it cannot be written.
  void write_json() const;

 private:
  class Reporter;

  Context m_context;
  double m_copy_bandwidth;
  std::string m_json;
  std::string m_resumed;  // the JSON of an earlier run
  std::chrono::steady_clock::time_point m_next_write;
  std::unique_ptr<Reporter> m_reporter;
  std::vector<Record> m_records;
  std::vector<std::string> m_failures;
  std::vector<std::string> m_notes;
  std::function<void(const std::string&)> m_on_case;  // set: quiet
};

}  // namespace lacuna::bench

#endif
