// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <gtest/gtest.h>
#include <petscsys.h>

/// A test that fails on one rank fails the program: mpiexec hands on the exit status.
int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (PetscInitialize(&count, &arguments, nullptr, nullptr) != PETSC_SUCCESS) return 2;
  const int failed = RUN_ALL_TESTS();
  return PetscFinalize() == PETSC_SUCCESS ? failed : 3;
}
