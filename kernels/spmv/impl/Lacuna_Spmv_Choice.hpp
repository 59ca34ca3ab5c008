// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_CHOICE_HPP
#define LACUNA_SPMV_CHOICE_HPP

#include <Lacuna_SpmvOptions.hpp>
#include <core/impl/Lacuna_LengthStatistics.hpp>
#include <formats/impl/Lacuna_SlicedDiaSample.hpp>
#include <kernels/shared/rows/Lacuna_SpmmRowPartition.hpp>
#include <kernels/spmv/tuning/Lacuna_Spmv_Tuning.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief The rule by which `SpmvAlgorithm::automatic` chooses: a pure function of plain numbers.

namespace lacuna::Impl {

struct SpmvFacts {
  std::int64_t rows         = 0;
  std::int64_t columns      = 0;
  std::int64_t nonzeros     = 0;
  std::size_t scalar_bytes  = 8;
  std::size_t ordinal_bytes = 4;
  std::size_t offset_bytes  = 4;
  LengthStatistics lengths;
  SlicedDiaSample sample;  ///< empty where diagonals within slices are not considered
  bool is_gpu              = false;
  std::int64_t concurrency = 1;  ///< threads that the device can hold

  double mean() const { return rows > 0 ? static_cast<double>(nonzeros) / static_cast<double>(rows) : 0.0; }
  double crs_bytes() const {
    return static_cast<double>(nonzeros) * static_cast<double>(scalar_bytes + ordinal_bytes) +
           static_cast<double>(rows) * static_cast<double>(offset_bytes) + vector_bytes();
  }
  /// Bytes of slices in chunks of 4 >> c, with 2^i parts.
  double sell_bytes(int c, int i) const {
    const double entries = 32.0 * static_cast<double>(lengths.slice_widths[c][i]);
    const double slots   = static_cast<double>(rows) * (1 << i);
    return entries * static_cast<double>(scalar_bytes + 2) + slots * static_cast<double>(ordinal_bytes) +
           vector_bytes();
  }
  /// Bytes of diagonals within slices, with the vectors, of which a share of `fill` exists.
  double sliced_dia_bytes(double fill) const {
    const double diagonals = static_cast<double>(nonzeros) / (32.0 * fill);
    return diagonals * static_cast<double>(32 * scalar_bytes + 2 * ordinal_bytes) + vector_bytes();
  }
  double vector_bytes() const { return static_cast<double>(rows + columns) * static_cast<double>(scalar_bytes); }
};

struct SpmvChoice {
  SpmvAlgorithm algorithm = SpmvAlgorithm::nonzero_split;
  int parts               = 1;  ///< of slices
  int chunk               = 4;  ///< of slices
  int group               = 1;  ///< unknowns of a node, of diagonals within slices
  std::int64_t break_even = 0;  ///< calls after which the set-up is paid back, by the byte model
  std::string reason;
};

/// Slots of a row that keep the device busy: doubled until the slots fill `sell_fill` of its threads, as long as every
/// slot keeps `sell_least_entries` entries. Returned as a power of two's exponent.
inline int choose_sell_parts(const SpmvFacts& facts) {
  int exponent = 0;
  while (exponent + 1 < LengthStatistics::part_choices &&
         static_cast<double>(facts.rows << exponent) <
             SpmvTuning::sell_fill(facts.scalar_bytes) * static_cast<double>(facts.concurrency) &&
         facts.mean() / (2 << exponent) >= SpmvTuning::sell_least_entries)
    ++exponent;
  return exponent;
}

/// Chunks of 2 for short rows, where that saves enough padding; returned as the c of `LengthStatistics::slice_widths`.
inline int choose_sell_chunk(const SpmvFacts& facts, int exponent) {
  if (facts.mean() > SpmvTuning::sell_short_mean) return 0;
  const double gain = SpmvTuning::sell_chunk_gain(facts.scalar_bytes);
  return facts.sell_bytes(1, exponent) * gain < facts.sell_bytes(0, exponent) ? 1 : 0;
}

/// Whether uneven rows are better sorted by length than cut into pieces of nonzeros: what SpMM asks for N = 1, and rows
/// are long, or everything is small. Rows of a few nonzeros here and there cost more than they save.
inline bool sorted_rows_pay(const SpmvFacts& facts) {
  SpmmRowFacts rows;
  rows.rows          = facts.rows;
  rows.mean          = facts.mean();
  rows.concurrency   = facts.concurrency;
  const double bytes = facts.crs_bytes();
  return sorting_pays(rows, facts.lengths.longest, SpmmRowShape(), 1, facts.scalar_bytes) &&
         (bytes <= SpmvTuning::most_sorted_bytes || rows.mean >= SpmvTuning::long_sorted_mean);
}

/// CSR as it stands, or with a list of rows. Where the few passes of row_split are not paid back: row_lanes where no
/// row is much longer than the mean, else nonzero_split.
inline SpmvAlgorithm choose_crs_algorithm(const SpmvFacts& facts, const SpmvOptions& options) {
  if (!facts.is_gpu) return SpmvAlgorithm::nonzero_split;
  if (options.expected_calls >= SpmvTuning::row_split_calls) {
    const bool is_even = static_cast<double>(facts.lengths.longest) <= longest_even_row(facts.mean());
    if (is_even || sorted_rows_pay(facts)) return SpmvAlgorithm::row_split;
  }
  const bool even =
      static_cast<double>(facts.lengths.longest) <= SpmvTuning::even_factor * facts.mean() + SpmvTuning::even_margin;
  return even ? SpmvAlgorithm::row_lanes : SpmvAlgorithm::nonzero_split;
}

/// Calls after which slices of `bytes` (with the vectors) are paid back; 0 where they never are.
inline std::int64_t sell_break_even(const SpmvFacts& facts, double bytes) {
  const double crs  = facts.crs_bytes() / SpmvTuning::crs_bytes_per_ms;
  const double gain = crs - SpmvTuning::sell_speed(facts.mean()) * bytes / SpmvTuning::crs_bytes_per_ms;
  if (gain <= 0) return 0;
  const double setup = SpmvTuning::sell_setup_ms + SpmvTuning::sell_setup_calls * (SpmvTuning::launch_ms + crs);
  return static_cast<std::int64_t>(std::min(setup / gain, 1e15)) + 1;
}

/// Whether slices of `storage` bytes fit, and are paid back within `expected_calls`; if so `choice` takes them.
inline bool take_slices(SpmvChoice& choice, const SpmvFacts& facts, std::size_t storage, const SpmvOptions& options) {
  const double bytes     = static_cast<double>(storage) + facts.vector_bytes();
  const auto break_even  = sell_break_even(facts, bytes);
  const std::string size = std::to_string(static_cast<int>(100 * bytes / facts.crs_bytes())) + " % of the bytes of CSR";
  if (storage > options.memory_limit)
    choice.reason = "slices need " + std::to_string(storage) + " bytes, above memory_limit";
  else if (break_even == 0)
    choice.reason = "slices would need " + size;
  else if (break_even > options.expected_calls)
    choice.reason = "slices pay back after " + std::to_string(break_even) + " calls, " +
                    std::to_string(options.expected_calls) + " are expected";
  else {
    choice.algorithm  = SpmvAlgorithm::sell;
    choice.break_even = break_even;
    choice.reason     = "slices with " + std::to_string(choice.parts) + " slots a row need " + size;
    return true;
  }
  choice.algorithm = choose_crs_algorithm(facts, options);
  return false;
}

/// Calls after which diagonals within slices, `bytes` with the vectors, are paid back; 0 where they never are.
inline std::int64_t sliced_dia_break_even(const SpmvFacts& facts, double bytes) {
  const double crs  = facts.crs_bytes() / SpmvTuning::crs_bytes_per_ms;
  const double gain = crs - SpmvTuning::sliced_dia_speed * bytes / SpmvTuning::crs_bytes_per_ms;
  if (gain <= 0) return 0;
  const double setup =
      SpmvTuning::sliced_dia_setup_ms + SpmvTuning::sliced_dia_setup_calls * (SpmvTuning::launch_ms + crs);
  return static_cast<std::int64_t>(std::min(setup / gain, 1e15)) + 1;
}

/// Whether a sample of the diagonals is worth its time: rows of a slice are about equally long, and diagonals would be
/// paid back if all of their entries existed. A slice has at least as many diagonals as its longest row has nonzeros.
inline bool consider_sliced_dia(const SpmvFacts& facts, const SpmvOptions& options) {
  if (options.algorithm != SpmvAlgorithm::automatic || !facts.is_gpu || facts.nonzeros == 0) return false;
  // Widths are rounded up to chunks of 2.
  const std::int64_t least = facts.lengths.slice_widths[1][0] - (facts.rows + sliced_dia_rows - 1) / sliced_dia_rows;
  if (static_cast<double>(facts.nonzeros) <
      SpmvTuning::sliced_dia_evenness * sliced_dia_rows * static_cast<double>(least))
    return false;
  const auto break_even = sliced_dia_break_even(facts, facts.sliced_dia_bytes(1));
  return break_even > 0 && break_even <= options.expected_calls;
}

/// Diagonals within slices, `storage` bytes, the most in a slice `widest`: whether they fit, are clearly smaller than
/// slices and CSR, and are paid back within `expected_calls`. If so `choice`, which is that without them, takes them.
inline bool take_sliced_dia(SpmvChoice& choice, const SpmvFacts& facts, std::size_t storage, std::int64_t widest,
                            const SpmvOptions& options) {
  // 32 lanes walk the widest slice: they must not need longer than the device for everything.
  const double fair = SpmvTuning::sell_longest_slot +
                      4.0 * static_cast<double>(facts.nonzeros) / static_cast<double>(facts.concurrency);
  const int exponent    = std::countr_zero(static_cast<unsigned>(choice.parts));
  const double other    = std::min(facts.crs_bytes(), facts.sell_bytes(choice.chunk == 4 ? 0 : 1, exponent));
  const double bytes    = static_cast<double>(storage) + facts.vector_bytes();
  const auto break_even = sliced_dia_break_even(facts, bytes);
  if (storage > options.memory_limit || static_cast<double>(widest) > fair ||
      bytes > SpmvTuning::sliced_dia_gain * other || break_even == 0 || break_even > options.expected_calls)
    return false;
  choice.algorithm  = SpmvAlgorithm::sliced_dia;
  choice.break_even = break_even;
  choice.group      = facts.sample.best_group();
  choice.reason = "diagonals within slices need " + std::to_string(static_cast<int>(100 * bytes / facts.crs_bytes())) +
                  " % of the bytes of CSR";
  if (choice.group > 1) choice.reason += ", " + std::to_string(choice.group) + " rows a node";
  return true;
}

/// Hosts: nonzero_split, whose pieces are rows walked by a thread. GPUs: slices where they are paid back within
/// `expected_calls` and no row is so long that one slice outlasts the rest, else CSR as it stands; diagonals within
/// slices where a sample says that they are clearly smaller than both. Hops between far columns, and how many diagonals
/// there are, is only known when slices are counted: the plan then asks `take_slices` or `take_sliced_dia` once more.
inline SpmvChoice choose_spmv_algorithm(const SpmvFacts& facts, const SpmvOptions& options) {
  SpmvChoice choice;
  choice.algorithm = choose_crs_algorithm(facts, options);
  if (!facts.is_gpu) {
    choice.reason = "a host walks rows, balanced by nonzeros";
    return choice;
  }
  const int exponent = choose_sell_parts(facts);
  const int chunk    = choose_sell_chunk(facts, exponent);
  choice.parts       = 1 << exponent;
  choice.chunk       = LengthStatistics::chunk(chunk);
  // One thread takes the longest slot: it must not last longer than the device needs for everything.
  const double longest_slot = static_cast<double>(facts.lengths.longest) / choice.parts;
  const double fair_slot    = SpmvTuning::sell_longest_slot +
                           4.0 * static_cast<double>(facts.nonzeros) / static_cast<double>(facts.concurrency);
  if (longest_slot > fair_slot)
    choice.reason = "the longest row (" + std::to_string(facts.lengths.longest) + ") would outlast all others";
  else
    take_slices(choice, facts, static_cast<std::size_t>(facts.sell_bytes(chunk, exponent) - facts.vector_bytes()),
                options);
  const double fill = facts.sample.best_fill();
  if (fill > 0 && facts.sample.defects == 0)
    take_sliced_dia(choice, facts, static_cast<std::size_t>(facts.sliced_dia_bytes(fill) - facts.vector_bytes()),
                    facts.lengths.longest, options);
  return choice;
}

}  // namespace lacuna::Impl

#endif
