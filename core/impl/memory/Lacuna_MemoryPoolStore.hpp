// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MEMORYPOOLSTORE_HPP
#define LACUNA_MEMORYPOOLSTORE_HPP

#include <core/impl/memory/Lacuna_ProgramStore.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace lacuna::Impl {

/// \brief Memory that has been used and may be used again: a View stays here beside its owner's, and is idle once the
/// owner's are gone.
///
/// The store holds the Views that were used last, as many as the bound allows; of older ones it lets go, which frees
/// those that are idle and leaves the others to their owners. So what is idle never exceeds the bound, and Views that
/// live long do not count for ever.
///
/// Any thread may call anything. An idle View may still be written to by work that its owner started, on any instance.
/// So before one is handed out again all of the device is waited for, once for all that are idle then.
class MemoryPool {
 public:
  static constexpr std::size_t most_views = 64;
  /// A sixteenth of a device's memory.
  static constexpr std::size_t share_of_device = std::numeric_limits<std::size_t>::max();

  struct Device {
    int number         = 0;  ///< Views of one are not for another
    std::size_t memory = 0;  ///< bytes
  };

  MemoryPool()                             = default;
  MemoryPool(const MemoryPool&)            = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Bytes of a device that are kept at most, 0 for none. Lets go of all.
  void set_bound(std::size_t bytes) {
    {
      const std::lock_guard lock(m_mutex);
      m_bound = bytes;
    }
    release();
  }
  std::size_t bound() const {
    const std::lock_guard lock(m_mutex);
    return m_bound;
  }

  /// `count` elements, of an idle View of that type or of `allocate()`, which is then kept.
  template <class View, class Allocate>
  View take(const Device& device, std::size_t count, const Allocate& allocate) {
    if (count == 0 || count > bound_of(device) / sizeof(typename View::value_type)) return allocate();
    if (auto idle = reuse<View>(device, count)) return *std::move(idle);
    // Not locked: an allocation that fails lets go of what is kept.
    const View fresh = allocate();
    keep(device, fresh);
    return fresh;
  }

  /// Whether what users are given is kept as well.
  void set_keeps_results(bool keeps) { m_keeps_results = keeps; }
  bool keeps_results() const { return m_keeps_results; }

  /// Bytes that are idle.
  std::size_t idle_bytes() const {
    const std::lock_guard lock(m_mutex);
    return idle_bytes_of(m_kept);
  }

  /// Lets go of all, and waits for the device where something is freed. How many bytes were idle.
  std::size_t release() {
    std::vector<Entry> outdated;
    {
      const std::lock_guard lock(m_mutex);
      outdated.swap(m_kept);
    }
    return idle_bytes_of(outdated);  // freed outside of the lock: tools are called
  }

 private:
  struct Kept {
    Kept(int number, std::size_t size) : device(number), bytes(size) {}
    virtual ~Kept()              = default;
    virtual bool is_idle() const = 0;
    int device;
    std::size_t bytes;
    bool is_settled = false;  ///< nothing that was started before can still use it
  };
  template <class View>
  struct PooledView final : Kept {
    PooledView(int number, const View& kept)
        : Kept(number, kept.extent(0) * sizeof(typename View::value_type)), view(kept) {}
    bool is_idle() const override { return view.use_count() == 1; }
    View view;
  };
  using Entry = std::unique_ptr<Kept>;

  static std::size_t idle_bytes_of(const std::vector<Entry>& entries) {
    std::size_t sum = 0;
    for (const Entry& entry : entries) sum += entry->is_idle() ? entry->bytes : 0;
    return sum;
  }
  static std::size_t bound_on(const Device& device, std::size_t bound) {
    return bound == share_of_device ? device.memory / 16 : bound;
  }
  std::size_t bound_of(const Device& device) const { return bound_on(device, bound()); }
  /// What serves `count` elements: not much more than was asked for, for that is what budgets count.
  static constexpr std::size_t most_for(std::size_t count, std::size_t size) {
    return count + std::max(count / 8, (std::size_t{1} << 16) / size);
  }

  template <class View>
  std::optional<View> reuse(const Device& device, std::size_t count) {
    const std::lock_guard lock(m_mutex);
    const std::size_t most = most_for(count, sizeof(typename View::value_type));
    auto best              = m_kept.end();
    std::size_t least      = most + 1;
    for (auto entry = m_kept.begin(); entry != m_kept.end(); ++entry) {
      const auto* const kept = dynamic_cast<const PooledView<View>*>(entry->get());
      if (kept == nullptr || kept->device != device.number || !kept->is_idle()) continue;
      const std::size_t extent = kept->view.extent(0);
      if (extent < count || extent >= least) continue;
      best  = entry;
      least = extent;
    }
    if (best == m_kept.end()) return std::nullopt;
    if (!(*best)->is_settled) settle();
    (*best)->is_settled = false;
    std::rotate(best, best + 1, m_kept.end());
    return View(
        Kokkos::subview(static_cast<const PooledView<View>&>(*m_kept.back()).view, std::pair{std::size_t{0}, count}));
  }

  /// Waits for all that may use what is idle.
  void settle() {
    std::vector<Kept*> idle;
    for (const Entry& entry : m_kept)
      if (entry->is_idle()) idle.push_back(entry.get());
    Kokkos::fence("Lacuna::kept_memory: before idle memory is used again");
    for (Kept* entry : idle) entry->is_settled = true;
  }

  template <class View>
  void keep(const Device& device, const View& view) {
    auto added = std::make_unique<PooledView<View>>(device.number, view);
    std::vector<Entry> outdated;  // freed outside of the lock: tools are called
    const std::lock_guard lock(m_mutex);
    m_kept.push_back(std::move(added));
    trim(device, outdated);
  }

  /// Moves what is too much of a device to `outdated`, the oldest first.
  void trim(const Device& device, std::vector<Entry>& outdated) {
    const std::size_t bound = bound_on(device, m_bound);
    std::size_t sum = 0, views = 0;
    std::vector<Entry> rest;
    for (auto entry = m_kept.rbegin(); entry != m_kept.rend(); ++entry) {
      const bool is_here = (*entry)->device == device.number;
      const bool fits    = !is_here || (views < most_views && (*entry)->bytes <= bound - sum);
      if (fits && is_here) sum += (*entry)->bytes, ++views;
      (fits ? rest : outdated).push_back(std::move(*entry));
    }
    std::reverse(rest.begin(), rest.end());
    m_kept = std::move(rest);
  }

  mutable std::mutex m_mutex;
  std::size_t m_bound = share_of_device;
  std::atomic<bool> m_keeps_results{false};
  std::vector<Entry> m_kept;  ///< used last behind
};

/// That of the program.
inline MemoryPool& memory_pool() { return store_of_program<MemoryPool>(); }

}  // namespace lacuna::Impl

#endif
