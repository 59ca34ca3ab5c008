// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PARSENUMBER_HPP
#define LACUNA_PARSENUMBER_HPP

#include <core/impl/files/Lacuna_TextFile.hpp>

#include <fast_matrix_market/fast_matrix_market.hpp>

#include <cctype>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// \brief Numbers of matrix files, each a whole word.

namespace lacuna::Impl {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

/// Takes the next word off the front of `line`; empty where there is none.
inline std::string_view next_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// A leading '+', which the fast parsers refuse, goes.
inline std::string_view without_plus(std::string_view word) {
  return word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+' ? word.substr(1) : word;
}

/// \throws LineError
inline std::int64_t parse_integer(std::string_view word, const char* what) {
  if (word.empty()) throw LineError{0, std::string(what) + " is missing"};
  const std::string_view digits = without_plus(word);
  std::int64_t value            = 0;
  try {
    const char* end = digits.data() + digits.size();
    if (fast_matrix_market::read_int(digits.data(), end, value) == end) return value;
  } catch (const fast_matrix_market::out_of_range&) {
    throw LineError{0, std::string(what) + " " + excerpt(word) + " does not fit in 64 bits"};
  } catch (const fast_matrix_market::invalid_mm&) {
  }
  throw LineError{0, std::string(what) + " " + excerpt(word) + " is not an integer"};
}

enum class Exponents { c, fortran };

/// Fortran's exponents, "1.0D+02" and (where lines are fixed, so that it cannot be two numbers) "1.0+102", to the form
/// of C; empty where `word` is not one of them.
inline std::string with_plain_exponent(std::string_view word, Exponents exponents) {
  if (word.size() > 60) return {};
  const std::size_t mark = word.find_first_of(exponents == Exponents::fortran ? "dDqQ+-" : "dD", 1);
  if (mark == std::string_view::npos) return {};
  std::string text(word.substr(0, mark));
  text += 'e';
  text += word.substr(word[mark] == '+' || word[mark] == '-' ? mark : mark + 1);
  return text;
}

/// The nearest double; what is too small becomes 0. \throws LineError, also where it is too large
inline double parse_real(std::string_view word, const char* what, Exponents exponents = Exponents::c) {
  if (word.empty()) throw LineError{0, std::string(what) + " is missing"};
  const auto parse = [](std::string_view text, double& value) {
    try {
      const char* end = text.data() + text.size();
      return fast_matrix_market::read_float(text.data(), end, value, fast_matrix_market::BestMatch) == end;
    } catch (const fast_matrix_market::invalid_mm&) {
      return false;
    }
  };
  const std::string_view digits = without_plus(word);
  double value                  = 0;
  if (!parse(digits, value)) {
    const std::string plain = with_plain_exponent(digits, exponents);
    if (plain.empty() || !parse(plain, value))
      throw LineError{0, std::string(what) + " " + excerpt(word) + " is not a number"};
  }
  if (std::isinf(value)) {
    const char first = digits[digits[0] == '-' && digits.size() > 1 ? 1 : 0];
    if (first != 'i' && first != 'I')
      throw LineError{0, std::string(what) + " " + excerpt(word) + " is too large for a double"};
  }
  return value;
}

/// A value of an integer file: 64 bits, signed or not. Reals, Inf and NaN, which such files do hold, are taken too.
/// \throws LineError
inline double parse_whole(std::string_view word, const char* what) {
  const double value = parse_real(word, what);
  if (std::isfinite(value) && (value < -0x1p63 || value > 0x1p64))
    throw LineError{0, std::string(what) + " " + excerpt(word) + " does not fit in 64 bits"};
  return value;
}

}  // namespace lacuna::Impl

#endif
