// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPLAN_IMPL_HPP
#define LACUNA_SPMVPLAN_IMPL_HPP

#include <Lacuna_SpmvPlan.hpp>

#include <cstdio>

namespace lacuna {

namespace Impl {

/// Counts the places where two patterns differ.
template <class Arrays>
struct PatternDifference {
  Arrays left, right;
  KOKKOS_FUNCTION void operator()(const std::int64_t i, std::int64_t& differences) const {
    if (i <= static_cast<std::int64_t>(left.rows) && left.row_map[i] != right.row_map[i]) ++differences;
    if (i < static_cast<std::int64_t>(left.nonzeros) && left.entries[i] != right.entries[i]) ++differences;
  }
};

/// Fences where the arrays are not the very same.
template <class ExecutionSpace, class Arrays>
bool same_pattern(const ExecutionSpace& exec, const Arrays& left, const Arrays& right) {
  if (left.rows != right.rows || left.columns != right.columns || left.nonzeros != right.nonzeros) return false;
  if (left.rows == 0 || (left.row_map == right.row_map && left.entries == right.entries)) return true;
  std::int64_t differences = 0;
  const std::int64_t count =
      std::max<std::int64_t>(static_cast<std::int64_t>(left.rows) + 1, static_cast<std::int64_t>(left.nonzeros));
  Kokkos::parallel_reduce("Lacuna::update_values::compare",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                          PatternDifference<Arrays>{left, right}, differences);
  exec.fence("Lacuna::update_values: comparison to the host");
  return differences == 0;
}

/// "12.3 MB" and the like, for reports.
inline std::string bytes_text(double bytes) {
  static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit                             = 0;
  while (bytes >= 1000 && unit < 4) bytes /= 1000, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
  return text;
}

}  // namespace Impl

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::check_options() const {
  if (m_options.precision != Precision::full)
    Impl::raise<NotSupported>("SpmvPlan", "precision ", name(m_options.precision), ", SpMV supports full");
  const int team = m_options.team_size, lanes = m_options.lanes_per_row;
  if (team != 0 && (team < 32 || team > 1024 || team % 32 != 0))
    Impl::raise<InvalidArgument>("SpmvPlan", "team_size is ", team, ", it can be 0 or a multiple of 32 up to 1024");
  if (lanes != 0 && (lanes < 1 || lanes > 64 || (lanes & (lanes - 1)) != 0))
    Impl::raise<InvalidArgument>("SpmvPlan", "lanes_per_row is ", lanes, ", it can be 0 or a power of two up to 64");
  if (m_options.expected_calls < 0)
    Impl::raise<InvalidArgument>("SpmvPlan", "expected_calls is ", m_options.expected_calls);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::choose(const ExecutionSpace& exec) {
  Impl::SpmvFacts& facts = m_facts;
  facts.rows             = rows();
  facts.columns          = columns();
  facts.nonzeros         = nonzeros();
  facts.scalar_bytes     = sizeof(value_type);
  facts.ordinal_bytes    = sizeof(typename Arrays::Ordinal);
  facts.offset_bytes     = sizeof(typename Arrays::Offset);
  facts.row_facts        = Impl::spmv_row_facts(exec, m_arrays);
  facts.is_gpu           = ExecutionTraits<ExecutionSpace>::is_gpu;
  facts.concurrency      = exec.concurrency();
  if (m_options.algorithm == SpmvAlgorithm::automatic) {
    m_choice = Impl::choose_spmv_algorithm(facts, m_options);
    return;
  }
  m_choice.algorithm = m_options.algorithm;
  m_choice.reason    = "asked for";
  m_choice.parts =
      m_options.lanes_per_row > 0 ? std::min(m_options.lanes_per_row, 16) : 1 << Impl::choose_sell_parts(facts);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::build(const ExecutionSpace& exec) {
  if (m_choice.algorithm == SpmvAlgorithm::sell) build_slices(exec);
  switch (m_choice.algorithm) {
    case SpmvAlgorithm::sell:
    case SpmvAlgorithm::row_lanes: break;
    case SpmvAlgorithm::nonzero_split:
      m_storage = Impl::make_spmv_partition(exec, m_arrays, m_facts.row_facts.longest);
      break;
    default:
      Impl::raise<NotSupported>("SpmvPlan", "algorithm ", name(m_choice.algorithm), " is not an algorithm of SpMV");
  }
}

/// Slices, or, where they were chosen and turn out too large, another choice.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::build_slices(const ExecutionSpace& exec) {
  const auto layout = Impl::sell_layout<Sell>(exec, m_arrays, m_choice.parts, SellColumns::automatic);
  const bool asked  = m_options.algorithm == SpmvAlgorithm::sell;
  if (asked && layout.bytes() > m_options.memory_limit)
    Impl::raise<OutOfMemory>("SpmvPlan", "slices of the ", Impl::shape_text(rows(), columns()), " matrix need ",
                             layout.bytes(), " bytes, memory_limit is ", m_options.memory_limit);
  if (!asked && !Impl::slices_are_worth(m_facts, layout.bytes(), m_options)) {
    m_choice           = {};
    m_choice.algorithm = Impl::choose_crs_algorithm(m_facts);
    m_choice.reason    = "columns lie too far apart for slices to save bytes";
    return;
  }
  m_storage = Impl::fill_sell(exec, m_arrays, layout);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::apply(const ExecutionSpace& exec,
                                             const Impl::SpmvArguments<value_type>& arguments) const {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::spmv[" + std::string(name(m_choice.algorithm)) + ",full]");
  if (Impl::spmv_without_product(exec, arguments, rows(), nonzeros())) return;
  switch (m_choice.algorithm) {
    case SpmvAlgorithm::row_lanes: Impl::spmv_row_lanes(exec, m_arrays, arguments, shape()); break;
    case SpmvAlgorithm::nonzero_split:
      Impl::spmv_nonzero_split(exec, m_arrays, arguments, shape(), std::get<Partition>(m_storage).pieces(),
                               m_facts.row_facts.longest);
      break;
    case SpmvAlgorithm::sell: Impl::spmv_sell(exec, std::get<Sell>(m_storage), arguments, shape()); break;
    default: break;  // refused when the plan was made
  }
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Matrix& A) {
  const Arrays arrays = Impl::arrays_of(A);
  if (!Impl::same_pattern(exec, m_arrays, arrays))
    Impl::raise<InvalidArgument>("SpmvPlan::update_values", "the pattern differs from that of the plan, A ",
                                 Impl::shape_text(arrays.rows, arrays.columns), " with ", arrays.nonzeros,
                                 " nonzeros, the plan ", Impl::shape_text(rows(), columns()), " with ", nonzeros());
  m_matrix = A;
  m_arrays = arrays;
  if (const Sell* sell = std::get_if<Sell>(&m_storage)) Impl::refresh(exec, m_matrix, *sell);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::string SpmvPlan<Matrix, ExecutionSpace>::report() const {
  std::string text = "lacuna::SpmvPlan of a " + Impl::shape_text(rows(), columns()) + " matrix with " +
                     std::to_string(nonzeros()) + " nonzeros, op " + std::string(name(m_options.op)) + "\n";
  text += "  algorithm   " + std::string(name(algorithm())) + ": " + m_choice.reason + "\n";
  text += "  rows        longest " + std::to_string(m_facts.row_facts.longest) + "\n";
  text += "  storage     " + Impl::bytes_text(static_cast<double>(persistent_bytes())) + " beside A\n";
  char setup[64];
  std::snprintf(setup, sizeof setup, "  set-up      %.3g ms", 1e3 * m_setup_seconds);
  text += setup;
  if (m_choice.break_even > 0) text += ", paid back after about " + std::to_string(m_choice.break_even) + " calls";
  return text + "\n";
}

}  // namespace lacuna

#endif
