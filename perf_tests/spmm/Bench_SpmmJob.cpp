// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper004.hpp>
#include <spmm/Bench_Spmm.hpp>
#include <spmm/Bench_SpmmSummary.hpp>
#include <support/Bench_Inputs.hpp>
#include <support/Bench_Table.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace lacuna::bench {

std::vector<const SpmmInstance*> find_spmm_instances(Options options) {
  std::erase_if(options.scalars, [](const std::string& scalar) {
    const std::size_t bytes =
        scalar == "half" ? sizeof(Kokkos::Experimental::half_t) : sizeof(Kokkos::Experimental::bhalf_t);
    if (!is_half_name(scalar) || bytes < sizeof(float)) return false;
    std::cout << "lacuna-bench: scalar " << scalar << " is skipped: " << scalar << " is float on this backend\n";
    return true;
  });
  return find_instances(spmm_instances(), options);
}

namespace {

/// The paper's matrices (those named, where some are), then what else was named.
std::vector<MatrixSource> find_spmm_sources(Options options) {
  if (!options.paper) return find_sources(options);
  std::vector<MatrixSource> sources;
  std::vector<std::string> others;
  for (const std::string& argument : options.inputs) {
    if (auto source = find_spmm_paper_source(argument))
      sources.push_back(*std::move(source));
    else
      others.push_back(argument);
  }
  if (sources.empty()) sources = spmm_paper_sources();
  options.inputs = others;
  for (MatrixSource& source : find_sources(options))
    if (std::none_of(sources.begin(), sources.end(),
                     [&](const MatrixSource& known) { return known.name == source.name; }))
      sources.push_back(std::move(source));
  return sources;
}

/// What was left to us of the command line.
Options with_spmm_defaults(Options options) {
  if (options.paper) {
    options.rivals = true;
    if (options.algorithms.empty()) options.algorithms = spmm_paper_algorithms();
    if (options.columns.empty())
      for (const std::int64_t columns : spmm_paper_columns) options.columns.push_back(std::to_string(columns));
  }
  if (options.columns.empty()) options.columns = {"128"};
  // `run` has algorithms of SpMV, or all.
  if (options.command == Command::run && options.algorithms != std::vector<std::string>{"all"}) options.algorithms = {};
  return options;
}

/// C = A B + beta C.
class SpmmJob : public Job {
 public:
  explicit SpmmJob(const Options& wanted)
      : m_options(with_spmm_defaults(wanted)),
        m_selected(find_spmm_instances(m_options)),
        m_columns(parse_column_counts(m_options.columns)),
        m_requests(parse_spmm_requests(m_options.algorithms, m_options.precisions, m_options.layouts)),
        m_sources(find_spmm_sources(m_options)) {}

  std::vector<Task> tasks() const override {
    return tasks_of("spmm", m_sources, m_selected, [this](const MatrixSource& source, const SpmmInstance& instance) {
      return Task{.matrix  = source.name,
                  .columns = m_columns,
                  .cost    = cost_of_task + source.nonzeros,
                  .run     = [this, &instance, &source](Session& session, const std::vector<std::int64_t>& columns,
                                                    const ReportRecords& report) {
                    instance.spmm(session, instance.scalar, source, m_options, columns, m_requests, report);
                  }};
    });
  }

  void report(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth,
              std::size_t place) const override {
    print_problem(stream, records, copy_bandwidth, place, m_sources.size());
    print_choice(stream, records, m_options);
  }

  void summarize(std::ostream& stream, const std::vector<Record>& records, double) const override {
    if (m_options.paper) print_spmm_paper(stream, records);
    if (m_sources.size() * m_columns.size() > 1) print_spmm_summary(stream, records);
  }

 private:
  Options m_options;
  std::vector<const SpmmInstance*> m_selected;
  std::vector<std::int64_t> m_columns;
  std::vector<SpmmRequest> m_requests;
  std::vector<MatrixSource> m_sources;
};

}  // namespace

std::unique_ptr<Job> spmm_job(const Options& options) { return std::make_unique<SpmmJob>(options); }

}  // namespace lacuna::bench
