# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Public headers are included by name, <Lacuna_Spmv.hpp>, everything internal by its path from the root,
# <kernels/rows/Lacuna_RowKernel.hpp>: an include line says which it is.
#
# An installed package has one include folder: public headers stand in it, the rest below it by path. In the source tree
# public headers stand in the folder of their subject, so a build makes a folder with a header of each name that
# includes it.

set(lacuna_public_folders core core/base formats kernels kernels/spmv kernels/spmm kernels/spgemm kernels/spadd
                           kernels/diagonal kernels/engines/kokkos_kernels kernels/engines/tpetra)

set(lacuna_public_globs ${lacuna_public_folders})
list(TRANSFORM lacuna_public_globs PREPEND "${PROJECT_SOURCE_DIR}/")
list(TRANSFORM lacuna_public_globs APPEND "/Lacuna*.hpp")
file(GLOB lacuna_public_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${lacuna_public_globs})

set(lacuna_build_include_folders "${PROJECT_BINARY_DIR}/include" "${PROJECT_SOURCE_DIR}")
foreach(path IN LISTS lacuna_public_headers)
  get_filename_component(header "${path}" NAME)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/include/${header}" CONTENT "#include <${path}>  // IWYU pragma: export\n")
endforeach()
