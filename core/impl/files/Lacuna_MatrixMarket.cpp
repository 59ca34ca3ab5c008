// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_ParseNumber.hpp>
#include <core/impl/files/Lacuna_ValueReader.hpp>
#include <core/impl/matrix/Lacuna_StoredMatrix.hpp>

#include <fast_matrix_market/fast_matrix_market.hpp>

#include <algorithm>
#include <cstdint>
#include <future>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace lacuna::Impl {

namespace {

namespace fmm = fast_matrix_market;

/// What the banner and the size line say.
struct Header {
  fmm::matrix_market_header type;
  std::int64_t rows      = 0;
  std::int64_t columns   = 0;
  std::int64_t entries   = 0;  // that the file stores
  std::int64_t size_line = 0;  // from 1
  int components         = 1;
};

/// A piece of the body after its parse.
struct ParsedBlock {
  std::string text;
  StoredBlock entries;
  std::int64_t count = 0;
  std::int64_t lines = 0;
  std::optional<LineError> error;
};

/// The words that `map` has, for a message.
template <class Map>
std::string choices(const Map& map) {
  std::string text;
  for (const auto& [value, word] : map) text += " " + word;
  return text;
}

template <class Enum, class Map>
Enum banner_word(const TextFile& file, std::string_view word, const char* what, const Map& map) {
  if (word.empty()) file.refuse(1, "the banner ends before its ", what);
  try {
    return fmm::parse_header_enum<Enum>(std::string(word), map, 1);
  } catch (const fmm::invalid_mm&) {
    file.refuse(1, excerpt(word), " is no ", what, ", there are:", choices(map));
  }
}

/// \throws InvalidMatrix
void parse_banner(const TextFile& file, std::string_view line, Header& header) {
  std::string banner(next_word(line));
  std::transform(banner.begin(), banner.end(), banner.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (banner != "%%matrixmarket" && banner != "%matrixmarket")
    file.refuse(1, excerpt(banner), " is not the banner \"%%MatrixMarket\"");
  auto& type    = header.type;
  type.object   = banner_word<fmm::object_type>(file, next_word(line), "object", fmm::object_map);
  type.format   = banner_word<fmm::format_type>(file, next_word(line), "format", fmm::format_map);
  type.field    = banner_word<fmm::field_type>(file, next_word(line), "field", fmm::field_map);
  type.symmetry = banner_word<fmm::symmetry_type>(file, next_word(line), "symmetry", fmm::symmetry_map);

  header.components = type.field == fmm::pattern ? 0 : type.field == fmm::complex ? 2 : 1;
  if (type.object == fmm::vector && type.symmetry != fmm::general) file.refuse(1, "a vector has no symmetry");
  if (type.field == fmm::pattern && type.format == fmm::array) file.refuse(1, "an array of no values (pattern)");
  if (type.field == fmm::pattern && (type.symmetry == fmm::skew_symmetric || type.symmetry == fmm::hermitian))
    file.refuse(1, "a pattern is general or symmetric");
}

/// \throws LineError, where the product does not fit too
std::int64_t array_entries(const Header& header) {
  std::int64_t product = 0, n = header.rows;
  if (__builtin_mul_overflow(header.rows, header.columns, &product))
    throw LineError{0, "the number of entries does not fit in 64 bits"};
  if (header.type.symmetry == fmm::general) return product;
  return header.type.symmetry == fmm::skew_symmetric ? (product - n) / 2 : (product - n) / 2 + n;
}

/// \throws LineError
void parse_sizes(std::string_view line, Header& header) {
  const auto size = [&](const char* what) {
    const std::int64_t value = parse_integer(next_word(line), what);
    if (value < 0) throw LineError{0, std::string(what) + " " + std::to_string(value) + " is negative"};
    return value;
  };
  const bool is_vector = header.type.object == fmm::vector;
  header.rows          = size(is_vector ? "the length" : "the number of rows");
  header.columns       = is_vector ? 1 : size("the number of columns");
  if (header.type.format == fmm::coordinate) header.entries = size("the number of entries");
  if (const std::string_view more = next_word(line); !more.empty())
    throw LineError{0, excerpt(more) + " after the sizes"};
  if (header.type.symmetry != fmm::general && header.rows != header.columns)
    throw LineError{0, std::to_string(header.rows) + " x " + std::to_string(header.columns) +
                           " is not square, but the banner says " + fmm::symmetry_map.at(header.type.symmetry)};
  if (header.type.format == fmm::array) header.entries = array_entries(header);
}

bool is_comment_or_blank(std::string_view line) {
  const std::string_view word = next_word(line);
  return word.empty() || word[0] == '%';
}

std::int64_t parse_index(std::string_view word, const char* what, std::int64_t extent) {
  const std::int64_t index = parse_integer(word, what);
  if (index < 1 || index > extent)
    throw LineError{0, std::string(what) + " " + std::to_string(index) + " is not in 1 to " + std::to_string(extent)};
  return index - 1;
}

void parse_entry(std::string_view line, const Header& header, const ValueReader& values, StoredBlock& block) {
  // An array of a skew-symmetric matrix has no diagonal.
  bool negated = header.type.symmetry == fmm::skew_symmetric;
  if (header.type.format == fmm::coordinate) {
    block.rows.push_back(parse_index(next_word(line), "row index", header.rows));
    block.columns.push_back(
        header.type.object == fmm::vector ? 0 : parse_index(next_word(line), "column index", header.columns));
    negated = negated && block.rows.back() != block.columns.back();
  }
  for (int part = 0; part < header.components; ++part) {
    const char* what = part == 1 ? "imaginary part" : header.components == 2 ? "real part" : "value";
    values.append({next_word(line), what}, negated, block);
  }
  if (const std::string_view more = next_word(line); !more.empty())
    throw LineError{0, excerpt(more) + " after the entry"};
}

std::string surplus_fact(const Header& header) {
  return "more entries than the " + std::to_string(header.entries) + " that line " + std::to_string(header.size_line) +
         " promises";
}

/// Parses lines of the body, at most `wanted` entries of them. Runs beside others.
ParsedBlock parse_block(std::string text, const Header& header, const ScalarRange& numbers, std::int64_t wanted) {
  ParsedBlock parsed;
  parsed.text  = std::move(text);
  parsed.lines = std::count(parsed.text.begin(), parsed.text.end(), '\n');
  // The shortest entry takes two bytes (of an array) or four.
  const bool coordinate  = header.type.format == fmm::coordinate;
  const std::size_t most = std::min(static_cast<std::size_t>(parsed.lines), parsed.text.size() / (coordinate ? 4 : 2));
  if (coordinate) {
    parsed.entries.rows.reserve(most);
    parsed.entries.columns.reserve(most);
  }
  const std::size_t most_numbers = most * static_cast<std::size_t>(header.components);
  if (numbers.is_integer)
    parsed.entries.integers.reserve(most_numbers);
  else
    parsed.entries.values.reserve(most_numbers);
  const ValueReader values(numbers, header.type.field == fmm::integer || header.type.field == fmm::unsigned_integer);
  for_each_line(parsed.text, [&](std::string_view line, std::int64_t number) {
    if (is_comment_or_blank(line)) return true;
    try {
      if (parsed.count == wanted) throw LineError{0, surplus_fact(header)};
      parse_entry(line, header, values, parsed.entries);
      ++parsed.count;
      return true;
    } catch (const LineError& error) {
      parsed.error = LineError{number, error.fact};
      return false;
    }
  });
  return parsed;
}

/// Turns the values of an array, which say their place by their number, into coordinates; zeros are left out.
class ArrayCoordinates {
 public:
  explicit ArrayCoordinates(const Header& header)
      : m_header(header), m_skew(header.type.symmetry == fmm::skew_symmetric), m_row(m_skew ? 1 : 0) {}

  template <class Value>
  void place(StoredBlock& block, std::vector<Value>& values) {
    const auto parts     = static_cast<std::size_t>(m_header.components);
    const auto count     = values.size() / parts;
    const bool symmetric = m_header.type.symmetry != fmm::general;
    std::size_t kept     = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Value* value = &values[i * parts];
      if (value[0] != 0 || value[parts - 1] != 0) {
        block.rows.push_back(m_row);
        block.columns.push_back(m_column);
        for (std::size_t part = 0; part < parts; ++part) values[kept * parts + part] = value[part];
        ++kept;
      }
      if (++m_row < m_header.rows) continue;
      ++m_column;
      m_row = symmetric ? m_column + (m_skew ? 1 : 0) : 0;
    }
    values.resize(kept * parts);
  }

 private:
  const Header& m_header;
  bool m_skew;
  std::int64_t m_row;
  std::int64_t m_column = 0;
};

/// Hands blocks of text to threads and takes the results in the order of the file.
class BodyReader {
 public:
  BodyReader(TextFile& file, const Header& header, const ScalarRange& numbers, StoredMatrix& matrix)
      : m_file(file),
        m_header(header),
        m_numbers(numbers),
        m_matrix(matrix),
        m_coordinates(header),
        m_lines(header.size_line) {}

  void read(std::string text) {
    std::string next;
    bool more = m_file.next_block(next);
    if (!more) {
      take(parse_block(std::move(text), m_header, m_numbers, m_header.entries));
    } else {
      const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
      task_thread_pool::task_thread_pool pool(threads);
      std::queue<std::future<ParsedBlock>> futures;
      while (true) {
        // How many entries earlier blocks have is not known yet: all that is promised may be in this one.
        const std::int64_t wanted = m_header.entries - m_count;
        futures.push(pool.submit([this, wanted, piece = std::move(text)]() mutable {
          return parse_block(std::move(piece), m_header, m_numbers, wanted);
        }));
        while (!futures.empty() && (futures.size() > threads || !more)) {
          ParsedBlock parsed = futures.front().get();
          futures.pop();
          take(std::move(parsed));
        }
        if (!more) break;
        text = std::move(next);
        next.clear();
        more = m_file.next_block(next);
      }
    }
    if (m_count < m_header.entries)
      m_file.refuse(m_lines, "the file ends after ", m_count, " of the ", m_header.entries, " entries that line ",
                    m_header.size_line, " promises");
  }

 private:
  void take(ParsedBlock&& parsed) {
    if (m_count + parsed.count > m_header.entries) parsed.error = surplus(parsed);
    if (parsed.error) m_file.refuse(m_lines + parsed.error->line + 1, parsed.error->fact);
    m_lines += parsed.lines;
    m_count += parsed.count;
    if (m_header.type.format == fmm::array && m_numbers.is_integer)
      m_coordinates.place(parsed.entries, parsed.entries.integers);
    else if (m_header.type.format == fmm::array)
      m_coordinates.place(parsed.entries, parsed.entries.values);
    m_matrix.blocks.push_back(std::move(parsed.entries));
  }

  /// The line of the first entry too many.
  LineError surplus(const ParsedBlock& parsed) const {
    std::int64_t left = m_header.entries - m_count;
    LineError error{0, surplus_fact(m_header)};
    for_each_line(parsed.text, [&](std::string_view line, std::int64_t number) {
      error.line = number;
      return is_comment_or_blank(line) || left-- > 0;
    });
    return error;
  }

  TextFile& m_file;
  const Header& m_header;
  const ScalarRange& m_numbers;
  StoredMatrix& m_matrix;
  ArrayCoordinates m_coordinates;
  std::int64_t m_lines;
  std::int64_t m_count = 0;
};

FileSymmetry symmetry_of(const Header& header) {
  switch (header.type.symmetry) {
    case fmm::symmetric: return FileSymmetry::symmetric;
    case fmm::skew_symmetric: return FileSymmetry::skew_symmetric;
    case fmm::hermitian: return FileSymmetry::hermitian;
    case fmm::general: break;
  }
  return FileSymmetry::general;
}

}  // namespace

StoredMatrix read_matrix_market(TextFile& file, std::string text, const ScalarRange& numbers) {
  Header header;
  std::int64_t lines = 0;
  bool found         = false;
  while (!found) {
    std::size_t body = 0;
    for_each_line(text, [&](std::string_view line, std::int64_t) {
      body += line.size() + 1;
      if (++lines == 1) {
        parse_banner(file, line, header);
        if (header.components == 2) check_complex(file, 1, numbers);
        return true;
      }
      if (is_comment_or_blank(line)) return true;
      header.size_line = lines;
      try {
        parse_sizes(line, header);
      } catch (const LineError& error) {
        file.refuse(lines, error.fact);
      }
      found = true;
      return false;
    });
    if (found)
      text.erase(0, body);
    else if (!file.next_block(text))
      file.refuse(lines, "the file ends before its size line");
  }
  StoredMatrix matrix;
  matrix.rows       = header.rows;
  matrix.columns    = header.columns;
  matrix.symmetry   = symmetry_of(header);
  matrix.components = header.components;
  BodyReader(file, header, numbers, matrix).read(std::move(text));
  return matrix;
}

}  // namespace lacuna::Impl
