// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_FortranFormat.hpp>
#include <core/impl/files/Lacuna_ParseNumber.hpp>

#include <algorithm>
#include <cctype>

namespace lacuna::Impl {

namespace {

using Kind = FormatStep::Kind;

/// No line is longer, and no format has more steps when its groups are written out.
constexpr std::int64_t largest_count = 1000000;
constexpr std::int64_t largest_width = 1000;
constexpr std::size_t most_steps     = 10000;
constexpr int deepest_group          = 16;

class FormatParser {
 public:
  explicit FormatParser(std::string_view text) : m_format{std::string(text), {}, 0, false} {
    // Blanks mean nothing in a format.
    for (const char c : text) {
      if (!is_blank(c)) m_rest += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }

  FortranFormat parse() {
    if (m_rest == "(*)") {
      m_format.is_free = true;
      return m_format;
    }
    if (next() != '(') fail();
    group(0);
    if (m_at != m_rest.size()) fail();
    // What comes back to a part without fields would never end.
    const auto is_field = [](const FormatStep& step) { return step.kind == Kind::field; };
    if (std::none_of(m_format.steps.begin() + static_cast<std::ptrdiff_t>(m_format.reversion), m_format.steps.end(),
                     is_field))
      fail();
    return m_format;
  }

 private:
  [[noreturn]] void fail() const { throw LineError{0, "format " + excerpt(m_format.text) + " is not understood"}; }

  char peek() const { return m_at < m_rest.size() ? m_rest[m_at] : '\0'; }
  char next() {
    if (m_at == m_rest.size()) fail();
    return m_rest[m_at++];
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++m_at;
    return true;
  }
  bool has_digit() const { return peek() >= '0' && peek() <= '9'; }

  std::int64_t number() {
    if (!has_digit()) fail();
    std::int64_t value = 0;
    while (has_digit()) {
      value = 10 * value + (next() - '0');
      if (value > largest_count) fail();
    }
    return value;
  }
  std::int64_t number_or(std::int64_t otherwise) { return has_digit() ? number() : otherwise; }

  void add(const FormatStep& step) {
    if (m_format.steps.size() == most_steps) fail();
    m_format.steps.push_back(step);
  }

  /// What stands between an opened parenthesis and its end.
  void group(int depth) {
    if (depth > deepest_group) fail();
    while (!take(')')) {
      if (take(',')) continue;
      item(depth);
    }
  }

  void item(int depth) {
    const bool has_sign  = peek() == '-' || peek() == '+';
    const bool is_minus  = has_sign && next() == '-';
    const bool has_count = has_digit();
    if (has_sign && !has_count) fail();
    const std::int64_t count = number_or(1);
    const char letter        = next();
    if (letter == 'P') {
      if (!has_count || count > largest_width) fail();
      return add({Kind::scale, is_minus ? -count : count});
    }
    if (has_sign || count == 0) fail();
    switch (letter) {
      case '(': return repeated_group(depth, count);
      case '/':
        for (std::int64_t i = 0; i < count; ++i) add({Kind::next_line});
        return;
      case 'X': return add({Kind::move, count});
      case 'I':
      case 'F':
      case 'E':
      case 'D':
      case 'G': return field(letter, count);
      default: break;
    }
    if (has_count) fail();
    switch (letter) {
      case ':': return add({Kind::stop});
      case 'T': return tab();
      case 'B': return blanks();
      case 'S':  // signs of output
        if (!take('P') && !take('S')) take('U');
        return;
      default: fail();
    }
  }

  void repeated_group(int depth, std::int64_t count) {
    const std::size_t begin = m_format.steps.size();
    group(depth + 1);
    const std::size_t end = m_format.steps.size();
    for (std::int64_t i = 1; i < count && begin < end; ++i) {
      for (std::size_t step = begin; step < end; ++step) add(FormatStep(m_format.steps[step]));
    }
    if (depth == 0) m_format.reversion = begin;
  }

  void tab() {
    if (take('L')) return add({Kind::move, -number()});
    if (take('R')) return add({Kind::move, number()});
    const std::int64_t position = number();
    if (position < 1) fail();
    add({Kind::tab, position});
  }

  void blanks() {
    if (take('N')) return add({Kind::blanks_null});
    if (!take('Z')) fail();
    add({Kind::blanks_zero});
  }

  void field(char letter, std::int64_t count) {
    // ES and EN read as E does.
    if (letter == 'E' && !take('S')) take('N');
    FormatStep step{Kind::field, count, letter};
    const std::int64_t width = number();
    if (width < 1 || width > largest_width) fail();
    step.width = static_cast<std::size_t>(width);
    if (take('.')) {
      const std::int64_t decimals = number_or(0);
      if (decimals > largest_width) fail();
      // Of integers it is the number of digits that are written.
      if (letter != 'I') step.decimals = static_cast<int>(decimals);
    }
    // Digits of the exponent, of output. D20.12E3 and E25.17D3 are seen in files.
    if ((letter == 'E' || letter == 'D' || letter == 'G') && (take('E') || take('D'))) number();
    add(step);
  }

  FortranFormat m_format;
  std::string m_rest;
  std::size_t m_at = 0;
};

}  // namespace

FortranFormat parse_fortran_format(std::string_view text) { return FormatParser(text).parse(); }

}  // namespace lacuna::Impl
