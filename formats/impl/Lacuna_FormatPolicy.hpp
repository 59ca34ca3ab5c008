// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORMATPOLICY_HPP
#define LACUNA_FORMATPOLICY_HPP

#include <cstdint>

/// \file
/// \brief Numbers by which conversions decide how a format is laid out.

namespace lacuna::Impl {

struct FormatTuning {
  // to_sell: all slices get the width of the widest, so that a product need not look them up. H200, 7-point mesh: 8 %
  // faster.
  static constexpr std::int64_t uniform_entries = 16;    ///< entries of a slot on average, at most
  static constexpr double uniform_growth        = 1.04;  ///< of the storage, at most

  // to_sliced_dia
  /// Slices that are looked at to choose a group and to see whether the format suits a matrix at all.
  static constexpr std::int64_t sliced_dia_samples = 256;
  /// Such a slice is given up when fewer than one in this many of the entries that it would store exist.
  static constexpr double sliced_dia_give_up = 2.5;
};

}  // namespace lacuna::Impl

#endif
