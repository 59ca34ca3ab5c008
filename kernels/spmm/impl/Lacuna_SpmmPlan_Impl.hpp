// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMPLAN_IMPL_HPP
#define LACUNA_SPMMPLAN_IMPL_HPP

#include <Lacuna_SpmmPlan.hpp>
#include <core/impl/Lacuna_PlanParts.hpp>
#include <formats/impl/Lacuna_BrickStatistics.hpp>
#include <formats/impl/Lacuna_HrpbSynergy.hpp>
#include <formats/impl/Lacuna_RefreshStorage.hpp>
#include <formats/impl/Lacuna_RowClustering.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_BlockKernel.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_Bricks.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_Hrpb.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_Repack.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_RowSplit.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace lacuna {

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::check_options(const ExecutionSpace& exec) const {
  constexpr auto where = "SpmmPlan";
  const int team = m_options.team_size, panel = m_options.panel_rows;
  if (m_options.columns < 0) Impl::raise<InvalidArgument>(where, "columns is ", m_options.columns);
  if (m_options.expected_calls < 0) Impl::raise<InvalidArgument>(where, "expected_calls is ", m_options.expected_calls);
  if (team != 0 && (team < 32 || team > 1024 || team % 32 != 0))
    Impl::raise<InvalidArgument>(where, "team_size is ", team, ", it can be 0 or a multiple of 32 up to 1024");
  const bool hrpb = m_options.algorithm == SpmmAlgorithm::hrpb;
  if (panel != 0 && panel != 16 && panel != (hrpb ? 32 : 8))
    Impl::raise<InvalidArgument>(where, "panel_rows is ", panel, ", it can be 0, ", hrpb ? "16 or 32" : "8 or 16");
  const bool engine      = fits_engine && Impl::DeviceLaunch<ExecutionSpace>::has_matrix_engine(exec);
  const bool lower       = m_options.precision != Precision::full;
  const std::string here = std::string(" for this scalar type on ") + ExecutionSpace::name();
  if (lower && !(engine && std::is_same_v<value_type, float>))
    Impl::raise<NotSupported>(where, "precision ", name(m_options.precision), here, ", there is full");
  const bool by_rows =
      m_options.algorithm == SpmmAlgorithm::row_split || m_options.algorithm == SpmmAlgorithm::row_blocks;
  if (lower && by_rows)
    Impl::raise<NotSupported>(where, "precision ", name(m_options.precision), " by ", name(m_options.algorithm),
                              ", which has full");
  if (m_options.algorithm == SpmmAlgorithm::row_blocks && !fits_blocks)
    Impl::raise<NotSupported>(where, "algorithm row_blocks", here, ", there is row_split");
  if (hrpb && lower && m_options.precision != Precision::tf32)
    Impl::raise<NotSupported>(where, "precision ", name(m_options.precision), " by hrpb, which has full and tf32");
  if ((hrpb || m_options.algorithm == SpmmAlgorithm::bricks) && !engine)
    Impl::raise<NotSupported>(where, "algorithm ", name(m_options.algorithm), here, ", there is row_split");
  if (m_options.row_order == RowOrder::clustered && m_options.algorithm != SpmmAlgorithm::automatic &&
      m_options.algorithm != SpmmAlgorithm::bricks)
    Impl::raise<NotSupported>(where, "row order clustered by ", name(m_options.algorithm), ", which has natural");
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::choose(const ExecutionSpace& exec) {
  m_facts.rows         = rows();
  m_facts.depth        = columns();
  m_facts.nonzeros     = nonzeros();
  m_facts.columns      = m_options.columns;
  m_facts.scalar_bytes = sizeof(value_type);
  m_facts.has_engine   = is_gpu && fits_engine && Impl::DeviceLaunch<ExecutionSpace>::has_matrix_engine(exec);
  if (m_options.algorithm == SpmmAlgorithm::automatic) {
    if (Impl::may_take_bricks(m_facts, m_options.precision, m_choice)) count_bricks(exec);
    m_choice = Impl::choose_spmm_algorithm(m_facts, m_options);
    look_for_row_blocks(exec);
    if (m_choice.algorithm == SpmmAlgorithm::row_split) hope_for_another_order();
    return;
  }
  m_choice.algorithm = m_options.algorithm;
  m_choice.reason    = "asked for";
}

/// Chooses bricks where they would pay if clustering left as few columns as can be hoped.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::hope_for_another_order() {
  if (m_options.row_order != RowOrder::automatic || !Impl::clustering_may_help(m_facts)) return;
  Impl::SpmmFacts hoped = m_facts;
  hoped.rpc /= Impl::SpmmTuning::best_cluster_share;
  const Impl::SpmmChoice choice = Impl::choose_spmm_algorithm(hoped, m_options);
  if (choice.algorithm == SpmmAlgorithm::bricks) m_natural_choice = std::exchange(m_choice, choice);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
auto SpmmPlan<Matrix, ExecutionSpace>::row_runs(const ExecutionSpace& exec) const -> RowRuns {
  const auto marks = Impl::mark_row_runs(exec, m_arrays);
  return {marks, Impl::count_row_blocks(exec, m_arrays, marks)};
}

/// Takes row_blocks where equal rows leave so few reads of B that they are faster than what was chosen.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::look_for_row_blocks([[maybe_unused]] const ExecutionSpace& exec) {
  if constexpr (is_gpu && fits_blocks) {
    if (!Impl::may_take_row_blocks(m_facts)) return;
    m_runs                    = row_runs(exec);
    const auto& statistics    = m_runs->statistics;
    m_facts.block_reads       = statistics.reads();
    m_facts.longest_row       = statistics.longest;
    const bool even           = static_cast<double>(statistics.longest) <= Impl::longest_even_row(m_facts.mean());
    const SpmmAlgorithm found = m_choice.algorithm;
    if (even) m_choice = Impl::choose_row_blocks(m_facts, m_options, m_choice);
    if (m_choice.algorithm == found) m_runs.reset();
  }
}

/// Looks at the pattern, where memory suffices. What is counted is kept for `make_bricks`.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::count_bricks(const ExecutionSpace& exec) {
  const std::int64_t panels = (rows() + 7) / 8;
  const Impl::PanelRows<typename Arrays::Ordinal> list{rows(), panels, 8, nullptr, nullptr};
  constexpr auto function = "brick_statistics";
  try {
    m_counted = m_transposed ? Impl::count_panel_columns<8>(function, exec, transposed(), list, 0, memory_left())
                             : Impl::count_panel_columns<8>(function, exec, m_matrix, list, 0, memory_left());
  } catch (const OutOfMemory&) {
    return;
  }
  const auto statistics = Impl::brick_statistics_of<8>(m_counted.totals, rows(), nonzeros(), panels);
  m_pattern             = Impl::number_text(statistics.nonzeros_per_column()) + " nonzeros per active column, " +
              Impl::number_text(statistics.nonzeros_per_brick()) + " per brick of 8 x 4";
  m_facts.counted_bricks = true;
  m_facts.panels         = statistics.panels;
  m_facts.rpc            = statistics.nonzeros_per_column();
  m_facts.longest_panel  = statistics.longest_panel;
}

/// What `memory_limit` leaves beside what the plan has by now.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::size_t SpmmPlan<Matrix, ExecutionSpace>::memory_left() const {
  const std::size_t limit = m_options.memory_limit, used = persistent_bytes() + temporary_bytes();
  return limit == unlimited ? unlimited : limit > used ? limit - used : 0;
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::build(const ExecutionSpace& exec) {
  if (m_choice.algorithm != SpmmAlgorithm::bricks) m_counted = {};
  if constexpr (fits_engine) {
    if (m_choice.algorithm == SpmmAlgorithm::bricks) {
      try {
        build_bricks(exec);
      } catch (const OutOfMemory& failure) {
        if (m_options.algorithm != SpmmAlgorithm::automatic) throw;
        m_storage = std::monostate();
        m_counted = {};
        m_choice  = {SpmmAlgorithm::row_split, 0, std::string("memory does not suffice for bricks: ") + failure.what()};
      }
    }
  }
  if constexpr (fits_engine)
    if (m_choice.algorithm == SpmmAlgorithm::hrpb) build_hrpb(exec);
  if (m_choice.algorithm == SpmmAlgorithm::row_blocks) build_row_blocks(exec);
  if (m_choice.algorithm == SpmmAlgorithm::row_split) build_rows(exec);
}

/// \throws OutOfMemory where storage with its work list is above `memory_limit`; conversions check themselves.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Stored>
void SpmmPlan<Matrix, ExecutionSpace>::check_memory_of(const Stored& storage) const {
  if (storage.bytes() > memory_left())
    Impl::raise<OutOfMemory>("SpmmPlan", name(algorithm()), " of the ", Impl::shape_text(rows(), columns()),
                             " matrix needs ", storage.bytes(), " bytes beside ", persistent_bytes(),
                             ", memory_limit is ", m_options.memory_limit);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::build_bricks(const ExecutionSpace& exec) {
  BrickStorage storage;
  if (!(m_transposed ? make_bricks(exec, transposed(), storage) : make_bricks(exec, m_matrix, storage))) return;
  storage.work =
      Impl::make_brick_work(exec, storage.matrix, m_options.columns, 0, m_counted.totals.longest_panel_steps());
  m_counted = {};
  check_memory_of(storage);
  m_storage = std::move(storage);
  if (is_gpu && m_options.columns * static_cast<std::int64_t>(sizeof(value_type)) % 16 != 0 &&
      Impl::repacking_pays_for_bricks(m_facts, m_options.columns))
    reserve_workspace(exec, m_options.columns);
}

/// False where they do not pay after all, as the hoped-for order of rows was not found.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Crs>
bool SpmmPlan<Matrix, ExecutionSpace>::make_bricks(const ExecutionSpace& exec, const Crs& A, BrickStorage& storage) {
  const int panel_rows = m_options.panel_rows > 0 ? m_options.panel_rows : Impl::SpmmTuning::panel_rows;
  const auto row_list  = panel_rows == 8 ? panel_order<8>(exec, A) : panel_order<16>(exec, A);
  if (!settle_choice(row_list.extent(0) > 0)) return false;
  const BrickOptions options{.panel_rows = panel_rows, .memory_limit = memory_left()};
  const Kokkos::Profiling::ScopedRegion region("Lacuna::to_bricks");
  storage.matrix = Impl::bricks_from_crs(exec, A, row_list, options, m_counted);
  return true;
}

/// Whether bricks pay in the order of rows that was found.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
bool SpmmPlan<Matrix, ExecutionSpace>::settle_choice(bool is_clustered) {
  if (!m_natural_choice) return true;
  const Impl::SpmmChoice found =
      is_clustered ? Impl::choose_spmm_algorithm(m_facts, m_options) : std::move(*m_natural_choice);
  m_natural_choice.reset();
  const bool pays = found.algorithm == SpmmAlgorithm::bricks;
  m_choice.reason = found.reason;
  if (pays) return true;
  m_choice  = found;
  m_counted = {};
  return false;
}

/// The order of rows in panels; empty for natural order. `automatic` looks for another where the calls expected would
/// pay for it if it were as good as can be hoped, and takes it where they do.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <int PanelRows, class Crs>
Impl::RowListOf<Matrix> SpmmPlan<Matrix, ExecutionSpace>::panel_order(const ExecutionSpace& exec, const Crs& A) {
  using Tuning       = Impl::SpmmTuning;
  const bool asked   = m_options.row_order == RowOrder::clustered;
  const double call  = m_facts.row_ms(m_options.columns);
  const auto gain_of = [&](double share) { return call * Tuning::cluster_gain * (1 - share); };
  if (!asked) {
    const double hoped = gain_of(Tuning::best_cluster_share) * static_cast<double>(m_options.expected_calls);
    if (m_options.row_order == RowOrder::natural || !m_facts.has_engine || !Impl::clustering_may_help(m_facts) ||
        hoped < Tuning::cluster_ms(rows()))
      return {};
  }
  const Kokkos::Timer timer;
  // What was counted of natural order is kept: panels may stay in it.
  const std::size_t left  = memory_left();
  const std::size_t limit = left == unlimited ? unlimited : left - std::min(left, m_counted.bytes());
  Impl::RowClustering<Crs> clustering;
  try {
    clustering = Impl::make_row_clustering<PanelRows>(exec, A, limit, m_counted);
  } catch (const OutOfMemory&) {
    if (asked) throw;
    return {};
  }
  const double gain = gain_of(clustering.share_of_columns());
  const auto even   = static_cast<std::int64_t>(gain > 0 ? std::min(1e3 * timer.seconds() / gain, 1e15) : 0) + 1;
  const bool taken  = clustering.row_list.extent(0) > 0 && (asked || even <= m_options.expected_calls);
  m_pattern += std::string(m_pattern.empty() ? "" : "; ") + "clustered rows leave " +
               Impl::number_text(100 * clustering.share_of_columns()) + " % of the active columns" +
               (taken ? ", paid back after about " + std::to_string(even) + " calls" : ", not taken");
  if (!taken) return {};
  m_choice.break_even = std::max(m_choice.break_even, even);
  m_counted           = std::move(clustering.columns);
  m_facts.rpc /= clustering.share_of_columns();
  return clustering.row_list;
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::build_hrpb(const ExecutionSpace& exec) {
  const HrpbOptions options{.panel_rows   = m_options.panel_rows > 0 ? m_options.panel_rows : 16,
                            .memory_limit = memory_left()};
  const auto meeting = m_options.deterministic ? Impl::HrpbMeeting::last_finisher : Impl::HrpbMeeting::atomics;
  HrpbStorage storage;
  storage.matrix = m_transposed ? to_hrpb(exec, transposed(), options) : to_hrpb(exec, m_matrix, options);
  if constexpr (std::is_same_v<value_type, float>) {
    if (m_options.precision == Precision::tf32)
      storage.work = Impl::make_hrpb_work<Precision::tf32>(exec, storage.matrix, m_options.columns, meeting);
  }
  if (m_options.precision == Precision::full)
    storage.work = Impl::make_hrpb_work(exec, storage.matrix, m_options.columns, meeting);
  check_memory_of(storage);
  const auto synergy = Impl::synergy_of(exec, storage.matrix);
  m_pattern = "synergy " + std::string(name(synergy.classification())) + ": alpha " + Impl::number_text(synergy.alpha) +
              ", OI " + Impl::number_text(synergy.operational_intensity()) + ", beta " +
              Impl::number_text(synergy.beta);
  m_storage = std::move(storage);
}

/// The list of blocks. A row_split that `automatic` falls back to is built by the caller.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::build_row_blocks(const ExecutionSpace& exec) {
  if (!m_runs) m_runs = row_runs(exec);
  const RowRuns runs      = *std::exchange(m_runs, std::nullopt);
  const std::size_t bytes = static_cast<std::size_t>(runs.statistics.blocks()) * sizeof(typename RowBlocks::Block);
  if (bytes > memory_left()) {
    if (m_options.algorithm != SpmmAlgorithm::automatic)
      Impl::raise<OutOfMemory>("SpmmPlan", "row_blocks of the ", Impl::shape_text(rows(), columns()), " matrix needs ",
                               bytes, " bytes beside ", persistent_bytes(), ", memory_limit is ",
                               m_options.memory_limit);
    m_choice = {SpmmAlgorithm::row_split, 0, "memory does not suffice for a list of row blocks"};
    return;
  }
  RowBlocks blocks    = Impl::make_row_blocks(exec, m_arrays, runs.marks, runs.statistics);
  blocks.is_scattered = Impl::blocks_are_scattered(m_facts);
  m_storage           = std::move(blocks);
  if (!m_pattern.empty()) m_pattern += "; ";
  m_pattern += std::to_string(runs.statistics.blocks()) + " blocks of up to " +
               std::to_string(runs.statistics.most_rows()) + " rows read " +
               Impl::number_text(100 * Impl::ratio_of(runs.statistics.reads(), nonzeros())) +
               " % of the rows of B that rows one by one do";
  reserve_for_unaligned_rows(exec);
}

/// On GPUs: rows sorted by length, or a partition, where rows are uneven and memory suffices; and the workspace where
/// rows of a packed B of `columns` columns will not be aligned.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::build_rows(const ExecutionSpace& exec) {
  if constexpr (is_gpu) {
    const std::int64_t columns = std::max<std::int64_t>(1, m_options.columns);
    constexpr int widest       = Impl::widest_load<value_type>;
    const auto facts           = Impl::spmm_row_facts(exec, m_arrays);
    const auto rows            = Impl::choose_row_shape(facts, columns, widest, widest);
    const auto walks           = Impl::choose_row_shape(facts, columns, widest, widest, Impl::SpmmRowWork::pieces);
    const auto size =
        Impl::spmm_piece_size(facts, walks, columns, sizeof(typename Impl::SpmmPieces<Arrays>::Arithmetic));
    const auto sorted = Impl::choose_row_shape(facts, columns, widest, widest, Impl::SpmmRowWork::sorted_rows);
    const auto limits = Impl::spmm_row_limits(facts, sorted, sizeof(value_type));
    m_row_statistics  = Impl::spmm_row_statistics(exec, m_arrays, size, limits);
    const bool uneven = Impl::rows_are_uneven(facts, m_row_statistics, rows);
    if (uneven && Impl::sorting_pays(facts, m_row_statistics.longest, rows, columns, sizeof(value_type))) {
      if (static_cast<std::size_t>(facts.rows) * sizeof(typename Arrays::Ordinal) <= memory_left())
        m_storage = Impl::make_spmm_rows_by_length(exec, m_arrays, m_row_statistics.kinds, limits);
    } else if (uneven && Impl::spmm_row_partition_bytes<ExecutionSpace>(m_arrays, size, m_row_statistics, columns) <=
                             memory_left())
      m_storage = Impl::make_spmm_row_partition(exec, m_arrays, size, m_row_statistics, columns);
    reserve_for_unaligned_rows(exec);
  }
}

/// Makes room for a copy of B on GPUs, where rows of a B of `columns` columns without gaps will not be aligned.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::reserve_for_unaligned_rows(const ExecutionSpace& exec) {
  if (!is_gpu) return;
  const std::int64_t columns = std::max<std::int64_t>(1, m_options.columns);
  const Impl::DenseBlock<const value_type> rows_without_gaps{nullptr, columns, 1, 2, columns};
  const int vector     = Impl::spmm_load_width(rows_without_gaps, false);
  constexpr int widest = Impl::widest_load<value_type>;
  const bool by_blocks = algorithm() == SpmmAlgorithm::row_blocks;
  if (by_blocks ? Impl::repacking_pays_for_blocks(m_facts, columns, true, vector, widest)
                : Impl::repacking_pays(m_facts, columns, true, vector, widest))
    reserve_workspace(exec, columns);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Output>
bool SpmmPlan<Matrix, ExecutionSpace>::repacking_helps(const Impl::SpmmArguments<value_type, Output>& arguments) const {
  const auto& B = arguments.B;
  if (is_gpu && algorithm() == SpmmAlgorithm::bricks)
    return !B.rows_aligned(16) && Impl::repacking_pays_for_bricks(m_facts, B.columns);
  if (uses_engine()) return false;
  if (std::holds_alternative<RowBlocks>(m_storage))
    return Impl::repacking_pays_for_blocks(m_facts, B.columns, B.row_major(), Impl::spmm_load_width(B, false),
                                           Impl::widest_load<value_type>);
  if constexpr (is_gpu)
    return Impl::repacking_pays(m_facts, B.columns, B.row_major(), Impl::spmm_load_width(B, false),
                                Impl::widest_load<value_type>);
  else
    return !B.row_major() && m_facts.mean() >= Impl::SpmmTuning::host_pack_mean;
}

/// Makes room for a packed B of `columns` columns; false where `memory_limit` does not allow it. Fences where a smaller
/// workspace may still be in use.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
bool SpmmPlan<Matrix, ExecutionSpace>::reserve_workspace(const ExecutionSpace& exec, std::int64_t columns) const {
  const std::int64_t count =
      Impl::checked_product("spmm", this->columns(), Impl::packed_row(columns, sizeof(value_type)));
  const std::size_t held = m_workspace.extent(0);
  if (static_cast<std::size_t>(count) <= held) return true;
  if ((static_cast<std::size_t>(count) - held) > memory_left() / sizeof(value_type)) return false;
  if (held > 0) exec.fence("Lacuna::spmm: the workspace grows");
  m_workspace = Workspace();
  m_workspace = Impl::allocate<Workspace>("spmm", exec, "Lacuna::spmm::workspace", count);
  return true;
}

/// Columns of B that the workspace can hold within `memory_limit`, a multiple of 16.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::int64_t SpmmPlan<Matrix, ExecutionSpace>::workspace_panel() const {
  const std::size_t bytes = temporary_bytes() + memory_left();
  const auto columns      = static_cast<std::int64_t>(std::min<std::size_t>(
      bytes / sizeof(value_type) / static_cast<std::size_t>(std::max<std::int64_t>(1, this->columns())),
      std::size_t{1} << 30));
  return columns / 16 * 16;
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Output>
void SpmmPlan<Matrix, ExecutionSpace>::apply(const ExecutionSpace& exec,
                                             const Impl::SpmmArguments<value_type, Output>& arguments) const {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::spmm[" + std::string(name(algorithm())) + "," +
                                               std::string(name(precision())) + "]");
  if (Impl::spmm_without_product(exec, arguments, nonzeros())) return;
  const bool must = must_repack(arguments);
  if (!must && !repacking_helps(arguments)) return multiply(exec, arguments, false);
  const std::int64_t all = arguments.B.columns;
  std::int64_t panel     = all;
  if (!reserve_workspace(exec, all)) {
    if (!must) return multiply(exec, arguments, false);
    panel = workspace_panel();
    if (panel == 0)
      Impl::raise<OutOfMemory>("spmm", name(algorithm()), " needs 16 columns of B ",
                               Impl::shape_text(arguments.B.rows, all), " in row-major order beside ",
                               persistent_bytes(), " bytes, memory_limit is ", m_options.memory_limit);
    reserve_workspace(exec, panel);
  }
  for (std::int64_t first = 0; first < all; first += panel) {
    auto packed = Impl::column_panel(arguments, first, std::min(panel, all - first));
    packed.B    = Impl::repack(exec, packed.B, m_workspace.data());
    multiply(exec, packed, true);
  }
}

/// Whether the kernel cannot read B as it stands: bricks take row-major blocks alone, in lower precisions aligned ones.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Output>
bool SpmmPlan<Matrix, ExecutionSpace>::must_repack(const Impl::SpmmArguments<value_type, Output>& arguments) const {
  const auto& B = arguments.B;
  return algorithm() == SpmmAlgorithm::bricks &&
         (!B.row_major() || (precision() != Precision::full && !B.rows_aligned(16)));
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Output>
void SpmmPlan<Matrix, ExecutionSpace>::multiply(const ExecutionSpace& exec,
                                                const Impl::SpmmArguments<value_type, Output>& arguments,
                                                bool padded) const {
  if constexpr (fits_engine) {
    if (const auto* bricks = std::get_if<BrickStorage>(&m_storage)) {
      constexpr auto path = Impl::LaunchPath::automatic;
      if constexpr (std::is_same_v<value_type, float>) {
        switch (m_options.precision) {
          case Precision::full: break;
          case Precision::tf32:
            return Impl::spmm_bricks<Precision::tf32, void, path, false>(exec, bricks->matrix, arguments, bricks->work);
          case Precision::fp16:
            return Impl::spmm_bricks<Precision::fp16, void, path, false>(exec, bricks->matrix, arguments, bricks->work);
          case Precision::bf16:
            return Impl::spmm_bricks<Precision::bf16, void, path, false>(exec, bricks->matrix, arguments, bricks->work);
        }
      }
      return Impl::spmm_bricks(exec, bricks->matrix, arguments, bricks->work);
    }
    if (const auto* hrpb = std::get_if<HrpbStorage>(&m_storage)) {
      if constexpr (std::is_same_v<value_type, float>) {
        if (m_options.precision == Precision::tf32)
          return Impl::spmm_hrpb<Precision::tf32>(exec, hrpb->matrix, arguments, hrpb->work);
      }
      return Impl::spmm_hrpb(exec, hrpb->matrix, arguments, hrpb->work);
    }
  }
  if constexpr (fits_blocks)
    if (const auto* blocks = std::get_if<RowBlocks>(&m_storage))
      if (Impl::row_blocks_serve(arguments, padded)) return Impl::spmm_row_blocks(exec, m_arrays, arguments, *blocks);
  multiply_rows(exec, arguments, padded);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Output>
void SpmmPlan<Matrix, ExecutionSpace>::multiply_rows(const ExecutionSpace& exec,
                                                     const Impl::SpmmArguments<value_type, Output>& arguments,
                                                     bool padded) const {
  const auto* partition = std::get_if<Partition>(&m_storage);
  Impl::SpmmRowRun run;
  run.padded    = padded;
  run.team_size = m_options.team_size;
  if (static_cast<double>(m_row_statistics.longest) <= Impl::longest_even_row(m_facts.mean()))
    run.longest_here = Impl::spmm_no_limit;
  const auto* sorted = std::get_if<SortedRows>(&m_storage);
  Impl::spmm_row_split(exec, m_arrays, arguments,
                       {partition ? partition->pointers() : Impl::SpmmPieces<Arrays>(),
                        sorted ? sorted->order() : Impl::SpmmRowOrder<typename Arrays::Ordinal>()},
                       run);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::size_t SpmmPlan<Matrix, ExecutionSpace>::persistent_bytes() const {
  std::size_t bytes = 0;
  if (const auto* partition = std::get_if<Partition>(&m_storage)) bytes += partition->bytes();
  if (const auto* sorted = std::get_if<SortedRows>(&m_storage)) bytes += sorted->bytes();
  if (const auto* blocks = std::get_if<RowBlocks>(&m_storage)) bytes += blocks->bytes();
  if (const auto* bricks = std::get_if<BrickStorage>(&m_storage)) bytes += bricks->bytes();
  if (const auto* hrpb = std::get_if<HrpbStorage>(&m_storage)) bytes += hrpb->bytes();
  return bytes + m_transposed.bytes();
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
bool SpmmPlan<Matrix, ExecutionSpace>::shareable() const {
  if (m_workspace.extent(0) > 0) return false;
  if (const auto* bricks = std::get_if<BrickStorage>(&m_storage)) return bricks->work.partial.extent(0) == 0;
  if (const auto* hrpb = std::get_if<HrpbStorage>(&m_storage)) return hrpb->work.partial.extent(0) == 0;
  const auto* partition = std::get_if<Partition>(&m_storage);
  return partition == nullptr || !partition->cuts_rows();
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Matrix& A) {
  Impl::check_pattern_of_plan("SpmmPlan::update_values", exec, m_matrix, A);
  m_matrix = A;
  m_arrays = m_transposed.update_values(exec, A);
  Impl::refresh_storage(exec, m_matrix, m_transposed, m_storage);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::string SpmmPlan<Matrix, ExecutionSpace>::report() const {
  std::string text = "lacuna::SpmmPlan of a " + Impl::shape_text(rows(), columns()) + " matrix with " +
                     std::to_string(nonzeros()) + " nonzeros, op " + std::string(name(m_options.op)) +
                     ", for N = " + std::to_string(m_options.columns) + ", precision " +
                     std::string(name(m_options.precision)) + "\n";
  text += "  algorithm   " + std::string(name(algorithm())) + ": " + m_choice.reason + "\n";
  if (!m_pattern.empty()) text += "  pattern     " + m_pattern + "\n";
  if (const auto* partition = std::get_if<Partition>(&m_storage))
    text += "  rows        longest " + std::to_string(m_row_statistics.longest) + ", " +
            std::to_string(partition->pieces()) + " pieces, " + std::to_string(m_row_statistics.cut_rows) +
            " rows shared by " + std::to_string(m_row_statistics.slots) + " of them\n";
  if (const auto* sorted = std::get_if<SortedRows>(&m_storage))
    text += "  rows        longest " + std::to_string(m_row_statistics.longest) +
            ", sorted by length: " + std::to_string(sorted->by_team) + " take a team each, " +
            std::to_string(sorted->by_group) + " a lane group\n";
  if (const auto* bricks = std::get_if<BrickStorage>(&m_storage))
    text += "  bricks      panels of " + std::to_string(bricks->matrix.panel_rows) + " rows, " +
            std::to_string(bricks->matrix.steps()) + " steps of 8 columns, " +
            Impl::number_text(Impl::BrickStatistics::ratio(nonzeros(), 8 * bricks->matrix.steps())) +
            " nonzeros for each\n";
  if (const auto* hrpb = std::get_if<HrpbStorage>(&m_storage))
    text += "  HRPB        panels of " + std::to_string(hrpb->matrix.TM) + " rows, " +
            std::to_string(hrpb->matrix.blocks()) + " blocks, " + std::to_string(hrpb->work.cut_panels) +
            " panels cut\n";
  text += "  storage     " + Impl::bytes_text(static_cast<double>(persistent_bytes())) + " beside A, workspace " +
          Impl::bytes_text(static_cast<double>(temporary_bytes())) + "\n";
  return text + Impl::set_up_text(m_setup_seconds, m_choice.break_even);
}

}  // namespace lacuna

#endif
