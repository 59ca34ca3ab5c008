// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RESULTFILE_HPP
#define LACUNA_BENCH_RESULTFILE_HPP

#include <support/Bench_Session.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief The JSON of a run as a document: read, compared, written.

namespace lacuna::bench {

using Json = nlohmann::ordered_json;

/// \brief Reads a file whole: `context` and `benchmarks`. \throws std::exception where it is not there or no such file.
Json read_results(const std::filesystem::path& path);

/// \brief Writes a file so that readers find the old one or the new one, never a part. \throws std::runtime_error
/// where it cannot be written.
void write_whole(const std::filesystem::path& path, const std::string& text);
void write_results(const std::filesystem::path& path, const Json& document);

/// \brief What keeps two measurements from being parts of one file.
struct Difference {
  std::string key, then, now;
};

/// \brief The first difference in revision, device, types or, where `settings` is set, in the words of the command
/// line.
std::optional<Difference> find_difference(const Json& then, const Context& now, bool settings);

/// \brief The names of the cases in `benchmarks`.
std::set<std::string> names_of(const Json& benchmarks);

/// \brief The records of the cases in `benchmarks`, without the reports of plans, which are not in the file.
std::vector<Record> records_of(const Json& benchmarks);

}  // namespace lacuna::bench

#endif
