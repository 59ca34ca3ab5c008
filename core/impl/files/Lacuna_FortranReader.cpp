// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_FortranReader.hpp>
#include <core/impl/files/Lacuna_ParseNumber.hpp>

#include <algorithm>

namespace lacuna::Impl {

namespace {

using Kind = FormatStep::Kind;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The characters that count; they live in `buffer` where they are not a part of `text`, which starts at the first
/// nonblank of a field.
std::string_view without_blanks(std::string_view text, bool blanks_are_zeros, std::string& buffer) {
  if (text.empty()) return "0";
  if (std::none_of(text.begin(), text.end(), is_blank)) return text;
  buffer.clear();
  for (const char c : text) {
    if (!is_blank(c))
      buffer += c;
    else if (blanks_are_zeros)
      buffer += '0';
  }
  return buffer;
}

}  // namespace

std::int64_t fortran_integer(const FortranField& field, const char* what) {
  if (field.letter != 'I' && field.letter != 'G')
    throw LineError{0, std::string(what) + " has a format of reals, " + field.letter};
  return parse_integer(field.digits, what, field.text);
}

std::optional<Decimal> fortran_decimal(const FortranField& field) {
  if (field.letter == 'I') {
    if (field.digits.find_first_not_of("+-0123456789") != std::string_view::npos)
      throw LineError{0, excerpt(field.text) + " is not an integer, which its format reads"};
    return std::nullopt;
  }
  const bool has_point = field.digits.find('.') != std::string_view::npos;
  if (has_point && (field.scale == 0 || field.digits.find_first_of("eEdD") != std::string_view::npos))
    return std::nullopt;
  std::optional<Decimal> number = parse_decimal(field.digits, Exponents::fortran);
  if (!number) return number;
  if (!number->has_point) number->exponent -= field.decimals;
  if (!number->has_exponent) number->exponent -= field.scale;
  return number;
}

std::string_view FortranReader::line(const char* what) {
  if (m_rest.empty()) m_file.refuse(m_line, "the file ends before its ", what);
  const std::size_t end       = m_rest.find('\n');
  const std::string_view line = m_rest.substr(0, end);
  m_rest.remove_prefix(end == std::string_view::npos ? m_rest.size() : end + 1);
  ++m_line;
  return line;
}

/// One READ statement: its position in the format and in the line.
class FortranReader::Pass {
 public:
  Pass(FortranReader& reader, const FortranFormat& format, std::int64_t count, const char* what,
       const std::function<void(const FortranField&, std::int64_t)>& take)
      : m_reader(reader), m_format(format), m_count(count), m_what(what), m_take(take) {}

  void free_form() {
    while (m_done < m_count) {
      next_line();
      for (std::string_view word = next_word(m_line); m_done < m_count && !word.empty(); word = next_word(m_line)) {
        m_field.text   = word;
        m_field.digits = word;
        hand_out();
      }
    }
  }

  void formatted() {
    next_line();
    for (std::size_t step = 0; !m_is_over;) {
      if (step < m_format.steps.size()) {
        take_step(m_format.steps[step++]);
      } else if (m_done == m_count) {
        return;
      } else {
        next_line();
        step = m_format.reversion;
      }
    }
  }

 private:
  void take_step(const FormatStep& step) {
    switch (step.kind) {
      case Kind::field:
        for (std::int64_t i = 0; i < step.count && !m_is_over; ++i) take_field(step);
        return;
      case Kind::move: m_at = std::max<std::int64_t>(m_at + step.count, 0); return;
      case Kind::tab: m_at = step.count - 1; return;
      case Kind::next_line:
        // After the last number the line may be missing.
        if (m_done < m_count || !m_reader.m_rest.empty()) next_line();
        return;
      case Kind::stop: m_is_over = m_done == m_count; return;
      case Kind::scale: m_field.scale = step.count; return;
      case Kind::blanks_null: m_blanks_are_zeros = false; return;
      case Kind::blanks_zero: m_blanks_are_zeros = true; return;
    }
  }

  /// The format goes on after the last number as far as the next field.
  void take_field(const FormatStep& step) {
    m_is_over = m_done == m_count;
    if (m_is_over) return;
    ++m_number;
    const std::size_t begin     = std::min(static_cast<std::size_t>(m_at), m_line.size());
    const std::string_view text = m_line.substr(begin, step.width);
    // Fortran would take 0: rather a line that was cut off than blanks that somebody took away.
    if (text.empty())
      m_reader.m_file.refuse(m_reader.m_line, "field ", m_number, " of format ", excerpt(m_format.text),
                             " is blank: the line ends before it");
    m_at += static_cast<std::int64_t>(step.width);
    m_field.text     = trimmed(text);
    m_field.letter   = step.letter;
    m_field.decimals = step.decimals;
    // By BZ the blanks at the end count too, those in front never do.
    const bool to_the_end = m_blanks_are_zeros && !m_field.text.empty();
    m_field.digits =
        without_blanks(to_the_end ? text.substr(text.find(m_field.text)) : m_field.text, m_blanks_are_zeros, m_buffer);
    hand_out();
  }

  void hand_out() {
    try {
      m_take(m_field, m_done++);
    } catch (const LineError& error) {
      m_reader.m_file.refuse(m_reader.m_line, error.fact);
    }
  }

  void next_line() {
    if (m_reader.m_rest.empty())
      m_reader.m_file.refuse(m_reader.m_line, "the file ends after ", m_done, " of ", m_count, " ", m_what);
    m_line   = m_reader.line(m_what);
    m_at     = 0;
    m_number = 0;
  }

  FortranReader& m_reader;
  const FortranFormat& m_format;
  std::int64_t m_count;
  const char* m_what;
  const std::function<void(const FortranField&, std::int64_t)>& m_take;
  FortranField m_field;
  std::string m_buffer;  // of the field's digits
  std::string_view m_line;
  std::int64_t m_at       = 0;
  std::int64_t m_number   = 0;  // of the field in its line, from 1
  std::int64_t m_done     = 0;
  bool m_blanks_are_zeros = false;
  bool m_is_over          = false;
};

void FortranReader::fields(const FortranFormat& format, std::int64_t count, const char* what,
                           const std::function<void(const FortranField&, std::int64_t)>& take) {
  if (count == 0) return;
  Pass pass(*this, format, count, what, take);
  if (format.is_free)
    pass.free_form();
  else
    pass.formatted();
}

}  // namespace lacuna::Impl
