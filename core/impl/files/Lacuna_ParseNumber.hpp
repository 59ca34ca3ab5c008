// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PARSENUMBER_HPP
#define LACUNA_PARSENUMBER_HPP

#include <core/impl/files/Lacuna_TextFile.hpp>

#include <cstdint>
#include <string_view>

/// \file
/// \brief Words of matrix files, and the whole numbers of their structure: sizes, indices, pointers.

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

/// Messages quote `word`, or `quoted` where the file has it otherwise. \throws LineError
std::int64_t parse_integer(std::string_view word, const char* what, std::string_view quoted = {});

}  // namespace lacuna::Impl

#endif
