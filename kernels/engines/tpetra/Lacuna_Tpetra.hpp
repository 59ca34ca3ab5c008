// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRA_HPP
#define LACUNA_TPETRA_HPP

/// \file
/// \brief Matrices of Tpetra with the kernels of this library. Needs the headers of Trilinos (16.1, with its own Kokkos
/// and Kokkos Kernels); nothing else of the library includes it.

#include <Lacuna_TpetraOperator.hpp>
#include <Lacuna_TpetraOptions.hpp>
#include <Lacuna_TpetraProduct.hpp>
#include <Lacuna_TpetraTripleProduct.hpp>

#endif
