// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GEMM_HPP
#define LACUNA_GEMM_HPP

#include <backends/Lacuna_Backend.hpp>
#include <backends/generic/Lacuna_Generic_Gemm.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && defined(LACUNA_HAS_CUBLAS)
#include <backends/cuda/Lacuna_Cuda_Gemm.hpp>
#endif
#if defined(KOKKOS_ENABLE_HIP) && defined(LACUNA_HAS_ROCBLAS)
#include <backends/hip/Lacuna_HIP_Gemm.hpp>
#endif

/// \file
/// \brief Dense products by the vendor's library, where the build has it (`ExecutionTraits::has_gemm`).
///
/// `DeviceGemm<ExecutionSpace>` is made with a plan, moves, and has
///   - `library`: its name, for reports;
///   - `workspace_bytes`: what it likes to be given for each product; it does with less, or none;
///   - `serves(arguments)`: whether its interface takes these sizes;
///   - `multiply(exec, label, precision, arguments, workspace, bytes)`: enqueues C = alpha op(A) op(B) + beta C, see
///     `GemmArguments`. It allocates nothing, fences nothing, and gives the same bits on every run. One instance at a
///     time.

#endif
