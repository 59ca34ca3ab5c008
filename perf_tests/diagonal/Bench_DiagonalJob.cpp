// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Bench_Diagonal.hpp>
#include <support/Bench_Inputs.hpp>
#include <support/Bench_Table.hpp>

#include <utility>

namespace lacuna::bench {

namespace {

/// Products in diagonal storage.
class DiagonalJob : public Job {
 public:
  explicit DiagonalJob(const Options& wanted) : m_options(wanted) {
    std::vector<std::string> texts = m_options.inputs;
    if (m_options.paper) {
      m_options.rivals = true;
      for (std::string& text : diagonal_paper_workloads()) texts.push_back(std::move(text));
    }
    if (m_options.products.empty()) m_options.products = {"ab"};
    for (const std::string& text : texts)
      for (const std::string& product : m_options.products) {
        m_workloads.push_back(parse_diagonal_workload(text));
        m_workloads.back().product = parse_diagonal_product(product);
      }
  }

  std::vector<Task> tasks() const override {
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < m_workloads.size(); ++i) {
      const DiagonalWorkload& workload = m_workloads[i];
      const auto stored                = static_cast<double>(workload.a.size() + workload.b.size());
      tasks.push_back(
          {.operation = diagonal_operation(workload.product),
           .matrix    = workload.name,
           .scalar    = "double",
           .cost      = cost_of_task + stored * static_cast<double>(workload.n),
           .place     = i + 1,
           .run = [this, &workload](Session& session, const std::vector<std::int64_t>&, const ReportRecords& report) {
             report(bench_diagonal(session, workload, m_options));
           }});
    }
    return tasks;
  }

  void report(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth,
              std::size_t place) const override {
    print_problem(stream, records, copy_bandwidth, place, m_workloads.size());
  }

  void summarize(std::ostream&, const std::vector<Record>&, double) const override {}

 private:
  Options m_options;
  std::vector<DiagonalWorkload> m_workloads;
};

}  // namespace

std::unique_ptr<Job> diagonal_job(const Options& options) { return std::make_unique<DiagonalJob>(options); }

}  // namespace lacuna::bench
