// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_TILEDENGINE_SUPPORT_HPP
#define LACUNA_TEST_TILEDENGINE_SUPPORT_HPP

#include <Lacuna_Spmm.hpp>

#include <spmm/Spmm_Check.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// \brief Products by tiles on the matrix engine against the reference, in any scalar type.

namespace lacuna::Test::TiledEngine {

using Exec   = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
template <class Scalar, class Ordinal = int, class Offset = int>
using MatrixOf = KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, void, Offset>;

/// A plan that has nothing else to choose from: what the others need to compile is tested elsewhere.
template <class Matrix>
using Plan = SpmmPlan<Matrix, Exec, Impl::SpmmOperationOf<Impl::AlgorithmList<Impl::SpmmTiledEngine>>>;

/// Hosts stand for every lane, and look at less.
inline constexpr bool is_thorough = ExecutionTraits<Exec>::is_gpu;

inline SpmmOptions engine(std::int64_t columns, Precision precision = Precision::fp16) {
  return {.columns = columns, .algorithm = SpmmAlgorithm::tiled_engine, .precision = precision};
}

/// The documented error beside that of plain arithmetic, which `matches` has: both factors rounded, for float alone,
/// and the engine's truncating sums.
inline double allowance(std::int64_t terms, bool is_float = true) {
  return (is_float ? 0x1.01p-10 : 0.0) + 0x1p-23 * (static_cast<double>(terms) + 8);
}

template <class AnyPlan, class Scalar>
void check(const Exec& exec, const AnyPlan& plan, const NamedMatrix<Scalar>& sample, SpmmCase<Scalar> call,
           const std::string& what = {}) {
  call.relative = allowance(sample.matrix.columns, std::is_same_v<Scalar, float>);
  check_spmm<Device>(sample, call, what, [&](const auto& now, const auto& B, const auto& C) {
    spmm(exec, plan, now.alpha, B, now.beta, C);
  });
}

template <class Matrix>
void check_shapes(Precision precision) {
  using Scalar = ScalarOf<Matrix>;
  const Exec exec;
  for (const auto& samples : {sample_matrices<Scalar>(), messy_matrices<Scalar>()})
    for (const auto& sample : samples)
      for (const std::int64_t planned : {1, 130, 40}) {
        if (!is_thorough && planned != 40) continue;
        const Plan<Matrix> plan(exec, make_crs<Matrix>(sample.matrix), engine(planned, precision));
        EXPECT_EQ(plan.algorithm(), SpmmAlgorithm::tiled_engine);
        EXPECT_EQ(plan.precision(), precision);
        for (const std::int64_t columns : {planned, planned + 7})
          check(exec, plan, sample, {.columns = columns, .alpha = 2, .beta = columns == planned ? 0.0f : -0.5f});
      }
}

template <class Scalar>
void check_layouts(Precision precision) {
  const Exec exec = Kokkos::Experimental::partition_space(Exec(), 1)[0];
  const NamedMatrix<Scalar> sample{"layouts", random_matrix<Scalar>(75, 90, 20)};
  for (const std::int64_t planned : {0, 15, 16, 64}) {
    const Plan<MatrixOf<Scalar>> plan(exec, make_crs<MatrixOf<Scalar>>(sample.matrix), engine(planned, precision));
    for (const std::int64_t columns : {0, 1, 2, 15, 16, 33, 64, 72, 150}) {
      if (!is_thorough && planned != 15 && columns != 72) continue;
      for (const Storage b : storages)
        for (const Storage c : storages)
          if (b == Storage::rows || c == Storage::rows || columns == 33 || columns == 64)
            check(exec, plan, sample, {.columns = columns, .alpha = -1, .beta = 0.25f, .b = b, .c = c});
    }
  }
}
}  // namespace lacuna::Test::TiledEngine

#endif
