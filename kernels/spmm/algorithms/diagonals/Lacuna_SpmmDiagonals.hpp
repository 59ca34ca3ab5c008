// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMDIAGONALS_HPP
#define LACUNA_SPMMDIAGONALS_HPP

#include <kernels/diagonal/block/Lacuna_DiagonalsOfCrs.hpp>
#include <kernels/spmm/algorithms/diagonals/Lacuna_SpmmDiagonalsPolicy.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRowRepack.hpp>

#include <limits>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// CSR as HM, and a workspace for a copy of B where its rows cannot be read by whole loads.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmDiagonalsStorage : public DiagonalsOfCrs<Matrix, ExecutionSpace> {
  using Base   = DiagonalsOfCrs<Matrix, ExecutionSpace>;
  using Scalar = typename Matrix::non_const_value_type;

 public:
  template <class Context>
  void build(const Context& context) {
    Base::build(context);
    m_repack = {context.device, context.inspector.inspection(), context.request};
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) m_repack.reserve(context.exec, m_workspace, context.budget);
  }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  bool shareable() const { return !m_workspace.is_there(); }

  template <class Arrays>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar>& arguments) const {
    const RepackNeed need = m_workspace.is_there() ? m_repack.need(arguments.B) : RepackNeed::none;
    m_workspace.multiply(exec, arguments, need, [&](const BlockArguments<Scalar>& part, bool) {
      this->multiply_block(exec, "Lacuna::spmm::diagonals", A, part);
    });
  }

 private:
  SpmmRowRepack m_repack;
  SpmmWorkspace<Scalar, typename ExecutionSpace::memory_space> m_workspace;
};

/// \brief Whole diagonals, for banded matrices and stencils on boxes: neighbouring rows share the rows of B that
/// diagonals which touch meet, and there is no column to read.
struct SpmmDiagonals {
  static constexpr SpmmAlgorithm id = SpmmAlgorithm::diagonals;
  static constexpr bool on_engine   = false;
  static constexpr Stage needs      = Stage::offsets;
  using Policy                      = SpmmDiagonalsPolicy;

  static Support supports(const Device&, const SpmmRequest& request) {
    if (request.scalar.kind == ScalarKind::half) return {"algorithm diagonals for half precision, there is row_split"};
    if (!request.asks_for(id)) return {};
    if (request.is_reduced())
      return {"precision " + std::string(name(request.precision)) + " by diagonals, which has full"};
    if (request.row_order == RowOrder::clustered) return {"row order clustered by diagonals, which has natural"};
    return {};
  }

  static Estimate estimate(const Device& device, const Inspection& A, const SpmmRequest& request) {
    const OffsetStatistics& statistics = *A.offsets;
    if (!statistics.few)
      return never("more than " + std::to_string(OffsetStatistics::most) + " diagonals hold something");
    const std::string those = std::to_string(statistics.diagonals) + " diagonals, " +
                              std::to_string(static_cast<int>(100 * fill(A, statistics.elements))) + " % full";
    if (fill(A, statistics.elements) < Policy::least_fill) return never(those);
    const double seconds = Policy::seconds(device, A, request, static_cast<double>(statistics.diagonals),
                                           static_cast<double>(statistics.runs), statistics.elements);
    return {.call_seconds  = Policy::seconds_for_choice(device, A, request, seconds),
            .setup_seconds = Policy::setup_seconds(device, A, request, statistics.elements),
            .bytes         = static_cast<std::size_t>(Policy::bytes(statistics.elements, request) +
                                              16 * static_cast<double>(A.rows + A.columns)),
            .reason        = those + ", about " + time_text(seconds) + " a product"};
  }

  /// Before the inspection: as many diagonals as the longest row has nonzeros, all in one run.
  static OptimisticBound optimistic_bound(const Device& device, const Inspection& A, const SpmmRequest& request,
                                          Stage stage) {
    if (stage != needs) return {};
    if (!device.is_gpu) return {{}, "it is looked for on GPUs alone"};
    const auto longest = static_cast<double>(A.lengths.longest);
    if (A.nonzeros == 0 || fill(A, longest * static_cast<double>(A.rows)) < Policy::least_fill)
      return {{}, "rows are not equally long"};
    if (longest > static_cast<double>(OffsetStatistics::most)) return {{}, "rows are long"};
    const auto nonzeros = static_cast<double>(A.nonzeros);
    const double seconds =
        Policy::seconds_for_choice(device, A, request, Policy::seconds(device, A, request, longest, 1, nonzeros));
    if (Policy::least_gain_at_best * seconds > row_seconds(device, A, request))
      return {{}, "not looked for: rows one by one are faster"};
    return {Estimate{.call_seconds  = seconds,
                     .setup_seconds = Policy::setup_seconds(device, A, request, nonzeros),
                     .bytes         = static_cast<std::size_t>(Policy::bytes(nonzeros, request))},
            "not looked for"};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage =
      std::conditional_t<scalar_properties<typename Matrix::non_const_value_type>().kind == ScalarKind::half,
                         NoStorage<SpmmDiagonals>, SpmmDiagonalsStorage<Matrix, ExecutionSpace>>;

 private:
  static double fill(const Inspection& A, double elements) {
    return elements > 0 ? static_cast<double>(A.nonzeros) / elements : 0;
  }
  static Estimate never(std::string reason) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {.call_seconds = infinity, .setup_seconds = infinity, .reason = std::move(reason)};
  }
};

}  // namespace lacuna::Impl

#endif
