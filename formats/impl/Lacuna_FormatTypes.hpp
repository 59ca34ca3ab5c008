// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORMATTYPES_HPP
#define LACUNA_FORMATTYPES_HPP

#include <core/impl/inspection/Lacuna_LengthStatistics.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief What every storage format has in common.

namespace lacuna::Impl {

/// The names that a format's template arguments go by.
template <class ScalarType, class OrdinalType, class DeviceType, class OffsetType>
struct FormatTypes : ServedIndices<OrdinalType, OffsetType, DeviceType> {
  using Scalar          = ScalarType;
  using Ordinal         = OrdinalType;
  using Device          = DeviceType;
  using Offset          = OffsetType;
  using execution_space = typename DeviceType::execution_space;
  using memory_space    = typename DeviceType::memory_space;
  using Crs             = KokkosSparse::CrsMatrix<ScalarType, OrdinalType, DeviceType, void, OffsetType>;

  static constexpr bool is_lacuna_format = true;
};

template <class T>
concept FormatType = T::is_lacuna_format;

/// `Format` with the scalar, indices and device of a CSR matrix.
template <template <class, class, class, class> class Format, CrsMatrixType Matrix>
using FormatOf = Format<typename Matrix::non_const_value_type, typename Matrix::non_const_ordinal_type,
                        typename Matrix::device_type, typename Matrix::non_const_size_type>;

/// Rows and columns of a matrix in any format. (`rows` of a GCOO is an array.)
template <class Format>
std::int64_t rows_of_format(const Format& format) {
  if constexpr (requires { format.numRows(); })
    return static_cast<std::int64_t>(format.numRows());
  else
    return static_cast<std::int64_t>(format.rows);
}
template <class Format>
std::int64_t columns_of_format(const Format& format) {
  if constexpr (requires { format.numCols(); })
    return static_cast<std::int64_t>(format.numCols());
  else
    return static_cast<std::int64_t>(format.columns);
}

/// \throws InvalidArgument where `A` cannot have the pattern that `format` was made from.
template <CrsMatrixType Matrix, class Format>
void check_same_shape(const char* function, const Matrix& A, const Format& format) {
  if (static_cast<std::int64_t>(A.numRows()) != rows_of_format(format) ||
      static_cast<std::int64_t>(A.numCols()) != columns_of_format(format) ||
      static_cast<std::int64_t>(A.nnz()) != static_cast<std::int64_t>(format.nonzeros()))
    raise<InvalidArgument>(function, "A is ", shape_text(A.numRows(), A.numCols()), " with ", A.nnz(),
                           " nonzeros, the format was made from ",
                           shape_text(rows_of_format(format), columns_of_format(format)), " with ", format.nonzeros());
}

/// "…, 97.5 % of them zeros": what of `elements` would be none of the nonzeros. Fewer than 0 nonzeros: not known.
inline std::string share_of_zeros(double elements, std::int64_t nonzeros) {
  const double zeros = nonzeros >= 0 && elements > 0 ? 100 * (1 - static_cast<double>(nonzeros) / elements) : 0.0;
  return ", " + std::to_string(zeros > 0 ? zeros : 0.0) + " % of them zeros";
}

/// Refuses storage of more than 2^20 elements that is over `fill_limit` times the nonzeros (0: no limit).
inline void check_fill(const char* function, std::int64_t elements, std::int64_t nonzeros, double fill_limit) {
  if (fill_limit <= 0 || elements <= (std::int64_t{1} << 20)) return;
  if (static_cast<double>(elements) > fill_limit * static_cast<double>(nonzeros))
    raise<NotSupported>(function, "would store ", elements, " elements for ", nonzeros, " nonzeros",
                        share_of_zeros(static_cast<double>(elements), nonzeros), ", over the fill_limit of ",
                        fill_limit, " times");
}

/// A CSR matrix of given extents whose row map is filled and whose nonzeros are not.
template <class Crs>
struct NewCrs {
  using RowMap  = typename Crs::row_map_type::non_const_type;
  using Entries = typename Crs::index_type::non_const_type;
  using Values  = typename Crs::values_type::non_const_type;

  typename Crs::non_const_ordinal_type rows;
  typename Crs::non_const_ordinal_type columns;
  RowMap row_map;
  Entries entries;
  Values values;

  Crs matrix(const std::string& label) const {
    return Crs(label, rows, columns, static_cast<typename Crs::non_const_size_type>(values.extent(0)), values, row_map,
               entries);
  }
};

/// Counts, scans and allocates: row i gets length(i) nonzeros. Waits for `exec` to learn their number.
template <class Crs, class ExecutionSpace, class Length>
NewCrs<Crs> new_crs(const char* function, const ExecutionSpace& exec, typename Crs::non_const_ordinal_type rows,
                    typename Crs::non_const_ordinal_type columns, const Length& length) {
  using New               = NewCrs<Crs>;
  const std::string label = std::string("Lacuna::") + function;
  const auto n            = static_cast<std::int64_t>(rows);
  auto row_map            = allocate<typename New::RowMap>(function, exec, label + "::row_map", n + 1);
  const auto nonzeros     = scan_lengths(exec, label + "::row_map", n, row_map.data(), length);
  auto entries            = allocate<typename New::Entries>(function, exec, label + "::entries", nonzeros);
  auto values             = allocate<typename New::Values>(function, exec, label + "::values", nonzeros);
  return {rows, columns, row_map, entries, values};
}

}  // namespace lacuna::Impl

#endif
