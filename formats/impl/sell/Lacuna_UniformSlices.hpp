// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_UNIFORMSLICES_HPP
#define LACUNA_UNIFORMSLICES_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace lacuna::Impl {

/// Slices that all have `width` chunks, or diagonals: where each begins.
template <class Begin>
struct PlaceUniformSlices {
  Begin slice_begin;
  std::int64_t width;
  KOKKOS_FUNCTION void operator()(const std::int64_t slice) const {
    slice_begin(slice) = static_cast<std::int32_t>(slice * width);
  }
};

}  // namespace lacuna::Impl

#endif
