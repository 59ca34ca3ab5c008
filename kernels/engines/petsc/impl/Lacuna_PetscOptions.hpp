// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PETSCOPTIONS_HPP
#define LACUNA_PETSCOPTIONS_HPP

#include <petscmat.h>

#include <cstdint>
#include <optional>

namespace lacuna::Impl {

/// What the options database says of a matrix.
struct PetscMatOptions {
  std::optional<std::int64_t> expected_calls    = {};  // of products with vectors and dense matrices
  std::optional<std::int64_t> expected_products = {};  // of products of sparse matrices
  std::optional<std::int64_t> columns           = {};  // of dense matrices
  bool reports                                  = false;
};

}  // namespace lacuna::Impl

#endif
