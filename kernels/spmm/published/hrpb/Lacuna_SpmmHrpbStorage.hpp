// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMHRPBSTORAGE_HPP
#define LACUNA_SPMMHRPBSTORAGE_HPP

#include <Lacuna_Convert.hpp>
#include <formats/impl/hrpb/Lacuna_HrpbSynergy.hpp>
#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_SpmmHrpbLaunch.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// HRPB and the segments of its panels. Its kernel takes B with any strides.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmHrpbStorage {
  using Scalar   = typename Matrix::non_const_value_type;
  using Arrays   = CrsArraysOf<Matrix>;
  using Hrpb     = FormatOf<HrpbMatrix, Matrix>;
  using Schedule = HrpbSchedule<Scalar, typename Arrays::Offset, typename ExecutionSpace::memory_space>;

 public:
  template <class Context>
  void build(const Context& context) {
    const SpmmRequest& request = context.request;
    // Atomics, as published, where it is asked for: what `automatic` takes has the same bits on every run.
    const bool is_published = request.asks_for(SpmmAlgorithm::hrpb) && !request.deterministic;
    const auto reduction    = is_published ? HrpbReduction::atomics : HrpbReduction::last_arriver;
    m_precision             = request.precision;
    m_matrix                = to_hrpb(context.exec, context.A.crs(),
                                      HrpbOptions{.panel_rows   = request.panel_rows > 0 ? request.panel_rows : 16,
                                                  .memory_limit = context.budget.left()});
    context.budget.take("hrpb", m_matrix.bytes());
    m_synergy       = synergy_of(context.exec, m_matrix);
    const auto make = [&]<Precision precision>() {
      m_schedule = make_hrpb_schedule<precision>(context.exec, m_matrix, request.columns, reduction,
                                                 request.panel_balance, context.budget.left());
    };
    if constexpr (std::is_same_v<Scalar, float>)
      if (m_precision == Precision::tf32) make.template operator()<Precision::tf32>();
    if (m_precision == Precision::full) make.template operator()<Precision::full>();
    context.budget.take("the schedule of hrpb", m_schedule.bytes());
  }

  std::size_t bytes() const { return m_matrix.bytes() + m_schedule.bytes(); }
  std::size_t temporary_bytes() const { return 0; }
  bool shareable() const { return m_schedule.partial.extent(0) == 0; }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const {
    lacuna::update_values(exec, A.crs(), m_matrix);
  }
  std::string describe() const {
    return "  HRPB        panels of " + std::to_string(m_matrix.TM) + " rows, " + std::to_string(m_matrix.blocks()) +
           " blocks, " + std::to_string(m_schedule.cut_panels) + " panels cut into " +
           std::to_string(m_schedule.segments - m_matrix.panels() + m_schedule.cut_panels) + " (balance " +
           std::string(name(m_schedule.balance.scheme)) + ", " + std::to_string(m_schedule.balance.num_waves()) +
           " waves of " + std::to_string(m_schedule.balance.processors * m_schedule.balance.teams_at_a_time) +
           " teams)\n  synergy     " + synergy_text(m_synergy) + "\n";
  }

  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays&, const BlockArguments<Scalar, Output>& arguments) const {
    if constexpr (std::is_same_v<Scalar, float>)
      if (m_precision == Precision::tf32) return spmm_hrpb<Precision::tf32>(exec, m_matrix, arguments, m_schedule);
    spmm_hrpb(exec, m_matrix, arguments, m_schedule);
  }

 private:
  Precision m_precision = Precision::full;
  Hrpb m_matrix;
  Synergy m_synergy;  // for the report
  Schedule m_schedule;
};

}  // namespace lacuna::Impl

#endif
