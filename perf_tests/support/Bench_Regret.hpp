// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_REGRET_HPP
#define LACUNA_BENCH_REGRET_HPP

#include <support/Bench_Session.hpp>

#include <string_view>
#include <vector>

/// \file
/// \brief What a choice of `automatic` costs against the best that Lacuna could have chosen.

namespace lacuna::bench {

/// \brief Whether the implementation is `automatic`, in any precision and layout.
bool is_automatic(std::string_view implementation);

/// \brief Whether a plan that was asked for `wanted` could have done what `other` does: the same layout, and full
/// precision or the one asked for.
bool may_stand_for(std::string_view other, std::string_view wanted);

/// \brief The fastest of Lacuna's cases that `automatic` could have been, itself included; nullptr where less than two
/// of Lacuna's algorithms were timed by name: that would say little.
const Record* best_own(const std::vector<const Record*>& cases, const Record& automatic);

/// \brief Time of `automatic` over that of `best_own`, at least 1; 0 where it is not known.
double regret_of(const std::vector<const Record*>& cases, const Record& automatic);

}  // namespace lacuna::bench

#endif
