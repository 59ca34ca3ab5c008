// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_CHOICE_HPP
#define LACUNA_SPMM_CHOICE_HPP

#include <Lacuna_SpmmOptions.hpp>
#include <kernels/spmm/tuning/Lacuna_Spmm_RowBlockTuning.hpp>
#include <kernels/spmm/tuning/Lacuna_Spmm_Tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

/// \file
/// \brief The rule by which `SpmmAlgorithm::automatic` chooses: a pure function of plain numbers.

namespace lacuna::Impl {

struct SpmmFacts {
  std::int64_t rows        = 0;  ///< of op(A)
  std::int64_t depth       = 0;  ///< columns of op(A)
  std::int64_t nonzeros    = 0;
  std::int64_t columns     = 0;  ///< of B and C
  std::size_t scalar_bytes = 4;
  /// A matrix engine that is worth having: there is one, it takes the scalar type, and it is no emulation.
  bool has_engine            = false;
  bool counted_bricks        = false;  ///< whether what follows is known
  std::int64_t panels        = 0;      ///< of 8 rows
  double rpc                 = 0;      ///< nonzeros per active column of a panel
  std::int64_t longest_panel = 0;      ///< in active columns
  std::int64_t block_reads   = 0;      ///< rows of B that blocks of equal rows read; 0: not counted
  std::int64_t longest_row   = 0;      ///< where those are counted

  /// Whether some panels have many more active columns than most: they are cut, and B is read here and there.
  bool uneven_panels() const {
    const double mean_panel = rpc > 0 ? static_cast<double>(nonzeros) / rpc / static_cast<double>(panels) : 0.0;
    return static_cast<double>(longest_panel) > SpmmTuning::uneven_panel * mean_panel;
  }
  double mean() const { return rows > 0 ? static_cast<double>(nonzeros) / static_cast<double>(rows) : 0.0; }
  /// Time of the row kernel for N columns, by the bytes of B that it gathers.
  double row_ms(std::int64_t n) const {
    return SpmmTuning::launch_ms + static_cast<double>(nonzeros) * static_cast<double>(n) *
                                       static_cast<double>(scalar_bytes) / SpmmTuning::gather_bytes_per_ms;
  }
};

struct SpmmChoice {
  SpmmAlgorithm algorithm = SpmmAlgorithm::row_split;
  std::int64_t break_even = 0;  ///< calls after which the set-up is paid back, by the model; 0 where there is none
  std::string reason;
};

inline std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

/// What has to hold for bricks whatever their pattern is: the pattern need not be looked at where it does not.
inline bool may_take_bricks(const SpmmFacts& facts, Precision precision, SpmmChoice& choice) {
  const double tiles = std::max(1.0, static_cast<double>(facts.columns) / 128.0);
  const auto panels  = static_cast<double>((facts.rows + 7) / 8);
  if (!facts.has_engine)
    choice.reason = "no matrix engine for this scalar type here";
  else if (facts.columns < SpmmTuning::least_brick_columns)
    choice.reason = "N = " + std::to_string(facts.columns) + " is too small for the matrix engine";
  else if (precision == Precision::full && facts.scalar_bytes == sizeof(float) &&
           facts.mean() < SpmmTuning::least_full_mean)
    choice.reason = "sums of " + number_text(facts.mean()) + " products are too short for full precision on bricks";
  else if (panels * tiles < SpmmTuning::brick_units(facts.columns))
    choice.reason =
        std::to_string(static_cast<std::int64_t>(panels)) + " panels of 8 rows do not fill the matrix engine";
  else
    return true;
  return false;
}

/// Bricks where the rows of a panel share enough columns, there are enough panels, and the set-up is paid back within
/// `expected_calls`; else row_split.
inline SpmmChoice choose_spmm_algorithm(const SpmmFacts& facts, const SpmmOptions& options) {
  SpmmChoice choice;
  if (!may_take_bricks(facts, options.precision, choice)) return choice;
  double least      = options.precision == Precision::full ? SpmmTuning::brick_rpc(facts.columns)
                                                           : SpmmTuning::reduced_brick_rpc(facts.columns);
  const bool uneven = facts.counted_bricks && facts.uneven_panels();
  if (uneven) least = std::max(least, SpmmTuning::uneven_brick_rpc);
  const std::string shared = number_text(facts.rpc) + " nonzeros per active column of 8-row panels, bricks pay from " +
                             number_text(least) + (uneven ? " where panels are uneven" : "");
  choice.reason = shared;
  if (!facts.counted_bricks || facts.rpc < least) return choice;
  const double gain  = std::min(SpmmTuning::most_brick_gain, 0.05 + SpmmTuning::brick_gain * (facts.rpc - least));
  const double row   = facts.row_ms(facts.columns);
  const double setup = SpmmTuning::brick_setup_ms + SpmmTuning::brick_setup_calls * facts.row_ms(128);
  const double calls = setup / (row - row / (1 + gain));
  const auto even    = static_cast<std::int64_t>(std::min(calls, 1e15)) + 1;
  if (even > options.expected_calls) {
    choice.reason = "bricks pay back after " + std::to_string(even) + " calls, " +
                    std::to_string(options.expected_calls) + " are expected";
    return choice;
  }
  choice.algorithm  = SpmmAlgorithm::bricks;
  choice.break_even = even;
  return choice;
}

/// Whether copying B to aligned rows costs less than `share` of the row kernel's time.
inline bool repacking_costs_less(const SpmmFacts& facts, std::int64_t columns, double share) {
  const double bytes =
      static_cast<double>(facts.depth) * static_cast<double>(columns) * static_cast<double>(facts.scalar_bytes);
  return share * (facts.row_ms(columns) - SpmmTuning::launch_ms) >
         SpmmTuning::launch_ms + 2 * bytes / SpmmTuning::copy_bytes_per_ms;
}

/// Whether rows are so long, and columns so many, that row_blocks serves them be they equal or not.
inline bool has_long_rows(const SpmmFacts& facts) {
  return facts.mean() >= SpmmRowBlockTuning::long_rows && facts.columns >= SpmmRowBlockTuning::long_rows_columns;
}

/// What has to hold for blocks of equal rows: the pattern need not be looked at where it does not. Without an engine,
/// or for few columns, it is not known how many columns neighbouring rows share.
inline bool may_take_row_blocks(const SpmmFacts& facts) {
  using Tuning = SpmmRowBlockTuning;
  return facts.columns >= Tuning::least_columns && facts.mean() >= Tuning::least_mean &&
         (facts.columns * static_cast<std::int64_t>(facts.scalar_bytes) % 16 == 0 ||
          repacking_costs_less(facts, facts.columns, Tuning::least_gain)) &&
         (!facts.counted_bricks || facts.rpc >= Tuning::least_rpc || has_long_rows(facts));
}

inline double ratio_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

/// Rows of B that blocks of equal rows read for each that bricks read; 0 where that is not known.
inline double blocks_over_bricks(const SpmmFacts& facts) {
  return facts.counted_bricks ? ratio_of(facts.block_reads, facts.nonzeros) * facts.rpc : 0.0;
}

/// Whether blocks have no columns in common with those beside them: bricks, which are cut without regard to blocks,
/// then read B as often as these.
inline bool blocks_are_scattered(const SpmmFacts& facts) {
  const double reads = blocks_over_bricks(facts);
  return reads > SpmmRowBlockTuning::clearly_fewer && reads < SpmmRowBlockTuning::shared_by_neighbours;
}

/// Whether blocks of equal rows are faster than bricks would be.
inline bool blocks_beat_bricks(const SpmmFacts& facts, Precision precision) {
  using Tuning       = SpmmRowBlockTuning;
  const double reads = blocks_over_bricks(facts);
  if (facts.scalar_bytes > sizeof(float)) return false;
  if (reads <= Tuning::clearly_fewer) return true;
  if (blocks_are_scattered(facts)) return facts.columns <= Tuning::most_scattered_columns(precision);
  const bool even = static_cast<double>(facts.longest_row) <= Tuning::even_row * facts.mean();
  return reads <= Tuning::most_over_bricks(precision, facts.columns, even);
}

/// `choice`, or row_blocks where they read B so much less often that they are faster.
inline SpmmChoice choose_row_blocks(const SpmmFacts& facts, const SpmmOptions& options, const SpmmChoice& choice) {
  using Tuning       = SpmmRowBlockTuning;
  const double share = ratio_of(facts.block_reads, facts.nonzeros);
  const bool pays    = choice.algorithm == SpmmAlgorithm::bricks ? blocks_beat_bricks(facts, options.precision)
                                                                 : share <= Tuning::share_of_rows(facts.columns);
  if (!pays && !(choice.algorithm == SpmmAlgorithm::row_split && has_long_rows(facts))) return choice;
  const double saved = facts.row_ms(facts.columns) * (pays ? 1 - share : Tuning::long_rows_gain);
  const auto even    = static_cast<std::int64_t>(Tuning::setup_ms / saved) + 1;
  if (even > options.expected_calls) return choice;
  return {SpmmAlgorithm::row_blocks, even,
          pays ? "equal rows that follow each other leave " + number_text(100 * share) + " % of the reads of B"
               : "rows of " + number_text(facts.mean()) + " nonzeros are long"};
}

/// Whether another order of rows may leave fewer active columns: neither where rows share next to nothing, nor where
/// the nodes of a mesh have several unknowns, which stand side by side already.
inline bool clustering_may_help(const SpmmFacts& facts) {
  return facts.counted_bricks && !facts.uneven_panels() && facts.rpc >= SpmmTuning::least_cluster_rpc &&
         facts.rpc <= SpmmTuning::most_cluster_rpc;
}

/// Whether row_split gains when B is first copied to aligned rows. `vector`: columns that one load can take as B
/// stands, of `widest`.
inline bool repacking_pays(const SpmmFacts& facts, std::int64_t columns, bool row_major, int vector, int widest) {
  if (columns <= 1 || (row_major && 2 * vector >= widest)) return false;
  return repacking_costs_less(facts, columns, row_major ? SpmmTuning::unaligned_cost : SpmmTuning::column_major_cost);
}

/// The same for row_blocks, which has loads of `widest` columns alone: else row_split takes its place.
inline bool repacking_pays_for_blocks(const SpmmFacts& facts, std::int64_t columns, bool row_major, int vector,
                                      int widest) {
  return vector < widest &&
         repacking_costs_less(facts, columns,
                              row_major ? SpmmRowBlockTuning::least_gain : SpmmTuning::column_major_cost);
}

/// The same for bricks, where rows of B do not start at multiples of 16 bytes.
inline bool repacking_pays_for_bricks(const SpmmFacts& facts, std::int64_t columns) {
  return columns <= SpmmTuning::most_repacked_brick_columns &&
         repacking_costs_less(facts, columns, SpmmTuning::unaligned_brick_cost);
}

}  // namespace lacuna::Impl

#endif
