// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_LAYOUTSTATISTICS_HPP
#define LACUNA_LAYOUTSTATISTICS_HPP

#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <formats/impl/diagonals/Lacuna_DiagonalStructure.hpp>
#include <formats/impl/sliced_dia/Lacuna_Convert_SlicedDia.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief What an inspection keeps of a layout that was counted, in plain numbers.

namespace lacuna::Impl {

/// Of slices of 32 rows in diagonals.
template <class Layout>
DiagonalSliceStatistics diagonal_slice_statistics(const Layout& layout) {
  DiagonalSliceStatistics statistics;
  statistics.possible    = layout.totals.defects == 0 && layout.fits();
  statistics.widest      = layout.totals.widest;
  statistics.bytes       = layout.bytes();
  statistics.to_allocate = statistics.bytes - bytes_of(layout.dia.slice_begin) -
                           (layout.keeps_diagonals() ? bytes_of(layout.dia.diagonals) : 0);
  return statistics;
}

/// Of the ascending diagonals of a matrix; none where they were too many to list.
inline OffsetStatistics offset_statistics(const DiagonalList& offsets, std::int64_t rows, std::int64_t columns) {
  OffsetStatistics statistics;
  statistics.few       = !offsets.empty();
  statistics.diagonals = static_cast<std::int64_t>(offsets.size());
  for (std::size_t d = 0; d < offsets.size(); ++d) {
    statistics.runs += d == 0 || offsets[d] != offsets[d - 1] + 1 ? 1 : 0;
    statistics.elements += static_cast<double>(diagonal_length(rows, columns, offsets[d]));
  }
  return statistics;
}

}  // namespace lacuna::Impl

#endif
