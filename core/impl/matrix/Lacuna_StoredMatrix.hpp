// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_STOREDMATRIX_HPP
#define LACUNA_STOREDMATRIX_HPP

#include <core/impl/files/Lacuna_MatrixFile.hpp>
#include <core/impl/files/Lacuna_TextFile.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief A matrix as its file stores it, in between the parsers and CSR.

namespace lacuna::Impl {

/// Entries of one part of the file, in its order. Indices from 0, checked.
struct StoredBlock {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::vector<double> values;
  /// Instead of `values`, where the scalar of the result is an integer.
  std::vector<std::int64_t> integers;
};

/// Coordinates, before symmetry is expanded.
struct StoredMatrix {
  std::int64_t rows     = 0;
  std::int64_t columns  = 0;
  FileSymmetry symmetry = FileSymmetry::general;
  int components        = 1;
  std::vector<StoredBlock> blocks;
};

/// `text` is the first block of `file`. \throws InvalidMatrix, NotSupported
StoredMatrix read_matrix_market(TextFile& file, std::string text, const ScalarRange& numbers);
StoredMatrix read_rutherford_boeing(TextFile& file, std::string text, const ScalarRange& numbers);

/// Line `line` of `file` says that its values are complex. \throws NotSupported where those of the result are not
inline void check_complex(const TextFile& file, std::int64_t line, const ScalarRange& numbers) {
  if (numbers.is_complex) return;
  raise<NotSupported>("read_matrix", file.path(), ":", line, ": the values are complex, the scalar of the matrix is ",
                      numbers.is_integer ? "an integer" : "real", ": the imaginary parts would be lost");
}

}  // namespace lacuna::Impl

#endif
