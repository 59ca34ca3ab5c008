// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_JOB_HPP
#define LACUNA_BENCH_JOB_HPP

#include <support/Bench_Session.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief What a command measures, in pieces that can be left out (they were measured before) or run by another rank.

namespace lacuna::bench {

/// \brief What is done with the records of a problem (a task at one number of columns) as soon as they are there.
using ReportRecords = std::function<void(const std::vector<Record>&)>;

/// \brief One matrix (or product, or workload) of one scalar type: the least that is dealt to a rank.
struct Task {
  std::string operation = {}, matrix = {}, scalar = {};  ///< with these the names of its cases begin
  std::vector<std::int64_t> columns        = {};         ///< of a dense operand; empty: there is none
  std::vector<std::string> implementations = {};         ///< all of these make it complete; empty: any one does
  double cost                              = 0;          ///< what it takes, but for a factor
  std::size_t place                        = 0;          ///< of its matrix among those of the command, from 1 on
  /// Measures for these numbers of columns, and reports the records of each.
  std::function<void(Session&, const std::vector<std::int64_t>&, const ReportRecords&)> run = {};

  /// \brief `spmm/cant/float`.
  std::string name() const { return operation + "/" + matrix + "/" + scalar; }
};

/// \brief The tasks of an operation: each problem with each instantiation, matrix by matrix. `describe(problem,
/// instance)` is a task without operation, scalar type and place.
template <class Problem, class AnyInstance, class Describe>
std::vector<Task> tasks_of(const char* operation, const std::vector<Problem>& problems,
                           const std::vector<const AnyInstance*>& instances, const Describe& describe) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < problems.size(); ++i)
    for (const AnyInstance* instance : instances) {
      Task& task     = tasks.emplace_back(describe(problems[i], *instance));
      task.operation = operation;
      task.scalar    = instance->scalar;
      task.place     = i + 1;
    }
  return tasks;
}

/// \brief What is left of a task.
struct Rest {
  std::size_t task = 0;  ///< its place among those given
  std::vector<std::int64_t> columns;
};

/// \brief The tasks, or columns of tasks, that have not been measured yet; `names` are those of the cases that have.
std::vector<Rest> left_of(const std::vector<Task>& tasks, const std::set<std::string>& names);

/// \brief The tasks of an operation, and its tables.
class Job {
 public:
  virtual ~Job() = default;

  virtual std::vector<Task> tasks() const = 0;
  /// \brief The table of one problem (a task at one number of columns); never called with no records.
  virtual void report(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth,
                      std::size_t place) const = 0;
  /// \brief What can be said of all problems together.
  virtual void summarize(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth) const = 0;
};

}  // namespace lacuna::bench

#endif
