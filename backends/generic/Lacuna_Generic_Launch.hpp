// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERIC_LAUNCH_HPP
#define LACUNA_GENERIC_LAUNCH_HPP

#include <backends/generic/Lacuna_Generic_Lanes.hpp>

#include <cstddef>
#include <string>

namespace lacuna::Impl {

/// \brief What a backend can do beside `Kokkos::TeamPolicy`, and what its device has. This is the backend that can do
/// nothing; the others specialise it beside their lanes.
template <class ExecutionSpace>
struct DeviceLaunch {
  /// Whether kernels can be started without TeamPolicy, with more scratch than it serves.
  static constexpr bool is_possible = false;
  /// Whether such a kernel can start before the one in front of it has ended, see `IndependentLaunches`.
  static constexpr bool starts_early = false;

  /// The most scratch that a team can have.
  static std::size_t scratch_bytes(const ExecutionSpace&) { return ExecutionTraits<ExecutionSpace>::scratch_bytes; }
  /// What teams are shared out over: multiprocessors, on a host threads.
  static int processors(const ExecutionSpace& exec) { return exec.concurrency() > 0 ? exec.concurrency() : 1; }
  /// What the device is called; empty on a host.
  static std::string device_name(const ExecutionSpace&) { return {}; }
  /// Which of the devices of this backend it runs on.
  static int device_number(const ExecutionSpace&) { return 0; }
  /// Bytes of the memory of that device; 0 on a host, which shares it with everything else.
  static std::size_t memory_bytes(const ExecutionSpace&) { return 0; }
  /// Whether the matrix engine's atoms of this backend can run: hosts emulate them.
  static bool has_matrix_engine(const ExecutionSpace&) { return emulates_lanes; }
};

/// \brief A position in the order of an instance that the host can wait for. Here: all of the instance.
template <class ExecutionSpace>
class LaunchMark {
 public:
  explicit LaunchMark(const ExecutionSpace& exec) : m_exec(exec) {}
  /// `label`: of the fence that tools see.
  void wait(const std::string& label) const { m_exec.fence(label); }

 private:
  ExecutionSpace m_exec;
};

}  // namespace lacuna::Impl

#endif
