// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DECIMAL_HPP
#define LACUNA_DECIMAL_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// \file
/// \brief Decimal numbers as files write them, without any rounding.

namespace lacuna::Impl {

/// What may stand before an exponent: `c`: e, E, d, D; `fortran`: also q, Q, or its sign alone ("1.0+102"). The latter
/// is for fixed fields: between blanks it could be two numbers.
enum class Exponents { c, fortran };

/// (-1)^negative times the whole number `digits` times 10^exponent.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
  bool has_point        = false;
  bool has_exponent     = false;
};

/// Empty where `word` is no finite decimal number.
std::optional<Decimal> parse_decimal(std::string_view word, Exponents exponents);

/// In the form of C, "-15e-1", for parsers of floating-point numbers.
std::string plain_text(const Decimal& number);

/// A whole number of at most 64 bits and its sign.
struct Whole {
  bool negative           = false;
  std::uint64_t magnitude = 0;
};

enum class Wholeness { whole, fraction, more_than_64_bits };

/// Sets `whole` where `number` is a whole number whose magnitude has at most 64 bits.
Wholeness whole_of(const Decimal& number, Whole& whole);

}  // namespace lacuna::Impl

#endif
