// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_ParseNumber.hpp>

#include <charconv>
#include <string>
#include <system_error>

namespace lacuna::Impl {

std::int64_t parse_integer(std::string_view word, const char* what, std::string_view quoted) {
  if (quoted.empty()) quoted = word;
  if (word.empty()) throw LineError{0, std::string(what) + " is missing"};
  const std::string_view digits = without_plus(word);
  const char* const end         = digits.data() + digits.size();
  std::int64_t value            = 0;
  const auto result             = std::from_chars(digits.data(), end, value);
  if (result.ec == std::errc() && result.ptr == end) return value;
  if (result.ec == std::errc::result_out_of_range)
    throw LineError{0, std::string(what) + " " + excerpt(quoted) + " does not fit in 64 bits"};
  throw LineError{0, std::string(what) + " " + excerpt(quoted) + " is not an integer"};
}

}  // namespace lacuna::Impl
