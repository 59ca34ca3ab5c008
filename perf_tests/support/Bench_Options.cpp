// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_Options.hpp>

#include <CLI/CLI.hpp>

#include <Lacuna_Version.hpp>

#include <filesystem>
#include <set>

namespace lacuna::bench {

namespace {

void add_inputs(CLI::App& app, Options& options) {
  app.add_option("matrices", options.inputs,
                 "Matrix Market or Rutherford-Boeing files, generator specs such as mesh27:n=30,b=3, or names of "
                 "files in the folder LACUNA_MATRIX_DIR (default: mesh27:n=30,b=3)");
  app.add_option("--all-in", options.all_in, "every matrix that DIR/INDEX.tsv lists, else every matrix file of DIR")
      ->check(CLI::ExistingDirectory);
}

void add_types(CLI::App& app, Options& options) {
  app.add_option("--scalar", options.scalars,
                 "float, double, complex_float, complex_double, for spmm half and bhalf, or several")
      ->delimiter(',')
      ->check(CLI::IsMember({"float", "double", "complex_float", "complex_double", "half", "bhalf"}));
  app.add_option("--ordinal", options.ordinal, "type of the column indices")->check(CLI::IsMember({"int", "int64"}));
  app.add_option("--offset", options.offset, "type of the row map (default: the ordinal's)")
      ->check(CLI::IsMember({"int", "int64", "size_t"}));
}

void add_run(CLI::App& app, RunOptions& run) {
  app.add_flag("--resume", run.resume, "go on where an earlier run that wrote the same JSON was interrupted")
      ->needs("--json");
  app.add_option("--stop-after", run.stop_after, "begin no other matrix after so many seconds: exit status 3")
      ->check(CLI::Range(0.0, 1e9));
  app.add_option_function<std::string>(
         "--ranks", [&run](const std::string& text) { run.ranks = text == "auto"; },
         "auto: the ranks of mpirun, mpiexec or srun share the work (default); none: each does all of it")
      ->check(CLI::IsMember({"auto", "none"}));
  app.add_option("--patience", run.patience, "seconds without a sign of life after which a rank is given up (600)")
      ->check(CLI::Range(1.0, 1e9));
  app.add_flag("--host-names", run.host_names, "the JSON names the hosts of ranks (else host-0, host-1, ...)");
}

/// The options that say what is measured and how, as they were given, in the order of the help.
std::string settings_of(const CLI::App& command) {
  static const std::set<std::string> others{"--json",     "--resume",     "--stop-after", "--ranks",
                                            "--patience", "--host-names", "--all-in"};
  std::string text = command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || option->get_positional() || others.count(name) > 0) continue;
    text += " " + name;
    for (std::size_t i = 0; i < option->results().size(); ++i) text += (i == 0 ? " " : ",") + option->results()[i];
  }
  return text;
}

void add_measurement(CLI::App& app, Options& options, const char* algorithms) {
  app.add_option("--algorithm", options.algorithms, algorithms)->delimiter(',');
  app.add_flag("--check,!--no-check", options.check, "exit with 1 where a result is wrong");
  app.add_option("--repeat", options.repeat, "batches of calls a case, of which the median counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--min-time", options.min_time, "seconds of measured calls a case")->check(CLI::Range(0.0, 3600.0));
  app.add_option("--beta", options.beta, "what is in the result counts so often; 0 stores");
  app.add_option(
      "--expected-calls", options.expected,
      "calls that the set-up of `automatic` has to pay back (a plan on a host, where nobody says, keeps CSR)");
  app.add_option("--copy-size", options.copy_gigabytes, "GB in the copy that measures the bandwidth (0: automatic)");
  app.add_option("--json", options.json, "write Google Benchmark's JSON to this file");
  app.add_flag("--cold", options.cold, "flush the caches before every call and time each call alone");
  add_run(app, options.run);
}

void add_spmm(CLI::App& app, Options& options) {
  app.add_option("--precision", options.precisions, "full, tf32, fp16, bf16, or several of them")->delimiter(',');
  app.add_option("--layout", options.layouts, "right (row-major), left (column-major), or both: Lacuna's B and C")
      ->delimiter(',');
  app.add_flag(
      "--rivals", options.rivals,
      "time Kokkos Kernels, and cuSPARSE and cuBLAS where there is CUDA, oneMKL where it was found, as well, in both "
      "layouts");
  app.add_option("--rival", options.rival_names, "only rivals whose names start so: cusparse:,cublas:")->delimiter(',');
  app.add_option("--rival-layout", options.rival_layouts, "right, left, or both: layouts of B and C of rivals")
      ->delimiter(',')
      ->check(CLI::IsMember({"right", "left"}));
}

void add_paper000(CLI::App& app, Paper000Options& options) {
  app.add_flag("--random", options.random, "random matrices, N = n: a sample of the paper's sizes and shares of zeros");
  app.add_flag("--matrices", options.matrices,
               "the 14 matrices of its table III, from LACUNA_MATRIX_DIR or surrogates");
  app.add_flag("--layers", options.layers, "layers of pruned networks times 64 to 4096 tokens");
  app.add_flag("--whole", options.whole,
               "all of its random matrices: n = 400 to 14,500, s = 0.8 to 0.9995. What the JSON file holds already is "
               "not run again");
  app.add_option("--sample", options.sample,
                 "so many of all of its random matrices, drawn by strata of size and share of zeros, those that take "
                 "little time more often")
      ->check(CLI::Range(1, 6958));
  app.add_option("--size", options.sizes, "only these numbers of rows")->delimiter(',');
  app.add_option("--zeros", options.zeros, "only these shares of zeros, per cent")->delimiter(',');
  app.add_option("--tokens", options.tokens, "columns of B for layers (default: 64,128,512,2048,4096)")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
}

CLI::App* add_diagonal(CLI::App& app, Options& options) {
  CLI::App* diagonal = app.add_subcommand("diagonal", "C = A B in diagonal storage, HM and CDM, double precision");
  diagonal->add_option("workloads", options.inputs,
                       "band:n=N,w=W (diagonals -W to W) or diagonals:n=N,a=A,b=B[,span=S] (random ones)");
  add_measurement(*diagonal, options, "all, or algorithms by name (default: automatic)");
  diagonal
      ->add_option("--product", options.products,
                   "ab, atb (A' B), abt (A B'), syrk (A A'), syr2k (A B' + B A'), or several (default: ab)")
      ->delimiter(',');
  diagonal->add_flag("--rivals", options.rivals,
                     "time the paper's sequential algorithms, and cuSPARSE and cuBLAS where there is CUDA, as well");
  diagonal->add_flag("--paper", options.paper, "the workloads of Haque, Parvez and Hossain (2024), with rivals");
  return diagonal;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, bool print, int& exit_code) {
  Options options;
  CLI::App app("lacuna-bench: times Lacuna's kernels and their rivals, and checks what they compute", "lacuna-bench");
  app.set_version_flag("--version", std::to_string(LACUNA_VERSION_MAJOR) + "." + std::to_string(LACUNA_VERSION_MINOR) +
                                        "." + std::to_string(LACUNA_VERSION_PATCH));
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);

  CLI::App* run = app.add_subcommand(
      "run", "inspect, multiply with a vector and with 128 columns, check and compare: the first thing to try");
  CLI::App* inspect = app.add_subcommand("inspect", "print what the inspector sees in each matrix");
  CLI::App* spmv    = app.add_subcommand("spmv", "y = A x + beta y");
  CLI::App* spmm    = app.add_subcommand("spmm", "C = A B + beta C");
  CLI::App* spgemm  = app.add_subcommand(
       "spgemm",
       "C = A A, or A@B, A@A^T, R@A@P, rap-linear:mesh27:n=60 and rap-aggregates:mesh27:n=60 in place of a "
        "matrix, all of them sparse");
  CLI::App* paper000 = app.add_subcommand(
      "paper000", "C = A B on the random matrices of Shi, Wang and Chu (GCOO), against dense products");
  for (CLI::App* command : {run, inspect, spmv, spmm, spgemm}) add_inputs(*command, options);
  for (CLI::App* command : {run, inspect, spmv, spmm, spgemm, paper000}) add_types(*command, options);
  for (CLI::App* command : {run, spmv})
    add_measurement(
        *command, options,
        "all, contenders (all that are not far behind), automatic, one_shot, or algorithms by name, each with "
        ":team=N and :lanes=N where wanted (default: automatic, one_shot and the CSR kernels)");
  for (CLI::App* command : {spmm, paper000}) {
    add_measurement(*command, options,
                    "all, contenders (all that are not far behind), automatic, one_shot, or algorithms by name, each "
                    "with :panel=N, :team=N, :order=NAME and "
                    ":deterministic where wanted (default: automatic; paper000: contenders)");
    add_spmm(*command, options);
  }
  spmm->add_option("--n", options.columns, "columns of B and C: numbers and ranges, 32,128 or 1-40 (default: 128)")
      ->delimiter(',');
  add_paper000(*paper000, options.paper000);
  add_measurement(
      *spgemm, options,
      "automatic, bins, bins_by_subwarps, row_classes: the whole call; with :symbolic the plan alone, with "
      ":reuse the values "
      "alone; with :deterministic, :unsorted or :kept where wanted; gcoo, gcoo:to_crs: A is there in GCOO (default: "
      "automatic, both of its parts, bins)");
  spgemm->add_flag(
      "--paper", options.paper,
      "figure 1 of Varaganti, clSPARSE's SpGEMM (2015), on its 21 matrices in float, with rivals and the times "
      "of the stages of bins");
  spgemm->add_flag("--kept-memory", options.kept_memory,
                   "keep the memory of plans, of C and of rivals' buffers and C from call to call (default: all is "
                   "allocated and freed in every call)");
  spgemm->add_flag("--rivals", options.rivals,
                   "time Kokkos Kernels, and cuSPARSE where there is CUDA, oneMKL where it was found, as well");
  spgemm->add_option("--rival", options.rival_names, "only rivals whose names start so: cusparse:,mkl:")
      ->delimiter(',');
  spmm->add_flag("--paper", options.paper,
                 "the tables 3 and 4 and the comparison by synergy of Xiang et al., cuTeSpMM (N = 32, 64, 128, 512), "
                 "on its graphs and the matrices named");
  spmv->add_flag("--rivals", options.rivals,
                 "time Kokkos Kernels, and cuSPARSE where there is CUDA, oneMKL where it was found, as well");
  spmv->add_flag("--paper", options.paper,
                 "the tables 2, 4, 5 and the comparison of the figures 2 to 4 of Baskaran and Bordawekar (2009)");

  const CLI::App* diagonal = add_diagonal(app, options);
  // Another program, which main starts before: this is for the help.
  app.add_subcommand("engine", "PETSc's matrices with our kernels, beside its own types (needs LACUNA_ENABLE_PETSC)");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = print ? app.exit(error) : error.get_exit_code();
    return std::nullopt;
  }

  if (run->parsed()) {
    options.command = Command::run;
    options.rivals = options.check = options.inspect = true;
    if (run->count("--no-check") > 0) options.check = false;
    if (options.algorithms.empty()) options.algorithms = {"all"};
  } else if (inspect->parsed()) {
    options.command = Command::inspect;
  } else if (spgemm->parsed()) {
    options.command = Command::spgemm;
    // The paper measured in single precision.
    if (options.paper && spgemm->count("--scalar") == 0) options.scalars = {"float"};
    if (spgemm->count("--min-time") == 0) options.min_time = 0.02;
    if (spgemm->count("--repeat") == 0) options.repeat = 7;
  } else if (diagonal->parsed()) {
    options.command = Command::diagonal;
    if (options.inputs.empty() && !options.paper) options.inputs = {"band:n=1000000,w=20"};
  } else if (spmm->parsed() || paper000->parsed()) {
    const CLI::App& given = spmm->parsed() ? *spmm : *paper000;
    options.command       = spmm->parsed() ? Command::spmm : Command::paper000;
    if (given.count("--scalar") == 0) options.scalars = {"float"};
    // There are many cases, and they are larger than those of SpMV.
    if (given.count("--min-time") == 0) options.min_time = 0.02;
    if (given.count("--repeat") == 0) options.repeat = 7;
    // The kernel of that paper is one of TF32; dense products are used in all of these.
    if (options.paper && given.count("--precision") == 0) options.precisions = {"full", "tf32"};
    if (paper000->parsed()) {
      options.rivals = options.keep_dense = true;
      if (given.count("--precision") == 0) options.precisions = {"full", "tf32", "fp16"};
      options.run.resume = true;
      if (options.algorithms.empty()) options.algorithms = {"contenders"};
    }
  } else {
    options.command = Command::spmv;
    // The paper measured in single precision.
    if (options.paper && spmv->count("--scalar") == 0) options.scalars = {"float"};
  }
  for (const CLI::App* command : app.get_subcommands()) options.run.settings = settings_of(*command);
  if (options.offset.empty()) options.offset = options.ordinal;
  if (options.inputs.empty() && options.all_in.empty() && !options.paper && !paper000->parsed())
    options.inputs = {"mesh27:n=30,b=3"};
  return options;
}

}  // namespace lacuna::bench
