// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_ParseNumber.hpp>
#include <core/impl/files/Lacuna_ValueReader.hpp>

#include <fast_matrix_market/fast_matrix_market.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>

namespace lacuna::Impl {

namespace {

[[noreturn]] void refuse(const FileNumber& number, const std::string& fact) {
  throw LineError{0, std::string(number.what) + " " + excerpt(number.quoted) + fact};
}

/// The nearest `Real`, as a double; what is too small becomes 0, what is too large infinite.
template <class Real>
bool parse_plain(std::string_view text, double& value) {
  try {
    const char* const end = text.data() + text.size();
    Real nearest          = 0;
    const bool is_whole_text =
        fast_matrix_market::read_float(text.data(), end, nearest, fast_matrix_market::BestMatch) == end;
    value = static_cast<double>(nearest);
    return is_whole_text;
  } catch (const fast_matrix_market::invalid_mm&) {
    return false;
  }
}

std::optional<Decimal> decimal_of(const FileNumber& number) {
  return number.decimal != nullptr ? *number.decimal : parse_decimal(number.text, number.exponents);
}

/// Most integers of files are nothing but digits.
std::optional<Whole> plain_whole(const FileNumber& number) {
  if (number.decimal != nullptr) return std::nullopt;
  const bool negative     = !number.text.empty() && number.text[0] == '-';
  std::string_view digits = negative ? number.text.substr(1) : without_plus(number.text);
  std::uint64_t magnitude = 0;
  const char* const end   = digits.data() + digits.size();
  const auto result       = std::from_chars(digits.data(), end, magnitude);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return Whole{negative, magnitude};
}

bool has_64_bits(const Whole& whole) { return !whole.negative || whole.magnitude <= std::uint64_t(1) << 63; }

}  // namespace

void ValueReader::append(const FileNumber& number, bool negated, StoredBlock& block) const {
  if (number.text.empty()) throw LineError{0, std::string(number.what) + " is missing"};
  if (m_numbers.is_integer)
    block.integers.push_back(integer(number, negated));
  else
    block.values.push_back(m_is_integer ? whole(number) : real(number));
}

double ValueReader::real(const FileNumber& number) const {
  // By way of a double a number could be rounded twice.
  const bool is_float = m_numbers.digits == 24;
  const auto parse    = is_float ? parse_plain<float> : parse_plain<double>;
  double value        = 0;
  const bool is_plain = number.decimal == nullptr && parse(without_plus(number.text), value);
  if (is_plain && !std::isinf(value)) return value;
  const std::optional<Decimal> decimal = decimal_of(number);
  if (!is_plain && !(decimal && parse(plain_text(*decimal), value))) refuse(number, " is not a number");
  if (std::isinf(value) && decimal)
    refuse(number,
           std::string(" is too large for a ") + (is_float ? "float" : "double") + ", the scalar of the matrix");
  return value;
}

/// Of an integer file, for a real scalar. Reals, Inf and NaN, which such files do hold, are taken too.
double ValueReader::whole(const FileNumber& number) const {
  std::optional<Whole> whole = plain_whole(number);
  if (!whole) {
    const std::optional<Decimal> decimal = decimal_of(number);
    Whole found;
    const Wholeness wholeness = decimal ? whole_of(*decimal, found) : Wholeness::fraction;
    if (wholeness == Wholeness::fraction) return real(number);
    if (wholeness == Wholeness::more_than_64_bits) refuse(number, " does not fit in 64 bits");
    whole = found;
  }
  if (!has_64_bits(*whole)) refuse(number, " does not fit in 64 bits");
  const int bits = static_cast<int>(std::bit_width(whole->magnitude)) - std::countr_zero(whole->magnitude);
  if (bits > m_numbers.digits) {
    if (m_numbers.round_integers) return real(number);
    refuse(number, " has more bits than the " + std::to_string(m_numbers.digits) +
                       " of the scalar of the matrix, which would round it (the option round_integers allows that)");
  }
  const auto magnitude = static_cast<double>(whole->magnitude);
  return whole->negative ? -magnitude : magnitude;
}

bool ValueReader::fits(const Whole& whole) const {
  return whole.negative ? whole.magnitude <= 0 - static_cast<std::uint64_t>(m_numbers.least)
                        : whole.magnitude <= m_numbers.most;
}

/// For an integer scalar; an unsigned one modulo 2^64.
std::int64_t ValueReader::integer(const FileNumber& number, bool negated) const {
  const auto refuse_range = [&](const char* fact) {
    refuse(number, fact + (" the integers of the matrix, " + std::to_string(m_numbers.least) + " to " +
                           std::to_string(m_numbers.most)));
  };
  std::optional<Whole> whole = plain_whole(number);
  if (!whole) {
    const std::optional<Decimal> decimal = decimal_of(number);
    double infinite_or_nan               = 0;
    if (!decimal && !parse_plain<double>(without_plus(number.text), infinite_or_nan))
      refuse(number, " is not a number");
    if (!decimal) refuse(number, " is no integer, the scalar of the matrix is");
    Whole found;
    const Wholeness wholeness = whole_of(*decimal, found);
    if (wholeness == Wholeness::fraction)
      refuse(number, " is no integer, the scalar of the matrix is: the fraction would be lost");
    if (wholeness == Wholeness::more_than_64_bits) refuse_range(" does not fit");
    whole = found;
  }
  if (!fits(*whole)) refuse_range(" does not fit");
  if (negated && !fits({!whole->negative, whole->magnitude}))
    refuse_range(" of a skew-symmetric matrix has a negative that does not fit");
  return static_cast<std::int64_t>(whole->negative ? 0 - whole->magnitude : whole->magnitude);
}

}  // namespace lacuna::Impl
