// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TOOLS_MEMORYMETER_HPP
#define LACUNA_TOOLS_MEMORYMETER_HPP

#include <tools/Tools_MemoryPoolOff.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

/// \file
/// \brief How much memory an operation has at once, as a profiling tool sees it.

namespace lacuna::Test {

/// Bytes of what is labelled "Lacuna::" in the memory of the default execution space, from construction on: on a GPU
/// its own memory, without copies on the host. One at a time.
class MemoryMeter {
 public:
  MemoryMeter() {
    s_active = this;
    Kokkos::Tools::Experimental::set_allocate_data_callback(allocate);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(deallocate);
  }
  ~MemoryMeter() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
    s_active = nullptr;
  }
  MemoryMeter(const MemoryMeter&)            = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  std::size_t live() const { return m_live; }
  std::size_t peak() const { return m_peak; }
  /// What was live at the peak, for a message.
  std::string at_peak() const {
    std::string text;
    for (const auto& [label, bytes] : m_at_peak) text += label + " " + std::to_string(bytes) + "; ";
    return text;
  }

 private:
  static bool is_counted(Kokkos::Tools::SpaceHandle space, const char* label) {
    return std::string(space.name) == Kokkos::DefaultExecutionSpace::memory_space::name() &&
           std::string(label).starts_with("Lacuna::");
  }
  static void allocate(Kokkos::Tools::SpaceHandle space, const char* label, const void* address, std::uint64_t bytes) {
    if (s_active == nullptr || !is_counted(space, label)) return;
    MemoryMeter& meter      = *s_active;
    meter.m_blocks[address] = {label, bytes};
    meter.m_live += bytes;
    if (meter.m_live <= meter.m_peak) return;
    meter.m_peak = meter.m_live;
    meter.m_at_peak.clear();
    for (const auto& [where, block] : meter.m_blocks) meter.m_at_peak[block.label] += block.bytes;
  }
  static void deallocate(Kokkos::Tools::SpaceHandle, const char*, const void* address, std::uint64_t) {
    if (s_active == nullptr) return;
    const auto found = s_active->m_blocks.find(address);
    if (found == s_active->m_blocks.end()) return;
    s_active->m_live -= found->second.bytes;
    s_active->m_blocks.erase(found);
  }

  struct Block {
    std::string label;
    std::size_t bytes;
  };
  static inline MemoryMeter* s_active = nullptr;

  MemoryPoolOff m_off;
  std::size_t m_live = 0;
  std::size_t m_peak = 0;
  std::map<const void*, Block> m_blocks;
  std::map<std::string, std::size_t> m_at_peak;
};

}  // namespace lacuna::Test

#endif
