// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_SPGEMMPLANS_HPP
#define LACUNA_KOKKOSKERNELS_SPGEMMPLANS_HPP

#include <core/impl/memory/Lacuna_MemoryPoolStore.hpp>
#include <core/impl/memory/Lacuna_ProgramStore.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

/// \file
/// \brief Where plans of SpGEMM are that belong to a `KokkosSparse::SPGEMMHandle`.

namespace lacuna::Impl {

/// \brief The plans of handles that have no place for one.
///
/// A handle has Views that its own kernels may keep something in. Ours keep a **token** in one of them: a View of one
/// element. The plan is found here by the address of that element, and the store has a View of it too. So the address
/// belongs to no other handle as long as the plan is here, whatever is made where the handle was. The token's last View
/// beside the store's goes with the handle: such plans are dropped when the next one is made, and in Kokkos::finalize
/// all are, before the execution spaces end.
class HandlePlans {
 public:
  struct Entry {
    virtual ~Entry()               = default;
    virtual bool is_orphan() const = 0;
  };

  /// The pool is there before, so that Kokkos::finalize frees it after the plans, which give their memory back to it.
  HandlePlans() { memory_pool(); }

  /// nullptr where there is none.
  Entry* find(const void* token) {
    const std::lock_guard lock(m_mutex);
    const auto place = m_entries.find(token);
    return token == nullptr || place == m_entries.end() ? nullptr : place->second.get();
  }
  void put(const void* token, std::unique_ptr<Entry> entry) {
    std::unique_ptr<Entry> replaced;  // freed without the lock
    const std::lock_guard lock(m_mutex);
    replaced = std::exchange(m_entries[token], std::move(entry));
  }
  /// Frees plans of handles that are gone. Waits for the device where there are any: their products may still run.
  void drop_orphans() {
    Entries dropped;
    {
      const std::lock_guard lock(m_mutex);
      for (auto place = m_entries.begin(); place != m_entries.end();)
        if (place->second->is_orphan())
          dropped.insert(m_entries.extract(place++));
        else
          ++place;
    }
    if (!dropped.empty()) Kokkos::fence("Lacuna: plans of handles of KokkosSparse that are gone");
  }
  std::size_t size() {
    const std::lock_guard lock(m_mutex);
    return m_entries.size();
  }
  /// Of Kokkos::finalize.
  void release() {
    Kokkos::fence("Lacuna: plans of handles of KokkosSparse");
    const std::lock_guard lock(m_mutex);
    m_entries.clear();
  }

 private:
  using Entries = std::unordered_map<const void*, std::unique_ptr<Entry>>;
  std::mutex m_mutex;
  Entries m_entries;
};

inline HandlePlans& handle_plans() { return store_of_program<HandlePlans>(); }

/// The token of a handle, in the View of hosts that research code of Kokkos Kernels keeps colours of rows in.
template <class SpgemmHandle>
class HandleToken {
 public:
  using View = typename SpgemmHandle::nnz_lno_persistent_work_host_view_t;

  static View of(SpgemmHandle& handle) {
    View token;
    Rest rest;
    handle.get_color_xadj(rest.colors, token, rest.adjacency, rest.of_rows, rest.multi_colors, rest.used_colors);
    return token;
  }
  static View put_into(SpgemmHandle& handle) {
    const View token("Lacuna::spgemm::token", 1);
    Rest rest;
    handle.set_color_xadj(rest.colors, token, rest.adjacency, rest.of_rows, rest.multi_colors, rest.used_colors);
    return token;
  }

 private:
  struct Rest {
    typename SpgemmHandle::nnz_lno_t colors = 0, multi_colors = 0, used_colors = 0;
    typename SpgemmHandle::nnz_lno_persistent_work_view_t adjacency, of_rows;
  };
};

/// A plan beside its handle.
template <class Plan, class Token>
struct HandlePlanEntry final : HandlePlans::Entry {
  template <class... Arguments>
  explicit HandlePlanEntry(const Token& of_handle, Arguments&&... arguments)
      : token(of_handle), plan(std::forward<Arguments>(arguments)...) {}
  bool is_orphan() const override { return token.use_count() == 1; }

  Token token;
  Plan plan;
};

/// \brief The plan of a handle; nullptr where it has none.
template <class Plan, class SpgemmHandle>
const Plan* find_plan(SpgemmHandle& handle) {
  using Token = HandleToken<SpgemmHandle>;
  auto* entry =
      dynamic_cast<HandlePlanEntry<Plan, typename Token::View>*>(handle_plans().find(Token::of(handle).data()));
  return entry == nullptr ? nullptr : &entry->plan;
}

/// \brief A plan made of `arguments` for the handle, in place of that which it has.
template <class Plan, class SpgemmHandle, class... Arguments>
const Plan& make_plan(SpgemmHandle& handle, Arguments&&... arguments) {
  using Token      = HandleToken<SpgemmHandle>;
  using Entry      = HandlePlanEntry<Plan, typename Token::View>;
  auto& plans      = handle_plans();
  const auto token = Token::put_into(handle);  // what the handle had is an orphan now
  plans.drop_orphans();
  auto entry       = std::make_unique<Entry>(token, std::forward<Arguments>(arguments)...);
  const Plan& plan = entry->plan;
  plans.put(token.data(), std::move(entry));
  return plan;
}

}  // namespace lacuna::Impl

#endif
