// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPLAN_IMPL_HPP
#define LACUNA_SPMVPLAN_IMPL_HPP

#include <Lacuna_SpmvPlan.hpp>
#include <core/impl/Lacuna_PlanParts.hpp>
#include <formats/impl/Lacuna_RefreshStorage.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Aligned.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Dia.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Ell.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Hyb.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Naive.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_PaddedRows.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_RowBlock.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_RowLanes.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_ScanFlat.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_ScanMatrix.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_Sell.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_SlicedDia.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_ThreadMapped.hpp>
#include <kernels/spmv/impl/Lacuna_Spmv_VectorCsr.hpp>

namespace lacuna {

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
  facts.is_gpu           = ExecutionTraits<ExecutionSpace>::is_gpu;
  facts.concurrency      = exec.concurrency();
  facts.lengths          = Impl::length_statistics(exec, m_arrays);
  if (m_options.algorithm == SpmvAlgorithm::sliced_dia || Impl::consider_sliced_dia(facts, m_options))
    facts.sample = Impl::sample_sliced_dia(exec, m_arrays);
  if (m_options.algorithm == SpmvAlgorithm::automatic) {
    m_choice = Impl::choose_spmv_algorithm(facts, m_options);
    return;
  }
  m_choice.algorithm = m_options.algorithm;
  m_choice.reason    = "asked for";
  const int exponent = Impl::choose_sell_parts(facts);
  m_choice.parts     = m_options.lanes_per_row > 0 ? std::min(m_options.lanes_per_row, 16) : 1 << exponent;
  m_choice.chunk     = Impl::LengthStatistics::chunk(Impl::choose_sell_chunk(facts, exponent));
  m_choice.group     = facts.sample.best_group();
}

/// What `memory_limit` leaves for storage beside a transposed matrix. \throws OutOfMemory below `needed`.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::size_t SpmvPlan<Matrix, ExecutionSpace>::memory_left(std::size_t needed, const char* what) const {
  const std::size_t limit = m_options.memory_limit;
  const std::size_t used  = persistent_bytes();
  if (limit != unlimited && (used > limit || needed > limit - used))
    Impl::raise<OutOfMemory>("SpmvPlan", what, " of the ", Impl::shape_text(rows(), columns()), " matrix needs ",
                             needed, " bytes beside ", used, ", memory_limit is ", limit);
  return limit == unlimited ? unlimited : limit - used;
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::build(const ExecutionSpace& exec) {
  using Ordinal          = typename Arrays::Ordinal;
  const auto nonzeros_of = [](const auto& coo) { return static_cast<std::int64_t>(coo.nonzeros()); };
  const auto coo_work    = [&](const auto& coo) {
    memory_left(Impl::spmv_coo_workspace_bytes<value_type, Ordinal>(nonzeros_of(coo)), "the workspace");
    return Impl::make_spmv_coo_workspace<value_type, Ordinal>(exec, nonzeros_of(coo));
  };
  const auto store = [&](const auto& A) {
    const std::size_t left = memory_left(0, "storage");
    switch (m_choice.algorithm) {
      case SpmvAlgorithm::padded_rows: m_storage = to_padded_rows(exec, A, {.memory_limit = left}); break;
      case SpmvAlgorithm::row_block: m_storage = to_row_block(exec, A, {.memory_limit = left}); break;
      case SpmvAlgorithm::ell: m_storage = to_ell(exec, A, {.memory_limit = left}); break;
      case SpmvAlgorithm::dia: m_storage = to_dia(exec, A, {.memory_limit = left}); break;
      case SpmvAlgorithm::coo: {
        auto coo  = to_coo(exec, A, {.memory_limit = left});
        m_storage = CooStorage{coo, coo_work(coo)};
        break;
      }
      case SpmvAlgorithm::hyb: {
        auto hyb  = to_hyb(exec, A, {.memory_limit = left});
        m_storage = HybStorage{hyb, coo_work(hyb.coo)};
        break;
      }
      default: break;  // reads CSR
    }
  };
  if (m_choice.algorithm == SpmvAlgorithm::sliced_dia) build_sliced_dia(exec);
  if (m_choice.algorithm == SpmvAlgorithm::sell) build_slices(exec);
  if (m_choice.algorithm == SpmvAlgorithm::nonzero_split) {
    if (!m_facts.is_gpu || nonzeros() == 0) return;
    const Impl::LengthStatistics& rows = m_facts.lengths;
    memory_left(Impl::spmv_partition_bytes(exec, m_arrays, rows.empty, rows.longest), "the partition");
    m_storage = Impl::make_spmv_partition(exec, m_arrays, rows.empty, rows.longest);
  } else if (m_choice.algorithm == SpmvAlgorithm::row_split) {
    if (m_facts.is_gpu && nonzeros() > 0)
      m_storage = Impl::make_spmv_row_plan(exec, m_arrays, m_facts.lengths, memory_left(0, "storage"));
  } else if (m_choice.algorithm == SpmvAlgorithm::scan_flat || m_choice.algorithm == SpmvAlgorithm::scan_matrix) {
    memory_left(Impl::spmv_scan_workspace_bytes<value_type>(nonzeros()), "the workspace");
    m_storage = Impl::make_spmv_scan_workspace(exec, m_arrays);
  } else if (m_transposed) {
    store(transposed());
  } else {
    store(m_matrix);
  }
}

/// Slices, or, where they were chosen and turn out too large, another choice.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::build_slices(const ExecutionSpace& exec) {
  const auto layout = Impl::sell_layout<Sell>(exec, m_arrays, m_choice.parts, m_choice.chunk, SellColumns::automatic);
  const bool asked  = m_options.algorithm == SpmvAlgorithm::sell;
  if (asked) memory_left(layout.bytes(), "storage");
  if (!asked && !Impl::take_slices(m_choice, m_facts, layout.bytes(), m_options)) return;
  m_storage = Impl::fill_sell(exec, m_arrays, layout);
}

/// Diagonals within slices, or, where they were chosen and turn out not to suit the matrix, another choice.
template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::build_sliced_dia(const ExecutionSpace& exec) {
  const auto layout = Impl::sliced_dia_layout<SlicedDia>(exec, m_arrays, m_choice.group, m_facts.sample.best_widest(),
                                                         m_options.memory_limit);
  if (m_options.algorithm == SpmvAlgorithm::sliced_dia) {
    Impl::check_layout(layout);
    memory_left(layout.bytes(), "storage");
  } else {
    // What would be chosen without the sample, which says less than the count.
    const Impl::SlicedDiaSample sample = std::exchange(m_facts.sample, Impl::SlicedDiaSample());
    m_choice                           = Impl::choose_spmv_algorithm(m_facts, m_options);
    m_facts.sample                     = sample;
    if (layout.totals.defects != 0 || !layout.fits() ||
        !Impl::take_sliced_dia(m_choice, m_facts, layout.bytes(), layout.totals.widest, m_options))
      return;
  }
  m_storage = Impl::fill_sliced_dia(exec, m_arrays, layout);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::apply(const ExecutionSpace& exec,
                                             const Impl::SpmvArguments<value_type>& arguments) const {
  const Kokkos::Profiling::ScopedRegion region("Lacuna::spmv[" + std::string(name(m_choice.algorithm)) + ",full]");
  if (Impl::spmv_without_product(exec, arguments, rows(), nonzeros())) return;
  const auto& A = m_arrays;
  switch (m_choice.algorithm) {
    case SpmvAlgorithm::automatic: break;  // replaced when the plan was made
    case SpmvAlgorithm::naive: Impl::spmv_naive(exec, A, arguments, shape()); break;
    case SpmvAlgorithm::thread_mapped: Impl::spmv_thread_mapped(exec, A, arguments, shape()); break;
    case SpmvAlgorithm::aligned: Impl::spmv_aligned(exec, A, arguments, shape()); break;
    case SpmvAlgorithm::cached: Impl::spmv_cached(exec, A, arguments, shape()); break;
    case SpmvAlgorithm::vector_csr: Impl::spmv_vector_csr(exec, A, arguments, shape()); break;
    case SpmvAlgorithm::padded_rows:
      Impl::spmv_padded_rows(exec, std::get<FormatOf<PaddedRowsMatrix>>(m_storage), arguments, shape());
      break;
    case SpmvAlgorithm::row_block:
      Impl::spmv_row_block(exec, std::get<FormatOf<RowBlockMatrix>>(m_storage), arguments, shape());
      break;
    case SpmvAlgorithm::scan_flat: Impl::spmv_scan_flat(exec, A, arguments, shape(), std::get<Scan>(m_storage)); break;
    case SpmvAlgorithm::scan_matrix:
      Impl::spmv_scan_matrix(exec, A, arguments, shape(), std::get<Scan>(m_storage));
      break;
    case SpmvAlgorithm::coo: {
      const auto& coo = std::get<CooStorage>(m_storage);
      Impl::spmv_coo(exec, coo.matrix, arguments, shape(), coo.workspace);
      break;
    }
    case SpmvAlgorithm::ell: Impl::spmv_ell(exec, std::get<FormatOf<EllMatrix>>(m_storage), arguments, shape()); break;
    case SpmvAlgorithm::hyb: {
      const auto& hyb = std::get<HybStorage>(m_storage);
      Impl::spmv_hyb(exec, hyb.matrix, arguments, shape(), hyb.workspace);
      break;
    }
    case SpmvAlgorithm::dia: Impl::spmv_dia(exec, std::get<FormatOf<DiaMatrix>>(m_storage), arguments, shape()); break;
    case SpmvAlgorithm::row_lanes: Impl::spmv_row_lanes(exec, A, arguments, shape()); break;
    case SpmvAlgorithm::nonzero_split: {
      const auto* partition = std::get_if<Partition>(&m_storage);
      Impl::spmv_nonzero_split(exec, A, arguments, shape(),
                               partition ? partition->pieces() : Impl::SpmvPieces<Arrays>());
      break;
    }
    case SpmvAlgorithm::sell: Impl::spmv_sell(exec, std::get<Sell>(m_storage), arguments, shape()); break;
    case SpmvAlgorithm::sliced_dia:
      Impl::spmv_sliced_dia(exec, std::get<SlicedDia>(m_storage), arguments, shape());
      break;
    case SpmvAlgorithm::row_split: {
      const auto* rows = std::get_if<RowPlan>(&m_storage);
      Impl::spmv_row_split(exec, A, arguments, shape(), rows ? *rows : RowPlan());
      break;
    }
  }
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::size_t SpmvPlan<Matrix, ExecutionSpace>::persistent_bytes() const {
  std::size_t bytes = std::visit([](const auto& storage) { return bytes_of(storage); }, m_storage);
  return bytes + m_transposed.bytes();
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
bool SpmvPlan<Matrix, ExecutionSpace>::shareable() const {
  if (const auto* partition = std::get_if<Partition>(&m_storage)) return partition->partial.extent(0) == 0;
  if (const auto* rows = std::get_if<RowPlan>(&m_storage)) return !rows->cuts_rows();
  return !std::holds_alternative<Scan>(m_storage) && !std::holds_alternative<CooStorage>(m_storage) &&
         !std::holds_alternative<HybStorage>(m_storage);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
void SpmvPlan<Matrix, ExecutionSpace>::update_values(const ExecutionSpace& exec, const Matrix& A) {
  Impl::check_pattern_of_plan("SpmvPlan::update_values", exec, m_matrix, A);
  m_matrix = A;
  m_arrays = m_transposed.update_values(exec, A);
  Impl::refresh_storage(exec, m_matrix, m_transposed, m_storage);
}

template <Impl::CrsMatrixType Matrix, class ExecutionSpace>
std::string SpmvPlan<Matrix, ExecutionSpace>::report() const {
  std::string text = "lacuna::SpmvPlan of a " + Impl::shape_text(rows(), columns()) + " matrix with " +
                     std::to_string(nonzeros()) + " nonzeros, op " + std::string(name(m_options.op)) + "\n";
  text += "  algorithm   " + std::string(name(algorithm())) + ": " + m_choice.reason + "\n";
  text += "  rows        longest " + std::to_string(m_facts.lengths.longest);
  if (const auto* rows = std::get_if<RowPlan>(&m_storage)) text += ", " + rows->text();
  text += "\n";
  text += "  storage     " + Impl::bytes_text(static_cast<double>(persistent_bytes())) + " beside A\n";
  return text + Impl::set_up_text(m_setup_seconds, m_choice.break_even);
}

}  // namespace lacuna

#endif
