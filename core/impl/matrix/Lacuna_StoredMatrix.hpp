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
StoredMatrix read_matrix_market(TextFile& file, std::string text);
StoredMatrix read_rutherford_boeing(TextFile& file, std::string text);

}  // namespace lacuna::Impl

#endif
