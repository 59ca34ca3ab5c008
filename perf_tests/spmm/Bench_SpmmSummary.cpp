// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Bench_SpmmSummary.hpp>

#include <support/Bench_Regret.hpp>
#include <support/Bench_Table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <tuple>

namespace lacuna::bench {

double statistic(const Work& work, std::string_view name) {
  for (const auto& [known, value] : work.statistics)
    if (known == name) return value;
  return 0;
}

MatrixClass matrix_class(const Work& work) {
  const double rpc  = statistic(work, "rpc");
  const double mean = static_cast<double>(work.nonzeros) / static_cast<double>(std::max<std::int64_t>(work.rows, 1));
  if (rpc >= 4) return MatrixClass::block;
  return rpc >= 1.2 && statistic(work, "longest_row") <= 4 * mean ? MatrixClass::mesh : MatrixClass::irregular;
}

const Record* SpmmGroup::find(const std::string& implementation) const {
  const auto place = cases.find(implementation);
  return place == cases.end() ? nullptr : place->second;
}

const Record* SpmmGroup::best(std::string_view start) const {
  const Record* fastest = nullptr;
  for (const auto& [implementation, record] : cases)
    if (std::string_view(implementation).starts_with(start) &&
        (fastest == nullptr || record->measurement.seconds < fastest->measurement.seconds))
      fastest = record;
  return fastest;
}

const Record* SpmmGroup::best_rival() const {
  const Record* fastest = nullptr;
  for (const auto& [implementation, record] : cases)
    if (!record->description.ours() && !implementation.starts_with("cublas:") &&
        (fastest == nullptr || record->measurement.seconds < fastest->measurement.seconds))
      fastest = record;
  return fastest != nullptr ? fastest : best("cublas:");
}

double SpmmGroup::regret(const Record& automatic) const {
  std::vector<const Record*> records;
  for (const auto& [implementation, record] : cases) records.push_back(record);
  return regret_of(records, automatic);
}

double SpmmGroup::rate(const Record* record) const {
  return record == nullptr ? 0 : work.flops / record->measurement.seconds * 1e-9;
}

std::vector<SpmmGroup> spmm_groups(const std::vector<Record>& records) {
  using Key = std::tuple<std::string, std::string, std::int64_t>;
  std::vector<SpmmGroup> groups;
  std::map<Key, std::size_t> places;
  for (const Record& record : records) {
    const Case& description = record.description;
    if (description.operation != "spmm") continue;
    const auto [place, is_new] =
        places.try_emplace({description.matrix, description.scalar, description.columns}, groups.size());
    if (is_new) groups.push_back({description.matrix, description.scalar, description.columns, description.work, {}});
    if (has_time(record)) groups[place->second].cases[description.implementation] = &record;
  }
  return groups;
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

void print_spmm_summary(std::ostream& stream, const std::vector<Record>& records, std::int64_t least) {
  const std::vector<SpmmGroup> groups = spmm_groups(records);
  if (std::none_of(groups.begin(), groups.end(), [&](const SpmmGroup& group) { return group.work.nonzeros >= least; }))
    least = 0;
  struct Row {
    std::vector<double> all;
    std::array<std::vector<double>, 3> classes;
    std::vector<double> regrets;
    double worst = 0;
    std::string worst_matrix;
  };
  std::vector<std::tuple<std::string, std::string, std::int64_t>> order;
  std::map<std::tuple<std::string, std::string, std::int64_t>, Row> rows;
  for (const SpmmGroup& group : groups) {
    const Record* rival = group.best_rival();
    if (rival == nullptr || group.work.nonzeros < least) continue;
    for (const auto& [implementation, record] : group.cases) {
      if (!record->description.ours()) continue;
      const std::tuple key{group.scalar, implementation, group.columns};
      const double ratio         = rival->measurement.seconds / record->measurement.seconds;
      const auto [place, is_new] = rows.try_emplace(key);
      Row& row                   = place->second;
      if (is_new) order.push_back(key);
      if (row.all.empty() || ratio < row.worst) {
        row.worst        = ratio;
        row.worst_matrix = group.matrix;
      }
      row.all.push_back(ratio);
      row.classes[static_cast<std::size_t>(matrix_class(group.work))].push_back(ratio);
      if (!is_automatic(implementation)) continue;
      if (const double regret = group.regret(*record); regret > 0) row.regrets.push_back(regret);
    }
  }
  if (order.empty()) return;
  std::sort(order.begin(), order.end());
  Table table({"implementation", "scalar", "N", "matrices", "geomean", "block/FEM", "mesh", "irregular", "regret",
               "most", "worst", "on"});
  table.align_left_from(11);
  const auto cell = [](const std::vector<double>& values) {
    return values.empty() ? std::string("-")
                          : fixed(geometric_mean(values), 2) + " (" + std::to_string(values.size()) + ")";
  };
  for (const auto& key : order) {
    const auto& [scalar, implementation, columns] = key;
    const Row& row                                = rows.at(key);
    table.add({implementation, scalar, std::to_string(columns), std::to_string(row.all.size()),
               fixed(geometric_mean(row.all), 2), cell(row.classes[0]), cell(row.classes[1]), cell(row.classes[2]),
               row.regrets.empty() ? "-" : fixed(geometric_mean(row.regrets), 3),
               row.regrets.empty() ? "-" : fixed(*std::max_element(row.regrets.begin(), row.regrets.end()), 2),
               fixed(row.worst, 2), row.worst_matrix});
  }
  stream
      << "\nTime of the best rival (cuSPARSE, Kokkos Kernels and the like; dense products apart) over ours; regret is "
         "that of automatic against the best of ours"
      << (least > 0 ? ", matrices with at least " + grouped(least) + " nonzeros" : std::string()) << "\n";
  table.print(stream);
}

}  // namespace lacuna::bench
