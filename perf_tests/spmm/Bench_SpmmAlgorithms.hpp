// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMMALGORITHMS_HPP
#define LACUNA_BENCH_SPMMALGORITHMS_HPP

#include <Lacuna_SpmmOptions.hpp>
#include <rivals/Rival.hpp>
#include <support/Bench_Options.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief What a run of `lacuna-bench spmm` is asked for: algorithms, precisions, layouts, numbers of columns.

namespace lacuna::bench {

/// \brief An algorithm with the options that its name carries, `bricks:panel=16:order=natural`, `one_shot` or
/// `gcoo:from_dense`, in one precision and layout.
struct SpmmRequest {
  std::string text;
  bool keep          = true;  ///< false: given up where it is much slower than the best of ours
  bool one_shot      = false;
  bool from_dense    = false;  ///< of `gcoo`: its set-up is the conversion of a dense A
  DenseLayout layout = DenseLayout::right;
  SpmmOptions options;  ///< without the number of columns

  /// \brief `lacuna:bricks+tf32+col`: `full` and row-major are not said.
  std::string implementation() const;
};

/// \brief Every algorithm in every layout and precision. `all` stands for all algorithms and `one_shot`,
/// `contenders` for those of them that are not far behind, an empty list for `automatic`. \throws std::runtime_error
/// naming what exists.
std::vector<SpmmRequest> parse_spmm_requests(const std::vector<std::string>& algorithms,
                                             const std::vector<std::string>& precisions,
                                             const std::vector<std::string>& layouts);

/// \brief Those that mean something for the scalar type: A and B that are stored in half precision have no other.
std::vector<SpmmRequest> requests_for(const std::string& scalar, std::vector<SpmmRequest> requests);

/// \brief Numbers and ranges: {"32", "1-4"} is 32, 1, 2, 3, 4. \throws std::runtime_error where a part is neither, or
/// not between 1 and 65536.
std::vector<std::int64_t> parse_column_counts(const std::vector<std::string>& texts);

/// \brief Those that `options` asks for by name and layout, the row-major ones first: what results are compared with is
/// kept for one layout at a time.
Candidates rivals_wanted(Candidates rivals, const Options& options);

/// \brief What the name of a case ends with.
std::string layout_ending(DenseLayout layout);

}  // namespace lacuna::bench

#endif
