// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper000.hpp>
#include <spmm/Bench_SpmmAlgorithms.hpp>
#include <spmm/Bench_SpmmSummary.hpp>
#include <support/Bench_Table.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <ostream>
#include <string_view>
#include <tuple>
#include <utility>

namespace lacuna::bench {

namespace {

/// One product of one of the sets.
struct Product {
  const SpmmGroup* group;
  SpdmCase problem;

  double zeros() const {
    if (problem.set != SpdmSet::matrix) return 0.01 * problem.zeros;
    const double all = static_cast<double>(group->work.rows) * static_cast<double>(group->work.columns);
    return 100 * (1 - static_cast<double>(group->work.nonzeros) / all);
  }
  const Record* find(const std::string& name) const { return group->find(name); }

  /// The fastest sparse product of ours in full precision, whether or not `automatic` takes it.
  const Record* best_full() const {
    const Record* fastest = nullptr;
    for (const auto& [name, record] : group->cases)
      if (record->description.ours() && name.find('+') == std::string::npos && !name.starts_with("lacuna:dense") &&
          (fastest == nullptr || record->measurement.seconds < fastest->measurement.seconds))
        fastest = record;
    return fastest;
  }
  /// cuSPARSE at its best; Blocked-ELL stands apart, which in float is a product in TF32. Where there is no cuSPARSE,
  /// the best of what there is.
  const Record* vendor() const {
    const Record *fastest = nullptr, *other = nullptr;
    for (const auto& [name, record] : group->cases) {
      const bool apart = name.find("blocked_ell") != std::string::npos && !is_half_name(group->scalar);
      if (record->description.ours() || name.starts_with("cublas:") || apart) continue;
      const Record*& place = name.starts_with("cusparse:") ? fastest : other;
      if (place == nullptr || record->measurement.seconds < place->measurement.seconds) place = record;
    }
    return fastest != nullptr ? fastest : other;
  }
};
using Products = std::vector<Product>;
using Pick     = const Record* (*)(const Product&);

std::string time_of(const Record* record) {
  return record == nullptr ? "-" : readable_time(record->measurement.seconds);
}

std::string name_of(const Record* record) {
  return record == nullptr
             ? "-"
             : record->description.implementation.substr(record->description.implementation.find(':') + 1);
}

/// Time of `slow` over that of `fast`; 0 where one is missing.
double ratio_of(const Record* slow, const Record* fast) {
  return slow == nullptr || fast == nullptr ? 0 : slow->measurement.seconds / fast->measurement.seconds;
}
std::string ratio_text(double ratio) { return ratio > 0 ? fixed(ratio, 2) : "-"; }

std::string per_cent(double share) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", share);
  return text;
}

// What is shown of every product: of ours, then the dense ones.
constexpr const char* automatic = "lacuna:automatic";
constexpr std::array reduced{"lacuna:automatic+tf32", "lacuna:automatic+fp16"};
constexpr std::array dense{"cublas:fp32", "cublas:tf32", "cublas:fp16"};

Pick picks[] = {[](const Product& product) { return product.find(automatic); },
                [](const Product& product) { return product.best_full(); },
                [](const Product& product) { return product.find(reduced[0]); },
                [](const Product& product) { return product.find(reduced[1]); },
                [](const Product& product) { return product.vendor(); }};
constexpr std::array pick_names{"automatic", "best of ours, full", "automatic+tf32", "automatic+fp16", "sparse rival"};

/// Times, and ratios to cuSPARSE, a line a product. GFLOP/s are the paper's effective ones, of nonzeros alone.
void print_times(std::ostream& stream, const Products& products) {
  Table table({"matrix", "N", "zeros %", "automatic", "chose", "GFLOP/s", "best, full", "its name", "sparse rival",
               "its name", "ratio", "best ratio", "TF32 ratio", "fp16 ratio", "dense fp32", "TF32", "half"});
  for (const Product& product : products) {
    const Record *ours = product.find(automatic), *best = product.best_full(), *vendor = product.vendor();
    const std::string matrix =
        product.problem.set == SpdmSet::matrix
            ? product.group->matrix
            : std::to_string(product.problem.rows) + (product.problem.columns == product.problem.rows
                                                          ? ""
                                                          : " x " + std::to_string(product.problem.columns));
    table.add({matrix, std::to_string(product.group->columns), per_cent(product.zeros()), time_of(ours),
               ours == nullptr ? "-" : ours->measurement.label,
               ours == nullptr ? "-" : fixed(product.group->rate(ours), 0), time_of(best), name_of(best),
               time_of(vendor), name_of(vendor), ratio_text(ratio_of(vendor, ours)), ratio_text(ratio_of(vendor, best)),
               ratio_text(ratio_of(vendor, product.find(reduced[0]))),
               ratio_text(ratio_of(vendor, product.find(reduced[1]))), time_of(product.find(dense[0])),
               time_of(product.find(dense[1])), time_of(product.find(dense[2]))});
  }
  table.print(stream);
}

/// Bins of a tenth, as the paper's: up to the first, then from 0.8 to 2.
constexpr int first_bin = 8, last_bin = 20;

/// How often each of ours wins, and how the ratios are spread.
void print_wins(std::ostream& stream, const Products& products) {
  std::map<std::string, std::vector<double>> ratios;
  for (const Product& product : products) {
    const Record* vendor = product.vendor();
    if (vendor == nullptr) continue;
    for (const auto& [name, record] : product.group->cases)
      if (record->description.ours()) ratios[name].push_back(ratio_of(vendor, record));
    if (const Record* best = product.best_full()) ratios["best of ours, full"].push_back(ratio_of(vendor, best));
  }
  if (ratios.empty()) return;
  std::vector<std::string> head{"implementation", "products", "wins", "average", "geomean", "least", "most", "< 0.8"};
  for (int bin = first_bin; bin < last_bin; ++bin) head.push_back(fixed(0.1 * bin, 1));
  head.push_back(">= 2");
  Table table(head);
  for (auto& [name, values] : ratios) {
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    std::array<int, last_bin - first_bin + 2> bins{};
    double sum = 0;
    int wins   = 0;
    for (const double value : values) {
      sum += value;
      wins += value > 1;
      const int bin = static_cast<int>(std::min(10 * value + 1e-9, 1e6));
      ++bins[static_cast<std::size_t>(std::clamp(bin - first_bin + 1, 0, last_bin - first_bin + 1))];
    }
    std::vector<std::string> row{name,
                                 std::to_string(values.size()),
                                 fixed(100 * wins / count, 2) + " %",
                                 fixed(sum / count, 2),
                                 fixed(geometric_mean(values), 2),
                                 fixed(values.front(), 2),
                                 fixed(values.back(), 2)};
    for (const int bin : bins) row.push_back(bin == 0 ? "." : fixed(100 * bin / count, 1) + " %");
    table.add(row);
  }
  stream << "\nTime of the best sparse rival over ours: how often we win, and how many products have which ratio, from "
            "the "
            "number above on (figures 4 and 6)\n";
  table.print(stream);
}

/// From how many zeros on a dense product is passed, for every shape and number of columns.
void print_crossovers(std::ostream& stream, const Products& products) {
  using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::map<Shape, Products> shapes;
  for (const Product& product : products)
    shapes[{product.problem.rows, product.problem.columns, product.group->columns}].push_back(product);
  std::vector<std::string> head{"matrix", "N"};
  for (const char* name : dense)
    for (const char* pick : pick_names) head.push_back(std::string(pick) + " / " + name);
  Table table(head);
  bool any = false;
  for (const auto& [shape, of_shape] : shapes) {
    const auto& [rows, columns, width] = shape;
    std::vector<std::string> row{std::to_string(rows) + (rows == columns ? "" : " x " + std::to_string(columns)),
                                 std::to_string(width)};
    for (const char* name : dense)
      for (const Pick& pick : picks) {
        std::vector<SpdmRatio> ratios;
        for (const Product& product : of_shape)
          if (const double ratio = ratio_of(product.find(name), pick(product)); ratio > 0)
            ratios.push_back({product.zeros(), ratio});
        any = any || !ratios.empty();
        row.push_back(crossover(ratios));
      }
    table.add(row);
  }
  if (!any) return;
  stream << "\nFrom how many per cent of zeros on the dense product (cuBLAS) is the slower one (figures 7 to 12)\n";
  table.print(stream);
}

/// The paper's extra overhead (EO, allocation and conversion: from CSR, unless a name says from_dense) and kernel (KC).
void print_overhead(std::ostream& stream, const Products& products) {
  Table table({"n", "zeros %", "ours", "EO", "KC", "EO / KC", "rival EO", "KC", "EO / KC", "dense EO", "KC"});
  for (const Product& product : products) {
    if (product.zeros() < 95 || product.zeros() > 99) continue;
    const Record* from_dense = product.find("lacuna:gcoo:from_dense");
    const Record* own        = from_dense != nullptr ? from_dense : product.find(automatic);
    std::vector<std::string> row{std::to_string(product.problem.rows), per_cent(product.zeros()), name_of(own)};
    for (const Record* record : {own, product.vendor()}) {
      row.push_back(record == nullptr ? "-" : readable_time(record->measurement.setup_seconds));
      row.push_back(time_of(record));
      row.push_back(record == nullptr ? "-"
                                      : fixed(record->measurement.setup_seconds / record->measurement.seconds, 2));
    }
    const Record* full = product.find(dense[0]);
    row.push_back(full == nullptr ? "-" : readable_time(full->measurement.setup_seconds));
    row.push_back(time_of(full));
    table.add(row);
  }
  stream
      << "\nFigure 13: overhead (EO: allocation and conversion, of a dense A where the names say from_dense, else from "
         "CSR, for cuBLAS to a dense matrix) and kernel (KC)\n";
  table.print(stream);
}

}  // namespace

void print_spdm_paper(std::ostream& stream, const std::vector<Record>& records) {
  const std::vector<SpmmGroup> groups = spmm_groups(records);
  std::vector<std::string> scalars;
  for (const SpmmGroup& group : groups)
    if (std::find(scalars.begin(), scalars.end(), group.scalar) == scalars.end()) scalars.push_back(group.scalar);
  for (const std::string& scalar : scalars) {
    std::array<Products, 3> sets;
    for (const SpmmGroup& group : groups) {
      if (group.scalar != scalar) continue;
      const SpdmCase problem = spdm_case(group.matrix);
      sets[static_cast<std::size_t>(problem.set)].push_back({&group, problem});
    }
    stream << "\nShi, Wang and Chu, GCOO, " << scalar << ". GFLOP/s count nonzeros alone; the sparse rival is the best"
           << " of cuSPARSE in either layout, Blocked-ELL (TF32) apart, or where there is none the best of what there "
              "is.\n";
    const auto& [random, matrices, layers] = sets;
    if (!random.empty()) {
      stream << "\nSection IV-B: random matrices, N = n\n";
      print_times(stream, random);
      print_wins(stream, random);
      print_crossovers(stream, random);
      print_overhead(stream, random);
    }
    if (!matrices.empty()) {
      stream
          << "\nTable III and figure 5, N = n. A surrogate has the rows, nonzeros and pattern class of the matrix that "
             "it stands for.\n";
      print_times(stream, matrices);
      print_wins(stream, matrices);
    }
    if (!layers.empty()) {
      stream << "\nLayers of pruned networks, N tokens\n";
      print_times(stream, layers);
      print_wins(stream, layers);
      print_crossovers(stream, layers);
    }
  }
}

}  // namespace lacuna::bench
