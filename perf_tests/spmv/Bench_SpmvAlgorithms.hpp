// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMVALGORITHMS_HPP
#define LACUNA_BENCH_SPMVALGORITHMS_HPP

#include <Lacuna_SpmvOptions.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// \file
/// \brief Which of Lacuna's algorithms a run times, and in which shape.

namespace lacuna::bench {

/// \brief An algorithm with the options that its name carries: `aligned:team=128:lanes=16`, `hyb:uncached`,
/// `cached:order=by_length`, `row_block:rows=32:columns=128:least=256`, or `one_shot`.
struct SpmvRequest {
  std::string text;
  bool keep               = true;  ///< false: given up where it is much slower than the best of ours
  bool one_shot           = false;
  SpmvAlgorithm algorithm = SpmvAlgorithm::automatic;
  int team_size           = 0;
  int lanes_per_row       = 0;
  bool x_past_cache       = false;
  SpmvRowOrder row_order  = SpmvRowOrder::natural;
  int block_rows          = 0;
  int block_columns       = 0;
  int least_in_block      = 0;

  std::string implementation() const { return "lacuna:" + text; }
};

/// \brief Reads the names after --algorithm. `all` stands for every one, `contenders` for every one that is not far
/// behind; none for automatic, one_shot and the kernels
/// that read CSR as it is. \throws std::runtime_error naming what exists.
std::vector<SpmvRequest> parse_spmv_requests(const std::vector<std::string>& texts);

}  // namespace lacuna::bench

#endif
