// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_HPP
#define LACUNA_KOKKOSKERNELS_HPP

#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Spgemm.hpp>
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Spmv.hpp>

/// \file
/// \brief A program of Kokkos Kernels that includes this header runs our kernels, without any other change.
///
///     #include <Lacuna_KokkosKernels.hpp>  // before headers of Kokkos Kernels
///     KokkosSparse::spmv(exec, &handle, "N", alpha, A, x, beta, y);
///     KokkosSparse::spgemm_symbolic(kernel_handle, A, false, B, false, C);
///
/// **What runs.** `KokkosSparse::spmv` of a CrsMatrix and vectors or multivectors of any layout, in mode "N" (and "C"
/// of real matrices); `KokkosSparse::spgemm`, `spgemm_symbolic` and `spgemm_numeric`. All operands have one scalar,
/// float, double or Kokkos::complex of these, indices 32 or 64 bits, and the space is Serial, OpenMP, Threads, Cuda or
/// HIP. Everything else is Kokkos Kernels' own: other modes, types and algorithms that are called native, BsrMatrix,
/// `KokkosSparse::spmv_struct`, `KokkosSparse::spgemm_jacobi`.
///
/// **spmv with a handle**: the first call makes a plan and fences, later ones do not; the handle keeps the plan and
/// frees it. Where the next call is on another instance, the handle waits for the last one. Plans read the values of A
/// where A has them, so that new ones in the same arrays count at once; a multivector in LayoutLeft may be copied to a
/// workspace of its size. Kokkos Kernels wants one matrix a handle; one in other arrays gets a new plan. **Without a
/// handle**, and with `SPMV_FAST_SETUP`, it is `lacuna::spmv` or `lacuna::spmm` without a plan, which allocate nothing.
///
/// **SpGEMM**: the symbolic phase makes a `SpgemmPlan` and waits for its counts; the numeric phase writes columns and
/// values, sorted by column, and waits for nothing. Rows of A and B need not be sorted (in debug builds Kokkos Kernels
/// refuses those that are not, as with any library). A handle that names no algorithm asks for ours; SPGEMM_SERIAL and
/// SPGEMM_DEBUG by name are Kokkos Kernels' loops. The plan ends with its handle: its memory is freed when the next
/// handle's plan is made, and by Kokkos::finalize. `KokkosSparse::spgemm` is `lacuna::spgemm` without a plan.
///
/// What our kernels compute has the same bits on every run where the guide's table of determinism says so. Errors of
/// extents are those of Kokkos Kernels (std::runtime_error); where operands and result share memory, `InvalidArgument`;
/// where memory lacks for a plan, `OutOfMemory`; where C has more nonzeros than offsets can count, `NotSupported`.
///
/// **Every** file of a program that calls these functions must include it (compilers can: `-include
/// Lacuna_KokkosKernels.hpp`), libraries with such calls inside too, while they are built. Kokkos Kernels itself is
/// built without it.

#ifdef LACUNA_COMPILED_PLANS  // in a library that the program links (lacuna_add_plans)
#include <lacuna_plans/KokkosKernels.hpp>
#endif

#endif
