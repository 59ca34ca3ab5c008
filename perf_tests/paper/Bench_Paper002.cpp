// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper002.hpp>

#include <support/Bench_Table.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <ostream>

namespace lacuna::bench {

namespace {

constexpr PatternClass blocks(int unknowns, double reach, double spread = 0.15) {
  return {PatternClass::Kind::runs, unknowns, unknowns, spread, reach, 0};
}
constexpr PatternClass runs(int length, double reach, double spread) {
  return {PatternClass::Kind::runs, 1, length, spread, reach, 0};
}
constexpr PatternClass grid(int width) { return {PatternClass::Kind::grid, 1, 1, 0, 0, width}; }

// Structures count six unknowns a node (shells) or three; raefsky3 has blocks of 8, venkat01 of 4 (Euler). Where the
// paper's nonzeros are those of a stored triangle (olafu, bcsstk35, nasasrb), so are the surrogate's.
constexpr std::array<PaperMatrix, 19> matrices{{
    {"pwtk", 217918, 217918, 11634424, blocks(6, 0.01), 6.23, 11.92, 9.47, 12.06, 8.11, 20.72, 12.43},
    {"shipsec1", 140874, 140874, 7813404, blocks(6, 0.02), 5.77, 8.63, 5.89, 7.45, 6.68, 12.36, 12.41},
    {"pdb1HYS", 36417, 36417, 4344765, runs(6, 0.05, 0.3), 6.82, 7.29, 7.17, 9.29, 9.42, 13.07, 17.46},
    {"rail4284", 4284, 1092610, 11279748, runs(1, 0.5, 1.2), 3.98, 2.10, 4.52, 4.68, 4.16, 2.53, 4.87},
    {"mc2depi", 525825, 525825, 2100225, grid(513), 1.44, 7.1, 8.09, 8.17, 1.84, 8.56, 8.40},
    {"raefsky3", 21200, 21200, 1488768, blocks(8, 0.02, 0.1), 8.09, 14.31, 8.27, 12.14, 10.25, 16.80, 19.35},
    {"olafu", 16146, 16146, 515651, blocks(6, 0.02), 6.34, 10.09, 5.90, 7.30, 8.81, 12.98, 11.17},
    {"bcsstk35", 30237, 30237, 740200, blocks(6, 0.02, 0.3), 6.02, 7.24, 5.19, 6.17, 8.43, 9.99, 9.54},
    {"venkat01", 62424, 62424, 1717792, blocks(4, 0.02, 0.1), 5.73, 9.61, 6.40, 8.29, 8.41, 15.26, 12.27},
    {"nasasrb", 54870, 54870, 1366097, blocks(3, 0.02), 5.69, 8.64, 5.68, 7.20, 8.16, 12.98, 10.71},
    {"ex11", 16614, 16614, 1096948, runs(5, 0.05, 0.3), 6.06, 9.85, 6.37, 6.39, 8.85, 13.54, 13.43},
    {"rdist1", 4134, 4134, 94408, runs(3, 0.05, 0.8), 4.12, 2.19, 3.16, 3.65, 4.16, 1.91, 4.79},
    {"orani678", 2529, 2529, 90158, runs(2, 0.5, 1.4), 2.40, 0.21, 2.77, 2.81, 2.98, 0.19, 3.41},
    {"rim", 22560, 22560, 1014951, runs(5, 0.05, 0.3), 5.50, 7.20, 5.91, 6.20, 7.81, 9.70, 11.41},
    {"rma10", 46835, 46835, 2374001, runs(4, 0.02, 0.4), 5.97, 7.17, 6.75, 8.94, 8.34, 11.08, 16.35},
    {"lp_osa_60", 10280, 243246, 1408073, runs(1, 0.5, 1.8), 0.58, 0.08, 0.60, 0.60, 0.63, 0.08, 0.64},
    {"fxm4_6", 22400, 47185, 265442, runs(2, 0.02, 0.8), 3.19, 3.00, 2.86, 3.88, 3.47, 3.08, 4.70},
    {"para-7", 155924, 155924, 5416358, runs(2, 0.05, 0.3), 2.94, 3.96, 3.34, 3.58, 5.60, 6.19, 7.69},
    {"e40r0100", 17281, 17281, 553562, runs(3, 0.05, 0.4), 5.00, 4.84, 4.97, 5.66, 7.12, 6.72, 9.39},
}};

/// The matrices of tables 4 and 5.
constexpr std::array<std::string_view, 5> tuned{"shipsec1", "pdb1HYS", "raefsky3", "venkat01", "rma10"};
constexpr std::array<int, 4> team_sizes{64, 128, 256, 512};
constexpr std::array<int, 3> lane_counts{16, 32, 64};
/// Sizes of blocks that are tried: its future work.
constexpr std::array<int, 4> block_rows{8, 16, 32, 64};
constexpr std::array<int, 3> block_columns{64, 256, 1024};

bool is_tuned(std::string_view name) { return std::find(tuned.begin(), tuned.end(), name) != tuned.end(); }

std::string with_team(const char* algorithm, int team) {
  return std::string(algorithm) + ":team=" + std::to_string(team);
}
std::string with_lanes(const char* algorithm, int lanes) {
  return std::string(algorithm) + ":lanes=" + std::to_string(lanes);
}

/// What was measured of one matrix.
struct Results {
  std::string name;
  std::vector<Record> records;

  std::string rate(const std::string& implementation) const {
    const Record* record = find_record(records, implementation);
    if (record == nullptr) return "-";
    return fixed(record->description.work.flops / record->measurement.seconds * 1e-9, 1);
  }
  /// The fastest of the implementations whose names start so.
  std::string best_rate(const std::string& start) const {
    double best = 0;
    for (const Record& record : records)
      if (record.description.implementation.starts_with(start) && record.measurement.seconds > 0 &&
          !record.measurement.wrong)
        best = std::max(best, record.description.work.flops / record.measurement.seconds * 1e-9);
    return best > 0 ? fixed(best, 1) : "-";
  }
};

/// The records, a matrix and a scalar type apart.
std::vector<Results> by_matrix(const std::vector<Record>& records, const std::string& scalar) {
  std::vector<Results> results;
  for (const Record& record : records) {
    if (record.description.scalar != scalar) continue;
    if (results.empty() || results.back().name != record.description.matrix)
      results.push_back({record.description.matrix, {}});
    results.back().records.push_back(record);
  }
  return results;
}

const PaperMatrix* paper_matrix(std::string_view name) {
  if (name.ends_with(surrogate_ending)) name.remove_suffix(surrogate_ending.size());
  for (const PaperMatrix& matrix : matrices)
    if (name == matrix.name) return &matrix;
  return nullptr;
}

void print_table_2(std::ostream& stream, const std::vector<Results>& results) {
  stream << "\nTable 2: GFLOP/s; in brackets the paper's, on a GeForce GTX 280 in single precision, x cached\n";
  Table table({"matrix", "rows", "columns", "nonzeros", "CSR, 32 lanes, x uncached", "CSR, 32 lanes", "HYB, x uncached",
               "HYB", "thread_mapped", "aligned", "aligned, cached", "automatic", "cuSPARSE, best", "Kokkos Kernels"});
  for (const Results& result : results) {
    const PaperMatrix* matrix = paper_matrix(result.name);
    if (matrix == nullptr || result.records.empty()) continue;
    const auto beside = [](const std::string& ours, double paper) { return ours + " (" + fixed(paper, 2) + ")"; };
    const Work& work  = result.records.front().description.work;
    table.add({result.name, grouped(work.rows), grouped(work.columns), grouped(work.nonzeros),
               beside(result.rate("lacuna:vector_csr:uncached"), matrix->vendor_csr),
               beside(result.rate("lacuna:vector_csr"), matrix->cached_vendor_csr),
               beside(result.rate("lacuna:hyb:uncached"), matrix->vendor_hyb),
               beside(result.rate("lacuna:hyb"), matrix->cached_vendor_hyb),
               beside(result.rate("lacuna:thread_mapped"), matrix->thread_mapped),
               beside(result.rate("lacuna:aligned"), matrix->aligned),
               beside(result.rate("lacuna:cached"), matrix->cached_aligned), result.rate("lacuna:automatic"),
               result.best_rate("cusparse:"), result.best_rate("kokkos-kernels")});
  }
  table.print(stream);
}

void print_figure(std::ostream& stream, const std::vector<Results>& results, const char* title,
                  const std::vector<std::pair<const char*, const char*>>& columns) {
  stream << "\n" << title << "\n";
  std::vector<std::string> head{"matrix"};
  for (const auto& [text, implementation] : columns) head.emplace_back(text);
  Table table(head);
  for (const Results& result : results) {
    std::vector<std::string> row{result.name};
    for (const auto& [text, implementation] : columns) {
      const std::string name(implementation);
      row.push_back(name.ends_with("*") ? result.best_rate(name.substr(0, name.size() - 1)) : result.rate(name));
    }
    table.add(row);
  }
  table.print(stream);
}

void print_tuning(std::ostream& stream, const std::vector<Results>& results) {
  stream << "\nTable 4: GFLOP/s by threads a team\n";
  std::vector<std::string> head{"matrix"};
  for (const char* kind : {"aligned, ", "cached, "})
    for (const int team : team_sizes) head.push_back(kind + std::to_string(team));
  Table teams(head);
  for (const Results& result : results) {
    const PaperMatrix* matrix = paper_matrix(result.name);
    if (matrix == nullptr || !is_tuned(matrix->name)) continue;
    std::vector<std::string> row{result.name};
    for (const char* algorithm : {"aligned", "cached"})
      for (const int team : team_sizes) row.push_back(result.rate("lacuna:" + with_team(algorithm, team)));
    teams.add(row);
  }
  teams.print(stream);

  stream << "\nTable 5: GFLOP/s by threads a row (aligned, cached x)\n";
  Table lanes({"matrix", "16", "32", "64"});
  for (const Results& result : results) {
    const PaperMatrix* matrix = paper_matrix(result.name);
    if (matrix == nullptr || !is_tuned(matrix->name)) continue;
    std::vector<std::string> row{result.name};
    for (const int count : lane_counts) row.push_back(result.rate("lacuna:" + with_lanes("cached", count)));
    lanes.add(row);
  }
  lanes.print(stream);
}

}  // namespace

std::span<const PaperMatrix> paper_matrices() { return matrices; }

MatrixSource paper_source(const PaperMatrix& matrix) {
  return source_or_surrogate(matrix.name, matrix.rows, matrix.columns, matrix.nonzeros, matrix.pattern);
}

std::vector<SpmvRequest> paper_requests(const PaperMatrix& matrix) {
  std::vector<std::string> names{"all", "vector_csr:uncached", "hyb:uncached"};
  for (const char* order : {"by_length", "by_columns"})
    for (const char* algorithm : {"cached", "row_block"}) names.push_back(std::string(algorithm) + ":order=" + order);
  for (const char* least : {"64", "512"}) names.push_back(std::string("row_block:least=") + least);
  if (is_tuned(matrix.name)) {
    for (const int rows : block_rows)
      for (const int columns : block_columns)
        names.push_back("row_block:rows=" + std::to_string(rows) + ":columns=" + std::to_string(columns));
    for (const char* algorithm : {"aligned", "cached"})
      for (const int team : team_sizes) names.push_back(with_team(algorithm, team));
    for (const int count : lane_counts) names.push_back(with_lanes("cached", count));
  }
  return parse_spmv_requests(names);
}

void print_paper(std::ostream& stream, const std::vector<Record>& records) {
  std::vector<std::string> scalars;
  for (const Record& record : records)
    if (std::find(scalars.begin(), scalars.end(), record.description.scalar) == scalars.end())
      scalars.push_back(record.description.scalar);
  for (const std::string& scalar : scalars) {
    const std::vector<Results> results = by_matrix(records, scalar);
    stream << "\nBaskaran and Bordawekar (2009), " << scalar
           << ". A surrogate has the rows, columns, nonzeros and pattern class of the matrix that it stands for.\n";
    print_table_2(stream, results);
    print_tuning(stream, results);
    print_figure(stream, results, "Figure 2: the optimisations one after the other, GFLOP/s",
                 {{"naive", "lacuna:naive"},
                  {"thread_mapped", "lacuna:thread_mapped"},
                  {"aligned", "lacuna:aligned"},
                  {"cached", "lacuna:cached"},
                  {"padded_rows", "lacuna:padded_rows"},
                  {"row_block", "lacuna:row_block"}});
    print_figure(stream, results, "Figures 3 and 4: against the segmented scans and the vendor, GFLOP/s",
                 {{"flat scan (CUDPP)", "lacuna:scan_flat"},
                  {"matrix scan", "lacuna:scan_matrix"},
                  {"aligned", "lacuna:aligned"},
                  {"row_block", "lacuna:row_block"},
                  {"cached", "lacuna:cached"},
                  {"COO", "lacuna:coo"},
                  {"ELL", "lacuna:ell"},
                  {"HYB", "lacuna:hyb"},
                  {"DIA", "lacuna:dia"},
                  {"cuSPARSE, best", "cusparse:*"},
                  {"automatic", "lacuna:automatic"}});
  }
}

}  // namespace lacuna::bench
