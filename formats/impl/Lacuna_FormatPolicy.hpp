// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORMATPOLICY_HPP
#define LACUNA_FORMATPOLICY_HPP

#include <cstdint>

/// \file
/// \brief Numbers by which conversions decide the layout of a format.
/// Evidence: formats/tuning.md.

namespace lacuna::Impl {

struct FormatTuning {
  // to_sell: all slices get the width of the widest one, so that a product need not read widths.
  static constexpr std::int64_t uniform_entries = 16;    ///< entries of a slot on average, at most
  static constexpr double uniform_growth        = 1.04;  ///< of the storage, at most

  // to_dia, to_hm, to_cdm: where there are this many diagonals for each nonzero, stored or not, the diagonals of
  // nonzeros are sorted; else all of them are marked. Not tuned: sorting then takes a quarter of the memory.
  static constexpr std::int64_t diagonals_of_a_sorted_nonzero = 16;

  // HM has no `DiagDense` where that would have more elements than this for each one of `list`. Not tuned: products
  // and conversions then search the list of diagonals.
  static constexpr int starts_of_an_element = 16;

  // to_sliced_dia
  /// Slices that are inspected to choose a group and to see whether the format suits a matrix at all: not tuned.
  static constexpr std::int64_t sliced_dia_samples = 256;
  /// Entries that such a slice would store for each one that exists, above which it is given up: not tuned.
  static constexpr double sliced_dia_give_up = 2.5;
};

}  // namespace lacuna::Impl

#endif
