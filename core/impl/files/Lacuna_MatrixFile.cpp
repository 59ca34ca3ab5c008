// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_MatrixFile.hpp>
#include <core/impl/matrix/Lacuna_StoredMatrix.hpp>

#include <algorithm>
#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace lacuna::Impl {

namespace {

/// Calls `body(row, column, block, i, mirrored)` for each entry of the expanded matrix, in the order of the file.
template <class Body>
void for_each_entry(const StoredMatrix& stored, const Body& body) {
  for (const StoredBlock& block : stored.blocks) {
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      body(block.rows[i], block.columns[i], block, i, false);
      if (stored.symmetry != FileSymmetry::general && block.rows[i] != block.columns[i])
        body(block.columns[i], block.rows[i], block, i, true);
    }
  }
}

/// Sorts the columns of each row, equal ones in the order in which they came.
template <class Value>
void sort_rows(FileMatrix& matrix, std::vector<Value>& values) {
  const auto parts = static_cast<std::size_t>(matrix.components);
  std::vector<std::size_t> order;
  std::vector<std::int64_t> entries;
  std::vector<Value> sorted;
  for (std::size_t row = 0; row + 1 < matrix.row_map.size(); ++row) {
    const auto begin = static_cast<std::size_t>(matrix.row_map[row]);
    const auto end   = static_cast<std::size_t>(matrix.row_map[row + 1]);
    const auto first = matrix.entries.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::is_sorted(first, matrix.entries.begin() + static_cast<std::ptrdiff_t>(end))) continue;
    order.resize(end - begin);
    std::iota(order.begin(), order.end(), begin);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return matrix.entries[a] < matrix.entries[b]; });
    entries.clear();
    sorted.clear();
    for (const std::size_t from : order) {
      entries.push_back(matrix.entries[from]);
      for (std::size_t part = 0; part < parts; ++part) sorted.push_back(values[from * parts + part]);
    }
    std::copy(entries.begin(), entries.end(), first);
    std::copy(sorted.begin(), sorted.end(), values.begin() + static_cast<std::ptrdiff_t>(begin * parts));
  }
}

/// A counting sort by rows. Integers can be negated: the parsers refuse those of skew-symmetric matrices that cannot.
template <class Value>
void assemble(const StoredMatrix& stored, std::vector<Value> StoredBlock::*from, FileMatrix& matrix,
              std::vector<Value>& values) {
  const auto parts = static_cast<std::size_t>(stored.components);
  matrix.row_map.assign(static_cast<std::size_t>(stored.rows) + 1, 0);
  for_each_entry(stored, [&](std::int64_t row, std::int64_t, const StoredBlock&, std::size_t, bool) {
    ++matrix.row_map[static_cast<std::size_t>(row) + 1];
  });
  std::partial_sum(matrix.row_map.begin(), matrix.row_map.end(), matrix.row_map.begin());
  const auto nonzeros = static_cast<std::size_t>(matrix.row_map.back());
  matrix.entries.resize(nonzeros);
  values.resize(nonzeros * parts);
  const bool negate_real      = stored.symmetry == FileSymmetry::skew_symmetric;
  const bool negate_imaginary = stored.symmetry != FileSymmetry::symmetric;
  // While rows fill, row_map[row] is the next position of row; afterwards it is the end of row, which is one shift off.
  for_each_entry(stored,
                 [&](std::int64_t row, std::int64_t column, const StoredBlock& block, std::size_t i, bool mirrored) {
                   const auto to      = static_cast<std::size_t>(matrix.row_map[static_cast<std::size_t>(row)]++);
                   matrix.entries[to] = column;
                   for (std::size_t part = 0; part < parts; ++part) {
                     const Value value         = (block.*from)[i * parts + part];
                     const bool negate         = mirrored && (part == 0 ? negate_real : negate_imaginary);
                     values[to * parts + part] = negate ? -value : value;
                   }
                 });
  for (std::size_t row = matrix.row_map.size() - 1; row > 0; --row) matrix.row_map[row] = matrix.row_map[row - 1];
  matrix.row_map[0] = 0;
  sort_rows(matrix, values);
}

}  // namespace

FileMatrix read_matrix_file(const std::string& path, const FileLimits& limits) {
  FileMatrix matrix;
  matrix.path = path;
  try {
    TextFile file(path);
    std::string text;
    if (!file.next_block(text)) file.refuse(1, "the file is empty");
    const bool is_matrix_market = text[std::min(text.find_first_not_of(" \t"), text.size() - 1)] == '%';
    const StoredMatrix stored   = is_matrix_market ? read_matrix_market(file, std::move(text), limits.numbers)
                                                   : read_rutherford_boeing(file, std::move(text), limits.numbers);
    if (std::max(stored.rows, stored.columns) > limits.largest_index)
      raise<InvalidMatrix>("read_matrix", path, ": the matrix is ", shape_text(stored.rows, stored.columns),
                           ", the index type of the result holds at most ", limits.largest_index);
    const std::size_t limit =
        limits.memory > 0 ? limits.memory : (std::size_t(256) << 20) + 64 * static_cast<std::size_t>(file.bytes());
    if (static_cast<std::size_t>(stored.rows) >= limit / sizeof(std::int64_t))
      raise<OutOfMemory>("read_matrix", path, ": the offsets of ", stored.rows, " rows take more than ", limit,
                         " bytes, which the option memory_limit can raise");
    matrix.rows       = stored.rows;
    matrix.columns    = stored.columns;
    matrix.symmetry   = stored.symmetry;
    matrix.components = stored.components;
    if (limits.numbers.is_integer)
      assemble(stored, &StoredBlock::integers, matrix, matrix.integers);
    else
      assemble(stored, &StoredBlock::values, matrix, matrix.values);
  } catch (const std::bad_alloc&) {
    raise<OutOfMemory>("read_matrix", path, ": no memory for what the file holds");
  } catch (const std::length_error&) {
    raise<OutOfMemory>("read_matrix", path, ": no memory for what the file holds");
  }
  return matrix;
}

}  // namespace lacuna::Impl
