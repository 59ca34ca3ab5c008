// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHRPBLAUNCH_HPP
#define LACUNA_SPMMHRPBLAUNCH_HPP

#include <backends/Lacuna_Residency.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_SpmmHrpbKernel.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// \brief How SpMM on HRPB is launched: see Lacuna_SpmmHrpbKernel.hpp.

namespace lacuna::Impl {

/// Whether HRPB can multiply this type in this precision on a matrix engine.
template <class Scalar, Precision precision>
inline constexpr bool hrpb_serves = (std::is_same_v<Scalar, float> &&
                                     (precision == Precision::full || precision == Precision::tf32)) ||
                                    (std::is_same_v<Scalar, double> && precision == Precision::full);

template <Precision precision, int BrickRows, class ExecutionSpace, class Scalar, class Ordinal, class Offset>
using SpmmHrpbFor = SpmmHrpbKernel<ExecutionSpace, typename HrpbEngineChoice<ExecutionSpace, Scalar, precision>::type,
                                   BrickRows, HrpbArrays<Scalar, Ordinal, Offset>>;

/// Warps of a team: 4 where N fills them, else fewer (cuTeSpMM, section 3.3), and no more than scratch allows.
template <class Kernel, class ExecutionSpace>
int hrpb_groups(const ExecutionSpace& exec, std::int64_t columns) {
  if (!ExecutionTraits<ExecutionSpace>::is_gpu) return 1;
  int groups = columns > 2 * Kernel::group_columns ? 4 : columns > Kernel::group_columns ? 2 : 1;
  while (groups > 1 && Kernel::scratch_bytes(groups * Kernel::group_columns) > largest_scratch(exec)) groups /= 2;
  return groups;
}

/// Teams on a processor that the compiler is asked to leave registers for.
/// Evidence: kernels/spmm/tuning.md.
template <class ExecutionSpace, class Scalar, int BrickRows>
inline constexpr int hrpb_teams_at_once = ExecutionTraits<ExecutionSpace>::lane_width != 32 ? 1
                                          : BrickRows == 2                                  ? 4
                                          : sizeof(Scalar) == 8                             ? 5
                                                                                            : 8;

/// What the balance of the paper asks of the device: teams that are at work at once, for panels of 16 * BrickRows rows.
template <Precision precision, int BrickRows, class ExecutionSpace, class Scalar, class Ordinal, class Device,
          class Offset>
void ask_for_residency(const ExecutionSpace& exec, const HrpbMatrix<Scalar, Ordinal, Device, Offset>&,
                       std::int64_t columns, HrpbBalance& balance) {
  using Kernel          = SpmmHrpbFor<precision, BrickRows, ExecutionSpace, Scalar, Ordinal, Offset>;
  constexpr int width   = ExecutionTraits<ExecutionSpace>::lane_width;
  constexpr int at_once = hrpb_teams_at_once<ExecutionSpace, Scalar, BrickRows>;
  const int groups      = hrpb_groups<Kernel>(exec, columns);
  const int tile        = groups * Kernel::group_columns;
  balance.column_tiles  = std::max<std::int64_t>(1, (columns + tile - 1) / tile);
  balance.processors    = processors(exec);
  balance.teams_at_a_time =
      resident_teams<4 * width, at_once, Kernel>(exec, groups * width, Kernel::scratch_bytes(tile));
}

/// The load balance of the paper for this device.
template <Precision precision = Precision::full, class ExecutionSpace, class Scalar, class Ordinal, class Device,
          class Offset>
HrpbBalance hrpb_balance(const ExecutionSpace& exec, const HrpbMatrix<Scalar, Ordinal, Device, Offset>& hrpb,
                         std::int64_t columns, PanelBalance scheme = PanelBalance::waves) {
  HrpbBalance balance;
  balance.panels = hrpb.panels();
  balance.blocks = hrpb.blocks();
  balance.scheme = scheme;
  if (hrpb.TM == 16)
    ask_for_residency<precision, 1>(exec, hrpb, columns, balance);
  else
    ask_for_residency<precision, 2>(exec, hrpb, columns, balance);
  return balance;
}

template <Precision precision = Precision::full, class ExecutionSpace, class Scalar, class Ordinal, class Device,
          class Offset>
auto make_hrpb_schedule(const ExecutionSpace& exec, const HrpbMatrix<Scalar, Ordinal, Device, Offset>& hrpb,
                        std::int64_t columns, HrpbReduction reduction = HrpbReduction::atomics,
                        PanelBalance scheme = PanelBalance::waves, std::size_t memory_limit = unlimited) {
  if constexpr (hrpb_serves<Scalar, precision>) {
    return make_hrpb_schedule(exec, hrpb, columns, reduction, hrpb_balance<precision>(exec, hrpb, columns, scheme),
                              memory_limit);
  } else {
    raise<NotSupported>("spmm", "hrpb serves float (full, tf32) and double (full); row_split serves every type");
    return HrpbSchedule<Scalar, Offset, typename ExecutionSpace::memory_space>();
  }
}

/// beta C in the rows of the panels that are cut, before their segments are added.
template <class Scalar>
struct ScaleCutPanels {
  BlockArguments<Scalar> arguments;
  const std::int64_t* cut_panel;
  int panel_rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t column   = i % arguments.C.columns;
    const std::int64_t position = i / arguments.C.columns;
    const std::int64_t row      = cut_panel[position / panel_rows] * panel_rows + position % panel_rows;
    if (row < arguments.C.rows) arguments.write(row, column, Scalar(0));
  }
};

template <Precision precision, int BrickRows, class ExecutionSpace, class Scalar, class Ordinal, class Device,
          class Offset, class Schedule>
void launch_hrpb(const ExecutionSpace& exec, const HrpbMatrix<Scalar, Ordinal, Device, Offset>& hrpb,
                 const BlockArguments<Scalar>& arguments, const Schedule& schedule, std::int64_t first,
                 std::int64_t count) {
  using Kernel        = SpmmHrpbFor<precision, BrickRows, ExecutionSpace, Scalar, Ordinal, Offset>;
  constexpr int width = ExecutionTraits<ExecutionSpace>::lane_width;
  const int groups    = hrpb_groups<Kernel>(exec, count);
  const int columns   = groups * Kernel::group_columns;
  const auto tiles    = (count + columns - 1) / columns;
  const bool wide =
      arguments.B.rows_aligned(16) && first * static_cast<std::int64_t>(sizeof(Scalar)) % 16 == 0 &&
      arguments.B.row_stride * static_cast<std::int64_t>(sizeof(Scalar)) <= std::numeric_limits<std::int32_t>::max();
  const int copies = columns * static_cast<int>(sizeof(Scalar)) / (wide ? 16 : static_cast<int>(sizeof(Scalar)));
  int copies_log2  = 0;
  while (1 << copies_log2 < copies) ++copies_log2;
  const HrpbArrays<Scalar, Ordinal, Offset> arrays{hrpb.blockedRowPtr.data(), hrpb.activeCols.data(),
                                                   hrpb.sizePtr.data(), hrpb.packedBlocks.data()};
  const typename Kernel::Result result{arguments,
                                       static_cast<std::int64_t>(hrpb.rows),
                                       first,
                                       first + count,
                                       arguments.C.rows_aligned(16),
                                       schedule.reduction,
                                       schedule.partial.data(),
                                       schedule.arrived.data(),
                                       schedule.partial_columns};
  launch_teams<4 * width, hrpb_teams_at_once<ExecutionSpace, Scalar, BrickRows>>(
      exec, "Lacuna::spmm::hrpb", {checked_product("spmm", schedule.segments, tiles), groups * width},
      Kernel::scratch_bytes(columns),
      Kernel{arrays, result, schedule.segment.extent(0) > 0 ? schedule.segment.data() : nullptr,
             static_cast<int>(schedule.segments), static_cast<int>(tiles), columns, Kernel::bytes_of_row(columns),
             copies_log2, wide});
}

/// \brief C = alpha A B + beta C for arguments that hold a product, with `schedule` made for this matrix by
/// `make_hrpb_schedule`. B and C have any strides. Float in `full` precision is as accurate as fp32 arithmetic, in
/// `tf32` it errs by 2^-10 of the sum of magnitudes; double is double. The same bits on every run, except where
/// `schedule.reduction` is `atomics` and a panel was cut. Does not fence or allocate.
/// \throws NotSupported for other types and precisions, and where the device has no matrix engine.
template <Precision precision = Precision::full, class ExecutionSpace, class Scalar, class Ordinal, class Device,
          class Offset, class Schedule>
void spmm_hrpb(const ExecutionSpace& exec, const HrpbMatrix<Scalar, Ordinal, Device, Offset>& hrpb,
               const BlockArguments<Scalar>& arguments, const Schedule& schedule) {
  if constexpr (!hrpb_serves<Scalar, precision>) {
    raise<NotSupported>("spmm", "hrpb serves float (full, tf32) and double (full), not precision ", name(precision),
                        " of this type; row_split serves every type");
  } else {
    const auto& B = arguments.B;
    const auto& C = arguments.C;
    if (B.columns != C.columns || B.rows != static_cast<std::int64_t>(hrpb.columns) ||
        C.rows != static_cast<std::int64_t>(hrpb.rows))
      raise<DimensionMismatch>("spmm", "HRPB ", shape_text(hrpb.rows, hrpb.columns), ", B ",
                               shape_text(B.rows, B.columns), ", C ", shape_text(C.rows, C.columns));
    if (schedule.balance.panels != hrpb.panels() || schedule.balance.blocks != hrpb.blocks())
      raise<InvalidArgument>("spmm", "the schedule was made for ", schedule.balance.blocks, " blocks in ",
                             schedule.balance.panels, " panels, the matrix has ", hrpb.blocks(), " in ", hrpb.panels());
    if (!DeviceLaunch<ExecutionSpace>::has_matrix_engine(exec))
      raise<NotSupported>("spmm", "hrpb needs a matrix engine, which this device does not have; row_split does not");
    if (C.rows == 0 || C.columns == 0) return;
    if (schedule.cut_panels > 0 && schedule.reduction == HrpbReduction::atomics)
      for_each_index(exec, "Lacuna::spmm::scale_cut_panels",
                     checked_product("spmm", schedule.cut_panels * hrpb.TM, C.columns),
                     ScaleCutPanels<Scalar>{arguments, schedule.cut_panel.data(), hrpb.TM});
    // Memory of partial sums serves the columns that the schedule was made for: more are taken in turns.
    const std::int64_t most = schedule.partial.extent(0) > 0 ? schedule.partial_columns : C.columns;
    for (std::int64_t first = 0; first < C.columns; first += most) {
      const std::int64_t count = std::min(most, C.columns - first);
      if (hrpb.TM == 16)
        launch_hrpb<precision, 1>(exec, hrpb, arguments, schedule, first, count);
      else
        launch_hrpb<precision, 2>(exec, hrpb, arguments, schedule, first, count);
    }
  }
}

}  // namespace lacuna::Impl

#endif
