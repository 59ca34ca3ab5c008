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

/// \brief What one case measured.
struct Measurement {
  double seconds                = 0;  ///< steady time of one call
  double spread                 = 0;  ///< interquartile range of the batches over their median
  double graph_seconds          = 0;  ///< of a short call, in a CUDA graph of many; 0: not measured
  std::int64_t calls            = 0;  ///< timed calls
  double setup_seconds          = 0;
  std::int64_t temporary_bytes  = 0;
  std::int64_t persistent_bytes = 0;
  double relative_error         = 0;
  bool wrong                    = false;
  /// What the device needs, where the host sets the pace of calls; else that of calls.
  double device_seconds() const { return graph_seconds > 0 ? graph_seconds : seconds; }

  std::string report;   ///< of a plan
  std::string label;    ///< what `automatic` chose, or what else there is to say
  std::string skipped;  ///< why there is no measurement; empty where there is one
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

  /// \brief Takes over what the JSON file holds, where there is one, so that it need not be run again. \throws
  /// std::runtime_error where it was made by another revision, on another device or of other index types.
  void resume();

  /// \brief Runs the cases one after the other, each as one benchmark of Google Benchmark.
  std::vector<Record> run(std::vector<Case> cases);

  const std::vector<Record>& records() const { return m_records; }
  double copy_bandwidth() const { return m_copy_bandwidth; }

  /// \brief Notes that an input could not be used.
  void note_failure(const std::string& what);
  const std::vector<std::string>& failures() const { return m_failures; }

  /// \brief Writes the JSON, if a file was named. \throws std::runtime_error where it cannot be written.
  void write_json() const;

 private:
  class Reporter;

  Context m_context;
  double m_copy_bandwidth;
  std::string m_json;
  std::string m_resumed;  // the cases of an earlier run, as JSON
  std::chrono::steady_clock::time_point m_next_write;
  std::unique_ptr<Reporter> m_reporter;
  std::vector<Record> m_records;
  std::vector<std::string> m_failures;
};

}  // namespace lacuna::bench

#endif
