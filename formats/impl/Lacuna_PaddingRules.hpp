// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PADDINGRULES_HPP
#define LACUNA_PADDINGRULES_HPP

#include <core/impl/inspection/Lacuna_Findings.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief The rules of padding, the same for every format that pads.

namespace lacuna::Impl {

/// Padding of a run of entries, the same rules for every format that pads: once it begins it does not end, it is no
/// longer than `most`, and its values are 0.
template <class Index, class Scalar>
struct PaddingRules {
  static constexpr std::array<const char*, 4> names{"entries after padding", "rows padded too far",
                                                    "values of padding that are not 0", "columns below -1"};

  const Index* columns;
  const Scalar* values;
  Index padding;
  FindingCounters findings;

  /// The entries first, first + step, …, `count` of them, of row `row`.
  KOKKOS_FUNCTION void check(std::int64_t row, std::int64_t first, std::int64_t step, std::int64_t count,
                             std::int64_t most) const {
    std::int64_t padded = 0;
    for (std::int64_t position = 0; position < count; ++position) {
      const std::int64_t k = first + position * step;
      if (columns[k] == padding) {
        ++padded;
        if (values[k] != Scalar(0)) findings.add(2, row);
      } else {
        if (padded > 0) findings.add(0, row);
        if constexpr (std::is_signed_v<Index>)
          if (columns[k] < padding) findings.add(3, row);
      }
    }
    if (padded > most) findings.add(1, row);
  }
};

/// Rows, or rows of blocks, one after the other: padding is shorter than the multiple.
template <class Scalar, class Index, class Offset>
struct CheckPaddedRow {
  PaddingRules<Index, Scalar> rules;
  const Offset* row_map;
  std::int64_t most;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto begin = static_cast<std::int64_t>(row_map[i]);
    rules.check(i, begin, 1, static_cast<std::int64_t>(row_map[i + 1]) - begin, most);
  }
};

}  // namespace lacuna::Impl

#endif
