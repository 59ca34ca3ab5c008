// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORTRANREADER_HPP
#define LACUNA_FORTRANREADER_HPP

#include <core/impl/files/Lacuna_Decimal.hpp>
#include <core/impl/files/Lacuna_FortranFormat.hpp>
#include <core/impl/files/Lacuna_TextFile.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

/// \file
/// \brief Numbers of a text as Fortran's formats read them.

namespace lacuna::Impl {

/// A field of a line, and what the format says of it.
struct FortranField {
  std::string_view text;    ///< without blanks around it, as messages quote it
  std::string_view digits;  ///< the text with its blanks dropped (or, by BZ, as zeros); "0" where there are only blanks
  char letter        = 'G';
  int decimals       = 0;
  std::int64_t scale = 0;
};

/// A field of I or G. \throws LineError
std::int64_t fortran_integer(const FortranField& field, const char* what);

/// The value where it is not simply what `field.digits` says: a scale factor divides numbers without an exponent, and
/// numbers without a point get one before their last `decimals` digits. \throws LineError where I reads no integer
std::optional<Decimal> fortran_decimal(const FortranField& field);

/// The lines of a text, one after the other.
class FortranReader {
 public:
  FortranReader(const TextFile& file, std::string_view text) : m_file(file), m_rest(text) {}

  /// \throws InvalidMatrix where there is none
  std::string_view line(const char* what);

  /// Hands `count` fields to `take(field, i)`, which may throw LineError. Starts at a new line; none is read where
  /// `count` is 0. \throws InvalidMatrix
  void fields(const FortranFormat& format, std::int64_t count, const char* what,
              const std::function<void(const FortranField&, std::int64_t)>& take);

  std::int64_t line_number() const { return m_line; }

 private:
  class Pass;
  const TextFile& m_file;
  std::string_view m_rest;
  std::int64_t m_line = 0;
};

}  // namespace lacuna::Impl

#endif
