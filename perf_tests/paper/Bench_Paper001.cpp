// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper001.hpp>

#include <spmm/Bench_SpmmSummary.hpp>
#include <support/Bench_Table.hpp>

#include <algorithm>
#include <array>
#include <ostream>

namespace lacuna::bench {

namespace {

constexpr PatternClass blocks(int unknowns, double reach) {
  return {PatternClass::Kind::runs, unknowns, unknowns, 0.15, reach, 0};
}
constexpr PatternClass runs(int length, double reach, double spread) {
  return {PatternClass::Kind::runs, 1, length, spread, reach, 0};
}

constexpr std::array<SpgemmPaperMatrix, 21> matrices{{
    {"2cubes_sphere", 101492, 1647264, runs(1, 0.02, 0.3), 0.928, 0.896},
    {"cage12", 130228, 2032536, runs(1, 0.1, 0.3), 1.063, 0.487},
    {"cant", 62451, 4007383, blocks(3, 0.01), 3.417, 5.123},
    {"consph", 83334, 6010480, blocks(3, 0.05), 3.479, 4.304},
    {"cop20k_A", 121192, 2624331, runs(2, 0.05, 0.6), 1.796, 0.678},
    {"filter3D", 106437, 2707179, runs(2, 0.02, 0.4), 1.734, 1.111},
    {"hood", 220542, 9895422, blocks(6, 0.01), 4.594, 1.995},
    {"m133-b3", 200200, 800800, runs(1, 0.5, 0), 0.500, 0.152},
    {"mac_econ_fwd500", 206500, 1273389, runs(2, 0.05, 0.5), 0.367, 0.384},
    {"majorbasis", 160000, 1750416, runs(2, 0.01, 0.1), 1.698, 0.542},
    {"mario002", 389874, 2097566, runs(1, 0.01, 0.2), 0.648, 0.169},
    {"mc2depi", 525825, 2100225, {PatternClass::Kind::grid, 1, 1, 0, 0, 513}, 0.564, 0.347},
    {"offshore", 259789, 4242673, runs(1, 0.02, 0.3), 1.151, 0.692},
    {"patents_main", 240547, 560943, runs(1, 0.5, 1.0), 0.080, 0.066},
    {"pdb1HYS", 36417, 4344765, runs(6, 0.05, 0.3), 3.183, 6.172},
    {"poisson3Da", 13514, 352762, runs(1, 0.2, 0.4), 1.027, 0.912},
    {"pwtk", 217918, 11634424, blocks(6, 0.01), 4.930, 4.962},
    {"rma10", 46835, 2374001, runs(4, 0.02, 0.4), 3.593, 4.186},
    {"scircuit", 170998, 958936, runs(1, 0.05, 1.0), 0.247, 0.296},
    {"shipsec1", 140874, 7813404, blocks(6, 0.02), 1.751, 1.643},
    {"webbase-1M", 1000005, 3105536, runs(1, 0.1, 1.5), 0.278, 0.130},
}};

const SpgemmPaperMatrix* paper_matrix(std::string_view name) {
  if (name.ends_with(surrogate_ending)) name.remove_suffix(surrogate_ending.size());
  const auto place = std::find_if(matrices.begin(), matrices.end(),
                                  [&](const SpgemmPaperMatrix& matrix) { return name == matrix.name; });
  return place == matrices.end() ? nullptr : &*place;
}

/// What was measured of one matrix in one scalar type.
struct Group {
  std::vector<Record> records;

  const Record* find(const std::string& implementation) const {
    const Record* record = find_record(records, implementation);
    return record != nullptr && record->measurement.seconds > 0 && !record->measurement.wrong ? record : nullptr;
  }
  double milliseconds(const std::string& implementation) const {
    const Record* record = find(implementation);
    return record == nullptr ? 0 : 1e3 * record->measurement.seconds;
  }
  double rate(const std::string& implementation) const {
    const Record* record = find(implementation);
    return record == nullptr ? 0 : record->description.work.flops / record->measurement.seconds * 1e-9;
  }
  /// Of cuSPARSE's whole calls, or on hosts of Kokkos Kernels', the fastest.
  double best_rival() const {
    double best = 0;
    for (const Record& record : records) {
      const std::string& name = record.description.implementation;
      if (!name.starts_with("lacuna:") && !name.ends_with("reuse")) best = std::max(best, rate(name));
    }
    return best;
  }
};

std::string cell(double number, int digits) { return number > 0 ? fixed(number, digits) : "-"; }

}  // namespace

std::span<const SpgemmPaperMatrix> spgemm_paper_matrices() { return matrices; }

MatrixSource spgemm_paper_source(const SpgemmPaperMatrix& matrix) {
  return source_or_surrogate(matrix.name, matrix.rows, matrix.rows, matrix.nonzeros, matrix.pattern);
}

std::vector<std::string> spgemm_paper_algorithms() { return {"bins", "bins:symbolic", "bins:reuse", "automatic"}; }

void print_spgemm_paper(std::ostream& stream, const std::vector<Record>& records) {
  std::vector<Group> groups;
  for (const Record& record : records) {
    if (paper_matrix(record.description.matrix) == nullptr) continue;
    if (groups.empty() || groups.back().records.front().description.matrix != record.description.matrix ||
        groups.back().records.front().description.scalar != record.description.scalar)
      groups.emplace_back();
    groups.back().records.push_back(record);
  }
  stream << "\nVaraganti, clSPARSE's SpGEMM, figure 1: C = A A, GFLOP/s of whole calls; in brackets the paper's, "
            "clSPARSE on "
            "a W9100, cuSPARSE on a K40.\nA surrogate has the rows, nonzeros and pattern class of the matrix that it "
            "stands "
            "for.\n";
  Table rates({"matrix", "scalar", "rows", "nonzeros", "products", "bins", "automatic", "best rival", "bins / rival",
               "automatic / rival"});
  Table stages({"matrix", "scalar", "bounds and bins (1, 2)", "plan (1 to 3), ms", "C and copy (4), ms",
                "whole call, ms", "values again, ms"});
  std::vector<double> of_bins, of_automatic, published;
  for (const Group& group : groups) {
    const Case& first               = group.records.front().description;
    const SpgemmPaperMatrix& matrix = *paper_matrix(first.matrix);
    const double bins = group.rate("lacuna:bins"), automatic = group.rate("lacuna:automatic");
    const double rival = group.best_rival();
    rates.add({first.matrix, first.scalar, grouped(first.work.rows), grouped(first.work.nonzeros),
               grouped(static_cast<std::int64_t>(statistic(first.work, "products"))),
               cell(bins, 3) + " (" + fixed(matrix.clsparse, 3) + ")", cell(automatic, 3),
               cell(rival, 3) + " (" + fixed(matrix.cusparse, 3) + ")",
               cell(rival > 0 ? bins / rival : 0, 2) + " (" + fixed(matrix.clsparse / matrix.cusparse, 2) + ")",
               cell(rival > 0 ? automatic / rival : 0, 2)});
    if (rival > 0 && bins > 0) {
      of_bins.push_back(bins / rival);
      published.push_back(matrix.clsparse / matrix.cusparse);
    }
    if (rival > 0 && automatic > 0) of_automatic.push_back(automatic / rival);

    const double whole = group.milliseconds("lacuna:bins"), plan = group.milliseconds("lacuna:bins:symbolic");
    const Record* symbolic = group.find("lacuna:bins:symbolic");
    stages.add({first.matrix, first.scalar, symbolic == nullptr ? "-" : symbolic->measurement.label, cell(plan, 3),
                cell(whole - plan, 3), cell(whole, 3), cell(group.milliseconds("lacuna:bins:reuse"), 3)});
  }
  rates.print(stream);
  if (!of_bins.empty())
    stream << "  geometric means: bins " << fixed(geometric_mean(of_bins), 2) << " (paper "
           << fixed(geometric_mean(published), 2) << "), automatic "
           << (of_automatic.empty() ? std::string("-") : fixed(geometric_mean(of_automatic), 2)) << "\n";
  stream
      << "\nStages of bins: 1 and 2 on the clock of the host up to the wait for the counts, 3 the rest of the plan, 4 "
         "the whole call less the plan\n";
  stages.print(stream);
}

}  // namespace lacuna::bench
