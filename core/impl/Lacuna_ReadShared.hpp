// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_READSHARED_HPP
#define LACUNA_READSHARED_HPP

#include <Kokkos_Complex.hpp>
#include <Kokkos_Macros.hpp>

/// \file
/// \brief Reading what other teams of the same launch have written.

namespace lacuna::Impl {

/// Reads what another team wrote in this launch, past a cache that may hold an older value.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real read_shared(const Real* source) {
  return *static_cast<const volatile Real*>(source);
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<Real> read_shared(const Kokkos::complex<Real>* source) {
  const auto* parts    = reinterpret_cast<const volatile Real*>(source);
  const Real real      = parts[0];
  const Real imaginary = parts[1];
  return Kokkos::complex<Real>(real, imaginary);
}

}  // namespace lacuna::Impl

#endif
