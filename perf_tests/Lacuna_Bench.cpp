// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper002.hpp>
#include <spmv/Bench_Spmv.hpp>
#include <support/Bench_Context.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Table.hpp>

#include <Kokkos_Core.hpp>
#include <Lacuna_Generators.hpp>

#include <algorithm>
#include <iostream>
#include <stdexcept>

/// \file
/// \brief lacuna-bench: see perf_tests/README.md.

namespace lacuna::bench {

namespace {

/// The instantiation for each of the scalars asked for.
std::vector<const Instance*> find_instances(const Options& options) {
  std::vector<const Instance*> found;
  for (const std::string& scalar : options.scalars) {
    const auto place = std::find_if(instances().begin(), instances().end(), [&](const Instance& instance) {
      return scalar == instance.scalar && options.ordinal == instance.ordinal && options.offset == instance.offset;
    });
    if (place == instances().end())
      throw std::runtime_error("scalar " + scalar + ", ordinal " + options.ordinal + ", offset " + options.offset +
                               " was not compiled in: configure with -DLACUNA_BENCH_ALL_TYPES=ON");
    found.push_back(&*place);
  }
  return found;
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
  for (const std::string& argument : options.inputs)
    inputs.push_back(
        {find_matrix(argument, [](const std::string& text) { return is_generator_spec(text); }), requests});
  if (!options.all_in.empty()) {
    for (MatrixSource& source : matrices_of_folder(options.all_in)) inputs.push_back({std::move(source), requests});
    if (inputs.empty()) throw std::runtime_error(options.all_in + ": no matrices in it");
  }
  return inputs;
}

std::string value_of(const Context& context, const std::string& key) {
  for (const auto& [name, value] : context)
    if (name == key) return value;
  return {};
}

int inspect(const Options& options) {
  Session session({}, 0, {});
  for (const Input& input : find_inputs(options)) find_instances(options).front()->inspect(session, input.source);
  return session.failures().empty() ? 0 : 1;
}

int measure(Options options) {
  if (options.paper) options.rivals = true;
  const std::vector<const Instance*> selected = find_instances(options);
  const std::vector<Input> inputs             = find_inputs(options);

  Context context             = describe_context();
  const double copy_bandwidth = measure_copy_bandwidth(options.copy_gigabytes);
  context.emplace_back("ordinal", options.ordinal);
  context.emplace_back("offset", options.offset);
  context.emplace_back("caches", options.cold ? "cold" : "warm");
  const std::string threads = value_of(context, "threads");
  std::cout << "lacuna-bench " << value_of(context, "lacuna_version") << " (" << value_of(context, "git_revision")
            << ") on " << value_of(context, "device") << ", " << value_of(context, "execution_space")
            << (threads.empty() ? "" : " with " + threads + (threads == "1" ? " thread" : " threads")) << ", Kokkos "
            << value_of(context, "kokkos_version") << ", copy bandwidth " << fixed(copy_bandwidth * 1e-9, 1)
            << " GB/s\n";
  if (value_of(context, "build_type") != "Release")
    std::cerr << "lacuna-bench: built as '" << value_of(context, "build_type")
              << "': these times say nothing, build it as Release\n";

  Session session(std::move(context), copy_bandwidth, options.json);
  std::size_t done = 0;
  for (const Input& input : inputs) {
    ++done;
    for (const Instance* instance : selected) {
      const std::vector<Record> records =
          instance->spmv(session, instance->scalar, input.source, options, input.requests);
      if (records.empty()) continue;
      const Work& work = records.front().description.work;
      std::cout << "\n[" << done << "/" << inputs.size() << "] spmv, " << input.source.name << ", " << instance->scalar
                << ": " << grouped(work.rows) << " x " << grouped(work.columns) << ", " << grouped(work.nonzeros)
                << " nonzeros, " << readable_bytes(work.bytes) << " compulsory\n";
      print_cases(std::cout, records, copy_bandwidth);
      if (const Record* automatic = find_record(records, "lacuna:automatic"); options.inspect && automatic != nullptr)
        std::cout << "\nlacuna:automatic\n" << automatic->measurement.report << "\n";
      std::cout << std::flush;
    }
  }
  if (options.paper) print_paper(std::cout, session.records());
  if (session.records().size() > 0 && inputs.size() > 1) print_summary(std::cout, session.records(), copy_bandwidth);

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
