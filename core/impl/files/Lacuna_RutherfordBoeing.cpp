// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_FortranFormat.hpp>
#include <core/impl/files/Lacuna_FortranReader.hpp>
#include <core/impl/files/Lacuna_ParseNumber.hpp>
#include <core/impl/files/Lacuna_ValueReader.hpp>
#include <core/impl/matrix/Lacuna_StoredMatrix.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Source: Duff, Grimes, Lewis, "The Rutherford-Boeing sparse matrix collection", 1997, section 2.1, and the same
// authors' "Users' guide for the Harwell-Boeing sparse matrix collection", 1992. Both store columns: pointers, row
// indices, values, in lines of fixed fields that a Fortran format describes.

namespace lacuna::Impl {

namespace {

/// The parenthesised formats of a line.
std::vector<FortranFormat> parse_formats(std::string_view line) {
  std::vector<FortranFormat> formats;
  std::size_t begin = 0;
  int depth         = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '(' && depth++ == 0) begin = i;
    if (line[i] == ')' && depth > 0 && --depth == 0)
      formats.push_back(parse_fortran_format(line.substr(begin, i + 1 - begin)));
  }
  return formats;
}

/// The third line: the type in three letters, then sizes.
struct Kind {
  char value;
  char structure;
};

/// \throws LineError
Kind parse_kind(std::string_view word) {
  if (word.size() != 3)
    throw LineError{
        0, excerpt(word) + " is no type of a Rutherford-Boeing matrix, and line 1 is no banner of Matrix Market"};
  char letters[3];
  for (int i = 0; i < 3; ++i) letters[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[i])));
  if (std::string_view("rcpiq").find(letters[0]) == std::string_view::npos ||
      std::string_view("ushzr").find(letters[1]) == std::string_view::npos ||
      std::string_view("ae").find(letters[2]) == std::string_view::npos)
    throw LineError{
        0,
        excerpt(word) +
            " is no type of a Rutherford-Boeing matrix, [rcpiq][ushzr][ae], and line 1 is no banner of Matrix Market"};
  return {letters[2] == 'e' ? 'e' : letters[0], letters[1]};
}

}  // namespace

StoredMatrix read_rutherford_boeing(TextFile& file, std::string text, const ScalarRange& numbers) {
  std::string more;
  while (file.next_block(more)) text += more;
  FortranReader reader(file, text);
  StoredMatrix matrix;
  StoredBlock block;
  FortranFormat pointer_format, index_format, value_format;
  std::int64_t entries = 0;
  const auto on_line   = [&](const auto& parse) {
    try {
      parse();
    } catch (const LineError& error) {
      file.refuse(reader.line_number(), error.fact);
    }
  };

  const char* const neither = "type of a Rutherford-Boeing matrix (and line 1 is no banner of Matrix Market)";
  reader.line(neither);
  std::string_view counts     = reader.line(neither);
  std::int64_t rhs_lines      = 0;
  bool is_pattern             = false;
  bool is_integer             = false;
  const std::string_view type = reader.line(neither);
  on_line([&] {
    std::string_view rest = type;
    const Kind kind       = parse_kind(next_word(rest));
    if (kind.value == 'e')
      raise<NotSupported>("read_matrix", file.path(), ":", reader.line_number(),
                          ": an elemental (unassembled) matrix, only assembled ones are read");
    if (kind.value == 'q')
      raise<NotSupported>(
          "read_matrix", file.path(), ":", reader.line_number(),
          ": the values are in a file of their own (type q), real, complex, integer and pattern are read");
    is_pattern = kind.value == 'p';
    is_integer = kind.value == 'i';
    if (kind.value == 'c') check_complex(file, reader.line_number(), numbers);
    matrix.components = is_pattern ? 0 : kind.value == 'c' ? 2 : 1;
    matrix.symmetry   = kind.structure == 's'   ? FileSymmetry::symmetric
                        : kind.structure == 'h' ? FileSymmetry::hermitian
                        : kind.structure == 'z' ? FileSymmetry::skew_symmetric
                                                : FileSymmetry::general;
    matrix.rows       = parse_integer(next_word(rest), "the number of rows");
    matrix.columns    = parse_integer(next_word(rest), "the number of columns");
    entries           = parse_integer(next_word(rest), "the number of entries");
    if (matrix.rows < 0 || matrix.columns < 0 || entries < 0) throw LineError{0, "a size is negative"};
    if (matrix.symmetry != FileSymmetry::general && matrix.rows != matrix.columns)
      throw LineError{0, std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns) +
                             " is not square, but the type is " + excerpt(type.substr(0, 3))};
  });
  // The fifth number counts lines of right-hand sides: Harwell-Boeing only, and announced by a line of their own.
  for (int word = 0; word < 4; ++word) next_word(counts);
  if (const std::string_view fifth = next_word(counts); !fifth.empty()) {
    try {
      rhs_lines = parse_integer(fifth, "the number of lines of right-hand sides");
    } catch (const LineError& error) {
      file.refuse(2, error.fact);
    }
  }
  const std::string_view formats_line = reader.line("formats");
  on_line([&] {
    const std::vector<FortranFormat> formats = parse_formats(formats_line);
    const std::size_t needed                 = is_pattern ? 2 : 3;
    if (formats.size() < needed)
      throw LineError{0, std::to_string(formats.size()) + " formats, " + std::to_string(needed) + " are needed"};
    pointer_format = formats[0];
    index_format   = formats[1];
    if (!is_pattern) value_format = formats[2];
  });
  if (rhs_lines > 0) reader.line("kind of right-hand sides");

  // Every pointer takes a character at least: a promise that the file cannot hold ends in a refusal, not in memory.
  std::vector<std::int64_t> pointers;
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (matrix.columns == largest || entries == largest) file.refuse(3, "a size is too large");
  reader.fields(pointer_format, matrix.columns + 1, "column pointers", [&](const FortranField& field, std::int64_t i) {
    const std::int64_t pointer = fortran_integer(field, "column pointer");
    const std::int64_t least   = i == 0 ? 1 : pointers.back();
    const std::int64_t most    = i == 0 ? 1 : entries + 1;
    if (pointer < least || pointer > most)
      throw LineError{0, "column pointer " + std::to_string(pointer) + " is not in " + std::to_string(least) + " to " +
                             std::to_string(most)};
    if (i == matrix.columns && pointer != entries + 1)
      throw LineError{0, "the last column pointer is " + std::to_string(pointer) + ", for " + std::to_string(entries) +
                             " entries it has to be " + std::to_string(entries + 1)};
    pointers.push_back(pointer);
  });
  std::int64_t column = 0;
  reader.fields(index_format, entries, "row indices", [&](const FortranField& field, std::int64_t i) {
    const std::int64_t row = fortran_integer(field, "row index");
    if (row < 1 || row > matrix.rows)
      throw LineError{0, "row index " + std::to_string(row) + " is not in 1 to " + std::to_string(matrix.rows)};
    while (pointers[static_cast<std::size_t>(column) + 1] <= i + 1) ++column;
    block.rows.push_back(row - 1);
    block.columns.push_back(column);
  });
  if (!is_pattern) {
    std::int64_t count = 0;
    if (__builtin_mul_overflow(entries, static_cast<std::int64_t>(matrix.components), &count))
      file.refuse(3, "the number of entries is too large");
    const ValueReader values(numbers, is_integer);
    const bool is_skew = matrix.symmetry == FileSymmetry::skew_symmetric;
    // To an integer G is I.
    for (FormatStep& step : value_format.steps) {
      if (is_integer && step.letter == 'G') step = {step.kind, step.count, 'I', step.width};
    }
    reader.fields(value_format, count, "values", [&](const FortranField& field, std::int64_t i) {
      const auto entry                     = static_cast<std::size_t>(i / matrix.components);
      const std::optional<Decimal> decimal = fortran_decimal(field);
      const FileNumber number{field.digits, "value", Exponents::fortran, decimal ? &*decimal : nullptr, field.text};
      values.append(number, is_skew && block.rows[entry] != block.columns[entry], block);
    });
  }
  matrix.blocks.push_back(std::move(block));
  return matrix;
}

}  // namespace lacuna::Impl
