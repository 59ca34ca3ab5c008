// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMREQUEST_HPP
#define LACUNA_SPMMREQUEST_HPP

#include <Lacuna_Device.hpp>
#include <Lacuna_Error.hpp>
#include <Lacuna_SpmmOptions.hpp>
#include <core/impl/choice/Lacuna_ExpectedCalls.hpp>
#include <core/impl/choice/Lacuna_ScalarKind.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmShape.hpp>

#include <algorithm>
#include <cstdint>

namespace lacuna::Impl {

/// What a plan is asked for, in plain values: the user's options and the scalar of A.
struct SpmmRequest : SpmmOptions {
  ScalarProperties scalar;
  SpmmShape shape = {};  ///< of a search

  /// Columns that sizes and estimates are made for.
  std::int64_t planned_columns() const { return std::max<std::int64_t>(1, columns); }
  /// Bytes of a row of B and C.
  double row_bytes(std::int64_t n) const { return static_cast<double>(n) * static_cast<double>(scalar.bytes); }
  bool asks_for(SpmmAlgorithm wanted) const { return algorithm == wanted; }
  bool is_reduced() const { return precision != Precision::full; }

  /// The same with a shape; panels and teams are those of the shape as if the user had asked for them.
  SpmmRequest in(const SpmmShape& wanted) const {
    SpmmRequest result = *this;
    result.shape       = wanted;
    if (wanted.rows > 0) result.panel_rows = static_cast<int>(wanted.rows);
    if (wanted.threads > 0) result.team_size = wanted.threads;
    return result;
  }
};

/// \throws InvalidArgument for options out of range, NotSupported for a precision that nothing here has.
inline void check_request(const Device& device, const SpmmRequest& request) {
  constexpr auto where = "SpmmPlan";
  const int team = request.team_size, panel = request.panel_rows;
  if (request.columns < 0) raise<InvalidArgument>(where, "columns is ", request.columns);
  if (expected_calls(request) < 0) raise<InvalidArgument>(where, "expected_calls is ", expected_calls(request));
  if (request.reads_values_of_A && request.op != Op::none)
    raise<NotSupported>(where, "reads_values_of_A with op ", name(request.op), ", of which a plan keeps a copy");
  if (team != 0 && (team < 32 || team > 1024 || team % 32 != 0))
    raise<InvalidArgument>(where, "team_size is ", team, ", it can be 0 or a multiple of 32 up to 1024");
  if (panel != 0 && panel != 2 && panel != 4 && panel != 8 && panel != 16 && panel != 32)
    raise<InvalidArgument>(where, "panel_rows is ", panel, ", it can be 0, 2, 4, 8, 16 or 32");
  if (request.is_reduced() && !(device.has_engine && request.scalar.is_float()))
    raise<NotSupported>(where, "precision ", name(request.precision), " for this scalar type",
                        device.is_gpu ? " on this device" : " on hosts", ", there is full");
}

}  // namespace lacuna::Impl

#endif
