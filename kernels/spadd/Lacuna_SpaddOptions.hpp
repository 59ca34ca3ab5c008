// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPADDOPTIONS_HPP
#define LACUNA_SPADDOPTIONS_HPP

#include <Lacuna_Options.hpp>

#include <cstddef>

namespace lacuna {

/// \brief The options of `spadd` and of a `SpaddPlan`. Use designated initialisers.
struct SpaddOptions {
  /// Bytes that may be allocated, without the columns and values of C. \throws OutOfMemory before they are exceeded.
  std::size_t memory_limit   = unlimited;
  PatternCheck check_pattern = PatternCheck::automatic;  ///< whether sums compare the patterns of A and B
};

}  // namespace lacuna

#endif
