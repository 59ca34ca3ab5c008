// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Paper004.hpp>

#include <spmm/Bench_SpmmSummary.hpp>
#include <support/Bench_Table.hpp>

#include <algorithm>
#include <ostream>

namespace lacuna::bench {

namespace {

/// Many small graphs one after the other: edges stay within about `vertices` of the diagonal.
constexpr PatternClass small_graphs(double vertices, double rows) {
  return {PatternClass::Kind::runs, 1, 1, 0.3, vertices / rows, 0};
}
/// One large graph, with degrees as uneven as `spread` says, and neighbours anywhere within `reach`.
constexpr PatternClass network(double reach, double spread) {
  return {PatternClass::Kind::runs, 1, 1, spread, reach, 0};
}

constexpr std::array<SpmmPaperGraph, 14> graphs{{
    {"amazon0505", 410236, 4878875, network(0.3, 0.5), {857, 1024, 1077, 1088}, {811, 746, 940, 957}},
    {"amazon0601", 403394, 3387388, network(0.3, 0.5), {815, 988, 1049, 1059}, {991, 669, 899, 920}},
    {"artist", 50515, 1638396, network(0.5, 1.0), {510, 655, 782, 929}, {626, 864, 1361, 1532}},
    {"citeseer", 3327, 9464, network(0.5, 0.7), {56, 105, 176, 315}, {41, 93, 152, 292}},
    {"com-amazon", 334863, 1851744, network(0.1, 0.7), {455, 587, 657, 689}, {467, 447, 616, 620}},
    {"cora", 2708, 10858, network(0.5, 0.7), {59, 113, 205, 443}, {45, 81, 150, 356}},
    {"DD", 334925, 1686092, small_graphs(142, 334925), {821, 1034, 1150, 1171}, {767, 560, 925, 985}},
    {"OVCAR-8H", 1890931, 3946402, small_graphs(13, 1890931), {497, 611, 674, 667}, {396, 454, 508, 496}},
    {"ppi", 56944, 818716, network(0.5, 1.2), {587, 717, 929, 0}, {720, 708, 1235, 0}},
    {"PROTEINS_full", 43471, 162088, small_graphs(20, 43471), {457, 690, 788, 963}, {515, 445, 633, 789}},
    {"pubmed", 19717, 88676, network(0.5, 0.9), {269, 359, 502, 651}, {233, 325, 581, 770}},
    {"soc-BlogCatalog", 88784, 2093195, network(0.5, 1.8), {863, 1079, 1374, 1301}, {638, 989, 1644, 1882}},
    {"Yeast", 1714644, 3636546, small_graphs(13, 1714644), {507, 627, 695, 685}, {401, 454, 507, 493}},
    {"YeastH", 3139988, 6487230, small_graphs(13, 3139988), {499, 615, 667, 664}, {393, 457, 495, 482}},
}};

/// A generated matrix.
struct SynergyMatrix {
  std::int64_t rows;
  const char* alpha;
  std::int64_t per_row;

  std::string spec() const {
    return "synergy:rows=" + std::to_string(rows) + ",alpha=" + alpha + ",per_row=" + std::to_string(per_row);
  }
  MatrixSource source() const {
    MatrixSource source;
    source.kind = MatrixSource::Kind::generator;
    source.name = source.location = spec();
    source.nonzeros               = static_cast<double>(rows * per_row);
    return source;
  }
};

// The same rows and nonzeros in every class: what differs is alpha, from 7 to 12, 13 to 24 and 27 to 100 per cent.
constexpr std::array<SynergyMatrix, 15> synergy_set{{{16384, "0.07", 64},
                                                     {32768, "0.08", 48},
                                                     {65536, "0.09", 32},
                                                     {131072, "0.1", 20},
                                                     {262144, "0.12", 12},
                                                     {16384, "0.13", 64},
                                                     {32768, "0.15", 48},
                                                     {65536, "0.18", 32},
                                                     {131072, "0.2", 20},
                                                     {262144, "0.24", 12},
                                                     {16384, "0.27", 64},
                                                     {32768, "0.35", 48},
                                                     {65536, "0.5", 32},
                                                     {131072, "0.75", 20},
                                                     {262144, "1", 12}}};

// What stands for the paper's two columns, and what one who uses the library gets.
constexpr const char* paper_kernel = "lacuna:hrpb+tf32";
constexpr std::array<const char*, 8> compared{"lacuna:hrpb+tf32",
                                              "lacuna:hrpb:balance=average+tf32",
                                              "lacuna:hrpb:balance=off+tf32",
                                              "lacuna:hrpb:panel=32+tf32",
                                              "lacuna:bricks+tf32",
                                              "lacuna:automatic+tf32",
                                              "lacuna:automatic",
                                              "lacuna:row_split"};

std::string_view without_ending(std::string_view name) {
  if (name.ends_with(surrogate_ending)) name.remove_suffix(surrogate_ending.size());
  return name;
}

std::string rate_cell(double rate, int paper) {
  return (rate > 0 ? fixed(rate, 0) : std::string("-")) + (paper > 0 ? " (" + std::to_string(paper) + ")" : "");
}

void print_rates(std::ostream& stream, const std::vector<SpmmGroup>& groups) {
  for (std::size_t place = 0; place < spmm_paper_columns.size(); ++place) {
    const std::int64_t columns = spmm_paper_columns[place];
    Table table({"graph", "rows", "nonzeros", "HRPB, TF32", "best scalar rival", "its name", "automatic+tf32",
                 "automatic", "ratio"});
    bool any = false;
    for (const SpmmGroup& group : groups) {
      const auto graph = std::find_if(graphs.begin(), graphs.end(), [&](const SpmmPaperGraph& candidate) {
        return without_ending(group.matrix) == candidate.name;
      });
      if (graph == graphs.end() || group.columns != columns) continue;
      const Record* rival = group.best_rival();
      const double ours   = group.rate(group.find("lacuna:automatic+tf32"));
      const double theirs = group.rate(rival);
      any                 = true;
      table.add({group.matrix, grouped(group.work.rows), grouped(group.work.nonzeros),
                 rate_cell(group.rate(group.find(paper_kernel)), graph->tensor_cores[place]),
                 rate_cell(theirs, graph->scalar_cores[place]),
                 rival == nullptr ? "-" : rival->description.implementation, rate_cell(ours, 0),
                 rate_cell(group.rate(group.find("lacuna:automatic")), 0),
                 ours > 0 && theirs > 0 ? fixed(ours / theirs, 2) : "-"});
    }
    if (!any) continue;
    stream << "\nTable"
           << (columns == 512  ? " 4"
               : columns == 64 ? " 3"
                               : "s 3 and 4")
           << ", N = " << columns << ": GFLOP/s; in brackets the paper's, on an A100\n";
    table.print(stream);
  }
}

/// The q-quantile of sorted values, between two of them in proportion.
double quantile(const std::vector<double>& sorted, double q) {
  const double place   = q * static_cast<double>(sorted.size() - 1);
  const auto below     = static_cast<std::size_t>(place);
  const auto above     = std::min(below + 1, sorted.size() - 1);
  const double portion = place - static_cast<double>(below);
  return sorted[below] * (1 - portion) + sorted[above] * portion;
}

std::string synergy_class(double alpha) {
  if (alpha < 0.125) return "low";
  return alpha < 0.25 ? "medium" : "high";
}

void print_synergy(std::ostream& stream, const std::vector<SpmmGroup>& groups) {
  stream << "\nSynergy: alpha is the share of nonzeros in the bricks of 16 x 4 that hold one, OI = 512 alpha beta; low "
            "below "
            "12.5 %, high from 25 %. Panels of 16 rows have a beta of 1\n";
  Table matrices({"matrix", "nonzeros", "alpha", "OI", "class", "alpha, 32 rows", "beta", "OI"});
  std::vector<std::string> seen;
  std::array<int, 3> counts{};
  for (const SpmmGroup& group : groups) {
    if (std::find(seen.begin(), seen.end(), group.matrix) != seen.end()) continue;
    seen.push_back(group.matrix);
    const double alpha    = statistic(group.work, "alpha");
    const double alpha_32 = statistic(group.work, "alpha_32"), beta = statistic(group.work, "beta");
    matrices.add({group.matrix, grouped(group.work.nonzeros), fixed(100 * alpha, 1) + " %", fixed(512 * alpha, 1),
                  synergy_class(alpha), fixed(100 * alpha_32, 1) + " %", fixed(beta, 2),
                  fixed(512 * alpha_32 * beta, 1)});
    ++counts[alpha < 0.125 ? 0 : alpha < 0.25 ? 1 : 2];
  }
  matrices.print(stream);
  stream << "  " << counts[0] << " low, " << counts[1] << " medium, " << counts[2] << " high\n";

  stream << "\nFigure 9: by synergy; GFLOP/s (least, quartiles, most), and the ratio to the best scalar rival\n";
  Table table(
      {"synergy", "N", "implementation", "matrices", "least", "25 %", "median", "75 %", "most", "geomean ratio"});
  for (const char* kind : {"low", "medium", "high"})
    for (const std::int64_t columns : spmm_paper_columns) {
      const auto add = [&](const std::string& text, auto&& pick) {
        std::vector<double> rates, ratios;
        for (const SpmmGroup& group : groups) {
          if (group.columns != columns || synergy_class(statistic(group.work, "alpha")) != kind) continue;
          const Record *record = pick(group), *rival = group.best_rival();
          if (record == nullptr) continue;
          rates.push_back(group.rate(record));
          if (rival != nullptr) ratios.push_back(group.rate(record) / group.rate(rival));
        }
        if (rates.empty()) return;
        std::sort(rates.begin(), rates.end());
        table.add({kind, std::to_string(columns), text, std::to_string(rates.size()), fixed(rates.front(), 0),
                   fixed(quantile(rates, 0.25), 0), fixed(quantile(rates, 0.5), 0), fixed(quantile(rates, 0.75), 0),
                   fixed(rates.back(), 0), ratios.empty() ? "-" : fixed(geometric_mean(ratios), 2)});
      };
      for (const char* implementation : compared)
        add(implementation, [&](const SpmmGroup& group) { return group.find(implementation); });
      add("best scalar rival", [](const SpmmGroup& group) { return group.best_rival(); });
    }
  table.print(stream);
}

}  // namespace

std::span<const SpmmPaperGraph> spmm_paper_graphs() { return graphs; }

std::vector<std::string> spmm_synergy_set() {
  std::vector<std::string> specs;
  for (const SynergyMatrix& matrix : synergy_set) specs.push_back(matrix.spec());
  return specs;
}

std::optional<MatrixSource> find_spmm_paper_source(const std::string& name) {
  for (const SpmmPaperGraph& graph : graphs)  // from LACUNA_MATRIX_DIR, else a surrogate
    if (name == graph.name)
      return source_or_surrogate(graph.name, graph.rows, graph.rows, graph.nonzeros, graph.pattern);
  for (const SynergyMatrix& matrix : synergy_set)
    if (name == matrix.spec()) return matrix.source();
  return std::nullopt;
}

std::vector<MatrixSource> spmm_paper_sources() {
  std::vector<MatrixSource> sources;
  for (const SpmmPaperGraph& graph : graphs) sources.push_back(*find_spmm_paper_source(graph.name));
  for (const SynergyMatrix& matrix : synergy_set) sources.push_back(matrix.source());
  return sources;
}

std::vector<std::string> spmm_paper_algorithms() {
  return {"automatic", "hrpb", "hrpb:balance=average", "hrpb:balance=off", "hrpb:panel=32", "bricks", "row_split"};
}

void print_spmm_paper(std::ostream& stream, const std::vector<Record>& records) {
  const std::vector<SpmmGroup> all = spmm_groups(records);
  std::vector<std::string> scalars;
  for (const SpmmGroup& group : all)
    if (std::find(scalars.begin(), scalars.end(), group.scalar) == scalars.end()) scalars.push_back(group.scalar);
  for (const std::string& scalar : scalars) {
    std::vector<SpmmGroup> groups;
    std::copy_if(all.begin(), all.end(), std::back_inserter(groups),
                 [&](const SpmmGroup& group) { return group.scalar == scalar; });
    stream << "\nXiang et al., cuTeSpMM, " << scalar
           << ". A surrogate has the rows, nonzeros and pattern class of the graph that it stands for.\n";
    print_rates(stream, groups);
    print_synergy(stream, groups);
  }
}

}  // namespace lacuna::bench
