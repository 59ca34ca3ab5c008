// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_Regret.hpp>

#include <support/Bench_Table.hpp>

#include <algorithm>

namespace lacuna::bench {

namespace {

/// `lacuna:bricks:panel=16+tf32+col` or `lacuna:bins+given` taken apart.
struct OwnName {
  explicit OwnName(std::string_view implementation) {
    const std::size_t plus = std::min(implementation.find('+'), implementation.size());
    algorithm              = implementation.substr(0, plus);
    precision              = implementation.substr(plus);
    column_major           = precision.ends_with("+col");
    if (column_major) precision.remove_suffix(4);
    is_given = precision.ends_with("+given");
    if (is_given) precision.remove_suffix(6);
  }
  std::string_view algorithm;
  std::string_view precision;  ///< with its plus; empty for full
  bool column_major = false;
  bool is_given     = false;  ///< transposes were there before
};

}  // namespace

bool is_automatic(std::string_view implementation) { return OwnName(implementation).algorithm == "lacuna:automatic"; }

bool may_stand_for(std::string_view other, std::string_view wanted) {
  const OwnName name(other), asked(wanted);
  // A part of the call, or one whose A is stored in another way.
  for (const std::string_view part : {":symbolic", ":reuse", ":to_crs", ":from_dense"})
    if (name.algorithm.find(part) != std::string_view::npos) return false;
  return name.algorithm.starts_with("lacuna:") && name.column_major == asked.column_major &&
         name.is_given == asked.is_given && (name.precision.empty() || name.precision == asked.precision);
}

const Record* best_own(const std::vector<const Record*>& cases, const Record& automatic) {
  const Record* best = &automatic;
  int alternatives   = 0;
  for (const Record* record : cases) {
    const std::string& name = record->description.implementation;
    if (!has_time(*record) || !may_stand_for(name, automatic.description.implementation)) continue;
    if (!is_automatic(name) && OwnName(name).algorithm != "lacuna:one_shot") ++alternatives;
    if (record->measurement.device_seconds() < best->measurement.device_seconds()) best = record;
  }
  return alternatives >= 2 ? best : nullptr;
}

double regret_of(const std::vector<const Record*>& cases, const Record& automatic) {
  const Record* best = best_own(cases, automatic);
  return best == nullptr ? 0 : automatic.measurement.device_seconds() / best->measurement.device_seconds();
}

}  // namespace lacuna::bench
