// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_PERMUTATION_HPP
#define LACUNA_VALIDATE_PERMUTATION_HPP

#include <core/base/impl/Lacuna_Bits.hpp>
#include <formats/impl/Lacuna_FormatDefects.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief Whether an array holds every number once.

namespace lacuna::Impl {

/// Every element of [0, n) is hit once: `add` on each, then `finish`.
template <class Device>
struct HitOnce {
  using Marks = Kokkos::View<std::uint32_t*, Device>;
  Marks marks;

  template <class ExecutionSpace>
  HitOnce(const ExecutionSpace& exec, std::int64_t n)
      : marks(allocate<Marks>("validate", exec, "Lacuna::validate::marks", (n + 31) / 32)) {
    Kokkos::deep_copy(exec, marks, 0u);
  }
};

/// Finding 0: index out of range, or hit for another time (which of the two is not said, since it is a matter of
/// chance).
template <class Index>
struct CheckHitOnce {
  const Index* indices;
  std::int64_t n;
  bool allows_none;  ///< -1 stands for nothing
  std::uint32_t* marks;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto index = static_cast<std::int64_t>(indices[i]);
    if (allows_none && index == -1) return;
    if (index < 0 || index >= n) return findings.add(0, i);
    const std::uint32_t bit = std::uint32_t{1} << (index & 31);
    if ((Kokkos::atomic_fetch_or(&marks[index / 32], bit) & bit) != 0) findings.add(0, -1);
  }
};

struct CountHits {
  const std::uint32_t* marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const { count += count_bits(marks[i]); }
};

/// That `indices` hold every number of [0, n) once, and -1 besides where that is allowed.
template <class ExecutionSpace, class View>
void check_permutation(const ExecutionSpace& exec, const char* name, const View& indices, std::int64_t n,
                       bool allows_none, Defects& defects) {
  using Device = typename View::device_type;
  if (static_cast<std::int64_t>(indices.extent(0)) < n) {  // before marks for any number are allocated
    defects.push_back(std::string(name) + " has " + std::to_string(indices.extent(0)) + " elements for " +
                      std::to_string(n));
    return;
  }
  const HitOnce<Device> hits(exec, n);
  const FindingStore<Device> store("validate", exec, 1);
  for_each_index(exec, "Lacuna::validate::permutation", static_cast<std::int64_t>(indices.extent(0)),
                 CheckHitOnce<typename View::non_const_value_type>{indices.data(), n, allows_none, hits.marks.data(),
                                                                   store.counters()});
  const std::string text = std::string("elements of ") + name + " out of range or there twice";
  list_findings<1>(exec, store, {text.c_str()}, defects);
  std::int64_t count = 0;
  if (n > 0)
    Kokkos::parallel_reduce("Lacuna::validate::count_hits", index_range(exec, (n + 31) / 32),
                            CountHits{hits.marks.data()}, count);
  if (count != n) defects.push_back(std::string(name) + " holds " + std::to_string(count) + " of " + std::to_string(n));
}

}  // namespace lacuna::Impl

#endif
