// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ERROR_HPP
#define LACUNA_ERROR_HPP

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

/// \file
/// \brief The exceptions that the library throws.
///
/// Every message reads "lacuna::<function>: <fact>, <every extent involved>". Device code never throws. A function that
/// throws leaves its outputs untouched, with two exceptions. `spgemm` with beta D and a plan that was made without D
/// compares D with C after it has computed C: C then holds the sum without the nonzeros of D that it has no places for.
/// After an error of the device or of a vendor's library (what Kokkos throws; NotSupported and OutOfMemory of
/// `SpmmAlgorithm::dense`), outputs are undefined.

namespace lacuna {

/// \brief The base class of all exceptions of the library.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \brief The extents of two arguments contradict each other.
class DimensionMismatch : public Error {
 public:
  using Error::Error;
};

/// \brief An argument has a value that no call accepts: an option out of range, or a plan of another matrix.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// \brief A matrix, or the file that it is read from, breaks the rules of its format.
class InvalidMatrix : public Error {
 public:
  using Error::Error;
};

/// \brief The request makes sense, but this backend, scalar type or algorithm cannot serve it. The message names what
/// can.
class NotSupported : public Error {
 public:
  using Error::Error;
};

/// \brief The request needs more memory than there is, or than `memory_limit` allows. Thrown before any work.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

namespace Impl {

inline std::string to_text(std::string_view text) { return std::string(text); }
inline std::string to_text(const char* text) { return text; }
inline std::string to_text(const std::string& text) { return text; }
template <class Number>
requires std::is_arithmetic_v<Number> std::string to_text(Number number) { return std::to_string(number); }

/// Throws `ErrorType` with "lacuna::<function>: <parts one after the other>".
template <class ErrorType, class... Parts>
[[noreturn]] void raise(std::string_view function, const Parts&... parts) {
  std::string message = "lacuna::";
  message += function;
  message += ": ";
  ((message += to_text(parts)), ...);
  throw ErrorType(message);
}

/// "1000x500", the form in which every message names a shape.
template <class Rows, class Columns>
std::string shape_text(Rows rows, Columns columns) {
  return std::to_string(rows) + "x" + std::to_string(columns);
}

}  // namespace Impl
}  // namespace lacuna

#endif
