// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMPLAN_IMPL_HPP
#define LACUNA_SPMMPLAN_IMPL_HPP

#include <Lacuna_SpmmPlan.hpp>
#include <core/impl/Lacuna_PlanParts.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_Repack.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_RowSplit.hpp>

#include <cstdio>

namespace lacuna {

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::check_options() const {
  constexpr auto where = "SpmmPlan";
  const int team = m_options.team_size, panel = m_options.panel_rows;
  if (m_options.columns < 0) Impl::raise<InvalidArgument>(where, "columns is ", m_options.columns);
  if (m_options.expected_calls < 0) Impl::raise<InvalidArgument>(where, "expected_calls is ", m_options.expected_calls);
  if (team != 0 && (team < 32 || team > 1024 || team % 32 != 0))
    Impl::raise<InvalidArgument>(where, "team_size is ", team, ", it can be 0 or a multiple of 32 up to 1024");
  if (panel != 0 && panel != 8 && panel != 16)
    Impl::raise<InvalidArgument>(where, "panel_rows is ", panel, ", it can be 0, 8 or 16");
  if (m_options.precision != Precision::full)
    Impl::raise<NotSupported>(where, "precision ", name(m_options.precision), " of this scalar type on ",
                              ExecutionSpace::name(), ", which has full");
  if (m_options.algorithm != SpmmAlgorithm::automatic && m_options.algorithm != SpmmAlgorithm::row_split)
    Impl::raise<NotSupported>(where, "algorithm ", name(m_options.algorithm), " for this scalar type on ",
                              ExecutionSpace::name(), ", which has row_split");
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::choose(const ExecutionSpace&) {
  m_facts.rows         = rows();
  m_facts.depth        = columns();
  m_facts.nonzeros     = nonzeros();
  m_facts.columns      = m_options.columns;
  m_facts.scalar_bytes = sizeof(value_type);
  if (m_options.algorithm == SpmmAlgorithm::automatic) {
    m_choice = Impl::choose_spmm_algorithm(m_facts, m_options);
    return;
  }
  m_choice.algorithm = m_options.algorithm;
  m_choice.reason    = "asked for";
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::transpose_matrix(const ExecutionSpace& exec) {
  m_transposed.emplace(lacuna::transpose(exec, m_matrix, {.memory_limit = m_options.memory_limit}));
  take_transposed_values(exec);
  m_arrays = Impl::arrays_of(transposed());
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::take_transposed_values(const ExecutionSpace& exec) {
  lacuna::update_values(exec, m_matrix, *m_transposed);
  if constexpr (!std::is_same_v<value_type, typename Impl::RealOf<value_type>::type>)
    if (m_options.op == Op::conjugate_transpose)
      Impl::for_each_index(exec, "Lacuna::SpmmPlan::conjugate", static_cast<std::int64_t>(m_matrix.values.extent(0)),
                           Impl::ConjugateInPlace<value_type>{transposed().values.data()});
}

/// What `memory_limit` leaves beside what the plan has by now.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::size_t SpmmPlan<Matrix, ExecutionSpace>::memory_left() const {
  const std::size_t limit = m_options.memory_limit, used = persistent_bytes() + temporary_bytes();
  return limit == unlimited ? unlimited : limit > used ? limit - used : 0;
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::build(const ExecutionSpace& exec) {
  if (m_choice.algorithm == SpmmAlgorithm::row_split) build_rows(exec);
}

/// On GPUs: a partition where rows are uneven and memory suffices; and the workspace where rows of a packed B of
/// `columns` columns will not be aligned.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::build_rows(const ExecutionSpace& exec) {
  if constexpr (is_gpu) {
    const std::int64_t columns = std::max<std::int64_t>(1, m_options.columns);
    constexpr int widest       = Impl::widest_load<value_type>;
    const auto rows            = Impl::spmm_row_facts(exec, m_arrays);
    const auto shape           = Impl::choose_row_shape(rows, columns, widest, widest);
    auto cut                   = Impl::spmm_cut(rows.mean, columns, shape.parts);
    cut.limit        = std::max(cut.limit, static_cast<std::int64_t>(Impl::SpmmTuning::even_factor * rows.mean) +
                                               Impl::SpmmTuning::even_margin);
    m_row_statistics = Impl::spmm_row_statistics(exec, m_arrays, cut);
    const double unevenness =
        m_row_statistics.unevenness(shape.rows_per_group(ExecutionTraits<ExecutionSpace>::lane_width), nonzeros());
    const std::size_t bytes = Impl::spmm_row_partition_bytes<Arrays>(m_row_statistics, columns);
    if ((m_row_statistics.cut_rows > 0 || unevenness > Impl::SpmmTuning::uneven_neighbours) && bytes <= memory_left())
      m_storage = Impl::make_spmm_row_partition(exec, m_arrays, cut, m_row_statistics, columns);
    const Impl::DenseBlock<const value_type> packed_rows{nullptr, columns, 1, 2, columns};
    const int vector = Impl::spmm_load_width(packed_rows, false);
    if (Impl::repacking_pays(m_facts, columns, true, vector, widest)) reserve_workspace(exec, columns);
  }
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Output>
bool SpmmPlan<Matrix, ExecutionSpace>::repacking_helps(const Impl::SpmmArguments<value_type, Output>& arguments) const {
  const auto& B = arguments.B;
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

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Output>
void SpmmPlan<Matrix, ExecutionSpace>::apply(const ExecutionSpace& exec,
                                             const Impl::SpmmArguments<value_type, Output>& arguments) const {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::spmm[" + std::string(name(m_choice.algorithm)) + "," +
                                               std::string(name(m_options.precision)) + "]");
  if (Impl::spmm_without_product(exec, arguments, nonzeros())) return;
  if (!repacking_helps(arguments) || !reserve_workspace(exec, arguments.B.columns))
    return multiply(exec, arguments, false);
  auto packed = arguments;
  packed.B    = Impl::repack(exec, arguments.B, m_workspace.data());
  multiply(exec, packed, true);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
template <class Output>
void SpmmPlan<Matrix, ExecutionSpace>::multiply(const ExecutionSpace& exec,
                                                const Impl::SpmmArguments<value_type, Output>& arguments,
                                                bool padded) const {
  const auto* partition = std::get_if<Partition>(&m_storage);
  Impl::SpmmRowRun run;
  run.padded    = padded;
  run.team_size = m_options.team_size;
  if (m_row_statistics.cut_rows == 0) run.longest_here = Impl::spmm_no_limit;
  Impl::spmm_row_split(exec, m_arrays, arguments, partition ? partition->pointers() : Impl::SpmmSegments<Arrays>(),
                       run);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::size_t SpmmPlan<Matrix, ExecutionSpace>::persistent_bytes() const {
  std::size_t bytes = 0;
  if (const auto* partition = std::get_if<Partition>(&m_storage)) bytes += partition->bytes();
  if (m_transposed) {
    const auto& A = transposed();
    bytes += Impl::bytes_of(A.graph.row_map, A.graph.entries, A.values, m_transposed->source);
  }
  return bytes;
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
bool SpmmPlan<Matrix, ExecutionSpace>::shareable() const {
  if (m_workspace.extent(0) > 0) return false;
  const auto* partition = std::get_if<Partition>(&m_storage);
  return partition == nullptr || !partition->cuts_rows();
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmmPlan<Matrix, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Matrix& A) {
  const Arrays arrays = Impl::arrays_of(A);
  if (!Impl::same_pattern(exec, Impl::arrays_of(m_matrix), arrays))
    Impl::raise<InvalidArgument>("SpmmPlan::update_values", "the pattern differs from that of the plan, A ",
                                 Impl::shape_text(arrays.rows, arrays.columns), " with ", arrays.nonzeros,
                                 " nonzeros, the plan's ", Impl::shape_text(m_matrix.numRows(), m_matrix.numCols()),
                                 " with ", nonzeros());
  m_matrix = A;
  if (m_transposed)
    take_transposed_values(exec);
  else
    m_arrays = arrays;
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::string SpmmPlan<Matrix, ExecutionSpace>::report() const {
  std::string text = "lacuna::SpmmPlan of a " + Impl::shape_text(rows(), columns()) + " matrix with " +
                     std::to_string(nonzeros()) + " nonzeros, op " + std::string(name(m_options.op)) +
                     ", for N = " + std::to_string(m_options.columns) + ", precision " +
                     std::string(name(m_options.precision)) + "\n";
  text += "  algorithm   " + std::string(name(algorithm())) + ": " + m_choice.reason + "\n";
  if (const auto* partition = std::get_if<Partition>(&m_storage))
    text += "  rows        longest " + std::to_string(m_row_statistics.longest) + ", " +
            std::to_string(m_row_statistics.cut_rows) + " cut into " + std::to_string(m_row_statistics.slots) +
            " pieces, " + std::to_string(partition->segments.extent(0)) + " segments sorted by length\n";
  text += "  storage     " + Impl::bytes_text(static_cast<double>(persistent_bytes())) + " beside A, workspace " +
          Impl::bytes_text(static_cast<double>(temporary_bytes())) + "\n";
  char setup[64];
  std::snprintf(setup, sizeof setup, "  set-up      %.3g ms", 1e3 * m_setup_seconds);
  text += setup;
  if (m_choice.break_even > 0) text += ", paid back after about " + std::to_string(m_choice.break_even) + " calls";
  return text + "\n";
}

}  // namespace lacuna

#endif
