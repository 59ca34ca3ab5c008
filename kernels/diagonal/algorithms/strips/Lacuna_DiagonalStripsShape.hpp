// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALSTRIPSSHAPE_HPP
#define LACUNA_DIAGONALSTRIPSSHAPE_HPP

#include <Lacuna_Device.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalPairs.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStripsPolicy.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalRequest.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

struct DiagonalStripsShape {
  int rows_per_lane    = 0;  ///< 0: the device cannot hold a strip
  int splits           = 1;  ///< teams that share a strip, each some diagonals of C
  int threads          = 0;
  int rows             = 0;  ///< of a strip
  std::int64_t passes  = 1;  ///< that A's diagonals are taken in, one after the other
  std::int64_t of_pass = 0;  ///< diagonals of A in a pass
  std::int64_t near_a  = 0;  ///< and of those in scratch
  std::size_t scratch  = 0;
};

/// How many teams share a strip. More of them keep each other waiting less at the end, and each loads A.
inline int diagonal_strips_splits(const Device& device, const DiagonalRequest& request,
                                  const DiagonalStripsShape& shape) {
  using Policy            = DiagonalStripsPolicy;
  const auto bytes_of_row = static_cast<double>(shape.rows) * static_cast<double>(request.scalar.bytes);
  const double rate       = device.gather_rate / device.processors;
  const double load       = static_cast<double>(shape.passes) *
                      (Policy::load_seconds + static_cast<double>(shape.near_a) * bytes_of_row / rate);
  const double work = static_cast<double>(request.dg_a) * static_cast<double>(request.dg_b) * bytes_of_row / rate;
  const std::int64_t strips = (request.rows + shape.rows - 1) / shape.rows;
  const auto seconds        = [&](int splits) {
    const std::int64_t rounds = (strips * splits + device.processors - 1) / device.processors;
    return static_cast<double>(rounds) * (load + work / splits);
  };
  int best = 1;
  for (int splits = 2; splits <= Policy::most_splits; ++splits)
    if (seconds(splits) < seconds(best)) best = splits;
  return best;
}

/// A product cut into strips of `rows_per_lane` rows a lane, and A's diagonals into `passes` passes. Where that does
/// not fit, `rows_per_lane` is 0.
inline DiagonalStripsShape diagonal_strips_cut(const Device& device, const DiagonalRequest& request, int rows_per_lane,
                                               std::int64_t passes) {
  DiagonalStripsShape shape;
  shape.rows    = rows_per_lane * device.lane_width;
  shape.of_pass = (request.dg_a + passes - 1) / passes;
  shape.passes  = request.dg_a > 0 ? (request.dg_a + shape.of_pass - 1) / shape.of_pass : 1;  // none is empty
  shape.near_a  = std::min(request.near_a, shape.of_pass);
  shape.scratch = static_cast<std::size_t>(shape.rows * shape.near_a) * request.scalar.bytes +
                  static_cast<std::size_t>(shape.of_pass + request.dg_b) * 8 + 512;
  if (shape.scratch > device.scratch) return shape;
  shape.rows_per_lane = rows_per_lane;
  shape.threads       = device.is_gpu ? DiagonalStripsPolicy::threads : 1;
  if (device.is_gpu) shape.splits = diagonal_strips_splits(device, request, shape);
  return shape;
}

/// Whether this many rows a lane leave enough cache to hold B.
inline bool diagonal_strips_leave_caches(const Device& device, const DiagonalRequest& request,
                                         const DiagonalStripsShape& shape) {
  using Policy = DiagonalStripsPolicy;
  return request.format == DiagonalFormat::hm || shape.rows_per_lane < Policy::rows_per_lane[0] ||
         static_cast<double>(shape.scratch) <= Policy::most_scratch_of_cdm * static_cast<double>(device.scratch);
}

/// A pure function: the most rows a lane for which there is scratch, in as few passes as it takes, if their lists are
/// long enough.
inline DiagonalStripsShape diagonal_strips_shape(const Device& device, const DiagonalRequest& request) {
  using Policy = DiagonalStripsPolicy;
  if (request.dg_a > DiagonalPairs::most || request.dg_b > DiagonalPairs::most) return {};
  const double pairs = static_cast<double>(request.dg_a) * static_cast<double>(request.dg_b);
  for (const int rows_per_lane : Policy::rows_per_lane) {
    const double most =
        rows_per_lane <= Policy::most_rows_in_passes
            ? pairs / (Policy::pairs_of_pass * static_cast<double>(std::max<std::int64_t>(1, request.dg_c)))
            : 1;
    for (std::int64_t passes = 1; passes == 1 || static_cast<double>(passes) <= most; ++passes) {
      const auto shape = diagonal_strips_cut(device, request, rows_per_lane, passes);
      if (shape.rows_per_lane != 0 && diagonal_strips_leave_caches(device, request, shape)) return shape;
    }
  }
  return {};
}

}  // namespace lacuna::Impl

#endif
