// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORTRANFORMAT_HPP
#define LACUNA_FORTRANFORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// \brief Formats of Fortran: (1P,3(1X,E24.16)) and the like, as a list of steps.
///
/// Source: ISO/IEC 1539-1:2018 (Fortran 2018), part 13.

namespace lacuna::Impl {

/// One edit descriptor.
struct FormatStep {
  enum class Kind {
    field,        ///< `count` fields of `width` characters: I, F, E, D, G
    move,         ///< nX, TRn, TLn: by `count` characters, to the left where negative
    tab,          ///< Tn: to character `count`, from 1
    next_line,    ///< '/'
    stop,         ///< ':': nothing follows where nothing is left to read
    scale,        ///< kP: `count` is k
    blanks_null,  ///< BN: blanks in fields count for nothing
    blanks_zero   ///< BZ: blanks in fields count as zeros, unless they lead
  };
  Kind kind;
  std::int64_t count = 1;
  char letter        = 0;  ///< of a field: 'I', 'F', 'E', 'D', 'G'
  std::size_t width  = 0;
  int decimals       = 0;  ///< digits after a point that a field does not have
};

struct FortranFormat {
  std::string text;
  std::vector<FormatStep> steps;
  /// Where a format that has been used up goes on, at a new line: its last group.
  std::size_t reversion = 0;
  /// (*): words between blanks, no steps.
  bool is_free = false;
};

/// \throws LineError where it is no format, or not one that reads numbers
FortranFormat parse_fortran_format(std::string_view text);

}  // namespace lacuna::Impl

#endif
