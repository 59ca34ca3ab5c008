# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
#
# What Lacuna is built on. Targets that the including project already has (add_subdirectory, FetchContent) are used as
# they are; the rest is looked for in CMAKE_PREFIX_PATH, <Package>_ROOT and the system.
#
# Gives Kokkos::kokkos, Kokkos::kokkoskernels, ZLIB::ZLIB and Lacuna::fast_matrix_market. The last one is headers only,
# needed while Lacuna itself is built and never by its users: link it as
#   target_link_libraries(<target> PRIVATE $<BUILD_INTERFACE:Lacuna::fast_matrix_market>)

include("${CMAKE_CURRENT_LIST_DIR}/Lacuna_Cuda13.cmake")

if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos REQUIRED)
endif()
if(NOT TARGET Kokkos::kokkoskernels)
  find_package(KokkosKernels REQUIRED)
endif()
include("${CMAKE_CURRENT_LIST_DIR}/Lacuna_KokkosKernels.cmake")
foreach(package Kokkos KokkosKernels)
  if(${package}_VERSION AND ${package}_VERSION VERSION_LESS 4.5.1)
    message(FATAL_ERROR "Lacuna needs ${package} 4.5.01 or newer; ${${package}_VERSION} was found in ${${package}_DIR}")
  endif()
endforeach()

# What a preset was written for: better one clear line here than a build for something else.
set(LACUNA_REQUIRE_BACKEND "" CACHE STRING "Fail unless this is the backend that Kokkos runs on by default")
set(LACUNA_REQUIRE_ARCH "" CACHE STRING "Fail unless Kokkos was built for this architecture (GENERIC: for none)")
if(LACUNA_REQUIRE_BACKEND)
  set(lacuna_default_backend SERIAL)
  foreach(candidate THREADS OPENMP HIP CUDA)  # the later wins
    if(candidate IN_LIST Kokkos_DEVICES)
      set(lacuna_default_backend ${candidate})
    endif()
  endforeach()
  if(NOT LACUNA_REQUIRE_BACKEND STREQUAL lacuna_default_backend)
    message(FATAL_ERROR "This build asks for Kokkos with ${LACUNA_REQUIRE_BACKEND}; the one in ${Kokkos_DIR} runs on "
                        "${lacuna_default_backend} (it has ${Kokkos_DEVICES})")
  endif()
endif()
if(LACUNA_REQUIRE_ARCH STREQUAL "GENERIC")
  if(Kokkos_ARCH)
    message(FATAL_ERROR "This build asks for Kokkos for any machine; the one in ${Kokkos_DIR} was built for '${Kokkos_ARCH}'")
  endif()
elseif(LACUNA_REQUIRE_ARCH AND NOT LACUNA_REQUIRE_ARCH IN_LIST Kokkos_ARCH)
  message(FATAL_ERROR "This build asks for Kokkos for ${LACUNA_REQUIRE_ARCH}; the one in ${Kokkos_DIR} was built for "
                      "'${Kokkos_ARCH}'")
endif()

if(NOT TARGET ZLIB::ZLIB)
  find_package(ZLIB REQUIRED)
endif()

# Dense products by the vendor's library, for SpmmAlgorithm::dense: used where it is found. The installed package looks
# for it again.
option(LACUNA_ENABLE_GEMM "Use cuBLAS or rocBLAS, where it is found, for SpmmAlgorithm::dense" ON)
set(LACUNA_WITH_CUBLAS OFF)
set(LACUNA_WITH_ROCBLAS OFF)
if(LACUNA_ENABLE_GEMM AND ("CUDA" IN_LIST Kokkos_DEVICES OR Kokkos_ENABLE_CUDA))
  find_package(CUDAToolkit QUIET)
  if(TARGET CUDA::cublas)
    set(LACUNA_WITH_CUBLAS ON)
  endif()
endif()
if(LACUNA_ENABLE_GEMM AND ("HIP" IN_LIST Kokkos_DEVICES OR Kokkos_ENABLE_HIP))
  find_package(rocblas QUIET)
  if(TARGET roc::rocblas)
    set(LACUNA_WITH_ROCBLAS ON)
  endif()
endif()

add_library(lacuna_fast_matrix_market INTERFACE)
add_library(Lacuna::fast_matrix_market ALIAS lacuna_fast_matrix_market)
if(TARGET fast_matrix_market::fast_matrix_market)
  target_link_libraries(lacuna_fast_matrix_market INTERFACE fast_matrix_market::fast_matrix_market)
else()
  find_path(LACUNA_FAST_MATRIX_MARKET_INCLUDE_DIR fast_matrix_market/fast_matrix_market.hpp
            HINTS "${fast_matrix_market_ROOT}" "$ENV{fast_matrix_market_ROOT}"
            PATH_SUFFIXES include fast_matrix_market/include
            DOC "Folder with fast_matrix_market/fast_matrix_market.hpp")
  find_path(LACUNA_FAST_FLOAT_INCLUDE_DIR fast_float/fast_float.h
            HINTS "${LACUNA_FAST_MATRIX_MARKET_INCLUDE_DIR}/../dependencies/fast_float/include"
                  "${fast_matrix_market_ROOT}" "$ENV{fast_matrix_market_ROOT}"
            PATH_SUFFIXES include
            DOC "Folder with fast_float/fast_float.h")
  if(NOT LACUNA_FAST_MATRIX_MARKET_INCLUDE_DIR OR NOT LACUNA_FAST_FLOAT_INCLUDE_DIR)
    message(FATAL_ERROR "Lacuna needs the headers of fast_matrix_market and fast_float: set fast_matrix_market_ROOT to "
                        "its source or install folder, or let cmake/bootstrap.sh get them.")
  endif()
  target_include_directories(lacuna_fast_matrix_market SYSTEM
                             INTERFACE "$<BUILD_INTERFACE:${LACUNA_FAST_MATRIX_MARKET_INCLUDE_DIR}>"
                                       "$<BUILD_INTERFACE:${LACUNA_FAST_FLOAT_INCLUDE_DIR}>")
endif()
