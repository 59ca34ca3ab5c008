// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DEVICE_HPP
#define LACUNA_DEVICE_HPP

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_TileCopies.hpp>
#include <backends/generic/Lacuna_Generic_Vectors.hpp>
#include <core/impl/choice/Lacuna_HostRates.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief A device in plain values. A plan chooses its kernel from them; with a device by name a test can make the same
/// choice on any machine.

namespace lacuna {

/// \brief The facts of a device that the choice of a kernel needs. Rates are bytes a second.
struct Device {
  bool is_gpu             = false;
  int processors          = 1;
  int lane_width          = 1;
  std::int64_t threads    = 1;      ///< the most that run at once
  std::size_t scratch     = 0;      ///< the most bytes that one team can have
  bool has_lanes          = false;  ///< it runs kernels written for lanes; hosts do so in tests alone
  bool has_engine         = false;  ///< it runs kernels written for matrix engines
  double copy_rate        = 0;      ///< copying memory
  double gather_rate      = 0;      ///< reading whole rows of a dense block that caches hold
  double launch_seconds   = 0;      ///< what a launch adds to the time of its work
  double allocate_seconds = 0;      ///< an allocation and its release
  double transfer_seconds = 0;      ///< from the end of a kernel until its result is on the host
  bool has_gemm           = false;  ///< the build has a dense product (backends/Lacuna_Gemm.hpp)
  bool has_reduced_gemm   = false;  ///< that product exists in TF32, fp16 and bf16 too
  bool has_tile_copies    = false;  ///< a copy engine brings tiles into scratch (backends/Lacuna_TileCopies.hpp)
  int vector_bytes        = 0;      ///< of a host's vector register that kernels were compiled for; 0 on a GPU

  Impl::HostRates host_rates = {};  ///< of a host

  constexpr bool operator==(const Device&) const = default;

  /// \brief NVIDIA H200. The rates are measured, see core/tuning.md.
  static constexpr Device h200() {
    return {true, 132, 32, 132 * 2048, 232448, true, true, 4.1e12, 12e12, 3e-6, 30e-6, 15e-6, true, true, true};
  }
  /// \brief AMD MI300X. The numbers come from its data sheet; none is measured.
  static constexpr Device mi300x() {
    return {true, 304, 64, 304 * 2048, 65536, true, true, 4.0e12, 14e12, 5e-6, 30e-6, 20e-6, true, false, false};
  }
  /// \brief A host with `threads` threads and vector registers of `vector_bytes` bytes: 64 (AVX-512), 32 (AVX2) or 16
  /// (everything else); by default those that this translation unit is compiled for. `host_rates` are those of the host
  /// that costs were fitted on; the other rates assume one memory channel for every two threads, they are not tuned.
  static constexpr Device host(int threads, int vector_bytes = Impl::host_register_bytes) {
    return {false,
            threads,
            1,
            threads,
            std::size_t{1} << 20,
            false,
            false,
            8e9 * threads,
            16e9 * threads,
            1e-6,
            1e-6,
            0,
            true,
            false,
            false,
            vector_bytes,
            Impl::HostRates::nominal(threads)};
  }
  /// \brief This device with `count` processors; threads and rates are scaled by the same factor.
  constexpr Device with_processors(int count) const {
    const double share = static_cast<double>(count) / processors;
    Device device      = *this;
    device.processors  = count;
    device.threads     = threads / processors * count;
    device.copy_rate *= share;
    device.gather_rate *= share;
    device.host_rates = host_rates.scaled(share);
    return device;
  }
};

/// \brief The device of an execution space instance.
///
/// It is `host`, `h200` or `mi300x`, whichever has the lane width of `ExecutionSpace`, with the number of processors of
/// `exec`. Scratch, threads and engines are those that the backend reports. Does not fence.
///
/// \param[in] exec any execution space instance
template <class ExecutionSpace>
Device device_of(const ExecutionSpace& exec) {
  using traits           = ExecutionTraits<ExecutionSpace>;
  const int processors   = Impl::processors(exec);
  const Device gpu       = traits::lane_width == Device::h200().lane_width ? Device::h200() : Device::mi300x();
  Device device          = traits::is_gpu ? gpu.with_processors(processors) : Device::host(processors);
  device.lane_width      = traits::lane_width;
  device.threads         = exec.concurrency();
  device.scratch         = Impl::largest_scratch(exec);
  device.has_lanes       = Impl::runs_lane_kernels<ExecutionSpace>;
  device.has_engine      = Impl::DeviceLaunch<ExecutionSpace>::has_matrix_engine(exec);
  device.has_tile_copies = Impl::TileCopiesFor<ExecutionSpace>::has_engine;
  device.has_gemm        = device.has_gemm && traits::has_gemm;
  return device;
}

}  // namespace lacuna

#endif
