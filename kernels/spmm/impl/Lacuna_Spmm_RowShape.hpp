// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_ROWSHAPE_HPP
#define LACUNA_SPMM_ROWSHAPE_HPP

#include <kernels/spmm/tuning/Lacuna_Spmm_Tuning.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

/// \file
/// \brief How the row kernel lays lanes over a row of C: a pure function of plain numbers.

namespace lacuna::Impl {

/// A lane holds `vector` neighbouring columns `chunks` times, `lanes` lanes stand side by side along a row of C, and
/// `parts` such sets of lanes share the nonzeros of a row. N is cut into `tiles`.
struct SpmmRowShape {
  int vector         = 1;
  int chunks         = 1;
  int lanes          = 1;
  int parts          = 1;
  std::int64_t tiles = 1;

  int tile() const { return vector * chunks * lanes; }
  int rows_per_group(int lane_width) const { return lane_width / (lanes * parts); }
};

/// Threads of a team that walks pieces: sets of lanes join the rows they share one after the other, so there are few.
inline int piece_team_threads(const SpmmRowShape& shape, int lane_width) {
  const int groups = std::max(1, SpmmTuning::piece_team_sets / shape.rows_per_group(lane_width));
  return std::min(SpmmTuning::row_team, groups * lane_width);
}

struct SpmmRowFacts {
  std::int64_t rows        = 0;
  double mean              = 0;  ///< nonzeros a row
  int lane_width           = 1;
  std::int64_t concurrency = 1;  ///< threads that the device holds
};

/// Who asks for a shape: the kernel that takes rows as they stand, or the one that walks pieces.
enum class SpmmRowWork { rows, pieces };

/// \param columns N > 0
/// \param widest  columns that one load of the scalar type takes at most
/// \param vector  columns that one load may take here: `widest`, half of it, or 1; so many, or fewer, are chosen
inline SpmmRowShape choose_row_shape(const SpmmRowFacts& facts, std::int64_t columns, int widest, int vector,
                                     SpmmRowWork work = SpmmRowWork::rows) {
  const auto ceiling = [](std::int64_t n, std::int64_t d) { return (n + d - 1) / d; };
  SpmmRowShape best;
  double best_score = -1;
  if (vector == widest && columns <= widest / 2) vector = widest / 2;
  if (columns == 1) vector = 1;
  const std::int64_t vectors = ceiling(columns, vector);
  const bool walks           = work == SpmmRowWork::pieces;
  const bool wide =
      vector > 1 && (walks ? vectors >= facts.lane_width
                           : vectors >= 2 * facts.lane_width && facts.mean >= SpmmTuning::wide_chunk_mean);
  for (int chunks = 1; chunks <= (vector == 1 ? 4 : 2); chunks *= 2) {
    if (chunks > vectors) break;
    SpmmRowShape shape{vector, chunks, 1, 1, 1};
    shape.tiles             = ceiling(vectors, std::int64_t{facts.lane_width} * chunks);
    shape.lanes             = static_cast<int>(ceiling(vectors, shape.tiles * chunks));
    const double busy_lanes = shape.lanes * (facts.lane_width / shape.lanes);
    double score = static_cast<double>(vectors) / static_cast<double>(shape.tiles * shape.lanes * chunks) * busy_lanes /
                   facts.lane_width;
    score *= vector == 1 ? SpmmTuning::element_chunk_weight(chunks) : SpmmTuning::vector_chunk_weight(chunks);
    if (wide && chunks == 2) score *= 1.2;
    if (vector == 1 && chunks > 1 && shape.lanes < 8) score *= 0.7;
    if (score > best_score) best = shape, best_score = score;
  }
  if (walks) return best;
  // Lanes along the nonzeros: for long rows, and where there are too few rows to fill the device.
  const int room = facts.lane_width / best.lanes;
  const int most = best.lanes < 8 ? room : std::min(room, SpmmTuning::most_parts_of_wide_rows);
  const double share =
      wide && best.chunks == 2 ? SpmmTuning::wide_chunk_mean : SpmmTuning::nonzeros_per_part(best.lanes);
  while (2 * best.parts <= most) {
    const double filled  = static_cast<double>(facts.rows * best.tiles) * best.lanes;
    const double device  = static_cast<double>(facts.concurrency);
    const bool long_rows = facts.mean >= (best.lanes < 8 ? share * best.parts : share) &&
                           (best.lanes < 8 || filled < SpmmTuning::parts_fill * device);
    const bool idle = filled * best.parts < SpmmTuning::row_fill * device;
    if (!long_rows && !(idle && facts.mean >= SpmmTuning::least_nonzeros_per_part * best.parts)) break;
    best.parts *= 2;
  }
  return best;
}

}  // namespace lacuna::Impl

#endif
