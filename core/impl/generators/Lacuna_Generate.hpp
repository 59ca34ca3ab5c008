// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERATE_HPP
#define LACUNA_GENERATE_HPP

#include <core/impl/generators/Lacuna_GeneratorPattern.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>

#include <cstdint>
#include <exception>
#include <limits>
#include <string>

/// \file
/// \brief The two kernels that turn a pattern into a CSR matrix.

namespace lacuna::Impl {

/// Row lengths to row offsets; the total comes back in 64 bits, so that it can be checked before it is used.
template <class Offset, class RowMap>
struct PatternRowMap {
  Pattern pattern;
  RowMap row_map;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& sum, bool last) const {
    const std::int64_t length = row < pattern.rows ? pattern.row_length(row) : 0;
    if (last) row_map(row) = static_cast<Offset>(sum);
    sum += length;
  }
};

/// A thread fills `stretch` nonzeros one after the other, wherever the rows begin: long rows cost no more than others.
/// Rows whose columns can only be walked from the first on take a thread each.
template <class Arrays, class Entries, class Values>
struct PatternFill {
  static constexpr std::int64_t stretch = 16;
  using Offset                          = typename Arrays::Offset;

  Pattern pattern;
  Arrays matrix;
  Entries entries;
  Values values;

  KOKKOS_FUNCTION std::int64_t row_of(std::int64_t nonzero) const {
    std::int64_t low = 0, high = pattern.rows;  // row_map[low] <= nonzero < row_map[high]
    while (high - low > 1) {
      const std::int64_t middle                                                   = low + (high - low) / 2;
      (static_cast<std::int64_t>(matrix.row_map[middle]) <= nonzero ? low : high) = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    using Ordinal = typename Arrays::Ordinal;
    using Scalar  = typename Arrays::Scalar;

    const auto nonzeros         = static_cast<std::int64_t>(matrix.nonzeros);
    const std::uint64_t seed    = substream(pattern.seed, 8);
    const bool by_rows          = pattern.walks_rows();
    std::int64_t nonzero        = by_rows ? static_cast<std::int64_t>(matrix.row_map[item]) : item * stretch;
    const std::int64_t past_end = by_rows                        ? static_cast<std::int64_t>(matrix.row_map[item + 1])
                                  : nonzeros - nonzero < stretch ? nonzeros
                                                                 : nonzero + stretch;
    for (std::int64_t row = by_rows ? item : row_of(nonzero); nonzero < past_end; ++row) {
      const auto begin        = static_cast<std::int64_t>(matrix.row_map[row]);
      const auto end          = static_cast<std::int64_t>(matrix.row_map[row + 1]);
      const std::int64_t stop = end < past_end ? end : past_end;
      if (nonzero >= stop) continue;
      PatternCursor cursor(pattern, row, nonzero - begin, end - begin);
      for (; nonzero < stop; ++nonzero) {
        entries(nonzero) = static_cast<Ordinal>(cursor.next());
        values(nonzero)  = random_value<Scalar>(seed, static_cast<std::uint64_t>(nonzero));
      }
    }
  }
};

template <class View, class ExecutionSpace>
View allocate_for(const char* function, const ExecutionSpace& exec, const std::string& label, std::int64_t count) {
  if (count > std::numeric_limits<std::int64_t>::max() / 16)
    raise<OutOfMemory>(function, count, " elements of ", label);
  try {
    return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), static_cast<std::size_t>(count));
  } catch (const std::exception& failure) {
    raise<OutOfMemory>(function, "no memory for ", count, " elements of ", label, ": ", failure.what());
  }
}

template <class Index>
void check_index(const char* function, const char* what, std::int64_t count) {
  if (static_cast<std::uint64_t>(count) > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
    raise<InvalidArgument>(function, count, " ", what, ", the index type of the matrix holds at most ",
                           std::numeric_limits<Index>::max());
}

/// \throws InvalidArgument, OutOfMemory
template <class Matrix, class ExecutionSpace>
Matrix build(const ExecutionSpace& exec, const Pattern& pattern) {
  using Arrays  = CrsArraysOf<Matrix>;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using RowMap  = typename Matrix::row_map_type::non_const_type;
  using Entries = typename Matrix::index_type::non_const_type;
  using Values  = typename Matrix::values_type::non_const_type;
  using Policy  = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;

  check_index<Ordinal>("generate", "rows", pattern.rows);
  check_index<Ordinal>("generate", "columns", pattern.columns);
  const auto row_map    = allocate_for<RowMap>("generate", exec, "Lacuna::Generate::row_map", pattern.rows + 1);
  std::int64_t nonzeros = 0;
  Kokkos::parallel_scan("Lacuna::Generate::row_map", Policy(exec, 0, pattern.rows + 1),
                        PatternRowMap<Offset, RowMap>{pattern, row_map}, nonzeros);
  exec.fence("Lacuna::generate: the number of nonzeros");
  check_index<Offset>("generate", "nonzeros", nonzeros);

  const auto entries = allocate_for<Entries>("generate", exec, "Lacuna::Generate::entries", nonzeros);
  const auto values  = allocate_for<Values>("generate", exec, "Lacuna::Generate::values", nonzeros);
  Arrays matrix;
  matrix.nonzeros          = static_cast<Offset>(nonzeros);
  matrix.row_map           = row_map.data();
  using Fill               = PatternFill<Arrays, Entries, Values>;
  const std::int64_t items = pattern.walks_rows() ? pattern.rows : (nonzeros + Fill::stretch - 1) / Fill::stretch;
  Kokkos::parallel_for("Lacuna::Generate::fill", Policy(exec, 0, items), Fill{pattern, matrix, entries, values});
  return Matrix("A", static_cast<Ordinal>(pattern.rows), static_cast<Ordinal>(pattern.columns),
                static_cast<Offset>(nonzeros), values, row_map, entries);
}

}  // namespace lacuna::Impl

#endif
