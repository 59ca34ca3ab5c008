// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Generators.hpp>
#include <formats/impl/bricks/Lacuna_BrickStatistics.hpp>
#include <paper/Bench_Paper000.hpp>
#include <paper/Bench_Paper004.hpp>
#include <spmm/Bench_SpmmAlgorithms.hpp>
#include <spmm/Bench_SpmmSummary.hpp>
#include <support/Bench_BlockReference.hpp>
#include <support/Bench_LoadMatrix.hpp>
#include <support/Bench_Measure.hpp>

#include <gmock/gmock.h>

#include <sstream>
#include <thread>

namespace lacuna::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Scalar>
using Matrix = KokkosSparse::CrsMatrix<Scalar, int, Device, void, int>;

/// 3 × 4, an empty row in the middle: (1 2 . .), (. . . .), (. . 4 8).
template <class Scalar>
Matrix<Scalar> small_matrix() {
  Matrix<Scalar> A = matrix_of_pattern<Matrix<Scalar>>(ExecutionSpace(), HostPattern{3, 4, {0, 2, 2, 4}, {0, 1, 2, 3}});
  const auto values = Kokkos::create_mirror_view(A.values);
  for (int k = 0; k < 4; ++k) values(k) = Scalar(1 << k);
  Kokkos::deep_copy(A.values, values);
  return A;
}

template <class Layout, class Scalar>
Kokkos::View<Scalar**, Layout, Device> block_of(int rows, int columns, const std::vector<Scalar>& row_major) {
  Kokkos::View<Scalar**, Layout, Device> view("block", rows, columns);
  const auto host = Kokkos::create_mirror_view(view);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) host(i, j) = row_major[static_cast<std::size_t>(i * columns + j)];
  Kokkos::deep_copy(view, host);
  return view;
}

/// The error of `result` as A B + beta C; B is (1 2), (-1 1), (2 -2), (1 0), and C was 10, 20, … before.
template <class Layout, class Scalar>
ErrorOfResult error_of(const std::vector<Scalar>& result, double beta = 0, Precision precision = Precision::full,
                       bool truncates = false) {
  const auto b       = block_of<Layout, Scalar>(4, 2, {1, 2, -1, 1, 2, -2, 1, 0});
  const auto initial = block_of<Layout, Scalar>(3, 2, {10, 20, 30, 40, 50, 60});
  const auto c       = block_of<Layout, Scalar>(3, 2, result);
  return error_of_block(ExecutionSpace(), small_matrix<Scalar>(), b, beta, initial.data(), c,
                        error_model<Scalar>(precision, truncates));
}

TEST(BlockReference, TermsAreKeptForLaterChecks) {
  const auto A       = small_matrix<float>();
  const auto b       = block_of<Kokkos::LayoutRight, float>(4, 2, {1, 2, -1, 1, 2, -2, 1, 0});
  const auto initial = block_of<Kokkos::LayoutRight, float>(3, 2, {10, 20, 30, 40, 50, 60});
  const auto model   = error_model<float>(Precision::full, false);
  BlockReference<float, ExecutionSpace::memory_space> kept;
  const auto error = [&](const std::vector<float>& result, double beta) {
    return error_of_block(ExecutionSpace(), A, b, beta, initial.data(),
                          block_of<Kokkos::LayoutRight, float>(3, 2, result), model, &kept);
  };
  EXPECT_FALSE(error({-1, 4, 0, 0, 16, -8}, 0).wrong);
  Kokkos::deep_copy(b, 0.f);
  EXPECT_FALSE(error({-1, 4, 0, 0, 16, -8}, 0).wrong) << "B is not read again";
  EXPECT_TRUE(error({-1, 4, 0, 0, 16, -7}, 0).wrong);
  EXPECT_TRUE(error({0, 0, 0, 0, 0, 0}, 0).wrong);
}

TEST(BlockReference, RightResultsPassInBothLayouts) {
  const std::vector<float> result{-1, 4, 0, 0, 16, -8};
  EXPECT_FALSE((error_of<Kokkos::LayoutRight, float>(result).wrong));
  EXPECT_FALSE((error_of<Kokkos::LayoutLeft, float>(result).wrong));
  EXPECT_EQ(0, (error_of<Kokkos::LayoutLeft, float>(result).relative));
  const std::vector<double> added{19, 44, 60, 80, 116, 112};
  EXPECT_FALSE((error_of<Kokkos::LayoutRight, double>(added, 2).wrong));
  EXPECT_FALSE((error_of<Kokkos::LayoutLeft, double>(added, 2).wrong));
  using Complex = Kokkos::complex<double>;
  EXPECT_FALSE((error_of<Kokkos::LayoutRight, Complex>({-1., 4., 0., 0., 16., -8.}).wrong));
}

TEST(BlockReference, EveryElementCounts) {
  for (int place = 0; place < 6; ++place) {
    std::vector<double> result{-1, 4, 0, 0, 16, -8};
    result[static_cast<std::size_t>(place)] += 1e-9;
    EXPECT_TRUE((error_of<Kokkos::LayoutRight, double>(result).wrong)) << place;
    EXPECT_TRUE((error_of<Kokkos::LayoutLeft, double>(result).wrong)) << place;
    result[static_cast<std::size_t>(place)] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE((error_of<Kokkos::LayoutRight, double>(result).wrong)) << place;
  }
  // Element (2, 0) adds |4 * 2| + |8 * 1| = 16.
  EXPECT_DOUBLE_EQ(0.5 / 16, (error_of<Kokkos::LayoutRight, double>({-1, 4, 0, 0, 16.5, -8}).relative));
}

TEST(BlockReference, PrecisionsHaveTheirBounds) {
  const auto wrong = [](double relative, Precision precision, bool truncates = false) {
    const auto element = static_cast<float>(16 + 16 * relative);
    return error_of<Kokkos::LayoutRight, float>({-1, 4, 0, 0, element, -8}, 0, precision, truncates).wrong;
  };
  EXPECT_FALSE(wrong(1e-6, Precision::full));
  EXPECT_TRUE(wrong(3e-6, Precision::full));
  for (const Precision precision : {Precision::tf32, Precision::fp16}) {
    EXPECT_FALSE(wrong(0.95e-3, precision)) << "two roundings of 2^-11";
    EXPECT_TRUE(wrong(1.05e-3, precision));
    EXPECT_FALSE(wrong(1.9e-3, precision, true)) << "two truncations";
    EXPECT_TRUE(wrong(2.1e-3, precision, true));
  }
  EXPECT_FALSE(wrong(7.5e-3, Precision::bf16));
  EXPECT_TRUE(wrong(8.5e-3, Precision::bf16));
}

TEST(BlockReference, WhatIsStoredInShortTypesIsRoundedOnce) {
  const auto wrong = [](int place, double error, ShortType type) {
    using Layout = Kokkos::LayoutRight;
    std::vector<float> result{-1, 4, 0, 0, 16, -8};
    result[static_cast<std::size_t>(place)] += static_cast<float>(error);
    const auto b = block_of<Layout, float>(4, 2, {1, 2, -1, 1, 2, -2, 1, 0});
    return error_of_block<ExecutionSpace, Matrix<float>>(ExecutionSpace(), small_matrix<float>(), b, 0, nullptr,
                                                         block_of<Layout, float>(3, 2, result), short_error_model(type))
        .wrong;
  };
  EXPECT_FALSE(wrong(4, 16 * 0x1p-11, half_type));
  EXPECT_TRUE(wrong(4, 16 * 1.02 * 0x1p-11, half_type)) << "truncation errs by up to twice that";
  EXPECT_FALSE(wrong(0, -0x1p-11, half_type)) << "1 - 2";
  EXPECT_TRUE(wrong(0, -1.02 * 0x1p-11, half_type)) << "of the result, not of what was added";
  EXPECT_FALSE(wrong(4, 16 * 0x1p-8, bfloat16_type));
  EXPECT_TRUE(wrong(4, 16 * 1.02 * 0x1p-8, bfloat16_type));
  EXPECT_TRUE(wrong(2, 0x1p-24, half_type)) << "a row without nonzeros, and the least number that is not 0";
}

TEST(WorkModel, CountsBlocksOnce) {
  const Work work = spmm_work(small_matrix<float>(), 10, false);
  EXPECT_EQ(2 * 4 * 10, work.flops);
  EXPECT_EQ(4 * (4 + 4) + 4 * 4 + 10 * (4 + 3) * 4, work.bytes);
  EXPECT_EQ(work.bytes + 10 * 3 * 4, spmm_work(small_matrix<float>(), 10, true).bytes);
}

TEST(SpmmRequests, NamesCarryOptions) {
  const auto requests = parse_spmm_requests({"bricks:panel=16:order=natural:deterministic", "one_shot"},
                                            {"full", "tf32"}, {"right", "left"});
  std::vector<std::string> names;
  for (const SpmmRequest& request : requests) names.push_back(request.implementation());
  EXPECT_THAT(names, ElementsAre("lacuna:bricks:panel=16:order=natural:deterministic", "lacuna:one_shot",
                                 "lacuna:bricks:panel=16:order=natural:deterministic+tf32",
                                 "lacuna:bricks:panel=16:order=natural:deterministic+col", "lacuna:one_shot+col",
                                 "lacuna:bricks:panel=16:order=natural:deterministic+tf32+col"));
  EXPECT_EQ(SpmmAlgorithm::bricks, requests[0].options.algorithm);
  EXPECT_EQ(16, requests[0].options.panel_rows);
  EXPECT_EQ(RowOrder::natural, requests[0].options.row_order);
  EXPECT_TRUE(requests[0].options.deterministic);
  EXPECT_EQ(Precision::tf32, requests[2].options.precision);
  EXPECT_EQ(DenseLayout::left, requests[5].layout);
  EXPECT_FALSE(requests[0].options.autotune);
  EXPECT_TRUE(parse_spmm_requests({"automatic:autotune"}, {"full"}, {"right"})[0].options.autotune);
  EXPECT_EQ("lacuna:automatic", parse_spmm_requests({}, {"full"}, {"right"})[0].implementation());
  EXPECT_EQ(spmm_algorithms.size() + 1, parse_spmm_requests({"all"}, {"full"}, {"right"}).size());
}

TEST(SpmmRequests, GcooFromADenseMatrix) {
  const auto requests = parse_spmm_requests({"gcoo:from_dense", "gcoo:from_dense:panel=2", "gcoo:panel=32:team=64"},
                                            {"full", "tf32"}, {"right"});
  std::vector<std::string> names;
  for (const SpmmRequest& request : requests) names.push_back(request.implementation());
  EXPECT_THAT(names, ElementsAre("lacuna:gcoo:from_dense", "lacuna:gcoo:from_dense:panel=2",
                                 "lacuna:gcoo:panel=32:team=64", "lacuna:gcoo:panel=32:team=64+tf32"));
  EXPECT_TRUE(requests[0].from_dense);
  EXPECT_EQ(2, requests[1].options.panel_rows);
  EXPECT_FALSE(requests[2].from_dense);
  EXPECT_THROW(parse_spmm_requests({"tiled:from_dense"}, {"full"}, {"right"}), std::runtime_error);
  EXPECT_THROW(parse_spmm_requests({"gcoo:from_dense:team=64"}, {"full"}, {"right"}), std::runtime_error);
}

TEST(SpmmRequests, TheBalanceOfHrpb) {
  const auto requests = parse_spmm_requests({"hrpb:balance=off", "hrpb:balance=average", "hrpb:balance=waves", "hrpb"},
                                            {"tf32"}, {"right"});
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_EQ(requests[0].implementation(), "lacuna:hrpb:balance=off+tf32");
  EXPECT_EQ(requests[0].options.panel_balance, PanelBalance::off);
  EXPECT_EQ(requests[1].options.panel_balance, PanelBalance::average);
  EXPECT_EQ(requests[2].options.panel_balance, PanelBalance::waves);
  EXPECT_EQ(requests[3].options.panel_balance, PanelBalance::waves);
  EXPECT_THROW(parse_spmm_requests({"hrpb:balance=even"}, {"full"}, {"right"}), std::runtime_error);
  EXPECT_THROW(parse_spmm_requests({"bricks:balance=off"}, {"full"}, {"right"}), std::runtime_error);
}

TEST(Rivals, SomeRunOnlyByTheirWholeName) {
  Options options;
  EXPECT_TRUE(options.wants_rival("cusparse:csr_alg2"));
  EXPECT_FALSE(options.wants_rival("cusparse:csr_alg2:from_dense", true));
  options.rival_names = {"cusparse:csr"};
  EXPECT_TRUE(options.wants_rival("cusparse:csr_alg2"));
  EXPECT_FALSE(options.wants_rival("cusparse:csr_alg2:from_dense", true));
  options.rival_names.push_back("cusparse:csr_alg2:from_dense");
  EXPECT_TRUE(options.wants_rival("cusparse:csr_alg2:from_dense", true));
}

TEST(Rivals, OfTheLayoutsAskedForTheRowMajorOnesFirst) {
  const auto names_of = [](const Options& options) {
    Candidates rivals(4);
    rivals[0].name = "a+col", rivals[1].name = "a", rivals[2].name = "b+col", rivals[3].name = "b";
    rivals[0].layout = rivals[2].layout = DenseLayout::left;
    std::vector<std::string> names;
    for (const Candidate& rival : rivals_wanted(rivals, options)) names.push_back(rival.name);
    return names;
  };
  Options options;
  EXPECT_THAT(names_of(options), ElementsAre("a", "b", "a+col", "b+col"));
  options.rival_layouts = {"right"};
  EXPECT_THAT(names_of(options), ElementsAre("a", "b"));
  options.rival_layouts = {"left"};
  options.rival_names   = {"b"};
  EXPECT_THAT(names_of(options), ElementsAre("b+col"));
}

TEST(SpmmRequests, ShortTypesHaveOnePrecision) {
  const auto requests = parse_spmm_requests({"automatic", "one_shot"}, {"full", "tf32", "fp16"}, {"right"});
  EXPECT_EQ(4u, requests.size());
  EXPECT_EQ(4u, requests_for("float", requests).size());
  for (const char* scalar : {"half", "bhalf"}) {
    std::vector<std::string> names;
    for (const SpmmRequest& request : requests_for(scalar, requests)) names.push_back(request.implementation());
    EXPECT_THAT(names, ElementsAre("lacuna:automatic", "lacuna:one_shot")) << scalar;
  }
}

TEST(SpmmRequests, ContendersMayBeGivenUp) {
  const auto requests = parse_spmm_requests({"contenders"}, {"full", "tf32"}, {"right", "left"});
  EXPECT_EQ(4 * spmm_algorithms.size() + 2, requests.size());
  for (const SpmmRequest& request : requests)
    EXPECT_EQ(request.text == "automatic" || request.text == "one_shot", request.keep) << request.implementation();
}

TEST(SpmmRequests, MistakesNameWhatExists) {
  for (const char* mistake :
       {"fastest", "bricks:panel", "bricks:panel=x", "bricks:lanes=3", "one_shot:team=64", "", "bricks:order=any"})
    EXPECT_THROW(parse_spmm_requests({mistake}, {"full"}, {"right"}), std::runtime_error) << mistake;
  EXPECT_THROW(parse_spmm_requests({}, {"fp8"}, {"right"}), std::runtime_error);
  EXPECT_THROW(parse_spmm_requests({}, {"full"}, {"up"}), std::runtime_error);
  try {
    parse_spmm_requests({"fastest"}, {"full"}, {"right"});
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("row_split"));
  }
}

TEST(ColumnCounts, NumbersAndRanges) {
  EXPECT_THAT(parse_column_counts({"32", "1-3", "128", "2"}), ElementsAre(32, 1, 2, 3, 128));
  for (const char* mistake : {"", "0", "-1", "1-", "3-1", "x", "1-2-3", "65537"})
    EXPECT_THROW(parse_column_counts({mistake}), std::runtime_error) << mistake;
}

Record record_of(const std::string& matrix, double rpc, double longest, const std::string& implementation,
                 double seconds) {
  Record record;
  record.description.operation      = "spmm";
  record.description.matrix         = matrix;
  record.description.scalar         = "float";
  record.description.columns        = 128;
  record.description.implementation = implementation;
  record.description.work           = {1000, 1000, 10000, 1e9, 1e6, {{"rpc", rpc}, {"longest_row", longest}}};
  record.measurement.seconds        = seconds;
  record.measurement.calls          = 1;
  return record;
}

TEST(SpmmSummary, ClassesAreTold) {
  const auto kind = [](double rpc, double longest) {
    return matrix_class(record_of("m", rpc, longest, "lacuna:automatic", 1).description.work);
  };
  EXPECT_EQ(MatrixClass::block, kind(4.2, 10));
  EXPECT_EQ(MatrixClass::mesh, kind(2.4, 12));
  EXPECT_EQ(MatrixClass::irregular, kind(2.4, 41)) << "the mean is 10";
  EXPECT_EQ(MatrixClass::irregular, kind(1.1, 12));
}

TEST(SpmmSummary, ComparesWithTheBestVendorAlgorithm) {
  std::vector<Record> records{
      record_of("fem", 4.5, 12, "lacuna:automatic", 1e-3),  record_of("fem", 4.5, 12, "cusparse:csr_alg2", 4e-3),
      record_of("fem", 4.5, 12, "cusparse:csr_alg3", 3e-3), record_of("fem", 4.5, 12, "cublas:tf32", 1e-4),
      record_of("net", 1.0, 90, "lacuna:automatic", 1e-3),  record_of("net", 1.0, 90, "kokkos-kernels", 12e-3)};
  records[3].measurement.wrong = true;
  const auto groups            = spmm_groups(records);
  ASSERT_EQ(2u, groups.size());
  EXPECT_EQ("cusparse:csr_alg3", groups[0].best_rival()->description.implementation);
  EXPECT_EQ("kokkos-kernels", groups[1].best_rival()->description.implementation);
  EXPECT_EQ(nullptr, groups[0].find("cublas:tf32"));
  EXPECT_DOUBLE_EQ(1000, groups[0].rate(groups[0].find("lacuna:automatic")));
  std::ostringstream text;
  print_spmm_summary(text, records);
  EXPECT_THAT(text.str(), ::testing::ContainsRegex("lacuna:automatic +float +128 +2 +6.00 +3.00 \\(1\\) +- +12.00"));
}

TEST(SpmmSummary, TheBestSparseRivalCounts) {
  std::vector<Record> records{
      record_of("m", 4.5, 12, "lacuna:automatic", 3e-3), record_of("m", 4.5, 12, "lacuna:bricks", 2e-3),
      record_of("m", 4.5, 12, "cublas:fp32", 1e-3),      record_of("m", 4.5, 12, "cusparse:csr_alg2", 9e-3),
      record_of("m", 4.5, 12, "kokkos-kernels", 20e-3),  record_of("m", 4.5, 12, "kokkos-kernels+col", 6e-3),
      record_of("m", 4.5, 12, "lacuna:hrpb", 9e-3)};
  const auto group = spmm_groups(records).front();
  EXPECT_EQ("kokkos-kernels+col", group.best_rival()->description.implementation) << "a dense product stands apart";
  std::ostringstream text;
  print_spmm_summary(text, records);
  EXPECT_THAT(text.str(), ::testing::ContainsRegex("lacuna:automatic +float +128 +1 +2.00 .* 1.500 +1.50 +2.00 +m"));
  EXPECT_THAT(text.str(), ::testing::ContainsRegex("lacuna:bricks +float +128 +1 +3.00 .* - +- +3.00 +m"));
  records.erase(records.begin() + 3, records.end());
  EXPECT_EQ("cublas:fp32", spmm_groups(records).front().best_rival()->description.implementation);
}

TEST(PaperGraphs, SurrogatesHaveTheirSizes) {
  for (const SpmmPaperGraph& graph : spmm_paper_graphs()) {
    if (graph.rows > 100000) continue;
    const HostPattern pattern = make_surrogate(graph.rows, graph.rows, graph.nonzeros, graph.pattern);
    EXPECT_EQ(graph.rows + 1, static_cast<std::int64_t>(pattern.row_map.size())) << graph.name;
    EXPECT_EQ(graph.nonzeros, static_cast<std::int64_t>(pattern.entries.size())) << graph.name;
  }
  EXPECT_EQ(14u, spmm_paper_graphs().size());
}

TEST(PaperGraphs, TheSetHasFiveMatricesOfEachClass) {
  const auto set = spmm_synergy_set();
  ASSERT_EQ(15u, set.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Impl::Pattern pattern = Generator::parse(set[i]).pattern();
    // Every active column holds a nonzero: bricks are full of columns.
    const double alpha = static_cast<double>(pattern.per_row) / static_cast<double>(pattern.active);
    const double least = i < 5 ? 1.0 / 16 : i < 10 ? 0.125 : 0.25, most = i < 5 ? 0.125 : i < 10 ? 0.25 : 1.01;
    EXPECT_TRUE(alpha >= least && alpha < most) << set[i];
    EXPECT_EQ(pattern.rows, Generator::parse(set[i % 5]).rows()) << "the same sizes in each class";
  }
  // The smallest by its bricks themselves.
  using Crs     = Matrix<float>;
  const auto at = [&](std::size_t i) {
    return Impl::synergy_of(Impl::brick_statistics<16, 16>(ExecutionSpace(), generate<Crs>(ExecutionSpace(), set[i])));
  };
  EXPECT_EQ(at(0).classification(), Impl::SynergyClass::low);
  EXPECT_EQ(at(5).classification(), Impl::SynergyClass::medium);
  EXPECT_EQ(at(10).classification(), Impl::SynergyClass::high);
}

TEST(PaperGraphs, NamesAreGraphsOrOfTheSet) {
  EXPECT_EQ(29u, spmm_paper_sources().size());
  EXPECT_EQ("pubmed", find_spmm_paper_source("pubmed")->name.substr(0, 6));
  const auto source = find_spmm_paper_source(spmm_synergy_set()[3]);
  ASSERT_TRUE(source);
  EXPECT_EQ(spmm_synergy_set()[3], source->name);
  EXPECT_DOUBLE_EQ(131072.0 * 20, source->nonzeros);
  EXPECT_FALSE(find_spmm_paper_source("mesh27:n=3"));
}

class Sleeper final : public Implementation {
 public:
  explicit Sleeper(int milliseconds) : m_time(milliseconds) {}
  void run() override { std::this_thread::sleep_for(m_time); }
  bool has_setup() const override { return false; }

 private:
  std::chrono::milliseconds m_time;
};

TEST(Measure, WhatIsFarBehindIsGivenUp) {
  Candidate candidate;
  candidate.make = [] { return std::make_unique<Sleeper>(8); };
  Effort effort;
  effort.timing      = {.min_time = 0.02, .batches = 3};
  effort.best        = 1e-3;
  const auto measure = [&] {
    return measure_candidate(
        ExecutionSpace(), candidate, effort, [] {}, [] { return ErrorOfResult{}; });
  };
  EXPECT_TRUE(measure().skipped.empty()) << "one to keep";
  candidate.keep = false;
  EXPECT_THAT(measure().skipped, HasSubstr("given up"));
  effort.best = 6e-3;
  EXPECT_GE(measure().seconds, 8e-3);
}

TEST(Measure, WhatTakesLongAtFirstIsNotCalledAgain) {
  struct Counter final : Implementation {
    explicit Counter(int* calls) : m_calls(calls) {}
    void run() override {
      ++*m_calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    bool has_setup() const override { return false; }
    int* m_calls;
  };
  int calls = 0;
  Candidate candidate;
  candidate.keep = false;
  candidate.make = [&] { return std::make_unique<Counter>(&calls); };
  Effort effort;
  effort.timing      = {.min_time = 0.002, .batches = 3};
  effort.best        = 1e-4;
  effort.long_first  = 1e-3;
  const auto measure = [&] {
    return measure_candidate(
        ExecutionSpace(), candidate, effort, [] {}, [] { return ErrorOfResult{}; });
  };
  EXPECT_THAT(measure().skipped, HasSubstr("given up"));
  EXPECT_EQ(calls, 1);
  effort.long_first = 1;
  EXPECT_THAT(measure().skipped, HasSubstr("given up"));
  EXPECT_GT(calls, 2);
}

TEST(Measure, WhatIsWrongIsNotTimed) {
  Candidate candidate;
  candidate.make = [] { return std::make_unique<Sleeper>(1); };
  Effort effort;
  effort.timing    = {.min_time = 0.02, .batches = 3};
  const auto wrong = measure_candidate(
      ExecutionSpace(), candidate, effort, [] {},
      [] {
        return ErrorOfResult{0.5, true};
      });
  EXPECT_TRUE(wrong.wrong);
  EXPECT_EQ(wrong.calls, 0);
  EXPECT_EQ(wrong.relative_error, 0.5);
  EXPECT_TRUE(wrong.skipped.empty());
}

TEST(Paper000, SetsOfProblems) {
  Paper000Options options;
  options.random = true;
  EXPECT_EQ(spdm_problems(options).size(), 48u);
  options.whole    = true;
  const auto whole = spdm_problems(options);
  ASSERT_EQ(whole.size(), 142u * 49);
  EXPECT_EQ(whole.front().source.name, "uniform:rows=400,density=0.2");
  EXPECT_EQ(whole[40].source.name, "uniform:rows=400,density=0.0045");
  EXPECT_EQ(whole.back().source.name, "uniform:rows=14500,density=0.0005");
  EXPECT_THAT(whole.back().columns, ElementsAre(14500));
  options.sizes = {100, 200};
  options.zeros = {99.95, 0, 100};
  EXPECT_THAT(spdm_problems(options).size(), 6u);
  EXPECT_EQ(spdm_problems(options)[2].source.location, "uniform:rows=100,density=0");
  options.zeros = {100.5};
  EXPECT_THROW(spdm_problems(options), std::runtime_error);
  options.zeros = {};
  options.sizes = {0};
  EXPECT_THROW(spdm_problems(options), std::runtime_error);

  Paper000Options layers;
  layers.layers = true;
  EXPECT_EQ(spdm_problems(layers).size(), 4u * 7);
  layers.sizes  = {4096};
  layers.tokens = {64};
  layers.zeros  = {95};
  ASSERT_EQ(spdm_problems(layers).size(), 2u);
  EXPECT_EQ(spdm_problems(layers)[1].source.name, "uniform:rows=4096,cols=11008,density=0.05");
  EXPECT_THAT(spdm_problems(layers)[1].columns, ElementsAre(64));
  layers.sizes = {77};
  EXPECT_THROW(spdm_problems(layers), std::runtime_error);
}

TEST(Paper000, NamesSayWhatWasMeasured) {
  const SpdmCase layer = spdm_case("uniform:rows=4096,cols=11008,density=0.005");
  EXPECT_EQ(layer.set, SpdmSet::layer);
  EXPECT_EQ(layer.columns, 11008);
  EXPECT_EQ(layer.zeros, 9950);
  const SpdmCase random = spdm_case("uniform:rows=14500,density=0.0005");
  EXPECT_EQ(random.set, SpdmSet::random);
  EXPECT_EQ(random.columns, 14500);
  EXPECT_EQ(random.zeros, 9995);
  EXPECT_EQ(spdm_case("wang3-surrogate").set, SpdmSet::matrix);
}

/// Two of every stratum at least, none twice, all on the grid, the same every time; most of the cheap ones.
TEST(Paper000, SamplesByStrata) {
  const auto sample = spdm_sample(500);
  EXPECT_GE(sample.size(), 500u);
  EXPECT_LE(sample.size(), 515u);
  EXPECT_EQ(sample, spdm_sample(500));
  std::vector<int> strata(15, 0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto [size, zeros] = sample[i];
    EXPECT_TRUE(size % 100 == 0 && size >= 400 && size <= 14500);
    EXPECT_TRUE(zeros < 9950 ? zeros % 50 == 0 && zeros >= 8000 : zeros % 5 == 0 && zeros <= 9995);
    if (i > 0) EXPECT_LT(sample[i - 1], sample[i]);
    ++strata.at(static_cast<std::size_t>(spdm_stratum(size, zeros)));
  }
  EXPECT_THAT(strata, testing::Each(testing::Ge(2)));
  EXPECT_GT(strata[2], 10 * strata[12]) << "small matrices of few nonzeros; large ones of many";
  EXPECT_EQ(6958u, spdm_sample(6958).size());
  EXPECT_THROW(spdm_sample(29), std::runtime_error);
  EXPECT_EQ(-1, spdm_stratum(300, 9000));
  Paper000Options options;
  options.random = true;
  options.sample = 500;
  EXPECT_EQ(sample.size(), spdm_problems(options).size());
  options.sizes = {400};
  EXPECT_THROW(spdm_problems(options), std::runtime_error);
}

TEST(Paper000, SurrogatesOfAllItsMatrices) {
  for (const SpdmPaperMatrix& matrix : spdm_paper_matrices()) {
    if (matrix.nonzeros > 1000000) continue;
    const HostPattern pattern = make_surrogate(matrix.rows, matrix.rows, matrix.nonzeros, matrix.pattern);
    EXPECT_EQ(static_cast<std::int64_t>(pattern.row_map.size()), matrix.rows + 1) << matrix.name;
    EXPECT_EQ(static_cast<std::int64_t>(pattern.entries.size()), matrix.nonzeros) << matrix.name;
  }
}

TEST(Paper000, Crossover) {
  EXPECT_EQ(crossover({}), "-");
  EXPECT_EQ(crossover({{80, 1.5}, {90, 2}}), "<= 80");
  EXPECT_EQ(crossover({{80, 0.1}, {99.95, 0.9}}), "> 99.95");
  // A ratio of 1 / 2 at 10 % and 2 at 2.5 %: 1 at 5 %, whatever the order in which they come.
  EXPECT_EQ(crossover({{97.5, 2}, {90, 0.5}}), "95.00");
  EXPECT_EQ(crossover({{80, 1.2}, {90, 0.5}, {97.5, 2}}), "95.00") << "not faster from 80 on";
}

/// A record of a random matrix of 1000 rows with one per cent of nonzeros.
Record paper000_record(const std::string& implementation, double seconds, const std::string& label = "") {
  Record record;
  record.description.operation      = "spmm";
  record.description.matrix         = "uniform:rows=1000,density=0.01";
  record.description.scalar         = "float";
  record.description.columns        = 1000;
  record.description.implementation = implementation;
  record.description.work           = {1000, 1000, 10000, 2e7, 1e6, {}};
  record.measurement.seconds        = seconds;
  record.measurement.calls          = 1;
  record.measurement.setup_seconds  = 3 * seconds;
  record.measurement.label          = label;
  return record;
}

TEST(Paper000, Report) {
  const std::vector<Record> records{paper000_record("lacuna:automatic", 2e-3, "row_split"),
                                    paper000_record("lacuna:row_blocks", 1e-3),
                                    paper000_record("lacuna:bricks+tf32", 1e-6),
                                    paper000_record("cusparse:csr_alg2", 3e-3),
                                    paper000_record("cusparse:blocked_ell_alg1", 1e-4),
                                    paper000_record("kokkos-kernels", 1e-5),
                                    paper000_record("cublas:fp32", 4e-3)};
  std::ostringstream stream;
  print_spdm_paper(stream, records);
  const std::string text = stream.str();
  EXPECT_THAT(text, HasSubstr("csr_alg2"));
  EXPECT_THAT(text, testing::Not(HasSubstr("blocked_ell_alg1")));
  EXPECT_THAT(text, testing::Not(HasSubstr("kokkos-kernels"))) << "cuSPARSE is the rival where it ran";
  // 2e7 flops in 2 ms; 3 ms over 2 and over 1.
  EXPECT_THAT(text, testing::ContainsRegex("1000 +1000 +99 +2.000 ms +row_split +10 +1.000 ms +row_blocks +3.000 ms "
                                           "+csr_alg2 +1.50 +3.00"));
  EXPECT_THAT(text, testing::ContainsRegex("lacuna:automatic +1 +100.00 % +1.50 +1.50 +1.50 +1.50"));
  EXPECT_THAT(text, testing::ContainsRegex("1000 +1000 +<= 99 +<= 99 +- +- +<= 99"));
  EXPECT_THAT(text, testing::ContainsRegex("1000 +99 +automatic +6.000 ms +2.000 ms +3.00 +9.000 ms +3.000 ms +3.00"));
}

TEST(Paper000, OverheadIsThatOfADenseMatrixWhereItWasTimed) {
  std::ostringstream stream;
  print_spdm_paper(
      stream, {paper000_record("lacuna:automatic", 2e-3, "row_split"), paper000_record("lacuna:gcoo:from_dense", 5e-3),
               paper000_record("cusparse:csr_alg2", 3e-3)});
  EXPECT_THAT(stream.str(),
              testing::ContainsRegex("1000 +99 +gcoo:from_dense +15.000 ms +5.000 ms +3.00 +9.000 ms +3.000 ms +3.00"));
}

}  // namespace
}  // namespace lacuna::bench
