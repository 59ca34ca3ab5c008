// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Bench_Jobs.hpp>
#include <diagonal/Bench_Diagonal.hpp>
#include <paper/Bench_Paper000.hpp>
#include <paper/Bench_Paper001.hpp>
#include <paper/Bench_Paper002.hpp>
#include <paper/Bench_Paper004.hpp>
#include <spgemm/Bench_Spgemm.hpp>
#include <spmm/Bench_Spmm.hpp>
#include <spmm/Bench_SpmmSummary.hpp>
#include <spmv/Bench_Spmv.hpp>
#include <support/Bench_Table.hpp>

#include <Kokkos_Core.hpp>
#include <Lacuna_Generators.hpp>

#include <algorithm>
#include <iostream>
#include <stdexcept>

namespace lacuna::bench {

namespace {

/// What a task takes beside its nonzeros, in units of one.
constexpr double cost_of_task = 1e6;

/// The instantiation for each of the scalars asked for.
template <class AnyInstance>
std::vector<const AnyInstance*> find_instances(std::span<const AnyInstance> all, const Options& options) {
  std::vector<const AnyInstance*> found;
  for (const std::string& scalar : options.scalars) {
    const auto place = std::find_if(all.begin(), all.end(), [&](const AnyInstance& instance) {
      return scalar == instance.scalar && options.ordinal == instance.ordinal && options.offset == instance.offset;
    });
    if (place == all.end())
      throw std::runtime_error(
          "scalar " + scalar + ", ordinal " + options.ordinal + ", offset " + options.offset +
          " was not compiled in: configure with " +
          (is_half_name(scalar) ? "it in -DLACUNA_BENCH_SCALARS (SpMM alone has it)" : "-DLACUNA_BENCH_ALL_TYPES=ON"));
    found.push_back(&*place);
  }
  return found;
}

/// Those of SpMM: values stored in half precision or bfloat16 are left out where that is float by another name.
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

/// Nonzeros of a generated matrix, from a sample of its rows.
double nonzeros_of_spec(const std::string& spec) {
  const Impl::Pattern pattern = Generator::parse(spec).pattern();
  const std::int64_t sample   = std::min<std::int64_t>(pattern.rows, 64);
  double sum                  = 0;
  for (std::int64_t i = 0; i < sample; ++i)
    sum += static_cast<double>(pattern.row_length((2 * i + 1) * pattern.rows / (2 * sample)));
  return sample == 0 ? 0 : sum * static_cast<double>(pattern.rows) / static_cast<double>(sample);
}

/// What an argument of the command line means.
MatrixSource find_source(const std::string& argument) {
  MatrixSource source = find_matrix(argument, [](const std::string& text) { return is_generator_spec(text); });
  if (source.kind == MatrixSource::Kind::generator) source.nonzeros = nonzeros_of_spec(source.location);
  return source;
}

/// The matrices of the command line, without those of a paper.
std::vector<MatrixSource> find_sources(const Options& options) {
  std::vector<MatrixSource> sources;
  for (const std::string& argument : options.inputs) sources.push_back(find_source(argument));
  if (!options.all_in.empty()) {
    for (MatrixSource& source : matrices_of_folder(options.all_in)) sources.push_back(std::move(source));
    if (sources.empty()) throw std::runtime_error(options.all_in + ": no matrices in it");
  }
  return sources;
}

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

/// The heading and the table of one problem.
void print_problem(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth, std::size_t place,
                   std::size_t count) {
  const Case& description = records.front().description;
  const Work& work        = description.work;
  stream << "\n[" << place << "/" << count << "] " << description.operation << ", " << description.matrix << ", "
         << description.scalar << (description.columns > 0 ? ", N = " + std::to_string(description.columns) : "")
         << ": " << grouped(work.rows) << " x " << grouped(work.columns) << ", " << grouped(work.nonzeros)
         << " nonzeros, " << readable_bytes(work.bytes) << " compulsory\n";
  print_cases(stream, records, copy_bandwidth);
}

/// Says why `automatic` did what it did, where that was asked for.
void print_choice(std::ostream& stream, const std::vector<Record>& records, const Options& options) {
  if (const Record* automatic = find_record(records, "lacuna:automatic");
      options.inspect && automatic != nullptr && !automatic->measurement.report.empty())
    stream << "\nlacuna:automatic\n" << automatic->measurement.report << "\n";
}

/// y = A x + beta y.
class SpmvJob : public Job {
 public:
  explicit SpmvJob(const Options& options)
      : m_options(options), m_selected(find_instances(instances(), options)), m_inputs(find_inputs(options)) {
    if (options.paper) m_options.rivals = true;
  }

  std::vector<Task> tasks() const override {
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
      for (const Instance* instance : m_selected) {
        const Input& input = m_inputs[i];
        tasks.push_back({.operation       = "spmv",
                         .matrix          = input.source.name,
                         .scalar          = instance->scalar,
                         .columns         = {},
                         .implementations = {},
                         .cost            = cost_of_task + input.source.nonzeros,
                         .place           = i + 1,
                         .run             = [this, instance, &input](Session& session, const std::vector<std::int64_t>&,
                                                         const ReportRecords& report) {
                           report(instance->spmv(session, instance->scalar, input.source, m_options, input.requests));
                         }});
      }
    return tasks;
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

/// The paper's graphs (those named, where some are), then what else was named.
std::vector<MatrixSource> find_spmm_sources(Options options) {
  if (!options.paper) return find_sources(options);
  std::vector<MatrixSource> sources;
  std::vector<std::string> others;
  for (const std::string& argument : options.inputs) {
    const auto graphs = spmm_paper_graphs();
    const auto place =
        std::find_if(graphs.begin(), graphs.end(), [&](const SpmmPaperGraph& graph) { return argument == graph.name; });
    if (place == graphs.end())
      others.push_back(argument);
    else
      sources.push_back(spmm_paper_source(*place));
  }
  if (sources.empty())
    for (const SpmmPaperGraph& graph : spmm_paper_graphs()) sources.push_back(spmm_paper_source(graph));
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
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < m_sources.size(); ++i)
      for (const SpmmInstance* instance : m_selected) {
        const MatrixSource& source = m_sources[i];
        tasks.push_back({.operation       = "spmm",
                         .matrix          = source.name,
                         .scalar          = instance->scalar,
                         .columns         = m_columns,
                         .implementations = {},
                         .cost            = cost_of_task + source.nonzeros,
                         .place           = i + 1,
                         .run = [this, instance, &source](Session& session, const std::vector<std::int64_t>& columns,
                                                          const ReportRecords& report) {
                           instance->spmm(session, instance->scalar, source, m_options, columns, m_requests, report);
                         }});
      }
    return tasks;
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
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < m_problems.size(); ++i)
      for (const SpmmInstance* instance : m_selected) {
        const SpdmProblem& problem = m_problems[i];
        tasks.push_back({.operation       = "spmm",
                         .matrix          = problem.source.name,
                         .scalar          = instance->scalar,
                         .columns         = problem.columns,
                         .implementations = implementations_for(instance->scalar),
                         .cost            = cost_of(problem),
                         .place           = i + 1,
                         .run = [this, instance, &problem](Session& session, const std::vector<std::int64_t>& columns,
                                                           const ReportRecords& report) {
                           instance->spmm(session, instance->scalar, problem.source, m_options, columns, m_requests,
                                          report);
                         }});
      }
    return tasks;
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
          {.operation       = diagonal_operation(workload.product),
           .matrix          = workload.name,
           .scalar          = "double",
           .columns         = {},
           .implementations = {},
           .cost            = cost_of_task + stored * static_cast<double>(workload.n),
           .place           = i + 1,
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

/// The nodes of a mesh that the command line names.
Mesh mesh_of_spec(const std::string& spec) {
  if (!is_generator_spec(spec) || !spec.starts_with("mesh"))
    throw std::runtime_error(spec + ": a hierarchy starts from mesh27:…, mesh7:… or mesh5:…");
  const Impl::Pattern pattern = Generator::parse(spec).pattern();
  return {pattern.nx, pattern.ny, pattern.nz, pattern.block};
}

/// The paper's matrices (those named, where some are), else what was named.
std::vector<SpgemmProduct> find_spgemm_products(const Options& options) {
  std::vector<SpgemmProduct> products;
  if (!options.paper) {
    for (const std::string& argument : options.inputs)
      products.push_back(parse_spgemm_product(argument, find_source, mesh_of_spec));
    Options folder = options;
    folder.inputs.clear();
    for (MatrixSource& source : find_sources(folder)) products.push_back(square_of(std::move(source)));
    return products;
  }
  for (const SpgemmPaperMatrix& matrix : spgemm_paper_matrices())
    if (options.inputs.empty() ||
        std::find(options.inputs.begin(), options.inputs.end(), matrix.name) != options.inputs.end())
      products.push_back(square_of(spgemm_paper_source(matrix)));
  if (products.empty()) throw std::runtime_error("--paper: none of these is one of the paper's 21 matrices");
  return products;
}

/// What was left to us of the command line.
Options with_spgemm_defaults(Options options) {
  if (options.paper) {
    options.rivals = true;
    if (options.algorithms.empty()) options.algorithms = spgemm_paper_algorithms();
  }
  return options;
}

/// C = A B, all of them sparse.
class SpgemmJob : public Job {
 public:
  explicit SpgemmJob(const Options& wanted)
      : m_options(with_spgemm_defaults(wanted)),
        m_selected(find_instances(spgemm_instances(), m_options)),
        m_products(find_spgemm_products(m_options)) {}

  std::vector<Task> tasks() const override {
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < m_products.size(); ++i)
      for (const SpgemmInstance* instance : m_selected) {
        const SpgemmProduct& product = m_products[i];
        double nonzeros              = 0;
        for (const SpgemmFactor& factor : product.factors) nonzeros += factor.source.nonzeros;
        tasks.push_back({.operation       = "spgemm",
                         .matrix          = product.name,
                         .scalar          = instance->scalar,
                         .columns         = {},
                         .implementations = {},
                         .cost            = cost_of_task + nonzeros,
                         .place           = i + 1,
                         .run = [this, instance, &product](Session& session, const std::vector<std::int64_t>&,
                                                           const ReportRecords& report) {
                           report(instance->spgemm(session, instance->scalar, product, m_options));
                         }});
      }
    return tasks;
  }

  void report(std::ostream& stream, const std::vector<Record>& records, double copy_bandwidth,
              std::size_t place) const override {
    print_problem(stream, records, copy_bandwidth, place, m_products.size());
    print_choice(stream, records, m_options);
  }

  void summarize(std::ostream& stream, const std::vector<Record>& records, double) const override {
    if (m_options.paper) print_spgemm_paper(stream, records);
  }

 private:
  Options m_options;
  std::vector<const SpgemmInstance*> m_selected;
  std::vector<SpgemmProduct> m_products;
};

}  // namespace

std::vector<std::unique_ptr<Job>> make_jobs(const Options& options) {
  std::vector<std::unique_ptr<Job>> jobs;
  const Command command = options.command;
  if (command == Command::run || command == Command::spmv) jobs.push_back(std::make_unique<SpmvJob>(options));
  if (command == Command::run || command == Command::spmm) jobs.push_back(std::make_unique<SpmmJob>(options));
  if (command == Command::spgemm) jobs.push_back(std::make_unique<SpgemmJob>(options));
  if (command == Command::diagonal) jobs.push_back(std::make_unique<DiagonalJob>(options));
  if (command == Command::paper000) jobs.push_back(std::make_unique<Paper000Job>(options));
  return jobs;
}

bool inspect_inputs(const Options& options) {
  Session session({}, 0, {});
  const Instance& instance = *find_instances(instances(), options).front();
  for (const Input& input : find_inputs(options)) instance.inspect(session, input.source);
  return session.failures().empty();
}

}  // namespace lacuna::bench
