// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERATORPATTERN_HPP
#define LACUNA_GENERATORPATTERN_HPP

#include <core/impl/generators/Lacuna_Random.hpp>

#include <cstdint>

/// \file
/// \brief Sparsity patterns as index arithmetic. One type holds every pattern, so that a matrix type costs two kernels
/// and not two for each pattern.

namespace lacuna::Impl {

enum class PatternKind {
  mesh27,
  stencil,
  banded,
  random,
  power,
  block,
  arrow,
  dense_row,
  empty_rows,
  uniform,
  synergy
};

/// `count` of `extent` columns, split into strata of at most `stratum` sorted random columns: the work to find column k
/// does not grow with the row.
struct RandomColumns {
  static constexpr std::int64_t stratum = 32;

  std::uint64_t seed  = 0;  // of the row
  std::int64_t extent = 0;
  std::int64_t count  = 0;
  std::int64_t k      = 0;
  std::int64_t end    = 0;  // of the stratum
  std::int64_t first  = 0;
  std::int64_t base   = 0;
  std::int64_t sum    = 0;
  double scale        = 0;
  std::int64_t slack  = 0;

  /// Sorted uniform numbers are partial sums of exponential ones over their total; adding k makes them distinct.
  KOKKOS_FUNCTION void start_stratum() {
    const std::int64_t strata = (count + stratum - 1) / stratum;
    const std::int64_t s      = ((k + 1) * strata - 1) / count;
    first                     = part(count, s, strata);
    end                       = part(count, s + 1, strata);
    base                      = first + part(extent - count, s, strata);
    slack                     = part(extent - count, s + 1, strata) - part(extent - count, s, strata);
    sum                       = 0;
    std::int64_t total        = random_exponential(seed, 2 * static_cast<std::uint64_t>(s) + (std::uint64_t(1) << 62));
    for (std::int64_t i = first; i < end; ++i) total += random_exponential(seed, i);
    scale = static_cast<double>(slack + 1) / static_cast<double>(total);
    for (std::int64_t i = first; i < k; ++i) sum += random_exponential(seed, i);
  }

  KOKKOS_FUNCTION std::int64_t next() {
    if (k >= end) start_stratum();
    sum += random_exponential(seed, k);
    const auto shift = static_cast<std::int64_t>(static_cast<double>(sum) * scale);
    return base + (k++ - first) + (shift < slack ? shift : slack);
  }

  /// Where part `s` of `parts` equal parts of `total` begins.
  KOKKOS_FUNCTION static std::int64_t part(std::int64_t total, std::int64_t s, std::int64_t parts) {
    return total / parts * s + total % parts * s / parts;
  }
};

/// Columns that are there by themselves, each with the same chance: gaps are geometrically distributed, and exponential
/// numbers over a rate, rounded down, are. To find column k takes k steps.
struct UniformColumns {
  std::uint64_t seed    = 0;   // of the row
  std::int64_t rate     = -1;  // -log2(1 - chance) in fixed point; -1: every column
  std::uint64_t k       = 0;
  std::int64_t position = -1;

  KOKKOS_FUNCTION std::int64_t next() {
    position += rate < 0 ? 1 : 1 + random_exponential(seed, k++) / rate;
    return position;
  }
};

/// Panels of 16 rows that share `active` columns, in clusters of 16 neighbours. The active columns are cut into as many
/// strata as a row has nonzeros; the rows go through each stratum in an order of its own, so that each row has one
/// column of it and, where it has no more columns than there are rows, each column a row.
struct SharedColumns {
  static constexpr std::int64_t panel_rows = 16;
  static constexpr std::int64_t cluster    = 16;

  /// Which of the active columns nonzero `k` of `per_row` has, in this row of the panel.
  KOKKOS_FUNCTION static std::int64_t place(std::uint64_t panel_seed, std::int64_t row, std::int64_t k,
                                            std::int64_t per_row, std::int64_t active) {
    const std::int64_t begin = RandomColumns::part(active, k, per_row);
    const std::int64_t width = RandomColumns::part(active, k + 1, per_row) - begin;
    const std::uint64_t bits = random_bits(panel_seed, static_cast<std::uint64_t>(k));
    const auto turn          = static_cast<std::int64_t>(bits % panel_rows);
    const auto step          = static_cast<std::int64_t>(bits / panel_rows % (panel_rows / 2)) * 2 + 1;  // odd
    return begin + (row * step + turn) % panel_rows % width;
  }
};

/// A pattern and its numbers; which of them mean something depends on the kind.
struct Pattern {
  static constexpr int max_segments = 66;

  PatternKind kind     = PatternKind::banded;
  std::int64_t rows    = 0;
  std::int64_t columns = 0;
  std::int64_t nx = 0, ny = 0, nz = 0;          // of a mesh, in nodes
  std::int64_t block                      = 1;  // unknowns a node, or the size of a block
  std::int64_t per_row                    = 0;
  std::int64_t half                       = 0;  // half bandwidth, or the width of an arrow
  std::int64_t period                     = 0;
  std::int64_t trailing                   = 0;
  std::int64_t gap_rate                   = 0;  // of UniformColumns; 0: none at all
  std::int64_t active                     = 0;  // of SharedColumns: columns of a panel
  std::uint64_t seed                      = 1;
  std::int64_t segments[max_segments + 1] = {};  // nonzeros before each segment of a power law

  KOKKOS_FUNCTION static std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
  KOKKOS_FUNCTION static std::int64_t largest(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
  /// How many of i - 1, i, i + 1 lie in [0, n).
  KOKKOS_FUNCTION static std::int64_t neighbours(std::int64_t i, std::int64_t n) { return 1 + (i > 0) + (i < n - 1); }

  KOKKOS_FUNCTION std::int64_t row_length(std::int64_t row) const {
    switch (kind) {
      case PatternKind::mesh27: {
        const std::int64_t node = row / block;
        return block * neighbours(node % nx, nx) * neighbours(node / nx % ny, ny) * neighbours(node / nx / ny, nz);
      }
      case PatternKind::stencil:
        return neighbours(row % nx, nx) + neighbours(row / nx % ny, ny) + neighbours(row / nx / ny, nz) - 2;
      case PatternKind::banded: return largest(0, least(columns, row + half + 1) - largest(0, row - half));
      case PatternKind::random:
      case PatternKind::synergy: return per_row;
      case PatternKind::power: return power_length(rank_of(row));
      case PatternKind::block: return per_row * block;
      case PatternKind::arrow: return row < half ? columns : half + 1;
      case PatternKind::dense_row: return row == rows / 2 ? columns : per_row;
      case PatternKind::empty_rows: return row % period == period - 1 || row >= rows - trailing ? 0 : per_row;
      case PatternKind::uniform: return uniform_length(row);
    }
    return 0;
  }

  /// Column k of a row that is not random.
  KOKKOS_FUNCTION std::int64_t column(std::int64_t row, std::int64_t k) const {
    switch (kind) {
      case PatternKind::mesh27: {
        const std::int64_t node = row / block, x = node % nx, y = node / nx % ny, z = node / nx / ny;
        const std::int64_t across = neighbours(x, nx), along = neighbours(y, ny), neighbour = k / block;
        const std::int64_t to_x = largest(x - 1, 0) + neighbour % across;
        const std::int64_t to_y = largest(y - 1, 0) + neighbour / across % along;
        const std::int64_t to_z = largest(z - 1, 0) + neighbour / across / along;
        return ((to_z * ny + to_y) * nx + to_x) * block + k % block;
      }
      case PatternKind::stencil: return stencil_column(row, k);
      case PatternKind::banded: return largest(0, row - half) + k;
      case PatternKind::arrow: return row < half || k < half ? k : row;
      default: return k;  // the dense row
    }
  }

  KOKKOS_FUNCTION std::int64_t stencil_column(std::int64_t row, std::int64_t k) const {
    const std::int64_t x = row % nx, y = row / nx % ny, z = row / nx / ny;
    const bool inside[7]         = {z > 0, y > 0, x > 0, true, x < nx - 1, y < ny - 1, z < nz - 1};
    const std::int64_t offset[7] = {-nx * ny, -nx, -1, 0, 1, nx, nx * ny};
    for (int i = 0; i < 7; ++i) {
      if (inside[i] && k-- == 0) return row + offset[i];
    }
    return row;
  }

  KOKKOS_FUNCTION bool is_random(std::int64_t row) const {
    return kind == PatternKind::random || kind == PatternKind::power || kind == PatternKind::block ||
           kind == PatternKind::empty_rows || (kind == PatternKind::dense_row && row != rows / 2);
  }

  KOKKOS_FUNCTION std::int64_t uniform_length(std::int64_t row) const {
    if (gap_rate == 0) return 0;
    UniformColumns walk{uniform_seed(row), gap_rate};
    std::int64_t length = 0;
    while (walk.next() < columns) ++length;
    return length;
  }
  KOKKOS_FUNCTION std::uint64_t uniform_seed(std::int64_t row) const {
    return substream(substream(seed, 9), static_cast<std::uint64_t>(row));
  }

  /// Whether a column is found only by way of those before it.
  KOKKOS_FUNCTION bool walks_rows() const { return kind == PatternKind::uniform; }

  /// First place (from 1) of segment `s` of the places of a power law: 1, 2, 2, 3, 4, 6, 8, 12, 16 …
  KOKKOS_FUNCTION static constexpr std::int64_t segment_begin(int s) {
    return s % 2 == 0 ? std::int64_t(1) << (s / 2) : ((std::int64_t(3) << (s / 2)) + 1) / 2;
  }

  /// Length of the row of this rank, the longest having rank 0: the segment's nonzeros spread evenly.
  KOKKOS_FUNCTION std::int64_t power_length(std::int64_t rank) const {
    const int octave          = 63 - Kokkos::countl_zero(static_cast<std::uint64_t>(rank + 1));
    const int s               = 2 * octave + (rank + 1 >= segment_begin(2 * octave + 1));
    const std::int64_t begin  = segment_begin(s);
    const std::int64_t width  = least(segment_begin(s + 1), rows + 1) - begin;
    const std::int64_t within = rank + 1 - begin;
    const std::int64_t total  = segments[s + 1] - segments[s];
    return RandomColumns::part(total, within + 1, width) - RandomColumns::part(total, within, width);
  }

  /// A random permutation of the rows: a Feistel network on enough bits, walked until it lands on a row.
  KOKKOS_FUNCTION std::int64_t rank_of(std::int64_t row) const {
    int half_bits = 1;
    while ((std::int64_t(1) << (2 * half_bits)) < rows) ++half_bits;
    const std::uint64_t mask = (std::uint64_t(1) << half_bits) - 1;
    auto value               = static_cast<std::uint64_t>(row);
    do {
      std::uint64_t left = value >> half_bits, right = value & mask;
      for (std::uint64_t round = 0; round < 4; ++round) {
        const std::uint64_t next = left ^ (random_bits(substream(seed, round), right) & mask);
        left                     = right;
        right                    = next;
      }
      value = (left << half_bits) | right;
    } while (value >= static_cast<std::uint64_t>(rows));
    return static_cast<std::int64_t>(value);
  }
};

/// Walks along the columns of one row.
struct PatternCursor {
  const Pattern& pattern;
  std::int64_t row;
  std::int64_t k;
  bool random;
  RandomColumns columns;
  UniformColumns uniform;
  std::uint64_t panel_seed = 0;  // of SharedColumns

  KOKKOS_FUNCTION PatternCursor(const Pattern& pattern_, std::int64_t row_, std::int64_t k_, std::int64_t length)
      : pattern(pattern_), row(row_), k(k_), random(pattern_.is_random(row_)) {
    if (pattern.kind == PatternKind::uniform) {
      uniform.seed = pattern.uniform_seed(row);
      uniform.rate = pattern.gap_rate;
      for (std::int64_t i = 0; i < k; ++i) uniform.next();
    }
    if (pattern.kind == PatternKind::synergy) {
      const std::int64_t panel = row / SharedColumns::panel_rows;
      panel_seed               = substream(substream(pattern.seed, 10), static_cast<std::uint64_t>(panel));
      columns.seed             = substream(panel_seed, 1);
      columns.extent           = pattern.columns / SharedColumns::cluster;
      columns.count            = (pattern.active + SharedColumns::cluster - 1) / SharedColumns::cluster;
    }
    if (!random) return;
    columns.seed   = substream(pattern.seed, 16 + static_cast<std::uint64_t>(row / pattern.block));
    columns.extent = pattern.columns / pattern.block;
    columns.count  = length / pattern.block;
    columns.k      = k / pattern.block;
    if (k % pattern.block != 0) m_block_column = columns.next();
  }

  KOKKOS_FUNCTION std::int64_t next() {
    if (pattern.kind == PatternKind::uniform) return uniform.next();
    if (pattern.kind == PatternKind::synergy) return shared_column();
    if (!random) return pattern.column(row, k++);
    if (pattern.block == 1) return columns.next();
    const std::int64_t within = k++ % pattern.block;
    if (within == 0) m_block_column = columns.next();
    return m_block_column * pattern.block + within;
  }

 private:
  KOKKOS_FUNCTION std::int64_t shared_column() {
    const std::int64_t place =
        SharedColumns::place(panel_seed, row % SharedColumns::panel_rows, k++, pattern.per_row, pattern.active);
    if (const std::int64_t cluster = place / SharedColumns::cluster; cluster >= columns.k) {
      if (cluster > columns.k) columns.end = 0;  // some were left out: the stratum begins anew
      columns.k      = cluster;
      m_block_column = columns.next();
    }
    return m_block_column * SharedColumns::cluster + place % SharedColumns::cluster;
  }

  std::int64_t m_block_column = 0;
};

}  // namespace lacuna::Impl

#endif
