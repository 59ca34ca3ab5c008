// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MATRIXTRANSFER_HPP
#define LACUNA_MATRIXTRANSFER_HPP

#include <core/impl/files/Lacuna_MatrixFile.hpp>
#include <core/impl/generators/Lacuna_Generate.hpp>
#include <core/impl/generators/Lacuna_Random.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// \brief Between the host arrays of a file and a matrix on a device.

namespace lacuna::Impl {

template <class Scalar>
struct FileValue {
  static constexpr bool is_complex = false;
  using Real                       = Scalar;
  static Scalar make(Real real, Real) { return real; }
};
template <class RealType>
struct FileValue<Kokkos::complex<RealType>> {
  static constexpr bool is_complex = true;
  using Real                       = RealType;
  static Kokkos::complex<Real> make(Real real, Real imaginary) { return {real, imaginary}; }
};

/// What the readers are to accept for this scalar.
template <class Scalar>
ScalarRange scalar_range(bool round_integers) {
  using Real = typename FileValue<Scalar>::Real;
  ScalarRange numbers{.is_complex     = FileValue<Scalar>::is_complex,
                      .round_integers = round_integers,
                      .is_integer     = std::is_integral_v<Real>};
  if constexpr (std::is_integral_v<Real>) {
    static_assert(sizeof(Real) <= sizeof(std::int64_t), "lacuna::read_matrix: integers have at most 64 bits");
    numbers.least = std::numeric_limits<Real>::lowest();
    numbers.most  = std::numeric_limits<Real>::max();
  } else {
    numbers.digits = std::min(numbers.digits, static_cast<int>(Kokkos::Experimental::digits_v<Real>));
  }
  return numbers;
}

/// `value`, which the readers gave for `scalar_range`, as a `Real`. Numbers for half precision come as doubles.
/// \throws InvalidMatrix where it is too large
template <class Real>
Real narrowed(const FileMatrix& file, std::int64_t row, std::int64_t column, double value) {
  const Real result = static_cast<Real>(value);
  if (std::isfinite(value) && !std::isfinite(static_cast<double>(result)))
    raise<InvalidMatrix>("read_matrix", file.path, ": value ", value, " at row ", row + 1, ", column ", column + 1,
                         " is too large for the scalar of the matrix");
  return result;
}

/// The values of a file as scalars of a matrix.
/// \throws InvalidMatrix
template <class Scalar, class Values>
void fill_values(const FileMatrix& file, bool random, std::uint64_t seed, const Values& values) {
  using Real       = typename FileValue<Scalar>::Real;
  const bool mates = file.symmetry != FileSymmetry::general;
  for (std::int64_t row = 0; row < file.rows; ++row) {
    const auto end = static_cast<std::size_t>(file.row_map[static_cast<std::size_t>(row) + 1]);
    for (auto k = static_cast<std::size_t>(file.row_map[static_cast<std::size_t>(row)]); k < end; ++k) {
      const std::int64_t column = file.entries[k];
      if (file.components == 0) {
        const std::int64_t first  = mates ? std::min(row, column) : row;
        const std::int64_t second = mates ? std::max(row, column) : column;
        values(k)                 = random ? random_value<Scalar>(substream(seed, static_cast<std::uint64_t>(first)),
                                                  static_cast<std::uint64_t>(second))
                                           : Scalar(1);
      } else if constexpr (std::is_integral_v<Scalar>) {
        values(k) = static_cast<Scalar>(file.integers[k]);
      } else if (file.components == 1) {
        values(k) = FileValue<Scalar>::make(narrowed<Real>(file, row, column, file.values[k]), Real(0));
      } else {
        values(k) = FileValue<Scalar>::make(narrowed<Real>(file, row, column, file.values[2 * k]),
                                            narrowed<Real>(file, row, column, file.values[2 * k + 1]));
      }
    }
  }
}

/// \throws InvalidArgument, InvalidMatrix, OutOfMemory
template <class Matrix, class ExecutionSpace>
Matrix to_device(const ExecutionSpace& exec, const FileMatrix& file, bool random, std::uint64_t seed) {
  using Scalar  = typename Matrix::non_const_value_type;
  using Ordinal = typename Matrix::non_const_ordinal_type;
  using Offset  = typename Matrix::non_const_size_type;
  using RowMap  = typename Matrix::row_map_type::non_const_type;
  using Entries = typename Matrix::index_type::non_const_type;
  using Values  = typename Matrix::values_type::non_const_type;

  const auto nonzeros = static_cast<std::int64_t>(file.entries.size());
  if (std::is_unsigned_v<Scalar> && random && file.components == 0)
    raise<InvalidArgument>("read_matrix", file.path,
                           ": random values of a pattern are 1 or -1, the scalar of the matrix has no sign");
  if (static_cast<std::uint64_t>(nonzeros) > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()))
    raise<InvalidMatrix>("read_matrix", file.path, ": ", nonzeros, " nonzeros, the offsets of the matrix hold at most ",
                         std::numeric_limits<Offset>::max());
  const auto row_map      = allocate_for<RowMap>("read_matrix", exec, "Lacuna::ReadMatrix::row_map", file.rows + 1);
  const auto entries      = allocate_for<Entries>("read_matrix", exec, "Lacuna::ReadMatrix::entries", nonzeros);
  const auto values       = allocate_for<Values>("read_matrix", exec, "Lacuna::ReadMatrix::values", nonzeros);
  const auto host_row_map = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), row_map);
  const auto host_entries = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), entries);
  const auto host_values  = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), values);
  for (std::size_t i = 0; i < file.row_map.size(); ++i) host_row_map(i) = static_cast<Offset>(file.row_map[i]);
  for (std::size_t i = 0; i < file.entries.size(); ++i) host_entries(i) = static_cast<Ordinal>(file.entries[i]);
  fill_values<Scalar>(file, random, seed, host_values);
  Kokkos::deep_copy(exec, row_map, host_row_map);
  Kokkos::deep_copy(exec, entries, host_entries);
  Kokkos::deep_copy(exec, values, host_values);
  exec.fence("Lacuna::read_matrix: the host copies go");
  return Matrix("A", static_cast<Ordinal>(file.rows), static_cast<Ordinal>(file.columns), static_cast<Offset>(nonzeros),
                values, row_map, entries);
}

/// The type that the writer knows a scalar by.
template <class Scalar>
constexpr FileScalar file_scalar() {
  if constexpr (std::is_integral_v<Scalar>)
    return std::is_signed_v<Scalar> ? FileScalar::int64 : FileScalar::uint64;
  else if constexpr (std::is_same_v<Scalar, float>)
    return FileScalar::float32;
  else if constexpr (std::is_same_v<Scalar, double>)
    return FileScalar::float64;
  else if constexpr (std::is_same_v<Scalar, Kokkos::complex<float>>)
    return FileScalar::complex64;
  else
    return FileScalar::complex128;
}

/// \throws InvalidArgument
template <class ExecutionSpace, class Matrix>
void to_file(const ExecutionSpace& exec, const std::string& path, const Matrix& A) {
  using Scalar = typename Matrix::non_const_value_type;
  static_assert(std::is_integral_v<Scalar> || std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double> ||
                    std::is_same_v<Scalar, Kokkos::complex<float>> || std::is_same_v<Scalar, Kokkos::complex<double>>,
                "lacuna::write_matrix: the scalar is float, double, Kokkos::complex of them, or an integer");
  const auto copy = [&](const auto& view) {
    using View = std::remove_cvref_t<decltype(view)>;
    Kokkos::View<typename View::non_const_value_type*, Kokkos::HostSpace> host(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "Lacuna::WriteMatrix::host"), view.extent(0));
    Kokkos::deep_copy(exec, host, view);
    exec.fence("Lacuna::write_matrix: the matrix is on the host");
    return host;
  };
  const auto row_map = copy(A.graph.row_map);
  const auto entries = copy(A.graph.entries);
  const auto values  = copy(A.values);
  std::vector<std::int64_t> offsets(row_map.data(), row_map.data() + row_map.extent(0));
  if (offsets.empty()) offsets.push_back(0);
  const std::vector<std::int64_t> columns(entries.data(), entries.data() + entries.extent(0));
  FileMatrixView matrix{static_cast<std::int64_t>(A.numRows()),
                        static_cast<std::int64_t>(A.numCols()),
                        offsets,
                        columns,
                        file_scalar<Scalar>(),
                        values.data()};
  std::vector<std::conditional_t<std::is_signed_v<Scalar>, std::int64_t, std::uint64_t>> integers;
  if constexpr (std::is_integral_v<Scalar>) {
    integers.assign(values.data(), values.data() + values.extent(0));
    matrix.values = integers.data();
  }
  write_matrix_file(path, matrix);
}

}  // namespace lacuna::Impl

#endif
