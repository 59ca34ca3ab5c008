// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <engines/Engine_PetscCases.hpp>
#include <ranks/Bench_Launcher.hpp>
#include <ranks/Bench_PlaceJson.hpp>
#include <support/Bench_Context.hpp>
#include <support/Bench_ResultFile.hpp>
#include <support/Bench_Table.hpp>

#include <CLI/CLI.hpp>
#include <Lacuna_Petsc.hpp>

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>

/// \file
/// \brief `lacuna-bench engine`: times what solvers ask of PETSc's matrices, ours beside PETSc's own types, in one
/// program of as many processes as `mpiexec` starts.

namespace lacuna::bench {

namespace {

struct EngineOptions {
  std::vector<std::string> problems{"mesh27:n=48"};
  std::vector<std::string> types;
  PetscChoice choice;
  TimingOptions timing;
  std::string json;
  bool check      = false;
  bool host_names = false;
};

/// What this PETSc has, ours first.
std::vector<std::string> default_types() {
  std::vector<std::string> types{MATAIJLACUNA};
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  if (Kokkos::num_devices() > 0) types.insert(types.begin(), std::string(MATAIJKOKKOS) + "+plans");
  types.push_back(MATAIJKOKKOS);
#endif
#if defined(PETSC_HAVE_CUDA)
  types.push_back(std::string(MATAIJCUSPARSE) + "+plans");
  types.push_back(MATAIJCUSPARSE);
#endif
#if defined(PETSC_HAVE_HIP)
  types.push_back(MATAIJHIPSPARSE);
#endif
  types.push_back(MATAIJ);
  return types;
}

/// Empty where there is nothing to run.
std::optional<EngineOptions> parse(int argc, char** argv, bool print, int& exit_code) {
  EngineOptions options;
  CLI::App app(
      "lacuna-bench engine: times PETSc's MatMult, MatMultTranspose, MatPtAP (at first, and again with new "
      "values) and MatMatMult with dense matrices, ours beside PETSc's own; what stands behind -- is for PETSc",
      "lacuna-bench engine");
  app.add_option("problems", options.problems,
                 "mesh7:n=N, mesh27:n=N, elasticity:n=N, or several (default: mesh27:n=48)");
  app.add_option(
         "--type", options.types,
         "types of matrix: aijlacuna, aij, aijkokkos, aijcusparse; with +plans behind it LacunaMatUse is called "
         "(default: all that this PETSc has)")
      ->delimiter(',');
  app.add_option("--operation", options.choice.operations,
                 "what is timed: matptap, matptap-again, matmult, matmulttranspose, matmatmult, kspmatsolve-jacobi, "
                 "kspmatsolve-gamg (default: all); matrices that none of it needs are not made")
      ->delimiter(',')
      ->check(CLI::IsMember(petsc_operations()));
  app.add_option("--n", options.choice.columns, "columns of dense matrices (default: 8,32)")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  app.add_option("--repeat", options.timing.batches, "batches of calls a case, of which the median counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--min-time", options.timing.min_time, "seconds of measured calls a case")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_option("--json", options.json, "write Google Benchmark's JSON to this file");
  app.add_flag("--check", options.check, "exit with 1 where a result is wrong");
  app.add_flag("--host-names", options.host_names, "the JSON names the hosts of ranks (else host-0, host-1, ...)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = print ? app.exit(error) : error.get_exit_code();
    return std::nullopt;
  }
  return options;
}

/// A text of each process, on the first.
std::vector<std::string> gather(const std::string& text) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), places(lengths.size());
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, PETSC_COMM_WORLD);
  int all = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    places[i] = all;
    all += lengths[i];
  }
  std::string joined(static_cast<std::size_t>(all), ' ');
  MPI_Gatherv(text.data(), length, MPI_CHAR, joined.data(), lengths.data(), places.data(), MPI_CHAR, 0,
              PETSC_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    texts.push_back(joined.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length                                = 0;
  MPI_Get_library_version(text, &length);
  std::string line(text, static_cast<std::size_t>(length));
  line = line.substr(0, line.find('\n'));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

Context context_of(const Launcher& launcher, const std::string& settings) {
  Context context = describe_context();
  context.emplace_back("petsc_version", std::to_string(PETSC_VERSION_MAJOR) + "." +
                                            std::to_string(PETSC_VERSION_MINOR) + "." +
                                            std::to_string(PETSC_VERSION_SUBMINOR));
  context.emplace_back("mpi", mpi_library());
  context.emplace_back("ordinal", sizeof(PetscInt) == 8 ? "int64" : "int");
  context.emplace_back("offset", sizeof(PetscInt) == 8 ? "int64" : "int");
  context.emplace_back("caches", "warm");
  context.emplace_back("settings", settings);
  context.emplace_back("launcher", launcher.name);
  return context;
}

/// Who took part, as `lacuna-bench` says it of ranks that share a run; here all ranks made every case.
void add_ranks(const std::string& path, const std::vector<Place>& places, bool host_names) {
  Json document = read_results(path);
  std::map<std::string, std::string> hosts;
  std::vector<Place> renamed = places;
  Json ranks                 = Json::array();
  for (Place& place : renamed) {
    const std::string name = "host-" + std::to_string(hosts.size());
    if (!host_names) place.process.host = hosts.emplace(place.process.host, name).first->second;
    ranks.push_back({{"rank", place.rank},
                     {"host", place.process.host},
                     {"device", place.what_it_measures()},
                     {"processors", place.processors},
                     {"binding", place.binding}});
  }
  for (Json& entry : document["benchmarks"]) entry["ranks"] = places.size();
  document["context"]["ranks"] = std::move(ranks);
  if (const auto shared = find_sharing(renamed); !shared.empty()) document["context"]["shared"] = shared;
  write_results(path, document);
}

/// A table for each operation and number of columns, in the order of the cases.
void print_tables(const std::vector<Record>& records, double copy_bandwidth) {
  std::vector<std::pair<std::string, std::vector<Record>>> problems;
  for (const Record& record : records) {
    const Case& description = record.description;
    const std::string title = description.operation + ", " + description.matrix + ", " + description.scalar +
                              (description.columns > 0 ? ", N = " + std::to_string(description.columns) : "") + ": " +
                              grouped(description.work.rows) + " x " + grouped(description.work.columns) + ", " +
                              grouped(description.work.nonzeros) + " nonzeros";
    auto place =
        std::find_if(problems.begin(), problems.end(), [&](const auto& known) { return known.first == title; });
    if (place == problems.end()) place = problems.insert(problems.end(), {title, {}});
    place->second.push_back(record);
  }
  for (const auto& [title, cases] : problems) {
    std::cout << "\n" << title << "\n";
    print_cases(std::cout, cases, copy_bandwidth);
  }
}

int run(const EngineOptions& options, const Launcher& launcher, const std::string& settings) {
  const double copy_bandwidth = sum_of(measure_copy_bandwidth(0));
  int rank                    = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  Place own = describe_place();
  own.rank  = rank;
  std::vector<Place> places;
  for (const std::string& text : gather(json_of(own).dump()))
    if (rank == 0) places.push_back(place_of(Json::parse(text)));

  Session session(context_of(launcher, settings), copy_bandwidth, rank == 0 ? options.json : "");
  if (rank != 0) session.be_quiet([](const std::string&) {});
  if (rank == 0) {
    std::cout << "lacuna-bench engine: PETSc " << PETSC_VERSION_MAJOR << "." << PETSC_VERSION_MINOR << ", "
              << places.size() << (places.size() == 1 ? " process" : " processes") << ", copy bandwidth of all "
              << fixed(copy_bandwidth * 1e-9, 1) << " GB/s\n";
    for (const std::string& sharing : find_sharing(places)) std::cerr << "lacuna-bench engine: " << sharing << "\n";
  }
  const std::vector<PetscType> types = name_petsc_types(options.types.empty() ? default_types() : options.types);
  for (const std::string& name : options.problems) {
    PetscProblem problem(name);
    std::vector<Record> records;
    for (const PetscType& type : types)
      for (Record& record : session.run(petsc_cases(problem, type, options.choice, options.timing)))
        records.push_back(std::move(record));
    if (rank == 0) print_tables(records, copy_bandwidth);
  }
  session.write_json();
  if (rank == 0 && !options.json.empty()) add_ranks(options.json, places, options.host_names);
  int wrong = 0;
  for (const Record& record : session.records()) {
    if (!record.measurement.wrong) continue;
    ++wrong;
    if (rank == 0)
      std::cerr << "lacuna-bench engine: " << record.description.name() << " is wrong: relative error "
                << record.measurement.relative_error << "\n";
  }
  return options.check && wrong > 0 ? 1 : 0;
}

/// PETSc starts Kokkos late, on the device that it gives a process; where it has none, it is the program's.
void start_kokkos() {
#if defined(PETSC_HAVE_KOKKOS)
  check(PetscKokkosInitializeCheck());
#else
  if (Kokkos::is_initialized()) return;
  Kokkos::initialize();
  check(PetscRegisterFinalize([]() -> PetscErrorCode {
    Kokkos::finalize();
    return PETSC_SUCCESS;
  }));
#endif
}

/// A launcher that MPI does not speak with starts as many processes as were asked for, each of which is alone, measures
/// all, and writes to the same file.
void check_ranks(const Launcher& launcher) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (launcher.has_ranks() && ranks != launcher.size)
    throw std::runtime_error(launcher.name + " started " + std::to_string(launcher.size) +
                             " processes, but for PETSc's MPI there is " + std::to_string(ranks) +
                             ": it needs a launcher that it knows (its own mpiexec; srun --mpi=pmi2 or --mpi=pmix)");
}

/// The device of the rank on its host. PETSc counts ranks of all hosts together, which gives some hosts' ranks one
/// device where these are dealt out in turn; who names a device has it.
void choose_device(const Launcher& launcher, std::vector<std::string>* of_petsc) {
  const int devices = Kokkos::num_devices();
  if (launcher.local_rank < 0 || devices < 2) return;
  for (const std::string& word : *of_petsc)
    if (word.starts_with("-device_select")) return;
#if defined(KOKKOS_ENABLE_HIP)
  of_petsc->push_back("-device_select_hip");
#else
  of_petsc->push_back("-device_select_cuda");
#endif
  of_petsc->push_back(std::to_string(launcher.local_rank % devices));
}

/// The words of the command line, as `lacuna-bench` gives them for other commands; those for PETSc, too.
std::string settings_of(const std::vector<std::string>& words) {
  std::string text = "engine";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--json")
      ++i;  // a path
    else if (word != "--host-names" && !word.starts_with("--json="))
      text += " " + word;
  }
  return text;
}

}  // namespace

}  // namespace lacuna::bench

int main(int argc, char* argv[]) {
  using namespace lacuna::bench;
  std::vector<char*> own;
  std::vector<std::string> of_petsc{argv[0]};
  bool behind = false;
  for (int i = 0; i < argc; ++i) {
    const bool separator = std::string(argv[i]) == "--";
    if (!separator && behind) of_petsc.push_back(argv[i]);
    if (!separator && !behind) own.push_back(argv[i]);
    behind = behind || separator;
  }
  int status = 0;
  try {
    const Launcher launcher = find_launcher([](const char* variable) { return std::getenv(variable); });
    const auto options      = parse(static_cast<int>(own.size()), own.data(), launcher.rank == 0, status);
    if (!options) return status;
    choose_device(launcher, &of_petsc);
    std::vector<char*> words;
    for (std::string& word : of_petsc) words.push_back(word.data());
    int count = static_cast<int>(words.size());
    words.push_back(nullptr);
    char** arguments = words.data();
    check(PetscInitialize(&count, &arguments, nullptr, nullptr));
    try {
      check_ranks(launcher);
      keep_petsc_errors();
      check(LacunaRegister());
      start_kokkos();
      status = run(*options, launcher, settings_of({argv, argv + argc}));
    } catch (const std::exception& error) {
      if (launcher.rank == 0) std::cerr << "lacuna-bench engine: " << error.what() << "\n";
      status = 2;
    }
    check(PetscFinalize());
  } catch (const std::exception& error) {
    std::cerr << "lacuna-bench engine: " << error.what() << "\n";
    return 2;
  }
  return status;
}
