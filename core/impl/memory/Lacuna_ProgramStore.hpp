// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PROGRAMSTORE_HPP
#define LACUNA_PROGRAMSTORE_HPP

#include <Kokkos_Core.hpp>

namespace lacuna::Impl {

/// \brief The one `Store` of the program. It is never destroyed, for Views must not outlive Kokkos: Kokkos::finalize
/// has it `release()` them.
template <class Store>
Store& store_of_program() {
  static Store* const store = [] {
    auto* const made = new Store;
    Kokkos::push_finalize_hook([made] { made->release(); });
    return made;
  }();
  return *store;
}

}  // namespace lacuna::Impl

#endif
