// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DEVICE_HPP
#define LACUNA_DEVICE_HPP

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_TileCopies.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief A device in plain values. The choice of a kernel is made from them, with or without the device at hand.
/// Evidence: core/tuning.md.

namespace lacuna {

/// \brief The properties of a device that a choice needs. Rates are bytes a second.
struct Device {
  bool is_gpu             = false;
  int processors          = 1;
  int lane_width          = 1;
  std::int64_t threads    = 1;      ///< that it holds at once
  std::size_t scratch     = 0;      ///< bytes of one team, at most
  bool has_lanes          = false;  ///< kernels for warps run; on hosts only in tests
  bool has_engine         = false;  ///< kernels for matrix engines run
  double copy_rate        = 0;      ///< of memory
  double gather_rate      = 0;      ///< of whole rows of a dense block from caches
  double launch_seconds   = 0;      ///< from one launch to the next, beyond its work
  double allocate_seconds = 0;      ///< an allocation and its release
  double transfer_seconds = 0;      ///< until a number of a kernel is on the host
  bool has_gemm           = false;  ///< there is a dense product (backends/Lacuna_Gemm.hpp)
  bool has_reduced_gemm   = false;  ///< also in TF32, fp16 and bf16
  bool has_tile_copies    = false;  ///< a copy engine brings tiles into scratch (backends/Lacuna_TileCopies.hpp)

  constexpr bool operator==(const Device&) const = default;

  /// NVIDIA H200, measured.
  static constexpr Device h200() {
    return {true, 132, 32, 132 * 2048, 232448, true, true, 4.1e12, 12e12, 3e-6, 30e-6, 15e-6, true, true, true};
  }
  /// AMD MI300X, from its data sheet: not tuned.
  static constexpr Device mi300x() {
    return {true, 304, 64, 304 * 2048, 65536, true, true, 4.0e12, 14e12, 5e-6, 30e-6, 20e-6, true, false, false};
  }
  /// A host with `threads` threads. Each two threads have the rates of one memory channel: not tuned.
  static constexpr Device host(int threads) {
    return {
        false, threads, 1,     threads, std::size_t{1} << 20, false, false, 8e9 * threads, 16e9 * threads, 1e-6, 1e-6,
        0,     true,    false, false};
  }
  /// This device with `count` processors. All that grows with processors is scaled.
  constexpr Device with_processors(int count) const {
    const double share = static_cast<double>(count) / processors;
    Device device      = *this;
    device.processors  = count;
    device.threads     = threads / processors * count;
    device.copy_rate *= share;
    device.gather_rate *= share;
    return device;
  }
};

/// \brief The device of an execution space instance: one of the above by its lane width, with the instance's
/// processors, and with the backend's scratch, threads and matrix engines.
template <class ExecutionSpace>
Device device_of(const ExecutionSpace& exec) {
  using traits           = ExecutionTraits<ExecutionSpace>;
  const int processors   = Impl::processors(exec);
  Device device          = !traits::is_gpu                                   ? Device::host(processors)
                           : traits::lane_width == Device::h200().lane_width ? Device::h200().with_processors(processors)
                                                                             : Device::mi300x().with_processors(processors);
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
