// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHRPBMODEL_HPP
#define LACUNA_SPMMHRPBMODEL_HPP

#include <formats/impl/bricks/Lacuna_BrickStatistics.hpp>
#include <formats/impl/hrpb/Lacuna_HrpbBlock.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_HrpbBalance.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmCost.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// \file
/// \brief What a product by HRPB is expected to take, by the synergy of the matrix (cuTeSpMM, sections 4 to 6.4): alpha
/// and beta say how many bricks there are and how often rows of B come from scratch, blocks and waves say the rest.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

struct SpmmHrpbPolicy {
  /// Warps of resident teams on a processor: estimates know a device in plain values, launches ask it.
  static constexpr std::int64_t resident_warps = 32;
  /// Time over that of reading as many bytes at the gather rate: packed blocks, rows of B for each block into scratch,
  /// and rows of B from scratch for each column of bricks.
  static constexpr double packed_cost  = 6.0;
  static constexpr double gather_cost  = 0.81;
  static constexpr double scratch_cost = 0.28;
  /// Time over that of B and C through memory.
  static constexpr double memory_cost = 0.66;
  /// Seconds of a processor for a brick times 32 columns: decode and engine.
  static constexpr double brick_seconds = 0;
  /// Seconds that a team waits for each block, whatever is in it.
  static constexpr double block_seconds = 1.1e-6;
  /// Engine products of a brick in float at full precision.
  static constexpr double full_products = 3;
  /// Factor on the time where it is compared with that of others.
  static constexpr double caution = 1.1;
  /// Set-up: fixed seconds, and seconds of a nonzero.
  static constexpr double setup_seconds   = 0.4e-3;
  static constexpr double nonzero_seconds = 0.2e-9;
  /// Time over that of row_split where the engine is emulated.
  static constexpr double emulated_loss = 3;
};

/// \brief The parts of a product's time at a cost of 1 each. `SpmmHrpbPolicy` says what each costs: what a fit finds.
struct SpmmHrpbTerms {
  static constexpr std::array<std::string_view, 6> names{"packed", "gather", "scratch", "memory", "brick", "block"};
  static constexpr std::array<double, 6> costs{SpmmHrpbPolicy::packed_cost,   SpmmHrpbPolicy::gather_cost,
                                               SpmmHrpbPolicy::scratch_cost,  SpmmHrpbPolicy::memory_cost,
                                               SpmmHrpbPolicy::brick_seconds, SpmmHrpbPolicy::block_seconds};
  std::array<double, 6> parts{};

  double seconds(const Device& device) const {
    double sum = device.launch_seconds;
    for (std::size_t i = 0; i < parts.size(); ++i) sum += costs[i] * parts[i];
    return sum;
  }
};

/// Bytes of the blocks and of what is read beside them.
inline double hrpb_packed_bytes(const TallPanelStatistics& panels, std::int64_t nonzeros, std::size_t scalar_bytes) {
  const double beside = HrpbLayout{panels.panel_rows / 16}.metadata_bytes() + 16 * 4 + 8;
  return static_cast<double>(nonzeros) * static_cast<double>(scalar_bytes) +
         static_cast<double>(panels.blocks) * beside;
}

/// The parts of a product with `n` columns.
inline SpmmHrpbTerms hrpb_terms(const Device& device, const Inspection& A, const TallPanelStatistics& panels,
                                const SpmmRequest& request, std::int64_t n) {
  const auto synergy          = synergy_of(panels, A.nonzeros);
  const std::int64_t warps    = ceiling_quotient(n, std::int64_t{32});
  const std::int64_t of_team  = warps > 2 ? 4 : warps;
  const std::int64_t tiles    = ceiling_quotient(warps, of_team);
  const auto processors       = static_cast<double>(device.processors);
  const auto blocks           = static_cast<double>(panels.blocks);
  const double intensity      = synergy.operational_intensity();
  const double padded_columns = 32.0 * static_cast<double>(warps);
  // Equation 1: each transfer brings an element of B to 32 lanes.
  const double transfers = intensity > 0 ? padded_columns * static_cast<double>(A.nonzeros) / intensity : 0.0;
  const bool is_split    = request.scalar.is_float() && !request.is_reduced();
  const HrpbBalance balance{panels.panels,
                            panels.blocks,
                            tiles,
                            device.processors,
                            std::max<std::int64_t>(1, SpmmHrpbPolicy::resident_warps / of_team),
                            request.panel_balance};
  const std::int64_t longest = ceiling_quotient(panels.longest_panel, std::int64_t{16});
  const std::int64_t piece   = ceiling_quotient(longest, balance.pieces(longest));
  // Blocks that a team's position on a processor sees one after the other.
  const double in_turn =
      panels.panels > 0 ? static_cast<double>(balance.num_waves()) * blocks / static_cast<double>(panels.panels) : 0.0;
  SpmmHrpbTerms terms;
  terms.parts = {
      static_cast<double>(tiles) * hrpb_packed_bytes(panels, A.nonzeros, request.scalar.bytes) / device.gather_rate,
      16 * blocks * request.row_bytes(n) / device.gather_rate,
      32 * transfers * static_cast<double>(request.scalar.bytes) / device.gather_rate,
      seconds_of_b_and_c(device, A, request, n),
      static_cast<double>(panels.bricks * warps) * (is_split ? SpmmHrpbPolicy::full_products : 1.0) / processors,
      std::max(in_turn, static_cast<double>(piece))};
  return terms;
}

}  // namespace lacuna::Impl

#endif
