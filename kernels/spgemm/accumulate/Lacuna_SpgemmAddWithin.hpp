// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMADDWITHIN_HPP
#define LACUNA_SPGEMMADDWITHIN_HPP

#include <Lacuna_Error.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_SharedBytes.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Adds a nonzero of D to the nonzero of C with its column (rows of C are sorted). Counts the nonzeros of D whose
/// column C does not have.
template <class Arrays>
struct SpgemmAddWithin {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  Arrays D;
  Scalar beta;
  SpgemmTarget<Scalar, Ordinal, Offset> C;

  KOKKOS_FUNCTION void operator()(const std::int64_t k, std::int64_t& outside) const {
    const std::int64_t rows     = static_cast<std::int64_t>(D.rows);
    const std::int64_t row      = upper_bound(D.row_map, 0, rows + 1, static_cast<Offset>(k)) - 1;
    const auto end              = static_cast<std::int64_t>(C.begin[row + 1]);
    const std::int64_t position = lower_bound(C.entries, static_cast<std::int64_t>(C.begin[row]), end, D.entries[k]);
    if (position < end && C.entries[position] == D.entries[k])
      add_shared(C.values + position, beta * D.values[k]);
    else
      ++outside;
  }
};

/// Of beta D, which is to be added to C, the product, rows x columns. \throws DimensionMismatch where D has not that
/// shape, InvalidArgument where it shares memory with C.
template <CrsMatrixType Matrix, CrsMatrixType Result>
void check_spgemm_within(const typename Matrix::non_const_value_type& beta, const Matrix& D, const Result& C,
                         std::int64_t rows, std::int64_t columns) {
  if (static_cast<std::int64_t>(D.numRows()) != rows || static_cast<std::int64_t>(D.numCols()) != columns)
    raise<DimensionMismatch>("spgemm", "D is ", shape_text(D.numRows(), D.numCols()), ", the product is ",
                             shape_text(rows, columns));
  if (beta != typename Matrix::non_const_value_type(0) && share_bytes(C.values, D.values))
    raise<InvalidArgument>("spgemm", "C and D share memory");
}

/// C += beta D. Waits for `exec`. \throws InvalidArgument where C does not have the columns of some nonzeros of D,
/// which are then left out.
template <class ExecutionSpace, class Arrays, class Target>
void spgemm_add_within(const ExecutionSpace& exec, const typename Arrays::Scalar& beta, const Arrays& D,
                       const Target& C) {
  if (D.nonzeros == 0) return;
  std::int64_t outside = 0;
  Kokkos::parallel_reduce("Lacuna::spgemm::add_within", index_range(exec, static_cast<std::int64_t>(D.nonzeros)),
                          SpgemmAddWithin<Arrays>{D, beta, C}, outside);
  if (outside > 0)
    raise<InvalidArgument>("spgemm", outside, " of the ", D.nonzeros,
                           " nonzeros of D have no place in C, which has the rest: a plan made with D, "
                           "SpgemmPlan(exec, A, B, D, options), has places for all");
}

}  // namespace lacuna::Impl

#endif
