// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SCALARKIND_HPP
#define LACUNA_SCALARKIND_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace lacuna::Impl {

/// The scalar of a matrix as a plain value.
enum class ScalarKind { half, real, complex };

/// What a choice knows of the scalar. On hosts half precision is stored in as many bytes as float.
struct ScalarProperties {
  ScalarKind kind   = ScalarKind::real;
  std::size_t bytes = 4;

  bool is_float() const { return kind == ScalarKind::real && bytes == 4; }
  bool is_double() const { return kind == ScalarKind::real && bytes == 8; }
};

template <class Scalar>
constexpr ScalarProperties scalar_properties() {
  if constexpr (std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>)
    return {ScalarKind::real, sizeof(Scalar)};
  else if constexpr (std::is_same_v<Scalar, Kokkos::complex<float>> || std::is_same_v<Scalar, Kokkos::complex<double>>)
    return {ScalarKind::complex, sizeof(Scalar)};
  else
    return {ScalarKind::half, sizeof(Scalar)};
}

}  // namespace lacuna::Impl

#endif
