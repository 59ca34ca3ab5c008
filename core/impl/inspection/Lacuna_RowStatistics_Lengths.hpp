// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ROWSTATISTICS_LENGTHS_HPP
#define LACUNA_ROWSTATISTICS_LENGTHS_HPP

#include <core/impl/inspection/Lacuna_LengthStatistics.hpp>

namespace lacuna::Impl {

/// The first part of `RowStatistics`.
template <class Statistics>
void take_lengths(const LengthStatistics& lengths, std::int64_t columns, Statistics& statistics) {
  statistics.rows               = lengths.rows;
  statistics.columns            = columns;
  statistics.nonzeros           = lengths.nonzeros;
  statistics.longest_row        = lengths.longest;
  statistics.shortest_row       = lengths.shortest;
  statistics.sell_entries       = lengths.group_span[LengthStatistics::group_choices - 1];
  statistics.empty_rows         = lengths.empty;
  statistics.mean               = lengths.mean();
  statistics.standard_deviation = lengths.standard_deviation();
  statistics.median             = lengths.median;
  statistics.quantile_90        = lengths.quantile_90;
  statistics.quantile_99        = lengths.quantile_99;
  statistics.rows_by_log2       = lengths.octaves;
}

}  // namespace lacuna::Impl

#endif
