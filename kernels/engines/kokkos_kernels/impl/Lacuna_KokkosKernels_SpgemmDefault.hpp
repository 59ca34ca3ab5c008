// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_SPGEMMDEFAULT_HPP
#define LACUNA_KOKKOSKERNELS_SPGEMMDEFAULT_HPP

#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Vendors.hpp>

#include <KokkosSparse_spgemm_handle.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief What a `KokkosSparse::SPGEMMHandle` whose algorithm nobody names stands for.
///
/// Before version 5.2 its constructor writes the name of a native algorithm over SPGEMM_DEFAULT: on hosts
/// SPGEMM_SERIAL, a loop of one thread, and in the versions 5.0 and 5.1 everywhere one for which no library is asked.
/// Nothing tells it from a handle for which that algorithm was named. So the choice is made here, for types that we
/// serve: one that asks for libraries. SPGEMM_SERIAL and SPGEMM_DEBUG by name stay what they are.

#if KOKKOSKERNELS_VERSION < 50200

namespace lacuna::Impl {
inline constexpr KokkosSparse::SPGEMMAlgorithm default_spgemm =
    KOKKOSKERNELS_VERSION < 50000 ? KokkosSparse::SPGEMM_KK : KokkosSparse::SPGEMM_DEFAULT;
}  // namespace lacuna::Impl

// A member of a class template has explicit specialisations alone: one for each of the types that handles are made of.
#define LACUNA_DEFAULT_SPGEMM_OF(Offset, Ordinal, Scalar, Exec, Memory)                                       \
  template <>                                                                                                 \
  inline void                                                                                                 \
  SPGEMMHandle<const Offset, const Ordinal, const Scalar, Exec, Memory, Memory>::choose_default_algorithm() { \
    set_algorithm_type(lacuna::Impl::default_spgemm);                                                         \
  }
#define LACUNA_DEFAULT_SPGEMM_OF_SCALAR(Scalar, Exec, Memory)               \
  LACUNA_DEFAULT_SPGEMM_OF(int, int, Scalar, Exec, Memory)                  \
  LACUNA_DEFAULT_SPGEMM_OF(std::size_t, int, Scalar, Exec, Memory)          \
  LACUNA_DEFAULT_SPGEMM_OF(std::int64_t, int, Scalar, Exec, Memory)         \
  LACUNA_DEFAULT_SPGEMM_OF(int, std::int64_t, Scalar, Exec, Memory)         \
  LACUNA_DEFAULT_SPGEMM_OF(std::size_t, std::int64_t, Scalar, Exec, Memory) \
  LACUNA_DEFAULT_SPGEMM_OF(std::int64_t, std::int64_t, Scalar, Exec, Memory)
#define LACUNA_DEFAULT_SPGEMM(Exec, Memory)                             \
  LACUNA_DEFAULT_SPGEMM_OF_SCALAR(float, Exec, Memory)                  \
  LACUNA_DEFAULT_SPGEMM_OF_SCALAR(double, Exec, Memory)                 \
  LACUNA_DEFAULT_SPGEMM_OF_SCALAR(Kokkos::complex<float>, Exec, Memory) \
  LACUNA_DEFAULT_SPGEMM_OF_SCALAR(Kokkos::complex<double>, Exec, Memory)

namespace KokkosSparse {
#if defined(KOKKOS_ENABLE_SERIAL)
LACUNA_DEFAULT_SPGEMM(Kokkos::Serial, Kokkos::HostSpace)
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
LACUNA_DEFAULT_SPGEMM(Kokkos::OpenMP, Kokkos::HostSpace)
#endif
#if defined(KOKKOS_ENABLE_THREADS)
LACUNA_DEFAULT_SPGEMM(Kokkos::Threads, Kokkos::HostSpace)
#endif
#if KOKKOSKERNELS_VERSION >= 50000
#if defined(KOKKOS_ENABLE_CUDA)
LACUNA_DEFAULT_SPGEMM(Kokkos::Cuda, Kokkos::CudaSpace)
#endif
#if defined(KOKKOS_ENABLE_HIP)
LACUNA_DEFAULT_SPGEMM(Kokkos::HIP, Kokkos::HIPSpace)
#endif
#endif
}  // namespace KokkosSparse

#undef LACUNA_DEFAULT_SPGEMM
#undef LACUNA_DEFAULT_SPGEMM_OF_SCALAR
#undef LACUNA_DEFAULT_SPGEMM_OF

#endif

#endif
