// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Tpetra.hpp>
#include <lacuna_tpetra_timing_plans.hpp>

#include <Trilinos_version.h>
#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

/// \file
/// \brief Times what Lacuna_Tpetra.hpp does beside what Tpetra does, turn by turn, and checks that both give the same.

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Matrix  = Tpetra::CrsMatrix<>;
using Vectors = Tpetra::MultiVector<>;
using Map     = Tpetra::Map<>;
using Global  = Map::global_ordinal_type;
using Json    = nlohmann::json;

struct Options {
  Global mesh          = 48;   // points in each direction of the mesh, for SpMV and SpMM
  Global product       = 32;   // the same for products of matrices
  Global unknowns      = 1;    // of each point
  double seconds       = 2.0;  // of each comparison
  std::string json     = "";   // file, or - for standard output
  std::string revision = "unknown";
};

/// The 27-point stencil of a mesh of n^3 nodes with `unknowns` in each: every one meets all of its node's neighbours.
RCP<Matrix> stencil(Global n, Global unknowns) {
  const auto size = static_cast<Tpetra::global_size_t>(n * n * n * unknowns);
  // Whole nodes to each rank.
  const auto nodes = rcp(new Map(size / unknowns, 0, Tpetra::getDefaultComm()));
  const auto map   = rcp(new Map(size, nodes->getLocalNumElements() * unknowns, 0, Tpetra::getDefaultComm()));
  const auto A     = rcp(new Matrix(map, 27 * unknowns));
  for (const Global row : map->getLocalElementList()) {
    const Global node = row / unknowns, x = node % n, y = node / n % n, z = node / n / n;
    std::vector<Global> columns;
    std::vector<double> values;
    for (Global k = std::max<Global>(z - 1, 0); k <= std::min(z + 1, n - 1); ++k)
      for (Global j = std::max<Global>(y - 1, 0); j <= std::min(y + 1, n - 1); ++j)
        for (Global i = std::max<Global>(x - 1, 0); i <= std::min(x + 1, n - 1); ++i)
          for (Global u = 0; u < unknowns; ++u) {
            columns.push_back(((k * n + j) * n + i) * unknowns + u);
            values.push_back(columns.back() == row ? 26.0 * static_cast<double>(unknowns) : -1.0);
          }
    A->insertGlobalValues(row, Teuchos::ArrayView<const Global>(columns), Teuchos::ArrayView<const double>(values));
  }
  A->fillComplete();
  return A;
}

/// Eight neighbours to one: interpolation of a mesh of n^3 nodes, n even, from one of (n/2)^3, each unknown alone.
RCP<Matrix> interpolation(const Matrix& A, Global n, Global unknowns) {
  const Global m = n / 2;
  const auto coarse =
      rcp(new Map(static_cast<Tpetra::global_size_t>(m * m * m * unknowns), 0, Tpetra::getDefaultComm()));
  const auto P = rcp(new Matrix(A.getRowMap(), 8));
  for (const Global row : A.getRowMap()->getLocalElementList()) {
    const Global node = row / unknowns, at[3] = {node % n, node / n % n, node / n / n};
    std::vector<Global> columns{0};
    std::vector<double> values{1.0};
    for (int direction = 2; direction >= 0; --direction) {
      const Global own = at[direction] / 2, next = own + (at[direction] % 2 == 0 ? -1 : 1);
      std::vector<Global> more;
      std::vector<double> weights;
      for (std::size_t k = 0; k < columns.size(); ++k)
        for (const Global c : {own, next})
          if (c >= 0 && c < m) {
            more.push_back(columns[k] * m + c);
            weights.push_back(values[k] * (c == own ? 0.75 : 0.25));
          }
      columns = more;
      values  = weights;
    }
    for (Global& column : columns) column = column * unknowns + row % unknowns;
    P->insertGlobalValues(row, Teuchos::ArrayView<const Global>(columns), Teuchos::ArrayView<const double>(values));
  }
  P->fillComplete(coarse, A.getRangeMap());
  return P;
}

/// Seconds of one call, from the first rank that begins to the last that ends.
double seconds_of(const std::function<void()>& call) {
  const auto comm = Tpetra::getDefaultComm();
  comm->barrier();
  const auto begin = std::chrono::steady_clock::now();
  call();
  Kokkos::fence("time_tpetra: after a call");
  const double mine = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double longest    = 0;
  Teuchos::reduceAll(*comm, Teuchos::REDUCE_MAX, mine, Teuchos::outArg(longest));
  return longest;
}

struct Contender {
  std::string name;
  std::function<void()> call;
};

/// Calls of all contenders turn by turn, so that what else the machine does meets all alike.
Json compare(const std::string& what, const std::vector<Contender>& contenders, double seconds) {
  std::vector<std::vector<double>> times(contenders.size());
  for (const Contender& contender : contenders) contender.call();
  for (double spent = 0; spent < seconds || times[0].size() < 5;)
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      times[c].push_back(seconds_of(contenders[c].call));
      spent += times[c].back();
    }
  Json result{{"what", what}, {"contenders", Json::array()}};
  double first = 0;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    std::sort(times[c].begin(), times[c].end());
    const double median = times[c][times[c].size() / 2];
    if (c == 0) first = median;
    result["contenders"].push_back({{"name", contenders[c].name},
                                    {"median_seconds", median},
                                    {"least_seconds", times[c].front()},
                                    {"quartile_seconds", times[c][times[c].size() / 4]},
                                    {"calls", times[c].size()},
                                    {"times_tpetra", first / median}});
    if (Tpetra::getDefaultComm()->getRank() == 0)
      std::cerr << what << ", " << contenders[c].name << ": " << 1e3 * median << " ms, " << first / median
                << " times as fast\n";
  }
  return result;
}

/// The largest difference of A x and B x for one x, relative to A x: of vectors, and of matrices by what they do.
double apart(const Vectors& X, const Vectors& Y) {
  Vectors rest(X, Teuchos::Copy);
  rest.update(-1.0, Y, 1.0);
  Teuchos::Array<double> difference(X.getNumVectors()), size(X.getNumVectors());
  rest.normInf(difference());
  X.normInf(size());
  double largest = 0;
  for (int j = 0; j < size.size(); ++j) largest = std::max(largest, difference[j] / size[j]);
  return largest;
}
double apart(const Matrix& A, const Matrix& B) {
  Vectors X(A.getDomainMap(), 1), of_a(A.getRangeMap(), 1), of_b(A.getRangeMap(), 1);
  X.randomize();
  A.apply(X, of_a);
  B.apply(X, of_b);
  return apart(of_a, of_b);
}

Json time_apply(const Options& options) {
  Json results = Json::array();
  const auto A = stencil(options.mesh, options.unknowns);
  for (const std::size_t vectors : {1, 4, 8, 16}) {
    const auto columns = static_cast<std::int64_t>(vectors);
    lacuna::TpetraOperator<> reads(A, {.columns = columns, .expected_calls = 1000});
    lacuna::TpetraOperator<> copies(A, {.columns = columns, .expected_calls = 100000, .reads_values_of_A = false});
    Vectors X(A->getDomainMap(), vectors), Y(A->getRangeMap(), vectors), of_reads(Y, Teuchos::Copy),
        of_copies(Y, Teuchos::Copy);
    X.randomize();
    auto result        = compare("apply, " + std::to_string(vectors) + " vectors",
                                 {{"Tpetra", [&] { A->apply(X, Y); }},
                                  {"TpetraOperator", [&] { reads.apply(X, of_reads); }},
                                  {"TpetraOperator, copies", [&] { copies.apply(X, of_copies); }}},
                                 options.seconds);
    result["rows"]     = A->getGlobalNumRows();
    result["nonzeros"] = A->getGlobalNumEntries();
    result["apart"]    = std::max(apart(Y, of_reads), apart(Y, of_copies));
    result["reads"]    = reads.report();
    result["copies"]   = copies.report();
    results.push_back(result);
  }
  return results;
}

Json time_product(const Options& options) {
  const auto A = stencil(options.product, options.unknowns);
  const auto C = rcp(new Matrix(A->getRowMap(), 0));
  Tpetra::MatrixMatrix::Multiply(*A, false, *A, false, *C);
  lacuna::TpetraProduct<> product(A, A, {.expected_calls = 100});
  auto first        = compare("A A, first",
                              {{"Tpetra",
                                [&] {
                           Matrix fresh(A->getRowMap(), 0);
                           Tpetra::MatrixMatrix::Multiply(*A, false, *A, false, fresh);
                         }},
                               {"TpetraProduct", [&] { lacuna::TpetraProduct<>(A, A, {.expected_calls = 0}); }}},
                              options.seconds);
  auto again        = compare("A A, new values",
                              {{"Tpetra", [&] { Tpetra::MatrixMatrix::Multiply(*A, false, *A, false, *C); }},
                               {"TpetraProduct", [&] { product.multiply(); }}},
                              options.seconds);
  again["rows"]     = A->getGlobalNumRows();
  again["nonzeros"] = C->getGlobalNumEntries();
  again["apart"]    = apart(*C, *product.result());
  again["report"]   = product.report();
  return {first, again};
}

Json time_triple_product(const Options& options) {
  const auto A = stencil(options.product, options.unknowns), P = interpolation(*A, options.product, options.unknowns);
  const RCP<Matrix> R  = Tpetra::RowMatrixTransposer<>(P).createTranspose();
  const auto by_tpetra = [&] {
    const auto C = rcp(new Matrix(P->getDomainMap(), 0));
    Tpetra::TripleMatrixMultiply::MultiplyRAP(*P, true, *A, false, *P, false, *C);
    return C;
  };
  const auto AP = rcp(new Matrix(A->getRowMap(), 0)), C = rcp(new Matrix(R->getRowMap(), 0));
  Tpetra::MatrixMatrix::Multiply(*A, false, *P, false, *AP);
  Tpetra::MatrixMatrix::Multiply(*R, false, *AP, false, *C);
  lacuna::TpetraTripleProduct<> product(R, A, P, {.expected_calls = 100});
  auto first =
      compare("R A P, first",
              {{"Tpetra, MultiplyRAP", [&] { by_tpetra(); }},
               {"TpetraTripleProduct", [&] { lacuna::TpetraTripleProduct<>(R, A, P, {.expected_calls = 0}); }}},
              options.seconds);
  auto again        = compare("R A P, new values",
                              {{"Tpetra, two of Multiply",
                                [&] {
                           Tpetra::MatrixMatrix::Multiply(*A, false, *P, false, *AP);
                           Tpetra::MatrixMatrix::Multiply(*R, false, *AP, false, *C);
                         }},
                               {"Tpetra, MultiplyRAP anew", [&] { by_tpetra(); }},
                               {"TpetraTripleProduct", [&] { product.multiply(); }}},
                              options.seconds);
  again["rows"]     = A->getGlobalNumRows();
  again["nonzeros"] = C->getGlobalNumEntries();
  again["apart"]    = std::max(apart(*C, *product.result()), apart(*C, *by_tpetra()));
  again["report"]   = product.report();
  return {first, again};
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

Options parsed(int argc, char** argv) {
  Options options;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k], value = argv[k + 1];
    if (name == "--mesh")
      options.mesh = std::stol(value);
    else if (name == "--product")
      options.product = std::stol(value) / 2 * 2;
    else if (name == "--unknowns")
      options.unknowns = std::stol(value);
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--json")
      options.json = value;
    else if (name == "--revision")
      options.revision = value;
    else
      throw std::invalid_argument("time_tpetra: unknown option " + name);
  }
  if (argc % 2 == 0) throw std::invalid_argument("time_tpetra: the last option has no value");
  return options;
}

}  // namespace

int main(int argc, char** argv) try {
  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  const Options options = parsed(argc, argv);
  Json run{{"program", "time_tpetra"},
           {"revision", options.revision},
           {"trilinos", TRILINOS_VERSION_STRING},
           {"kokkos", KOKKOS_VERSION},
           {"execution_space", Kokkos::DefaultExecutionSpace::name()},
           {"compiler", LACUNA_TIME_COMPILER},
           {"flags", LACUNA_TIME_FLAGS},
           {"processor", processor()},
           {"processors", std::thread::hardware_concurrency()},
           {"ranks", Tpetra::getDefaultComm()->getSize()},
           {"mesh", options.mesh},
           {"product_mesh", options.product},
           {"unknowns", options.unknowns},
           {"results", time_apply(options)}};
  for (const Json& results : {time_product(options), time_triple_product(options)})
    for (const Json& result : results) run["results"].push_back(result);
  bool same = true;
  for (const Json& result : run["results"]) same = same && result.value("apart", 0.0) < 1e-12;
  if (Tpetra::getDefaultComm()->getRank() == 0) {
    if (options.json == "-")
      std::cout << run.dump(1) << "\n";
    else if (!options.json.empty())
      std::ofstream(options.json) << run.dump(1) << "\n";
    if (!same) std::cerr << "the results differ: see \"apart\"\n";
  }
  return same ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
