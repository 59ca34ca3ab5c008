// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Bench_Diagonal.hpp>
#include <paper/Bench_Paper000.hpp>
#include <paper/Bench_Paper001.hpp>
#include <paper/Bench_Paper002.hpp>
#include <paper/Bench_Paper004.hpp>
#include <spgemm/Bench_Spgemm.hpp>
#include <spmm/Bench_Spmm.hpp>
#include <spmm/Bench_SpmmSummary.hpp>
#include <spmv/Bench_Spmv.hpp>
#include <support/Bench_Context.hpp>
#include <support/Bench_MemoryPool.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Table.hpp>

#include <Kokkos_Core.hpp>
#include <Lacuna_Generators.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <set>
#include <stdexcept>

/// \file
/// \brief lacuna-bench: see perf_tests/manual.md.

namespace lacuna::bench {

namespace {

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

/// The matrices of the command line, without those of a paper.
std::vector<MatrixSource> find_sources(const Options& options) {
  std::vector<MatrixSource> sources;
  for (const std::string& argument : options.inputs)
    sources.push_back(find_matrix(argument, [](const std::string& text) { return is_generator_spec(text); }));
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

std::string value_of(const Context& context, const std::string& key) {
  for (const auto& [name, value] : context)
    if (name == key) return value;
  return {};
}

int inspect(const Options& options) {
  Session session({}, 0, {});
  const Instance& instance = *find_instances(instances(), options).front();
  for (const Input& input : find_inputs(options)) instance.inspect(session, input.source);
  return session.failures().empty() ? 0 : 1;
}

/// The session of a measurement; says where it runs.
Session start_session(const Options& options) {
  Context context             = describe_context();
  const double copy_bandwidth = measure_copy_bandwidth(options.copy_gigabytes);
  context.emplace_back("ordinal", options.ordinal);
  context.emplace_back("offset", options.offset);
  context.emplace_back("caches", options.cold ? "cold" : "warm");
  context.emplace_back("kept_memory", options.kept_memory ? "on" : "off");
  keep_memory(ExecutionSpace(), options.kept_memory);
  const std::string threads = value_of(context, "threads");
  std::cout << "lacuna-bench " << value_of(context, "lacuna_version") << " (" << value_of(context, "git_revision")
            << ") on " << value_of(context, "device") << ", " << value_of(context, "execution_space")
            << (threads.empty() ? "" : " with " + threads + (threads == "1" ? " thread" : " threads")) << ", Kokkos "
            << value_of(context, "kokkos_version") << ", copy bandwidth " << fixed(copy_bandwidth * 1e-9, 1)
            << " GB/s\n";
  if (value_of(context, "build_type") != "Release")
    std::cerr << "lacuna-bench: built as '" << value_of(context, "build_type")
              << "': these times say nothing, build it as Release\n";
  return Session(std::move(context), copy_bandwidth, options.json);
}

/// Counts what is wrong, writes the JSON, and decides the exit status.
int finish_session(const Session& session, const Options& options) {
  int wrong = 0, others = 0;
  for (const Record& record : session.records())
    if (record.measurement.wrong) {
      ++(record.description.ours() ? wrong : others);
      std::cerr << "lacuna-bench: " << record.description.name() << " is wrong: relative error "
                << record.measurement.relative_error << "\n";
    }
  if (options.check) {
    std::cout << "\n" << session.records().size() << " cases, " << wrong << " of Lacuna's wrong";
    if (others > 0) std::cout << ", " << others << " of the rivals'";
    std::cout << "\n";
  }
  session.write_json();
  return (options.check && wrong > 0) || !session.failures().empty() ? 1 : 0;
}

/// The heading and the table of one problem.
void print_problem(const std::vector<Record>& records, double copy_bandwidth, std::size_t place, std::size_t count) {
  const Case& description = records.front().description;
  const Work& work        = description.work;
  std::cout << "\n[" << place << "/" << count << "] " << description.operation << ", " << description.matrix << ", "
            << description.scalar << (description.columns > 0 ? ", N = " + std::to_string(description.columns) : "")
            << ": " << grouped(work.rows) << " x " << grouped(work.columns) << ", " << grouped(work.nonzeros)
            << " nonzeros, " << readable_bytes(work.bytes) << " compulsory\n";
  print_cases(std::cout, records, copy_bandwidth);
}

/// Says why `automatic` did what it did, where that was asked for.
void print_choice(const std::vector<Record>& records, const Options& options) {
  if (const Record* automatic = find_record(records, "lacuna:automatic"); options.inspect && automatic != nullptr)
    std::cout << "\nlacuna:automatic\n" << automatic->measurement.report << "\n";
}

/// y = A x + beta y: what is measured, found before anything runs.
struct SpmvJob {
  explicit SpmvJob(const Options& wanted)
      : options(wanted), selected(find_instances(instances(), options)), inputs(find_inputs(options)) {
    if (options.paper) options.rivals = true;
  }

  void run(Session& session) const {
    std::size_t done = 0;
    for (const Input& input : inputs) {
      ++done;
      for (const Instance* instance : selected) {
        const std::vector<Record> records =
            instance->spmv(session, instance->scalar, input.source, options, input.requests);
        if (records.empty()) continue;
        print_problem(records, session.copy_bandwidth(), done, inputs.size());
        print_choice(records, options);
        std::cout << std::flush;
      }
    }
    if (options.paper) print_paper(std::cout, session.records());
    if (inputs.size() > 1) print_summary(std::cout, session.records(), session.copy_bandwidth());
  }

  Options options;
  std::vector<const Instance*> selected;
  std::vector<Input> inputs;
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
struct SpmmJob {
  explicit SpmmJob(const Options& wanted)
      : options(with_spmm_defaults(wanted)),
        selected(find_spmm_instances(options)),
        columns(parse_column_counts(options.columns)),
        requests(parse_spmm_requests(options.algorithms, options.precisions, options.layouts)),
        sources(find_spmm_sources(options)) {}

  void run(Session& session) const {
    std::size_t done  = 0;
    const auto report = [&](const std::vector<Record>& records) {
      if (records.empty()) return;
      print_problem(records, session.copy_bandwidth(), done, sources.size());
      print_choice(records, options);
      std::cout << std::flush;
    };
    for (const MatrixSource& source : sources) {
      ++done;
      for (const SpmmInstance* instance : selected)
        instance->spmm(session, instance->scalar, source, options, columns, requests, report);
    }
    if (options.paper) print_spmm_paper(std::cout, session.records());
    if (sources.size() * columns.size() > 1) print_spmm_summary(std::cout, session.records());
  }

  Options options;
  std::vector<const SpmmInstance*> selected;
  std::vector<std::int64_t> columns;
  std::vector<SpmmRequest> requests;
  std::vector<MatrixSource> sources;
};

/// C = A B on the random matrices of the paper on GCOO, those of its table III, and layers of networks.
struct Paper000Job {
  explicit Paper000Job(const Options& wanted)
      : options(wanted),
        selected(find_spmm_instances(options)),
        requests(parse_spmm_requests(options.algorithms, options.precisions, options.layouts)),
        problems(spdm_problems(options.paper000)) {
#if defined(KOKKOS_ENABLE_CUDA)
    // Kokkos Kernels takes seconds a call here, and is no part of the comparison.
    if (options.rival_names.empty()) options.rival_names = {"cusparse:", "cublas:"};
#endif
  }

  /// Whether everything was measured.
  bool run(Session& session) const {
    struct Task {
      const SpdmProblem& problem;
      const SpmmInstance& instance;
      std::vector<std::int64_t> columns;
      std::size_t place;
    };
    std::set<std::string> names;  // that an earlier run measured
    for (const Record& record : session.records()) names.insert(record.description.name());
    std::vector<Task> tasks;
    double all = 0, done = 0;
    for (std::size_t place = 0; place < problems.size(); ++place)
      for (const SpmmInstance* instance : selected) {
        Task task{problems[place], *instance, {}, place + 1};
        for (const std::int64_t width : task.problem.columns)
          if (!is_there(names, task.problem, instance->scalar, width)) task.columns.push_back(width);
        if (task.columns.empty()) continue;
        all += weight(task.problem);
        tasks.push_back(std::move(task));
      }

    using Clock       = std::chrono::steady_clock;
    const auto start  = Clock::now();
    const auto spent  = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    const double most = options.paper000.stop_after;
    bool complete     = true;
    for (std::size_t i = 0; i < tasks.size() && complete; ++i) {
      const Task& task = tasks[i];
      complete         = most == 0 || spent() < most;
      if (!complete) break;
      task.instance.spmm(session, task.instance.scalar, task.problem.source, options, task.columns, requests,
                         [&](const std::vector<Record>& records) { print_line(records, task.place); });
      done += weight(task.problem);
      if (i % 10 == 9)
        std::cout << "  " << readable_time(spent()) << " so far, about " << readable_time(spent() / done * (all - done))
                  << " left" << std::endl;
    }
    print_spdm_paper(std::cout, session.records());
    if (!complete) std::cout << "\nlacuna-bench: stopped before all was measured; start it again to go on\n";
    return complete;
  }

  /// What a problem takes, but for a factor: a part for each case, a part for its flops.
  static double weight(const SpdmProblem& problem) {
    double sum = 0;
    for (const std::int64_t width : problem.columns) sum += 2e9 + problem.work * static_cast<double>(width);
    return sum;
  }

  /// Whether an earlier run had all that is asked for.
  bool is_there(const std::set<std::string>& names, const SpdmProblem& problem, const std::string& scalar,
                std::int64_t width) const {
    const std::vector<SpmmRequest> wanted_here = requests_for(scalar, requests);
    return std::all_of(wanted_here.begin(), wanted_here.end(), [&](const SpmmRequest& request) {
      const Case wanted{"spmm", problem.source.name, scalar, width, request.implementation(), {}, {}};
      return names.count(wanted.name()) > 0;
    });
  }

  void print_line(const std::vector<Record>& records, std::size_t place) const {
    if (records.empty()) return;
    const Case& description = records.front().description;
    std::cout << "[" << place << "/" << problems.size() << "] " << description.matrix << ", " << description.scalar
              << ", N = " << description.columns << ", " << grouped(description.work.nonzeros) << " nonzeros:";
    for (const char* start : {"lacuna:automatic", "lacuna:", "cusparse:", "cublas:", "kokkos-kernels"}) {
      std::vector<const Record*> cases;
      for (const Record& record : records) cases.push_back(&record);
      const Record* best = find_best(cases, start);
      if (best != nullptr)
        std::cout << "  " << best->description.implementation << " " << readable_time(best->measurement.seconds);
    }
    std::cout << std::endl;
  }

  Options options;
  std::vector<const SpmmInstance*> selected;
  std::vector<SpmmRequest> requests;
  std::vector<SpdmProblem> problems;
};

int measure_paper000(const Options& options) {
  const Paper000Job job(options);
  Session session = start_session(options);
  session.resume();
  const bool complete = job.run(session);
  const int status    = finish_session(session, options);
  return status != 0 || complete ? status : 3;
}

/// C = A B in diagonal storage.
int measure_diagonal(Options options) {
  if (options.paper) {
    options.rivals = true;
    for (std::string& text : diagonal_paper_workloads()) options.inputs.push_back(std::move(text));
  }
  std::vector<DiagonalWorkload> workloads;
  for (const std::string& text : options.inputs) workloads.push_back(parse_diagonal_workload(text));
  Session session  = start_session(options);
  std::size_t done = 0;
  for (const DiagonalWorkload& workload : workloads) {
    const std::vector<Record> records = bench_diagonal(session, workload, options);
    print_problem(records, session.copy_bandwidth(), ++done, workloads.size());
    std::cout << std::flush;
  }
  return finish_session(session, options);
}

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
    const auto find = [](const std::string& argument) {
      return find_matrix(argument, [](const std::string& text) { return is_generator_spec(text); });
    };
    for (const std::string& argument : options.inputs)
      products.push_back(parse_spgemm_product(argument, find, mesh_of_spec));
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
struct SpgemmJob {
  explicit SpgemmJob(const Options& wanted)
      : options(with_spgemm_defaults(wanted)),
        selected(find_instances(spgemm_instances(), options)),
        products(find_spgemm_products(options)) {}

  void run(Session& session) const {
    std::size_t done = 0;
    for (const SpgemmProduct& product : products) {
      ++done;
      for (const SpgemmInstance* instance : selected) {
        const std::vector<Record> records = instance->spgemm(session, instance->scalar, product, options);
        if (records.empty()) continue;
        print_problem(records, session.copy_bandwidth(), done, products.size());
        print_choice(records, options);
        std::cout << std::flush;
      }
    }
    if (options.paper) print_spgemm_paper(std::cout, session.records());
  }

  Options options;
  std::vector<const SpgemmInstance*> selected;
  std::vector<SpgemmProduct> products;
};

int measure(const Options& options) {
  if (options.command == Command::paper000) return measure_paper000(options);
  if (options.command == Command::diagonal) return measure_diagonal(options);
  if (options.command == Command::spgemm) {
    const SpgemmJob job(options);
    Session session = start_session(options);
    job.run(session);
    return finish_session(session, options);
  }
  std::optional<SpmvJob> spmv;
  std::optional<SpmmJob> spmm;
  if (options.command != Command::spmm) spmv.emplace(options);
  if (options.command != Command::spmv) spmm.emplace(options);
  Session session = start_session(options);
  if (spmv) spmv->run(session);
  if (spmm) spmm->run(session);
  return finish_session(session, options);
}

}  // namespace

}  // namespace lacuna::bench

int main(int argc, char* argv[]) {
  int exit_code      = 0;
  const auto options = lacuna::bench::parse_options(argc, argv, exit_code);
  if (!options) return exit_code;
  const Kokkos::ScopeGuard kokkos;
  try {
    return options->command == lacuna::bench::Command::inspect ? lacuna::bench::inspect(*options)
                                                               : lacuna::bench::measure(*options);
  } catch (const std::exception& error) {
    std::cerr << "lacuna-bench: " << error.what() << "\n";
    return 2;
  }
}
