// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Bench_Jobs.hpp>
#include <paper/Bench_Paper002.hpp>
#include <spmv/Bench_Spmv.hpp>
#include <support/Bench_Inputs.hpp>
#include <support/Bench_Table.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lacuna::bench {

namespace {

struct Input {
  MatrixSource source;
  std::vector<SpmvRequest> requests;
};

std::vector<Input> find_inputs(const Options& options) {
  std::vector<Input> inputs;
  if (options.paper) {
    for (const PaperMatrix& matrix : paper_matrices())
      if (options.inputs.empty() ||
          std::find(options.inputs.begin(), options.inputs.end(), matrix.name) != options.inputs.end())
        inputs.push_back({paper_source(matrix), paper_requests(matrix)});
    if (inputs.empty()) throw std::runtime_error("--paper: none of these is one of the paper's 19 matrices");
    return inputs;
  }
  const std::vector<SpmvRequest> requests = parse_spmv_requests(options.algorithms);
  for (MatrixSource& source : find_sources(options)) inputs.push_back({std::move(source), requests});
  return inputs;
}

/// y = A x + beta y.
class SpmvJob : public Job {
 public:
  explicit SpmvJob(const Options& options)
      : m_options(options), m_selected(find_instances(instances(), options)), m_inputs(find_inputs(options)) {
    if (options.paper) m_options.rivals = true;
  }

  std::vector<Task> tasks() const override {
    return tasks_of("spmv", m_inputs, m_selected, [this](const Input& input, const Instance& instance) {
      return Task{.matrix = input.source.name,
                  .cost   = cost_of_task + input.source.nonzeros,
                  .run    = [this, &instance, &input](Session& session, const std::vector<std::int64_t>&,
                                                   const ReportRecords& report) {
                    report(instance.spmv(session, instance.scalar, input.source, m_options, input.requests));
                  }};
    });
  }

  void report(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth,
              std::size_t place) const override {
    print_problem(stream, records, copy_bandwidth, place, m_inputs.size());
    print_choice(stream, records, m_options);
  }

  void summarize(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth) const override {
    if (m_options.paper) print_paper(stream, records);
    if (m_inputs.size() > 1) print_summary(stream, records, copy_bandwidth);
  }

 private:
  Options m_options;
  std::vector<const Instance*> m_selected;
  std::vector<Input> m_inputs;
};

}  // namespace

std::unique_ptr<Job> spmv_job(const Options& options) { return std::make_unique<SpmvJob>(options); }

bool inspect_inputs(const Options& options) {
  Session session({}, 0, {});
  const Instance& instance = *find_instances(instances(), options).front();
  for (const Input& input : find_inputs(options)) instance.inspect(session, input.source);
  return session.failures().empty();
}

}  // namespace lacuna::bench
