// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMREQUEST_HPP
#define LACUNA_SPGEMMREQUEST_HPP

#include <Lacuna_SpgemmOptions.hpp>
#include <core/impl/choice/Lacuna_ScalarKind.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <kernels/plan/Lacuna_PlanBase.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief What a plan of SpGEMM is asked for and what it knows of its matrices, in plain values: what its choice is
/// made from.

namespace lacuna::Impl {

/// The user's options and the types of the matrices.
struct SpgemmRequest : SpgemmOptions {
  ScalarProperties scalar;
  std::size_t ordinal_bytes = 4;

  bool asks_for(SpgemmAlgorithm wanted) const { return algorithm == wanted; }
  /// Values are computed once, with those that the plan is made with.
  bool is_for_one_call() const { return expected_calls == 0; }
};

template <CrsMatrixType Matrix>
SpgemmRequest spgemm_request(const SpgemmOptions& options) {
  return {options, scalar_properties<typename Matrix::non_const_value_type>(),
          sizeof(typename Matrix::non_const_ordinal_type)};
}

/// The inspection of two matrices: what is known of op(A) and op(B) before the symbolic phase.
struct SpgemmInspection {
  std::int64_t rows       = 0;  ///< of op(A) and of C
  std::int64_t inner      = 0;  ///< columns of op(A), rows of op(B)
  std::int64_t columns    = 0;  ///< of op(B) and of C
  std::int64_t nonzeros_a = 0;
  std::int64_t nonzeros_b = 0;

  /// Multiplications, if all rows of op(B) had the mean length.
  double products() const {
    return inner > 0 ? static_cast<double>(nonzeros_a) * static_cast<double>(nonzeros_b) / static_cast<double>(inner)
                     : 0.0;
  }
};

template <CrsMatrixType Matrix>
SpgemmInspection spgemm_inspection(Op op_a, const Matrix& A, Op op_b, const Matrix& B) {
  return {.rows       = static_cast<std::int64_t>(op_a == Op::none ? A.numRows() : A.numCols()),
          .inner      = static_cast<std::int64_t>(op_b == Op::none ? B.numRows() : B.numCols()),
          .columns    = static_cast<std::int64_t>(op_b == Op::none ? B.numCols() : B.numRows()),
          .nonzeros_a = static_cast<std::int64_t>(A.graph.entries.extent(0)),
          .nonzeros_b = static_cast<std::int64_t>(B.graph.entries.extent(0))};
}

/// A lower bound: each multiplication reads an element of B through the caches, A and B come out of memory once. It
/// tells no algorithm for one backend from another: `supports` leaves one of them.
inline double spgemm_seconds(const Device& device, const SpgemmInspection& known, const SpgemmRequest& request) {
  const auto bytes_of_entry = static_cast<double>(request.scalar.bytes + request.ordinal_bytes);
  const auto entries        = static_cast<double>(known.nonzeros_a + known.nonzeros_b);
  return device.launch_seconds + known.products() * bytes_of_entry / device.gather_rate +
         entries * bytes_of_entry / device.copy_rate;
}

}  // namespace lacuna::Impl

#endif
