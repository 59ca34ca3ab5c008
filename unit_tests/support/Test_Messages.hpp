// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_MESSAGES_HPP
#define LACUNA_TEST_MESSAGES_HPP

#include <gmock/gmock.h>

#include <string>

namespace lacuna::Test {

/// Runs `call` and returns the message of the exception that it must throw.
template <class ErrorType, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const ErrorType& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing of the expected kind was thrown";
  return {};
}

}  // namespace lacuna::Test

#endif
