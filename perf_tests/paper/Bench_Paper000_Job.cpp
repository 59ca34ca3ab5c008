// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper000.hpp>
#include <spmm/Bench_Spmm.hpp>
#include <support/Bench_Table.hpp>

#include <Kokkos_Macros.hpp>

#include <ostream>

namespace lacuna::bench {

namespace {

/// C = A B on the random matrices of the paper on GCOO, those of its table III, and layers of networks.
class Paper000Job : public Job {
 public:
  explicit Paper000Job(const Options& wanted)
      : m_options(wanted),
        m_selected(find_spmm_instances(m_options)),
        m_requests(parse_spmm_requests(m_options.algorithms, m_options.precisions, m_options.layouts)),
        m_problems(spdm_problems(m_options.paper000)) {
#if defined(KOKKOS_ENABLE_CUDA)
    // Kokkos Kernels takes seconds a call here, and is no part of the comparison.
    if (m_options.rival_names.empty()) m_options.rival_names = {"cusparse:", "cublas:"};
#endif
  }

  std::vector<Task> tasks() const override {
    return tasks_of("spmm", m_problems, m_selected, [this](const SpdmProblem& problem, const SpmmInstance& instance) {
      return Task{.matrix          = problem.source.name,
                  .columns         = problem.columns,
                  .implementations = implementations_for(instance.scalar),
                  .cost            = cost_of(problem),
                  .run = [this, &instance, &problem](Session& session, const std::vector<std::int64_t>& columns,
                                                     const ReportRecords& report) {
                    instance.spmm(session, instance.scalar, problem.source, m_options, columns, m_requests, report);
                  }};
    });
  }

  /// A line, since there are thousands.
  void report(std::ostream& stream, const std::vector<Record>& records, double, std::size_t place) const override {
    const Case& description = records.front().description;
    stream << "[" << place << "/" << m_problems.size() << "] " << description.matrix << ", " << description.scalar
           << ", N = " << description.columns << ", " << grouped(description.work.nonzeros) << " nonzeros:";
    std::vector<const Record*> cases;
    for (const Record& record : records) cases.push_back(&record);
    for (const char* start : {"lacuna:automatic", "lacuna:", "cusparse:", "cublas:", "kokkos-kernels"})
      if (const Record* best = find_best(cases, start); best != nullptr)
        stream << "  " << best->description.implementation << " " << readable_time(best->measurement.seconds);
    stream << std::endl;
  }

  void summarize(std::ostream& stream, const std::vector<Record>& records, double) const override {
    print_spdm_paper(stream, records);
  }

 private:
  /// A part for each case, a part for its flops.
  static double cost_of(const SpdmProblem& problem) {
    double sum = 0;
    for (const std::int64_t width : problem.columns) sum += 2e9 + problem.work * static_cast<double>(width);
    return sum;
  }

  std::vector<std::string> implementations_for(const std::string& scalar) const {
    std::vector<std::string> names;
    for (const SpmmRequest& request : requests_for(scalar, m_requests)) names.push_back(request.implementation());
    return names;
  }

  Options m_options;
  std::vector<const SpmmInstance*> m_selected;
  std::vector<SpmmRequest> m_requests;
  std::vector<SpdmProblem> m_problems;
};

}  // namespace

std::unique_ptr<Job> paper000_job(const Options& options) { return std::make_unique<Paper000Job>(options); }

}  // namespace lacuna::bench
