// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_ResultFile.hpp>

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lacuna::bench {

namespace {

namespace fs = std::filesystem;

/// Numbers of an entry that are no statistics of the operands.
const std::set<std::string>& known_numbers() {
  static const std::set<std::string> names{"family_index",
                                           "per_family_instance_index",
                                           "repetitions",
                                           "repetition_index",
                                           "threads",
                                           "iterations",
                                           "real_time",
                                           "cpu_time",
                                           "rows",
                                           "cols",
                                           "nnz",
                                           "flops",
                                           "bytes",
                                           "setup_ms",
                                           "temporary_bytes",
                                           "persistent_bytes",
                                           "rel_error",
                                           "spread",
                                           "graph_us",
                                           "expected_us",
                                           "run",
                                           "rank",
                                           "ranks"};
  return names;
}

/// `<operation>/<matrix>/<scalar>[/n=<columns>]/<implementation>`.
Case case_of(const std::string& name) {
  std::istringstream stream(name);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, '/');) parts.push_back(part);
  Case description;
  if (parts.size() == 5 && parts[3].starts_with("n=")) {
    description.columns = std::stoll(parts[3].substr(2));
    parts.erase(parts.begin() + 3);
  }
  if (parts.size() != 4) throw std::runtime_error(name + " is not the name of a case");
  description.operation      = parts[0];
  description.matrix         = parts[1];
  description.scalar         = parts[2];
  description.implementation = parts[3];
  return description;
}

Work work_of(const Json& entry) {
  const auto counter = [&](const char* key) { return entry.value(key, 0.0); };
  Work work;
  work.rows     = static_cast<std::int64_t>(counter("rows"));
  work.columns  = static_cast<std::int64_t>(counter("cols"));
  work.nonzeros = static_cast<std::int64_t>(counter("nnz"));
  work.flops    = counter("flops");
  work.bytes    = counter("bytes");
  for (const auto& [key, value] : entry.items())
    if (value.is_number() && known_numbers().count(key) == 0) work.statistics.emplace_back(key, value.get<double>());
  return work;
}

Measurement measurement_of(const Json& entry) {
  const auto counter = [&](const char* key) { return entry.value(key, 0.0); };
  Measurement measurement;
  if (entry.value("error_occurred", false)) {
    measurement.skipped = entry.value("error_message", "");
    measurement.wrong   = measurement.skipped == wrong_result;
    if (measurement.wrong) measurement.skipped.clear();
    return measurement;
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
  measurement.graph_seconds    = 1e-6 * counter("graph_us");
  measurement.expected_seconds = 1e-6 * counter("expected_us");
  return measurement;
}

}  // namespace

Json read_results(const fs::path& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot be read");
  Json document = Json::parse(stream);
  if (!document.at("context").is_object() || !document.at("benchmarks").is_array())
    throw std::runtime_error("holds no context and benchmarks");
  return document;
}

void write_whole(const fs::path& path, const std::string& text) {
  // Processes of several hosts may write beside each other.
  const fs::path temporary = path.string() + "." + std::to_string(getpid()) + ".part";
  std::ofstream stream(temporary);
  stream << text << "\n";
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + path.string());
  fs::rename(temporary, path);
}

void write_results(const fs::path& path, const Json& document) { write_whole(path, document.dump(1)); }

std::optional<Difference> find_difference(const Json& then, const Context& now, bool settings) {
  std::set<std::string> keys{"git_revision", "git_dirty", "device", "execution_space",
                             "threads",      "ordinal",   "offset", "kept_memory"};
  if (settings) keys.insert("settings");
  for (const auto& [key, value] : now)
    if (keys.count(key) > 0 && then.value(key, "") != value) return Difference{key, then.value(key, ""), value};
  return std::nullopt;
}

std::set<std::string> names_of(const Json& benchmarks) {
  std::set<std::string> names;
  for (const auto& entry : benchmarks) names.insert(entry.at("name").get<std::string>());
  return names;
}

std::vector<Record> records_of(const Json& benchmarks) {
  std::vector<Record> records;
  for (const auto& entry : benchmarks) {
    Record record{case_of(entry.at("name").get<std::string>()), measurement_of(entry)};
    record.description.work = work_of(entry);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace lacuna::bench
