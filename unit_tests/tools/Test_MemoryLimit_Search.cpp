// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Spmm.hpp>

#include <tools/MemoryLimit_Support.hpp>

#include <cstdlib>
#include <string>

/// \file
/// \brief So do plans that are chosen by the clock.

namespace lacuna::Test {
namespace {

// All that a search builds and times, B and C among it. Nothing is found in a device file, and nothing kept.
TEST(MemoryLimit, SearchesOfSpmm) {
  using List = Impl::AlgorithmList<Impl::SpmmRowSplit, Impl::SpmmGcoo, Impl::SpmmTiled>;
  using Plan = SpmmPlan<MatrixOf<float>, Exec, Impl::SpmmOperationOf<List>>;
  setenv("LACUNA_TUNING_FILE", "/dev/null", 1);
  const Exec exec;
  for (const auto& [sample, source] : matrices<float>()) {
    const auto A = make_crs<MatrixOf<float>>(source);
    for (const DenseLayout layout : {DenseLayout::any, DenseLayout::column_major})
      for (const SpmmAlgorithm algorithm : {SpmmAlgorithm::automatic, SpmmAlgorithm::gcoo}) {
        SCOPED_TRACE(sample + ", B " + std::string(name(layout)) + ", " + std::string(name(algorithm)));
        check<Plan>(
            exec, A,
            SpmmOptions{
                .op = Op::transpose, .columns = 6, .algorithm = algorithm, .b_layout = layout, .autotune = true});
      }
  }
  unsetenv("LACUNA_TUNING_FILE");
}

}  // namespace
}  // namespace lacuna::Test
