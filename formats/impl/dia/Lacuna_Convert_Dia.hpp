// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_DIA_HPP
#define LACUNA_CONVERT_DIA_HPP

#include <Lacuna_DiaMatrix.hpp>
#include <core/base/impl/Lacuna_RelaxedAccess.hpp>
#include <formats/impl/Lacuna_FormatPolicy.hpp>
#include <formats/impl/dia/Lacuna_SortedDiagonals.hpp>

#include <cstdint>
#include <type_traits>

namespace lacuna::Impl {

/// Marks the diagonal of every nonzero; diagonal 0 is that of the lower left corner.
template <class Ordinal, class Offset>
struct MarkDiagonal {
  std::int64_t rows;
  const Ordinal* entries;
  int* marks;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    int* const mark = marks + (static_cast<std::int64_t>(entries[k]) - static_cast<std::int64_t>(row) + rows - 1);
    if (relaxed_load(mark) == 0) relaxed_store(mark, 1);
  }
};

struct MarkedLength {
  const int* marks;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return marks[i]; }
};

/// Counts diagonals, which may be almost twice as many as an ordinal counts rows.
template <class Ordinal>
using DiagonalCount = std::conditional_t<(sizeof(Ordinal) <= sizeof(std::uint32_t)), std::uint32_t, std::int64_t>;

template <class Ordinal>
struct WriteDiagonalOffset {
  std::int64_t rows;
  const int* marks;
  const DiagonalCount<Ordinal>* position;
  Ordinal* offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (marks[i] != 0) offsets[position[i]] = static_cast<Ordinal>(i - rows + 1);
  }
};

/// Adds the nonzeros of a row to the diagonals, by one thread in the order of the CSR, so that sums of duplicates are
/// the same on every run. Without `occupied` the values only.
template <class Scalar, class Ordinal, class Offset>
struct AddRowToDiagonals {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  std::int64_t diagonals;
  std::int64_t stride;
  const Ordinal* offsets;
  Scalar* values;
  std::uint32_t* occupied;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (Offset k = crs.row_map[i]; k < crs.row_map[i + 1]; ++k) {
      const std::int64_t offset  = static_cast<std::int64_t>(crs.entries[k]) - i;
      const std::int64_t element = lower_bound(offsets, 0, diagonals, offset) * stride + i;
      values[element] += crs.values[k];
      if (occupied != nullptr) Kokkos::atomic_or(&occupied[element / 32], std::uint32_t{1} << (element % 32));
    }
  }
};

KOKKOS_INLINE_FUNCTION bool is_occupied(const std::uint32_t* occupied, std::int64_t element) {
  return (occupied[element / 32] >> (element % 32) & 1u) != 0;
}

struct OccupiedInRow {
  std::int64_t diagonals;
  std::int64_t stride;
  const std::uint32_t* occupied;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    for (std::int64_t d = 0; d < diagonals; ++d) count += is_occupied(occupied, d * stride + i) ? 1 : 0;
    return count;
  }
};

template <class Scalar, class Ordinal, class Offset>
struct CrsRowFromDiagonals {
  OccupiedInRow row;
  const Ordinal* offsets;
  const Scalar* dia_values;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Offset k = row_map[i];
    for (std::int64_t d = 0; d < row.diagonals; ++d) {
      const std::int64_t element = d * row.stride + i;
      if (!is_occupied(row.occupied, element)) continue;
      entries[k] = static_cast<Ordinal>(i + static_cast<std::int64_t>(offsets[d]));
      values[k]  = dia_values[element];
      ++k;
    }
  }
};

/// The offsets of the diagonals that hold a nonzero, ascending; none where there are more than `most`. In time and
/// memory that go with rows and columns, or with nonzeros where these are far fewer. Waits for `exec`.
template <class Offsets, class ExecutionSpace, class Scalar, class Ordinal, class Offset>
Offsets occupied_diagonals(const char* function, const ExecutionSpace& exec,
                           const CrsArrays<Scalar, Ordinal, Offset>& crs, std::size_t memory_limit,
                           std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  using Device            = typename Offsets::device_type;
  const std::string label = std::string("Lacuna::") + function;
  const auto rows         = static_cast<std::int64_t>(crs.rows);
  const std::int64_t n    = crs.nonzeros > 0 ? rows + static_cast<std::int64_t>(crs.columns) - 1 : 0;
  if (static_cast<std::int64_t>(crs.nonzeros) < n / FormatTuning::diagonals_of_a_sorted_nonzero)
    return sorted_diagonals<Offsets>(function, exec, crs, n, memory_limit, most);
  using Positions = Kokkos::View<DiagonalCount<Ordinal>*, Device>;
  check_memory(
      function,
      static_cast<std::size_t>(n) * sizeof(int) + static_cast<std::size_t>(n + 1) * sizeof(DiagonalCount<Ordinal>),
      memory_limit);
  const auto marks    = allocate<Kokkos::View<int*, Device>>(function, exec, label + "::marks", n);
  const auto position = allocate<Positions>(function, exec, label + "::position", n + 1);
  Kokkos::deep_copy(exec, marks, 0);
  for_each_nonzero(exec, label + "::mark_diagonals", crs.rows, crs.nonzeros, crs.row_map,
                   MarkDiagonal<Ordinal, Offset>{rows, crs.entries, marks.data()});
  const auto count = scan_lengths(exec, label + "::position", n, position.data(), MarkedLength{marks.data()});
  if (count > most) return Offsets();
  const auto offsets = allocate<Offsets>(function, exec, label + "::offsets", count);
  for_each_index(exec, label + "::offsets", n,
                 WriteDiagonalOffset<Ordinal>{rows, marks.data(), position.data(), offsets.data()});
  return offsets;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<DiaMatrix, Matrix> dia_from_crs(const ExecutionSpace& exec, const Matrix& A, const DiaOptions& options) {
  using Format   = FormatOf<DiaMatrix, Matrix>;
  using Scalar   = typename Format::Scalar;
  using Ordinal  = typename Format::Ordinal;
  using Offset   = typename Format::Offset;
  const auto crs = arrays_of(A);
  Format dia;
  dia.rows                = crs.rows;
  dia.columns             = crs.columns;
  dia.stored_nonzeros     = crs.nonzeros;
  dia.stride              = round_up(static_cast<std::int64_t>(crs.rows), 32);
  dia.offsets             = occupied_diagonals<decltype(dia.offsets)>("to_dia", exec, crs, options.memory_limit);
  const auto elements     = checked_product("to_dia", dia.diagonals(), dia.stride);
  const auto nonzeros     = static_cast<std::int64_t>(crs.nonzeros);
  const auto value_bytes  = static_cast<std::size_t>(checked_product("to_dia", elements, sizeof(Scalar)));
  const std::size_t bytes = value_bytes + static_cast<std::size_t>(elements / 8) + bytes_of(dia.offsets);
  if (bytes > options.memory_limit)
    raise<OutOfMemory>("to_dia", dia.diagonals(), " diagonals of ", elements, " elements",
                       share_of_zeros(static_cast<double>(elements), nonzeros), ", need ", bytes,
                       " bytes, memory_limit is ", options.memory_limit);
  check_fill("to_dia", elements, nonzeros, options.fill_limit);
  dia.values   = allocate<decltype(dia.values)>("to_dia", exec, "Lacuna::to_dia::values", elements);
  dia.occupied = allocate<decltype(dia.occupied)>("to_dia", exec, "Lacuna::to_dia::occupied", elements / 32);
  Kokkos::deep_copy(exec, dia.values, Scalar(0));
  Kokkos::deep_copy(exec, dia.occupied, 0u);
  for_each_index(exec, "Lacuna::to_dia::fill", static_cast<std::int64_t>(crs.rows),
                 AddRowToDiagonals<Scalar, Ordinal, Offset>{crs, dia.diagonals(), dia.stride, dia.offsets.data(),
                                                            dia.values.data(), dia.occupied.data()});
  return dia;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const DiaMatrix<S, O, D, F>& dia) {
  Kokkos::deep_copy(exec, dia.values, S(0));
  for_each_index(exec, "Lacuna::update_values::dia", static_cast<std::int64_t>(dia.rows),
                 AddRowToDiagonals<S, O, F>{arrays_of(A), dia.diagonals(), dia.stride, dia.offsets.data(),
                                            dia.values.data(), nullptr});
}

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename DiaMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const DiaMatrix<S, O, D, F>& dia) {
  const OccupiedInRow row{dia.diagonals(), dia.stride, dia.occupied.data()};
  const auto crs = new_crs<typename DiaMatrix<S, O, D, F>::Crs>("to_crs", exec, dia.rows, dia.columns, row);
  for_each_index(exec, "Lacuna::to_crs::fill", static_cast<std::int64_t>(dia.rows),
                 CrsRowFromDiagonals<S, O, F>{row, dia.offsets.data(), dia.values.data(), crs.row_map.data(),
                                              crs.entries.data(), crs.values.data()});
  return crs.matrix("Lacuna::to_crs");
}

}  // namespace lacuna::Impl

#endif
