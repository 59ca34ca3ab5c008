// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_VECTORS_HPP
#define LACUNA_KOKKOSKERNELS_VECTORS_HPP

#include <reference/Reference_Spmv.hpp>
#include <support/Test_Matrices.hpp>

/// \file
/// \brief A product of `KokkosSparse::spmv` beside the oracle.

namespace lacuna::Test {

/// y = alpha op(A) x + beta y by `call(alpha, x, beta, y)`, compared with the oracle.
template <class Vector, class Call>
testing::AssertionResult is_right(Op op, const HostMatrix<typename Vector::non_const_value_type>& host,
                                  const Call& call, double alpha = 2, double beta = -0.5) {
  using Scalar         = typename Vector::non_const_value_type;
  const auto x         = random_vector<Scalar>(op == Op::none ? host.columns : host.rows, 3);
  const auto y         = random_vector<Scalar>(op == Op::none ? host.rows : host.columns, 4);
  const auto reference = reference_spmv(op, Scalar(alpha), host, x, Scalar(beta), y);
  const auto on_device = make_view<Vector>("x", x), result = make_view<Vector>("y", y);
  call(Scalar(alpha), on_device, Scalar(beta), result);
  return matches(reference, to_vector(result));
}

}  // namespace lacuna::Test

#endif
