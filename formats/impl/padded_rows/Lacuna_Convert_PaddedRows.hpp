// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_PADDEDROWS_HPP
#define LACUNA_CONVERT_PADDEDROWS_HPP

#include <Lacuna_PaddedRowsMatrix.hpp>

namespace lacuna::Impl {

template <class Offset>
struct PaddedLength {
  const Offset* row_map;
  std::int64_t multiple;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const auto length = static_cast<std::int64_t>(row_map[i + 1]) - static_cast<std::int64_t>(row_map[i]);
    return (length + multiple - 1) / multiple * multiple;
  }
};

/// Moves nonzero k of the CSR to its position in the padded row; without `entries` the value only.
template <class Scalar, class Ordinal, class Offset>
struct ScatterToPaddedRows {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    const Offset slot = row_map[row] + (k - crs.row_map[row]);
    values[slot]      = crs.values[k];
    if (entries != nullptr) entries[slot] = crs.entries[k];
  }
};

/// Nonzeros of a padded row: padding stands at its end and is shorter than the multiple.
template <class Ordinal, class Offset>
struct UnpaddedLength {
  const Offset* row_map;
  const Ordinal* entries;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const auto begin = static_cast<std::int64_t>(row_map[i]);
    auto end         = static_cast<std::int64_t>(row_map[i + 1]);
    while (end > begin && entries[end - 1] < 0) --end;
    return end - begin;
  }
};

template <class Scalar, class Ordinal, class Offset>
struct GatherFromPaddedRows {
  const Offset* padded_row_map;
  const Ordinal* padded_entries;
  const Scalar* padded_values;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    const Offset slot = padded_row_map[row] + (k - row_map[row]);
    entries[k]        = padded_entries[slot];
    values[k]         = padded_values[slot];
  }
};

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<PaddedRowsMatrix, Matrix> padded_rows_from_crs(const ExecutionSpace& exec, const Matrix& A,
                                                        const PaddedRowsOptions& options) {
  using Format  = FormatOf<PaddedRowsMatrix, Matrix>;
  using Ordinal = typename Format::Ordinal;
  using Scalar  = typename Format::Scalar;
  using Offset  = typename Format::Offset;
  if (options.multiple < 1 || options.multiple > 1024)
    raise<InvalidArgument>("to_padded_rows", "multiple is ", options.multiple, ", 1 to 1024 is supported");
  const auto crs         = arrays_of(A);
  const auto rows        = static_cast<std::int64_t>(crs.rows);
  const auto map_bytes   = static_cast<std::size_t>(rows + 1) * sizeof(Offset);
  const auto entry_bytes = sizeof(Ordinal) + sizeof(Scalar);
  check_memory("to_padded_rows", map_bytes + static_cast<std::size_t>(crs.nonzeros) * entry_bytes,
               options.memory_limit);
  Format padded;
  padded.rows            = crs.rows;
  padded.columns         = crs.columns;
  padded.stored_nonzeros = crs.nonzeros;
  padded.multiple        = options.multiple;
  padded.row_map =
      allocate<decltype(padded.row_map)>("to_padded_rows", exec, "Lacuna::to_padded_rows::row_map", rows + 1);
  const auto total = scan_lengths(exec, "Lacuna::to_padded_rows::row_map", rows, padded.row_map.data(),
                                  PaddedLength<Offset>{crs.row_map, options.multiple});
  check_memory("to_padded_rows", map_bytes + static_cast<std::size_t>(total) * entry_bytes, options.memory_limit);
  padded.entries = allocate<decltype(padded.entries)>("to_padded_rows", exec, "Lacuna::to_padded_rows::entries", total);
  padded.values  = allocate<decltype(padded.values)>("to_padded_rows", exec, "Lacuna::to_padded_rows::values", total);
  Kokkos::deep_copy(exec, padded.entries, Format::padding);
  Kokkos::deep_copy(exec, padded.values, Scalar(0));
  for_each_nonzero(exec, "Lacuna::to_padded_rows::fill", crs.rows, crs.nonzeros, crs.row_map,
                   ScatterToPaddedRows<Scalar, Ordinal, Offset>{crs, padded.row_map.data(), padded.entries.data(),
                                                                padded.values.data()});
  return padded;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const PaddedRowsMatrix<S, O, D, F>& padded) {
  const auto crs = arrays_of(A);
  for_each_nonzero(exec, "Lacuna::update_values::padded_rows", crs.rows, crs.nonzeros, crs.row_map,
                   ScatterToPaddedRows<S, O, F>{crs, padded.row_map.data(), nullptr, padded.values.data()});
}

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename PaddedRowsMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec,
                                                    const PaddedRowsMatrix<S, O, D, F>& padded) {
  using Crs      = typename PaddedRowsMatrix<S, O, D, F>::Crs;
  const auto crs = new_crs<Crs>("to_crs", exec, padded.rows, padded.columns,
                                UnpaddedLength<O, F>{padded.row_map.data(), padded.entries.data()});
  for_each_nonzero(exec, "Lacuna::to_crs::fill", padded.rows, static_cast<F>(crs.values.extent(0)),
                   static_cast<const F*>(crs.row_map.data()),
                   GatherFromPaddedRows<S, O, F>{padded.row_map.data(), padded.entries.data(), padded.values.data(),
                                                 crs.row_map.data(), crs.entries.data(), crs.values.data()});
  return crs.matrix("Lacuna::to_crs");
}

}  // namespace lacuna::Impl

#endif
