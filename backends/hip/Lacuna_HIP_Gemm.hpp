// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HIP_GEMM_HPP
#define LACUNA_HIP_GEMM_HPP

#include <Lacuna_Error.hpp>
#include <backends/generic/Lacuna_Generic_Gemm.hpp>

#include <rocblas/rocblas.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

namespace lacuna::Impl {

inline void check_rocblas_call(rocblas_status status, const char* call) {
  if (status == rocblas_status_success || status == rocblas_status_size_unchanged ||
      status == rocblas_status_size_increased)
    return;
  if (status == rocblas_status_memory_error) raise<OutOfMemory>("gemm", call, ": ", rocblas_status_to_string(status));
  raise<NotSupported>("gemm", call, ": ", rocblas_status_to_string(status));
}

template <class Scalar>
constexpr rocblas_datatype rocblas_data_type() {
  if constexpr (std::is_same_v<Scalar, float>) return rocblas_datatype_f32_r;
  if constexpr (std::is_same_v<Scalar, double>) return rocblas_datatype_f64_r;
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<float>>) return rocblas_datatype_f32_c;
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<double>>) return rocblas_datatype_f64_c;
  if constexpr (std::is_same_v<Scalar, Kokkos::Experimental::half_t>) return rocblas_datatype_f16_r;
  return rocblas_datatype_bf16_r;
}

/// rocBLAS, in full precision. Compiled, not run.
template <>
class DeviceGemm<Kokkos::HIP> {
 public:
  static constexpr const char* library         = "rocBLAS";
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

  DeviceGemm() = default;
  explicit DeviceGemm(const Kokkos::HIP&) {
    rocblas_handle handle = nullptr;
    check_rocblas_call(rocblas_create_handle(&handle), "rocblas_create_handle");
    m_handle.reset(handle);
    check_rocblas_call(rocblas_set_atomics_mode(handle, rocblas_atomics_not_allowed), "rocblas_set_atomics_mode");
  }

  template <class Arguments>
  static bool serves(const Arguments& a) {
    return std::max({a.m, a.n, a.k, a.lda, a.ldb, a.ldc}) <= std::numeric_limits<rocblas_int>::max();
  }

  template <class Arguments>
  void multiply(const Kokkos::HIP& exec, const char* label, Precision, const Arguments& a, void* workspace,
                std::size_t bytes) const {
    std::uint64_t event   = 0;
    rocblas_handle handle = m_handle.get();
    check_rocblas_call(rocblas_set_stream(handle, exec.hip_stream()), "rocblas_set_stream");
    if (bytes > 0) check_rocblas_call(rocblas_set_workspace(handle, workspace, bytes), "rocblas_set_workspace");
    const auto operation = [](bool transposed) {
      return transposed ? rocblas_operation_transpose : rocblas_operation_none;
    };
    const auto size    = [](std::int64_t number) { return static_cast<rocblas_int>(number); };
    constexpr auto in  = rocblas_data_type<typename Arguments::Element>();
    constexpr auto out = rocblas_data_type<typename Arguments::Output>();
    if (Kokkos::Tools::profileLibraryLoaded())
      Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &event);
    const rocblas_status status = rocblas_gemm_ex(
        handle, operation(a.transposed_a), operation(a.transposed_b), size(a.m), size(a.n), size(a.k), &a.alpha, a.a,
        in, size(a.lda), a.b, in, size(a.ldb), &a.beta, a.c, out, size(a.ldc), a.c, out, size(a.ldc),
        rocblas_data_type<typename Arguments::Arithmetic>(), rocblas_gemm_algo_standard, 0, rocblas_gemm_flags_none);
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::endParallelFor(event);
    check_rocblas_call(status, "rocblas_gemm_ex");
  }

 private:
  struct Destroy {
    void operator()(rocblas_handle handle) const { rocblas_destroy_handle(handle); }
  };
  std::unique_ptr<std::remove_pointer_t<rocblas_handle>, Destroy> m_handle;
};

}  // namespace lacuna::Impl

#endif
