// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRAOPTIONS_HPP
#define LACUNA_TPETRAOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

/// \file
/// \brief Options of `TpetraOperator`.

namespace lacuna {

/// \brief Options of `TpetraOperator`. Use designated initialisers; the order of the members is part of the interface.
struct TpetraOperatorOptions {
  /// Vectors of the MultiVectors that the operator is made for. It serves any number: the plan of SpMV or of SpMM that
  /// this number does not ask for is made at the first product that needs it.
  std::int64_t columns = 1;
  /// How many products it is made for, see `SpmvOptions::expected_calls`.
  std::optional<std::int64_t> expected_calls = {};
  /// The most bytes that each plan may allocate on a rank, see `SpmvOptions::memory_limit`.
  std::size_t memory_limit = unlimited;
  /// Whether products read the values where the matrix has them, so that new ones always count. With `false` plans may
  /// keep copies in storage of their own where `automatic` expects that to pay within `expected_calls`; values that
  /// change in place then count from `TpetraOperator::update_values` on.
  bool reads_values_of_A = true;
};

}  // namespace lacuna

#endif
