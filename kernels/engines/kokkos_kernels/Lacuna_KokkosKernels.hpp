// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_HPP
#define LACUNA_KOKKOSKERNELS_HPP

#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Spmv.hpp>

/// \file
/// \brief A program of Kokkos Kernels that includes this header runs our kernels, without any other change.
///
///     #include <Lacuna_KokkosKernels.hpp>  // before headers of Kokkos Kernels
///     KokkosSparse::spmv(exec, &handle, "N", alpha, A, x, beta, y);
///
/// **What runs.** `KokkosSparse::spmv` of a CrsMatrix and vectors or multivectors of any layout, in mode "N" (and "C"
/// of real matrices), where all three have the same scalar, float, double or Kokkos::complex of these, indices have 32
/// or 64 bits, and the space is Serial, OpenMP, Threads, Cuda or HIP. Everything else is Kokkos Kernels' own: other
/// modes, types and algorithms that are called native, BsrMatrix, `KokkosSparse::spmv_struct`.
///
/// **With a handle** the first call makes a plan and fences, later ones do not; the handle keeps the plan and frees it.
/// Where the next call is on another instance, the handle waits for the last one. Plans read the values of A where A
/// has them, so that new ones in the same arrays count at once; a multivector in LayoutLeft may be copied to a
/// workspace of its size. Kokkos Kernels wants one matrix a handle; one in other arrays gets a new plan. **Without a
/// handle**, and with `SPMV_FAST_SETUP`, it is `lacuna::spmv` or `lacuna::spmm` without a plan, which allocate nothing.
///
/// What our kernels compute has the same bits on every run. Errors of extents are those of Kokkos Kernels
/// (std::runtime_error); where x and y share memory, `InvalidArgument`; where memory lacks for a plan, `OutOfMemory`.
///
/// **Every** file of a program that calls these functions must include it (compilers can: `-include
/// Lacuna_KokkosKernels.hpp`), libraries with such calls inside too, while they are built. Kokkos Kernels itself is
/// built without it.

#endif
