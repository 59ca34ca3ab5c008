// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CUDA_TILECOPIES_HPP
#define LACUNA_CUDA_TILECOPIES_HPP

#include <Lacuna_Error.hpp>
#include <backends/generic/Lacuna_Generic_TileCopies.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#if defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_BLACKWELL100) || defined(KOKKOS_ARCH_BLACKWELL120)
#define LACUNA_IMPL_HAS_TMA
#include <cuda.h>
#endif

namespace lacuna::Impl {

#if defined(LACUNA_IMPL_HAS_TMA)

#if defined(__CUDA_ARCH__)
#define LACUNA_IMPL_DEVICE_ASM(...) asm volatile(__VA_ARGS__)
#else
#define LACUNA_IMPL_DEVICE_ASM(...)
#endif

/// The tensor memory accelerator of compute capability 9.0 and later. See Lacuna_TileCopies.hpp.
struct CudaTileCopies {
  static constexpr bool has_engine = true;
  using Address                    = std::uint32_t;  // in shared memory
  using Map                        = CUtensorMap;

  /// Rows start at multiples of 16 bytes; a box has at most 256 rows and 256 elements of 2 to 8 bytes a row.
  /// `swizzle` 64 or 128, the bytes of a row of a box: see Lacuna_TileCopies.hpp.
  template <class Scalar>
  static Map map(const std::string& label, const Scalar* data, std::int64_t rows, std::int64_t columns,
                 std::int64_t row_stride, int box_rows, int box_columns, int swizzle = 0) {
    static_assert(sizeof(Scalar) == 2 || sizeof(Scalar) == 4 || sizeof(Scalar) % 8 == 0,
                  "lacuna: the copy engine moves elements of 2, 4 or 8 bytes");
    constexpr CUtensorMapDataType type = sizeof(Scalar) == 2   ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                         : sizeof(Scalar) == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                                               : CU_TENSOR_MAP_DATA_TYPE_UINT64;
    constexpr std::int64_t parts       = parts_of<Scalar>();
    const cuuint64_t sizes[2]          = {static_cast<cuuint64_t>(columns * parts), static_cast<cuuint64_t>(rows)};
    const cuuint64_t stride[1]         = {static_cast<cuuint64_t>(row_stride) * sizeof(Scalar)};
    const cuuint32_t box[2]   = {static_cast<cuuint32_t>(box_columns * parts), static_cast<cuuint32_t>(box_rows)};
    const cuuint32_t steps[2] = {1, 1};
    Map result;
    const CUresult made = encoder(label)(&result, type, 2, const_cast<Scalar*>(data), sizes, stride, box, steps,
                                         CU_TENSOR_MAP_INTERLEAVE_NONE,
                                         swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                         : swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                         : CU_TENSOR_MAP_SWIZZLE_NONE,
                                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS)
      raise<Error>(label, "the copy engine takes no block of ", rows, " x ", columns, " elements in rows of ",
                   row_stride, " (error ", static_cast<int>(made), " of the driver)");
    return result;
  }

  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION static void box([[maybe_unused]] Address to, [[maybe_unused]] const Map& map,
                                              [[maybe_unused]] std::int64_t row, [[maybe_unused]] std::int64_t column,
                                              [[maybe_unused]] Address barrier) {
    LACUNA_IMPL_DEVICE_ASM(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            to),
        "l"(&map), "r"(static_cast<int>(column * parts_of<Scalar>())), "r"(static_cast<int>(row)), "r"(barrier)
        : "memory");
  }
  KOKKOS_FORCEINLINE_FUNCTION static void bytes([[maybe_unused]] Address to, [[maybe_unused]] const void* source,
                                                [[maybe_unused]] int count, [[maybe_unused]] Address barrier) {
    LACUNA_IMPL_DEVICE_ASM(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
        "l"(source), "r"(count), "r"(barrier)
        : "memory");
  }

  KOKKOS_FORCEINLINE_FUNCTION static void init([[maybe_unused]] Address barrier, [[maybe_unused]] int count) {
    LACUNA_IMPL_DEVICE_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
  }
  KOKKOS_FORCEINLINE_FUNCTION static void visible() {
    LACUNA_IMPL_DEVICE_ASM("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
  }
  KOKKOS_FORCEINLINE_FUNCTION static void arrive([[maybe_unused]] Address barrier) {
    LACUNA_IMPL_DEVICE_ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
  }
  KOKKOS_FORCEINLINE_FUNCTION static void arrive_for([[maybe_unused]] Address barrier, [[maybe_unused]] int bytes) {
    LACUNA_IMPL_DEVICE_ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                           : "memory");
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_last([[maybe_unused]] Address counter, [[maybe_unused]] int count) {
    unsigned before = 0;
    LACUNA_IMPL_DEVICE_ASM("atom.acq_rel.cta.shared::cta.inc.u32 %0, [%1], %2;"
                           : "=r"(before)
                           : "r"(counter), "r"(count - 1)
                           : "memory");
    return static_cast<int>(before) == count - 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void wait([[maybe_unused]] Address barrier, [[maybe_unused]] int phase) {
#if defined(__CUDA_ARCH__)
    unsigned done = 0;
    while (done == 0)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(barrier), "r"(phase)
                   : "memory");
#endif
  }

 private:
  using Encode = decltype(&cuTensorMapEncodeTiled);

  /// Elements of the engine, which has none of 16 bytes, in one of ours.
  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::int64_t parts_of() {
    return sizeof(Scalar) <= 8 ? 1 : static_cast<std::int64_t>(sizeof(Scalar) / 8);
  }

  /// The driver's function, asked for by name: programs need not be linked with the driver's library.
  static Encode encoder(const std::string& label) {
    static const Encode found = [] {
      void* entry                            = nullptr;
      cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &result);
#else
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &result);
#endif
      return result == cudaDriverEntryPointSuccess ? reinterpret_cast<Encode>(entry) : nullptr;
    }();
    if (found == nullptr)
      raise<NotSupported>(label, "the driver does not know the copy engine (cuTensorMapEncodeTiled)");
    return found;
  }
};

#undef LACUNA_IMPL_DEVICE_ASM
#undef LACUNA_IMPL_HAS_TMA

template <>
struct TileCopiesOf<Kokkos::Cuda> {
  using type = CudaTileCopies;
};

#endif

}  // namespace lacuna::Impl

#endif
