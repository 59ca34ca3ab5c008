// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <ranks/Bench_Merge.hpp>

#include <algorithm>

namespace lacuna::bench {

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
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

}  // namespace lacuna::bench
