// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_HYB_HPP
#define LACUNA_CONVERT_HYB_HPP

#include <Lacuna_HybMatrix.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <formats/impl/ell/Lacuna_Convert_Ell.hpp>

namespace lacuna::Impl {

/// Counts rows by length. Every thread takes many rows and adds to memory only when the length changes, since most
/// matrices have a few lengths only.
template <class Offset>
struct CountRowsByLength {
  std::int64_t rows;
  std::int64_t threads;
  const Offset* row_map;
  Counter* rows_of_length;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    std::int64_t length = 0;
    Counter count       = 0;
    for (std::int64_t i = thread; i < rows; i += threads) {
      const auto next = static_cast<std::int64_t>(row_map[i + 1]) - static_cast<std::int64_t>(row_map[i]);
      if (next != length && count > 0) {
        Kokkos::atomic_add(&rows_of_length[length], count);
        count = 0;
      }
      length = next;
      ++count;
    }
    if (count > 0) Kokkos::atomic_add(&rows_of_length[length], count);
  }
};

/// The number of rows of each length from 0 to the longest, on the host. Waits for `exec` twice.
template <class Device, class ExecutionSpace, class Ordinal, class Offset>
std::vector<std::int64_t> rows_by_length(const ExecutionSpace& exec, Ordinal rows, const Offset* row_map,
                                         std::size_t memory_limit) {
  const auto longest = longest_row(exec, "Lacuna::to_hyb::longest_row", rows, row_map);
  using Counts       = Kokkos::View<Counter*, Device>;
  check_memory("to_hyb", static_cast<std::size_t>(longest + 1) * sizeof(Counter), memory_limit);
  const auto counts = allocate<Counts>("to_hyb", exec, "Lacuna::to_hyb::rows_of_length", longest + 1);
  Kokkos::deep_copy(exec, counts, Counter{0});
  const auto n       = static_cast<std::int64_t>(rows);
  const auto threads = std::min<std::int64_t>(n, 65536);
  for_each_index(exec, "Lacuna::to_hyb::rows_of_length", threads,
                 CountRowsByLength<Offset>{n, threads, row_map, counts.data()});
  const auto found = read_back(exec, "Lacuna::to_hyb: the width is chosen on the host", counts);
  return {found.begin(), found.end()};
}

template <class Offset>
struct LengthBeyond {
  const Offset* row_map;
  std::int64_t width;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const auto length = static_cast<std::int64_t>(row_map[i + 1]) - static_cast<std::int64_t>(row_map[i]);
    return length > width ? length - width : 0;
  }
};

/// Moves the nonzeros beyond the width; without `row_indices` the values only.
template <class Scalar, class Ordinal, class Offset>
struct ScatterBeyond {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  std::int64_t width;
  const Offset* coo_row_map;
  Ordinal* row_indices;
  Ordinal* column_indices;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset k) const {
    const auto position = static_cast<std::int64_t>(k - crs.row_map[row]);
    if (position < width) return;
    const std::int64_t slot = static_cast<std::int64_t>(coo_row_map[row]) + position - width;
    values[slot]            = crs.values[k];
    if (row_indices == nullptr) return;
    row_indices[slot]    = row;
    column_indices[slot] = crs.entries[k];
  }
};

template <class Ordinal, class Offset>
struct HybRowLength {
  EllRowLength<Ordinal> ell;
  const Offset* coo_row_map;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return ell(i) + static_cast<std::int64_t>(coo_row_map[i + 1] - coo_row_map[i]);
  }
};

/// Writes the coordinate part of a row behind its ELLPACK part.
template <class Scalar, class Ordinal, class Offset>
struct CrsRestFromHyb {
  std::int64_t width;
  const Offset* coo_row_map;
  const Ordinal* column_indices;
  const Scalar* coo_values;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Offset s) const {
    const std::int64_t k =
        static_cast<std::int64_t>(row_map[row]) + width + static_cast<std::int64_t>(s - coo_row_map[row]);
    entries[k] = column_indices[s];
    values[k]  = coo_values[s];
  }
};

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<HybMatrix, Matrix> hyb_from_crs(const ExecutionSpace& exec, const Matrix& A, const HybOptions& options) {
  using Format  = FormatOf<HybMatrix, Matrix>;
  using Ordinal = typename Format::Ordinal;
  using Scalar  = typename Format::Scalar;
  using Offset  = typename Format::Offset;
  if (options.width < -1) raise<InvalidArgument>("to_hyb", "width is ", options.width, ", at least -1 is needed");
  const auto crs       = arrays_of(A);
  const auto rows      = static_cast<std::int64_t>(crs.rows);
  const auto alignment = ell_alignment<ExecutionSpace>("to_hyb", options.alignment);
  const auto width =
      options.width >= 0
          ? options.width
          : hyb_width(rows_by_length<typename Format::Device>(exec, crs.rows, crs.row_map, options.memory_limit));
  const auto stride = round_up(rows, alignment);

  const auto entry_bytes = static_cast<std::int64_t>(sizeof(Ordinal) + sizeof(Scalar));
  const auto ell_bytes =
      static_cast<std::size_t>(checked_product("to_hyb", checked_product("to_hyb", width, stride), entry_bytes));
  const auto map_bytes = static_cast<std::size_t>(rows + 1) * sizeof(Offset);
  check_memory("to_hyb", ell_bytes + map_bytes, options.memory_limit);

  Format hyb;
  hyb.rows            = crs.rows;
  hyb.columns         = crs.columns;
  hyb.stored_nonzeros = crs.nonzeros;
  hyb.coo_row_map     = allocate<decltype(hyb.coo_row_map)>("to_hyb", exec, "Lacuna::to_hyb::coo_row_map", rows + 1);
  const auto rest     = scan_lengths(exec, "Lacuna::to_hyb::coo_row_map", rows, hyb.coo_row_map.data(),
                                     LengthBeyond<Offset>{crs.row_map, width});
  check_memory("to_hyb", ell_bytes + map_bytes + static_cast<std::size_t>(rest) * (entry_bytes + sizeof(Ordinal)),
               options.memory_limit);
  auto& coo          = hyb.coo;
  coo.rows           = crs.rows;
  coo.columns        = crs.columns;
  coo.row_indices    = allocate<decltype(coo.row_indices)>("to_hyb", exec, "Lacuna::to_hyb::row_indices", rest);
  coo.column_indices = allocate<decltype(coo.column_indices)>("to_hyb", exec, "Lacuna::to_hyb::column_indices", rest);
  coo.values         = allocate<decltype(coo.values)>("to_hyb", exec, "Lacuna::to_hyb::values", rest);
  if (rest > 0)
    for_each_nonzero(exec, "Lacuna::to_hyb::fill_coo", crs.rows, crs.nonzeros, crs.row_map,
                     ScatterBeyond<Scalar, Ordinal, Offset>{crs, width, hyb.coo_row_map.data(), coo.row_indices.data(),
                                                            coo.column_indices.data(), coo.values.data()});
  hyb.ell                 = ell_of_width("to_hyb", exec, A, width, stride);
  hyb.ell.stored_nonzeros = crs.nonzeros - static_cast<Offset>(rest);
  return hyb;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const HybMatrix<S, O, D, F>& hyb) {
  refresh(exec, A, hyb.ell);
  const auto crs = arrays_of(A);
  if (hyb.coo.nonzeros() > 0)
    for_each_nonzero(
        exec, "Lacuna::update_values::hyb", crs.rows, crs.nonzeros, crs.row_map,
        ScatterBeyond<S, O, F>{crs, hyb.ell.width, hyb.coo_row_map.data(), nullptr, nullptr, hyb.coo.values.data()});
}

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename HybMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const HybMatrix<S, O, D, F>& hyb) {
  const auto& ell = hyb.ell;
  const EllRowLength<O> length{ell.width, ell.stride, ell.column_indices.data()};
  const auto crs = new_crs<typename HybMatrix<S, O, D, F>::Crs>("to_crs", exec, hyb.rows, hyb.columns,
                                                                HybRowLength<O, F>{length, hyb.coo_row_map.data()});
  for_each_index(
      exec, "Lacuna::to_crs::fill_from_ell", static_cast<std::int64_t>(hyb.rows),
      CrsRowFromEll<S, O, F>{length, ell.values.data(), crs.row_map.data(), crs.entries.data(), crs.values.data()});
  for_each_nonzero(
      exec, "Lacuna::to_crs::fill_from_coo", hyb.rows, hyb.coo.nonzeros(),
      static_cast<const F*>(hyb.coo_row_map.data()),
      CrsRestFromHyb<S, O, F>{ell.width, hyb.coo_row_map.data(), hyb.coo.column_indices.data(), hyb.coo.values.data(),
                              crs.row_map.data(), crs.entries.data(), crs.values.data()});
  return crs.matrix("Lacuna::to_crs");
}

}  // namespace lacuna::Impl

#endif
