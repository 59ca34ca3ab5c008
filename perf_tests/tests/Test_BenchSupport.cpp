// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <paper/Bench_Coalescing.hpp>
#include <paper/Bench_Paper001.hpp>
#include <paper/Bench_Paper002.hpp>
#include <spgemm/Bench_SpgemmProduct.hpp>
#include <spmv/Bench_SpmvAlgorithms.hpp>
#include <support/Bench_GraphTime.hpp>
#include <support/Bench_LoadMatrix.hpp>
#include <support/Bench_Reference.hpp>
#include <support/Bench_Regret.hpp>
#include <support/Bench_Table.hpp>
#include <support/Bench_Timing.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <thread>

namespace lacuna::bench {
namespace {

using ::testing::HasSubstr;

template <class Scalar>
using Matrix = KokkosSparse::CrsMatrix<Scalar, int, Device, void, int>;

/// 3 × 4, an empty row in the middle: (1 2 . .), (. . . .), (. . 4 8).
template <class Scalar>
Matrix<Scalar> small_matrix() {
  const HostPattern pattern{3, 4, {0, 2, 2, 4}, {0, 1, 2, 3}};
  Matrix<Scalar> A  = matrix_of_pattern<Matrix<Scalar>>(ExecutionSpace(), pattern);
  const auto values = Kokkos::create_mirror_view(A.values);
  for (int k = 0; k < 4; ++k) values(k) = Scalar(1 << k);
  Kokkos::deep_copy(A.values, values);
  return A;
}

template <class Scalar>
Kokkos::View<Scalar*, Device> vector_of(const std::vector<Scalar>& values) {
  Kokkos::View<Scalar*, Device> view("vector", values.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(view, host);
  return view;
}

template <class Scalar>
ErrorOfResult error_of(const std::vector<Scalar>& result, double beta = 0) {
  const ExecutionSpace exec;
  const auto x = vector_of<Scalar>({Scalar(1), Scalar(-1), Scalar(2), Scalar(1)});
  const auto y = vector_of<Scalar>({Scalar(10), Scalar(20), Scalar(30)});
  return error_of_result(exec, spmv_reference(exec, small_matrix<Scalar>(), x, beta, y), vector_of(result));
}

TEST(Reference, RightResultsPass) {
  EXPECT_FALSE(error_of<float>({-1, 0, 16}).wrong);
  EXPECT_FALSE(error_of<double>({-1, 0, 16}).wrong);
  EXPECT_FALSE(error_of<double>({19, 40, 76}, 2).wrong);
  EXPECT_FALSE((error_of<Kokkos::complex<double>>({-1., 0., 16.}).wrong));
  EXPECT_EQ(0, error_of<double>({-1, 0, 16}).relative);
}

TEST(Reference, ErrorIsRelativeToWhatWasAdded) {
  // Row 0 adds |1| + |-2| = 3 and gives -1; row 2 adds 16.
  EXPECT_DOUBLE_EQ(0.25 / 3, error_of<double>({-1 + 0.25, 0, 16}).relative);
  EXPECT_DOUBLE_EQ(0.5 / 16, error_of<double>({-1, 0, 16.5}).relative);
  EXPECT_DOUBLE_EQ(0.5 / (16 + 60), error_of<double>({19, 40, 76.5}, 2).relative);
}

TEST(Reference, WrongResultsAreFound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(error_of<double>({-1 + 1e-12, 0, 16}).wrong);
  EXPECT_TRUE(error_of<float>({-1.0001f, 0, 16}).wrong);
  EXPECT_FALSE(error_of<float>({-1.0000001f, 0, 16}).wrong) << "one rounding error";
  EXPECT_TRUE(error_of<double>({-1, 1e-300, 16}).wrong) << "an empty row gives zero and nothing else";
  EXPECT_TRUE(error_of<double>({-1, 0, nan}).wrong);
  EXPECT_TRUE(error_of<double>({nan, nan, nan}).wrong);
  EXPECT_TRUE(error_of<double>({-1, 0, std::numeric_limits<double>::infinity()}).wrong);
}

TEST(Random, ValuesLieInsideAndDiffer) {
  std::set<double> values;
  for (int i = 0; i < 1000; ++i) {
    const double value = random_real(7, i);
    EXPECT_LT(std::abs(value), 1);
    EXPECT_NE(value, 0);
    EXPECT_EQ(value, static_cast<float>(value));
    values.insert(value);
  }
  EXPECT_GT(values.size(), 990u);
  EXPECT_NE(random_real(7, 0), random_real(8, 0));
}

TEST(WorkModel, CountsEveryOperandOnce) {
  const Work work = spmv_work(small_matrix<float>(), false);
  EXPECT_EQ(3, work.rows);
  EXPECT_EQ(4, work.columns);
  EXPECT_EQ(4, work.nonzeros);
  EXPECT_EQ(8, work.flops);
  EXPECT_EQ(4 * (4 + 4) + 4 * 4 + 4 * 4 + 3 * 4, work.bytes);
  EXPECT_EQ(work.bytes + 3 * 4, spmv_work(small_matrix<float>(), true).bytes);
  EXPECT_EQ(32, spmv_work(small_matrix<Kokkos::complex<double>>(), false).flops);
}

TEST(Timing, MedianAndSpread) {
  EXPECT_DOUBLE_EQ(3, summarise({5, 1, 3}, 3).seconds);
  EXPECT_DOUBLE_EQ(2.5, summarise({4, 1, 3, 2}, 4).seconds);
  EXPECT_DOUBLE_EQ(0, summarise({2, 2, 2, 2, 9}, 5).spread);
}

TEST(Timing, ACallIsTimedNotABatch) {
  int calls             = 0;
  const auto sleep      = [&] { ++calls, std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  const SteadyTime time = steady_time(ExecutionSpace(), {.min_time = 0.05, .batches = 5}, sleep);
  EXPECT_GE(time.seconds, 0.002);
  EXPECT_LT(time.seconds, 0.02);
  EXPECT_GE(time.calls, 3);
  EXPECT_LT(time.calls, calls) << "there were calls to warm up";
}

TEST(Timing, ShortCallsAreTimedInGraphsWhereThereAreAny) {
  const ExecutionSpace exec;
  const Kokkos::View<double*, Device> from("from", 1000), to("to", 1000);
  const double seconds = graph_time(
      exec, {.min_time = 0.01}, [&] { Kokkos::deep_copy(exec, to, from); }, 5e-6);
#if defined(KOKKOS_ENABLE_CUDA)
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 20e-6);
  // A call that waits is no part of a graph; the stream serves on.
  EXPECT_EQ(0, graph_time(
                   exec, {.min_time = 0.01}, [&] { exec.fence("test"); }, 5e-6));
  EXPECT_EQ(0, graph_time(
                   exec, {.min_time = 0.01}, [] {}, 5e-6));
  EXPECT_GT(graph_time(
                exec, {.min_time = 0.01}, [&] { Kokkos::deep_copy(exec, to, from); }, 5e-6),
            0);
#else
  EXPECT_EQ(0, seconds);
#endif
}

/// The product that a text means, where every factor but "none" is a matrix and meshes are 5 × 3 × 1 with 2 unknowns.
SpgemmProduct product_of(const std::string& text) {
  return parse_spgemm_product(
      text,
      [](const std::string& name) {
        if (name == "none") throw std::runtime_error("there is none");
        MatrixSource source;
        source.name = name;
        return source;
      },
      [](const std::string&) {
        return Mesh{5, 3, 1, 2};
      });
}

TEST(SpgemmProducts, AreRead) {
  const auto square = product_of("mesh27:n=3,b=2");
  EXPECT_EQ("mesh27:n=3,b=2", square.name);
  ASSERT_EQ(2u, square.factors.size());
  EXPECT_FALSE(square.has_transposes());
  const auto product = product_of("a^T@b@c^T");
  EXPECT_EQ("a^T@b@c^T", product.name);
  ASSERT_EQ(3u, product.factors.size());
  EXPECT_TRUE(product.factors[0].transposed && !product.factors[1].transposed && product.factors[2].transposed);
  EXPECT_EQ("c", product.factors[2].source.name);
  for (const char* wrong : {"a@", "@a", "a@^T", "a@none"}) EXPECT_THROW(product_of(wrong), std::runtime_error) << wrong;
}

TEST(SpgemmProducts, MeshesAreCoarsened) {
  const auto product = product_of("rap-linear:mesh7:nx=5,ny=3,nz=1");
  ASSERT_EQ(3u, product.factors.size());
  EXPECT_EQ("mesh7:nx=5,ny=3,nz=1", product.factors[1].source.name);
  EXPECT_NE(product.factors[0].source.name, product.factors[2].source.name);
  const HostPattern R = product.factors[0].source.pattern(), P = product.factors[2].source.pattern();
  EXPECT_EQ(30, P.rows);
  EXPECT_EQ(3 * 2 * 2, P.columns);
  EXPECT_EQ(R.rows, P.columns);
  EXPECT_EQ(R.columns, P.rows);
  // Node (0, 0) stays; (1, 0) lies between two nodes, (1, 1) between four. Unknowns keep apart.
  const auto row = [](const HostPattern& pattern, std::size_t i) {
    return std::vector<std::int64_t>(pattern.entries.begin() + pattern.row_map[i],
                                     pattern.entries.begin() + pattern.row_map[i + 1]);
  };
  EXPECT_EQ(std::vector<std::int64_t>{0}, row(P, 0));
  EXPECT_EQ(std::vector<std::int64_t>{1}, row(P, 1));
  EXPECT_EQ((std::vector<std::int64_t>{0, 2}), row(P, 2));
  EXPECT_EQ((std::vector<std::int64_t>{1, 3, 7, 9}), row(P, 2 * (1 + 5) + 1));
  EXPECT_EQ((std::vector<std::int64_t>{0, 2, 10, 12}), row(R, 0));
  EXPECT_EQ(P.entries, transposed(R).entries);
  EXPECT_EQ(P.row_map, transposed(R).row_map);

  const HostPattern aggregates = prolongation({4, 4, 4, 1}, Coarsening::aggregates);
  EXPECT_EQ(8, aggregates.columns);
  EXPECT_EQ(64u, aggregates.entries.size());
  EXPECT_EQ(27, transposed(aggregates).row_map[1]);
  EXPECT_EQ(0, prolongation({0, 4, 4, 1}, Coarsening::linear).rows);
  EXPECT_EQ(1, prolongation({2, 1, 1, 1}, Coarsening::linear).columns);
}

// Rows of 3, 16 and 20 nonzeros, from places 0, 3 and 19 on; columns ascend by one from 0, 1 and 16.
TEST(Coalescing, ReadsByHand) {
  const std::vector<std::int64_t> row_map{0, 3, 19, 39};
  std::vector<std::int64_t> entries;
  for (const auto& [first, length] : {std::pair{0, 3}, std::pair{1, 16}, std::pair{16, 20}})
    for (int k = 0; k < length; ++k) entries.push_back(first + k);

  // A thread a row: the row map once in order, once one word off; 3, 13 and 4 steps of 3, 2 and 1 threads. In the last
  // four thread 2 is alone, at places 35 to 38 and columns 32 to 35: column 34 is its word of a segment.
  const Coalescing naive = coalescing_of(SpmvAlgorithm::naive, row_map, entries);
  EXPECT_EQ(naive.coalesced, 1 + 1);
  EXPECT_EQ(naive.uncoalesced, 3 + 3 * (3 * 3 + 13 * 2 + 4) - 1);

  // 16 threads a row: two words of the row map by each. Row 0 begins at a segment, as do its columns; row 1 at 3, its
  // columns at 1; row 2 at 19 in two steps, its columns at 16 and 32, which are segments.
  const Coalescing mapped = coalescing_of(SpmvAlgorithm::thread_mapped, row_map, entries);
  EXPECT_EQ(mapped.coalesced, 3 + 2);
  EXPECT_EQ(mapped.uncoalesced, 3 * 32 + 3 * 16 + 2 * 20);

  // Row 1: a head of 13, then 3 from place 16 (columns 14 to 16). Row 2: a head of 13 from 19 with columns from 16 on,
  // then 7 from place 32 with columns from 29 on.
  const Coalescing aligned = coalescing_of(SpmvAlgorithm::aligned, row_map, entries);
  EXPECT_EQ(aligned.coalesced, 3 + 2 + 1 + 2);
  EXPECT_EQ(aligned.uncoalesced, 3 * 32 + 3 * 13 + 3 + 2 * 13 + 7);
  EXPECT_THROW(coalescing_of(SpmvAlgorithm::cached, row_map, entries), std::invalid_argument);
}

TEST(Surrogates, HaveTheSizesOfThePaper) {
  for (const char* wanted : {"rdist1", "olafu", "mc2depi", "fxm4_6"}) {
    const auto place = std::find_if(paper_matrices().begin(), paper_matrices().end(),
                                    [&](const PaperMatrix& matrix) { return std::string(wanted) == matrix.name; });
    ASSERT_NE(place, paper_matrices().end());
    const HostPattern pattern = make_surrogate(place->rows, place->columns, place->nonzeros, place->pattern);
    ASSERT_EQ(place->rows + 1, static_cast<std::int64_t>(pattern.row_map.size())) << wanted;
    ASSERT_EQ(place->nonzeros, static_cast<std::int64_t>(pattern.entries.size())) << wanted;
    ASSERT_EQ(place->nonzeros, pattern.row_map.back()) << wanted;
    for (std::int64_t row = 0; row < place->rows; ++row)
      for (std::int64_t k = pattern.row_map[row]; k < pattern.row_map[row + 1]; ++k) {
        ASSERT_GE(pattern.entries[k], 0);
        ASSERT_LT(pattern.entries[k], place->columns);
        if (k > pattern.row_map[row]) ASSERT_LT(pattern.entries[k - 1], pattern.entries[k]) << wanted << " row " << row;
      }
  }
}

/// SpGEMM is easy or hard by how many of its products meet, and is cut into bins by how many a row has.
TEST(Surrogates, HaveTheProductsOfTheRealMatrices) {
  constexpr double tolerance = 0.05;  // nonzeros of C: with the error of counting some 4000 rows
  ASSERT_EQ(21u, spgemm_paper_matrices().size());
  for (const SpgemmPaperMatrix& matrix : spgemm_paper_matrices()) {
    const HostPattern A = make_surrogate(matrix.rows, matrix.rows, matrix.nonzeros, matrix.pattern);
    ASSERT_EQ(matrix.nonzeros, A.row_map.back()) << matrix.name;
    const std::int64_t step = matrix.rows / 4000 + 1;
    std::vector<std::int64_t> seen(static_cast<std::size_t>(matrix.rows), -1);
    double products = 0, counted_products = 0, counted = 0;
    std::int64_t longest = 0;
    const auto length    = [&](std::int64_t row) { return A.row_map[row + 1] - A.row_map[row]; };
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      longest    = std::max(longest, length(row));
      double own = 0;
      for (std::int64_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
        own += static_cast<double>(length(A.entries[k]));
      products += own;
      if (row % step != 0) continue;
      counted_products += own;
      for (std::int64_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
        for (std::int64_t b = A.row_map[A.entries[k]]; b < A.row_map[A.entries[k] + 1]; ++b)
          if (seen[A.entries[b]] != row) {
            seen[A.entries[b]] = row;
            ++counted;
          }
    }
    if (matrix.pattern.longest > 0) EXPECT_EQ(matrix.pattern.longest, longest) << matrix.name;
    EXPECT_NEAR(1, products * 1e-6 / matrix.products, tolerance) << matrix.name;
    const double compression = counted_products / counted;
    EXPECT_NEAR(1, compression / (matrix.products / matrix.nonzeros_c), tolerance) << matrix.name;
  }
}

/// 0 1 2
/// 3 4 5
TEST(Surrogates, GridOfAnEpidemic) {
  const HostPattern A = make_surrogate(6, 6, 15, {.kind = PatternClass::Kind::grid, .grid_width = 3});
  EXPECT_EQ((std::vector<std::int64_t>{0, 2, 5, 7, 10, 13, 15}), A.row_map);
  EXPECT_EQ((std::vector<std::int64_t>{0, 1, 1, 2, 3, 2, 4, 0, 3, 4, 1, 4, 5, 2, 5}), A.entries);
}

TEST(Surrogates, NodesShareTheirColumns) {
  const HostPattern pattern = make_surrogate(60, 60, 60 * 12, {PatternClass::Kind::runs, 6, 6, 0, 0.5, 0});
  for (int row = 0; row < 60; ++row) {
    ASSERT_EQ(12, pattern.row_map[row + 1] - pattern.row_map[row]);
    for (int k = 0; k < 12; ++k) {
      const auto column = pattern.entries[pattern.row_map[row] + k];
      EXPECT_EQ(pattern.entries[pattern.row_map[row - row % 6] + k], column);
      EXPECT_EQ(k % 6, column % 6);
    }
  }
}

TEST(Surrogates, WhatDoesNotFitThrows) {
  EXPECT_THROW(make_surrogate(4, 2, 9, {}), std::logic_error);
  EXPECT_THROW(make_surrogate(4, 2, -1, {}), std::logic_error);
  EXPECT_THROW(make_surrogate(10, 10, 30, {PatternClass::Kind::grid, 1, 1, 0, 0, 3}), std::logic_error);
}

TEST(Surrogates, FewerNonzerosThanRowsLeaveSomeEmpty) {
  const auto pattern = make_surrogate(4, 2, 3, {});
  EXPECT_EQ(3, pattern.row_map.back());
  EXPECT_EQ(3u, pattern.entries.size());
}

TEST(Requests, NamesCarryShapes) {
  const auto requests = parse_spmv_requests({"aligned:team=128:lanes=16", "one_shot", "aligned:team=128:lanes=16"});
  ASSERT_EQ(2u, requests.size());
  EXPECT_EQ(SpmvAlgorithm::aligned, requests[0].algorithm);
  EXPECT_EQ(128, requests[0].team_size);
  EXPECT_EQ(16, requests[0].lanes_per_row);
  EXPECT_EQ("lacuna:aligned:team=128:lanes=16", requests[0].implementation());
  EXPECT_TRUE(requests[1].one_shot);
  EXPECT_EQ(spmv_algorithms.size() + 1, parse_spmv_requests({"all"}).size());
}

TEST(Requests, MistakesNameWhatExists) {
  for (const char* mistake : {"fastest", "aligned:team", "aligned:team=x", "aligned:warp=3", "one_shot:team=64", ""})
    EXPECT_THROW(parse_spmv_requests({mistake}), std::runtime_error) << mistake;
  try {
    parse_spmv_requests({"fastest"});
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nonzero_split"));
  }
}

TEST(Requests, ContendersMayBeGivenUp) {
  const auto requests = parse_spmv_requests({"contenders"});
  EXPECT_EQ(spmv_algorithms.size() + 1, requests.size());
  for (const SpmvRequest& request : requests)
    EXPECT_EQ(request.text == "automatic" || request.text == "one_shot", request.keep) << request.text;
  for (const SpmvRequest& request : parse_spmv_requests({"all"})) EXPECT_TRUE(request.keep) << request.text;
}

Record record_of(const std::string& matrix, const std::string& implementation, double seconds) {
  Record record;
  record.description.operation      = "spmv";
  record.description.matrix         = matrix;
  record.description.scalar         = "double";
  record.description.implementation = implementation;
  record.description.work           = {1000, 1000, 10000, 1e9, 1e6, {}};
  record.measurement.seconds        = seconds;
  record.measurement.calls          = 1;
  record.measurement.label          = implementation == "lacuna:automatic" ? "sell" : "";
  return record;
}

TEST(Regret, PrecisionAndLayoutMustFit) {
  EXPECT_TRUE(is_automatic("lacuna:automatic+tf32+col"));
  EXPECT_FALSE(is_automatic("lacuna:automatically"));
  EXPECT_TRUE(may_stand_for("lacuna:bricks", "lacuna:automatic"));
  EXPECT_TRUE(may_stand_for("lacuna:bricks", "lacuna:automatic+tf32")) << "full is allowed where tf32 is";
  EXPECT_TRUE(may_stand_for("lacuna:bricks:panel=16+tf32+col", "lacuna:automatic+tf32+col"));
  EXPECT_FALSE(may_stand_for("lacuna:bricks+tf32", "lacuna:automatic"));
  EXPECT_FALSE(may_stand_for("lacuna:bricks+fp16", "lacuna:automatic+tf32"));
  EXPECT_FALSE(may_stand_for("lacuna:bricks+col", "lacuna:automatic"));
  EXPECT_FALSE(may_stand_for("cusparse:csr_alg1", "lacuna:automatic"));
  EXPECT_FALSE(may_stand_for("lacuna:bins:reuse", "lacuna:automatic")) << "a part of the call";
  EXPECT_FALSE(may_stand_for("lacuna:gcoo:to_crs", "lacuna:automatic")) << "of a matrix in GCOO";
  EXPECT_FALSE(may_stand_for("lacuna:gcoo:from_dense", "lacuna:automatic"));
  EXPECT_TRUE(may_stand_for("lacuna:row_split:deterministic", "lacuna:automatic"));
  EXPECT_TRUE(may_stand_for("lacuna:bins+given", "lacuna:automatic+given"));
  EXPECT_FALSE(may_stand_for("lacuna:bins", "lacuna:automatic+given")) << "transposes formed";
}

TEST(Regret, IsAgainstTheBestOfOurs) {
  std::vector<Record> records{record_of("m", "lacuna:automatic", 3e-3),  record_of("m", "lacuna:one_shot", 4e-3),
                              record_of("m", "cusparse:csr_alg1", 1e-3), record_of("m", "lacuna:row_split", 2e-3),
                              record_of("m", "lacuna:naive", 5e-3),      record_of("m", "lacuna:coo", 1e-3)};
  const auto regret = [&](std::size_t count) {
    std::vector<const Record*> cases;
    for (std::size_t i = 0; i < count; ++i) cases.push_back(&records[i]);
    return regret_of(cases, records[0]);
  };
  EXPECT_EQ(0, regret(3)) << "none of ours was timed by name";
  EXPECT_EQ(0, regret(4)) << "one is not enough to tell";
  EXPECT_DOUBLE_EQ(1.5, regret(5));
  EXPECT_DOUBLE_EQ(3, regret(6));
  records[5].measurement.wrong = true;
  EXPECT_DOUBLE_EQ(1.5, regret(6));
  records[0].measurement.seconds = 1.5e-3;
  EXPECT_DOUBLE_EQ(1, regret(6));
  records[0].measurement.graph_seconds = 2e-6;  // calls show the host: what the device needs counts
  records[3].measurement.graph_seconds = 1e-6;
  EXPECT_DOUBLE_EQ(2, regret(6));
}

TEST(Table, KokkosKernelsStandsAtItsBest) {
  const std::vector<Record> records{
      record_of("power", "lacuna:automatic", 1e-3), record_of("power", "lacuna:row_split", 0.8e-3),
      record_of("power", "lacuna:naive", 9e-3),     record_of("even", "lacuna:naive", 9e-3),
      record_of("power", "kokkos-kernels", 30e-3),  record_of("power", "kokkos-kernels:merge_path", 1.5e-3),
      record_of("even", "lacuna:automatic", 1e-3),  record_of("even", "lacuna:row_split", 2e-3),
      record_of("even", "kokkos-kernels", 3e-3),    record_of("even", "kokkos-kernels:merge_path", 4e-3)};
  std::vector<Record> power;
  for (const Record& record : records)
    if (record.description.matrix == "power") power.push_back(record);
  std::ostringstream cases, summary;
  print_cases(cases, power, 0);
  EXPECT_THAT(cases.str(), ::testing::ContainsRegex("lacuna:automatic .* 1\\.50 "));
  EXPECT_THAT(cases.str(), ::testing::ContainsRegex("kokkos-kernels .* 0\\.05 "));
  EXPECT_THAT(cases.str(), HasSubstr("lacuna:automatic chose sell, regret 1.25: lacuna:row_split is the best of ours"));
  print_summary(summary, records, 0);
  EXPECT_THAT(summary.str(),
              ::testing::ContainsRegex("power .*kokkos-kernels:merge_path .* 1\\.50 +1\\.50 +1\\.25 +sell"));
  EXPECT_THAT(summary.str(), ::testing::ContainsRegex("even .* 3\\.00 +3\\.00 +1\\.00 +sell"));
  EXPECT_THAT(summary.str(), HasSubstr("geometric mean 1.118 over 2 cases, worst 1.25 on power (double)"));
}

/// A part of a call is compared with that part.
TEST(Table, PartsOfACallStandBesideTheirLike) {
  std::ostringstream cases;
  print_cases(cases,
              {record_of("m", "lacuna:automatic", 1e-3), record_of("m", "lacuna:automatic:symbolic", 1e-3),
               record_of("m", "lacuna:automatic:reuse", 1e-3), record_of("m", "lacuna:automatic+given", 1e-3),
               record_of("m", "kokkos-kernels:lp", 7e-3), record_of("m", "kokkos-kernels:reuse", 3e-3),
               record_of("m", "kokkos-kernels+given", 5e-3)},
              0);
  const auto row_of = [&](const std::string& name) {
    const std::string text = cases.str(), start = "  " + name + " ";
    const std::size_t place = text.find(start);
    return place == std::string::npos ? std::string() : text.substr(place, text.find('\n', place) - place);
  };
  EXPECT_THAT(row_of("lacuna:automatic"), HasSubstr(" 7.00 "));
  EXPECT_THAT(row_of("lacuna:automatic:reuse"), HasSubstr(" 3.00 "));
  EXPECT_THAT(row_of("lacuna:automatic+given"), HasSubstr(" 5.00 "));
  EXPECT_THAT(row_of("lacuna:automatic:symbolic"), ::testing::AllOf(HasSubstr("1.000 ms"), HasSubstr(" - ")));
  for (const char* other : {" 7.00 ", " 5.00 ", " 3.00 "})
    EXPECT_THAT(row_of("lacuna:automatic:symbolic"), ::testing::Not(HasSubstr(other)));
}

TEST(MatrixNames, LoseFolderAndEndings) {
  EXPECT_EQ("cant", matrix_name("a/b.c/cant.mtx.gz"));
  EXPECT_EQ("appu", matrix_name("appu.rb.gz"));
  EXPECT_EQ("g20", matrix_name("/x/g20.rua"));
  EXPECT_EQ("1138_bus", matrix_name("1138_bus.mtx"));
  EXPECT_EQ("odd.name", matrix_name("odd.name"));
}

TEST(Table, NumbersAreReadable) {
  EXPECT_EQ("1,234,567", grouped(1234567));
  EXPECT_EQ("123", grouped(123));
  EXPECT_EQ("-1,000", grouped(-1000));
  EXPECT_EQ("12.35 us", readable_time(12.345e-6 + 1e-9));
  EXPECT_EQ("1.500 ms", readable_time(1.5e-3));
  EXPECT_EQ("65.6 MB", readable_bytes(65.6e6));
  EXPECT_EQ("72 B", readable_bytes(72));
}

}  // namespace
}  // namespace lacuna::bench
