// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <ranks/Bench_Place.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace lacuna::bench {

namespace {

namespace fs = std::filesystem;

std::string host_name() {
  char name[256] = "";
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

std::string process_space() {
  std::error_code none;
  return fs::read_symlink("/proc/self/ns/pid", none).string();
}

struct Status {
  char state = 'X';
  std::string start;
};

/// Of a process of this host; ended where there is none.
Status status_of(long number) {
  std::ifstream stream("/proc/" + std::to_string(number) + "/stat");
  std::string text;
  std::getline(stream, text);
  Status status;
  const std::size_t name = text.rfind(')');  // the name may hold anything
  if (name == std::string::npos) return status;
  std::istringstream fields(text.substr(name + 1));
  fields >> status.state;
  constexpr int start_field = 22, state_field = 3;
  for (int field = state_field; field < start_field; ++field) fields >> status.start;
  return status;
}

int processor_of(const std::string& list, std::string_view text) {
  int number             = 0;
  const auto [rest, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (bad != std::errc() || rest != text.data() + text.size() || number < 0)
    throw std::runtime_error("'" + list + "' is no list of processors");
  return number;
}

std::string list_of(const std::set<int>& processors) {
  std::string list;
  for (auto place = processors.begin(); place != processors.end();) {
    const int first = *place;
    int last        = first;
    while (++place != processors.end() && *place == last + 1) ++last;
    list += (list.empty() ? "" : ",") + std::to_string(first);
    if (last > first) list += "-" + std::to_string(last);
  }
  return list;
}

/// "ranks 0, 2 and 5".
std::string names_of_ranks(const std::vector<int>& ranks) {
  std::string text = "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  return text;
}

/// Those of one host whose processors overlap with another's.
std::vector<int> overlapping(const std::vector<Place>& places) {
  std::vector<int> ranks;
  for (const Place& place : places) {
    const std::set<int> own = parse_processors(place.processors);
    const bool shared       = std::any_of(places.begin(), places.end(), [&](const Place& other) {
      const std::set<int> others = parse_processors(other.processors);
      return other.rank != place.rank &&
             std::any_of(own.begin(), own.end(), [&](int processor) { return others.count(processor) > 0; });
    });
    if (shared) ranks.push_back(place.rank);
  }
  return ranks;
}

void find_sharing_of_host(const std::string& host, const std::vector<Place>& places, std::vector<std::string>& found) {
  std::vector<int> ranks;
  for (const Place& place : places) ranks.push_back(place.rank);
  if (ranks.size() < 2) return;
  if (const std::vector<int> shared = overlapping(places); !shared.empty())
    found.push_back(names_of_ranks(shared) + " share processors of " + host + ": bind each to its own");
  else
    found.push_back(names_of_ranks(ranks) + " share the memory bandwidth of " + host);
}

}  // namespace

Process this_process() {
  const long number = getpid();
  return {host_name(), process_space(), number, status_of(number).start};
}

bool has_ended(const Process& process) {
  if (process.host != host_name() || process.space != process_space()) return false;
  const Status status = status_of(process.number);
  return status.state == 'X' || status.state == 'Z' || status.start != process.start;
}

std::set<int> parse_processors(const std::string& list) {
  std::set<int> processors;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    const std::size_t dash = part.find('-');
    const int first        = processor_of(list, std::string_view(part).substr(0, dash));
    const int last = dash == std::string::npos ? first : processor_of(list, std::string_view(part).substr(dash + 1));
    for (int processor = first; processor <= last; ++processor) processors.insert(processor);
  }
  return processors;
}

std::string processors_of_threads() {
  std::set<int> all;
  std::error_code none;
  const std::string key = "Cpus_allowed_list:";
  for (const fs::directory_entry& thread : fs::directory_iterator("/proc/self/task", none)) {
    std::ifstream stream(thread.path() / "status");
    for (std::string line; std::getline(stream, line);)
      if (line.starts_with(key)) {
        const std::size_t begin = line.find_first_not_of(" \t", key.size());
        if (begin != std::string::npos) all.merge(parse_processors(line.substr(begin)));
      }
  }
  return list_of(all);
}

std::string binding_of_threads() {
  std::string text;
  for (const char* variable : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (const char* value = std::getenv(variable); value != nullptr)
      text += (text.empty() ? "" : " ") + std::string(variable) + "=" + value;
  return text;
}

std::vector<std::string> find_sharing(const std::vector<Place>& places) {
  std::map<std::string, std::vector<Place>> by_host;
  std::map<std::pair<std::string, std::string>, std::vector<Place>> by_device;
  for (const Place& place : places) {
    if (place.device.empty())
      by_host[place.process.host].push_back(place);
    else
      by_device[{place.process.host, place.device_key}].push_back(place);
  }
  std::vector<std::string> found;
  for (const auto& [key, sharing] : by_device) {
    if (sharing.size() < 2) continue;
    std::vector<int> ranks;
    for (const Place& place : sharing) ranks.push_back(place.rank);
    found.push_back(names_of_ranks(ranks) + " share " + sharing.front().device + " of " + key.first);
  }
  for (const auto& [host, sharing] : by_host) find_sharing_of_host(host, sharing, found);
  return found;
}

}  // namespace lacuna::bench
