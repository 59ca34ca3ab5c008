// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Tpetra_Core.hpp>

#include <gmock/gmock.h>

#include <cstdlib>
#include <iostream>
#include <string>

// Every rank runs every test. One that fails ends with an error, and mpiexec with it. LACUNA_TEST_RANKS: as many there
// must be.
int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  const char* ranks = std::getenv("LACUNA_TEST_RANKS");
  if (ranks != nullptr && std::to_string(Tpetra::getDefaultComm()->getSize()) != ranks) {
    std::cerr << "there are " << Tpetra::getDefaultComm()->getSize() << " ranks, not " << ranks << "\n";
    return 1;
  }
  return RUN_ALL_TESTS();
}
