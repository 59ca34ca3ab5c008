// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <ranks/Bench_Board.hpp>
#include <ranks/Bench_Merge.hpp>
#include <ranks/Bench_PlaceJson.hpp>

#include <algorithm>
#include <stdexcept>

namespace lacuna::bench {

namespace {

namespace fs = std::filesystem;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// The parts of a run, by rank; those of no case are left out.
std::vector<Json> parts_of(const fs::path& folder) {
  std::map<std::string, Json> parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("part.") || name.ends_with(".part")) continue;
    Json part = read_if_there(entry.path());
    if (!part.is_null() && !part.at("benchmarks").empty()) parts.emplace(name, std::move(part));
  }
  std::vector<Json> found;
  for (auto& [name, part] : parts) found.push_back(std::move(part));
  return found;
}

void refuse_different(const std::string& what, const Json& document, const Context& now, bool settings) {
  if (const auto difference = find_difference(document.at("context"), now, settings))
    throw std::runtime_error(what + " cannot be gone on with: " + difference->key + " was " + difference->then +
                             " and is " + difference->now + " now; remove it or name another one");
}

/// The runs whose ranks left parts, a folder each.
std::map<fs::path, std::vector<Json>> find_leftovers(const fs::path& folder) {
  std::map<fs::path, std::vector<Json>> found;
  if (!fs::is_directory(folder)) return found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    std::vector<Json> parts = parts_of(entry.path());
    if (!parts.empty()) found.emplace(entry.path(), std::move(parts));
  }
  return found;
}

void refuse_running(const fs::path& folder) {
  const Json run = read_if_there(folder / "run");
  if (run.is_null()) return;
  const Process first = process_of(run.at("process"));
  if (first.host == this_process().host && first.space == this_process().space && !has_ended(first))
    throw std::runtime_error(folder.string() + ": process " + std::to_string(first.number) +
                             " is measuring into it right now");
}

}  // namespace

Merge::Merge(Json base, bool host_names) : m_document(std::move(base)), m_host_names(host_names) {
  if (m_document.is_null()) m_document = {{"context", Json::object()}, {"benchmarks", Json::array()}};
  Json& context = m_document["context"];
  for (const char* key : {"failures", "missing", "shared"}) context.erase(key);  // of another run
  if (!context.contains("ranks")) context["ranks"] = Json::array();
  for (const Json& rank : context["ranks"]) m_next_run = std::max(m_next_run, rank.value("run", 0) + 1);
  m_names = names_of(m_document["benchmarks"]);
}

std::string Merge::name_of_host(const std::string& host) {
  if (m_host_names) return host;
  return m_hosts.emplace(host, "host-" + std::to_string(m_hosts.size())).first->second;
}

void Merge::add(const Json& part, int run) {
  const Json& own = part.at("context");
  Json ranks      = m_document["context"]["ranks"];
  Json rank{{"run", run},
            {"rank", std::stoi(own.at("rank").get<std::string>())},
            {"host", name_of_host(own.at("host").get<std::string>())},
            {"device", own.at("place")}};
  // What a record says is what its rank says, and no more.
  const Json of_record = rank;
  for (const char* key : {"processors", "binding", "copy_bandwidth"}) rank[key] = own.at(key);
  std::size_t cases = 0;
  for (Json entry : part.at("benchmarks")) {
    if (!m_names.insert(entry.at("name").get<std::string>()).second) continue;
    entry.update(of_record);
    m_document["benchmarks"].push_back(std::move(entry));
    ++cases;
  }
  rank["cases"] = cases;
  ranks.push_back(std::move(rank));
  m_bandwidths.push_back(own.at("copy_bandwidth").get<double>());

  Json failures = m_document["context"].value("failures", Json::array());
  for (const Json& failure : own.value("failures", Json::array())) failures.push_back(failure);
  // The library's part of a context (date, processors, caches) is there where a case has run.
  Json& context = m_document["context"];
  if (!context.contains("date") || own.contains("date")) context = own;
  for (const char* key : {"rank", "host", "place", "processors", "binding", "failures"}) context.erase(key);
  context["copy_bandwidth"] = median(m_bandwidths);
  context["ranks"]          = std::move(ranks);
  if (!failures.empty()) context["failures"] = std::move(failures);
}

Json Merge::document(const std::vector<Task>& tasks) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < tasks.size(); ++i) places.emplace(tasks[i].name(), i + 1);
  std::vector<std::pair<std::size_t, Json>> entries;
  for (Json& entry : m_document["benchmarks"]) {
    const std::string name = entry.at("name").get<std::string>();
    std::size_t end        = 0;
    for (int slash = 0; slash < 3; ++slash) end = name.find('/', end == 0 ? 0 : end + 1);
    const auto place = places.find(name.substr(0, end));
    entries.emplace_back(place == places.end() ? 0 : place->second, std::move(entry));
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  m_document["benchmarks"] = Json::array();
  for (auto& [place, entry] : entries) m_document["benchmarks"].push_back(std::move(entry));
  return m_document;
}

Json take_over(const std::string& json, const RunOptions& run, const Context& now, bool settings) {
  const fs::path folder = ranks_folder(json);
  refuse_running(folder);
  const auto leftovers = find_leftovers(folder);
  if (!run.resume) {
    if (leftovers.empty()) return nullptr;
    throw std::runtime_error(folder.string() +
                             " holds what a run measured before it was interrupted: say --resume to go on with it, or "
                             "remove it");
  }
  Json base;
  if (fs::exists(json)) {
    try {
      base = read_results(json);
    } catch (const std::exception& error) {
      throw std::runtime_error(json + " cannot be gone on with: " + error.what() + "; remove it or name another one");
    }
    refuse_different(json, base, now, settings);
  }
  if (leftovers.empty()) return base;
  Merge merge(std::move(base), run.host_names);
  for (const auto& [place, parts] : leftovers) {
    const int number = merge.next_run() + static_cast<int>(std::distance(leftovers.begin(), leftovers.find(place)));
    for (const Json& part : parts) {
      refuse_different(folder.string(), part, now, settings);
      merge.add(part, number);
    }
  }
  Json document = merge.document({});
  write_results(json, document);
  for (const auto& [place, parts] : leftovers) fs::remove_all(place);
  return document;
}

}  // namespace lacuna::bench
