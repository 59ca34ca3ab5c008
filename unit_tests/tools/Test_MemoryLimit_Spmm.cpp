// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Spmm_Plans.hpp>
#include <tools/MemoryLimit_Support.hpp>

#include <string>

/// \file
/// \brief Plans of SpMM keep to `memory_limit`.

namespace lacuna::Test {
namespace {

template <class Scalar>
void check_spmm_plans() {
  const Exec exec;
  for (const auto& [sample, source] : matrices<Scalar>()) {
    const auto A = make_crs<MatrixOf<Scalar>>(source);
    for (const SpmmAlgorithm algorithm : spmm_algorithms)
      for (const Op op : {Op::none, Op::transpose})
        for (const DenseLayout layout : {DenseLayout::any, DenseLayout::row_major, DenseLayout::column_major}) {
          SCOPED_TRACE(sample + ", " + std::string(name(algorithm)) + ", op " + std::string(name(op)) + ", B " +
                       std::string(name(layout)));
          SpmmOptions options{.op = op, .columns = 20, .algorithm = algorithm, .b_layout = layout};
          check<SpmmPlan<MatrixOf<Scalar>>>(exec, A, options);
          options.deterministic = true;
          options.panel_rows    = 16;
          if (algorithm == SpmmAlgorithm::bricks || algorithm == SpmmAlgorithm::hrpb)
            check<SpmmPlan<MatrixOf<Scalar>>>(exec, A, options);
          options.row_order = RowOrder::clustered;
          if (algorithm == SpmmAlgorithm::bricks) check<SpmmPlan<MatrixOf<Scalar>>>(exec, A, options);
        }
  }
}

TEST(MemoryLimit, PlansOfSpmm) {
  check_spmm_plans<float>();
  check_spmm_plans<Kokkos::complex<double>>();
}

}  // namespace
}  // namespace lacuna::Test
