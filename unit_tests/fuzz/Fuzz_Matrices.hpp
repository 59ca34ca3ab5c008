// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FUZZ_MATRICES_HPP
#define LACUNA_FUZZ_MATRICES_HPP

#include <Lacuna_Convert.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "Fuzz_Input.hpp"

/// \file
/// \brief Matrices and formats out of bytes. All on a host.

namespace lacuna::Fuzz {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class Offset>
using MatrixOf = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, Offset>;

/// CSR as plain arrays.
struct Arrays {
  int rows    = 0;
  int columns = 0;
  std::vector<std::int64_t> row_map{0};
  std::vector<std::int64_t> entries;
  std::vector<double> values;
};

template <class Offset>
MatrixOf<Offset> make_crs(const Arrays& arrays) {
  using Matrix         = MatrixOf<Offset>;
  const auto make_view = [](auto view, const auto& source) {
    for (std::size_t i = 0; i < source.size(); ++i)
      view(i) = static_cast<typename decltype(view)::non_const_value_type>(source[i]);
    return view;
  };
  const auto row_map =
      make_view(typename Matrix::row_map_type::non_const_type("row_map", arrays.row_map.size()), arrays.row_map);
  const auto entries =
      make_view(typename Matrix::index_type::non_const_type("entries", arrays.entries.size()), arrays.entries);
  const auto values = make_view(typename Matrix::values_type("values", arrays.values.size()), arrays.values);
  return Matrix("A", arrays.rows, arrays.columns, static_cast<Offset>(arrays.entries.size()), values, row_map, entries);
}

/// A valid matrix of up to 100 rows and 600 columns, runs of columns or scattered ones; rows may be unsorted and have
/// duplicates where `tidy` is false. Values are small integers, 0 among them.
inline Arrays valid_matrix(Input& input, bool tidy) {
  Arrays A;
  A.rows            = input.below(input.flag() ? 8 : 101);
  A.columns         = input.below(input.flag() ? 8 : 601);
  const int longest = 1 + input.below(12);
  for (int row = 0; row < A.rows; ++row) {
    const int wanted = A.columns == 0 || input.is_over() ? 0 : input.below(longest + 1);
    int column       = A.columns == 0 ? 0 : input.below(A.columns);
    const int step   = input.below(tidy ? 4 : 256);
    for (int k = 0; k < wanted; ++k) {
      if (tidy && column >= A.columns) break;
      A.entries.push_back(column % A.columns);
      A.values.push_back(input.below(9) - 4);
      column += tidy ? step + 1 : step;
    }
    A.row_map.push_back(static_cast<std::int64_t>(A.entries.size()));
  }
  return A;
}

/// Calls `use(format, order)` for the conversion of A that the input asks for, with options that it asks for. What a
/// conversion may refuse it refuses by an error of the library.
template <class Matrix, class Use>
void with_conversion(Input& input, const Matrix& A, const Use& use) {
  const Exec exec;
  const std::size_t limit = input.byte() == 255 ? static_cast<std::size_t>(input.below(20000)) : unlimited;
  switch (input.below(14)) {
    case 0: return use(to_coo(exec, A, {.memory_limit = limit}));
    case 1: return use(to_ell(exec, A, {.memory_limit = limit, .alignment = input.below(70)}));
    case 2: return use(to_padded_rows(exec, A, {.memory_limit = limit, .multiple = 1 + input.below(40)}));
    case 3: return use(to_dia(exec, A, {.memory_limit = limit}));
    case 4:
      return use(to_hyb(exec, A, {.memory_limit = limit, .width = input.below(14) - 1, .alignment = input.below(40)}));
    case 5:
      return use(to_row_block(exec, A,
                              {.memory_limit  = limit,
                               .block_rows    = 1 + input.below(64),
                               .block_columns = 16 * (1 + input.below(40)),
                               .multiple      = 1 + input.below(20)}));
    case 6:
      return use(to_sell(exec, A,
                         {.columns      = static_cast<SellColumns>(input.below(3)),
                          .segments     = 1 << input.below(5),
                          .chunk        = input.flag() ? 2 : 4,
                          .memory_limit = limit}));
    case 7: return use(to_sliced_dia(exec, A, {.group = input.below(6), .memory_limit = limit}));
    case 8: return use(to_bricks(exec, A, {.panel_rows = input.flag() ? 8 : 16, .memory_limit = limit}));
    case 9: return use(to_hrpb(exec, A, {.panel_rows = input.flag() ? 16 : 32, .memory_limit = limit}));
    case 10: return use(to_hm(exec, A, {.memory_limit = limit}));
    case 11:
      return use(to_cdm(exec, A, {.memory_limit = limit, .form = input.flag() ? CdmForm::sparse : CdmForm::dense}));
    case 12: {
      RowListOf<Matrix> list("list", static_cast<std::size_t>((A.numRows() + 7) / 8 * 8));
      const int first = input.below(A.numRows());
      for (std::size_t i = 0; i < list.extent(0); ++i)
        list(i) = static_cast<int>(i) < A.numRows() ? (static_cast<int>(i) + first) % A.numRows() : -1;
      return use(to_bricks(exec, A, list, {.panel_rows = 8, .memory_limit = limit}));
    }
    default:
      return use(to_gcoo(exec, A,
                         {.group_size   = 1 + input.below(40),
                          .grouping     = input.flag() ? GcooGrouping::rows : GcooGrouping::columns,
                          .memory_limit = limit}));
  }
}

}  // namespace lacuna::Fuzz

#endif
