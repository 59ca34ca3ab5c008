// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FINDINGS_HPP
#define LACUNA_FINDINGS_HPP

#include <core/base/impl/Lacuna_RelaxedAccess.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief Counts of what checks find on the device, each with the first row it was found in.

namespace lacuna::Impl {

/// The device's side: a count and 2^63 - 1 less the first row, for each kind of finding.
struct FindingCounters {
  Counter* data;

  /// `row` = -1: no row can be told.
  KOKKOS_FUNCTION void add(int which, std::int64_t row) const {
    Kokkos::atomic_add(&data[2 * which], Counter{1});  // atomic_inc on 64 bits is a loop on CUDA (Kokkos 4.5)
    if (row < 0) return;
    const Counter value = static_cast<Counter>(INT64_MAX - row);
    if (relaxed_load(&data[2 * which + 1]) < value) Kokkos::atomic_max(&data[2 * which + 1], value);
  }
};

template <class Device>
class FindingStore {
 public:
  using View = Kokkos::View<Counter*, Device>;

  template <class ExecutionSpace>
  FindingStore(const char* function, const ExecutionSpace& exec, int kinds)
      : m_counters(allocate<View>(function, exec, std::string("Lacuna::") + function + "::findings", 2 * kinds)) {
    Kokkos::deep_copy(exec, m_counters, Counter{0});
  }

  FindingCounters counters() const { return FindingCounters{m_counters.data()}; }

  struct Found {
    std::vector<Counter> found;
    template <class Kind>
    std::int64_t count(Kind which) const {
      return static_cast<std::int64_t>(found[2 * static_cast<std::size_t>(which)]);
    }
    template <class Kind>
    std::int64_t first_row(Kind which) const {
      const Counter value = found[2 * static_cast<std::size_t>(which) + 1];
      return value == 0 ? -1 : INT64_MAX - static_cast<std::int64_t>(value);
    }
  };

  /// Waits for `exec`.
  template <class ExecutionSpace>
  Found read(const ExecutionSpace& exec) const {
    return {read_back(exec, "Lacuna::validate: what was found is read on the host", m_counters)};
  }

 private:
  View m_counters;
};

template <class T>
KOKKOS_INLINE_FUNCTION bool is_finite(const T& value) {
  return Kokkos::isfinite(value);
}
template <class Real>
KOKKOS_INLINE_FUNCTION bool is_finite(const Kokkos::complex<Real>& value) {
  return Kokkos::isfinite(value.real()) && Kokkos::isfinite(value.imag());
}

}  // namespace lacuna::Impl

#endif
