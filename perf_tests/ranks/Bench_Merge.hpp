// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_MERGE_HPP
#define LACUNA_BENCH_MERGE_HPP

#include <support/Bench_Job.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_ResultFile.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// \file
/// \brief One JSON of the parts of ranks.

namespace lacuna::bench {

/// \brief Where the ranks of a run that writes `json` meet.
inline std::filesystem::path ranks_folder(const std::string& json) { return json + ".ranks"; }

/// \brief Puts parts together. A case is taken once; each says by whom it was measured (`run`, `rank`, `host`,
/// `device`), and the context lists the ranks. Hosts are `host-0`, `host-1`, … unless their names are wanted.
class Merge {
 public:
  /// \param base what was there before: the document of earlier runs, or null
  Merge(Json base, bool host_names);

  /// \brief Adds what a rank measured; all parts of a run have the same number.
  void add(const Json& part, int run);

  /// \brief The number that the next run has.
  int next_run() const { return m_next_run; }
  std::string name_of_host(const std::string& host);

  /// \brief All there is: in the order of `tasks`, what belongs to none of them first.
  Json document(const std::vector<Task>& tasks);

 private:
  Json m_document;
  bool m_host_names;
  int m_next_run = 1;
  std::map<std::string, std::string> m_hosts;
  std::set<std::string> m_names;
  std::vector<double> m_bandwidths;  // of the ranks of this run
};

/// \brief What there is to go on with, null for nothing: with `resume` the file and the parts of a run by ranks that
/// never came to its end, put together into the file. \throws std::runtime_error where it cannot be gone on with, where
/// such parts would be lost because nobody said `--resume`, or where that run is still going on.
/// \param settings whether the words of the command line have to be the same
Json take_over(const std::string& json, const RunOptions& run, const Context& now, bool settings);

}  // namespace lacuna::bench

#endif
