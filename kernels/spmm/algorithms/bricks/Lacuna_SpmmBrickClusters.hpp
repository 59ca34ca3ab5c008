// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMBRICKCLUSTERS_HPP
#define LACUNA_SPMMBRICKCLUSTERS_HPP

#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBrickPolicy.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmEngineModel.hpp>

#include <algorithm>

/// \file
/// \brief When bricks take rows in another order than they stand in.

namespace lacuna::Impl {

/// Whether another order of rows may leave fewer active columns: neither where rows share next to nothing, nor where
/// the nodes of a mesh have several unknowns, which stand side by side already.
inline bool clustering_may_help(const Device& device, const Inspection& A, const SpmmRequest& request) {
  using Policy     = SpmmBrickPolicy;
  const double rpc = A.nonzeros_per_panel_column();
  return device.is_gpu && request.row_order == RowOrder::automatic && request.panel_rows != 16 && A.panels &&
         !A.panels->uneven(SpmmEnginePolicy::uneven_panel) && rpc >= Policy::least_cluster_rpc &&
         rpc <= Policy::most_cluster_rpc(request.scalar.is_double());
}

/// A product where another order of rows leaves `share` of the active columns.
inline SpmmEngineEstimate clustered_seconds(const Device& device, const Inspection& A, const SpmmRequest& request,
                                            double share) {
  using Policy       = SpmmBrickPolicy;
  const auto natural = estimate_engine(device, A, request);
  auto clustered     = estimate_engine(device, A, request, A.nonzeros_per_panel_column() / share,
                                       A.panels && A.panels->uneven(SpmmEnginePolicy::uneven_panel));
  // Where natural order pays too, what is known better is how much of its time follows the columns.
  if (natural.pays)
    clustered.seconds = natural.seconds - Policy::cluster_gain * (1 - share) * row_seconds(device, A, request);
  return clustered;
}

/// Whether bricks are made of clustered rows: they were asked for, or pay back their inspection.
inline bool bricks_take_clusters(const Device& device, const Inspection& A, const SpmmRequest& request) {
  if (request.row_order != RowOrder::automatic) return request.row_order == RowOrder::clustered;
  if (!A.clusters || A.clusters->share_of_columns >= 1) return false;
  const auto natural   = estimate_engine(device, A, request);
  const auto clustered = clustered_seconds(device, A, request, A.clusters->share_of_columns);
  return clustered.pays && static_cast<double>(expected_calls(request)) * (natural.seconds - clustered.seconds) >
                               inspection_seconds(Stage::clusters, device, A);
}

/// Rows of a panel of bricks: as the options ask, otherwise by the policy.
inline int brick_panel_rows(const Device& device, const Inspection& A, const SpmmRequest& request) {
  using Policy = SpmmBrickPolicy;
  if (request.panel_rows > 0) return request.panel_rows;
  const auto panels = static_cast<double>(ceiling_quotient(A.rows, Policy::tall_panel_rows));
  const auto tiles  = static_cast<double>(ceiling_quotient(request.columns, Policy::Wide::bytes / 8));
  const double full = Policy::least_tall_units * device.processors / Device::h200().processors;
  const bool tall   = request.scalar.is_double() && request.columns >= Policy::least_tall_width &&
                    panels * tiles >= full && !bricks_take_clusters(device, A, request);
  return tall ? Policy::tall_panel_rows : Policy::panel_rows;
}

}  // namespace lacuna::Impl

#endif
