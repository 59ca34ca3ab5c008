# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# Gives PkgConfig::LACUNA_PETSC, the PETSc that pkg-config knows, and the MPI that it was built with. Looked for in
# PETSC_DIR and PETSC_ARCH of the environment, CMAKE_PREFIX_PATH and PKG_CONFIG_PATH. Where lacuna_petsc_required is QUIET
# and not REQUIRED, there may be none.

if(NOT lacuna_petsc_required)
  set(lacuna_petsc_required REQUIRED)
endif()
if(NOT TARGET PkgConfig::LACUNA_PETSC)
  find_package(PkgConfig ${lacuna_petsc_required})
endif()
if(NOT TARGET PkgConfig::LACUNA_PETSC AND PkgConfig_FOUND)
  set(lacuna_kept_prefix_path "${CMAKE_PREFIX_PATH}")
  if(DEFINED ENV{PETSC_DIR})
    list(PREPEND CMAKE_PREFIX_PATH "$ENV{PETSC_DIR}/$ENV{PETSC_ARCH}" "$ENV{PETSC_DIR}")
  endif()
  pkg_check_modules(LACUNA_PETSC ${lacuna_petsc_required} IMPORTED_TARGET GLOBAL petsc>=3.26)
  if(LACUNA_PETSC_FOUND)
    pkg_get_variable(LACUNA_PETSC_CXX petsc cxxcompiler)
    pkg_get_variable(LACUNA_PETSC_MPIEXEC petsc mpiexec)
  endif()
  set(CMAKE_PREFIX_PATH "${lacuna_kept_prefix_path}")
  if(LACUNA_PETSC_FOUND)
    # PETSc may have been built with compilers that know where MPI is; those that it names are these.
    if(LACUNA_PETSC_CXX MATCHES "mpi" AND NOT MPI_CXX_COMPILER)
      set(MPI_CXX_COMPILER "${LACUNA_PETSC_CXX}" CACHE FILEPATH "The compiler of PETSc")
    endif()
    if(EXISTS "${LACUNA_PETSC_MPIEXEC}" AND NOT MPIEXEC_EXECUTABLE)
      set(MPIEXEC_EXECUTABLE "${LACUNA_PETSC_MPIEXEC}" CACHE FILEPATH "mpiexec of PETSc")
    endif()
    find_package(MPI REQUIRED COMPONENTS CXX)
    find_library(LACUNA_PETSC_SHARED_LIBRARY "${CMAKE_SHARED_LIBRARY_PREFIX}petsc${CMAKE_SHARED_LIBRARY_SUFFIX}"
                 HINTS ${LACUNA_PETSC_LIBRARY_DIRS} NO_DEFAULT_PATH)
    if(NOT LACUNA_PETSC_SHARED_LIBRARY)  # then programs link what PETSc was linked with
      target_link_libraries(PkgConfig::LACUNA_PETSC INTERFACE ${LACUNA_PETSC_STATIC_LDFLAGS})
    endif()
    target_link_libraries(PkgConfig::LACUNA_PETSC INTERFACE MPI::MPI_CXX)
  endif()
endif()
