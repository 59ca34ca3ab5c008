// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HUGEPAGES_HPP
#define LACUNA_HUGEPAGES_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// \file
/// \brief Large pages for large arrays of a host.

namespace lacuna::Impl {

/// Asks the system to back memory that nobody has touched yet with large pages, of which a first touch brings 512 small
/// ones at once. Does nothing for less than two of them, for memory of devices, and on systems that do not know it.
template <class View>
void advise_huge_pages([[maybe_unused]] const View& view) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>) {
    constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
    const auto begin              = reinterpret_cast<std::uintptr_t>(view.data());
    const std::uintptr_t end      = begin + view.span() * sizeof(typename View::value_type);
    const std::uintptr_t first    = (begin + page - 1) / page * page;
    // An advice: whether it was taken makes no difference to what is computed.
    if (first + page < end)
      static_cast<void>(madvise(reinterpret_cast<void*>(first), end / page * page - first, MADV_HUGEPAGE));
  }
#endif
}

}  // namespace lacuna::Impl

#endif
