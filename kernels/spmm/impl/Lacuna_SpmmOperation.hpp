// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMOPERATION_HPP
#define LACUNA_SPMMOPERATION_HPP

#include <kernels/spmm/algorithms/bricks/Lacuna_SpmmBricks.hpp>
#include <kernels/spmm/algorithms/dense/Lacuna_SpmmDense.hpp>
#include <kernels/spmm/algorithms/diagonals/Lacuna_SpmmDiagonals.hpp>
#include <kernels/spmm/algorithms/row_blocks/Lacuna_SpmmRowBlocks.hpp>
#include <kernels/spmm/algorithms/row_split/Lacuna_SpmmRowSplit.hpp>
#include <kernels/spmm/algorithms/tiled/Lacuna_SpmmTiled.hpp>
#include <kernels/spmm/algorithms/tiled_engine/Lacuna_SpmmTiledEngine.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmSearch.hpp>
#include <kernels/spmm/published/gcoo/Lacuna_SpmmGcoo.hpp>
#include <kernels/spmm/published/hrpb/Lacuna_SpmmHrpb.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <string>

/// \file
/// \brief What SpMM is made of: its list of algorithms. One more is one more folder, one more entry here and in the
/// enum. Beside what every algorithm has (kernels/plan/Lacuna_PlanBase.hpp), those of SpMM say whether they are
/// `on_engine`: only there, and where a storage says that it `rounds()`, is a precision other than `full` what runs.
/// Those that a search can try in other shapes than that of their policy have `shapes(device, inspection, request)`.

namespace lacuna::Impl {

using SpmmAlgorithms = AlgorithmList<SpmmRowSplit, SpmmRowBlocks, SpmmBricks, SpmmHrpb, SpmmGcoo, SpmmTiled, SpmmDense,
                                     SpmmDiagonals, SpmmTiledEngine>;

/// \tparam List `SpmmAlgorithms`; tests have others
template <class List>
struct SpmmOperationOf {
  static constexpr const char* name = "spmm";
  static constexpr const char* plan = "SpmmPlan";
  using Options                     = SpmmOptions;
  using Request                     = SpmmRequest;
  using Algorithm                   = SpmmAlgorithm;
  using Algorithms                  = List;
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Search = SpmmSearch<SpmmOperationOf, Matrix, ExecutionSpace>;

  static constexpr bool inspects(Stage stage) {
    return stage == Stage::panels || stage == Stage::tall_panels || stage == Stage::runs || stage == Stage::offsets ||
           stage == Stage::clusters;
  }
  static constexpr bool samples_column_reach = true;

  template <CrsMatrixType Matrix>
  static SpmmRequest request(const SpmmOptions& options) {
    return {options, scalar_properties<typename Matrix::non_const_value_type>()};
  }
  static void check(const Device& device, const SpmmRequest& request) { check_request(device, request); }
  static std::string describe(const SpmmRequest& request) {
    return ", for N = " + std::to_string(request.columns) + ", precision " +
           std::string(lacuna::name(request.precision));
  }
};
using SpmmOperation = SpmmOperationOf<SpmmAlgorithms>;

}  // namespace lacuna::Impl

#endif
