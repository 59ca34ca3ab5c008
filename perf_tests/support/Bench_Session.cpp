// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_ResultFile.hpp>
#include <support/Bench_Session.hpp>

#include <benchmark/benchmark.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace lacuna::bench {

namespace {

/// JSON knows neither NaN nor infinity.
double finite(double value) { return std::isfinite(value) ? value : 1e300; }

/// A line that the next one overwrites on a terminal; nothing elsewhere.
void progress(const std::string& line) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) std::fprintf(stderr, "\r\033[K%s", line.c_str());
}

}  // namespace

std::string Case::name() const {
  std::string text = operation + "/" + matrix + "/" + scalar;
  if (columns > 0) text += "/n=" + std::to_string(columns);
  return text + "/" + implementation;
}

/// Google Benchmark's JSON reporter, fed with our own names and counters: a case is one iteration whose time we
/// measured, and the library would otherwise put that into the name.
class Session::Reporter : public benchmark::BenchmarkReporter {
 public:
  Reporter() {
    m_json.SetOutputStream(&m_text);
    m_json.SetErrorStream(&m_text);
  }

  bool ReportContext(const Context& context) override {
    if (std::exchange(m_has_context, true)) return true;
    return m_json.ReportContext(context);
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> reported = runs;
    for (Run& run : reported) {
      const Record& record           = *m_current;
      const Measurement& measurement = record.measurement;
      const Work& work               = record.description.work;
      run.run_name                   = benchmark::BenchmarkName();
      run.run_name.function_name     = record.description.name();
      run.iterations                 = measurement.calls;
      run.real_accumulated_time      = measurement.seconds * static_cast<double>(measurement.calls);
      run.cpu_accumulated_time       = run.real_accumulated_time;
      run.report_label               = measurement.label;
      run.counters["rows"]           = static_cast<double>(work.rows);
      run.counters["cols"]           = static_cast<double>(work.columns);
      run.counters["nnz"]            = static_cast<double>(work.nonzeros);
      run.counters["flops"]          = work.flops;
      run.counters["bytes"]          = work.bytes;
      for (const auto& [statistic, value] : work.statistics) run.counters[statistic] = value;
      if (measurement.calls == 0) continue;
      for (const auto& [statistic, value] : measurement.statistics) run.counters[statistic] = value;
      run.counters["setup_ms"]         = measurement.setup_seconds * 1e3;
      run.counters["temporary_bytes"]  = static_cast<double>(measurement.temporary_bytes);
      run.counters["persistent_bytes"] = static_cast<double>(measurement.persistent_bytes);
      run.counters["rel_error"]        = finite(measurement.relative_error);
      run.counters["spread"]           = finite(measurement.spread);
      if (measurement.expected_seconds > 0) run.counters["expected_us"] = measurement.expected_seconds * 1e6;
      if (measurement.graph_seconds > 0) run.counters["graph_us"] = measurement.graph_seconds * 1e6;
    }
    m_json.ReportRuns(reported);
  }

  void set_current(const Record* record) { m_current = record; }

  /// What has been reported so far, closed so that it can be parsed.
  Json document() const {
    if (!m_has_context) return {{"context", Json::object()}, {"benchmarks", Json::array()}};
    return Json::parse(m_text.str() + "\n]}");
  }

 private:
  benchmark::JSONReporter m_json;
  std::ostringstream m_text;
  bool m_has_context      = false;
  const Record* m_current = nullptr;
};

Session::Session(Context context, double copy_bandwidth, std::string json)
    : m_context(std::move(context)),
      m_copy_bandwidth(copy_bandwidth),
      m_json(std::move(json)),
      m_reporter(std::make_unique<Reporter>()) {
  static char name[] = "lacuna-bench";  // the library keeps the pointer
  char* arguments[]  = {name, nullptr};
  int count          = 1;
  benchmark::Initialize(&count, arguments);
}

Session::~Session() = default;

void Session::resume(const std::string& document) {
  m_records = records_of(Json::parse(document).at("benchmarks"));
  m_resumed = document;
}

void Session::be_quiet(std::function<void(const std::string&)> on_case) { m_on_case = std::move(on_case); }

std::vector<Record> Session::run(std::vector<Case> cases) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Record record{std::move(cases[i]), {}};
    const auto measure         = std::move(record.description.measure);
    record.description.measure = nullptr;
    const std::string name     = record.description.name();
    if (m_on_case)
      m_on_case(name);
    else
      progress("[" + std::to_string(i + 1) + "/" + std::to_string(cases.size()) + "] " + name);

    m_reporter->set_current(&record);
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&](benchmark::State& state) {
                                   Measurement& measurement = record.measurement;
                                   try {
                                     measurement = measure();
                                   } catch (const std::exception& error) {
                                     measurement         = {};
                                     measurement.skipped = error.what();
                                   }
                                   if (!measurement.skipped.empty())
                                     state.SkipWithError(measurement.skipped.c_str());
                                   else if (measurement.wrong)
                                     state.SkipWithError(wrong_result);
                                   for (auto _ : state) state.SetIterationTime(measurement.seconds);
                                 })
        ->Iterations(1)
        ->UseManualTime();
    benchmark::RunSpecifiedBenchmarks(m_reporter.get());
    benchmark::ClearRegisteredBenchmarks();
    m_records.push_back(record);
    records.push_back(std::move(record));
  }
  if (!m_on_case) progress("");
  // A file of many cases takes a while to write: a twentieth of the time at most.
  using Clock      = std::chrono::steady_clock;
  const auto start = Clock::now();
  if (start >= m_next_write) {
    write_json();
    m_next_write = Clock::now() + 20 * (Clock::now() - start);
  }
  return records;
}

void Session::note_skip(const std::string& what) {
  if (m_on_case)
    m_notes.push_back(what);
  else
    std::cout << "\n" << what << "\n";
}

void Session::note_failure(const std::string& what) {
  if (m_on_case)
    m_notes.push_back(what);
  else
    std::cerr << "lacuna-bench: " << what << "\n";
  m_failures.push_back(what);
}

void Session::write_json() const {
  if (m_json.empty()) return;
  Json document = m_reporter->document();
  if (!m_resumed.empty()) {
    Json resumed = Json::parse(m_resumed);
    for (auto& entry : document["benchmarks"]) resumed["benchmarks"].push_back(std::move(entry));
    document["benchmarks"] = std::move(resumed["benchmarks"]);
    for (const char* key : {"launcher", "ranks"})  // of those that measured them
      if (resumed["context"].contains(key)) document["context"][key] = resumed["context"][key];
  }
  Json& context = document["context"];
  // Neither belongs to a result, and both would tell where it was made.
  for (const char* key : {"host_name", "executable", "load_avg"}) context.erase(key);
  for (const auto& [key, value] : m_context) context[key] = value;
  context["copy_bandwidth"] = m_copy_bandwidth;
  if (!m_failures.empty()) context["failures"] = m_failures;

  write_results(m_json, document);
}

}  // namespace lacuna::bench
