// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALREQUEST_HPP
#define LACUNA_DIAGONALREQUEST_HPP

#include <Lacuna_DiagonalOptions.hpp>
#include <core/impl/choice/Lacuna_ScalarKind.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalSums.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lacuna::Impl {

enum class DiagonalFormat { hm, cdm };

/// A product in plain values: the user's options, and what the lists of diagonals say.
struct DiagonalRequest : DiagonalOptions {
  DiagonalFormat format = DiagonalFormat::hm;
  ScalarProperties scalar;
  std::int64_t expected_calls = 1;  ///< that the set-up has to pay back
  std::int64_t rows           = 0;
  std::int64_t inner          = 0;
  std::int64_t columns        = 0;
  std::int64_t dg_a           = 0;
  std::int64_t dg_b           = 0;
  std::int64_t dg_c           = 0;
  std::int64_t near_a         = 0;  ///< diagonals of A that 256 neighbouring rows meet, at most
  /// Where the diagonals of both operands and of C are runs without gaps, and C has no more than the product: the first
  /// of A's and of B's, in CDM as signed offsets.
  std::optional<std::int64_t> band_a;
  std::optional<std::int64_t> band_b;
  bool half_a = false;  ///< A is symmetric and stored by half
  bool half_c = false;  ///< of a symmetric C the first half of the diagonals alone are computed

  bool asks_for(DiagonalAlgorithm wanted) const { return algorithm == wanted; }
  bool is_band() const { return band_a && band_b; }
  /// At most: diagonals are taken to be as long as the matrix.
  double products() const {
    return static_cast<double>(dg_a) * static_cast<double>(dg_b) * static_cast<double>(rows < inner ? rows : inner);
  }
  double elements() const {
    return static_cast<double>(dg_a + dg_c) * static_cast<double>(rows) +
           static_cast<double>(dg_b) * static_cast<double>(inner);
  }
};

/// How many of the ascending offsets lie within a window of `width`, at most.
inline std::int64_t most_within(const DiagonalList& ascending, std::int64_t width) {
  std::size_t most = 0, first = 0;
  for (std::size_t last = 0; last < ascending.size(); ++last) {
    while (ascending[last] - ascending[first] >= width) ++first;
    most = std::max(most, last - first + 1);
  }
  return static_cast<std::int64_t>(most);
}

/// The first of ascending diagonals without gaps; in CDM, which wraps around at `n`, as a signed offset.
inline std::optional<std::int64_t> first_of_run(const DiagonalList& ascending, DiagonalFormat format, std::int64_t n) {
  const std::vector<DiagonalRun> runs = runs_of(ascending);
  if (runs.size() == 1) return runs[0].first;
  if (format == DiagonalFormat::cdm && runs.size() == 2 && runs[0].first == 0 && runs[1].last == n - 1)
    return runs[1].first - n;
  return std::nullopt;
}

}  // namespace lacuna::Impl

#endif
