// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMROWBLOCKS_HPP
#define LACUNA_SPMMROWBLOCKS_HPP

#include <kernels/spmm/algorithms/row_blocks/Lacuna_SpmmRowBlocksStorage.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmEngineModel.hpp>

#include <algorithm>
#include <string>

namespace lacuna::Impl {

/// \brief Rows that follow each other with the same columns, as the unknowns of a node have them, share each row of B
/// that is read. CSR as it stands and a list of blocks; plain arithmetic.
struct SpmmRowBlocks {
  static constexpr SpmmAlgorithm id       = SpmmAlgorithm::row_blocks;
  static constexpr bool on_engine         = false;
  static constexpr Stage needs            = Stage::runs;
  static constexpr bool reads_values_of_A = true;
  using Policy                            = SpmmRowBlockPolicy;

  static Support supports(const Device& device, const SpmmRequest& request) {
    if (const Support lanes = needs_lanes(device, id, "row_split"); !lanes) return lanes;
    if (request.scalar.bytes < sizeof(float)) return {"algorithm row_blocks for this scalar type, there is row_split"};
    if (!request.asks_for(id)) return {};
    if (request.is_reduced())
      return {"precision " + std::string(name(request.precision)) + " by row_blocks, which has full"};
    if (request.row_order == RowOrder::clustered) return {"row order clustered by row_blocks, which has natural"};
    return {};
  }

  /// Whether rows are long enough and columns many enough for blocks of one row, which read columns ahead, to
  /// be faster than row_split.
  static bool has_long_rows(const Device& device, const Inspection& A, const SpmmRequest& request) {
    return A.rows >= device.processors * Policy::least_long_rows && A.mean() >= Policy::long_rows &&
           A.mean() <= Policy::longest_rows && request.columns >= Policy::long_rows_columns(request.scalar.bytes) &&
           bytes_of_b(A, request) <= Policy::most_random_bytes;
  }
  static double bytes_of_b(const Inspection& A, const SpmmRequest& request) {
    return static_cast<double>(A.columns) * request.row_bytes(request.columns);
  }

  /// The same where columns stand as by chance, for rows that are not so long.
  static bool may_have_random_rows(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const double bytes = bytes_of_b(A, request);
    const double least = bytes <= Policy::tiles_inside_bytes ? Policy::least_random_mean : Policy::least_wide_mean;
    return device.is_gpu && bytes <= Policy::most_random_bytes && A.mean() >= least &&
           request.columns >= Policy::least_random_columns && has_even_rows(A);
  }
  /// The same where there are too few rows to fill the device with a subwarp each: several share a block here.
  static bool may_have_few_random_rows(const Device& device, const Inspection& A, const SpmmRequest& request) {
    return device.is_gpu && A.mean() >= Policy::least_few_mean && has_even_rows(A) &&
           A.rows <= device.processors * Policy::most_few_rows(vectors_of_a_row(request));
  }
  static std::int64_t vectors_of_a_row(const SpmmRequest& request) {
    return static_cast<std::int64_t>(request.row_bytes(request.columns)) / 16;
  }
  /// Any of both.
  static bool may_have_chance_rows(const Device& device, const Inspection& A, const SpmmRequest& request) {
    return may_have_random_rows(device, A, request) || may_have_few_random_rows(device, A, request);
  }
  static double random_seconds_of_blocks(const Device& device, const Inspection& A, const SpmmRequest& request) {
    if (may_have_few_random_rows(device, A, request) && even_rows_are_long(device, A, request, request.columns))
      return Policy::few_long_rows_share * row_seconds(device, A, request);
    if (may_have_few_random_rows(device, A, request))
      return Policy::few_rows_share(vectors_of_a_row(request)) * row_seconds(device, A, request);
    return random_seconds(device, A, request, request.columns, random_rate(A, request));
  }
  static double random_rate(const Inspection& A, const SpmmRequest& request) {
    using Random = SpmmRandomPolicy;
    if (!Random::aligned(request, request.columns))
      return Random::rate(Random::unaligned_ahead_rate, Random::unaligned_ahead_growth, density_of(A));
    const bool is_wide = bytes_of_b(A, request) > Policy::tiles_inside_bytes;
    return Random::rate(is_wide ? Random::wide_ahead_rate : Random::ahead_rate, Random::ahead_growth, density_of(A));
  }

  /// Whether blocks are faster than panels on the matrix engine.
  static bool beat_panels(const Inspection& A, const SpmmRequest& request) {
    const double reads = row_block_reads_over_panels(A);
    if (request.scalar.bytes > sizeof(float)) return false;
    if (reads <= Policy::clearly_fewer) return true;
    if (row_blocks_are_scattered(A)) return request.columns <= Policy::most_scattered_columns(request.precision);
    const bool even = static_cast<double>(A.lengths.longest) <= Policy::even_row * A.mean();
    return reads <= Policy::most_over_panels(request.precision, request.columns, even);
  }

  static bool has_even_rows(const Inspection& A) {
    return static_cast<double>(A.lengths.longest) <= longest_even_row(A.mean());
  }

  /// Bound: as rows one by one, a row of B for each nonzero of one row of a block. What panels on the matrix engine
  /// take is known better than what blocks do: where those pay, blocks are put just before or behind them.
  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const double rows = row_seconds(device, A, request);
    const double share =
        A.nonzeros > 0 ? static_cast<double>(Policy::reads(*A.runs)) / static_cast<double>(A.nonzeros) : 1.0;
    const auto engine = estimate_engine(device, A, request);
    Estimate result{.call_seconds  = Policy::loss * rows,
                    .setup_seconds = Policy::setup_seconds,
                    .bytes         = static_cast<std::size_t>(Policy::blocks(*A.runs)) * Policy::block_bytes,
                    .reason = "equal rows that follow each other leave " + percent_text(share) + " of the reads of B"};
    if (!device.is_gpu || !has_even_rows(A) || request.columns < Policy::least_columns) return result;
    if (engine.pays)
      result.call_seconds = beat_panels(A, request) ? std::min(share * rows, Policy::just_below * engine.seconds)
                                                    : std::max(share * rows, engine.seconds / Policy::just_below);
    else if (share <= Policy::share_of_rows(request.columns))
      result.call_seconds = share * rows;
    else if (may_have_chance_rows(device, A, request) && columns_are_random(A)) {
      result.call_seconds = random_seconds_of_blocks(device, A, request);
      result.reason       = "rows of " + number_text(A.mean()) + " nonzeros, in columns as by chance, about " +
                      time_text(result.call_seconds) + " a product";
    } else if (has_long_rows(device, A, request)) {
      result.call_seconds = (1 - Policy::long_rows_gain(request.scalar.bytes, columns_are_random(A))) * rows;
      result.reason       = "rows of " + number_text(A.mean()) + " nonzeros are long";
    }
    return result;
  }

  static OptimisticBound optimistic_bound(const Device& device, const Inspection& A, const SpmmRequest& request,
                                          Stage stage) {
    // Panels tell whether columns stand as by chance, which rows one by one take longer for than their bytes say.
    if (stage == Stage::panels && (may_have_chance_rows(device, A, request) || has_long_rows(device, A, request)))
      return {Estimate{.call_seconds  = Policy::share_at_best * row_seconds(device, A, request),
                       .setup_seconds = Policy::setup_seconds},
              {}};
    if (stage != needs) return {};
    const std::int64_t n = request.columns;
    if (!device.is_gpu) return {{}, "it is for GPUs"};
    if (n < Policy::least_columns) return {{}, "N = " + std::to_string(n) + " is small"};
    if (A.mean() < Policy::least_mean) return {{}, "rows of " + number_text(A.mean()) + " nonzeros are short"};
    if (!has_even_rows(A)) return {{}, "rows are uneven, the longest has " + std::to_string(A.lengths.longest)};
    if (n * static_cast<std::int64_t>(request.scalar.bytes) % 16 != 0 &&
        !repacking_costs_less(device, A, request, n, Policy::least_gain))
      return {{}, "rows of B are not aligned, and copying them costs more than is saved"};
    if (A.panels && A.nonzeros_per_panel_column() < Policy::least_rpc && !has_long_rows(device, A, request) &&
        !(may_have_chance_rows(device, A, request) && columns_are_random(A)))
      return {{}, "neighbouring rows share too few columns"};
    const double best =
        device.launch_seconds + (row_seconds(device, A, request) - device.launch_seconds) / Policy::many_rows;
    return {Estimate{.call_seconds = best, .setup_seconds = Policy::setup_seconds}, "not looked for"};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  static constexpr bool has_kernels = runs_lane_kernels<ExecutionSpace> &&
                                      sizeof(typename Matrix::non_const_value_type) >= sizeof(float);
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = std::conditional_t<has_kernels<Matrix, ExecutionSpace>, SpmmRowBlocksStorage<Matrix, ExecutionSpace>,
                                     NoStorage<SpmmRowBlocks>>;
};

}  // namespace lacuna::Impl

#endif
