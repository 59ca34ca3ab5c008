# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# The Kokkos Kernels of a Trilinos is a package of the same name with another target: here it gets the usual one.

if(NOT TARGET Kokkos::kokkoskernels AND TARGET KokkosKernels::all_libs)
  add_library(Kokkos::kokkoskernels INTERFACE IMPORTED)
  set_target_properties(Kokkos::kokkoskernels PROPERTIES INTERFACE_LINK_LIBRARIES "KokkosKernels::all_libs;Kokkos::kokkos")
endif()
