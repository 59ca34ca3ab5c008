// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_OPTIONS_HPP
#define LACUNA_BENCH_OPTIONS_HPP

#include <Lacuna_SpmvOptions.hpp>
#include <optional>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// \brief The command line of lacuna-bench.

namespace lacuna::bench {

enum class Command { run, inspect, spmv, spmm, paper000, spgemm, diagonal };

/// \brief What `paper000` is asked for beside what every command is.
struct Paper000Options {
  bool random   = false;  ///< which sets; none: random and matrices
  bool matrices = false;
  bool layers   = false;
  bool whole    = false;             ///< all random matrices of the paper
  int sample    = 0;                 ///< so many of them, drawn by strata
  std::vector<std::int64_t> sizes;   ///< rows, in place of the sampled ones
  std::vector<double> zeros;         ///< per cent, in place of the sampled ones
  std::vector<std::int64_t> tokens;  ///< columns of B for layers
};

/// \brief How a run goes on after an interruption, and how it is shared by ranks.
struct RunOptions {
  bool resume       = false;  ///< what the JSON file holds is not measured again
  bool ranks        = true;   ///< whether the ranks of a launcher share the work
  bool host_names   = false;  ///< whether the JSON names the hosts of ranks
  double patience   = 600;    ///< seconds without a sign of life, after which a rank is given up
  double stop_after = 0;      ///< seconds after which no other problem is begun; 0: never
  std::string settings;       ///< those words of the command line that say what is measured, and how
};

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
  bool rivals = false;
  std::vector<std::string> products;     ///< in diagonal storage: ab, atb, abt, syrk, syr2k
  std::vector<std::string> rival_names;  ///< rivals whose names start so; empty: all
  std::vector<std::string> rival_layouts{"right", "left"};
  bool keep_dense       = false;  ///< dense rivals are timed however slow they are
  bool check            = false;
  bool cold             = false;
  bool kept_memory      = false;  ///< of ours and of rivals, from one call to the next
  bool paper            = false;
  bool inspect          = false;  ///< print the inspector's report above each table
  int repeat            = 10;
  double min_time       = 0.1;
  double beta           = 0;
  long long expected    = 1000;
  double copy_gigabytes = 0;  ///< size of the copy that measures the bandwidth; 0: by the memory of the device
  std::string json;
  Paper000Options paper000;
  RunOptions run;

  /// \param layout of B and C: right or left
  bool wants_rival_layout(std::string_view layout) const {
    return std::find(rival_layouts.begin(), rival_layouts.end(), layout) != rival_layouts.end();
  }
  /// \param by_name it is wanted only where a name asks for it and not for all that start like it
  bool wants_rival(std::string_view name, bool by_name = false) const {
    if (by_name) return std::find(rival_names.begin(), rival_names.end(), name) != rival_names.end();
    return rival_names.empty() || std::any_of(rival_names.begin(), rival_names.end(),
                                              [&](const std::string& start) { return name.starts_with(start); });
  }
};

/// \brief Whether values of this scalar type are stored in half precision or bfloat16.
inline bool is_half_name(std::string_view scalar) { return scalar == "half" || scalar == "bhalf"; }

/// \brief Reads the command line. Empty where there is nothing to run (help, version, or a mistake, which has been
/// printed by then, unless not to `print`); `exit_code` then says what to return.
std::optional<Options> parse_options(int argc, char** argv, bool print, int& exit_code);

}  // namespace lacuna::bench

#endif
