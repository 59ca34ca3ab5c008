// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_READBACK_HPP
#define LACUNA_READBACK_HPP

#include <backends/Lacuna_Backend.hpp>
#include <core/impl/memory/Lacuna_Allocate.hpp>
#include <core/impl/memory/Lacuna_ProgramStore.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief Counts that a host waits for.
///
/// They go to pages of the host that are locked, where a device writes by itself. With other pages the host has to
/// help, which costs a small product a noticeable share of its time.
/// Evidence: core/tuning.md.

namespace lacuna::Impl {

/// \brief Blocks of locked memory of a host. Any thread may call anything.
class PinnedSlots {
 public:
  using Slot = Kokkos::View<unsigned char*, Kokkos::SharedHostPinnedSpace>;

  static constexpr std::size_t bytes = std::size_t{1} << 14;  ///< of each: what most statistics need

  Slot take() {
    {
      const std::lock_guard lock(m_mutex);
      if (!m_idle.empty()) {
        Slot slot = std::move(m_idle.back());
        m_idle.pop_back();
        return slot;
      }
    }
    return allocated_by("read_back", "Lacuna::read_back", bytes, [] {
      return Slot(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Lacuna::read_back"), bytes);
    });
  }
  /// Nothing may still be written to it.
  void give_back(Slot&& slot) {
    const std::lock_guard lock(m_mutex);
    m_idle.push_back(std::move(slot));
  }
  void release() {
    const std::lock_guard lock(m_mutex);
    m_idle.clear();
  }

 private:
  std::mutex m_mutex;
  std::vector<Slot> m_idle;
};

/// \brief A few values on their way to the host, as they are at this position in the order of an instance.
///
///     ReadBack counts(exec, counters);                     // does not wait
///     start_what_needs_no_counts(exec);
///     const auto found = counts.wait("what was found");  // for the values, on CUDA not for what was started since
template <class ExecutionSpace, class View>
class ReadBack {
  using T = typename View::non_const_value_type;

 public:
  ReadBack(const ExecutionSpace& exec, const View& values)
      : m_count(values.extent(0)), m_host(copied(exec, values)), m_mark(exec) {}
  ReadBack(const ReadBack&)            = delete;
  ReadBack& operator=(const ReadBack&) = delete;
  ~ReadBack() {
    try {
      if (!m_has_come) m_mark.wait("Lacuna::read_back: before its memory is used again");
    } catch (const std::exception&) {
      return;  // a device that fails may still write to it
    }
    if (m_slot.is_allocated()) store_of_program<PinnedSlots>().give_back(std::move(m_slot));
  }

  /// The values, as long as this lives. `label`: of the fence that tools see.
  std::span<const T> wait(const std::string& label) {
    m_mark.wait(label);
    m_has_come = true;
    return {m_host, m_count};
  }

 private:
  template <class Space>
  using Host = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;

  const T* copied(const ExecutionSpace& exec, const View& values) {
    constexpr bool is_near = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible;
    if (is_near || m_count * sizeof(T) > PinnedSlots::bytes) {
      m_pages.resize(m_count);
      Kokkos::deep_copy(exec, Host<Kokkos::HostSpace>(m_pages.data(), m_count), values);
      return m_pages.data();
    }
    m_slot              = store_of_program<PinnedSlots>().take();
    auto* const in_slot = reinterpret_cast<T*>(m_slot.data());
    Kokkos::deep_copy(exec, Host<Kokkos::SharedHostPinnedSpace>(in_slot, m_count), values);
    return in_slot;
  }

  std::size_t m_count;
  PinnedSlots::Slot m_slot;  // or m_pages
  std::vector<T> m_pages;
  const T* m_host;
  LaunchMark<ExecutionSpace> m_mark;
  bool m_has_come = false;
};

/// All of a small View on the host. Waits for `exec`.
template <class ExecutionSpace, class View>
std::vector<typename View::non_const_value_type> read_back(const ExecutionSpace& exec, const std::string& label,
                                                           const View& view) {
  ReadBack values(exec, view);
  const auto found = values.wait(label);
  return {found.begin(), found.end()};
}

}  // namespace lacuna::Impl

#endif
