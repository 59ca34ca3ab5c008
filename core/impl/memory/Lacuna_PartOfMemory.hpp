// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PARTOFMEMORY_HPP
#define LACUNA_PARTOFMEMORY_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

/// \file
/// \brief Views of different types that share one allocation, each of which keeps it alive.
///
/// Kokkos has subviews for one type of element. That a View of another type shares the owner is how its own subviews
/// are made, but is not in its documentation: who asks for it has to have another way where `shares_allocation` says
/// no.

namespace lacuna::Impl {

/// \brief The View of Kokkos 4.5, and of later ones by option.
template <class View, class Memory>
concept SharesByMapping = requires(const Memory& memory, const View& part) {
  View(memory.impl_track(), part.impl_map());
};
/// \brief The View on mdspan, as in 4.6.99.
template <class View, class Memory>
concept SharesByHandle = requires(const Memory& memory, typename View::value_type* first, std::size_t count) {
  View(typename View::data_handle_type(memory.impl_track(), first),
       typename View::mapping_type(typename View::extents_type(count)));
};

/// \brief Whether `part_of_memory` is to be had.
template <class View, class Memory>
inline constexpr bool shares_allocation = SharesByMapping<View, Memory> || SharesByHandle<View, Memory>;

/// \brief The `count` elements from `begin` bytes behind the start of `memory`, as a View that keeps it alive. They
/// must lie within, aligned.
template <class View, class Memory>
requires shares_allocation<View, Memory> View part_of_memory(const Memory& memory, std::size_t begin,
                                                             std::size_t count) {
  auto* const first = reinterpret_cast<typename View::value_type*>(memory.data() + begin);
  if constexpr (SharesByMapping<View, Memory>)
    return View(memory.impl_track(), View(first, count).impl_map());
  else
    return View(typename View::data_handle_type(memory.impl_track(), first),
                typename View::mapping_type(typename View::extents_type(count)));
}

}  // namespace lacuna::Impl

#endif
