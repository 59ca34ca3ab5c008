// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSSHAPE_HPP
#define LACUNA_ROWSSHAPE_HPP

#include <Kokkos_Core.hpp>

#include <backends/Lacuna_Launch.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief How the row kernel lays lanes over a row of C: a pure function of plain numbers.

namespace lacuna::Impl {

/// A limit that no row exceeds.
inline constexpr std::int64_t no_row_limit = std::numeric_limits<std::int64_t>::max();

/// Shape of a subwarp. A lane holds `vector` neighbouring columns `lane_vectors` times, `lanes` lanes stand side by
/// side along a row of C, and `split_k` such subwarps share the nonzeros of a row. N is cut into `tiles`.
struct RowsShape {
  int vector         = 1;
  int lane_vectors   = 1;
  int lanes          = 1;
  int split_k        = 1;
  std::int64_t tiles = 1;
  bool small_unroll  = false;  ///< `RowsPolicy::short_row_unroll` nonzeros at once where a lane has one vector

  int tile() const { return vector * lane_vectors * lanes; }
  int rows_per_warp(int lane_width) const { return lane_width / (lanes * split_k); }
  /// Nonzeros that a split-K slice multiplies at once.
  int unroll(std::size_t scalar_bytes) const {
    const int most = RowsPolicy::row_unroll(vector * lane_vectors * static_cast<int>(scalar_bytes));
    return small_unroll && lane_vectors == 1 ? std::min(most, RowsPolicy::short_row_unroll) : most;
  }
};

/// Threads of a team that walks work items. Teams are small, since subwarps join the rows that they
/// share one after the other.
inline int item_team_threads(const RowsShape& shape, int lane_width) {
  const int warps = std::max(1, RowsPolicy::item_team_subwarps / shape.rows_per_warp(lane_width));
  return std::min(RowsPolicy::row_team, warps * lane_width);
}

/// Quotients of numbers below 1024 by a divisor from 1 to 64. Only the host divides.
class LaneDivision {
 public:
  explicit LaneDivision(int divisor)
      : m_factor((65536u + static_cast<unsigned>(divisor) - 1) / static_cast<unsigned>(divisor)) {}
  KOKKOS_FORCEINLINE_FUNCTION int operator()(int number) const {
    return static_cast<int>(static_cast<unsigned>(number) * m_factor >> 16);
  }

 private:
  unsigned m_factor;  // the reciprocal in 16 binary places, rounded up
};

/// Input of the choice of a shape: statistics of the rows and of the device.
struct RowsStatistics {
  std::int64_t rows        = 0;
  double mean              = 0;  ///< nonzeros a row
  int lane_width           = 1;
  std::int64_t concurrency = 1;  ///< threads that the device holds
};

template <class ExecutionSpace, class Arrays>
RowsStatistics rows_statistics(const ExecutionSpace& exec, const Arrays& A) {
  RowsStatistics statistics;
  statistics.rows        = static_cast<std::int64_t>(A.rows);
  statistics.mean        = A.rows > 0 ? static_cast<double>(A.nonzeros) / static_cast<double>(A.rows) : 0.0;
  statistics.lane_width  = ExecutionTraits<ExecutionSpace>::lane_width;
  statistics.concurrency = exec.concurrency();
  return statistics;
}

/// How rows are taken: by the general kernel as they stand or sorted by length, or cut into work items.
enum class RowsOrder { as_they_stand, sorted, items };

/// Weight of `lane_vectors` loads a lane for each nonzero where N has `vectors` vectors.
inline double row_lane_vectors_weight(const RowsStatistics& statistics, std::int64_t vectors, int vector,
                                      int lane_vectors, RowsOrder schedule) {
  const double warp = statistics.lane_width;
  const bool items  = schedule == RowsOrder::items;
  if (vector == 1)
    return items || static_cast<double>(vectors) >= warp ? RowsPolicy::element_lane_vectors_weight(lane_vectors)
                                                         : RowsPolicy::few_elements_lane_vectors_weight(lane_vectors);
  if (items)
    return lane_vectors == 1
               ? 1.0
               : RowsPolicy::vector_lane_vectors_weight * (static_cast<double>(vectors) >= warp ? 1.2 : 1.0);
  return RowsPolicy::row_lane_vectors_weight(lane_vectors, static_cast<double>(vectors) / warp, statistics.mean);
}

/// Lanes of a subwarp along N: the fewest idle lanes, weighed against the gain of more vectors a lane.
inline RowsShape choose_row_lanes(const RowsStatistics& statistics, std::int64_t columns, int vector,
                                  RowsOrder schedule) {
  const auto ceiling = [](std::int64_t n, std::int64_t d) { return (n + d - 1) / d; };
  RowsShape best;
  double best_score          = -1;
  const std::int64_t vectors = ceiling(columns, vector);
  const int most             = vector > 1 && schedule == RowsOrder::items ? 2 : 4;
  for (int lane_vectors = 1; lane_vectors <= most && lane_vectors <= vectors; lane_vectors *= 2) {
    RowsShape shape{vector, lane_vectors, 1, 1, 1};
    shape.tiles             = ceiling(vectors, std::int64_t{statistics.lane_width} * lane_vectors);
    shape.lanes             = static_cast<int>(ceiling(vectors, shape.tiles * lane_vectors));
    const double busy_lanes = shape.lanes * (statistics.lane_width / shape.lanes);
    double score = static_cast<double>(vectors) / static_cast<double>(shape.tiles * shape.lanes * lane_vectors) *
                   busy_lanes / statistics.lane_width *
                   row_lane_vectors_weight(statistics, vectors, vector, lane_vectors, schedule);
    if (schedule == RowsOrder::items && vector == 1 && lane_vectors > 1 && shape.lanes < 8) score *= 0.7;
    if (score > best_score) best = shape, best_score = score;
  }
  return best;
}

/// Split-K slices of a row. Long rows are split where no more lanes idle for it; all rows are split where there are too
/// few of them to fill the device.
inline int choose_split_k(const RowsStatistics& statistics, const RowsShape& shape) {
  const int room      = statistics.lane_width / shape.lanes;
  const int most      = shape.lanes < 8 ? room : std::min(room, RowsPolicy::most_k_slices_of_wide_rows);
  const double filled = static_cast<double>(statistics.rows * shape.tiles) * shape.lanes;
  const auto device   = static_cast<double>(statistics.concurrency);
  const auto busy     = [&](int split_k) { return room / split_k * split_k; };
  int split_k         = 1;
  while (2 * split_k <= most) {
    const bool long_rows = statistics.mean >= RowsPolicy::long_row_mean(shape.lanes, split_k) &&
                           busy(2 * split_k) == busy(split_k) &&
                           (shape.lanes < 8 || filled < RowsPolicy::split_k_fill * device);
    const bool idle = filled * split_k < RowsPolicy::row_fill * device;
    if (!long_rows && !(idle && statistics.mean >= RowsPolicy::least_nonzeros_per_k_slice * split_k)) break;
    split_k *= 2;
  }
  return split_k;
}

/// \param columns N > 0
/// \param widest columns that one load of the scalar type takes at most
/// \param vector columns that one load may take here: `widest`, half of it, or 1. The shape may have fewer.
inline RowsShape choose_row_shape(const RowsStatistics& statistics, std::int64_t columns, int widest, int vector,
                                  RowsOrder schedule = RowsOrder::as_they_stand) {
  const int half_loads = RowsPolicy::half_load_columns(widest, schedule == RowsOrder::sorted);
  if (vector == widest && widest > 1 && columns <= half_loads) vector = widest / 2;
  if (columns == 1) vector = 1;
  RowsShape shape = choose_row_lanes(statistics, columns, vector, schedule);
  if (schedule == RowsOrder::items) {
    const std::int64_t tile = std::int64_t{RowsPolicy::item_lanes} * shape.vector * shape.lane_vectors;
    if (vector == widest && widest > 1 && shape.lane_vectors == 2 && shape.lanes > RowsPolicy::item_lanes &&
        columns % tile == 0) {
      shape.lanes = RowsPolicy::item_lanes;
      shape.tiles = columns / tile;
    }
    return shape;
  }
  if (shape.lanes == 7) shape.lanes = 8;  // loads of rows of B are then contiguous
  shape.small_unroll =
      shape.lanes == 1 || shape.tile() <= RowsPolicy::small_unroll_columns ||
      (schedule == RowsOrder::as_they_stand && statistics.mean < RowsPolicy::short_row_mean(shape.lanes));
  shape.split_k = choose_split_k(statistics, shape);
  return shape;
}

}  // namespace lacuna::Impl

#endif
