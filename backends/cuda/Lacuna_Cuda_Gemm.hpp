// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CUDA_GEMM_HPP
#define LACUNA_CUDA_GEMM_HPP

#include <Lacuna_Error.hpp>
#include <backends/generic/Lacuna_Generic_Gemm.hpp>

#include <cublas_v2.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

namespace lacuna::Impl {

inline void check_cublas_call(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ALLOC_FAILED) raise<OutOfMemory>("gemm", call, ": ", cublasGetStatusString(status));
  raise<NotSupported>("gemm", call, ": ", cublasGetStatusString(status));
}

template <class Scalar>
constexpr cudaDataType cublas_data_type() {
  if constexpr (std::is_same_v<Scalar, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<Scalar, double>) return CUDA_R_64F;
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<float>>) return CUDA_C_32F;
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<double>>) return CUDA_C_64F;
  if constexpr (std::is_same_v<Scalar, Kokkos::Experimental::half_t>) return CUDA_R_16F;
  return CUDA_R_16BF;
}

/// cuBLAS. A handle has memory of its own on the device, which no plan counts.
template <>
class DeviceGemm<Kokkos::Cuda> {
 public:
  static constexpr const char* library = "cuBLAS";
  /// The size that NVIDIA recommends from sm_90 on, at a multiple of 256 bytes, which Kokkos' memory is not. At a
  /// multiple of 128 bytes cuBLAS uses slower kernels.
  /// Evidence: backends/tuning.md.
  static constexpr std::size_t workspace_alignment = 256;
  static constexpr std::size_t aligned_workspace   = std::size_t{32} << 20;
  static constexpr std::size_t workspace_bytes     = aligned_workspace + workspace_alignment;

  DeviceGemm() = default;
  explicit DeviceGemm(const Kokkos::Cuda& exec) {
    cudaSetDevice(exec.cuda_device());
    cublasHandle_t handle = nullptr;
    check_cublas_call(cublasCreate(&handle), "cublasCreate");
    m_handle.reset(handle);
    // Sums of half precision are made in float, partial ones too.
    check_cublas_call(
        cublasSetMathMode(
            handle, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)),
        "cublasSetMathMode");
  }

  template <class Arguments>
  static bool serves(const Arguments& a) {
    return std::max({a.m, a.n, a.k, a.lda, a.ldb, a.ldc}) <= std::numeric_limits<int>::max();
  }

  template <class Arguments>
  void multiply(const Kokkos::Cuda& exec, const char* label, Precision precision, const Arguments& a, void* workspace,
                std::size_t bytes) const {
    std::uint64_t event = 0;
    cudaSetDevice(exec.cuda_device());
    cublasHandle_t handle = m_handle.get();
    check_cublas_call(cublasSetStream(handle, exec.cuda_stream()), "cublasSetStream");
    // A new stream forgets the workspace.
    if (bytes > 0) workspace = std::align(workspace_alignment, aligned_workspace, workspace, bytes);
    check_cublas_call(cublasSetWorkspace(handle, workspace, workspace == nullptr ? 0 : aligned_workspace),
                      "cublasSetWorkspace");
    const auto operation = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const auto size      = [](std::int64_t number) { return static_cast<int>(number); };
    constexpr auto in    = cublas_data_type<typename Arguments::Element>(),
                   out   = cublas_data_type<typename Arguments::Output>();
    if (Kokkos::Tools::profileLibraryLoaded())
      Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &event);
    const cublasStatus_t status =
        cublasGemmEx(handle, operation(a.transposed_a), operation(a.transposed_b), size(a.m), size(a.n), size(a.k),
                     &a.alpha, a.a, in, size(a.lda), a.b, in, size(a.ldb), &a.beta, a.c, out, size(a.ldc),
                     compute_type<Arguments>(precision), CUBLAS_GEMM_DEFAULT);
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::endParallelFor(event);
    check_cublas_call(status, "cublasGemmEx");
  }

 private:
  struct Destroy {
    void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
  };

  /// Lower precisions are those of float; cuBLAS rounds both factors to them by itself.
  template <class Arguments>
  static cublasComputeType_t compute_type([[maybe_unused]] Precision precision) {
    using Arithmetic = typename Arguments::Arithmetic;
    if constexpr (std::is_same_v<Arithmetic, double> || std::is_same_v<Arithmetic, Kokkos::complex<double>>) {
      return CUBLAS_COMPUTE_64F;
    } else {
      cublasComputeType_t type = CUBLAS_COMPUTE_32F;
      if constexpr (std::is_same_v<typename Arguments::Element, float>) {
        if (precision == Precision::tf32) type = CUBLAS_COMPUTE_32F_FAST_TF32;
        if (precision == Precision::fp16) type = CUBLAS_COMPUTE_32F_FAST_16F;
        if (precision == Precision::bf16) type = CUBLAS_COMPUTE_32F_FAST_16BF;
      }
      return type;
    }
  }

  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy> m_handle;
};

}  // namespace lacuna::Impl

#endif
