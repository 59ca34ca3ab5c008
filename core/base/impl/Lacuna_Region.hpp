// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_REGION_HPP
#define LACUNA_REGION_HPP

#include <Lacuna_Error.hpp>

#include <Kokkos_Core.hpp>

#include <new>
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

/// \throws OutOfMemory in the name of a function that caught std::bad_alloc, which containers and Kokkos throw.
[[noreturn]] inline void raise_no_host_memory(const char* function) {
  raise<OutOfMemory>(function, "the host has no memory for lists and labels of the call");
}

/// \brief What `call()` returns. \throws OutOfMemory in the name of `function`, too, where lists on the host find no
/// memory. What a constructor does before its body is beyond the reach of this: there stands a function try block.
template <class Call>
decltype(auto) translate_bad_alloc(const char* function, const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    raise_no_host_memory(function);
  }
}

/// \brief The same in a region for profiling tools, which `text()` names.
template <class Text, class Call>
decltype(auto) in_region(const char* function, const Text& text, const Call& call) {
  return translate_bad_alloc(function, [&]() -> decltype(auto) {
    const Region region(text);
    return call();
  });
}

/// \brief The same in a region of the name of the public function.
template <class Call>
decltype(auto) in_region(const char* function, const Call& call) {
  return in_region(
      function, [&] { return std::string("Lacuna::") + function; }, call);
}

}  // namespace lacuna::Impl

#endif
