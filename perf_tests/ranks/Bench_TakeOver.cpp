// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <ranks/Bench_Board.hpp>
#include <ranks/Bench_Merge.hpp>
#include <ranks/Bench_PlaceJson.hpp>
#include <ranks/Bench_TakeOver.hpp>

#include <iterator>
#include <map>
#include <stdexcept>
#include <vector>

namespace lacuna::bench {

namespace {

namespace fs = std::filesystem;

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

std::string take_over(const std::string& json, const RunOptions& run, const Context& now, bool settings) {
  const fs::path folder = ranks_folder(json);
  refuse_running(folder);
  const auto leftovers = find_leftovers(folder);
  if (!run.resume) {
    if (leftovers.empty()) return {};
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
  if (leftovers.empty()) return base.is_null() ? std::string() : base.dump();
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
  return document.dump();
}

}  // namespace lacuna::bench
