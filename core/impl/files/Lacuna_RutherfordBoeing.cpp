// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_ParseNumber.hpp>
#include <core/impl/matrix/Lacuna_StoredMatrix.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Source: Duff, Grimes, Lewis, "The Rutherford-Boeing sparse matrix collection", 1997, section 2.1, and the same
// authors' "Users' guide for the Harwell-Boeing sparse matrix collection", 1992. Both store columns: pointers, row
// indices, values, in lines of fixed fields that a Fortran format describes.

namespace lacuna::Impl {

namespace {

/// (per_line fields of width characters); width 0: words between blanks.
struct FieldFormat {
  std::int64_t per_line = 0;
  std::size_t width     = 0;
  std::string text;
};

/// Understands (8I10), (1P,3E26.18), (1P4D20.12E3), (3(1PE25.17)) and the like, and (*).
/// \throws LineError
FieldFormat parse_format(std::string_view text) {
  FieldFormat format{0, 0, std::string(text)};
  std::string rest;
  for (const char c : text) {
    if (!is_blank(c)) rest += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  const auto fail = [&]() -> LineError { return {0, "format " + excerpt(text) + " is not understood"}; };
  std::size_t at  = 0;
  const auto peek = [&] { return at < rest.size() ? rest[at] : '\0'; };
  // At most six digits: no field or line is longer.
  const auto number = [&](std::int64_t otherwise) {
    const std::size_t begin = at;
    std::int64_t value      = 0;
    while (peek() >= '0' && peek() <= '9') {
      if (at - begin == 6) throw fail();
      value = 10 * value + (rest[at++] - '0');
    }
    return at > begin ? value : otherwise;
  };
  std::int64_t repeat = 1;
  bool scaled         = false;
  while (true) {
    const bool minus = peek() == '-' || peek() == '+';
    at += minus ? 1 : 0;
    const std::int64_t count = number(-1);
    if (peek() == '(' && !minus) {
      ++at;
      repeat *= count < 0 ? 1 : count;
    } else if (peek() == 'P' && count >= 0 && !scaled) {
      ++at;  // a scale factor; fields with an exponent, and there are no others here, do not feel it
      scaled = true;
      if (peek() == ',') ++at;
    } else if (peek() == '*' && count < 0 && !minus) {
      return {0, 0, std::string(text)};
    } else {
      repeat *= count < 0 ? 1 : count;
      if (minus || peek() == '\0' || std::string_view("IEDFGZ").find(peek()) == std::string_view::npos || peek() == 'Z')
        throw fail();
      ++at;
      if (peek() == 'S' || peek() == 'N') ++at;  // ES, EN
      break;
    }
    if (repeat > 1000000) throw fail();
  }
  const std::int64_t width = number(0);
  if (width < 1 || width > 1000 || repeat < 1 || repeat > 1000000) throw fail();
  if (peek() == '.') {
    ++at;
    number(0);
  }
  if (peek() == 'E' || peek() == 'D') {
    ++at;
    number(0);
  }
  while (peek() == ')') ++at;
  if (at != rest.size()) throw fail();
  format.per_line = repeat;
  format.width    = static_cast<std::size_t>(width);
  return format;
}

/// The whole text, line by line and field by field.
class FieldReader {
 public:
  FieldReader(const TextFile& file, std::string_view text) : m_file(file), m_rest(text) {}

  /// \throws InvalidMatrix where there is none
  std::string_view line(const char* what) {
    if (m_rest.empty()) m_file.refuse(m_line, "the file ends before its ", what);
    const std::size_t end       = m_rest.find('\n');
    const std::string_view line = m_rest.substr(0, end);
    m_rest.remove_prefix(end == std::string_view::npos ? m_rest.size() : end + 1);
    ++m_line;
    return line;
  }

  /// Hands `count` fields to `take(field, i)`, which may throw LineError. Starts at a new line.
  template <class Take>
  void fields(const FieldFormat& format, std::int64_t count, const char* what, const Take& take) {
    std::int64_t i = 0;
    while (i < count) {
      if (m_rest.empty()) m_file.refuse(m_line, "the file ends after ", i, " of ", count, " ", what);
      std::string_view line = this->line(what);
      for (std::int64_t field = 0; i < count && (format.width == 0 || field < format.per_line); ++field, ++i) {
        std::string_view word = line;
        if (format.width > 0) {
          word = line.substr(0, format.width);
          line.remove_prefix(word.size());
        }
        std::string_view found = next_word(word);
        if (format.width == 0) line = word;
        if (format.width == 0 && found.empty()) break;
        try {
          if (found.empty())
            throw LineError{0,
                            "field " + std::to_string(field + 1) + " of format " + excerpt(format.text) + " is blank"};
          if (format.width > 0 && !next_word(word).empty())
            throw LineError{
                0, "field " + std::to_string(field + 1) + " of format " + excerpt(format.text) + " is not one number"};
          take(found, i);
        } catch (const LineError& error) {
          m_file.refuse(m_line, error.fact);
        }
      }
    }
  }

  std::int64_t line_number() const { return m_line; }

 private:
  const TextFile& m_file;
  std::string_view m_rest;
  std::int64_t m_line = 0;
};

/// The parenthesised formats of a line.
std::vector<FieldFormat> parse_formats(std::string_view line) {
  std::vector<FieldFormat> formats;
  std::size_t begin = 0;
  int depth         = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '(' && depth++ == 0) begin = i;
    if (line[i] == ')' && depth > 0 && --depth == 0) formats.push_back(parse_format(line.substr(begin, i + 1 - begin)));
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

StoredMatrix read_rutherford_boeing(TextFile& file, std::string text) {
  std::string more;
  while (file.next_block(more)) text += more;
  FieldReader reader(file, text);
  StoredMatrix matrix;
  StoredBlock block;
  FieldFormat pointer_format, index_format, value_format;
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
    is_pattern        = kind.value == 'p';
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
    const std::vector<FieldFormat> formats = parse_formats(formats_line);
    const std::size_t needed               = is_pattern ? 2 : 3;
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
  reader.fields(pointer_format, matrix.columns + 1, "column pointers", [&](std::string_view word, std::int64_t i) {
    const std::int64_t pointer = parse_integer(word, "column pointer");
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
  reader.fields(index_format, entries, "row indices", [&](std::string_view word, std::int64_t i) {
    const std::int64_t row = parse_integer(word, "row index");
    if (row < 1 || row > matrix.rows)
      throw LineError{0, "row index " + std::to_string(row) + " is not in 1 to " + std::to_string(matrix.rows)};
    while (pointers[static_cast<std::size_t>(column) + 1] <= i + 1) ++column;
    block.rows.push_back(row - 1);
    block.columns.push_back(column);
  });
  if (!is_pattern) {
    std::int64_t numbers = 0;
    if (__builtin_mul_overflow(entries, static_cast<std::int64_t>(matrix.components), &numbers))
      file.refuse(3, "the number of entries is too large");
    reader.fields(value_format, numbers, "values", [&](std::string_view word, std::int64_t) {
      block.values.push_back(parse_real(word, "value", Exponents::fortran));
    });
  }
  matrix.blocks.push_back(std::move(block));
  return matrix;
}

}  // namespace lacuna::Impl
