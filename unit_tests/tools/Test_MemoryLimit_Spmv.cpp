// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmv.hpp>

#include <support/Spmv_Algorithms.hpp>
#include <tools/MemoryLimit_Support.hpp>

#include <string>

/// \file
/// \brief Plans of SpMV keep to `memory_limit`.

namespace lacuna::Test {
namespace {

TEST(MemoryLimit, PlansOfSpmv) {
  const Exec exec;
  for (const auto& [sample, source] : matrices<double>()) {
    const auto A = make_crs<MatrixOf<double>>(source);
    for (const SpmvAlgorithm algorithm : spmv_algorithms_here())
      for (const Op op : {Op::none, Op::transpose}) {
        SCOPED_TRACE(sample + ", " + std::string(name(algorithm)) + ", op " + std::string(name(op)));
        try {
          check<SpmvPlan<MatrixOf<double>>>(exec, A, SpmvOptions{.op = op, .algorithm = algorithm});
        } catch (const InvalidMatrix&) {  // rows must be sorted
        }
      }
  }
}

}  // namespace
}  // namespace lacuna::Test
