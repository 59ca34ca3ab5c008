// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_Decimal.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace lacuna::Impl {

namespace {

/// Beyond any exponent that a number has a use for, and far from overflow when lengths of texts are added.
constexpr std::int64_t largest_exponent = 1000000000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_sign(char c) { return c == '+' || c == '-'; }

/// The digits after the mark of an exponent, with their sign. Empty where there is anything else.
std::optional<std::int64_t> parse_exponent(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && is_sign(text[0])) text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::int64_t value = 0;
  const auto result  = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || value > largest_exponent) value = largest_exponent;
  return negative ? -value : value;
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view word, Exponents exponents) {
  Decimal number;
  std::size_t at = 0;
  if (at < word.size() && is_sign(word[at])) number.negative = word[at++] == '-';
  for (; at < word.size(); ++at) {
    if (is_digit(word[at])) {
      number.digits += word[at];
      number.exponent -= number.has_point ? 1 : 0;
    } else if (word[at] == '.' && !number.has_point) {
      number.has_point = true;
    } else {
      break;
    }
  }
  if (number.digits.empty()) return std::nullopt;
  if (at == word.size()) return number;
  const std::string_view marks = exponents == Exponents::fortran ? "eEdDqQ" : "eEdD";
  const bool bare              = exponents == Exponents::fortran && is_sign(word[at]);
  if (!bare && marks.find(word[at]) == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> exponent = parse_exponent(word.substr(bare ? at : at + 1));
  if (!exponent) return std::nullopt;
  number.has_exponent = true;
  number.exponent += *exponent;
  return number;
}

std::string plain_text(const Decimal& number) {
  return (number.negative ? "-" : "") + number.digits + "e" + std::to_string(number.exponent);
}

Wholeness whole_of(const Decimal& number, Whole& whole) {
  std::string_view digits = number.digits;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  std::int64_t exponent = number.exponent;
  while (!digits.empty() && digits.back() == '0') {
    digits.remove_suffix(1);
    ++exponent;
  }
  whole = {number.negative, 0};
  if (digits.empty()) return Wholeness::whole;
  if (exponent < 0) return Wholeness::fraction;
  if (exponent + static_cast<std::int64_t>(digits.size()) > 20) return Wholeness::more_than_64_bits;
  const std::string text = std::string(digits) + std::string(static_cast<std::size_t>(exponent), '0');
  const auto result      = std::from_chars(text.data(), text.data() + text.size(), whole.magnitude);
  return result.ec == std::errc() ? Wholeness::whole : Wholeness::more_than_64_bits;
}

}  // namespace lacuna::Impl
