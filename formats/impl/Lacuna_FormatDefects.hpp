// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FORMATDEFECTS_HPP
#define LACUNA_FORMATDEFECTS_HPP

#include <core/impl/inspection/Lacuna_Findings.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief What the rules of formats say where a matrix does not follow them.

namespace lacuna::Impl {

using Defects = std::vector<std::string>;

/// "3 entries after padding, first in row 7" for each kind that was found.
template <std::size_t Kinds, class Device, class ExecutionSpace>
void list_findings(const ExecutionSpace& exec, const FindingStore<Device>& store,
                   const std::array<const char*, Kinds>& names, Defects& defects) {
  const auto findings = store.read(exec);
  for (std::size_t kind = 0; kind < Kinds; ++kind) {
    if (findings.count(kind) == 0) continue;
    const std::int64_t row = findings.first_row(kind);
    defects.push_back(std::to_string(findings.count(kind)) + " " + names[kind] +
                      (row >= 0 ? ", first at " + std::to_string(row) : std::string()));
  }
}

template <class View>
bool has_extent(const char* name, const View& view, std::int64_t wanted, Defects& defects) {
  if (static_cast<std::int64_t>(view.extent(0)) == wanted) return true;
  defects.push_back(std::string(name) + " has " + std::to_string(view.extent(0)) + " elements, not " +
                    std::to_string(wanted));
  return false;
}

template <class Offset>
struct CheckMap {
  const Offset* map;
  std::int64_t last;
  std::int64_t end;
  std::int64_t multiple;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto value = static_cast<std::int64_t>(map[i]);
    if (i < last && static_cast<std::int64_t>(map[i + 1]) < value) findings.add(0, i);
    if (value % multiple != 0) findings.add(1, i);
    if ((i == 0 && value != 0) || (i == last && value != end)) findings.add(2, i);
  }
};

/// A map of `n` ranges from 0 to `end`: never decreasing, in multiples of `multiple`.
template <class ExecutionSpace, class View>
bool check_map(const ExecutionSpace& exec, const std::string& name, const View& map, std::int64_t n, std::int64_t end,
               std::int64_t multiple, Defects& defects) {
  const std::size_t before = defects.size();
  if (!has_extent(name.c_str(), map, n + 1, defects)) return false;
  const FindingStore<typename View::device_type> store("validate", exec, 3);
  for_each_index(exec, "Lacuna::validate::map", n + 1,
                 CheckMap<typename View::non_const_value_type>{map.data(), n, end, multiple, store.counters()});
  const std::string decreasing = "decreasing elements in " + name;
  const std::string crooked    = "elements that are no multiple in " + name;
  const std::string ends       = "wrong ends of " + name;
  list_findings<3>(exec, store, {decreasing.c_str(), crooked.c_str(), ends.c_str()}, defects);
  return defects.size() == before;
}

}  // namespace lacuna::Impl

#endif
