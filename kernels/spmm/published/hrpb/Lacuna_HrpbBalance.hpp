// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HRPBBALANCE_HPP
#define LACUNA_HRPBBALANCE_HPP

#include <Lacuna_SpmmOptions.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// \brief Wave-aware load balance of SpMM on HRPB (cuTeSpMM, section 5): into how many pieces a row panel is cut.

namespace lacuna::Impl {

/// \brief The numbers of the paper. A heavy row panel is cut only where it outlasts the waves that all teams take
/// anyway.
struct HrpbBalance {
  std::int64_t panels          = 0;
  std::int64_t blocks          = 0;
  std::int64_t column_tiles    = 1;  ///< teams that share a row panel
  std::int64_t processors      = 1;
  std::int64_t teams_at_a_time = 1;  ///< on one processor
  PanelBalance scheme          = PanelBalance::waves;

  KOKKOS_FUNCTION std::int64_t num_waves() const {
    const std::int64_t together = processors * teams_at_a_time;
    return panels > 0 ? (panels * column_tiles + together - 1) / together : 1;
  }
  /// Equation 2: num_blocks_of_row_panel / AVG_BLK_ROW_PANEL. It multiplies first: whole numbers come out whole.
  KOKKOS_FUNCTION double num_loads(std::int64_t blocks_of_panel) const {
    return blocks > 0 ? static_cast<double>(blocks_of_panel) * static_cast<double>(panels) / static_cast<double>(blocks)
                      : 0.0;
  }
  /// Equation 3.
  KOKKOS_FUNCTION double partition_ratio(std::int64_t blocks_of_panel) const {
    return num_loads(blocks_of_panel) / static_cast<double>(num_waves());
  }

  /// Pieces of a panel: the ratio rounded to the nearest, none of them without a block. The paper says that none is
  /// cut where the ratio is 1, not how it is rounded. Up, panels hardly above the average are cut in two, which costs
  /// another launch and atomics; down, one of nearly twice the average is not cut. Evidence: kernels/spmm/tuning.md.
  KOKKOS_FUNCTION std::int64_t pieces(std::int64_t blocks_of_panel) const {
    if (scheme == PanelBalance::off || blocks_of_panel <= 1) return 1;
    const double ratio =
        scheme == PanelBalance::average ? num_loads(blocks_of_panel) : partition_ratio(blocks_of_panel);
    const auto wanted = static_cast<std::int64_t>(ratio + 0.5);
    return wanted < 1 ? 1 : wanted > blocks_of_panel ? blocks_of_panel : wanted;
  }
};

}  // namespace lacuna::Impl

#endif
