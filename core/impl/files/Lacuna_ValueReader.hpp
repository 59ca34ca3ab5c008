// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALUEREADER_HPP
#define LACUNA_VALUEREADER_HPP

#include <core/impl/files/Lacuna_Decimal.hpp>
#include <core/impl/files/Lacuna_MatrixFile.hpp>
#include <core/impl/matrix/Lacuna_StoredMatrix.hpp>

#include <cstdint>
#include <string_view>

/// \file
/// \brief Values of matrix files as the scalar of the result holds them, or a refusal that quotes the file.

namespace lacuna::Impl {

/// A number of a file.
struct FileNumber {
  std::string_view text;  ///< a whole word
  const char* what;       ///< of messages: "value", "real part"
  Exponents exponents     = Exponents::c;
  const Decimal* decimal  = nullptr;  ///< the value, where the text does not say it (Fortran's fields)
  std::string_view quoted = text;     ///< the text of the file, for messages
};

class ValueReader {
 public:
  /// \param[in] numbers what the result holds
  /// \param[in] is_integer whether the file says that its values are integers. It may hold reals nevertheless
  ValueReader(const ScalarRange& numbers, bool is_integer) : m_numbers(numbers), m_is_integer(is_integer) {}

  /// Appends to `block.values` or, where the scalar of the result is an integer, to `block.integers`.
  ///
  /// \param[in] number
  /// \param[in] negated the negative is an entry too (skew-symmetric matrices)
  /// \param[out] block
  /// \throws LineError where it is no number, or none that the scalar holds
  void append(const FileNumber& number, bool negated, StoredBlock& block) const;

 private:
  double real(const FileNumber& number) const;
  double whole(const FileNumber& number) const;
  std::int64_t integer(const FileNumber& number, bool negated) const;
  bool fits(const Whole& whole) const;

  ScalarRange m_numbers;
  bool m_is_integer;
};

}  // namespace lacuna::Impl

#endif
