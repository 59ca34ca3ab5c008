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

using Kind = PatternClass::Kind;

/// Nodes of `unknowns` each, in a mesh.
constexpr PatternClass mesh(int unknowns, int dimensions, double looseness, double spread, int regions, int longest) {
  return {.kind       = Kind::mesh,
          .block      = unknowns,
          .run        = unknowns,
          .spread     = spread,
          .dimensions = dimensions,
          .looseness  = looseness,
          .regions    = regions,
          .longest    = longest};
}
/// Columns one by one; `apart`: without the diagonal.
constexpr PatternClass near(double reach, double spread, int regions, int longest) {
  return {.spread = spread, .reach = reach, .regions = regions, .longest = longest};
}
constexpr PatternClass apart(double reach, double spread, int regions, int longest) {
  return {.spread = spread, .reach = reach, .regions = regions, .longest = longest, .diagonal = false};
}

/// Parameters of patterns were found by trying, until products and nonzeros of C were those of the real matrix.
constexpr std::array<SpgemmPaperMatrix, 21> matrices{{
    {"2cubes_sphere", 101492, 1647264, mesh(1, 3, 1.31, 0.32, 60, 31), 27.45, 8.97, 0.928, 0.896},
    {"cage12", 130228, 2032536, mesh(1, 3, 2.48, 0.79, 30, 33), 34.61, 15.23, 1.063, 0.487},
    {"cant", 62451, 4007383, mesh(3, 2, 1.33, 0.51, 60, 78), 269.49, 17.44, 3.417, 5.123},
    {"consph", 83334, 6010480, mesh(3, 2, 1.35, 0.99, 30, 81), 463.85, 26.54, 3.479, 4.304},
    {"cop20k_A", 121192, 2624331, mesh(1, 3, 1.79, 1.24, 20, 81), 79.88, 18.71, 1.796, 0.678},
    {"filter3D", 106437, 2707179, mesh(1, 3, 1.68, 1.08, 30, 112), 85.96, 20.16, 1.734, 1.111},
    {"hood", 220542, 10768436, mesh(3, 2, 1, 0.38, 60, 77), 562.03, 34.24, 4.594, 1.995},
    {"m133-b3", 200200, 800800, apart(50, 0, 0, 4), 3.2, 3.18, 0.500, 0.152},
    {"mac_econ_fwd500", 206500, 1273389, near(0.05, 0.25, 0, 44), 7.56, 6.7, 0.367, 0.384},
    {"majorbasis", 160000, 1750416, mesh(1, 2, 2.06, 0, 0, 11), 19.18, 8.24, 1.698, 0.542},
    {"mario002", 389874, 2097566, mesh(1, 2, 1.52, 0.94, 30, 7), 12.83, 6.45, 0.648, 0.169},
    {"mc2depi", 525825, 2100225, {.kind = Kind::grid, .grid_width = 513}, 8.39, 5.25, 0.564, 0.347},
    {"offshore", 259789, 4242673, mesh(1, 3, 1.31, 0.34, 60, 31), 71.34, 23.36, 1.151, 0.692},
    {"patents_main", 240547, 560943, apart(0.0016, 0.81, 200, 206), 2.6, 2.28, 0.080, 0.066},
    {"pdb1HYS", 36417, 4344765, mesh(3, 2, 1.24, 0.56, 60, 204), 555.32, 19.59, 3.183, 6.172},
    {"poisson3Da", 13514, 352762, mesh(1, 2, 3.6, 0.83, 12, 110), 11.77, 2.96, 1.027, 0.912},
    {"pwtk", 217918, 11634424, mesh(6, 2, 1, 0.1, 60, 180), 626.05, 32.77, 4.930, 4.962},
    {"rma10", 46835, 2374001, mesh(4, 2, 1.1, 0.78, 20, 145), 156.48, 7.9, 3.593, 4.186},
    {"scircuit", 170998, 958936, near(0.0005, 0.64, 200, 353), 8.68, 5.22, 0.247, 0.296},
    {"shipsec1", 140874, 7813404, mesh(6, 2, 1.05, 0.28, 60, 102), 450.64, 24.09, 1.751, 1.643},
    {"webbase-1M", 1000005, 3105536, apart(0.0024, 2.01, 1000, 4700), 69.52, 51.11, 0.278, 0.130},
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

std::vector<std::string> spgemm_paper_algorithms() {
  return {"bins", "bins:symbolic", "bins:reuse", "bins_by_subwarps", "automatic"};
}

void print_spgemm_paper(std::ostream& stream, const std::vector<Record>& records) {
  std::vector<Group> groups;
  for (const Record& record : records) {
    if (paper_matrix(record.description.matrix) == nullptr) continue;
    if (groups.empty() || groups.back().records.front().description.matrix != record.description.matrix ||
        groups.back().records.front().description.scalar != record.description.scalar)
      groups.emplace_back();
    groups.back().records.push_back(record);
  }
  stream
      << "\nVaraganti, clSPARSE's SpGEMM, figure 1: C = A A, GFLOP/s of whole calls; in brackets the paper's, "
         "clSPARSE on "
         "a W9100, cuSPARSE on a K40.\nA surrogate has the rows, nonzeros, longest row, products and nonzeros of C of "
         "the matrix that it stands for, to a few percent.\n";
  Table rates({"matrix", "scalar", "rows", "nonzeros", "products", "bins", "bins_by_subwarps", "automatic",
               "best rival", "bins / rival", "automatic / rival"});
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
               cell(bins, 3) + " (" + fixed(matrix.clsparse, 3) + ")", cell(group.rate("lacuna:bins_by_subwarps"), 3),
               cell(automatic, 3), cell(rival, 3) + " (" + fixed(matrix.cusparse, 3) + ")",
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
