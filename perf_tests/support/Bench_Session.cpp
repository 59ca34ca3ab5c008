// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_Session.hpp>

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace lacuna::bench {

namespace {

constexpr const char* wrong_result = "the result is wrong";

/// JSON knows neither NaN nor infinity.
double finite(double value) { return std::isfinite(value) ? value : 1e300; }

/// The record of a case that this program wrote.
Record read_record(const nlohmann::ordered_json& entry) {
  Record record;
  Case& description        = record.description;
  Measurement& measurement = record.measurement;
  std::istringstream name(entry.at("name").get<std::string>());
  std::vector<std::string> parts;
  for (std::string part; std::getline(name, part, '/');) parts.push_back(part);
  if (parts.size() == 5 && parts[3].starts_with("n=")) {
    description.columns = std::stoll(parts[3].substr(2));
    parts.erase(parts.begin() + 3);
  }
  if (parts.size() != 4) throw std::runtime_error(name.str() + " is not the name of a case");
  description.operation      = parts[0];
  description.matrix         = parts[1];
  description.scalar         = parts[2];
  description.implementation = parts[3];
  const auto counter         = [&](const char* key) { return entry.contains(key) ? entry.at(key).get<double>() : 0.0; };
  Work& work                 = description.work;
  work.rows                  = static_cast<std::int64_t>(counter("rows"));
  work.columns               = static_cast<std::int64_t>(counter("cols"));
  work.nonzeros              = static_cast<std::int64_t>(counter("nnz"));
  work.flops                 = counter("flops");
  work.bytes                 = counter("bytes");
  for (const char* statistic : {"rpc", "longest_row", "alpha", "beta"})
    if (entry.contains(statistic)) work.statistics.emplace_back(statistic, counter(statistic));
  if (entry.value("error_occurred", false)) {
    measurement.skipped = entry.value("error_message", "");
    measurement.wrong   = measurement.skipped == wrong_result;
    if (measurement.wrong) measurement.skipped.clear();
    return record;
  }
  const std::string unit       = entry.at("time_unit").get<std::string>();
  const double seconds         = unit == "ns" ? 1e-9 : unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1;
  measurement.seconds          = seconds * entry.at("real_time").get<double>();
  measurement.calls            = entry.at("iterations").get<std::int64_t>();
  measurement.label            = entry.value("label", "");
  measurement.setup_seconds    = 1e-3 * counter("setup_ms");
  measurement.temporary_bytes  = static_cast<std::int64_t>(counter("temporary_bytes"));
  measurement.persistent_bytes = static_cast<std::int64_t>(counter("persistent_bytes"));
  measurement.relative_error   = counter("rel_error");
  measurement.spread           = counter("spread");
  if (entry.contains("graph_us")) measurement.graph_seconds = 1e-6 * counter("graph_us");
  return record;
}

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
      run.counters["setup_ms"]         = measurement.setup_seconds * 1e3;
      run.counters["temporary_bytes"]  = static_cast<double>(measurement.temporary_bytes);
      run.counters["persistent_bytes"] = static_cast<double>(measurement.persistent_bytes);
      run.counters["rel_error"]        = finite(measurement.relative_error);
      run.counters["spread"]           = finite(measurement.spread);
      if (measurement.graph_seconds > 0) run.counters["graph_us"] = measurement.graph_seconds * 1e6;
    }
    m_json.ReportRuns(reported);
  }

  void set_current(const Record* record) { m_current = record; }

  /// What has been reported so far, closed so that it can be parsed.
  nlohmann::ordered_json document() const {
    if (!m_has_context)
      return {{"context", nlohmann::ordered_json::object()}, {"benchmarks", nlohmann::ordered_json::array()}};
    return nlohmann::ordered_json::parse(m_text.str() + "\n]}");
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

void Session::resume() {
  if (m_json.empty() || !std::filesystem::exists(m_json)) return;
  try {
    std::ifstream stream(m_json);
    const auto document = nlohmann::ordered_json::parse(stream);
    const auto& context = document.at("context");
    for (const auto& [key, value] : m_context)
      for (const char* same :
           {"git_revision", "git_dirty", "device", "execution_space", "threads", "ordinal", "offset"})
        if (key == same && context.value(key, "") != value)
          throw std::runtime_error(key + " was " + context.value(key, "") + " and is " + value + " now");
    for (const auto& entry : document.at("benchmarks")) m_records.push_back(read_record(entry));
    m_resumed = document.at("benchmarks").dump();
  } catch (const std::exception& error) {
    throw std::runtime_error(m_json + " cannot be gone on with: " + error.what() + "; remove it or name another one");
  }
}

std::vector<Record> Session::run(std::vector<Case> cases) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Record record{std::move(cases[i]), {}};
    const auto measure         = std::move(record.description.measure);
    record.description.measure = nullptr;
    const std::string name     = record.description.name();
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
  progress("");
  // A file of many cases takes a while to write: a twentieth of the time at most.
  using Clock      = std::chrono::steady_clock;
  const auto start = Clock::now();
  if (start >= m_next_write) {
    write_json();
    m_next_write = Clock::now() + 20 * (Clock::now() - start);
  }
  return records;
}

void Session::note_failure(const std::string& what) {
  std::cerr << "lacuna-bench: " << what << "\n";
  m_failures.push_back(what);
}

void Session::write_json() const {
  if (m_json.empty()) return;
  nlohmann::ordered_json document = m_reporter->document();
  if (!m_resumed.empty()) {
    auto benchmarks = nlohmann::ordered_json::parse(m_resumed);
    for (auto& entry : document["benchmarks"]) benchmarks.push_back(std::move(entry));
    document["benchmarks"] = std::move(benchmarks);
  }
  nlohmann::ordered_json& context = document["context"];
  // Neither belongs to a result, and both would tell where it was made.
  for (const char* key : {"host_name", "executable", "load_avg"}) context.erase(key);
  for (const auto& [key, value] : m_context) context[key] = value;
  context["copy_bandwidth"] = m_copy_bandwidth;
  if (!m_failures.empty()) context["failures"] = m_failures;

  const std::string temporary = m_json + ".part";
  std::ofstream stream(temporary);
  stream << document.dump(1) << "\n";
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + m_json);
  std::filesystem::rename(temporary, m_json);
}

}  // namespace lacuna::bench
