// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MATRIXFILE_HPP
#define LACUNA_MATRIXFILE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// \file
/// \brief Matrix files on the host. Compiled once, in lacuna_io; knows nothing of Kokkos, so that no user's translation
/// unit sees a parser.

namespace lacuna::Impl {

enum class FileSymmetry { general, symmetric, skew_symmetric, hermitian };

/// What a file holds: CSR, symmetry expanded, the columns of a row ascending, duplicates in the order of the file.
struct FileMatrix {
  std::string path;
  std::int64_t rows     = 0;
  std::int64_t columns  = 0;
  FileSymmetry symmetry = FileSymmetry::general;
  /// Numbers of one value: 0 for a pattern, 1 real or integer, 2 complex.
  int components = 1;
  std::vector<std::int64_t> row_map;
  std::vector<std::int64_t> entries;
  std::vector<double> values;
  /// Instead of `values`, where integers were asked for; unsigned ones modulo 2^64.
  std::vector<std::int64_t> integers;
};

/// The numbers that the scalar of the result holds.
struct ScalarRange {
  bool is_complex = true;
  /// Bits of the significand of real numbers.
  int digits = std::numeric_limits<double>::digits;
  /// Integers of more bits than that are rounded, not refused.
  bool round_integers = false;
  /// Only integers, from `least` (not above 0) to `most`.
  bool is_integer    = false;
  std::int64_t least = 0;
  std::uint64_t most = 0;
};

struct FileLimits {
  /// Of the index type of the matrix.
  std::int64_t largest_index = std::numeric_limits<std::int64_t>::max();
  /// Bytes that the row offsets may take; 0: 256 MiB and 64 times the text.
  std::size_t memory = 0;
  ScalarRange numbers;
};

/// \throws InvalidArgument where there is no such file, InvalidMatrix, NotSupported, OutOfMemory
FileMatrix read_matrix_file(const std::string& path, const FileLimits& limits = {});

enum class FileScalar { int64, uint64, float32, float64, complex64, complex128 };

/// CSR arrays to be written; the values are nonzeros of them, of the type that `scalar` names.
struct FileMatrixView {
  std::int64_t rows;
  std::int64_t columns;
  const std::vector<std::int64_t>& row_map;
  const std::vector<std::int64_t>& entries;
  FileScalar scalar;
  const void* values;
};

/// Writes beside `path` first and renames, so that a failure leaves what was there.
/// \throws InvalidArgument where the file cannot be written
void write_matrix_file(const std::string& path, const FileMatrixView& matrix);

}  // namespace lacuna::Impl

#endif
