// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_Job.hpp>

#include <algorithm>

namespace lacuna::bench {

namespace {

/// Whether a case of this problem is among the names, or all that the task wants.
bool is_there(const std::set<std::string>& names, const Task& task, std::int64_t columns) {
  Case wanted{task.operation, task.matrix, task.scalar, columns, {}, {}, {}};
  if (task.implementations.empty()) {
    const std::string start = wanted.name();  // with a / at its end
    const auto place        = names.lower_bound(start);
    return place != names.end() && place->starts_with(start);
  }
  return std::all_of(task.implementations.begin(), task.implementations.end(), [&](const std::string& implementation) {
    wanted.implementation = implementation;
    return names.count(wanted.name()) > 0;
  });
}

}  // namespace

std::vector<Rest> left_of(const std::vector<Task>& tasks, const std::set<std::string>& names) {
  std::vector<Rest> left;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Rest rest{i, {}};
    for (const std::int64_t columns : tasks[i].columns)
      if (!is_there(names, tasks[i], columns)) rest.columns.push_back(columns);
    if (tasks[i].columns.empty() ? !is_there(names, tasks[i], 0) : !rest.columns.empty()) left.push_back(rest);
  }
  return left;
}

}  // namespace lacuna::bench
