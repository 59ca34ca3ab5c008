// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVREQUEST_HPP
#define LACUNA_SPMVREQUEST_HPP

#include <Lacuna_Device.hpp>
#include <Lacuna_Error.hpp>
#include <Lacuna_SpmvOptions.hpp>
#include <core/impl/choice/Lacuna_ExpectedCalls.hpp>
#include <core/impl/choice/Lacuna_ScalarKind.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>

namespace lacuna::Impl {

/// What a plan is asked for, in plain values: the user's options and the types of A.
struct SpmvRequest : SpmvOptions {
  ScalarProperties scalar;
  std::size_t ordinal_bytes = 4;
  std::size_t offset_bytes  = 4;

  bool asks_for(SpmvAlgorithm wanted) const { return algorithm == wanted; }
};

/// Options of single algorithms of paper 002. \throws InvalidArgument where they are out of range, NotSupported with
/// another algorithm.
inline void check_published(const SpmvRequest& request) {
  constexpr auto where = "SpmvPlan";
  using enum SpmvAlgorithm;
  const auto is_one_of = [&](std::initializer_list<SpmvAlgorithm> list) {
    return std::find(list.begin(), list.end(), request.algorithm) != list.end();
  };
  if (request.x_past_cache && !is_one_of({vector_csr, ell, coo, hyb}))
    raise<NotSupported>(where, "x_past_cache is for vector_csr, ell, coo and hyb, not for ", name(request.algorithm));
  if (request.row_order != SpmvRowOrder::natural && !is_one_of({aligned, cached, row_block}))
    raise<NotSupported>(where, "row_order is for aligned, cached and row_block, not for ", name(request.algorithm));
  if ((request.block_rows != 0 || request.block_columns != 0 || request.least_in_block != 0) && !is_one_of({row_block}))
    raise<NotSupported>(where, "block_rows, block_columns and least_in_block are for row_block, not for ",
                        name(request.algorithm));
  if (request.block_rows < 0 || request.block_rows > 64)
    raise<InvalidArgument>(where, "block_rows is ", request.block_rows, ", it can be 0 or 1 to 64");
  if (request.block_columns < 0 || request.block_columns > 32768 || request.block_columns % 16 != 0)
    raise<InvalidArgument>(where, "block_columns is ", request.block_columns,
                           ", it can be 0 or a multiple of 16 up to 32768");
  if (request.least_in_block < 0) raise<InvalidArgument>(where, "least_in_block is ", request.least_in_block);
}

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
  check_published(request);
  if (expected_calls(request) < 0) raise<InvalidArgument>(where, "expected_calls is ", expected_calls(request));
  if (request.reads_values_of_A && request.op != Op::none)
    raise<NotSupported>(where, "reads_values_of_A with op ", name(request.op), ", of which a plan keeps a copy");
}

}  // namespace lacuna::Impl

#endif
