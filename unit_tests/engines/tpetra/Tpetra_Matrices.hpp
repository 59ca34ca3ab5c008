// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_TPETRA_MATRICES_HPP
#define LACUNA_TEST_TPETRA_MATRICES_HPP

#include <Teuchos_RCP.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

/// \file
/// \brief Matrices over all ranks, and what they are compared with.

namespace lacuna::Test {

using Teuchos::RCP;
using Teuchos::rcp;

using TpetraMatrix  = Tpetra::CrsMatrix<>;
using TpetraVectors = Tpetra::MultiVector<>;
using TpetraMap     = Tpetra::Map<>;
using Global        = TpetraMap::global_ordinal_type;

inline RCP<const Teuchos::Comm<int>> world() { return Tpetra::getDefaultComm(); }

/// The map of `size` indices that gives index i to rank `owner(i)`.
inline RCP<const TpetraMap> map_by(Global size, const std::function<int(Global)>& owner) {
  std::vector<Global> mine;
  for (Global i = 0; i < size; ++i)
    if (owner(i) == world()->getRank()) mine.push_back(i);
  return rcp(
      new TpetraMap(static_cast<Tpetra::global_size_t>(size), Teuchos::ArrayView<const Global>(mine), 0, world()));
}
inline RCP<const TpetraMap> even_map(Global size) {
  return rcp(new TpetraMap(static_cast<Tpetra::global_size_t>(size), 0, world()));
}
/// Everything on the last rank.
inline RCP<const TpetraMap> last_rank_map(Global size) {
  return map_by(size, [](Global) { return world()->getSize() - 1; });
}
inline RCP<const TpetraMap> cyclic_map(Global size) {
  return map_by(size, [](Global i) { return static_cast<int>(i) % world()->getSize(); });
}

struct Entry {
  Global column;
  double value;
};
using RowOf = std::function<std::vector<Entry>(Global)>;

inline RCP<TpetraMatrix> make_matrix(const RCP<const TpetraMap>& rows, const RCP<const TpetraMap>& domain,
                                     const RCP<const TpetraMap>& range, const RowOf& row_of) {
  std::vector<std::size_t> lengths;
  for (const Global row : rows->getLocalElementList()) lengths.push_back(row_of(row).size());
  const auto A = rcp(new TpetraMatrix(rows, Teuchos::ArrayView<const std::size_t>(lengths)));
  for (const Global row : rows->getLocalElementList()) {
    std::vector<Global> columns;
    std::vector<double> values;
    for (const Entry& entry : row_of(row)) {
      columns.push_back(entry.column);
      values.push_back(entry.value);
    }
    A->insertGlobalValues(row, Teuchos::ArrayView<const Global>(columns), Teuchos::ArrayView<const double>(values));
  }
  A->fillComplete(domain, range);
  return A;
}

/// The Laplacian of a mesh of n^3 points with 7 neighbours.
inline RowOf mesh_row(Global n) {
  return [n](Global row) {
    const Global x = row % n, y = row / n % n, z = row / n / n;
    std::vector<Entry> entries{{row, 6.0}};
    if (x > 0) entries.push_back({row - 1, -1.0});
    if (x < n - 1) entries.push_back({row + 1, -1.0});
    if (y > 0) entries.push_back({row - n, -1.0});
    if (y < n - 1) entries.push_back({row + n, -1.0});
    if (z > 0) entries.push_back({row - n * n, -1.0});
    if (z < n - 1) entries.push_back({row + n * n, -1.0});
    return entries;
  };
}

/// Up to `most` entries at random columns, none of them 0, the same on every rank; each fifth row is empty.
inline RowOf random_row(Global columns, int most, unsigned seed) {
  return [=](Global row) {
    std::mt19937 random(seed + static_cast<unsigned>(row));
    std::vector<Global> places;
    const int length = row % 5 == 3 ? 0 : static_cast<int>(random() % static_cast<unsigned>(most)) + 1;
    for (int k = 0; k < length; ++k) places.push_back(static_cast<Global>(random() % static_cast<unsigned>(columns)));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::vector<Entry> entries;
    for (const Global place : places)
      entries.push_back({place, static_cast<double>(random() % 2000) / 1000.0 - 0.9995});
    return entries;
  };
}

/// Values that depend on the global row and the vector alone.
inline void fill_vectors(TpetraVectors& X, unsigned seed) {
  const auto x = X.getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < x.extent(1); ++j) {
      std::mt19937 random(seed + 7919 * static_cast<unsigned>(j) +
                          static_cast<unsigned>(X.getMap()->getGlobalElement(static_cast<int>(i))));
      x(i, j) = static_cast<double>(random() % 2000) / 1000.0 - 1.0;
    }
}

/// The largest difference on all ranks; NaN in either is infinity.
inline double difference(const TpetraVectors& X, const TpetraVectors& Y) {
  double mine = 0;
  for (std::size_t j = 0; j < X.getNumVectors(); ++j) {
    const auto x = X.getVector(j)->getLocalViewHost(Tpetra::Access::ReadOnly);
    const auto y = Y.getVector(j)->getLocalViewHost(Tpetra::Access::ReadOnly);
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      const double apart = std::abs(x(i, 0) - y(i, 0));
      mine               = std::max(mine, std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart);
    }
  }
  double largest = 0;
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_MAX, mine, Teuchos::outArg(largest));
  return largest;
}

/// Other values at the same places, written where the matrix has them.
inline void change_values(TpetraMatrix& A, double factor) {
  const auto values = A.getLocalMatrixHost().values;
  for (std::size_t k = 0; k < values.extent(0); ++k) values(k) = factor * values(k) + 0.01 * static_cast<double>(k % 7);
}

}  // namespace lacuna::Test

#endif
