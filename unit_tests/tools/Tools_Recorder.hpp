// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TOOLS_RECORDER_HPP
#define LACUNA_TOOLS_RECORDER_HPP

#include <support/Reference_Space.hpp>
#include <tools/Tools_MemoryPoolOff.hpp>

#include <Kokkos_Core.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// \brief What a profiling tool sees of an operation, and the rules that all operations keep: every label begins with
/// "Lacuna::", and all work goes to the instance that was handed over.

namespace lacuna::Test {

/// Everything between construction and `stop`. One at a time.
class Recorder {
 public:
  struct Event {
    std::string label;
    std::uint32_t device;
    bool in_deep_copy;
  };

  Recorder() {
    using namespace Kokkos::Tools::Experimental;
    s_active = this;
    set_begin_parallel_for_callback(begin_kernel);
    set_begin_parallel_reduce_callback(begin_kernel);
    set_begin_parallel_scan_callback(begin_kernel);
    set_allocate_data_callback(allocate);
    set_begin_deep_copy_callback(begin_deep_copy);
    set_end_deep_copy_callback(end_deep_copy);
    set_begin_fence_callback(begin_fence);
    set_push_region_callback(push_region);
  }
  ~Recorder() { stop(); }
  Recorder(const Recorder&)            = delete;
  Recorder& operator=(const Recorder&) = delete;

  void stop() {
    using namespace Kokkos::Tools::Experimental;
    if (s_active == nullptr) return;
    s_active = nullptr;
    set_begin_parallel_for_callback(nullptr);
    set_begin_parallel_reduce_callback(nullptr);
    set_begin_parallel_scan_callback(nullptr);
    set_allocate_data_callback(nullptr);
    set_begin_deep_copy_callback(nullptr);
    set_end_deep_copy_callback(nullptr);
    set_begin_fence_callback(nullptr);
    set_push_region_callback(nullptr);
  }

  const std::vector<Event>& kernels() const { return m_kernels; }
  const std::vector<Event>& fences() const { return m_fences; }
  std::vector<std::string> fence_labels() const {
    std::vector<std::string> labels;
    for (const Event& fence : m_fences) labels.push_back(fence.label);
    return labels;
  }
  const std::vector<std::string>& allocations() const { return m_allocations; }
  const std::vector<std::string>& regions() const { return m_regions; }

 private:
  static void begin_kernel(const char* label, std::uint32_t device, std::uint64_t*) {
    s_active->m_kernels.push_back({label, device, s_active->m_in_deep_copy});
  }
  static void begin_fence(const char* label, std::uint32_t device, std::uint64_t*) {
    // Kokkos fences for every tool that does not ask it not to when the program starts, and, where a device is its
    // default space, in its fill of host memory.
    const std::string name(label);
    if (name.find("Kokkos Profile Tool Fence") != std::string::npos || name == "HostSpace fence") return;
    s_active->m_fences.push_back({label, device, s_active->m_in_deep_copy});
  }
  /// Kokkos 4.5 allocates a team scratch of 0 bytes at every launch of a CUDA team kernel: not an allocation.
  static void allocate(Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
    if (bytes > 0) s_active->m_allocations.emplace_back(label);
  }
  static void begin_deep_copy(Kokkos::Tools::SpaceHandle, const char*, const void*, Kokkos::Tools::SpaceHandle,
                              const char*, const void*, std::uint64_t) {
    s_active->m_in_deep_copy = true;
  }
  static void push_region(const char* label) { s_active->m_regions.emplace_back(label); }
  static void end_deep_copy() { s_active->m_in_deep_copy = false; }

  static inline Recorder* s_active = nullptr;

  MemoryPoolOff m_off;
  std::vector<Event> m_kernels;
  std::vector<Event> m_fences;
  std::vector<std::string> m_allocations;
  std::vector<std::string> m_regions;
  bool m_in_deep_copy = false;
};

/// What breaks the rules, one line each. Kokkos's own work is allowed where it serves a View of ours: initialisation
/// (which names the View), deep copies, its scratch, and the fences of its allocator.
template <class ExecutionSpace>
std::vector<std::string> broken_rules(const ExecutionSpace& exec, const Recorder& recorder) {
  const auto is_ours   = [](const std::string& label) { return label.starts_with("Lacuna::"); };
  const auto is_kokkos = [](const std::string& label) { return label.starts_with("Kokkos::"); };
  const auto device    = Kokkos::Tools::Experimental::device_id(exec);
  std::vector<std::string> broken;
  for (const auto& kernel : recorder.kernels()) {
    if (!is_ours(kernel.label) && !kernel.label.starts_with("Kokkos::View::initialization [Lacuna::") &&
        !(kernel.in_deep_copy && is_kokkos(kernel.label)))
      broken.push_back("kernel label \"" + kernel.label + "\"");
    if (kernel.device != device)
      broken.push_back("kernel \"" + kernel.label + "\" on " + std::to_string(kernel.device) + ", not " +
                       std::to_string(device));
  }
  for (const auto& label : recorder.allocations())
    if (!is_ours(label) && !is_kokkos(label)) broken.push_back("allocation label \"" + label + "\"");
  for (const auto& fence : recorder.fences()) {
    if (fence.label.find("Unnamed") != std::string::npos) broken.push_back("fence label \"" + fence.label + "\"");
    if (is_ours(fence.label) && fence.device != device)
      broken.push_back("fence \"" + fence.label + "\" of " + std::to_string(fence.device) + ", not " +
                       std::to_string(device));
  }
  return broken;
}

/// Runs an operation that launches at least one kernel and checks the rules.
template <class ExecutionSpace, class Operation>
void check_annotations(const ExecutionSpace& exec, const std::string& name, const Operation& operation) {
  Recorder recorder;
  operation();
  recorder.stop();
  exec.fence();
  EXPECT_THAT(broken_rules(exec, recorder), testing::IsEmpty()) << name;
  EXPECT_THAT(recorder.kernels(), testing::Not(testing::IsEmpty())) << name;
}

/// An instance other than the default one, where the backend can have one: hosts tell tools the backend only, GPUs the
/// instance too.
template <class ExecutionSpace>
ExecutionSpace another_instance() {
  const ExecutionSpace exec;
  constexpr bool serial = has_serial && std::is_same_v<ExecutionSpace, ReferenceSpace>;
  if (!serial && exec.concurrency() < 2) return exec;
  return Kokkos::Experimental::partition_space(exec, 1, 1).front();
}

}  // namespace lacuna::Test

#endif
