// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_REGION_HPP
#define LACUNA_REGION_HPP

#include <Kokkos_Core.hpp>

#include <string>

namespace lacuna::Impl {

/// \brief A region for profiling tools, as long as it lives. `text()` is its name, which is put together only where a
/// tool is there: strings take a tenth of what a small product does.
class Region {
 public:
  template <class Text>
  explicit Region(const Text& text) : m_is_open(Kokkos::Tools::profileLibraryLoaded()) {
    if (m_is_open) Kokkos::Profiling::pushRegion(text());
  }
  ~Region() {
    if (m_is_open) Kokkos::Profiling::popRegion();
  }
  Region(const Region&)            = delete;
  Region& operator=(const Region&) = delete;

 private:
  bool m_is_open;
};

}  // namespace lacuna::Impl

#endif
