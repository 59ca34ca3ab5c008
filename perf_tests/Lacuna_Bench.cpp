// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Bench_Jobs.hpp>
#include <ranks/Bench_Ranks.hpp>
#include <ranks/Bench_TakeOver.hpp>
#include <support/Bench_Context.hpp>
#include <support/Bench_MemoryPool.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Table.hpp>

#include <Kokkos_Core.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>

/// \file
/// \brief lacuna-bench: see perf_tests/manual.md.

namespace lacuna::bench {

namespace {

using Clock = std::chrono::steady_clock;

std::string value_of(const Context& context, const std::string& key) {
  for (const auto& [name, value] : context)
    if (name == key) return value;
  return {};
}

/// What the JSON says of the run.
Context context_of(const Options& options) {
  Context context = describe_context();
  context.emplace_back("ordinal", options.ordinal);
  context.emplace_back("offset", options.offset);
  context.emplace_back("caches", options.cold ? "cold" : "warm");
  context.emplace_back("kept_memory", options.kept_memory ? "on" : "off");
  context.emplace_back("settings", options.run.settings);
  return context;
}

void print_heading(const Context& context, double copy_bandwidth) {
  const std::string threads = value_of(context, "threads");
  std::cout << "lacuna-bench " << value_of(context, "lacuna_version") << " (" << value_of(context, "git_revision")
            << ") on " << value_of(context, "device") << ", " << value_of(context, "execution_space")
            << (threads.empty() ? "" : " with " + threads + (threads == "1" ? " thread" : " threads")) << ", Kokkos "
            << value_of(context, "kokkos_version") << ", copy bandwidth " << fixed(copy_bandwidth * 1e-9, 1)
            << " GB/s\n";
  if (value_of(context, "build_type") != "Release")
    std::cerr << "lacuna-bench: built as '" << value_of(context, "build_type")
              << "': these times say nothing, build it as Release\n";
}

/// Says what is wrong, and decides the exit status.
int finish(const std::vector<Record>& records, const std::vector<std::string>& failures, bool complete,
           const Options& options) {
  int wrong = 0, others = 0;
  for (const Record& record : records)
    if (record.measurement.wrong) {
      ++(record.description.ours() ? wrong : others);
      std::cerr << "lacuna-bench: " << record.description.name() << " is wrong: relative error "
                << record.measurement.relative_error << "\n";
    }
  if (options.check) {
    std::cout << "\n" << records.size() << " cases, " << wrong << " of Lacuna's wrong";
    if (others > 0) std::cout << ", " << others << " of the rivals'";
    std::cout << "\n";
  }
  if (!complete)
    std::cout << "\nlacuna-bench: not all was measured; start it again"
              << (options.command == Command::paper000 ? "" : " with --resume") << " to go on\n";
  if ((options.check && wrong > 0) || !failures.empty()) return 1;
  return complete ? 0 : 3;
}

/// Whether an earlier run has to have the same words in its command line. What `paper000` looks for it knows by name.
bool needs_same_settings(const Options& options) { return options.command != Command::paper000; }

/// Measures what is left of a job. False where time ran out first.
bool measure_job(const Job& job, Session& session, const Options& options, Clock::time_point start) {
  const auto spent  = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const double most = options.run.stop_after;
  const auto tasks  = job.tasks();
  std::set<std::string> names;
  for (const Record& record : session.records()) names.insert(record.description.name());
  const std::vector<Rest> rests = left_of(tasks, names);
  if (rests.size() < tasks.size())
    std::cout << tasks.size() - rests.size() << " of " << tasks.size() << " tasks were measured before\n";
  double all = 0, done = 0;
  for (const Rest& rest : rests) all += tasks[rest.task].cost;
  for (std::size_t i = 0; i < rests.size(); ++i) {
    if (most > 0 && spent() >= most) return false;
    const Task& task = tasks[rests[i].task];
    task.run(session, rests[i].columns, [&](const std::vector<Record>& records) {
      if (!records.empty()) job.report(std::cout, records, session.copy_bandwidth(), task.place);
      std::cout << std::flush;
    });
    done += task.cost;
    if (i % 10 == 9)
      std::cout << "  " << readable_time(spent()) << " so far, about " << readable_time(spent() / done * (all - done))
                << " left" << std::endl;
  }
  return true;
}

int measure_alone(const Options& options, const Context& context) {
  const auto jobs = make_jobs(options);
  std::string before;
  if (!options.json.empty()) before = take_over(options.json, options.run, context, needs_same_settings(options));
  const double copy_bandwidth = measure_copy_bandwidth(options.copy_gigabytes);
  print_heading(context, copy_bandwidth);
  Session session(context, copy_bandwidth, options.json);
  if (!before.empty()) session.resume(before);
  if (options.run.resume) std::filesystem::remove_all(ranks_folder(options.json));  // all of it is in the file now
  bool complete    = true;
  const auto start = Clock::now();
  for (const auto& job : jobs) {
    complete = complete && measure_job(*job, session, options, start);
    job->summarize(std::cout, session.records(), copy_bandwidth);
  }
  session.write_json();
  return finish(session.records(), session.failures(), complete, options);
}

int measure_with_others(const Options& options, const Launcher& launcher, const Context& context) {
  if (options.json.empty()) {
    if (launcher.rank == 0)
      std::cerr << "lacuna-bench: " << launcher.size
                << " ranks need --json FILE, where all of them can write: what they measure is put together there "
                   "(--ranks none: every rank for itself)\n";
    return 2;
  }
  RankWork work{.options        = options,
                .launcher       = launcher,
                .place          = {},
                .context        = context,
                .copy_bandwidth = measure_copy_bandwidth(options.copy_gigabytes),
                .jobs           = {},
                .trouble        = {},
                .settings       = needs_same_settings(options)};
  work.place      = describe_place();  // now that all threads are there
  work.place.rank = launcher.rank;
  try {
    work.jobs = make_jobs(options);
  } catch (const std::exception& error) {
    work.trouble = error.what();
  }
  if (launcher.rank == 0) print_heading(context, work.copy_bandwidth);
  const RankResult result = measure_on_ranks(work);
  if (result.status != 0 || launcher.rank != 0) return result.status;
  for (const auto& job : work.jobs) {
    report_problems(std::cout, *job, result.records, result.copy_bandwidth);
    job->summarize(std::cout, result.records, result.copy_bandwidth);
  }
  return finish(result.records, result.failures, result.complete, options);
}

int run_command(const Options& options, const Launcher& launcher) {
  if (options.command == Command::inspect) return launcher.rank > 0 || inspect_inputs(options) ? 0 : 1;
  const Context context = context_of(options);
  keep_memory(ExecutionSpace(), options.kept_memory);
  return launcher.has_ranks() ? measure_with_others(options, launcher, context) : measure_alone(options, context);
}

/// A device for each rank of a host, in turn, unless somebody has said which. Kokkos does the same where it knows the
/// launcher.
Kokkos::InitializationSettings settings_for(const Launcher& launcher) {
  Kokkos::InitializationSettings settings;
  const bool chosen = std::getenv("KOKKOS_DEVICE_ID") != nullptr || std::getenv("KOKKOS_MAP_DEVICE_ID_BY") != nullptr;
  if (const int devices = Kokkos::num_devices(); devices > 0 && launcher.local_rank >= 0 && !chosen)
    settings.set_device_id(launcher.local_rank % devices);
  if (launcher.rank > 0) settings.set_disable_warnings(true);  // rank 0 has the same
  return settings;
}

/// Becomes the program that has PETSc, where this build has it: then it lies beside this one. Returns otherwise.
int become_engine(char** arguments) {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lacuna-engine-petsc";
  if (std::filesystem::exists(program)) execv(program.c_str(), arguments);
  std::cerr << "lacuna-bench: engine: there is no " << program.filename().string()
            << " beside this program; configure with -DLACUNA_ENABLE_PETSC=ON and build it\n";
  return 2;
}

}  // namespace

}  // namespace lacuna::bench

int main(int argc, char* argv[]) {
  using namespace lacuna::bench;
  int exit_code = 0;
  try {
    if (argc > 1 && std::string(argv[1]) == "engine") return become_engine(argv + 1);
    Launcher launcher  = find_launcher([](const char* variable) { return std::getenv(variable); });
    const auto options = parse_options(argc, argv, launcher.rank == 0, exit_code);
    if (!options) return exit_code;
    if (!options->run.ranks) launcher = {};
    const Kokkos::ScopeGuard kokkos(settings_for(launcher));
    // What a rank has to say is said by rank 0.
    if (launcher.rank > 0) std::cout.rdbuf(nullptr);
    return run_command(*options, launcher);
  } catch (const std::exception& error) {
    std::cerr << "lacuna-bench: " << error.what() << "\n";
    return 2;
  }
}
