// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWSPREAD_HPP
#define LACUNA_SPMMROWSPREAD_HPP

#include <core/impl/inspection/Lacuna_Inspection.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

/// \file
/// \brief How far rows are from even: for kernels whose teams wait for the fullest of their groups of rows, and whose
/// last team may be the fullest of all. Made from row lengths alone.

namespace lacuna::Impl {

class SpmmRowSpread {
 public:
  explicit SpmmRowSpread(const Inspection& A) : m_lengths(A.lengths), m_rows(A.rows), m_mean(A.mean()) {
    if (A.rows == 0 || A.columns == 0) return;
    const auto rows       = static_cast<double>(A.rows);
    const double density  = m_mean / static_cast<double>(A.columns);
    const double variance = static_cast<double>(A.lengths.squares) / rows - m_mean * m_mean;
    // What chance leaves of uniform rows does not count.
    m_deviation = std::sqrt(std::max(0.0, variance - m_mean * (1 - density)));
    find_likeness();
  }

  double mean() const { return m_mean; }
  /// 0: rows stand in any order; 1: neighbours are as long as each other.
  double likeness() const { return m_likeness; }

  /// Nonzeros of a row, on average, of the fullest of `groups` neighbouring groups of `rows` rows.
  double fullest_of(std::int64_t groups, std::int64_t rows) const {
    return within_longest(m_mean + (1 - m_likeness) * spread(groups, rows));
  }
  /// Of the fullest group of `rows` rows of all.
  double fullest(std::int64_t rows) const {
    if (m_rows == 0) return 0;
    const auto count     = static_cast<double>(std::min(rows, m_rows));
    const double outlier = (static_cast<double>(m_lengths.longest) - m_mean) / count;
    const double chance  = m_mean + std::max(outlier, spread(m_rows / std::max<std::int64_t>(1, rows), rows));
    return within_longest((1 - m_likeness) * chance + m_likeness * mean_of_longest(rows));
  }

 private:
  double within_longest(double length) const {
    return std::max(m_mean, std::min(length, static_cast<double>(m_lengths.longest)));
  }

  /// A row of an octave, about.
  double length_of(int octave) const {
    return octave == 0 ? 0 : std::min(std::ldexp(0.75, octave), static_cast<double>(m_lengths.longest));
  }

  /// By how much the fullest of `groups` is above the mean, where rows are put together by chance: the sum of many has
  /// a normal distribution, whose greatest value of 4, 8, 16, 256 is 1.0, 1.4, 1.8, 2.8 deviations above.
  double spread(std::int64_t groups, std::int64_t rows) const {
    return groups > 1 ? (0.5 + 0.45 * std::log(static_cast<double>(groups))) * m_deviation /
                            std::sqrt(static_cast<double>(rows))
                      : 0;
  }

  double mean_of_longest(std::int64_t rows) const {
    const std::int64_t count = std::min(rows, m_rows);
    std::int64_t left        = count;
    double sum               = 0;
    for (int octave = LengthStatistics::octave_choices - 1; octave >= 0 && left > 0; --octave) {
      const std::int64_t taken = std::min(left, m_lengths.octaves[static_cast<std::size_t>(octave)]);
      sum += static_cast<double>(taken) * length_of(octave);
      left -= taken;
    }
    return (sum + static_cast<double>(left) * m_mean) / static_cast<double>(count);
  }

  /// The longest of 16 neighbours is as long as chance makes it, or as long as the mean.
  void find_likeness() {
    constexpr int level = 4;
    const auto longest  = static_cast<double>(m_lengths.group_span[level]) / static_cast<double>(m_rows);
    const auto rows     = static_cast<double>(m_rows);
    double by_chance = 0, mean = 0, below = 0;
    std::int64_t not_above = 0;
    for (int octave = 0; octave < LengthStatistics::octave_choices; ++octave) {
      const std::int64_t count = m_lengths.octaves[static_cast<std::size_t>(octave)];
      if (count == 0) continue;
      not_above += count;
      const double share = std::pow(static_cast<double>(not_above) / rows, 1 << level);
      by_chance += (share - below) * length_of(octave);
      mean += static_cast<double>(count) / rows * length_of(octave);
      below = share;
    }
    if (longest > 0 && by_chance > 1.25 * mean)
      m_likeness = std::clamp((by_chance - longest) / (by_chance - mean), 0.0, 1.0);
  }

  const LengthStatistics& m_lengths;
  std::int64_t m_rows;
  double m_mean;
  double m_deviation = 0;
  double m_likeness  = 0;
};

}  // namespace lacuna::Impl

#endif
