// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ERROR_HPP
#define LACUNA_ERROR_HPP

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

/// \file
/// \brief What the library throws. Every message reads "lacuna::<function>: <fact>, <every extent involved>".
/// Device code never throws. When an exception leaves a function, its outputs are untouched.

namespace lacuna {

/// \brief Base of everything the library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \brief Extents of the arguments do not fit together.
class DimensionMismatch : public Error {
 public:
  using Error::Error;
};

/// \brief An argument has a value that no call could accept (an option out of range, a plan of another matrix).
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// \brief A matrix, or the file it is read from, breaks the rules of its format.
class InvalidMatrix : public Error {
 public:
  using Error::Error;
};

/// \brief The request makes sense but this backend, scalar or algorithm cannot serve it; the message names what can.
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
