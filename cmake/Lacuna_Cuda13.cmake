# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# CUDA 13 changed three functions that Kokkos before 4.7.01 calls. lacuna_add_cuda13_compatibility(<target> <header>)
# makes every user of <target> include <header> first where that Kokkos has its CUDA backend on; it does nothing
# elsewhere. LacunaConfig.cmake calls it too, so that the Kokkos found by the user of an installed Lacuna decides.

function(lacuna_add_cuda13_compatibility target header)
  if(NOT "CUDA" IN_LIST Kokkos_DEVICES AND NOT Kokkos_ENABLE_CUDA)
    return()
  endif()
  if(Kokkos_VERSION VERSION_GREATER_EQUAL 4.7.1)
    return()
  endif()
  # SHELL: keeps the two words together when CMake removes repeated options.
  set(option "SHELL:-include \"${header}\"")
  get_target_property(imported ${target} IMPORTED)
  if(NOT imported)
    set(option "$<BUILD_INTERFACE:${option}>")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY INTERFACE_COMPILE_OPTIONS "${option}")
endfunction()
