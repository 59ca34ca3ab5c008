// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_UNIFORMSLICES_HPP
#define LACUNA_UNIFORMSLICES_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstdint>

/// \file
/// \brief Slices that all have the same width: they are made so, and checked.

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

template <class Begin>
struct CountOtherSlices {
  Begin begin;
  int width;
  KOKKOS_FUNCTION void operator()(const std::int64_t slice, std::int64_t& count) const {
    if (begin(slice) != slice * width || begin(slice + 1) != (slice + 1) * width) ++count;
  }
};

/// Whether every slice has `width` chunks or diagonals.
template <class ExecutionSpace, class Begin>
bool has_uniform_slices(const ExecutionSpace& exec, const Begin& begin, std::int64_t slices, int width) {
  std::int64_t others = 0;
  Kokkos::parallel_reduce("Lacuna::validate::slices", index_range(exec, slices), CountOtherSlices<Begin>{begin, width},
                          others);
  exec.fence("Lacuna::validate: slices to the host");
  return others == 0;
}

}  // namespace lacuna::Impl

#endif
