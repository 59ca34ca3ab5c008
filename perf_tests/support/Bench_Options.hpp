// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_OPTIONS_HPP
#define LACUNA_BENCH_OPTIONS_HPP

#include <Lacuna_SpmvOptions.hpp>
#include <optional>

#include <string>
#include <vector>

/// \file
/// \brief The command line of lacuna-bench.

namespace lacuna::bench {

enum class Command { run, inspect, spmv, spmm, spgemm };

struct Options {
  Command command = Command::run;
  std::vector<std::string> inputs;  ///< files, generator specs, or names of files in LACUNA_MATRIX_DIR
  std::string all_in;               ///< a folder: all that its INDEX.tsv lists, else all of its matrix files
  std::vector<std::string> scalars{"double"};
  std::string ordinal = "int";
  std::string offset;  ///< empty: the same as the ordinal
  std::vector<std::string> algorithms;
  std::vector<std::string> columns;  ///< of B and C: numbers and ranges; empty: 128, or the paper's
  std::vector<std::string> precisions{"full"};
  std::vector<std::string> layouts{"right"};
  bool rivals           = false;
  bool check            = false;
  bool cold             = false;
  bool paper            = false;
  bool inspect          = false;  ///< print the inspector's report above each table
  int repeat            = 10;
  double min_time       = 0.1;
  double beta           = 0;
  long long expected    = SpmvOptions{}.expected_calls;
  double copy_gigabytes = 0;  ///< size of the copy that measures the bandwidth; 0: by the memory of the device
  std::string json;
};

/// \brief Reads the command line. Empty where there is nothing to run (help, version, or a mistake, which has been
/// printed by then); `exit_code` then says what to return.
std::optional<Options> parse_options(int argc, char** argv, int& exit_code);

}  // namespace lacuna::bench

#endif
