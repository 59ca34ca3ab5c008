// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMOPERATION_HPP
#define LACUNA_SPGEMMOPERATION_HPP

#include <Lacuna_Options.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClasses.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmBins.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostStorage.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

/// \file
/// \brief What SpGEMM is made of: its algorithms. The first is what `automatic` takes.

namespace lacuna::Impl {

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
struct SpgemmStorages {
  using RowClasses =
      std::conditional_t<runs_lane_kernels<ExecutionSpace>, SpgemmRowClassesStorage<Matrix, ExecutionSpace, Mask>,
                         SpgemmHostStorage<Matrix, ExecutionSpace, Mask>>;
  using type = std::variant<RowClasses, SpgemmBinsStorage<Matrix, ExecutionSpace, Mask>>;
};

/// \throws DimensionMismatch where op(A) and op(B) cannot be multiplied.
template <class Matrix>
void check_spgemm(const char* function, Op op_a, const Matrix& A, Op op_b, const Matrix& B) {
  const auto inner_a = static_cast<std::int64_t>(op_a == Op::none ? A.numCols() : A.numRows());
  const auto inner_b = static_cast<std::int64_t>(op_b == Op::none ? B.numRows() : B.numCols());
  if (inner_a != inner_b)
    raise<DimensionMismatch>(function, "op(A) has ", inner_a, " columns, op(B) has ", inner_b, " rows; A is ",
                             shape_text(A.numRows(), A.numCols()), ", op ", name(op_a), ", B is ",
                             shape_text(B.numRows(), B.numCols()), ", op ", name(op_b));
}

}  // namespace lacuna::Impl

#endif
