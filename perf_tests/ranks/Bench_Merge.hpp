// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_MERGE_HPP
#define LACUNA_BENCH_MERGE_HPP

#include <support/Bench_Job.hpp>
#include <support/Bench_ResultFile.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief One JSON of the parts of ranks.

namespace lacuna::bench {

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

}  // namespace lacuna::bench

#endif
