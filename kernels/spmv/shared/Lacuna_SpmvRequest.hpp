// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVREQUEST_HPP
#define LACUNA_SPMVREQUEST_HPP

#include <Lacuna_Device.hpp>
#include <Lacuna_Error.hpp>
#include <Lacuna_SpmvOptions.hpp>
#include <core/impl/choice/Lacuna_ExpectedCalls.hpp>
#include <core/impl/choice/Lacuna_ScalarKind.hpp>

#include <cstddef>

namespace lacuna::Impl {

/// What a plan is asked for, in plain values: the user's options and the types of A.
struct SpmvRequest : SpmvOptions {
  ScalarProperties scalar;
  std::size_t ordinal_bytes = 4;
  std::size_t offset_bytes  = 4;

  bool asks_for(SpmvAlgorithm wanted) const { return algorithm == wanted; }
};

/// \throws InvalidArgument for options out of range, NotSupported for a precision other than `full`.
inline void check_request(const Device&, const SpmvRequest& request) {
  constexpr auto where = "SpmvPlan";
  const int team = request.team_size, lanes = request.lanes_per_row;
  if (request.precision != Precision::full)
    raise<NotSupported>(where, "precision ", name(request.precision), ", SpMV supports full");
  if (team != 0 && (team < 32 || team > 1024 || team % 32 != 0))
    raise<InvalidArgument>(where, "team_size is ", team, ", it can be 0 or a multiple of 32 up to 1024");
  if (lanes != 0 && (lanes < 1 || lanes > 64 || (lanes & (lanes - 1)) != 0))
    raise<InvalidArgument>(where, "lanes_per_row is ", lanes, ", it can be 0 or a power of two up to 64");
  if (expected_calls(request) < 0) raise<InvalidArgument>(where, "expected_calls is ", expected_calls(request));
  if (request.reads_values_of_A && request.op != Op::none)
    raise<NotSupported>(where, "reads_values_of_A with op ", name(request.op), ", of which a plan keeps a copy");
}

}  // namespace lacuna::Impl

#endif
