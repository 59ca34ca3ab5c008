// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TREESCANTILE_HPP
#define LACUNA_TREESCANTILE_HPP

#include <kernels/spmv/published/shared/Lacuna_SpmvScanWorkspace.hpp>

/// \file
/// \brief SpMV by the tree-based segmented scan of CUDPP (002, section 5.1; Sengupta, Harris, Zhang and Owens, Scan
/// Primitives for GPU Computing, 2007, algorithms 3 and 4): work-efficient, a barrier a tree level, and the bank
/// conflicts that 002 holds against it.

namespace lacuna::Impl {

template <class Scalar>
struct TreeScanTile {
  ScanTiles<Scalar> tiles;

  static constexpr std::uint8_t is_head  = 1;  ///< a segment begins here
  static constexpr std::uint8_t has_head = 2;  ///< one begins somewhere in the subtree that ends here

  static constexpr std::size_t scratch_bytes() { return scan_tile * (sizeof(Scalar) + 1) + 32; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Scalar* const value       = team.template scratch<Scalar>(scan_tile);
    std::uint8_t* const flags = team.template scratch<std::uint8_t>(scan_tile);
    const std::int64_t tile   = team.league_rank();
    const std::int64_t begin  = tile * scan_tile;
    const int size            = tiles.size(tile);
    for (int i = team.thread(); i < scan_tile; i += team.threads()) {
      value[i] = i < size ? tiles.values[begin + i] : Scalar(0);
      flags[i] = i < size && tiles.heads[begin + i] != 0 ? is_head | has_head : 0;
    }
    sweep_up(team, value, flags);
    sweep_down(team, value, flags);
    team.barrier();
    for (int i = team.thread(); i < size; i += team.threads()) {
      // The tree leaves the exclusive scan.
      const Scalar inclusive  = value[i] + tiles.values[begin + i];
      tiles.values[begin + i] = inclusive;
      if (i == scan_tile - 1 && tiles.carries != nullptr) tiles.carries[tile] = inclusive;
    }
  }

 private:
  /// Each inner node becomes the sum of its leaves behind their last head.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sweep_up(const Team& team, Scalar* value, std::uint8_t* flags) const {
    for (int half = 1; half < scan_tile; half *= 2) {
      team.barrier();
      for (int node = team.thread(); node < scan_tile / (2 * half); node += team.threads()) {
        const int left  = node * 2 * half + half - 1;
        const int right = left + half;
        if ((flags[right] & has_head) == 0) value[right] += value[left];
        flags[right] |= flags[left] & has_head;
      }
    }
  }

  /// Each node hands the sum before it to its left child, and that plus the left child's to its right child, unless a
  /// head lies between.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sweep_down(const Team& team, Scalar* value, const std::uint8_t* flags) const {
    team.barrier();
    if (team.thread() == 0) value[scan_tile - 1] = Scalar(0);
    for (int half = scan_tile / 2; half > 0; half /= 2) {
      team.barrier();
      for (int node = team.thread(); node < scan_tile / (2 * half); node += team.threads()) {
        const int left          = node * 2 * half + half - 1;
        const int right         = left + half;
        const Scalar left_sum   = value[left];
        const Scalar before     = value[right];
        const bool right_starts = (flags[left + 1] & is_head) != 0;
        const bool left_has     = (flags[left] & has_head) != 0;
        value[left]             = before;
        value[right]            = right_starts ? Scalar(0) : (left_has ? left_sum : before + left_sum);
      }
    }
  }
};

/// y = alpha A x + beta y by products, tree-based segmented scan and gather. `workspace` was made of the pattern of `A`
/// by `make_spmv_scan_workspace`; calls that share it must not overlap. `shape.lanes_per_row` is not used.
/// Deterministic. Does not fence.
template <class ExecutionSpace, class Arrays>
void spmv_scan_flat(const ExecutionSpace& exec, const Arrays& A,
                    const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                    const SpmvScanWorkspace<typename Arrays::Scalar, ExecutionSpace>& workspace) {
  using Tile        = TreeScanTile<typename Arrays::Scalar>;
  const int threads = shape.team_size > 0 ? shape.team_size : 256;
  spmv_by_scan(exec, A, arguments, threads, workspace, [&](const auto& tiles, std::int64_t count) {
    launch_teams(exec, "Lacuna::spmv::scan_flat", {count, threads}, Tile::scratch_bytes(), Tile{tiles});
  });
}

}  // namespace lacuna::Impl

#endif
